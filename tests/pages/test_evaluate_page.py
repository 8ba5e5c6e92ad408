"""The evaluation page, run without a browser: measures, judgements of every origin, agreement, states, languages."""

import html
import json
import re
import time

import pytest

from oncosearch.evaluate.exchange import read_run
from oncosearch.model import LocalText, PublishedQrels, Qrels, Run, SnapshotKey, UsageError
from oncosearch.review import new_event, publish, save, session_view, topic_state
from oncosearch.settings import Settings
from oncosearch.ui import resources
from oncosearch.workspace import demo_folder, open_workspace
from oncosearch.workspace.evaluation_files import JUDGEMENTS, RATINGS, keep
from oncosearch.workspace.recent import Recent
from oncosearch.workspace.topic_runs import KeptRuns
from tests.conftest import prepare
from tests.pages.test_pages import open_page, words  # noqa: F401
from tests.ui.nasty import NASTY_ID, write_folder
from tests.workspace.annotation import begun_session
from tests.workspace.homes import copied

TWO = ["shipped-grag-e5-small", "shipped-lexical"]


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Give each test measures and runs of its own; the process keeps them otherwise."""
    kept, runs = Recent(8), KeptRuns()
    monkeypatch.setattr(resources, "kept_measures", lambda: kept)
    monkeypatch.setattr(resources, "kept_runs", lambda: runs)


@pytest.fixture
def own_home(demo_home, tmp_path):
    """Return a home that a test may write to, and the key of its demo graph."""
    home = copied(demo_home, tmp_path / "home")
    with open_workspace(Settings(home=home)) as workspace:
        return home, workspace.default_snapshot().key


def html_of(app):
    return "\n".join(e.proto.body for e in app.get("html") if not e.proto.body.startswith(("<style", "<script")))


def tables(app):
    return re.findall(r'id="os-table-(\w+)"', html_of(app))


@pytest.mark.parametrize(
    ("language", "heading", "verdict", "number"),
    [
        ("de", "Auswertung", "kein Unterschied nachgewiesen", "0,782"),
        ("en", "Evaluation", "no difference shown", "0.782"),
    ],
)
def test_the_demo_is_measured_at_once(open_page, demo_home, language, heading, verdict, number):  # noqa: F811
    app = open_page(demo_home, "evaluate", lang=language, run=TWO)
    assert [title.value for title in app.title] == [heading]
    said = words(app)
    assert verdict in said
    assert number in said
    assert tables(app) == ["precision", "recall", "ranking", "judged", "pairs"]
    assert len(app.get("plotly_chart")) == 2
    assert {b.proto.id.split("-")[-1] for b in app.get("download_button")} >= {
        "evaluate_take_json",
        "evaluate_take_latex",
        "evaluate_take_csv",
        "evaluate_take_runs",
        "evaluate_take_table_pairs",
        "evaluate_take_topics",
        "evaluate_csv_bars",
    }
    assert html_of(app).count("os-query-cell") == 40


def test_without_a_choice_the_runs_of_one_model_are_measured(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "evaluate", lang="de")
    assert len(app.multiselect(key="evaluate_runs").value) == 5
    assert "Keines der 10 Paare ist signifikant verschieden." in words(app)


def test_chosen_measures_and_a_measure_of_ones_own(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "evaluate", lang="de", run=TWO, measure=["P@7", "MRR"])
    assert tables(app) == ["precision", "ranking", "pairs"]
    assert "P@7" in html_of(app)
    app.multiselect(key="evaluate_measures").set_value(["P@7"]).run()
    assert app.query_params["measure"] in ("P@7", ["P@7"])
    assert tables(app) == ["precision", "pairs"]


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_first_sentence_is_about_a_chosen_measure(open_page, demo_home, language):  # noqa: F811
    one = open_page(demo_home, "evaluate", lang=language, run=["shipped-lexical"], measure=["P@5"])
    first = re.search(r'class="os-verdict">(.*?)</p>', html_of(one))[1]
    mean = "0,700" if language == "de" else "0.700"
    assert first.startswith(f"lexical erreicht P@5 {mean} " if language == "de" else f"lexical reaches P@5 {mean} ")
    assert "nDCG@10 —" not in words(one)
    two = open_page(demo_home, "evaluate", lang=language, run=TWO, measure=["P@5"])
    lines = re.findall(r"<p[^>]*>(.*?)</p>", re.search(r"os-said.*?</section>", html_of(two))[0])
    assert "P@5" in lines[0]
    assert mean in lines[0]
    assert ("immer auf nDCG@10" if language == "de" else "always rest on nDCG@10") in lines[1]
    assert ("lexical 0,782" if language == "de" else "lexical 0.782") in lines[1]
    assert two.selectbox(key="evaluate_value").options == ["P@5"]
    usual = open_page(demo_home, "evaluate", lang=language, run=TWO)
    assert "nDCG@10" in re.search(r'class="os-verdict">(.*?)</p>', html_of(usual))[1]


def test_few_topics_and_equal_runs_are_said_in_plain_words(open_page, own_home):  # noqa: F811
    home, key = own_home
    run = read_run(demo_folder() / "runs" / "lexical.trec")[0]
    some = {f"T0{n}": {run.rankings[f"T0{n}"][0][0]: 3, run.rankings[f"T0{n}"][10][0]: -1} for n in (1, 2, 3)}
    some["T04"] = {"disease-hodgkin": 0}
    with open_workspace(Settings(home=home)) as workspace:
        name = publish(workspace.store, PublishedQrels("wenige", Qrels(some), key, "majority", created="2026-11-30"))
        turned = Run(
            "turned", {t: tuple((n, -i) for i, (n, _) in enumerate(reversed(r))) for t, r in run.rankings.items()}
        )
        tokens = [f"stored-{workspace.store.save_run(r)}" for r in (run, turned, Run("again", run.rankings))]
    app = open_page(home, "evaluate", lang="de", qrels=f"published-{name}", run=tokens)
    said = words(app)
    assert "weniger als sechs Fragen haben verschiedene Werte. Damit ist keine Signifikanz möglich" in said
    assert "auf jeder Frage derselbe Wert" in said
    assert "1 Frage ist nicht gewertet" in said
    assert "Viele Treffer hat niemand beurteilt" in said
    assert "Veröffentlichte Urteile „wenige“, Regel majority" in said
    assert "nicht möglich" in html_of(app)


def test_searches_made_now(open_page, own_home):  # noqa: F811
    home, key = own_home
    asked = {"T1": "Osimertinib bei EGFR Exon 19 Deletion", "T2": "Melanom BRAF"}
    queries = {topic: LocalText.of({"de": text}) for topic, text in asked.items()}
    grades = {"T1": {"drug-osimertinib": 3}, "T2": {"biomarker-braf-v600": 2}}
    with open_workspace(Settings(home=home)) as workspace:
        name = publish(workspace.store, PublishedQrels("zwei", Qrels(grades), key, "majority", queries=queries))
    app = open_page(home, "evaluate", lang="de", qrels=f"published-{name}", run=["lexical", "grag:e5-small"])
    _, job = app.session_state["evaluate_job"]
    for _ in range(600):
        if not job.running:
            break
        time.sleep(0.1)
    assert job.error is None
    assert job.finished
    app.run()
    assert not app.exception
    assert tables(app)[-1] == "pairs"
    assert "grag-e5-small" in html_of(app)
    assert "über 2 Fragen" in words(app)


def test_an_uploaded_file_shows_what_was_not_taken(open_page, own_home):  # noqa: F811
    home, _ = own_home
    name = keep(home, JUDGEMENTS, {"mine.qrels": b"T01 0 biomarker-brca 2\nT01 0 zu kurz 1\n"})
    app = open_page(home, "evaluate", lang="de", qrels=name, run=TWO)
    said = words(app)
    assert "Urteile aus der Datei „mine.qrels“" in said
    assert "1 Zeile nicht übernommen" in said
    assert "Zeile 2:" in said
    assert "Stand unbekannt" in said
    # Judgements without questions cannot be searched with; the page says what is missing.
    alone = open_page(home, "evaluate", lang="de", qrels=name, run=["lexical"])
    assert "Zu diesen Urteilen fehlen Fragen" in words(alone)


def test_a_later_snapshot_lists_what_has_to_be_judged_again(open_page, own_home, tmp_path):  # noqa: F811
    home, key = own_home
    folder = tmp_path / "later"
    folder.mkdir()
    header = json.loads((demo_folder() / "graph.json").read_text("utf-8")) | {"snapshot_id": "2027.Q1"}
    (folder / "graph.json").write_text(json.dumps(header), "utf-8")
    lines = (demo_folder() / "nodes.jsonl").read_text("utf-8").splitlines()
    node = next(i for i, line in enumerate(lines) if json.loads(line)["id"] == "biomarker-brca")
    lines[node] = lines[node].replace("BRCA", "BRCX")
    (folder / "nodes.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    prepare(home, folder, None)
    grades = {"T01": {"biomarker-brca": 3, "disease-hodgkin": 1}}
    queries = {"T01": LocalText.of({"de": "BRCA"})}
    with open_workspace(Settings(home=home)) as workspace:
        name = publish(workspace.store, PublishedQrels("alt", Qrels(grades), key, "majority", queries=queries))
    address = {"lang": "de", "graph": "demo@2027.Q1", "qrels": f"published-{name}", "run": TWO}
    app = open_page(home, "evaluate", **address)
    said = words(app)
    assert f"Beurteilt wurde der Stand {key}, gesucht wird in demo@2027.Q1" in said
    assert "1 Note ist neu zu prüfen" in said
    assert "Text geändert" in said
    used = open_page(home, "evaluate", **address, carry="yes")
    assert "Gerechnet wird nur mit den weiter gültigen Noten." in words(used)
    used.button(key="evaluate_publish").click().run()
    assert not used.exception
    published = used.query_params["qrels"]
    published = published if isinstance(published, str) else published[0]
    assert published not in (address["qrels"], "demo")
    with open_workspace(Settings(home=home)) as workspace:
        carried = workspace.store.qrels(published.removeprefix("published-"))
    assert (carried.qrels.grades, carried.snapshot.snapshot_id) == ({"T01": {"disease-hodgkin": 1}}, "2027.Q1")


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_graph_without_judgements_says_how_to_get_them(open_page, tmp_path, language):  # noqa: F811
    prepare(tmp_path / "home", write_folder(tmp_path / "graph"), None)
    app = open_page(tmp_path / "home", "evaluate", lang=language)
    assert ("Noch keine Urteile" if language == "de" else "No judgements yet") in words(app)
    assert 'href="/annotate' in html_of(app)
    assert "python -m oncosearch demo" in words(app)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ({"qrels": "published-nothing"}, "Diese veröffentlichten Urteile gibt es hier nicht"),
        ({"qrels": "file-0123456789abcdef"}, "Diese Urteile gibt es hier nicht mehr"),
        ({"run": ["stored-nothing"]}, "Diesen gespeicherten Lauf gibt es hier nicht mehr"),
        ({"run": ["shipped-nothing"]}, "Den Lauf „shipped-nothing“ gibt es hier nicht"),
        ({"run": ["<script>", "lexical"], "measure": ["P@0"]}, "Lauf (run=&lt;script&gt;), Maß (measure=P@0)"),
        ({"k": "-5", "topic": "T99"}, "Ohne Wirkung auf dieser Seite: k=-5, topic=T99."),
        ({"part": "agreement", "ratings": "session-nothing"}, "Diese Sitzung gibt es hier nicht."),
        ({"part": "agreement", "ratings": "file-0123456789abcdef"}, "Diese Noten gibt es hier nicht mehr"),
    ],
)
def test_what_is_not_there_is_said(open_page, demo_home, address, said):  # noqa: F811
    text = words(open_page(demo_home, "evaluate", lang="de", **address))
    assert html.unescape(said) in html.unescape(text)


def test_nasty_texts_stay_texts(open_page, own_home, tmp_path):  # noqa: F811
    home, key = own_home
    nasty = "<img src=x onerror=alert(1)>"
    queries = {"T<b>": LocalText.of({"de": nasty})}
    with open_workspace(Settings(home=home)) as workspace:
        content = PublishedQrels(nasty, Qrels({"T<b>": {NASTY_ID: 3}}), key, "majority", queries=queries)
        name = publish(workspace.store, content)
        run = workspace.store.save_run(Run(nasty, {"T<b>": ((NASTY_ID, 1.0),)}))
    app = open_page(home, "evaluate", lang="de", qrels=f"published-{name}", run=[f"stored-{run}"])
    assert "&lt;img src=x" in html_of(app)
    assert "<img" not in html_of(app)


def graded_by_two(home):
    session = begun_session(home, ("Anna", "Ben"), topics=1)
    with open_workspace(Settings(home=home)) as workspace:
        view = session_view(workspace.store, session)
        for rater, grades in (("Anna", "32100"), ("Ben", "32110")):
            nodes = sorted(item.node for item in topic_state(workspace.store, session, rater, "T1").items)
            for node, grade in zip(nodes, grades, strict=False):
                save(workspace.store, new_event(view, rater, "T1", "grade", node=node, value=grade))
    return session


@pytest.mark.parametrize("language", ["de", "en"])
def test_agreement_of_a_session(open_page, own_home, language):  # noqa: F811
    home, _ = own_home
    session = graded_by_two(home)
    app = open_page(home, "evaluate", lang=language, part="agreement", ratings=f"session-{session}")
    said = words(app)
    # Anna 3 2 1 0 0, Ben 3 2 1 1 0: raw 4/5; chance (1·1 + 1·1 + 1·2 + 2·1) / 25 = 6/25; kappa = (0.8 − 0.24) / 0.76.
    assert ("0,737" if language == "de" else "0.737") in said
    assert "Anna – Ben" in said
    assert html_of(app).count("<table") == 4


def test_agreement_of_a_file_on_its_own_scale_and_undefined_with_the_reason(open_page, own_home):  # noqa: F811
    home, _ = own_home
    name = keep(home, RATINGS, {"r.csv": b"item,A,B,C\nx,5,5,\ny,4,5,\nz,1,1,\n"})
    app = open_page(home, "evaluate", lang="de", part="agreement", ratings=name, ownlabels="yes")
    said = words(app)
    assert "Stufen: 1, 4, 5." in said
    assert "nicht definiert: eine der beiden Personen hat gar keine Note gegeben" in said
    refused = open_page(home, "evaluate", lang="de", part="agreement", ratings=name)
    assert "Eine Einstellung wurde nicht verstanden" in words(refused)


def test_one_rater_alone_is_no_agreement_and_says_what_is_needed(open_page, own_home):  # noqa: F811
    home, _ = own_home
    session = begun_session(home, ("Anna", "Ben"), topics=1)
    nothing = open_page(home, "evaluate", lang="en", part="agreement")
    assert "In no session have two raters graded yet" in words(nothing)
    with open_workspace(Settings(home=home)) as workspace:
        view = session_view(workspace.store, session)
        node = topic_state(workspace.store, session, "Anna", "T1").items[0].node
        save(workspace.store, new_event(view, "Anna", "T1", "grade", node=node, value="2"))
    app = open_page(home, "evaluate", lang="en", part="agreement", ratings=f"session-{session}")
    assert "So far only Anna has graded here" in words(app)
    assert "<table" not in html_of(app)


def test_a_session_of_two_raters_goes_before_a_newer_one_of_one(open_page, own_home):  # noqa: F811
    home, _ = own_home
    graded = graded_by_two(home)
    begun_session(home, ("Cara", "Dora"), topics=1)
    app = open_page(home, "evaluate", lang="de", part="agreement")
    assert app.selectbox(key="agree_source").value == f"session-{graded}"
    assert "Anna – Ben" in words(app)


def test_a_refused_file_hides_the_figures_of_what_was_there(open_page, own_home):  # noqa: F811
    home, _ = own_home
    graded_by_two(home)
    app = open_page(home, "evaluate", lang="de", part="agreement")
    app.session_state["agree_error"] = UsageError("", code="upload_utf16", name="noten.csv")
    app.run()
    said = words(app)
    assert "Die Datei „noten.csv“ ist kein UTF-8-Text, sondern UTF-16" in said
    assert "Anna – Ben" not in said
    app.button(key="agree_back").click().run()
    assert "Anna – Ben" in words(app)
    assert "noten.csv" not in words(app)


def test_judgements_of_another_graph_say_how_many_nodes_are_there(open_page, own_home):  # noqa: F811
    home, _ = own_home
    with open_workspace(Settings(home=home)) as workspace:
        content = PublishedQrels(
            "fremd", Qrels({"T01": {"biomarker-brca": 3, "not-here": 1}}), SnapshotKey("other", "1"), "majority"
        )
        name = publish(workspace.store, content)
    said = words(open_page(home, "evaluate", lang="de", qrels=f"published-{name}", run=TWO))
    assert "Von den 2 beurteilten Knoten gibt es 1 in" in said
