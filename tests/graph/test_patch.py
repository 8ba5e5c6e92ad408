"""A graph made from an older one is the graph made from all nodes."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.graph import Graph, Patch, TextColumn, build_graph, patched_graph
from oncosearch.model import Link, LocalText, Node, SnapshotKey, Source

KEY = SnapshotKey("g", "2")
NAMES = "abcdefgh"


@st.composite
def graphs(draw):
    """Return nodes of a small graph: parents point to smaller ids, so that there is no cycle."""
    ids = sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1)))
    nodes = []
    for place, node_id in enumerate(ids):
        parents = draw(st.sets(st.sampled_from(ids[:place]), max_size=2)) if place else set()
        links = draw(st.lists(st.tuples(st.sampled_from(ids), st.sampled_from(["treats", "about"])), max_size=2))
        title = {"de": draw(st.sampled_from(["Ä", "", "lang"])), "en": draw(st.sampled_from(["x", "yy"]))}
        cited = draw(st.lists(st.sampled_from(["1", "22"]), max_size=1))
        nodes.append(
            Node(
                node_id,
                draw(st.sampled_from(["drug", "disease"])),
                LocalText.of({k: v for k, v in title.items() if v}),
                parents=tuple(sorted(parents)),
                links=tuple(Link(t, k) for t, k in dict.fromkeys(links)),
                sources=tuple(Source("pubmed", i) for i in cited),
            )
        )
    return nodes


def patch_between(old: list[Node], new: list[Node], column: TextColumn) -> Patch:
    before = {node.id: node for node in old}
    fresh = [node for node in new if before.get(node.id) != node]
    return Patch.of(column, fresh, sorted({n.id for n in old} - {n.id for n in new}))


def assert_same(one: Graph, other: Graph) -> None:
    for field in fields(Graph):
        a, b = getattr(one, field.name), getattr(other, field.name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype
            assert a.tolist() == b.tolist(), field.name
        elif hasattr(a, "offsets"):
            assert list(a) == list(b), field.name
        elif hasattr(a, "starts"):
            assert [x.tolist() for x in (a.starts, a.targets, a.kinds)] == [
                x.tolist() for x in (b.starts, b.targets, b.kinds)
            ], field.name
        else:
            assert a == b, field.name


@given(graphs(), graphs())
def test_a_patched_graph_is_the_built_one(old, new):
    before = build_graph(SnapshotKey("g", "1"), "h1", old)
    patched = patched_graph(before, KEY, "h2", patch_between(old, new, before.ids))
    assert_same(patched, build_graph(KEY, "h2", new))


def test_a_patch_says_where_each_row_comes_from():
    drug = [Node(i, "drug", LocalText.of({"de": i})) for i in ("b", "d", "f")]
    old = build_graph(KEY, "h", drug)
    changed = Node("d", "drug", LocalText.of({"de": "neu"}))
    added = [Node(i, "drug", LocalText.of({"de": i})) for i in ("c", "a", "g", "ca")]
    patch = Patch.of(old.ids, [changed, *added], ["f"])
    assert [n.id for n in patch.fresh] == ["a", "c", "ca", "d", "g"]
    # New order: a b c ca d g.
    assert patch.origin.tolist() == [3, 0, 4, 5, 6, 7]
    assert patch.place.tolist() == [1, 4, -1]
    assert patch.moved.tolist() == [1, -1, -1]
    assert patch.places.tolist() == [0, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("old", "fresh", "origin", "expected"),
    [
        (["a", "", "ä"], [], [2, 0, 1], ["ä", "a", ""]),
        (["a", ""], ["x", ""], [0, 1, 2, 3], ["a", "", "x", ""]),
        ([], ["x", "y"], [1, 0], ["y", "x"]),
        (["a"], ["b"], [], []),
        (["a", "b", ""], ["", "c"], [3, 2, 4, 1, 0, 1], ["", "", "c", "b", "a", "b"]),
    ],
)
def test_gathered_texts(old, fresh, origin, expected):
    made = TextColumn.gathered(TextColumn.of(old), TextColumn.of(fresh), np.array(origin, np.int64))
    assert list(made) == expected


def test_many_kinds_of_links_keep_their_names():
    ids = [f"n{i:03d}" for i in range(301)]
    nodes = [Node(i, "drug", LocalText.of({"de": i})) for i in ids]
    linked = [replace(n, links=(Link("n000", f"kind_{n.id}"),)) if n.id != "n000" else n for n in nodes]
    built = build_graph(KEY, "h", linked)
    last = built.index("n300")
    assert [built.link_kinds[k] for k in built.links.kinds_of_node(last)] == ["kind_n300"]
    half = build_graph(KEY, "h", linked[:1] + nodes[1:])
    assert_same(patched_graph(half, KEY, "h", patch_between(nodes, linked, half.ids)), built)
