import json

import pytest

from oncosearch.ingest import read_graph
from oncosearch.model import Code
from tests.ingest.reader_cases import ONCOTREE, _tumour
from tests.paths import SHARED_DATA

FOLDER = SHARED_DATA / "oncotree" if SHARED_DATA else None
needs_oncotree = pytest.mark.skipif(
    FOLDER is None or not FOLDER.is_dir(), reason="OncoTree is not on this machine (ONCOSEARCH_TEST_DATA)"
)


def test_the_tree_its_codes_and_facts(tmp_path):
    graph = ONCOTREE.read(tmp_path)
    root, first, *_ = graph.nodes
    assert (root.type, root.parents) == ("group", ())
    assert {node.parents for node in graph.nodes[1:]} == {("oncotree:TISSUE",)}
    assert first.codes == (
        Code("OncoTree", "01"),
        Code("UMLS", "C1"),
        Code("NCIt", "C2"),
        Code("OncoTree (earlier)", "OLD"),
    )
    assert first.field("Diagnosis").get("en") == "Main type: Main.\nTissue: Tissue.\nEarlier code: OLD."
    assert str(graph.snapshot.key) == "oncotree@2026-01-02"


def test_the_flat_list_gives_the_same_graph(tmp_path):
    tree = {"R": _tumour("R", children={"a": _tumour("a", parent="R", children={"b": _tumour("b", parent="a")})})}
    flat = [_tumour("R"), _tumour("a", parent="R"), _tumour("b", parent="a")]
    graphs = []
    for name, value in (("tree.json", tree), ("flat.json", flat)):
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
        graphs.append(read_graph(tmp_path / name, format="oncotree").nodes)
    assert graphs[0] == graphs[1]


@needs_oncotree
def test_the_real_tree_comes_out_in_full():
    graph = read_graph(FOLDER)
    report = graph.report
    assert (report.read, report.nodes, report.skipped, report.problems) == (898, 898, 0, ())
    assert (report.parents, report.roots) == (897, 1)
    assert all(len(node.parents) == 1 for node in graph.nodes if node.id != "oncotree:TISSUE")
    systems = [code.system for node in graph.nodes for code in node.codes]
    assert (systems.count("OncoTree"), systems.count("NCIt"), systems.count("UMLS")) == (898, 667, 693)
    assert systems.count("OncoTree (earlier)") >= 34
    assert str(graph.snapshot.key) == "oncotree@2025-10-03"
    assert graph.snapshot.licence == "CC-BY-4.0"
