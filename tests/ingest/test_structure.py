import sys

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest.structure import closing_edges, cycle_text, find_cycles
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


@given(st.dictionaries(st.integers(0, 12), st.lists(st.integers(0, 12), max_size=4), max_size=13))
def test_without_its_closing_edges_no_graph_has_a_cycle(numbers):
    parents = {str(n): tuple(dict.fromkeys(map(str, above))) for n, above in numbers.items()}
    closing = set(closing_edges(parents))
    left = {n: tuple(p for p in above if (p, n) not in closing) for n, above in parents.items()}
    assert find_cycles(left) == []
    assert all(n not in above for n, above in left.items())
    # Each of them lay on a cycle: without cycles nothing is taken out.
    assert set(closing_edges(left)) == set()
    assert closing <= {(p, n) for n, above in parents.items() for p in above}


def test_the_edge_that_leads_back_is_the_closing_one():
    assert closing_edges({"a": ["c"], "b": ["a"], "c": ["b", "root"], "root": []}) == [("b", "c")]
    assert closing_edges({"a": ["b"], "b": ["a"]}) == [("b", "a")]


def test_cycles_are_broken_on_request_and_listed():
    graph = read_graph(ROOT / "tests" / "data" / "cycle", break_cycles=True)
    assert graph.report.cut == (("b", "c"),)
    assert {n.id: n.parents for n in graph.nodes}["c"] == ("wurzel",)
    assert graph.report.count("cut_cycle") == 1
    assert graph.report.errors == 0
