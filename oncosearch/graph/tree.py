"""The hierarchy as it is walked from above: the path to an open node, and the levels along it in portions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from oncosearch.graph.graph import Graph
from oncosearch.graph.walks import primary_path

PORTION = 30
AROUND = 6
# Beyond this many siblings the order of their ids, which costs nothing, takes the place of that of their titles.
_SORTED_AT_MOST = 5000

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """A part of the children of ``parent`` (None: the roots): ``items`` are those from ``first`` on, of ``total``.

    ``open`` is the child that the path goes through, None at the end of it.
    """

    parent: int | None
    items: tuple[int, ...]
    first: int
    total: int
    open: int | None = None

    @property
    def after(self) -> int:
        """Return how many children follow the last item."""
        return self.total - self.first - len(self.items)


def tree_path(graph: Graph, node_id: str, via: Sequence[str] = ()) -> Path:
    """Return the path from a root down to a node, itself included.

    It goes over the ids ``via``, root first, where they lead from a root to the node; else over the primary path.

    Raises
    ------
    NotFoundError
        If there is no such node.
    """
    i = graph.index(node_id)
    path = [graph.ids.find(step) for step in via]
    if path and None not in path:
        whole = (*(step for step in path if step is not None), i)
        is_root = not len(graph.parents.of_node(whole[0]))
        if is_root and all(up in graph.parents.of_node(down) for up, down in pairwise(whole)):
            return whole
    return (*primary_path(graph, i), i)


def via_of(graph: Graph, path: Path) -> tuple[str, ...]:
    """Return the ids that :func:`tree_path` needs to find ``path`` again: none for a primary path."""
    if not path or path[:-1] == primary_path(graph, path[-1]):
        return ()
    return tuple(graph.ids[i] for i in path[:-1])


def children_in_order(graph: Graph, parent: int | None, language: str) -> list[int]:
    """Return the children of a node, or the roots, by title in ``language``; very many by id."""
    found: list[int] = (graph.roots() if parent is None else graph.children.of_node(parent)).tolist()
    if len(found) > _SORTED_AT_MOST:
        return found
    return sorted(found, key=lambda i: (graph.title(i, language).casefold(), i))


def levels(graph: Graph, path: Path, language: str, start: int = 0) -> tuple[Level, ...]:
    """Return the opened levels along ``path``, roots first: of each only the part that is shown.

    Above the open node that is what stands around the path; of the children of the open node it is the portion that
    ``start`` lies in. Levels that nobody opened are not looked at.
    """
    out = []
    for depth in range(len(path) + 1):
        parent = path[depth - 1] if depth else None
        siblings = children_in_order(graph, parent, language)
        if depth < len(path):
            place = siblings.index(path[depth])
            first, last = max(0, place - AROUND), place + AROUND + 1
            out.append(Level(parent, tuple(siblings[first:last]), first, len(siblings), path[depth]))
        elif siblings:
            first = min(max(0, start), len(siblings) - 1) // PORTION * PORTION
            out.append(Level(parent, tuple(siblings[first : first + PORTION]), first, len(siblings)))
    return tuple(out)


def child_count(graph: Graph, i: int) -> int:
    """Return how many children a node has."""
    return int(np.diff(graph.children.starts[i : i + 2])[0])
