"""A six-node graph that can be worked by hand, and helpers to build others."""

from collections.abc import Iterable

import numpy as np

from oncosearch.graph import Graph, build_graph
from oncosearch.index.exact import ExactIndex
from oncosearch.model import Link, LocalText, Node, SnapshotKey
from oncosearch.retrieve import Resources
from oncosearch.retrieve.diffused import transition

KEY = SnapshotKey("test", "1")


def node(node_id, parents=(), links=(), title=None, type="disease"):
    return Node(
        node_id,
        type,
        LocalText.of({"de": title or node_id}),
        parents=tuple(parents),
        links=tuple(Link(target, "related_to") for target in links),
    )


def graph_of(nodes: Iterable[Node]) -> Graph:
    return build_graph(KEY, "hash", nodes)


# A diamond (a above b and c, both above d), a cross-link d → e, and f alone.
#
#         a
#        / \
#       b   c
#        \ /
#         d ···· e      f
SIX = [
    node("a"),
    node("b", ["a"]),
    node("c", ["a"]),
    node("d", ["b", "c"], ["e"]),
    node("e"),
    node("f"),
]


class Words:
    """A word index with fixed scores."""

    def __init__(self, scores):
        self._scores = np.asarray(scores, np.float32)

    def scores(self, query):
        return self._scores


def resources(graph, vectors, words=None):
    rows = np.asarray(vectors, np.float32)
    lexical = Words(np.zeros(len(rows)) if words is None else words)
    return Resources(graph, lexical, lambda: transition(graph), ExactIndex(rows, None))


def unit(*numbers):
    row = np.asarray(numbers, np.float64)
    return (row / np.linalg.norm(row)).astype(np.float32)
