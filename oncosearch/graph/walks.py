"""Walks over the graph: neighbourhoods, ancestors, descendants and the paths from the roots."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oncosearch.graph.graph import Graph, Indices, Relation


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """Nodes within some hops of a seed, nearest first, then by node id; the seed itself stands first.

    ``nodes`` int32 [n], ``hops`` uint8 [n]; ``cut`` is how many more there were beyond the cap.
    """

    nodes: Indices
    hops: npt.NDArray[np.uint8]
    cut: int = 0


def neighbourhood(relation: Relation, seed: int, hops: int, cap: int) -> Neighbourhood:
    """Return the nodes at most ``hops`` edges from ``seed``, at most ``cap`` of them."""
    reached = np.array([seed], np.int32)
    frontier = reached
    levels = [reached]
    for _ in range(hops):
        frontier = np.setdiff1d(relation.of_nodes(frontier), reached).astype(np.int32)
        if not len(frontier):
            break
        levels.append(frontier)
        reached = np.concatenate((reached, frontier))
    distance = np.repeat(np.arange(len(levels), dtype=np.uint8), [len(level) for level in levels])
    return Neighbourhood(reached[:cap], distance[:cap], max(0, len(reached) - cap))


def ancestors(graph: Graph, i: int) -> Indices:
    """Return all ancestors of node ``i``, ascending, itself excluded."""
    found: set[int] = set()
    waiting = [i]
    while waiting:
        for parent in graph.parents.of_node(waiting.pop()).tolist():
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return np.array(sorted(found), np.int32)


def descendants(graph: Graph, i: int) -> Indices:
    """Return all descendants of node ``i``, ascending, itself excluded."""
    return below(graph, np.array([i], np.int32))


def below(graph: Graph, nodes: Indices) -> Indices:
    """Return every node that is a descendant of one of ``nodes``, ascending."""
    found = np.zeros(len(graph), bool)
    frontier = nodes
    while len(frontier):
        children = np.unique(graph.children.of_nodes(frontier))
        frontier = children[~found[children]]
        found[frontier] = True
    return np.flatnonzero(found).astype(np.int32)


def primary_path(graph: Graph, i: int) -> tuple[int, ...]:
    """Return the ancestors of ``i`` on its primary path, root first, ``i`` not included.

    The primary path is the shortest one to a root; among equally short ones the one whose ids, read from the
    node upwards, come first.
    """
    came_from: dict[int, int] = {i: -1}
    queue = deque([i])
    while queue:
        node = queue.popleft()
        above = graph.parents.of_node(node)
        if not len(above):
            path = []
            while node != i:
                path.append(node)
                node = came_from[node]
            return tuple(path)
        for parent in above.tolist():
            if parent not in came_from:
                came_from[parent] = node
                queue.append(parent)
    raise AssertionError("a checked graph has no cycles")


def paths_to_roots(graph: Graph, i: int, limit: int = 50) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return all ancestor paths of ``i`` (root first, ``i`` excluded) and whether there were more than ``limit``.

    Order: shorter first, then by ids read from the node upwards. A root has the one empty path.
    """
    paths: list[tuple[int, ...]] = []
    queue: deque[tuple[int, ...]] = deque([(i,)])
    while queue and len(paths) <= limit:
        upward = queue.popleft()
        above = graph.parents.of_node(upward[-1])
        if not len(above):
            paths.append(tuple(reversed(upward[1:])))
            continue
        queue.extend((*upward, parent) for parent in above.tolist())
        if len(queue) > 20_000:
            # A lattice has exponentially many paths: what is beyond reach is said, not walked.
            return tuple(paths[:limit]), True
    return tuple(paths[:limit]), len(paths) > limit or bool(queue)
