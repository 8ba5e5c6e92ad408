"""Rows of files that were not made for us: what is faulty is left out and listed, the rest is kept."""

from oncosearch.ingest.assemble import assemble
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog
from tests.ingest.graphs import node


def _read(*rows, log=None, **options):
    log = log or ImportLog()
    raw = [RawNode(row, Place("f.csv", line)) for line, row in enumerate(rows, 2)]
    log.read["f.csv"] += len(raw)
    return assemble(RawGraph(GraphHeader("g", "s"), raw, lenient=True), log, format="test", **options)


def _where(graph):
    return {(g.severity, g.kind): [p.where for p in g.examples] for g in graph.report.problems}


def test_a_faulty_part_is_left_out_and_the_node_kept():
    graph = _read(
        node(
            "a",
            sources=[{"kind": "pubmed", "id": "abc"}, {"kind": "pubmed", "id": "25923549"}, 7],
            codes=[{"system": "X", "code": ""}, {"system": "X", "code": "1"}],
            fields={"Therapy": {"de": "gut", "en": " "}, "Colour": {"de": "rot"}},
            synonyms="none",
        )
    )
    (kept,) = graph.nodes
    assert [s.id for s in kept.sources] == ["25923549"]
    assert [c.code for c in kept.codes] == ["1"]
    assert [(name, text.pairs) for name, text in kept.fields] == [("Therapy", (("de", "gut"),))]
    assert graph.report.balanced
    assert {kind: g.count for g in graph.report.problems if (kind := g.kind)} == {
        "bad_source_id": 1,
        "wrong_type": 2,
        "empty_text": 2,
        "unknown_field": 1,
    }
    assert graph.report.errors == 0


def test_a_row_without_a_usable_core_is_left_out_and_what_names_it_is_counted():
    graph = _read(
        node("a"), {**node("b"), "title": {}}, node("c", ("b", "a")), "text", node("d", links=[_to("b"), _to("a")])
    )
    assert [n.id for n in graph.nodes] == ["a", "c", "d"]
    assert graph.nodes[1].parents == ("a",)
    assert [link.target for link in graph.nodes[2].links] == ["a"]
    assert _where(graph) == {
        ("skipped", "missing_title"): ["f.csv:3"],
        ("skipped", "wrong_type"): ["f.csv:5"],
        ("warning", "dangling_parent"): ["f.csv:4"],
        ("warning", "dangling_link"): ["f.csv:6"],
    }
    assert (graph.report.read, graph.report.skipped, graph.report.balanced) == (5, 2, True)


def test_self_loops_are_dropped_and_counted():
    graph = _read(node("a"), node("b", ("b", "a"), links=[_to("b"), _to("a")]))
    assert graph.nodes[1].parents == ("a",)
    assert [link.target for link in graph.nodes[1].links] == ["a"]
    assert _where(graph) == {("warning", "self_parent"): ["f.csv:3"], ("warning", "self_link"): ["f.csv:3"]}


def test_the_first_good_row_of_an_id_is_kept():
    graph = _read({**node("a"), "type": "animal"}, node("a"), node("a", type="drug"))
    assert [(n.id, n.type) for n in graph.nodes] == [("a", "disease")]
    assert _where(graph) == {("skipped", "unknown_type"): ["f.csv:2"], ("skipped", "duplicate_id"): ["f.csv:4"]}


def test_warnings_of_a_good_row_are_kept():
    graph = _read({**node("a"), "title": {"en": "A"}}, {**node("b"), "title": {"en": "B"}, "sources": ["x"]})
    assert _where(graph)["warning", "no_title_de"] == ["f.csv:2", "f.csv:3"]


def _to(target):
    return {"target": target, "kind": "related_to"}
