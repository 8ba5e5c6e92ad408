import sys

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest.structure import cycle_text, find_cycles
from tests.ingest.graphs import found, node, write_folder
from tests.paths import ROOT


def test_the_committed_cycle_is_printed_as_the_path_that_closes_it():
    with pytest.raises(GraphRefusedError, match=r"nodes\.jsonl:2: .*: a → b → c → a \(each is a parent of the next\)"):
        read_graph(ROOT / "tests" / "data" / "cycle")


def test_every_knot_is_reported_once(tmp_path):
    lines = [node("a", ("b",)), node("b", ("a",)), node("c", ("d", "b")), node("d", ("c",)), node("e", ("d",))]
    _, where = found(write_folder(tmp_path, lines))
    assert where == {"cycle": ["nodes.jsonl:1", "nodes.jsonl:3"]}


def test_the_shortest_way_round_is_taken():
    parents = {"a": ["b", "c"], "b": ["c"], "c": ["a"], "leaf": ["c"]}
    assert find_cycles(parents) == [("a", "c")]


def test_a_diamond_is_no_cycle():
    assert find_cycles({"top": [], "left": ["top"], "right": ["top"], "bottom": ["left", "right"]}) == []


def test_a_chain_and_a_circle_of_100000_do_not_recurse():
    depth = 100_000
    assert depth > sys.getrecursionlimit()
    chain = {str(i): [str(i - 1)] for i in range(1, depth)}
    assert find_cycles({"0": [], **chain}) == []
    circle = {"0": [str(depth - 1)], **chain}
    (cycle,) = find_cycles(circle)
    assert cycle == tuple(str(i) for i in range(depth))
    text = cycle_text(cycle)
    assert text.startswith("0 → 1 → 2 → ")
    assert "99999 → 0 " in text
    assert len(text) < 400


@settings(deadline=None)
@given(
    st.dictionaries(st.integers(0, 9).map(str), st.lists(st.integers(0, 9).map(str), max_size=3, unique=True)),
)
def test_there_is_one_true_cycle_for_every_knot(parents):
    """Against networkx: as many cycles as strongly connected components of two or more nodes, each of them real."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(parents)
    graph.add_edges_from((child, p) for child, ps in parents.items() for p in ps if p in parents)
    knots = [c for c in networkx.strongly_connected_components(graph) if len(c) > 1]
    cycles = find_cycles(parents)
    assert len(cycles) == len(knots)
    for cycle in cycles:
        assert any(set(cycle) <= knot for knot in knots)
        for parent, child in zip(cycle, (*cycle[1:], cycle[0]), strict=True):
            assert parent in parents[child]
