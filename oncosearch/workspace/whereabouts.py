"""Where a node stands in the answer to a request, or exactly why it was not reached."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oncosearch.model import Hit, Ranking
from oncosearch.model.vocabulary import LANGUAGE_KEYS, SOURCE_KIND_KEYS
from oncosearch.retrieve import Candidates, allowed_nodes
from oncosearch.retrieve.candidates import Ints
from oncosearch.retrieve.pipelines import RRF_DEPTH, fuse, run_dense, run_lexical
from oncosearch.retrieve.search import POOL
from oncosearch.workspace.asked import Asked

SHOWN, BELOW, FOLDED, FILTERED, BEYOND, NO_WORD, OUTSIDE, CUT, UNKNOWN = REASONS = (
    "shown", "below", "folded", "filtered", "beyond", "no_word", "outside", "cut", "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ScoreParts:
    """The score of a candidate and its two parts; ``own + around = score``."""

    score: float
    own: float
    around: float


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where a node stands.

    ``reason`` is one of ``REASONS``:

    - ``shown``: a hit among those shown. ``below``: a hit further down. Both with ``hit``.
    - ``folded``: redundant to ``other``, the ``hit`` at ``rank``, and shown under it.
    - ``filtered``: the filters named in ``facets`` keep it out; ``place`` is where it would stand without them.
    - ``beyond``: scored, at ``place`` of ``scored`` candidates, but only the best ``limit`` become hits.
    - ``no_word``: shares no word with the question.
    - ``outside``: within ``limit`` steps of no starting node; the nearest, ``other``, is ``steps`` away (None: there is
      no way). ``place`` is its own place as a starting node, of which the first ``scored`` are taken.
    - ``cut``: within reach of the starting node ``other`` (``steps`` away), whose neighbourhood was cut at ``limit``.
    - ``unknown``: the graph has no such node.

    ``rank`` counts hits, ``place`` counts candidates before redundant nodes are folded; both from 1. ``parts``
    are None where the node was not scored.
    """

    node_id: str
    reason: str
    hit: Hit | None = None
    rank: int | None = None
    place: int | None = None
    scored: int | None = None
    limit: int | None = None
    other: str | None = None
    steps: int | None = None
    facets: tuple[str, ...] = ()
    parts: ScoreParts | None = None


def full_ranking(asked: Asked) -> Ranking:
    """Return the ranking with every candidate that can become a hit."""
    return asked.rank(POOL)


def where_is(asked: Asked, ranking: Ranking, node_id: str, shown: int) -> Whereabouts:
    """Return where a node stands in ``ranking``, the :func:`full_ranking` of a request of which ``shown`` are shown."""
    graph = asked.resources.graph
    i = graph.ids.find(node_id)
    if i is None:
        return Whereabouts(node_id, UNKNOWN)
    for hit in ranking.hits:
        if hit.node_id == node_id:
            reason = SHOWN if hit.rank <= shown else BELOW
            return Whereabouts(node_id, reason, hit, hit.rank, parts=ScoreParts(hit.score, hit.own, hit.around))
    found = asked.pipeline.run(asked.resources, asked.question, len(graph), None)
    at = np.flatnonzero(found.nodes == i)
    place = int(at[0]) + 1 if len(at) else None
    parts = _parts(found, place)
    for hit in ranking.hits:
        if node_id in hit.folded:
            return Whereabouts(node_id, FOLDED, hit, hit.rank, place, other=hit.node_id, parts=parts)
    allowed = allowed_nodes(graph, asked.catalogue.groups, asked.request.filters)
    if allowed is not None and not allowed[i]:
        return Whereabouts(
            node_id, FILTERED, place=place, scored=len(found.nodes), facets=_barring(asked, i), parts=parts
        )
    if place is not None:
        if allowed is not None:
            kept = np.flatnonzero(allowed[found.nodes])
            place, found = int(np.searchsorted(kept, place - 1)) + 1, found.take(kept)
        return Whereabouts(node_id, BEYOND, place=place, scored=len(found.nodes), limit=POOL, parts=parts)
    if asked.pipeline.key == "lexical":
        return Whereabouts(node_id, NO_WORD)
    return _outside(asked, node_id, i)


def _parts(found: Candidates, place: int | None) -> ScoreParts | None:
    if place is None:
        return None
    at = place - 1
    return ScoreParts(float(found.scores[at]), float(found.own[at]), float(found.around[at]))


def _barring(asked: Asked, i: int) -> tuple[str, ...]:
    """Return the facets of the filters that do not let node ``i`` through."""
    graph, groups, filters = asked.resources.graph, asked.catalogue.groups, asked.request.filters
    mask, spoken = int(graph.source_mask[i]), int(graph.language_mask[i])
    lets = {
        "types": not filters.types or graph.type_of(i) in filters.types,
        "groups": not filters.groups or any(i in groups.get(g, ()) for g in filters.groups),
        "source_kinds": not filters.source_kinds
        or any(mask >> SOURCE_KIND_KEYS.index(kind) & 1 for kind in filters.source_kinds),
        "languages": not filters.languages or any(spoken >> LANGUAGE_KEYS.index(key) & 1 for key in filters.languages),
    }
    return tuple(facet for facet, through in lets.items() if not through)


def _outside(asked: Asked, node_id: str, i: int) -> Whereabouts:
    """Return why a pipeline with starting nodes did not reach node ``i``."""
    resources, p = asked.resources, asked.question.parameters
    graph = resources.graph
    order = _starting_order(asked)
    seeds = order[: p.seeds]
    at = np.flatnonzero(order == i)
    place = int(at[0]) + 1 if len(at) else None
    nearest, steps = _nearest(asked, i, seeds)
    if nearest is None or steps is None:
        return Whereabouts(node_id, OUTSIDE, place=place, scored=p.seeds, limit=p.hops)
    reason, limit = (CUT, p.cap) if steps <= p.hops else (OUTSIDE, p.hops)
    other = graph.ids[nearest]
    return Whereabouts(node_id, reason, place=place, scored=p.seeds, limit=limit, other=other, steps=steps)


def _starting_order(asked: Asked) -> Ints:
    """Return the nodes in the order in which the pipeline takes its starting nodes."""
    resources, question, count = asked.resources, asked.question, len(asked.resources.graph)
    if asked.pipeline.key == "hybrid":
        depth = max(RRF_DEPTH, question.parameters.seeds)
        lists = [run(resources, question, depth, None).nodes for run in (run_dense, run_lexical)]
        return fuse(lists)
    return run_dense(resources, question, count, None).nodes


def _nearest(asked: Asked, i: int, seeds: Ints) -> tuple[int | None, int | None]:
    """Return the starting node nearest to node ``i``, the better one of equally near ones, and the steps to it."""
    adjacent = asked.resources.graph.adjacent
    visited = np.zeros(len(asked.resources.graph), bool)
    frontier, steps = np.array([i], np.int32), 0
    while len(frontier):
        visited[frontier] = True
        here = np.flatnonzero(np.isin(seeds, frontier))
        if len(here):
            return int(seeds[here[0]]), steps
        beside = np.unique(adjacent.of_nodes(frontier))
        frontier, steps = beside[~visited[beside]], steps + 1
    return None, None
