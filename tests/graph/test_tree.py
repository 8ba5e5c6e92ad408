import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.graph.tree import AROUND, PORTION, child_count, children_in_order, levels, tree_path, via_of
from oncosearch.model import NotFoundError
from tests.small import SIX, graph_of, node

GRAPH = graph_of(SIX)
A, B, C, D, E, F = range(6)
MANY = graph_of([node("top"), *(node(f"n{i:04d}", ["top"], title=f"Titel {i:04d}") for i in range(100))])


def test_the_path_is_the_primary_one_unless_another_is_named():
    assert tree_path(GRAPH, "d") == (A, B, D)
    assert tree_path(GRAPH, "d", ["a", "c"]) == (A, C, D)
    assert tree_path(GRAPH, "a") == (A,)
    assert tree_path(GRAPH, "f") == (F,)


@pytest.mark.parametrize("via", [["c"], ["a", "x"], ["f"], ["a", "b", "c"], ["b", "a"], ["a", "d"], ["d"]])
def test_a_path_that_the_graph_has_not_gives_way_to_the_primary_one(via):
    assert tree_path(GRAPH, "d", via) == (A, B, D)


def test_a_missing_node_is_named():
    with pytest.raises(NotFoundError, match="'z'"):
        tree_path(GRAPH, "z", ["a"])


def test_only_other_paths_need_their_ids():
    assert via_of(GRAPH, (A, B, D)) == ()
    assert via_of(GRAPH, (A, C, D)) == ("a", "c")
    assert via_of(GRAPH, ()) == via_of(GRAPH, (F,)) == ()


@given(st.sampled_from(["a", "b", "c", "d", "e", "f"]), st.lists(st.sampled_from("abcdefz"), max_size=3))
def test_a_path_is_found_again_from_what_names_it(node_id, via):
    path = tree_path(GRAPH, node_id, via)
    assert tree_path(GRAPH, node_id, via_of(GRAPH, path)) == path


def test_levels_along_a_path():
    found = levels(GRAPH, (A, C), "de")
    assert [(level.parent, level.items, level.open) for level in found] == [
        (None, (A, E, F), A),
        (A, (B, C), C),
        (C, (D,), None),
    ]
    assert [level.items for level in levels(GRAPH, (A, C, D), "de")] == [(A, E, F), (B, C), (D,)]
    assert [level.items for level in levels(GRAPH, (), "de")] == [(A, E, F)]
    assert child_count(GRAPH, A) == 2


@pytest.mark.parametrize(
    ("start", "first", "count"), [(0, 0, PORTION), (31, 30, PORTION), (95, 90, 10), (9999, 90, 10)]
)
def test_many_children_come_in_portions(start, first, count):
    top = MANY.index("top")
    level = levels(MANY, (top,), "de", start)[-1]
    assert (level.first, len(level.items), level.total) == (first, count, 100)
    assert level.after == 100 - first - count
    assert [MANY.ids[i] for i in level.items] == [f"n{i:04d}" for i in range(first, first + count)]


@given(st.integers(0, 99))
def test_above_the_open_node_stands_what_is_around_the_path(i):
    top, chosen = MANY.index("top"), MANY.index(f"n{i:04d}")
    level = levels(MANY, (top, chosen), "de")[1]
    assert chosen in level.items
    assert level.open == chosen
    assert len(level.items) <= 2 * AROUND + 1
    assert level.first + len(level.items) + level.after == level.total == 100


def test_every_child_is_in_one_portion():
    top = MANY.index("top")
    shown = [i for start in range(0, 100, PORTION) for i in levels(MANY, (top,), "de", start)[-1].items]
    assert shown == children_in_order(MANY, top, "de")


def test_children_stand_by_title():
    graph = graph_of([node("r"), node("1", ["r"], title="b"), node("2", ["r"], title="A"), node("3", ["r"], title="c")])
    assert [graph.ids[i] for i in children_in_order(graph, graph.index("r"), "de")] == ["2", "1", "3"]
