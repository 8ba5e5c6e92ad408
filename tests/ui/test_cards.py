"""Cards, filters, node view and print page with texts that try to be more than text."""

import dataclasses
import re

import pytest

from oncosearch.model import Filters, LocalText, ModelUnavailableError, Ranking, Source, UsageError
from oncosearch.model.vocabulary import FIELD_KEYS, term_name
from oncosearch.ui.components import node_view
from oncosearch.ui.components.about_view import evidence_scale
from oncosearch.ui.components.breadcrumbs import paths
from oncosearch.ui.components.filters import filter_panel, filters_in_words, toggled
from oncosearch.ui.components.first_screen import titles_to_ask
from oncosearch.ui.components.heatmap import HeatRow, heatmap, used_fields
from oncosearch.ui.components.hit_card import hit_card
from oncosearch.ui.components.states import (
    error_notice,
    no_hit_notice,
    ranking_notes,
    ranking_warnings,
    warnings_above,
)
from oncosearch.ui.print_view import print_page
from oncosearch.ui.state import View
from oncosearch.ui.texts import texts
from oncosearch.workspace.requests import Answer, PathStep, SourceCard
from tests.small import graph_of, node
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


def without_words(**changes):
    detail = nasty.detail()
    hit = dataclasses.replace(detail.hit, pinned=None, **changes)
    return dataclasses.replace(detail, hit=hit, contributions={"Title": 0.0})


@pytest.mark.parametrize(
    ("changes", "de", "en"),
    [
        ({}, "nur sinngemäß ähnlich", "similar in meaning only"),
        ({"similarity": None}, "nur über das Umfeld gefunden", "found through its surroundings only"),
    ],
)
def test_a_hit_without_a_common_word_says_so_and_looks_different(changes, de, en):
    detail = without_words(**changes)
    for t, words in ((T, de), (E, en)):
        found = nasty.assert_harmless(hit_card(t, VIEW, detail, 1.0, str), CARD_TAGS)
        assert f"≈ {words}" in found.shown
        assert found.tags[0][1]["class"] == "os-card os-similar"


def test_a_hit_that_the_question_names_is_not_called_similar():
    named = dataclasses.replace(without_words(), hit=nasty.detail().hit)
    for detail in (nasty.detail(), named):
        card = hit_card(T, VIEW, detail, 1.0, str)
        assert "≈" not in card
        assert 'class="os-card"' in card


def test_the_badge_is_the_highest_level_and_each_level_stands_at_its_source():
    graded = tuple(
        SourceCard(Source("pubmed", str(n), evidence_level=level), f"https://pubmed.ncbi.nlm.nih.gov/{n}/")
        for n, level in ((1, "B"), (2, None), (3, "A"))
    )
    detail = dataclasses.replace(nasty.detail(), sources=graded, evidence_level="A")
    chips = re.findall(r'class="os-level" title="([^"]+)">([^<]+)<', hit_card(T, VIEW, detail, 1.0, str))
    assert [text for _, text in chips] == ["höchster Evidenzgrad A", "Evidenzgrad B", "Evidenzgrad A"]
    assert all("Skala" in about for about, _ in chips)


def test_a_very_long_title_is_cut_on_the_card_and_whole_on_demand():
    title = "Nastinib " * 2000
    node = dataclasses.replace(nasty.nasty_node(), title=LocalText.of({"de": title}))
    found = nasty.Tags(hit_card(T, VIEW, dataclasses.replace(nasty.detail(), title=title), 1.0, str))
    assert max(map(len, found.shown)) < 1000
    heading = node_view.heading(T, VIEW, node)
    assert nasty.Tags(heading).shown[0].rstrip() == f"{title[:239].rstrip()}…"
    assert heading.count(title) == 1
    assert "Ganzer Titel" in heading


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


def test_the_print_page_warns_marks_and_grades_as_the_list_does():
    graded = SourceCard(Source("pubmed", "7", evidence_level="B"), "https://pubmed.ncbi.nlm.nih.gov/7/")
    detail = dataclasses.replace(without_words(), sources=(graded,))
    ranking = dataclasses.replace(nasty.answer().ranking, notes=(("unknown_words", (("words", "<b>Zoladex"),)),))
    page = print_page(T, Answer(ranking, (detail,)), nasty.snapshot())
    before, after = page.split("<ol>")
    assert "Nicht im Graphen: &lt;b&gt;Zoladex" in before
    assert "Forschungswerkzeug" in before
    assert ("dienen der Demonstration" in before) == nasty.snapshot().demo
    assert "≈ nur sinngemäß ähnlich" in after
    assert "Evidenzgrad B" in after
    demo = print_page(E, Answer(ranking, (detail,)), dataclasses.replace(nasty.snapshot(), demo=True))
    assert "for demonstration" in demo.split("<ol>")[0]


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


@pytest.mark.parametrize("t", [T, E], ids=["de", "en"])
def test_every_heading_of_the_heatmap_stands_over_its_column(t):
    rows = [HeatRow(1, "a", dict.fromkeys(FIELD_KEYS, 1 / len(FIELD_KEYS)))]
    for fields in (FIELD_KEYS, FIELD_KEYS[:3], ("Contraindications",)):
        axis = heatmap(t, [HeatRow(1, "a", dict.fromkeys(fields, 0.5))], dark=False).layout.xaxis
        assert [text.replace("<br>", " ") for text in axis.ticktext] == [
            term_name("field", f, t.language) for f in fields
        ]
        # Upright headings take the same width as their column, and none is left out at the edge.
        assert (axis.tickangle, axis.ticklabeloverflow) == (-90, "allow")
    longest = max(len(term_name("field", key, t.language)) for key in FIELD_KEYS)
    assert heatmap(t, rows, dark=False).layout.margin.t > 5.9 * longest


@pytest.mark.parametrize("t", [T, E], ids=["de", "en"])
def test_what_a_search_did_not_know_or_read_otherwise_stands_above_the_hits(t):
    notes = (
        ("folded", (("count", "1"),)),
        ("read_as", (("query", "Tagr{x}"), ("title", "<i>Osimertinib"))),
        ("unknown_words", (("words", "Zoladex, warfarin"),)),
    )
    ranking = dataclasses.replace(nasty.answer().ranking, notes=notes)
    answer = Answer(ranking, ())
    (title, advice, kind), (read, _, quiet) = ranking_warnings(t, answer)
    assert "Zoladex, warfarin" in title
    assert (advice, kind, quiet) == (t("note.unknown_words.advice"), "warn", "")
    assert "Tagr{x}" in read
    assert "&lt;i&gt;Osimertinib" in warnings_above(t, answer)
    assert len(ranking_notes(t, ranking)) == 1
    assert warnings_above(t, nasty.answer()) is None


def test_the_node_that_a_code_was_read_as_has_its_title_in_the_language_of_the_page():
    node = dataclasses.replace(nasty.nasty_node(), title=LocalText.of({"de": "Lungenkarzinom", "en": "Lung cancer"}))
    detail = dataclasses.replace(nasty.detail(), node=node, title="Lung cancer")
    notes = (("read_as", (("query", "C34.9"), ("title", "Lungenkarzinom"))),)
    answer = Answer(dataclasses.replace(nasty.answer().ranking, notes=notes), (detail,))
    assert ranking_warnings(E, answer)[0][0] == "“C34.9” was read as “Lung cancer”"


def test_the_evidence_scale_is_named_only_where_the_graph_names_it():
    civic = dataclasses.replace(nasty.snapshot(), attribution=("Evidence levels: CIViC (CC0).",))
    assert re.findall("<b>(.)</b>", evidence_scale(T, civic)) == list("ABCDE")
    assert "CIViC" not in evidence_scale(T, dataclasses.replace(nasty.snapshot(), attribution=("own work",)))


def test_examples_of_another_graph_are_its_titles():
    graph = graph_of(
        [
            node("root"),
            *(node(name, ["root"], type=kind) for name, kind in (("t", "therapy"), ("d", "drug"), ("b", "biomarker"))),
            node("u", ["root", "t"], type="therapy"),
            node("e", ["u"], type="evidence"),
        ]
    )
    assert titles_to_ask(graph, "de") == tuple(graph.title(graph.index(i), "de") for i in ("u", "e", "d"))
    assert titles_to_ask(graph_of([node("root", type="group")]), "de") == ()


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
