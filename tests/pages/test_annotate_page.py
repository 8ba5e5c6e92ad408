"""The annotation page, run without a browser: who rates, the desk, states, the owner's tasks, both languages."""

import html
import json
import re
import sqlite3

import pytest

from oncosearch.ingest import import_graph
from oncosearch.model import GRADES, SnapshotKey
from oncosearch.review import close, pause, record_of, resume, session_states, session_view, topic_state, write_record
from oncosearch.settings import Settings
from oncosearch.ui.components.annotation import acting
from oncosearch.ui.components.annotation.card import GRADES_BY_KEY
from oncosearch.ui.components.annotation.plan import _guideline
from oncosearch.ui.texts import texts
from oncosearch.workspace import demo_folder, open_workspace
from tests.conftest import prepare
from tests.pages.test_pages import open_page, words  # noqa: F401
from tests.workspace.annotation import begun_session


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("annotate") / "home"
    prepare(place, demo_folder(), model=None)
    return place


@pytest.fixture
def session(home):
    return begun_session(home, ("Anna", "Ben"))


def state_of(home, session, rater="Anna", topic="T1"):
    with open_workspace(Settings(home=home)) as workspace:
        return topic_state(workspace.store, session, rater, topic)


def bodies_of(app):
    return "".join(e.proto.body for e in app.get("html") if not e.proto.body.startswith(("<style", "<script")))


def shown(app):
    """Return the node on the open card and the grades in the list."""
    bodies = "".join(e.proto.body for e in app.get("html"))
    node = re.search(r'data-node="([^"]+)"', bodies).group(1)
    return node, re.findall(r'class="os-grade[^"]*"[^>]*>([^<]*)<', bodies)


@pytest.mark.parametrize(("language", "said"), [("de", "Ihr Name"), ("en", "Your name")])
def test_the_name_is_asked_once_before_everything_else(open_page, home, language, said):  # noqa: F811
    app = open_page(home, "annotate", lang=language)
    assert [field.label for field in app.text_input] == [said]
    app.text_input(key="annot_name").set_value("  Anna   B. ")
    app.button(key="annot_name_go").click().run()
    assert not app.exception
    assert "Anna B." in words(app)
    app.button(key="annot_name_change").click().run()
    assert len(app.text_input) == 1
    app.text_input(key="annot_name").set_value(" ")
    app.button(key="annot_name_go").click().run()
    assert "60" in words(app)


def named(open_page, home, name="Anna", **address):  # noqa: F811
    app = open_page(home, "annotate", **{"lang": "de"} | address)
    app.text_input(key="annot_name").set_value(name)
    app.button(key="annot_name_go").click().run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_desk_shows_a_card_without_scores_models_or_other_grades(open_page, home, session, language):  # noqa: F811
    app = named(open_page, home, lang=language, session=session)
    said = words(app)
    assert "Osimertinib" in said
    assert "lexical" not in said
    assert "Ben" not in said
    assert {b.key for b in app.button} >= {f"annot_grade_{key}" for key in GRADES_BY_KEY} | {
        "annot_unsure",
        "annot_later",
    }
    assert set(GRADES_BY_KEY.values()) | {"unsure"} == set(GRADES)


def test_grades_are_saved_and_the_next_card_opens(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    first, _ = shown(app)
    app.text_area[0].set_value("weil es passt").run()
    app.button(key="annot_grade_minus").click().run()
    state = state_of(home, session)
    assert (state.item(first).grade, state.item(first).reason) == ("-1", "weil es passt")
    assert "gespeichert" in words(app)
    second, grades = shown(app)
    assert second != first
    assert grades.count("−1") == 1
    app.button(key="annot_undo").click().run()
    assert shown(app)[0] == first
    assert state_of(home, session).item(first).grade == ""


def test_marks_can_be_set_and_taken_off(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    first, _ = shown(app)
    app.button(key="annot_duplicate").click().run()
    app.button(key="annot_take_0").click().run()
    assert state_of(home, session).item(first).is_duplicate
    assert first not in state_of(home, session).ordered_nodes
    app.button(key="annot_previous").click().run()
    assert shown(app)[0] == first
    assert "Als Dublette markiert" in words(app)
    assert app.button(key="annot_grade_3").disabled
    app.button(key="annot_duplicate").click().run()
    assert not state_of(home, session).item(first).is_duplicate
    app.button(key="annot_irrelevant").click().run()
    item = state_of(home, session).item(first)
    assert (item.irrelevant, item.grade) == (True, "-1")
    assert first in state_of(home, session).ordered_nodes


def test_a_node_is_added_by_a_synonym_or_code(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    app.button(key="annot_add").click().run()
    app.text_input(key="annot_find_text").set_value("Luftnot").run()
    app.button(key="annot_take_0").click().run()
    (added,) = [item for item in state_of(home, session).items if item.added]
    assert added.original_index == -1
    assert shown(app)[0] == added.node


def test_the_order_is_kept(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    before = state_of(home, session).ordered_nodes
    app.button(key="annot_down").click().run()
    assert state_of(home, session).ordered_nodes == (before[1], before[0], *before[2:])
    assert shown(app)[0] == before[0]


def test_after_finishing_what_was_hidden_is_shown(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    for _ in range(len(state_of(home, session).items)):
        app.button(key="annot_grade_2").click().run()
    app.button(key="annot_finish").click().run()
    assert state_of(home, session).finished
    said = words(app)
    assert "abgeschlossen" in said
    assert "lexical: Rang" in said
    assert "annot_grade_3" not in {b.key for b in app.button}
    app.button(key="annot_reopen").click().run()
    assert "lexical: Rang" not in words(app)


def test_others_grades_are_shown_after_finishing_in_an_open_session_only(open_page, home):  # noqa: F811
    for blind in (True, False):
        session = begun_session(home, ("Anna", "Ben"), topics=1, blind=blind)
        for name in ("Anna", "Ben"):
            app = named(open_page, home, name, session=session)
            for _ in range(len(state_of(home, session, name).items)):
                assert "Noten der anderen" not in words(app)
                app.button(key="annot_grade_3" if name == "Anna" else "annot_grade_1").click().run()
            app.button(key="annot_finish").click().run()
        assert ("Noten der anderen" in words(app)) is not blind
        assert ("3 · hoch" in "".join(e.proto.body for e in app.get("html") if "os-sides" in e.proto.body)) is not blind


def test_what_could_not_be_saved_is_said_and_sent_again_as_it_was(open_page, home, session, monkeypatch):  # noqa: F811
    app = named(open_page, home, session=session)
    first, _ = shown(app)
    app.text_area[0].set_value("wichtig").run()
    real, sent = acting.act, []

    def broken(workspace, view, event):
        sent.append(event)
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(acting, "act", broken)
    app.button(key="annot_grade_3").click().run()
    assert not app.exception
    assert "Nicht gespeichert" in words(app)
    assert "disk I/O" not in words(app)
    assert shown(app)[0] == first
    assert app.text_area[0].value == "wichtig"
    monkeypatch.setattr(acting, "act", lambda w, v, e: sent.append(e) or real(w, v, e))
    app.button(key="annot_again").click().run()
    assert sent[0] == sent[1]
    assert state_of(home, session).item(first).grade == "3"
    assert "Nicht gespeichert" not in words(app)


def test_a_paused_session_can_be_read_only(open_page, home, session):  # noqa: F811
    with open_workspace(Settings(home=home)) as workspace:
        pause(workspace.store, session, "Anna")
    app = named(open_page, home, session=session)
    assert "angehalten" in words(app)
    assert app.button(key="annot_grade_3").disabled


def test_a_reason_typed_while_the_owner_pauses_stays_to_be_read(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    first, _ = shown(app)
    with open_workspace(Settings(home=home)) as workspace:
        pause(workspace.store, session, "Anna")
    app.text_area[0].set_value("fast verloren").run()
    assert "Nicht gespeichert" in words(app)
    assert (app.text_area[0].value, app.text_area[0].disabled) == ("fast verloren", True)
    with open_workspace(Settings(home=home)) as workspace:
        resume(workspace.store, session, "Anna")
    app.button(key="annot_again").click().run()
    assert app.text_area[0].value == "fast verloren"
    assert state_of(home, session).item(first).reason == "fast verloren"


def test_a_closed_session_offers_no_second_try(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    with open_workspace(Settings(home=home)) as workspace:
        close(workspace.store, session, "Anna")
    app.button(key="annot_grade_3").click().run()
    assert "Nicht gespeichert" in words(app)
    assert {b.key for b in app.button} & {"annot_again", "annot_dismiss"} == {"annot_dismiss"}


def test_after_the_last_card_grade_keys_rest_until_a_card_is_opened(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    for _ in range(len(state_of(home, session).items)):
        assert "os-rest" not in bodies_of(app)
        app.button(key="annot_grade_2").click().run()
    assert "os-rest" in bodies_of(app)
    app.button(key="annot_previous").click().run()
    assert "os-rest" not in bodies_of(app)


def test_a_grade_from_another_window_is_not_replaced_in_silence(open_page, home, session):  # noqa: F811
    one, other = (named(open_page, home, session=session) for _ in range(2))
    one.button(key="annot_grade_3").click().run()
    assert "anderen Fenster" not in words(one)
    other.button(key="annot_grade_1").click().run()
    assert "Ersetzt 3 · hoch aus einem anderen Fenster" in words(other)


def test_undo_says_what_it_took_back(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    app.button(key="annot_grade_minus").click().run()
    app.button(key="annot_undo").click().run()
    assert "zurückgenommen: −1 · abwegig — " in words(app)


def test_a_topic_that_the_address_names_wrongly_is_named(open_page, home, session):  # noqa: F811
    assert "„T9“ gibt es in dieser Sitzung nicht" in words(named(open_page, home, session=session, topic="T9"))
    assert "T9" not in words(named(open_page, home, session=session, topic="T1"))


def test_names_alike_are_pointed_out(open_page, home, session):  # noqa: F811
    assert "Es gibt auch diesen Namen: Anna." in words(named(open_page, home, "an na"))
    assert "Es gibt auch" not in words(named(open_page, home, "Zoe"))


def test_a_finished_topic_shows_the_own_reason(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session)
    first, _ = shown(app)
    app.text_area[0].set_value("klare Sache").run()
    for _ in range(len(state_of(home, session).items)):
        app.button(key="annot_grade_2").click().run()
    app.button(key="annot_finish").click().run()
    while shown(app)[0] != first:
        app.button(key="annot_previous").click().run()
    assert "„klare Sache“" in words(app)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"ohne Tabulator", "fragen.tsv:1: expected id"), (b"T1\ta\nT1\tb", "'T1' comes twice"), (b"", "holds no topic")],
)
def test_a_wrong_file_of_topics_says_what_is_expected(open_page, home, content, said):  # noqa: F811
    app = named(open_page, home, task="new")
    app.text_input(key="plan_name").set_value("Falsch")
    app.radio(key="plan_source").set_value("file")
    app.file_uploader(key="plan_file").set_value([("fragen.tsv", content, "text/plain")])
    app.button(key="plan_go").click().run()
    shown_words = words(app)
    assert "Die Datei mit Fragen konnte nicht gelesen werden" in shown_words
    assert said in html.unescape(shown_words)


def test_a_guideline_left_as_offered_is_taken_in_the_language_of_the_topics():
    offered = {language: texts(language)("annotate.guideline.default") for language in ("de", "en")}
    assert _guideline(offered["de"], "de", "en") == offered["en"]
    assert _guideline("Eigener Text", "de", "en") == "Eigener Text"


def test_sessions_of_others_and_unknown_ones_are_words(open_page, home, session):  # noqa: F811
    assert "hat Zoe keine Frage" in words(named(open_page, home, "Zoe", session=session))
    assert "gibt es hier nicht" in words(named(open_page, home, session="nowhere"))
    assert "gehört Anna" in words(named(open_page, home, "Ben", session=session, task="manage"))
    listed = words(named(open_page, home, "Zoe"))
    assert "Für Zoe" in listed
    assert "Anna" in listed


def test_the_owner_manages(open_page, home, session):  # noqa: F811
    app = named(open_page, home, session=session, task="manage")
    app.text_area(key="guideline_text").set_value("Nur Leitlinien zählen.")
    app.button(key="guideline_save").click().run()
    app.text_input(key="assign_rater").set_value("Cem")
    app.button(key="assign_go").click().run()
    app.button(key="manage_pause").click().run()
    said = words(app)
    assert "angehalten" in said
    assert "Cem" in said
    app.button(key="manage_resume").click().run()
    assert "Nur Leitlinien zählen." in words(named(open_page, home, "Cem", session=session))
    with open_workspace(Settings(home=home)) as workspace:
        assert set(session_states(workspace.store, session)) == {"Anna", "Ben", "Cem"}


def test_the_owner_decides_and_publishes(open_page, home):  # noqa: F811
    session = begun_session(home, ("Anna", "Ben"), owner="Olga")
    for name, grade in (("Anna", "3"), ("Ben", "0")):
        app = named(open_page, home, name, session=session, topic="T1")
        node = min(item.node for item in state_of(home, session, name).items)
        while shown(app)[0] != node:
            app.button(key="annot_later").click().run()
        app.button(key=f"annot_grade_{grade}").click().run()
    app = named(open_page, home, "Olga", session=session, task="adjudicate")
    said = words(app)
    assert "3 · hoch" in said
    assert "0 · nicht" in said
    name = f"T1_{node}"
    app.button(key=f"final_save_{name}").click().run()
    assert "keine Note gewählt" in words(app)
    app.button_group(key=f"final_{name}").set_value("2")
    app.text_input(key=f"final_reason_{name}").set_value("Beides geht.")
    app.button(key=f"final_save_{name}").click().run()
    assert "Entschieden: 2" in words(app)
    app = named(open_page, home, "Olga", session=session, task="manage")
    app.selectbox(key="take_policy").set_value("adjudicated").run()
    assert "bekommt nach dieser Regel keine Note" not in words(app)
    app.button(key="take_publish").click().run()
    said = words(app)
    assert "veröffentlicht" in said
    assert len(app.get("download_button")) == 5


def test_cards_without_a_grade_by_the_policy_are_named_with_the_reason(open_page, home):  # noqa: F811
    session = begun_session(home, ("Anna", "Ben"), owner="Olga", topics=1)
    for name, grade in (("Anna", "3"), ("Ben", "0")):
        app = named(open_page, home, name, session=session)
        node = min(item.node for item in state_of(home, session, name).items)
        while shown(app)[0] != node:
            app.button(key="annot_later").click().run()
        app.button(key=f"annot_grade_{grade}").click().run()
    app = named(open_page, home, "Olga", session=session, task="manage")
    app.selectbox(key="take_policy").set_value("adjudicated").run()
    said = words(app)
    assert "Die Noten gehen auseinander" in said
    assert "Anna 3, Ben 0" in said


def test_an_owner_who_rates_blind_sees_the_others_only_after_finishing(open_page, home):  # noqa: F811
    session = begun_session(home, ("Anna", "Ben"), topics=1)
    for name, key in (("Ben", "annot_grade_1"), ("Anna", "annot_grade_3")):
        app = named(open_page, home, name, session=session)
        for _ in range(len(state_of(home, session, name).items)):
            app.button(key=key).click().run()
    said = words(named(open_page, home, session=session, task="adjudicate"))
    assert "noch verborgen" in said
    assert "1 · gering" not in said
    app = named(open_page, home, session=session)
    app.button(key="annot_finish").click().run()
    said = words(named(open_page, home, session=session, task="adjudicate"))
    assert "noch verborgen" not in said
    assert "1 · gering" in said


def test_nasty_titles_and_names_are_text(open_page, tmp_path):  # noqa: F811
    from tests.ui.nasty import write_folder

    key = prepare(tmp_path / "home", write_folder(tmp_path / "graph"), model=None)
    name = '<img src=x onerror="alert(1)">'
    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        titles = [node.title.best("de") for node in workspace.store.iter_nodes(key)]
    assert any("<" in title for title in titles)
    session = begun_session(tmp_path / "home", (name,), topics=1, name=name, guideline=name)
    for address in ({}, {"session": session}, {"session": session, "task": "manage"}):
        app = named(open_page, tmp_path / "home", name, **address)
        bodies = "\n".join(e.proto.body for e in app.get("html") if not e.proto.body.startswith(("<style", "<script")))
        assert "<img" not in bodies
        assert not any(name in e.value for kind in ("markdown", "title", "header") for e in app.get(kind))


def test_a_name_of_a_session_is_never_read_as_markdown(open_page, home):  # noqa: F811
    name = "![x](http://127.0.0.1/x.png) **fett**"
    session = begun_session(home, ("Anna",), topics=1, name=name)
    for who, task in (("Anna", "manage"), ("Zoe", "manage"), ("Anna", "adjudicate"), ("Anna", None)):
        app = named(open_page, home, who, session=session, **({"task": task} if task else {}))
        for kind in ("markdown", "title", "header", "subheader", "caption"):
            assert not any("x.png" in e.value for e in app.get(kind)), (who, task, kind)


def test_a_record_goes_out_and_comes_back_in(open_page, home):  # noqa: F811
    first = begun_session(home, ("Anna",), topics=1)
    app = named(open_page, home, session=first)
    node, _ = shown(app)
    app.button(key="annot_grade_3").click().run()
    with open_workspace(Settings(home=home)) as workspace:
        ((_, state),) = session_states(workspace.store, first)["Anna"].items()
        record = write_record(record_of(session_view(workspace.store, first), state))
    second = begun_session(home, ("Anna",), topics=1)
    app = named(open_page, home, session=second, task="manage")
    app.file_uploader(key="bring_file").set_value([("bogen.json", record.encode(), "application/json")])
    app.button(key="bring_go").click().run()
    assert "Alles wurde übernommen" in words(app)
    assert state_of(home, second).item(node).grade == "3"
    app.file_uploader(key="bring_file").set_value([("falsch.json", b"{}", "application/json")])
    app.button(key="bring_go").click().run()
    assert "kein Einzelbogen" in words(app)
    assert "Die ganze Datei: erwartet wird ein Objekt mit einer Liste" in words(app)
    wrong = json.loads(record) | {"seltsam": 1}
    wrong["nodes"].append({"id": "x", "relevance": 7})
    app.file_uploader(key="bring_file").set_value([("halb.json", json.dumps(wrong).encode(), "application/json")])
    app.button(key="bring_go").click().run()
    said = words(app)
    assert re.search(r"seltsam\s*: diese Angabe ist nicht bekannt", said)
    assert re.search(r"nodes\[\d+\]\s*: relevance is 7; erwartet: 3, 2, 1, 0, -1 or null", said)


def test_a_newer_snapshot_is_offered_and_taken(open_page, tmp_path):  # noqa: F811
    home = tmp_path / "home"
    prepare(home, demo_folder(), model=None)
    session = begun_session(home, ("Anna",), topics=1)
    app = named(open_page, home, session=session)
    node, _ = shown(app)
    app.button(key="annot_grade_3").click().run()
    folder = tmp_path / "graph"
    folder.mkdir()
    for name in ("graph.json", "nodes.jsonl"):
        text = (demo_folder() / name).read_text("utf-8")
        (folder / name).write_text(text.replace("Morphin", "Morphium"), "utf-8")
    with open_workspace(Settings(home=home)) as workspace:
        import_graph(folder, workspace.store, snapshot_id="later")
        workspace.prepare(SnapshotKey("demo", "later"), None, lambda *_: None)
    app = named(open_page, home, session=session, task="manage", graph="demo@later")
    app.button(key="manage_newer").click().run()
    assert not app.exception
    assert "Alle Noten wurden übernommen" in words(app)
    new = app.query_params["session"]
    assert new != session
    assert state_of(home, new).item(node).grade == "3"
