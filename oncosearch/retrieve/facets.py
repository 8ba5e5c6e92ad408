"""Filters on hits, and counts of what the candidates are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from oncosearch.graph import Graph, descendants
from oncosearch.model import Filters
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS
from oncosearch.retrieve.candidates import Ints, Mask

Groups = Mapping[str, Ints]
FacetCounts = tuple[tuple[str, tuple[tuple[str, int], ...]], ...]


def group_members(graph: Graph) -> dict[str, Ints]:
    """Return the tumour groups: nodes of type group that are roots or directly below one, each with its descendants.

    Members are ascending node indices and include the group itself.
    """
    is_group = graph.types == NODE_TYPE_KEYS.index("group")
    roots = graph.roots()
    upper = np.union1d(roots, graph.children.of_nodes(roots))
    return {
        graph.ids[int(g)]: np.union1d(descendants(graph, int(g)), [g]).astype(np.int64) for g in upper[is_group[upper]]
    }


def allowed_nodes(graph: Graph, groups: Groups, filters: Filters) -> Mask | None:
    """Return bool [nodes], true where ``filters`` let a node through, or None where they restrict nothing."""
    if not filters:
        return None
    allowed = np.ones(len(graph), bool)
    if filters.types:
        allowed &= np.isin(graph.types, [i for i, key in enumerate(NODE_TYPE_KEYS) if key in filters.types])
    if filters.groups:
        within = np.zeros(len(graph), bool)
        for group in filters.groups:
            within[groups.get(group, np.empty(0, np.int64))] = True
        allowed &= within
    if filters.source_kinds:
        allowed &= (graph.source_mask & _bits(SOURCE_KIND_KEYS, filters.source_kinds)) > 0
    if filters.languages:
        allowed &= (graph.language_mask & _bits(LANGUAGE_KEYS, filters.languages)) > 0
    return allowed


def facet_counts(graph: Graph, groups: Groups, nodes: Ints) -> FacetCounts:
    """Return how many of ``nodes`` have each value of each facet; values in vocabulary order, groups by count."""
    masks = graph.source_mask[nodes], graph.language_mask[nodes]
    types = Counter(graph.type_of(int(i)) for i in nodes)
    inside = {group: int(np.isin(nodes, members, assume_unique=True).sum()) for group, members in groups.items()}
    return (
        ("types", tuple((key, types[key]) for key in NODE_TYPE_KEYS if types[key])),
        ("groups", tuple(sorted(((g, n) for g, n in inside.items() if n), key=lambda p: (-p[1], p[0])))),
        ("source_kinds", _bit_counts(masks[0], SOURCE_KIND_KEYS)),
        ("languages", _bit_counts(masks[1], LANGUAGE_KEYS)),
    )


def _bits(keys: Sequence[str], wanted: Sequence[str]) -> int:
    return sum(1 << i for i, key in enumerate(keys) if key in wanted)


def _bit_counts(masks: npt.NDArray[np.uint8], keys: Sequence[str]) -> tuple[tuple[str, int], ...]:
    counts = [(key, int(((masks >> i) & 1).sum())) for i, key in enumerate(keys)]
    return tuple((key, count) for key, count in counts if count)
