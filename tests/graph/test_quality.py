from itertools import combinations, pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.graph.quality import HUB, Titles, degree_classes, depths, structure, title_pairs
from oncosearch.graph.walks import primary_path
from oncosearch.model import Link, LocalText, Node
from tests.small import SIX, graph_of, node


def test_the_shape_of_six_nodes():
    # a above b and c, both above d; d – e; f alone. Neighbours: a 2, b 2, c 2, d 3, e 1, f 0. Roots: a, e, f.
    shape = structure(graph_of(SIX))
    assert shape.depths.tolist() == [3, 2, 1]
    assert shape.degrees == ((0, 0, 1), (1, 1, 1), (2, 2, 3), (3, 4, 1))
    assert shape.orphans.tolist() == [5]
    assert len(shape.hubs) == 0


def test_hubs_come_largest_first():
    leaves = [node(f"leaf{i:03d}", ["big"] + (["small"] if i < HUB else [])) for i in range(HUB + 3)]
    graph = graph_of([node("big"), node("small"), *leaves])
    shape = structure(graph)
    assert [graph.ids[int(i)] for i in shape.hubs] == ["big", "small"]
    assert shape.hub_degrees.tolist() == [HUB + 3, HUB]


def test_no_nodes_at_all():
    shape = structure(graph_of([]))
    assert shape.depths.tolist() == []
    assert shape.degrees == ((0, 0, 0),)
    assert Titles(graph_of([]), str.casefold).groups() == ()


@given(st.lists(st.integers(0, 5000), min_size=1))
def test_every_degree_is_counted_once(values):
    classes = degree_classes(np.array(values))
    assert sum(count for _, _, count in classes) == len(values)
    assert all(high + 1 == low for (_, high, _), (low, _, _) in pairwise(classes))
    assert classes[-1][0] <= max(values) <= classes[-1][1]


# Parents have smaller numbers, so there is no cycle.
trees = st.lists(st.lists(st.integers(0, 30), max_size=3), min_size=1, max_size=30)


@given(trees)
def test_depth_is_the_length_of_the_primary_path(rows):
    nodes = [node(f"{i:02d}", sorted({f"{p % i:02d}" for p in above}) if i else []) for i, above in enumerate(rows)]
    graph = graph_of(nodes)
    assert depths(graph).tolist() == [len(primary_path(graph, i)) for i in range(len(graph))]


def titled(node_id, de=None, en=None):
    return Node(
        node_id, "drug", LocalText.of({k: v for k, v in (("de", de), ("en", en)) if v}), links=(Link("a", "x"),)
    )


def test_titles_are_compared_after_normalisation_and_across_languages():
    graph = graph_of(
        [titled("a", "Imatinib"), titled("b", "IMATINIB", "Glivec"), titled("c", en="glivec"), titled("d")]
    )
    titles = Titles(graph, str.casefold)
    assert titles.groups() == ((0, 1), (1, 2))
    first, second = np.array([0, 0, 1, 2]), np.array([1, 2, 2, 3])
    assert titles.same(first, second).tolist() == [True, False, True, False]


def test_equal_hashes_are_not_equal_titles(monkeypatch):
    graph = graph_of([titled("a", "Imatinib"), titled("b", "Sunitinib"), titled("c", "imatinib")])
    monkeypatch.setattr(Titles, "_hash", lambda self, title: 7 if title else 0)
    titles = Titles(graph, str.casefold)
    assert titles.groups() == ((0, 2),)
    assert titles.same(np.array([0, 0]), np.array([1, 2])).tolist() == [False, True]


def test_a_group_inside_another_is_left_out_and_each_pair_comes_once():
    graph = graph_of([titled("a", "x", "y"), titled("b", "x", "y"), titled("c", "x")])
    groups = Titles(graph, str.casefold).groups()
    assert groups == ((0, 1, 2),)
    assert list(title_pairs(((0, 1, 2), (0, 1, 3)))) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3)]


names = st.sampled_from(["", "a", "A", "b", "B", "c"])


@given(st.lists(st.tuples(names, names), max_size=12))
def test_pairs_are_those_with_a_title_in_common(rows):
    graph = graph_of([titled(f"{i:02d}", de, en) for i, (de, en) in enumerate(rows)] + [titled("a")])
    groups = Titles(graph, str.casefold).groups()
    found = list(title_pairs(groups))
    texts = [{t.casefold() for t in row if t} for row in rows]
    assert sorted(found) == [(i, j) for i, j in combinations(range(len(rows)), 2) if texts[i] & texts[j]]
    assert len(set(found)) == len(found)
