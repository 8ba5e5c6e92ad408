"""The quality page, run without a browser: both languages, lists, marking a pair, states."""

import json
import re

import pytest

from oncosearch.settings import Settings
from oncosearch.ui import resources
from oncosearch.workspace import open_workspace
from tests.conftest import prepare
from tests.pages.test_pages import open_page, words  # noqa: F401
from tests.ui.nasty import write_folder
from tests.workspace.homes import changed_graph

TWINS = [
    {"id": "a", "type": "drug", "title": {"de": "Zwillingumab"}, "parents": []},
    {"id": "b", "type": "drug", "title": {"de": "zwillingumab", "en": "Twinumab"}, "parents": []},
    {"id": "c", "type": "therapy", "title": {"de": "Therapie"}, "parents": ["a"]},
]


@pytest.fixture
def twins(tmp_path, small_folder):
    """Return a home with two nodes of one title, prepared for words only."""
    folder = tmp_path / "twins"
    folder.mkdir()
    header = {"graph_id": "twins", "snapshot_id": "1", "languages": ["de", "en"]}
    example = json.loads((small_folder / "graph.json").read_text("utf-8"))
    (folder / "graph.json").write_text(json.dumps({**example, **header}), "utf-8")
    (folder / "nodes.jsonl").write_text("\n".join(map(json.dumps, TWINS)), "utf-8")
    prepare(tmp_path / "home", folder, model=None)
    return tmp_path / "home"


def decisions(home):
    with open_workspace(Settings(home=home)) as workspace:
        return [(d.first, d.second, d.verdict) for d in workspace.store.decisions("twins")]


@pytest.mark.parametrize(
    ("language", "heading", "check"),
    [("de", "Qualität des Graphen", "Ohne Quelle"), ("en", "Graph quality", "Without source")],
)
def test_overview_and_plots(open_page, demo_home, language, heading, check):  # noqa: F811
    app = open_page(demo_home, "quality", lang=language)
    assert [title.value for title in app.title] == [heading]
    assert check in words(app)
    assert len(app.get("plotly_chart")) == 3
    assert len(app.get("download_button")) == 1


def rows_of(app):
    """Return the node ids of the open list."""
    table = next(e.proto.body for e in app.get("html") if "os-quality" in e.proto.body and "os-code" in e.proto.body)
    return re.findall(r'<tr><td><a href="/node\?[^"]*node=([^"&]+)', table)


def test_a_list_links_its_rows_to_nodes(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "quality", lang="de", check="no_source")
    assert len(rows_of(app)) == 31
    assert len(app.get("download_button")) == 2


def test_a_list_opened_beyond_its_end_shows_its_last_rows(open_page, demo_home):  # noqa: F811
    app = open_page(demo_home, "quality", lang="de", check="no_source", **{"from": "99999"})
    assert len(rows_of(app)) == 31


def test_near_duplicates_are_found_on_demand(open_page, demo_home, monkeypatch):  # noqa: F811
    asked = []
    monkeypatch.setattr(resources, "near_duplicates", lambda *a: asked.append(a) or pytest.fail("not asked for"))
    app = open_page(demo_home, "quality", lang="de")
    monkeypatch.undo()
    assert not asked
    assert "jetzt suchen" in words(app) or "Ähnlicher Text" in words(app)
    assert "Hier wurde nichts gefunden" in words(open_page(demo_home, "quality", lang="de", check="near"))


def test_a_curator_marks_a_pair_and_takes_it_back(open_page, twins):  # noqa: F811
    app = open_page(twins, "quality", lang="de", check="same_title")
    assert "Unterschiede: Titel" in words(app)
    app.button(key="pair_duplicate_a_b").click().run()
    assert not app.exception
    assert decisions(twins) == [("a", "b", "duplicate")]
    assert app.button(key="pair_duplicate_a_b").label == "● Dublette"
    app.button(key="pair_duplicate_a_b").click().run()
    assert len(decisions(twins)) == 1
    assert "local" in words(app)
    app.button(key="pair_different_a_b").click().run()
    app.button(key="pair_undecided_a_b").click().run()
    assert [verdict for _, _, verdict in decisions(twins)] == ["duplicate", "different", "undecided"]
    assert app.button(key="pair_duplicate_a_b").label == "○ Dublette"


def test_a_marked_pair_folds_in_the_hits(open_page, twins):  # noqa: F811
    found = open_page(twins, q="Zwillingumab", pipeline="lexical")
    cards = [e.proto.body for e in found.get("html") if "<article" in e.proto.body]
    app = open_page(twins, "quality", lang="de", check="same_title")
    app.button(key="pair_duplicate_a_b").click().run()
    again = open_page(twins, q="Zwillingumab", pipeline="lexical")
    assert len([e for e in again.get("html") if "<article" in e.proto.body]) == len(cards) - 1
    listed = open_page(twins, "quality", lang="de", check="decided")
    assert listed.button(key="pair_duplicate_a_b").label == "● Dublette"


def test_without_vectors_the_gap_is_said(open_page, twins):  # noqa: F811
    said = words(open_page(twins, "quality", lang="en", check="near"))
    assert said.count("not checked") >= 3


def test_an_unprepared_graph_offers_to_prepare(open_page, tmp_path, small_folder):  # noqa: F811
    from oncosearch.ingest import import_graph

    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        import_graph(small_folder, workspace.store)
    app = open_page(tmp_path / "home", "quality", lang="de")
    assert [button.key for button in app.button] == ["prepare_now", "prepare_estimate"]


def test_what_a_new_snapshot_will_take_is_said_before_it_is_prepared(open_page, tmp_path, small_folder):  # noqa: F811
    def edit(rows):
        rows["aml"]["title"]["de"] = "AML"
        rows["solide"]["title"]["de"] = "Solide Neoplasien"
        rows["neu"] = {"id": "neu", "type": "disease", "title": {"de": "Neu"}, "parents": ["solide"]}

    home = tmp_path / "home"
    prepare(home, small_folder)
    later = prepare(home, changed_graph(tmp_path / "later", edit), model=None)
    app = open_page(home, "search", lang="de", q="Lunge", graph=str(later))
    told = "Gegenüber small@2026.Q4: 2, weil ihr Text sich geändert hat, 7 nur, weil ein Oberknoten"
    assert "10 von 31 Texten werden für e5-small neu eingelesen, 21 Vektoren werden wiederverwendet." in words(app)
    assert told in words(app)
    assert "Das dauert etwa" not in words(app)
    app.button(key="prepare_estimate").click().run()
    assert "Das dauert etwa" in words(app)
    assert told in words(app)
    assert [button.key for button in app.button if button.key.startswith("prepare")] == ["prepare_now"]
    english = open_page(home, "search", lang="en", q="Lunge", graph=str(later), pipeline="lexical")
    assert "prepare_now" not in [button.key for button in english.button]


def test_nasty_titles_are_text(open_page, tmp_path):  # noqa: F811
    prepare(tmp_path / "home", write_folder(tmp_path / "graph"), model=None)
    for check in ("no_source", "title_missing", "same_title"):
        app = open_page(tmp_path / "home", "quality", lang="de", check=check)
        bodies = "\n".join(e.proto.body for e in app.get("html") if not e.proto.body.startswith(("<style", "<script")))
        assert "<img" not in bodies
        assert "javascript:" not in "".join(re.findall(r'href="[^"]*"', bodies))
