"""Cards, filters, node view and print page with texts that try to be more than text."""

import pytest

from oncosearch.model import Filters, ModelUnavailableError, Ranking, UsageError
from oncosearch.ui.components import node_view
from oncosearch.ui.components.breadcrumbs import paths
from oncosearch.ui.components.filters import filter_panel, filters_in_words, toggled
from oncosearch.ui.components.heatmap import HeatRow, heatmap, used_fields
from oncosearch.ui.components.hit_card import hit_card
from oncosearch.ui.components.states import error_notice, no_hit_notice, ranking_notes
from oncosearch.ui.print_view import print_page
from oncosearch.ui.state import View
from oncosearch.ui.texts import texts
from oncosearch.workspace.requests import PathStep
from tests.ui import nasty

CARD_TAGS = {
    *("article", "div", "h1", "h2", "h3", "a", "span", "i", "ul", "li", "p", "mark", "details", "summary", "nav"),
    *("b", "dl", "dt", "dd", "section", "header", "small", "strong"),
}
T, E = texts("de"), texts("en")
VIEW = View(query=nasty.NASTY, graph="nasty@1")


@pytest.mark.parametrize("t", [T, E], ids=["de", "en"])
def test_a_card_shows_everything_and_runs_nothing(t):
    card = hit_card(t, VIEW, nasty.detail(), 0.8312, lambda node_id: f"<u>{node_id}")
    found = nasty.assert_harmless(card, CARD_TAGS)
    shown = " ".join(found.shown)
    assert nasty.NASTY in shown
    for part in {"de": ("0,831", "0,500", "0,331", "75\u00a0%"), "en": ("0.831", "0.500", "0.331", "75%")}[t.language]:
        assert part in shown
    assert ("mark", {}) in found.tags
    links = [a["href"] for tag, a in found.tags if tag == "a"]
    assert "https://pubmed.ncbi.nlm.nih.gov/29151359/" in links
    assert any(link.endswith("#os-neighbourhood") for link in links)


def test_the_bar_is_the_score():
    found = nasty.Tags(hit_card(T, VIEW, nasty.detail(), 1.6624, str))
    widths = [
        a["style"] for tag, a in found.tags if tag == "i" and a.get("class") in ("os-own", "os-around") and "style" in a
    ]
    assert widths == ["width:30.1%", "width:19.9%"]


def test_all_paths_are_there_the_later_ones_folded():
    many = [tuple([PathStep(f"p{i}", f"Pfad {i}")]) for i in range(6)]
    found = nasty.Tags(paths(T, many, False, VIEW))
    assert sum(tag == "a" for tag, _ in found.tags) == 6
    assert sum(tag == "details" for tag, _ in found.tags) == 1
    assert "+4 weitere Pfade" in found.shown
    assert paths(T, [()], False, VIEW) is None


def test_filters_have_counts_and_toggle():
    ranking = nasty.answer().ranking
    found = nasty.assert_harmless(filter_panel(T, VIEW, ranking, lambda i: f"<u>{i}"), CARD_TAGS)
    assert {"Therapie", "2", "<u>top"} <= set(found.shown)
    once = toggled(VIEW, "types", "drug")
    assert once.filters == Filters(types=("drug",))
    assert toggled(once, "types", "drug").filters == Filters()
    assert filters_in_words(T, once, str) == [("Typ", "Arzneimittel")]
    assert "Alle Filter aufheben" in filter_panel(T, once, ranking, str)


def test_a_print_page_is_whole_and_harmless():
    page = print_page(T, nasty.answer(), nasty.snapshot(), [("Typ", "<b>")])
    found = nasty.assert_harmless(
        page, CARD_TAGS | {"html", "head", "meta", "title", "style", "body", "button", "ol", "footer", "script"}
    )
    shown = " ".join(found.shown)
    for part in (
        nasty.NASTY,
        "α = 0,60",
        "e5-small",
        "Forschungswerkzeug",
        "pubmed.ncbi.nlm.nih.gov/29151359",
    ):
        assert part in shown
    assert page.count("<script>") == 1


def test_a_node_in_full():
    node, graph = nasty.nasty_node(), nasty.graph()
    parts = [
        node_view.heading(T, VIEW, node),
        node_view.facts(T, node),
        node_view.fields(T, node),
        node_view.sources(T, node),
        node_view.related_list(T, VIEW, graph, "x", node_view.relations(graph, node.id, "de")),
    ]
    for part in parts:
        nasty.assert_harmless(part, CARD_TAGS)
    assert parts[2].count(">de<") == parts[2].count(">en<") == len(node.fields)


def test_cross_links_have_their_name_in_both_directions():
    graph = nasty.graph()
    assert node_view.relations(graph, nasty.NASTY_ID, "de") == [node_view.Related("verwandt mit", ("other",))]
    assert node_view.relations(graph, "other", "en") == [node_view.Related("related to", (nasty.NASTY_ID,))]


def test_the_heatmap_has_a_number_in_every_cell_and_no_empty_field():
    rows = [HeatRow(1, "<b>a", {"Title": 0.31, "Codes": 0.0, "Therapy": 0.69}), HeatRow(2, "b" * 60, {"Title": 0.002})]
    assert used_fields(rows) == ("Title", "Therapy")
    figure = heatmap(T, rows, dark=True)
    assert [list(line) for line in figure.data[0].text] == [["31", "69"], ["·", "·"]]
    assert figure.layout.yaxis.ticktext[0] == "1  &lt;b&gt;a"
    assert len(figure.layout.yaxis.ticktext[1]) < 40
    assert heatmap(T, [HeatRow(1, "a", {"Title": 0.0})], dark=False) is None


def test_errors_have_words_and_no_trace():
    gone = ModelUnavailableError("Model 'x' is not here. Do y.", model="x", reason="r", how="h")
    assert "Modell x" in error_notice(T, gone)
    assert "Füllwörter" in error_notice(T, UsageError("only stop words", code="stop_words_only"))
    other = error_notice(T, UsageError("Found <a>, expected b.", code="never_heard"))
    assert "Found &lt;a&gt;, expected b." in other
    ranged = UsageError("x", code="parameter_range", name="alpha", found=2.0)
    assert "…" in error_notice(T, ranged), "a value that is missing leaves a gap, not an error"


def test_notes_and_nothing_found():
    assert ranking_notes(T, nasty.answer().ranking) == ("Gleichlautende Knoten sind zusammengefasst: 1.",)
    empty = Ranking("<q>", (), nasty.snapshot().key, None, "lexical", nasty.answer().ranking.parameters)
    assert "&lt;q&gt;" in no_hit_notice(T, empty, None)
    assert "Alle Filter aufheben" in no_hit_notice(T, empty, "/?q=x")
