"""The immutable in-memory graph: node columns and relations as CSR arrays, built once from nodes.

Nodes are numbered in the order of their ids (by code point), so that "smaller index" is "smaller id" everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oncosearch.graph.columns import TextColumn
from oncosearch.model import Node, NotFoundError, SnapshotKey
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Relation:
    """Directed edges in CSR: targets of node i are ``targets[starts[i]:starts[i + 1]]``, with a ``kind`` each."""

    starts: npt.NDArray[np.int64]
    targets: Indices
    kinds: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, count: int, sources: Indices, targets: Indices, kinds: npt.NDArray[np.uint8]) -> Relation:
        """Return the edges sorted by (source, target, kind), each once."""
        order = np.lexsort((kinds, targets, sources))
        s, t, k = sources[order], targets[order], kinds[order]
        keep = np.ones(len(s), bool)
        keep[1:] = (s[1:] != s[:-1]) | (t[1:] != t[:-1]) | (k[1:] != k[:-1])
        s, t, k = s[keep], t[keep], k[keep]
        starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(s, minlength=count), out=starts[1:])
        return cls(starts, t.astype(np.int32), k.astype(np.uint8))

    def of_node(self, i: int) -> Indices:
        """Return the targets of node ``i``, ascending."""
        return self.targets[self.starts[i] : self.starts[i + 1]]

    def kinds_of_node(self, i: int) -> npt.NDArray[np.uint8]:
        """Return the kinds of the edges of node ``i``, beside :meth:`of_node`."""
        return self.kinds[self.starts[i] : self.starts[i + 1]]

    def of_nodes(self, nodes: Indices) -> Indices:
        """Return the targets of several nodes one after another, with repetitions."""
        starts = self.starts[nodes]
        counts = self.starts[nodes + 1] - starts
        total = int(counts.sum())
        if total == 0:
            return np.empty(0, np.int32)
        shifts = np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        found: Indices = self.targets[np.arange(total) + shifts]
        return found

    def sources(self) -> Indices:
        """Return the source of every edge, beside ``targets``."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    def reversed(self) -> Relation:
        """Return the same edges read from their targets."""
        return Relation.of(len(self.starts) - 1, self.targets, self.sources(), self.kinds)


@dataclass(frozen=True, slots=True)
class Graph:
    """A snapshot's structure. Arrays have one row a node; the bit masks follow the vocabularies' order.

    ``parents``/``children`` are the hierarchy (kind 0); ``links``/``links_back`` cross-links with kinds as
    positions in ``link_kinds``; ``adjacent`` is the undirected union of both, each neighbour once.
    """

    key: SnapshotKey
    content_hash: str
    ids: TextColumn
    types: npt.NDArray[np.uint8]
    titles_de: TextColumn
    titles_en: TextColumn
    source_mask: npt.NDArray[np.uint8]
    language_mask: npt.NDArray[np.uint8]
    parents: Relation
    children: Relation
    links: Relation
    links_back: Relation
    adjacent: Relation
    link_kinds: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.ids)

    def index(self, node_id: str) -> int:
        """Return the index of a node; NotFoundError where the snapshot has none of that id."""
        found = self.ids.find(node_id)
        if found is None:
            raise NotFoundError(
                f"No node {node_id!r} in {self.key}; ids are case-sensitive.", code="node_missing", node_id=node_id
            )
        return found

    def type_of(self, i: int) -> str:
        """Return the node type of node ``i``."""
        return NODE_TYPE_KEYS[int(self.types[i])]

    def title(self, i: int, language: str = "de") -> str:
        """Return the title of node ``i`` in ``language``, else in the other one, else its id."""
        first, second = (self.titles_en, self.titles_de) if language == "en" else (self.titles_de, self.titles_en)
        return first[i] or second[i] or self.ids[i]

    def roots(self) -> Indices:
        """Return the nodes without a parent, ascending."""
        return np.flatnonzero(np.diff(self.parents.starts) == 0).astype(np.int32)


def build_graph(key: SnapshotKey, content_hash: str, nodes: Iterable[Node]) -> Graph:
    """Return the graph of ``nodes``, which must be whole (checked at import) and may come in any order."""
    ordered = sorted(nodes, key=lambda n: n.id)
    position = {node.id: i for i, node in enumerate(ordered)}
    count = len(ordered)
    kinds = tuple(sorted({link.kind for node in ordered for link in node.links}))
    kind_code = {kind: i for i, kind in enumerate(kinds)}
    up = [(i, position[p], 0) for i, node in enumerate(ordered) for p in node.parents]
    across = [(i, position[x.target], kind_code[x.kind]) for i, node in enumerate(ordered) for x in node.links]
    parents, links = _relation(count, up), _relation(count, across)
    both = [(parents.sources(), parents.targets), (links.sources(), links.targets)]
    sources = np.concatenate([a for a, _ in both] + [b for _, b in both])
    targets = np.concatenate([b for _, b in both] + [a for a, _ in both])
    return Graph(
        key=key,
        content_hash=content_hash,
        ids=TextColumn.of([n.id for n in ordered]),
        types=np.array([NODE_TYPE_KEYS.index(n.type) for n in ordered], np.uint8),
        titles_de=TextColumn.of([n.title.get("de") or "" for n in ordered]),
        titles_en=TextColumn.of([n.title.get("en") or "" for n in ordered]),
        source_mask=_masks([[s.kind for s in n.sources] for n in ordered], SOURCE_KIND_KEYS),
        language_mask=_masks([n.title.languages() for n in ordered], LANGUAGE_KEYS),
        parents=parents,
        children=parents.reversed(),
        links=links,
        links_back=links.reversed(),
        adjacent=Relation.of(count, sources, targets, np.zeros(len(sources), np.uint8)),
        link_kinds=kinds,
    )


def _relation(count: int, edges: Sequence[tuple[int, int, int]]) -> Relation:
    table = np.array(edges, np.int32).reshape(-1, 3)
    return Relation.of(count, table[:, 0], table[:, 1], table[:, 2].astype(np.uint8))


def _masks(values: Sequence[Sequence[str]], keys: tuple[str, ...]) -> npt.NDArray[np.uint8]:
    bit = {key: 1 << i for i, key in enumerate(keys)}
    masks = np.zeros(len(values), np.uint8)
    for i, row in enumerate(values):
        for value in row:
            masks[i] |= bit.get(value, 0)
    return masks
