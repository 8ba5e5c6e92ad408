"""The immutable in-memory graph: node columns and relations as CSR arrays, built once from nodes.

Nodes are numbered in the order of their ids (by code point), so that "smaller index" is "smaller id" everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.graph.columns import TextColumn
from oncosearch.model import Node, NotFoundError, SnapshotKey, text_hash
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS

Indices = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Relation:
    """Directed edges in CSR: targets of node i are ``targets[starts[i]:starts[i + 1]]``, with a ``kind`` each."""

    starts: npt.NDArray[np.int64]
    targets: Indices
    kinds: Indices

    @classmethod
    def of(cls, count: int, sources: Indices, targets: Indices, kinds: Indices) -> Relation:
        """Return the edges sorted by (source, target, kind), each once."""
        order = np.lexsort((kinds, targets, sources))
        s, t, k = sources[order], targets[order], kinds[order]
        keep = np.ones(len(s), bool)
        keep[1:] = (s[1:] != s[:-1]) | (t[1:] != t[:-1]) | (k[1:] != k[:-1])
        s, t, k = s[keep], t[keep], k[keep]
        starts = np.zeros(count + 1, np.int64)
        np.cumsum(np.bincount(s, minlength=count), out=starts[1:])
        return cls(starts, t.astype(np.int32), k.astype(np.int32))

    def of_node(self, i: int) -> Indices:
        """Return the targets of node ``i``, ascending."""
        return self.targets[self.starts[i] : self.starts[i + 1]]

    def kinds_of_node(self, i: int) -> Indices:
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
    positions in ``link_kinds``; ``adjacent`` is the undirected union of both, each neighbour once. Nodes with the same
    sources have the same ``source_hash``.
    """

    key: SnapshotKey
    content_hash: str
    ids: TextColumn
    types: npt.NDArray[np.uint8]
    titles_de: TextColumn
    titles_en: TextColumn
    source_mask: npt.NDArray[np.uint8]
    language_mask: npt.NDArray[np.uint8]
    source_hash: npt.NDArray[np.uint64]
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

    def title_language(self, i: int, language: str = "de") -> str:
        """Return the language of what :meth:`title` returns; empty where that is the id."""
        order = (("en", self.titles_en), ("de", self.titles_de))
        for key, titles in order if language == "en" else reversed(order):
            if titles[i]:
                return key
        return ""

    def roots(self) -> Indices:
        """Return the nodes without a parent, ascending."""
        return np.flatnonzero(np.diff(self.parents.starts) == 0).astype(np.int32)


def build_graph(key: SnapshotKey, content_hash: str, nodes: Iterable[Node]) -> Graph:
    """Return the graph of ``nodes``, which must be whole (checked at import) and may come in any order.

    The nodes are read once and not kept.
    """
    columns = NodeColumns()
    for node in nodes:
        columns.add(node)
    return columns.graph(key, content_hash)


class NodeColumns:
    """What the graph keeps of each node, in the order in which the nodes come."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.titles: dict[str, list[str]] = {"de": [], "en": []}
        self.types: list[int] = []
        self.source_masks: list[int] = []
        self.language_masks: list[int] = []
        self.source_hashes: list[int] = []
        self.up: list[tuple[int, str]] = []
        self.across: list[tuple[int, str, str]] = []

    def add(self, node: Node) -> None:
        """Take a node; its parents and link targets may come later."""
        row = len(self.ids)
        self.ids.append(node.id)
        for language, titles in self.titles.items():
            titles.append(node.title.get(language) or "")
        self.types.append(NODE_TYPE_KEYS.index(node.type))
        self.source_masks.append(_mask([s.kind for s in node.sources], SOURCE_KIND_KEYS))
        self.language_masks.append(_mask(node.title.languages(), LANGUAGE_KEYS))
        cited = sorted({f"{s.kind}\t{s.id}" for s in node.sources})
        self.source_hashes.append(int(text_hash("\n".join(cited))[:16], 16))
        self.up += [(row, parent) for parent in node.parents]
        self.across += [(row, link.target, link.kind) for link in node.links]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of numbers by their names in :class:`Graph`."""
        return {
            "types": np.array(self.types, np.uint8),
            "source_mask": np.array(self.source_masks, np.uint8),
            "language_mask": np.array(self.language_masks, np.uint8),
            "source_hash": np.array(self.source_hashes, np.uint64),
        }

    def texts(self) -> dict[str, list[str]]:
        """Return the columns of texts by their names in :class:`Graph`."""
        return {"ids": self.ids, "titles_de": self.titles["de"], "titles_en": self.titles["en"]}

    def graph(self, key: SnapshotKey, content_hash: str) -> Graph:
        """Return the graph of all nodes taken."""
        count = len(self.ids)
        order = sorted(range(count), key=self.ids.__getitem__)
        place = {self.ids[row]: i for i, row in enumerate(order)}
        rank = np.empty(count, np.int32)
        rank[order] = np.arange(count)
        kinds = tuple(sorted({kind for _, _, kind in self.across}))
        code = {kind: i for i, kind in enumerate(kinds)}
        return assembled(
            key,
            content_hash,
            {name: TextColumn.of([texts[row] for row in order]) for name, texts in self.texts().items()}
            | {name: values[order] for name, values in self.arrays().items()},
            relation(count, [(int(rank[row]), place[parent], 0) for row, parent in self.up]),
            relation(count, [(int(rank[row]), place[target], code[kind]) for row, target, kind in self.across]),
            kinds,
        )


def assembled(
    key: SnapshotKey,
    content_hash: str,
    columns: Mapping[str, Any],
    parents: Relation,
    links: Relation,
    link_kinds: tuple[str, ...],
) -> Graph:
    """Return the graph of columns in the order of ids and of its edges; everything else follows from these."""
    ends = [(parents.sources(), parents.targets), (links.sources(), links.targets)]
    one = np.concatenate([a for a, _ in ends] + [b for _, b in ends])
    other = np.concatenate([b for _, b in ends] + [a for a, _ in ends])
    adjacent = Relation.of(len(columns["ids"]), one, other, np.zeros(len(one), np.int32))
    return Graph(
        key=key,
        content_hash=content_hash,
        **columns,
        parents=parents,
        children=parents.reversed(),
        links=links,
        links_back=links.reversed(),
        adjacent=adjacent,
        link_kinds=link_kinds,
    )


def relation(count: int, edges: Sequence[tuple[int, int, int]]) -> Relation:
    """Return the relation of (source, target, kind) triples."""
    table = np.array(edges, np.int32).reshape(-1, 3)
    return Relation.of(count, table[:, 0], table[:, 1], table[:, 2])


def _mask(values: Sequence[str], keys: tuple[str, ...]) -> int:
    return sum(1 << i for i, key in enumerate(keys) if key in values)
