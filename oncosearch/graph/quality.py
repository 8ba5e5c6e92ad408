"""What the structure of a graph says of its quality: orphans, hubs, depths, degrees, titles that stand twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from oncosearch.graph.graph import Graph, Indices

Counts = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.int64]

# From this many neighbours on a node is called a hub.
HUB = 50


@dataclass(frozen=True, slots=True)
class Structure:
    """The shape of a graph.

    ``depths`` counts the nodes by their steps to the nearest root. ``degrees`` are (least, most, nodes): how many
    nodes have that many neighbours, over hierarchy and cross-links in both directions. ``hubs`` are the nodes with at
    least ``HUB`` neighbours, most first, then by index, beside their number of neighbours.
    """

    depths: Counts
    degrees: tuple[tuple[int, int, int], ...]
    orphans: Indices
    hubs: Indices
    hub_degrees: Counts


def structure(graph: Graph) -> Structure:
    """Return the shape of ``graph``."""
    degrees = np.diff(graph.adjacent.starts)
    hubs = np.flatnonzero(degrees >= HUB).astype(np.int32)
    hubs = hubs[np.lexsort((hubs, -degrees[hubs]))]
    return Structure(
        depths=np.bincount(depths(graph)),
        degrees=degree_classes(degrees),
        orphans=np.flatnonzero(degrees == 0).astype(np.int32),
        hubs=hubs,
        hub_degrees=degrees[hubs],
    )


def depths(graph: Graph) -> Counts:
    """Return, int64 [nodes], how many steps each node is from the nearest root above it."""
    out = np.full(len(graph), -1, np.int64)
    frontier, level = graph.roots(), 0
    while len(frontier):
        out[frontier] = level
        below = np.unique(graph.children.of_nodes(frontier))
        frontier, level = below[out[below] < 0], level + 1
    return out


def degree_classes(degrees: Counts) -> tuple[tuple[int, int, int], ...]:
    """Return (least, most, nodes) for 0, 1, 2, 3–4, 5–8, 9–16 … neighbours, up to the largest there are."""
    out: list[tuple[int, int, int]] = []
    least, most = 0, 0
    while not out or least <= int(degrees.max(initial=0)):
        out.append((least, most, int(((degrees >= least) & (degrees <= most)).sum())))
        least, most = most + 1, max(1, 2 * most)
    return tuple(out)


class Titles:
    """Titles compared after normalisation, without keeping the normalised texts.

    Parameters
    ----------
    normalise
        What makes two spellings of one title the same.
    """

    def __init__(self, graph: Graph, normalise: Callable[[str], str]) -> None:
        self._graph = graph
        self._normalise = normalise
        columns = (graph.titles_de, graph.titles_en)
        # 0 stands for "no title"; equal hashes are only candidates, the texts decide.
        self._hashes = np.stack([np.fromiter(map(self._hash, column), np.int64, len(column)) for column in columns])

    def _hash(self, title: str) -> int:
        text = self._normalise(title)
        return hash(text) or 1 if text else 0

    def _texts(self, i: int) -> set[str]:
        return {self._normalise(t) for t in (self._graph.titles_de[i], self._graph.titles_en[i])} - {""}

    def same(self, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return bool [pairs]: whether the two nodes have a title in common, in whichever languages."""
        out = np.zeros(len(first), bool)
        for one in self._hashes:
            for other in self._hashes:
                out |= (one[first] == other[second]) & (one[first] != 0)
        for position in np.flatnonzero(out).tolist():
            out[position] = bool(self._texts(int(first[position])) & self._texts(int(second[position])))
        return out

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the nodes of each title that several nodes have, ascending, in the order of their first nodes.

        A group that lies whole in another one is left out.
        """
        flat = self._hashes.ravel()
        values, counts = np.unique(flat[flat != 0], return_counts=True)
        places = np.flatnonzero(np.isin(flat, values[counts > 1]))
        by_text: dict[str, set[int]] = {}
        for place in places.tolist():
            column, i = divmod(place, len(self._graph))
            title = (self._graph.titles_de if column == 0 else self._graph.titles_en)[i]
            by_text.setdefault(self._normalise(title), set()).add(i)
        found = {tuple(sorted(nodes)) for nodes in by_text.values() if len(nodes) > 1}
        return tuple(sorted(_without_parts(found)))


def _without_parts(groups: set[tuple[int, ...]]) -> list[tuple[int, ...]]:
    of_node: dict[int, list[tuple[int, ...]]] = {}
    kept: list[tuple[int, ...]] = []
    for group in sorted(groups, key=lambda g: (-len(g), g)):
        if any(set(group) <= set(larger) for larger in of_node.get(group[0], ())):
            continue
        kept.append(group)
        for node in group:
            of_node.setdefault(node, []).append(group)
    return kept


def title_pairs(groups: tuple[tuple[int, ...], ...]) -> Iterator[tuple[int, int]]:
    """Return an iterator over the pairs of nodes that share a title, group by group, each pair once.

    A pair that two groups share comes with the first of them.
    """
    shared: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        for node in group:
            shared.setdefault(node, []).append(number)
    several = {node: numbers for node, numbers in shared.items() if len(numbers) > 1}
    for number, group in enumerate(groups):
        for one, other in combinations(group, 2):
            common = set(several.get(one, ())) & set(several.get(other, ())) if several else set()
            if not common or min(common) == number:
                yield one, other
