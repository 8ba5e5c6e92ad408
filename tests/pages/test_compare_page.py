"""The comparison page, run without a browser: one question, a topic set, files, states, both languages."""

import json
import re
import time

import pytest

from oncosearch.settings import Settings
from oncosearch.ui import resources
from oncosearch.workspace import open_workspace
from oncosearch.workspace.topic_runs import KeptRuns
from tests.conftest import prepare
from tests.pages.test_pages import QUESTION, open_page, words  # noqa: F401
from tests.ui.nasty import NASTY_ID, write_folder
from tests.workspace.homes import copied

GRAG, LEXICAL, DENSE = "grag:e5-small:alpha=0.6,lambda=0.75,hops=2,seeds=20,cap=256", "lexical", "dense:e5-small"


@pytest.fixture(autouse=True)
def fresh_runs(monkeypatch):
    """Give each test runs of its own; the process keeps them otherwise."""
    kept = KeptRuns()
    monkeypatch.setattr(resources, "kept_runs", lambda: kept)


def html_of(app):
    return "\n".join(e.proto.body for e in app.get("html") if not e.proto.body.startswith(("<style", "<script")))


def tiles(app):
    return re.findall(r'<article class="os-tile[^>]*aria-label="([^"]+)"', html_of(app))


def worked_off(app):
    """Wait until the job of the page has ended, and draw the page again."""
    _, job = app.session_state["compare_job"]
    for _ in range(600):
        if not job.running:
            break
        time.sleep(0.1)
    assert job.finished
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize(
    ("language", "heading"), [("de", "Suchverfahren vergleichen"), ("en", "Compare ways to search")]
)
def test_first_screen(open_page, demo_home, language, heading):  # noqa: F811
    app = open_page(demo_home, "compare", lang=language)
    assert [title.value for title in app.title] == [heading]
    assert QUESTION[language] in words(app)
    assert tiles(app) == []


@pytest.mark.parametrize("language", ["de", "en"])
def test_one_question_in_three_columns(open_page, demo_home, language):  # noqa: F811
    app = open_page(demo_home, "compare", lang=language, q=QUESTION["de"], col=[GRAG, LEXICAL, DENSE])
    assert len(tiles(app)) == 30
    said, html = words(app), html_of(app)
    assert all(f"{pair}" in said for pair in ("A – B", "A – C", "B – C"))
    assert html.count('class="os-ways"') == 2
    assert ("Zu Spalte A:" if language == "de" else "To column A:") in said
    assert re.search(r"nDCG@10 0[,.]\d\d", said), "the example question is judged"
    assert ("Relevant und hier nicht gezeigt" if language == "de" else "Relevant and not shown here") in said
    assert len(app.get("download_button")) == 3


def test_the_same_node_has_the_same_mark_and_colour_in_every_column(open_page, demo_home):  # noqa: F811
    html = html_of(open_page(demo_home, "compare", lang="de", q=QUESTION["de"], col=[GRAG, LEXICAL]))
    by_title = {}
    for style, body in re.findall(r'<article class="os-tile[^"]*" style="([^"]*)"[^>]*>(.*?)</article>', html):
        title = re.search(r'os-tile-title"><a[^>]*>(.*?)</a>', body)[1]
        badge = re.search(r'class="os-badge[^>]*>(\w+)<', body)[1]
        colour = re.search(r"--c:(#\w+)", style)
        by_title.setdefault(title, set()).add((badge, colour and colour[1]))
    assert all(len(marks) == 1 for marks in by_title.values())
    coloured = [colour for marks in by_title.values() for _, colour in marks if colour]
    assert 3 <= len(coloured) == len(set(coloured)) < len(by_title)


def test_a_model_that_is_not_here_says_how_to_get_it(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "compare", lang="en", q=QUESTION["de"], col=[GRAG, "dense:qwen34b"])
    assert "The model qwen34b is not available here" in words(app)
    assert "ONCOSEARCH_MODELS/qwen34b" in words(app)
    assert len(tiles(app)) == 10


def test_a_model_without_vectors_offers_to_make_them(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "compare", lang="de", q=QUESTION["de"], col=["dense:minilm", LEXICAL])
    assert [button.key for button in app.button if button.key == "prepare_now"] == ["prepare_now"]
    assert "--model minilm" in words(app)


@pytest.mark.parametrize("asked", [{"q": "Knoten"}, {"set": "file-0123456789abcdef"}, {}])
def test_an_unprepared_graph_offers_to_prepare(open_page, tmp_path, small_folder, asked):  # noqa: F811
    from oncosearch.ingest import import_graph

    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        import_graph(small_folder, workspace.store)
    app = open_page(tmp_path / "home", "compare", lang="de", **asked)
    assert [b.key for b in app.button if b.key == "prepare_now"] == (["prepare_now"] if "q" in asked else [])
    assert "nicht ganz aufgebaut" not in words(app)


@pytest.mark.parametrize(
    ("node", "said"),
    [
        ("drug-osimertinib", "Unter den gezeigten Treffern."),
        ("nothing-of-the-kind", "gibt es in diesem Graphen nicht"),
    ],
)
def test_where_is_a_node(open_page, demo_home, node, said):  # noqa: F811
    app = open_page(demo_home, "compare", lang="de", q=QUESTION["de"], col=[GRAG, LEXICAL], node=node)
    assert said in words(app)


def test_where_is_a_node_that_was_not_reached(open_page, demo_home):  # noqa: F811
    few = "grag:e5-small:alpha=0.6,lambda=0.75,hops=0,seeds=1,cap=256"
    app = open_page(demo_home, "compare", lang="de", q="Osimertinib", col=[few, LEXICAL], node="drug-tamoxifen")
    said = words(app)
    assert "Kein Kandidat: liegt in keiner Umgebung der 1 Ausgangsknoten" in said
    assert "Kein Kandidat: teilt kein Wort mit der Frage." in said
    filtered = open_page(
        demo_home, "compare", lang="de", q=QUESTION["de"], col=[GRAG, LEXICAL], node="drug-osimertinib", type="therapy"
    )
    assert "Von den Filtern ausgeschlossen: Typ." in words(filtered)
    assert "Nur: Typ: Therapie" in words(filtered)


def test_columns_are_set_in_the_form_and_written_into_the_address(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "compare", lang="de", q="Osimertinib", col=[GRAG, LEXICAL])
    app.number_input(key="compare_0_alpha").set_value(0.25)
    app.selectbox(key="compare_1_pipeline").set_value("dense")
    app.button(key="compare_apply").click().run()
    assert not app.exception
    assert app.query_params["col"] == [GRAG.replace("0.6", "0.25"), DENSE]
    app.selectbox(key="compare_1_pipeline").set_value("grag")
    app.number_input(key="compare_1_alpha").set_value(0.25)
    app.button(key="compare_apply").click().run()
    assert "Gleiche Spalten stehen nur einmal da" in words(app)


def test_a_topic_set_is_worked_off_and_measured(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "compare", lang="de", set="demo", col=[DENSE, LEXICAL], sort="-overlap")
    worked_off(app)
    assert len(app.get("plotly_chart")) == 3
    assert len(app.get("download_button")) == 3
    table = next(e.proto.body for e in app.get("html") if "os-topics" in e.proto.body and "<tbody>" in e.proto.body)
    assert table.count("<tr>") == 41
    assert 'aria-sort="descending"' in table
    assert "nicht von Ärztinnen oder Ärzten" in words(app)
    assert "Mittel über 40 Fragen" in words(app)
    app.selectbox(key="compare_measure").set_value("P@5").run()
    assert app.query_params["by"] == "P@5"
    assert "A · P@5" in words(app)


def test_stopping_keeps_what_is_done(open_page, demo_home, monkeypatch):  # noqa: F811
    from oncosearch.workspace import topic_runs

    real = topic_runs.ranked

    def slowly(*arguments):
        time.sleep(0.05)
        return real(*arguments)

    monkeypatch.setattr(topic_runs, "ranked", slowly)
    app = open_page(demo_home, "compare", lang="de", set="demo", col=[DENSE, LEXICAL])
    _, job = app.session_state["compare_job"]
    while job.done < 4:
        time.sleep(0.02)
    app.button(key="compare_stop").click().run()
    assert not job.running
    done = job.done
    assert 4 <= done < job.total
    assert f"{done} von 80 Suchen sind gemacht" in words(app)
    app.button(key="compare_resume").click().run()
    worked_off(app)
    assert app.session_state["compare_job"][1].done == 80


def test_a_set_of_ones_own_with_judgements_of_ones_own(open_page, demo_home, tmp_path):  # noqa: F811
    home = copied(demo_home, tmp_path / "home")
    app = open_page(home, "compare", lang="en", col=[DENSE, LEXICAL])
    app.file_uploader(key="compare_topics_file").upload(
        "mine.tsv", b"1\tOsimertinib\n2\tTamoxifen\n", "text/plain"
    ).run()
    assert not app.exception
    assert app.query_params["set"].startswith("file-")
    worked_off(app)
    assert "Without judgements there are no measures" in words(app)
    assert "mine.tsv · 2 topics" in [option for box in app.selectbox for option in box.options]
    app.file_uploader(key="compare_qrels_file").upload("mine.qrels", b"1 0 drug-osimertinib 3\nx\n", "text/plain").run()
    assert not app.exception
    said = words(app)
    assert "1 judgement read." in said
    assert "1 line not taken" in said
    assert "Topics measured: 1;" in said
    assert len(app.get("plotly_chart")) == 3
    app.file_uploader(key="compare_topics_file").upload("bad.tsv", b"no tab\n", "text/plain").run()
    assert "bad.tsv:1" in words(app)


def test_a_set_that_is_gone_is_said(open_page, demo_home):  # noqa: F811
    said = words(open_page(demo_home, "compare", lang="de", set="file-0123456789abcdef", judged="published-gone"))
    assert "Diesen Fragensatz gibt es hier nicht mehr" in said


def test_searches_of_one_question_are_recorded_once(open_page, demo_home, tmp_path):  # noqa: F811
    home = copied(demo_home, tmp_path / "home")
    query = "Trastuzumab bei Herzinsuffizienz"
    open_page(home, "compare", lang="de", q=query, col=[DENSE, LEXICAL]).run()
    with open_workspace(Settings(home=home)) as workspace:
        recorded = sorted(record.pipeline for record in workspace.recent(50) if record.query == query)
    # The first of three is that of the search page, from which the test comes.
    assert recorded == ["dense", "grag", "lexical"]


def test_what_is_wrong_in_the_address_is_said(open_page, demo_home):  # noqa: F811
    said = words(open_page(demo_home, "compare", lang="de", col=["grag:gpt", LEXICAL], by="speed"))
    assert "Spalte des Vergleichs (col=grag:gpt)" in said
    assert "Maß (by=speed)" in said


def test_settings_that_have_no_effect_are_said(open_page, demo_home):  # noqa: F811
    said = words(open_page(demo_home, "compare", lang="en", columns="a", k="-5", topic="T99", top="-5"))
    assert "number of hits (top=-5)" in said
    assert "Without effect here: columns=a, k=-5, topic=T99." in said


def test_too_many_columns_are_said(open_page, demo_home):  # noqa: F811
    many = [f"grag:e5-small:seeds={number}" for number in range(1, 9)]
    said = words(open_page(demo_home, "compare", lang="en", col=many))
    assert "Column of the comparison (8 given, too many)" in said


@pytest.mark.parametrize("language", ["de", "en"])
def test_a_question_that_is_too_long_is_said_and_stays(open_page, demo_home, language):  # noqa: F811
    app = open_page(demo_home, "compare", lang=language, q="x" * 2500)
    said = words(app)
    assert ("Die Frage ist zu lang" if language == "de" else "The question is too long") in said
    assert "2500" in said
    assert app.text_input(key="compare_query").value == "x" * 2500


def test_lists_of_different_length_are_explained_beside_the_numbers(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "compare", lang="en", q="Morphin", col=[GRAG, LEXICAL])
    html = html_of(app)
    assert "the lists differ in length" in html
    assert re.search(r"A – B \(10 · \d\)", html)
    alike = open_page(demo_home, "compare", lang="en", q=QUESTION["de"], col=[GRAG, DENSE])
    assert "the lists differ in length" not in html_of(alike)


def test_many_pairs_are_folded_and_six_columns_are_close(open_page, demo_home):  # noqa: F811
    six = [GRAG, LEXICAL, DENSE, *(f"grag:e5-small:hops={hops}" for hops in (0, 1, 3))]
    html = html_of(open_page(demo_home, "compare", lang="en", q=QUESTION["de"], col=six))
    assert re.search(r'<details class="os-more"><summary>15 pairs, overlap@10 \d', html)
    assert "minmax(8rem, 1fr)" in html
    assert "those up to F are further right" in html
    three = html_of(open_page(demo_home, "compare", lang="en", q=QUESTION["de"], col=six[:3]))
    assert "<summary>3 pairs" not in three


def test_nasty_titles_are_text(open_page, tmp_path):  # noqa: F811
    prepare(tmp_path / "home", write_folder(tmp_path / "graph"), model=None)
    app = open_page(
        tmp_path / "home", "compare", lang="de", q="<img src=x> javascript", col=[LEXICAL, DENSE], node=NASTY_ID
    )
    assert "<img" not in html_of(app)
    assert "javascript:" not in "".join(re.findall(r'href="[^"]*"', html_of(app)))


def test_the_downloads_are_whole(open_page, demo_home):  # noqa: F811
    from oncosearch.ui.components.compare import one

    app = open_page(demo_home, "compare", lang="de", q="Osimertinib", col=[DENSE, LEXICAL])
    _, answers = app.session_state["compare_answers"]
    taken = json.loads(one._as_json(answers))
    assert [column["search"] for column in taken["columns"]] == [DENSE, LEXICAL]
    assert len(taken["columns"][0]["answer"]["hits"]) == 10
