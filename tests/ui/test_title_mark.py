"""The mark of a title in another language, and the origins on the node page."""

import pytest

from oncosearch.graph import build_graph
from oncosearch.model import LocalText, Node, Origin, SnapshotKey
from oncosearch.ui.components.breadcrumbs import path_row
from oncosearch.ui.components.node_view import Related, heading, origins, related_list
from oncosearch.ui.components.title_mark import mark_of, shown_title, title_mark, with_language
from oncosearch.ui.state import View
from oncosearch.ui.texts import texts
from oncosearch.workspace.requests import PathStep

DE, EN = texts("de"), texts("en")


def node(node_id: str, parents: tuple[str, ...] = (), **titles: str) -> Node:
    return Node(node_id, "disease", LocalText.of(titles), parents=parents)


GRAPH = build_graph(
    SnapshotKey("g", "s"),
    "",
    [node("both", de="Krebs", en="Cancer"), node("en", ("both",), en="Sarcoma"), node("id", fr="Cancer")],
)


@pytest.mark.parametrize(
    ("shown", "reader", "mark"),
    [
        ("en", "de", "en"),
        ("de", "en", "de"),
        ("fr", "de", "fr"),
        ("de", "de", None),
        ("en", "en", None),
        ("", "de", None),
    ],
)
def test_a_title_in_another_language_is_marked_with_it(shown, reader, mark):
    found = title_mark(texts(reader), shown)
    assert (found is None) == (mark is None)
    assert found is None or f">{mark}</span>" in found


def test_the_mark_says_in_words_what_it_means():
    assert 'title="Titel gibt es nur auf Englisch"' in (title_mark(DE, "en") or "")
    assert 'aria-label="Title exists only in German"' in (title_mark(EN, "de") or "")


def test_graph_and_node_know_the_language_of_the_title_that_they_show():
    assert [GRAPH.title_language(i, "de") for i in range(3)] == ["de", "en", ""]
    assert [GRAPH.title_language(i, "en") for i in range(3)] == ["en", "en", ""]
    assert [shown_title(GRAPH, i, "de") for i in range(3)] == ["Krebs", "Sarcoma [en]", "id"]
    assert LocalText.of({"en": "x", "fr": "y"}).best_language("de") == "en"
    assert LocalText().best_language("de") == ""
    assert with_language("x", "de", "de") == "x"


def test_headings_breadcrumbs_and_lists_carry_the_mark():
    marked, plain = node("en", en="Sarcoma"), node("both", de="Krebs", en="Cancer")
    assert mark_of(DE, plain) is None
    assert "os-title-lang" in heading(DE, View(), marked)
    assert "os-title-lang" not in heading(DE, View(), plain)
    steps = [PathStep("both", "Krebs", "de"), PathStep("en", "Sarcoma", "en")]
    assert path_row(DE, steps, View()).count("os-title-lang") == 1
    rows = related_list(DE, View(), GRAPH, "x", [Related("", ("both", "en", "id"))])
    assert (rows or "").count("os-title-lang") == 1


def test_origins_name_graph_licence_and_attribution_and_are_escaped():
    whole = Origin("doid", "DOID:1", "CC0-1.0", ("Made by <b>us</b>.",))
    title = Origin("rki", "rki:1", "CC-BY-4.0", (), "title.de")
    merged = Node("a", "disease", LocalText.of({"de": "A"}), origins=(whole, title))
    shown = origins(DE, merged) or ""
    assert "Herkunft" in shown
    assert "Made by &lt;b&gt;us&lt;/b&gt;." in shown
    assert "CC0-1.0" in shown
    assert "(nur der Titel auf Deutsch)" in shown
    assert "(only the title in German)" in (origins(EN, merged) or "")
    assert origins(DE, node("b", de="B")) is None
