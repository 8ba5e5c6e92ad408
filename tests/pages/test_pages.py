"""Every page in both languages, run without a browser."""

import json
import os
import re

import pytest
from streamlit.runtime.context import ContextProxy
from streamlit.testing.v1 import AppTest

from oncosearch.workspace import Workspace
from tests.conftest import prepare
from tests.paths import ROOT
from tests.ui.nasty import NASTY_ID, write_folder

QUESTION = {"de": "Osimertinib bei EGFR Exon 19 Deletion", "en": "Osimertinib for EGFR exon 19 deletion"}


@pytest.fixture
def open_page(monkeypatch):
    """Return a function that runs the app at an address on a home, from its entry point."""

    def run(home, page="search", **address):
        monkeypatch.setenv("ONCOSEARCH_HOME", str(home))
        monkeypatch.delenv("ONCOSEARCH_STORE", raising=False)
        monkeypatch.chdir(ROOT)
        app = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=60)
        for name, value in address.items():
            app.query_params[name] = value
        app.run()
        if page != "search":
            app.switch_page(f"pages/{page}.py")
            for name, value in address.items():
                app.query_params[name] = value
            app.run()
        assert not app.exception, app.exception
        assert "konnte nicht ganz aufgebaut werden" not in words(app)
        return app

    return run


def words(app):
    """Return everything that a page says, tags left out."""
    parts = [element.proto.body for element in app.get("html") if "<style>" not in element.proto.body]
    parts += [element.value for element in (*app.title, *app.header)]
    return re.sub(r"<[^>]+>", " ", " ".join(parts)).replace("&#x27;", "'")


def tree_of(app):
    """Return the tree of the browse page as it was written."""
    (tree,) = (e.proto.body for e in app.get("html") if e.proto.body.startswith('<nav class="os-tree"'))
    return tree


@pytest.mark.parametrize(
    ("language", "heading", "aid"),
    [("de", "Was möchten Sie wissen?", "Forschungswerkzeug"), ("en", "What would you like to know?", "research aid")],
)
def test_first_screen(open_page, demo_home, language, heading, aid):
    app = open_page(demo_home, lang=language)
    assert [title.value for title in app.title] == [heading]
    said = words(app)
    assert aid in said
    assert QUESTION[language] in said
    assert re.search(r"471|\d{3} (Knoten|nodes)", said)


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_question_is_answered(open_page, demo_home, language):
    app = open_page(demo_home, lang=language, q=QUESTION[language])
    said = words(app)
    cards = [e.proto.body for e in app.get("html") if "os-card" in e.proto.body and "<article" in e.proto.body]
    assert len(cards) == 10
    assert "Osimertinib" in said
    assert "https://pubmed.ncbi.nlm.nih.gov/" in " ".join(cards)
    assert ("Warum hier?" if language == "de" else "Why here?") in said
    assert len(app.get("plotly_chart")) == 1


@pytest.mark.parametrize("language", ["de", "en"])
def test_node_page(open_page, demo_home, language):
    app = open_page(demo_home, "node", lang=language, node="disease-nsclc")
    said = words(app)
    assert "Nicht-kleinzelliges Lungenkarzinom" in said
    assert "Non-small cell lung cancer" in said
    assert ("Umfeld im Graphen" if language == "de" else "Neighbourhood in the graph") in said
    assert len(app.get("iframe")) == 1


@pytest.mark.parametrize(
    ("language", "next_steps", "therapies", "requires"),
    [
        ("de", "Nächste Schritte", "Therapien mit Evidenz (9)", "Setzt voraus: ALK-Fusion"),
        ("en", "Next steps", "Therapies with evidence (9)", "Requires: ALK fusion"),
    ],
)
def test_browse_page(open_page, demo_home, language, next_steps, therapies, requires):
    app = open_page(demo_home, "browse", lang=language, node="disease-nsclc")
    said = words(app)
    for part in (next_steps, therapies, requires, "KRAS G12C"):
        assert part in said
    tree = tree_of(app)
    assert tree.count("aria-current") == 1
    assert tree.count('aria-expanded="true"') == 4
    # Of what nobody opened, nothing is there.
    assert "Mammakarzinom" not in tree
    assert "https://pubmed.ncbi.nlm.nih.gov/" in " ".join(e.proto.body for e in app.get("html"))


@pytest.mark.parametrize(("language", "heading"), [("de", "Im Graphen stöbern"), ("en", "Browse the graph")])
def test_browsing_begins_at_the_roots(open_page, demo_home, language, heading):
    app = open_page(demo_home, "browse", lang=language)
    assert [title.value for title in app.title] == [heading]
    tree = tree_of(app)
    assert tree.count("<li>") == 7


def test_a_node_with_several_paths_is_open_on_the_one_that_is_named(open_page, demo_home, demo):
    graph = demo.graph(demo.default_snapshot().key)
    i = next(i for i in range(len(graph)) if len(graph.parents.of_node(i)) > 1)
    paths = demo.paths(graph.key, graph.ids[i], "de")[0]
    for path in paths[:2]:
        via = [step.node_id for step in path]
        app = open_page(demo_home, "browse", node=graph.ids[i], via=via)
        tree = tree_of(app)
        assert re.findall(r'data-item="([^"]+)"[^>]*aria-expanded="true"', tree)[: len(via)] == via
        assert "über diesen Pfad öffnen" in words(app)


def test_a_missing_node_in_the_tree_says_so_and_shows_the_roots(open_page, demo_home):
    app = open_page(demo_home, "browse", node="no such node")
    assert "gibt es in diesem Stand nicht" in words(app)
    assert "Solide Tumoren" in words(app)


def test_the_field_names_the_part_that_matches_and_its_scope(open_page, demo_home):
    app = open_page(demo_home, "browse")
    app.text_input(key="jump_text").set_value("Adenokarzinom der L").run()
    said = words(app)
    assert "Synonym (enger)" in said
    assert "<mark>Adenokarzinom der L</mark>unge" in "".join(e.proto.body for e in app.get("html"))


def test_a_new_state_that_is_not_ready_leaves_the_old_one_in_place(open_page, tmp_path, small_folder):
    home = tmp_path / "home"
    old = prepare(home, small_folder)
    newer = tmp_path / "newer"
    newer.mkdir()
    header = json.loads((small_folder / "graph.json").read_text("utf-8"))
    (newer / "graph.json").write_text(json.dumps(header | {"snapshot_id": "9"}), "utf-8")
    (newer / "nodes.jsonl").write_bytes((small_folder / "nodes.jsonl").read_bytes())
    prepare(home, newer, model=None)
    said = words(open_page(home))
    assert f"Angezeigt wird der Stand {old.snapshot_id}; es gibt den neueren Stand 9" in said
    prepare(home, newer)
    assert "Angezeigt wird" not in words(open_page(home))


@pytest.mark.parametrize(("language", "heading"), [("de", "Über oncosearch"), ("en", "About oncosearch")])
def test_about_page(open_page, demo_home, language, heading):
    app = open_page(demo_home, "about", lang=language)
    assert [title.value for title in app.title] == [heading]
    said = words(app)
    for part in ("e5-small", "bgem3", "GRAG", "oncosearch 0."):
        assert part in said


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"q": "und oder die"}, "nur Füllwörter"),
        ({"q": "xqzzyv", "pipeline": "lexical"}, "Keine Treffer"),
        ({"q": "Osimertinib", "model": "qwen34b"}, "ist hier nicht verfügbar"),
        ({"q": "Osimertinib", "pipeline": "lexical", "type": "staging", "group": "nowhere"}, "Alle Filter aufheben"),
        ({"alpha": "7", "reach": "x"}, "Gewicht des eigenen Textes (α) (alpha=7), Reichweite des Bildes (reach=x)."),
        ({"graph": "other@1"}, "Den Graphen „other@1“ aus dem Link gibt es hier nicht"),
        ({"graph": "other@1"}, "Gezeigt wird ein anderer: Demonstrationsgraph Onkologie"),
        ({"q": "C50.9"}, "Code stimmt genau"),
        ({"q": "Osimertinib bei EGFR T790M", "show": "print"}, "Zurück zu den Treffern"),
    ],
)
def test_every_state_has_words(open_page, demo_home, address, expected):
    assert expected in words(open_page(demo_home, **address))


def test_a_question_that_is_too_long_stays_in_the_field_and_is_not_asked(open_page, demo_home):
    app = open_page(demo_home)
    typed = "Osimertinib " * 200
    app.text_input(key="form_query").set_value(typed)
    app.button(key="form_submit").click().run()
    assert "Sie hat 2399 Zeichen; höchstens 2000 sind möglich" in words(app)
    assert app.text_input(key="form_query").value == typed
    assert "q" not in app.query_params
    app.text_input(key="form_query").set_value("und oder")
    app.button(key="form_submit").click().run()
    assert "höchstens 2000" not in words(app)


@pytest.mark.parametrize(
    ("language", "said"), [("de", "höchstens 2000 sind möglich"), ("en", "at most 2000 are possible")]
)
def test_a_link_with_a_question_that_is_too_long_says_so(open_page, demo_home, language, said):
    asked = "x" * 2001
    app = open_page(demo_home, q=asked, lang=language)
    assert said in words(app)
    assert app.text_input(key="form_query").value == asked


def test_a_word_that_the_graph_does_not_know_is_named_above_the_hits(open_page, demo_home):
    app = open_page(demo_home, q="Zoladex")
    said = words(app)
    assert said.index("Nicht im Graphen: Zoladex") < said.index("≈ nur sinngemäß ähnlich")


@pytest.mark.parametrize(
    ("locale", "address", "heading"),
    [
        ("en-GB", {}, "What would you like to know?"),
        ("de-AT", {}, "Was möchten Sie wissen?"),
        ("fr-FR", {}, "Was möchten Sie wissen?"),
        (None, {}, "Was möchten Sie wissen?"),
        ("en-US", {"lang": "de"}, "Was möchten Sie wissen?"),
    ],
)
def test_the_first_visit_follows_the_browser(open_page, demo_home, monkeypatch, locale, address, heading):
    monkeypatch.setattr(ContextProxy, "locale", locale)
    assert open_page(demo_home, **address).title[0].value == heading


def test_a_home_that_cannot_be_used_says_so(open_page, tmp_path):
    home = tmp_path / "home"
    home.write_text("a file")
    assert "kann nicht benutzt werden" in words(open_page(home))


def test_an_error_that_nobody_foresaw_is_said_in_words_and_logged(open_page, demo_home, monkeypatch, caplog):
    app = open_page(demo_home, "about")

    def broken(self, count):
        raise IndexError("inner workings")

    monkeypatch.setattr(Workspace, "recent", broken)
    app.run()
    assert not app.exception
    assert "Diese Seite konnte nicht ganz aufgebaut werden" in words(app)
    assert "inner workings" not in words(app)
    assert "inner workings" in caplog.text


def test_another_graph_brings_its_own_examples(open_page, tmp_path, small_folder):
    folder = tmp_path / "graph"
    folder.mkdir()
    header = json.loads((small_folder / "graph.json").read_text("utf-8"))
    (folder / "graph.json").write_text(json.dumps(header | {"demo": False}), "utf-8")
    (folder / "nodes.jsonl").write_bytes((small_folder / "nodes.jsonl").read_bytes())
    titles = set(re.findall(r'"de": "([^"]+)"', (small_folder / "nodes.jsonl").read_text("utf-8")))
    prepare(tmp_path / "home", folder, model=None)
    app = open_page(tmp_path / "home")
    shown = next(e.proto.body for e in app.get("html") if "os-examples" in e.proto.body)
    links = re.findall(r"<a [^>]*>([^<]+)</a>", shown)
    assert len(links) == 3
    assert set(links) <= titles
    assert "Osimertinib" not in app.text_input(key="form_query").placeholder


def test_a_missing_node_says_what_to_do(open_page, demo_home):
    assert "gibt es in diesem Stand nicht" in words(open_page(demo_home, "node", node="no such node"))


def test_an_empty_store_says_how_to_fill_it(open_page, tmp_path):
    said = words(open_page(tmp_path / "empty"))
    assert "python -m oncosearch demo" in said


def test_an_unprepared_graph_offers_to_prepare(open_page, tmp_path, small_folder):
    prepare(tmp_path / "home", small_folder, model=None)
    app = open_page(tmp_path / "home", q="Übelkeit")
    assert "noch nicht vorbereitet" in words(app)
    assert [button.label for button in app.button if button.key == "prepare_now"] == ["Jetzt vorbereiten"]


def test_submitting_asks_and_an_empty_question_is_named(open_page, demo_home):
    app = open_page(demo_home)
    app.text_input(key="form_query").set_value("FLOT Dosierung")
    app.selectbox(key="form_pipeline").set_value("lexical")
    app.button(key="form_submit").click().run()
    assert not app.exception
    assert app.query_params["q"] == "FLOT Dosierung"
    assert app.query_params["pipeline"] == "lexical"
    assert "FLOT" in words(app)
    app.text_input(key="form_query").set_value("  ")
    app.button(key="form_submit").click().run()
    assert "Bitte eine Frage eingeben" in words(app)


@pytest.mark.parametrize("page", ["search", "node", "browse"])
def test_nasty_text_is_shown_as_text(open_page, tmp_path, page):
    home = tmp_path / "home"
    prepare(home, write_folder(tmp_path / "graph"), model=None)
    app = open_page(home, page, q="Nastinib", pipeline="lexical", **({"node": NASTY_ID} if page != "search" else {}))
    bodies = [
        e.proto.body for e in app.get("html") if "<style>" not in e.proto.body and "<script>window" not in e.proto.body
    ]
    text = "\n".join(body for body in bodies if not body.startswith("<script>"))
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "<img" not in text
    assert "javascript:alert" not in "".join(re.findall(r'href="[^"]*"', text))


def test_recording_is_said(open_page, demo_home, monkeypatch):
    assert "Suchanfragen werden auf diesem Rechner protokolliert" in words(open_page(demo_home))
    monkeypatch.setenv("ONCOSEARCH_AUDIT", "off")
    assert "Suchanfragen werden nicht protokolliert" in words(open_page(demo_home))
    assert os.environ["ONCOSEARCH_AUDIT"] == "off"


def test_an_older_snapshot_names_the_newer(open_page, tmp_path, small_folder):
    home = tmp_path / "home"
    older = tmp_path / "older"
    older.mkdir()
    header = json.loads((small_folder / "graph.json").read_text("utf-8"))
    (older / "graph.json").write_text(json.dumps(header | {"snapshot_id": "0"}), "utf-8")
    (older / "nodes.jsonl").write_bytes((small_folder / "nodes.jsonl").read_bytes())
    old = prepare(home, older, model=None)
    new = prepare(home, small_folder, model=None)
    said = words(open_page(home, graph=str(old)))
    assert f"Angezeigt wird der Stand 0; es gibt den neueren Stand {new.snapshot_id}" in said
    assert "Angezeigt wird" not in words(open_page(home, graph=str(new)))


def test_a_recorded_search_runs_again(open_page, demo_home):
    open_page(demo_home, q="FLOT Dosierung", pipeline="lexical")
    app = open_page(demo_home, "about")
    assert "FLOT Dosierung" in app.selectbox(key="record_id").options[0]
    app.button(key="record_replay").click().run()
    assert not app.exception
    assert "Identisch" in words(app)


def test_what_stays_the_same_is_asked_and_recorded_once(open_page, demo_home):
    app = open_page(demo_home, q="Magenkarzinom FLOT", pipeline="lexical")
    app.query_params["heat"] = "off"
    app.run()
    options = open_page(demo_home, "about").selectbox(key="record_id").options
    assert sum("Magenkarzinom FLOT" in option for option in options) == 1
