import json
import tempfile
from pathlib import Path

from hypothesis import given, settings

from oncosearch.ingest import GraphHeader, read_graph, write_native
from oncosearch.model import Node, content_hash, node_hash, node_to_dict
from tests.ingest.graphs import graphs
from tests.paths import ROOT

SMALL = ROOT / "tests" / "data" / "small"
HEADER = GraphHeader("g", "2026.Q4", "Titel", ("de", "en"), "CC0-1.0", ("eine Zeile",), demo=True)


@settings(deadline=None)
@given(graphs())
def test_writing_and_reading_is_the_identity(nodes: tuple[Node, ...]) -> None:
    with tempfile.TemporaryDirectory() as name:
        write_native(Path(name), HEADER, nodes)
        graph = read_graph(Path(name))
    assert graph.nodes == nodes
    assert graph.report.balanced
    assert graph.report.read == graph.report.nodes == len(nodes)
    assert graph.snapshot.content_hash == content_hash({n.id: node_hash(n) for n in nodes})


def test_the_header_goes_through(tmp_path: Path) -> None:
    write_native(tmp_path, HEADER, read_graph(SMALL).nodes)
    snapshot = read_graph(tmp_path).snapshot
    assert (snapshot.graph_id, snapshot.snapshot_id, snapshot.title) == ("g", "2026.Q4", "Titel")
    assert (snapshot.licence, snapshot.attribution, snapshot.demo) == ("CC0-1.0", ("eine Zeile",), True)
    assert snapshot.content_hash == read_graph(SMALL).snapshot.content_hash


def test_the_small_graph_has_what_other_tests_build_on() -> None:
    graph = read_graph(SMALL)
    by_id = {node.id: node for node in graph.nodes}
    assert graph.report.problems == ()
    assert len(graph.nodes) >= 20
    assert by_id["hirnmetastasen"].parents == ("mamma", "lunge")
    assert by_id["mamma"].parents == by_id["lunge"].parents == ("solide",)
    assert sum("biomarker" in node.parents for node in graph.nodes) == 12
    assert by_id["nachsorge-mamma"].title == by_id["nachsorge-lunge"].title
    assert {"1", "01"} <= by_id.keys()
    linked = {link.target for node in graph.nodes for link in node.links}
    parents = {parent for node in graph.nodes for parent in node.parents}
    assert by_id["glossar"].parents == by_id["glossar"].links == ()
    assert "glossar" not in linked | parents
    counts = graph.snapshot
    assert (counts.node_count, counts.parent_count, counts.link_count, counts.source_count) == (30, 29, 7, 1)
    assert graph.report.roots == 2


def test_the_committed_lines_are_in_the_form_that_is_written() -> None:
    lines = (SMALL / "nodes.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [node_to_dict(node) for node in read_graph(SMALL).nodes]
