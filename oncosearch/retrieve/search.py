"""A whole search: pipeline, names typed exactly, filters, redundant nodes folded, facets and notes."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from oncosearch.index.names import NameIndex, fold_name
from oncosearch.model import DecidedPairs, Filters, Hit, Ranking
from oncosearch.retrieve.candidates import Candidates, Mask, Question, Resources
from oncosearch.retrieve.facets import Groups, allowed_nodes, facet_counts
from oncosearch.retrieve.pipelines import Pipeline

# Candidates that are ranked and counted; hits are cut from these.
POOL = 500
# Vectors at least this close, under one title, say the same.
REDUNDANT = 0.98
_MAX_PINNED = 5
_NOTHING_DECIDED = DecidedPairs()


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The names and groups of a snapshot, beside its resources."""

    names: NameIndex
    groups: Groups


def search(
    resources: Resources,
    catalogue: Catalogue,
    question: Question,
    pipeline: Pipeline,
    filters: Filters,
    top: int,
    model: str | None,
    decided: DecidedPairs = _NOTHING_DECIDED,
) -> Ranking:
    """Return the ranking of a question: nodes that it names exactly first, then by (−score, node id).

    The facets count the candidates before filtering; ``timings`` are in milliseconds. Nodes that are ``decided`` to be
    duplicates fold; a pair decided to be different never does.
    """
    start = time.perf_counter()
    graph = resources.graph
    allowed = allowed_nodes(graph, catalogue.groups, filters)
    everything = pipeline.run(resources, question, POOL, None)
    found = everything if allowed is None else pipeline.run(resources, question, POOL, allowed)
    ranked = time.perf_counter()
    pinned = [(i, how) for i, how in catalogue.names.exact(question.text) if allowed is None or allowed[i]][
        :_MAX_PINNED
    ]
    order, scored = _with_pinned(resources, question, pipeline, found, [i for i, _ in pinned])
    hits = _hits(resources, order, scored, dict(pinned), top, decided)
    notes: list[tuple[str, tuple[tuple[str, str], ...]]] = []
    if everything.cut:
        cut = (("seed_count", str(len(everything.cut))), ("cut", str(sum(everything.cut.values()))))
        notes.append(("neighbourhood_cut", cut))
    if folded := sum(len(h.folded) for h in hits):
        notes.append(("folded", (("count", str(folded)),)))
    if len(everything.nodes) >= POOL:
        notes.append(("candidates_capped", (("count", str(POOL)),)))
    if allowed is not None and not hits and len(everything.nodes):
        notes.append(("filtered_out", (("count", str(len(everything.nodes))),)))
    done = time.perf_counter()
    return Ranking(
        query=question.text,
        hits=hits,
        snapshot=graph.key,
        model=model if pipeline.needs_vectors else None,
        pipeline=pipeline.key,
        parameters=question.parameters,
        candidate_count=len(found.nodes),
        facets=facet_counts(graph, catalogue.groups, everything.nodes),
        timings=(("rank", 1000 * (ranked - start)), ("assemble", 1000 * (done - ranked))),
        notes=tuple(notes),
    )


def _with_pinned(
    resources: Resources, question: Question, pipeline: Pipeline, found: Candidates, pinned: list[int]
) -> tuple[list[int], Candidates]:
    """Return the positions in hit order, pinned nodes first, and the candidates that they point into."""
    missing = [i for i in pinned if i not in set(found.nodes.tolist())]
    if missing:
        found = _appended(found, _scored_alone(resources, question, pipeline, missing))
    place = {int(node): position for position, node in enumerate(found.nodes)}
    first = [place[i] for i in pinned]
    return [*first, *(p for p in range(len(found.nodes)) if p not in set(first))], found


def _scored_alone(resources: Resources, question: Question, pipeline: Pipeline, nodes: list[int]) -> Candidates:
    """Return named nodes that the pipeline did not reach, with the score that it gives to them alone."""
    only: Mask = np.zeros(len(resources.graph), bool)
    only[nodes] = True
    scored = pipeline.run(resources, question, len(nodes), only)
    rest = np.array([i for i in nodes if i not in set(scored.nodes.tolist())], np.int64)
    if not len(rest):
        return scored
    nothing, minus = np.full(len(rest), np.nan), np.full(len(rest), -1, np.int64)
    similarity = nothing
    own = np.zeros(len(rest))
    if resources.dense is not None and question.vector is not None:
        similarity = resources.dense.exact(question.vector, rest).astype(np.float64)
        own = question.parameters.alpha * similarity if "alpha" in pipeline.uses else similarity
    bare = Candidates(rest, own, own, np.zeros(len(rest)), similarity, nothing, minus, minus, lambda _: (), {})
    return _appended(scored, bare)


def _appended(a: Candidates, b: Candidates) -> Candidates:
    count = len(a.nodes)
    return Candidates(
        np.concatenate((a.nodes, b.nodes)),
        np.concatenate((a.scores, b.scores)),
        np.concatenate((a.own, b.own)),
        np.concatenate((a.around, b.around)),
        np.concatenate((a.similarity, b.similarity)),
        np.concatenate((a.subgraph, b.subgraph)),
        np.concatenate((a.hops, b.hops)),
        np.concatenate((a.seeds, b.seeds)),
        lambda i: a.neighbours(i) if i < count else b.neighbours(i - count),
        a.cut,
    )


def _hits(
    resources: Resources, order: list[int], c: Candidates, pinned: dict[int, str], top: int, decided: DecidedPairs
) -> tuple[Hit, ...]:
    """Return the first ``top`` hits, each with the redundant nodes below it folded in."""
    graph = resources.graph
    leaders: list[int] = []
    folded: dict[int, list[int]] = {}
    by_title: dict[str, list[int]] = {}
    by_group: dict[str, list[int]] = {}

    def kept_apart(node_id: str, position: int) -> bool:
        others = decided.apart.get(node_id, frozenset())
        return bool(others) and any(graph.ids[i] in others for i in (int(c.nodes[position]), *folded[position]))

    for position in order:
        node = int(c.nodes[position])
        node_id, title = graph.ids[node], fold_name(graph.title(node))
        group = decided.groups.get(node_id)
        twin = next((p for p in by_group.get(group or "", ()) if not kept_apart(node_id, p)), None)
        if twin is None and node not in pinned:
            alike = (p for p in by_title.get(title, ()) if _same(resources, int(c.nodes[p]), node))
            twin = next((p for p in alike if not kept_apart(node_id, p)), None)
        if twin is None:
            if len(leaders) == top:
                # Twins further down would still fold, but a longer list must not change the hits above it.
                break
            leaders.append(position)
            folded[position] = []
            by_title.setdefault(title, []).append(position)
            twin = position
        else:
            folded[twin].append(node)
        if group is not None:
            by_group.setdefault(group, []).append(twin)
    return tuple(
        Hit(
            node_id=graph.ids[int(c.nodes[p])],
            rank=rank,
            score=float(c.scores[p]),
            own=float(c.own[p]),
            around=float(c.around[p]),
            similarity=_number(c.similarity[p]),
            subgraph_similarity=_number(c.subgraph[p]),
            hop=int(c.hops[p]) if c.hops[p] >= 0 else None,
            seed_id=graph.ids[int(c.seeds[p])] if c.seeds[p] >= 0 else None,
            neighbours=tuple((graph.ids[i], share) for i, share in c.neighbours(p)),
            folded=tuple(sorted(graph.ids[i] for i in folded[p])),
            pinned=pinned.get(int(c.nodes[p])),
            cut=c.cut.get(int(c.seeds[p]), 0),
        )
        for rank, p in enumerate(leaders, 1)
    )


def _same(resources: Resources, a: int, b: int) -> bool:
    """Whether two nodes of one title are redundant: the same sources and near-equal vectors; never without vectors.

    The sources are asked for because reports of two studies may read almost alike and must not hide each other.
    """
    if resources.dense is None or resources.graph.source_hash[a] != resources.graph.source_hash[b]:
        return False
    pair = resources.dense.take(np.array([a, b])).astype(np.float64)
    return bool(pair[0] @ pair[1] >= REDUNDANT)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
