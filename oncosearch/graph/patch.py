"""A graph made from an older one and the few nodes that changed: the same arrays as from all nodes, in less time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oncosearch.graph.columns import TextColumn
from oncosearch.graph.graph import Graph, Indices, NodeColumns, Relation, assembled
from oncosearch.model import Node, SnapshotKey


@dataclass(frozen=True, slots=True)
class Patch:
    """How the rows of a new snapshot come from those of an old one.

    Attributes
    ----------
    fresh
        The nodes changed or added, by id.
    origin
        int64 [new rows]: the old row it is, or the number of old rows + k for ``fresh[k]``.
    place
        int32 [old rows]: the new row of the node with the same id, −1 where it is gone.
    moved
        int32 [old rows]: as ``place``, but −1 for a changed node too: what can be taken over as it is.
    places
        int64 [fresh]: the new row of each fresh node.
    """

    fresh: tuple[Node, ...]
    origin: npt.NDArray[np.int64]
    place: Indices
    moved: Indices
    places: npt.NDArray[np.int64]

    @classmethod
    def of(cls, old_ids: TextColumn, fresh: Iterable[Node], removed: Sequence[str]) -> Patch:
        """Return the patch that puts ``fresh`` in and takes the ids ``removed`` out."""
        nodes = tuple(sorted(fresh, key=lambda node: node.id))
        old = len(old_ids)
        gone = np.zeros(old, bool)
        gone[[old_ids.lower_bound(node_id) for node_id in removed]] = True
        found = [old_ids.find(node.id) for node in nodes]
        is_new = np.array([i is None for i in found], bool)
        before = np.array(
            [old_ids.lower_bound(node.id) if i is None else i for node, i in zip(nodes, found, strict=True)], np.int64
        )
        replaced = before[~is_new]
        stays = ~gone
        stays[replaced] = False
        kept = np.flatnonzero(stays)
        origin = np.concatenate((kept, old + np.arange(len(nodes))))
        # An added node stands before the old row that follows it; several there, in the order of their ids.
        added = np.concatenate((np.zeros(len(kept), bool), is_new))
        origin = origin[np.lexsort((origin, ~added, np.concatenate((kept, before))))]
        rows = np.arange(len(origin))
        place = np.full(old, -1, np.int32)
        is_old = origin < old
        place[origin[is_old]] = rows[is_old]
        moved = place.copy()
        places = np.empty(len(nodes), np.int64)
        places[origin[~is_old] - old] = rows[~is_old]
        place[replaced] = places[~is_new]
        return cls(nodes, origin, place, moved, places)


def patched_graph(old: Graph, key: SnapshotKey, content_hash: str, patch: Patch) -> Graph:
    """Return what :func:`oncosearch.graph.build_graph` returns for all nodes of the new snapshot."""
    fresh = NodeColumns()
    for node in patch.fresh:
        fresh.add(node)
    texts = {
        name: TextColumn.gathered(getattr(old, name), TextColumn.of(values), patch.origin)
        for name, values in fresh.texts().items()
    }
    arrays = {
        name: np.concatenate((getattr(old, name), values))[patch.origin] for name, values in fresh.arrays().items()
    }
    place = _places([*(p for _, p in fresh.up), *(t for _, t, _ in fresh.across)], texts["ids"])
    up = [(int(patch.places[row]), place[parent], "") for row, parent in fresh.up]
    across = [(int(patch.places[row]), place[target], kind) for row, target, kind in fresh.across]
    parents, _ = _relation(old.parents, ("",), up, patch)
    links, kinds = _relation(old.links, old.link_kinds, across, patch)
    return assembled(key, content_hash, {**texts, **arrays}, parents, links, kinds)


def _places(ids: Iterable[str], column: TextColumn) -> dict[str, int]:
    return {node_id: column.lower_bound(node_id) for node_id in set(ids)}


def _relation(
    old: Relation, old_kinds: tuple[str, ...], added: Sequence[tuple[int, int, str]], patch: Patch
) -> tuple[Relation, tuple[str, ...]]:
    """Return the edges of nodes that stayed as they were with those ``added``, and the kinds in use."""
    sources = patch.moved[old.sources()]
    stay = sources >= 0
    known = tuple(sorted({*old_kinds, *(kind for _, _, kind in added)}))
    code = {kind: i for i, kind in enumerate(known)}
    recoded = np.array([code[kind] for kind in old_kinds], np.int32)
    table = np.array([(s, t, code[kind]) for s, t, kind in added], np.int32).reshape(-1, 3)
    kinds = np.concatenate((recoded[old.kinds[stay]], table[:, 2]))
    used = np.unique(kinds)
    renumbered = np.zeros(len(known), np.int32)
    renumbered[used] = np.arange(len(used))
    relation = Relation.of(
        len(patch.origin),
        np.concatenate((sources[stay], table[:, 0])),
        np.concatenate((patch.place[old.targets[stay]], table[:, 1])),
        renumbered[kinds],
    )
    return relation, tuple(known[i] for i in used)
