from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.graph import (
    TextColumn,
    ancestors,
    descendants,
    neighbourhood,
    open_graph,
    paths_to_roots,
    primary_path,
    save_graph,
)
from oncosearch.model import ArtefactMismatchError, NotFoundError, SnapshotKey
from tests.small import KEY, SIX, graph_of, node


def ids(graph, indices):
    return [graph.ids[int(i)] for i in indices]


def test_relations_read_from_both_ends():
    graph = graph_of(SIX)
    d = graph.index("d")
    assert ids(graph, graph.parents.of_node(d)) == ["b", "c"]
    assert ids(graph, graph.children.of_node(graph.index("a"))) == ["b", "c"]
    assert ids(graph, graph.links.of_node(d)) == ["e"]
    assert ids(graph, graph.links_back.of_node(graph.index("e"))) == ["d"]
    assert ids(graph, graph.adjacent.of_node(d)) == ["b", "c", "e"]
    assert ids(graph, graph.roots()) == ["a", "e", "f"]


def test_order_of_nodes_in_the_file_does_not_matter():
    one, other = graph_of(SIX), graph_of(reversed(SIX))
    assert list(one.ids) == list(other.ids) == ["a", "b", "c", "d", "e", "f"]
    assert np.array_equal(one.adjacent.targets, other.adjacent.targets)


def test_ancestors_and_descendants_exclude_self():
    graph = graph_of(SIX)
    assert ids(graph, ancestors(graph, graph.index("d"))) == ["a", "b", "c"]
    assert ids(graph, descendants(graph, graph.index("a"))) == ["b", "c", "d"]
    assert ids(graph, ancestors(graph, graph.index("f"))) == []


def test_every_path_of_a_diamond_root_first():
    graph = graph_of(SIX)
    paths, cut = paths_to_roots(graph, graph.index("d"))
    assert [ids(graph, path) for path in paths] == [["a", "b"], ["a", "c"]]
    assert not cut
    assert paths_to_roots(graph, graph.index("a")) == (((),), False)


def test_primary_path_is_the_shortest_then_first_by_id_from_the_node_up():
    graph = graph_of([*SIX, node("g", ["c", "f"]), node("h", ["c", "b"])])
    assert ids(graph, primary_path(graph, graph.index("g"))) == ["f"]
    assert ids(graph, primary_path(graph, graph.index("h"))) == ["a", "b"]


def test_paths_of_a_lattice_are_cut_and_said_so():
    layers = [[f"n{layer:02d}{side}" for side in "xy"] for layer in range(20)]
    nodes = [node(name) for name in layers[0]]
    for above, here in pairwise(layers):
        nodes += [node(name, above) for name in here]
    graph = graph_of(nodes)
    paths, cut = paths_to_roots(graph, graph.index("n19x"), limit=50)
    assert cut
    assert len(paths) <= 50


def test_neighbourhood_nearest_first_and_capped():
    graph = graph_of(SIX)
    around = neighbourhood(graph.adjacent, graph.index("e"), hops=2, cap=10)
    assert ids(graph, around.nodes) == ["e", "d", "b", "c"]
    assert around.hops.tolist() == [0, 1, 2, 2]
    capped = neighbourhood(graph.adjacent, graph.index("e"), hops=2, cap=3)
    assert ids(graph, capped.nodes) == ["e", "d", "b"]
    assert capped.cut == 1
    assert ids(graph, neighbourhood(graph.adjacent, graph.index("e"), 0, 10).nodes) == ["e"]


def test_unknown_node_is_named():
    with pytest.raises(NotFoundError, match="'A'"):
        graph_of(SIX).index("A")


def test_files_give_back_the_same_graph(tmp_path):
    graph = graph_of(SIX)
    save_graph(graph, tmp_path / "g")
    again = open_graph(tmp_path / "g", KEY, "hash")
    assert list(again.ids) == list(graph.ids)
    assert again.link_kinds == graph.link_kinds
    assert np.array_equal(again.adjacent.targets, graph.adjacent.targets)
    with pytest.raises(ArtefactMismatchError, match="other"):
        open_graph(tmp_path / "g", SnapshotKey("test", "other"), "hash")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), unique=True))
def test_text_column_keeps_and_finds_every_text(texts):
    ordered = sorted(texts)
    column = TextColumn.of(ordered)
    assert list(column) == ordered
    assert [column[i] for i in range(len(column))] == ordered
    assert all(column.find(text) == i for i, text in enumerate(ordered))
    assert column.find("not there at all") is None
