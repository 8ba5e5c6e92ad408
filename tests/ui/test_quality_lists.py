"""The parts of the quality page, made without Streamlit."""

import numpy as np
import pytest

from oncosearch.graph.quality import structure
from oncosearch.model import Code, LocalText, Node, Source
from oncosearch.ui.components.quality_lists import by_type, node_table, portions
from oncosearch.ui.components.quality_pairs import differences
from oncosearch.ui.components.quality_plots import bar_chart, degree_bars, depth_bars, year_bars
from oncosearch.ui.state import View
from oncosearch.ui.texts import texts
from oncosearch.workspace.quality import Finding
from tests.small import SIX, graph_of
from tests.small import node as small_node

GERMAN = texts("de")


@pytest.mark.parametrize(
    ("start", "total", "said", "links"),
    [
        (0, 120, "1 bis 50 von 120", ["from=50"]),
        (50, 120, "51 bis 100 von 120", ["/quality?lang=de&amp;check=hub", "from=100"]),
        (100, 120, "101 bis 120 von 120", ["from=50"]),
    ],
)
def test_portions_lead_to_the_ones_beside_them(start, total, said, links):
    made = portions(GERMAN, View(check="hub", start=start), total, 50)
    assert said in made
    assert made.count("<a ") == len(links)
    assert all(link in made for link in links)


def test_what_fits_needs_no_portions():
    assert portions(GERMAN, View(check="hub"), 50, 50) is None


def test_rows_say_what_was_found_in_words():
    graph = graph_of([small_node("a", title="<b>Titel</b>"), small_node("b")])
    made = node_table(GERMAN, View(), graph, "title_missing", [Finding("title_missing", 0, "en")])
    assert "&lt;b&gt;Titel&lt;/b&gt;" in made
    assert "Englisch" in made
    assert 'href="/node?lang=de&amp;node=a"' in made
    assert "1\u202f234" in node_table(GERMAN, View(), graph, "hub", [Finding("hub", 1, "1234")])
    assert "12" not in node_table(GERMAN, View(), graph, "orphan", [Finding("orphan", 1, "")])


def test_types_lead_to_their_rows_alone_and_back():
    counts = {"disease": 1234, "drug": 1}
    made = by_type(GERMAN, View(check="hub", start=50), counts)
    assert made.index("Erkrankung") < made.index("Arzneimittel")
    assert "1\u202f234" in made
    assert made.count('href="/quality?lang=de&amp;check=hub&amp;only=') == 2
    assert "alle Typen" not in made
    chosen = by_type(GERMAN, View(check="hub", only="drug"), counts)
    assert chosen.count("aria-current") == 1
    assert 'href="/quality?lang=de&amp;check=hub#os-list" data-inner>alle Typen' in chosen


def test_a_title_in_another_language_is_marked():
    graph = graph_of([Node("a", "drug", LocalText.of({"en": "Only English"})), small_node("b")])
    made = node_table(GERMAN, View(), graph, "orphan", [Finding("orphan", 0), Finding("orphan", 1)])
    assert made.count("os-title-lang") == 1
    assert made.index("Only English") < made.index("os-title-lang") < made.index(">b<")


def test_differences_are_named():
    one = Node("a", "drug", LocalText.of({"de": "x"}), codes=(Code("ATC", "1"), Code("NCIt", "2")), parents=("p", "q"))
    same = Node("b", "drug", LocalText.of({"de": "x"}), codes=(Code("NCIt", "2"), Code("ATC", "1")), parents=("q", "p"))
    assert differences(one, same) == []
    other = Node("b", "drug", LocalText.of({"de": "y"}), sources=(Source("pubmed", "1"),))
    assert differences(one, other) == ["title", "codes", "sources", "parents"]


def test_bars_have_every_step():
    shape = structure(graph_of(SIX))
    assert depth_bars(shape) == [("0", 3), ("1", 2), ("2", 1)]
    assert degree_bars(shape) == [("0", 1), ("1", 1), ("2", 3), ("3–4", 1)]
    assert year_bars([(2019, 2), (2022, 1)]) == [("2019", 2), ("2020", 0), ("2021", 0), ("2022", 1)]
    assert year_bars([]) == []


@pytest.mark.parametrize("dark", [False, True])
def test_plots_are_readable_in_both_themes(dark):
    bars = [(str(i), 1000 * i) for i in range(5)]
    figure = bar_chart(GERMAN, bars, "x", "y", dark)
    (made,) = figure.data
    assert list(made.text) == ["0", "1\u202f000", "2\u202f000", "3\u202f000", "4\u202f000"]
    assert np.array(made.y).tolist() == [0, 1000, 2000, 3000, 4000]
    ink = figure.layout.xaxis.tickfont.color
    assert (int(ink[1:3], 16) > 128) is dark
    many = bar_chart(GERMAN, [(str(i), i) for i in range(40)], "x", "y", dark)
    assert many.data[0].text is None
