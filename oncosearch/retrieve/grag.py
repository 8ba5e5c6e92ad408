"""GRAG scoring (GRAG paper 4.3, equations 4 and 5): seeds, their neighbourhoods, and the blend of both signals."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from oncosearch.graph import neighbourhood
from oncosearch.retrieve.candidates import Candidates, Ints, Question, Resources, Shares, best_first

_SHOWN_NEIGHBOURS = 8


def blend(resources: Resources, question: Question, seeds: Ints) -> Candidates:
    """Return every node that a seed's neighbourhood reaches, with its score.

        score(i) = α·q·v_i + (1 − α)·λ^hop(i, s)·q·g_s

    where g_s is the normalised mean of the neighbourhood's vectors. A node that several seeds reach keeps the best
    of its scores; of equal ones that with fewer hops, then that of the better seed.

    Parameters
    ----------
    seeds
        int64 [seeds] node indices, best first.
    """
    dense, vector, p = resources.dense, question.vector, question.parameters
    assert dense is not None
    assert vector is not None
    around_seeds = [neighbourhood(resources.graph.adjacent, int(s), p.hops, p.cap) for s in seeds]
    if not around_seeds:
        return _empty()
    sizes = [len(n.nodes) for n in around_seeds]
    reached = np.concatenate([n.nodes for n in around_seeds]).astype(np.int64)
    hops = np.concatenate([n.hops for n in around_seeds]).astype(np.int64)
    seed_ranks = np.repeat(np.arange(len(seeds)), sizes)
    nodes, places = np.unique(reached, return_inverse=True)
    similarity = dense.exact(vector, nodes).astype(np.float64)

    # g_s = Σ v_i / ‖Σ v_i‖: the mean and its normalisation differ by a factor that cancels.
    membership = csr_matrix((np.ones(len(reached), np.float32), (seed_ranks, places)), shape=(len(seeds), len(nodes)))
    sums = membership @ dense.take(nodes)
    lengths = np.linalg.norm(sums.astype(np.float64), axis=1)
    pooled = (sums.astype(np.float64) @ vector.astype(np.float64)) / np.where(lengths > 0, lengths, 1)

    decayed = (1 - p.alpha) * p.lam ** hops.astype(np.float64) * pooled[seed_ranks]
    order = np.lexsort((seed_ranks, hops, -decayed, places))
    first = order[np.unique(places[order], return_index=True)[1]]
    own = p.alpha * similarity
    around = decayed[first]
    scores = own + around
    chosen = best_first(nodes, scores, len(nodes))

    def neighbours(position: int) -> Shares:
        """Return the candidate's direct neighbours by their similarity to the question."""
        beside = np.intersect1d(resources.graph.adjacent.of_node(int(nodes[chosen[position]])), nodes)
        found = np.searchsorted(nodes, beside)
        best = best_first(beside.astype(np.int64), similarity[found], _SHOWN_NEIGHBOURS)
        return tuple((int(beside[i]), float(similarity[found[i]])) for i in best)

    return Candidates(
        nodes[chosen],
        scores[chosen],
        own[chosen],
        around[chosen],
        similarity[chosen],
        pooled[seed_ranks[first]][chosen],
        hops[first][chosen],
        seeds[seed_ranks[first]][chosen],
        neighbours,
        {int(s): n.cut for s, n in zip(seeds, around_seeds, strict=True) if n.cut},
    )


def _empty() -> Candidates:
    none, ints = np.empty(0), np.empty(0, np.int64)
    return Candidates(ints, none, none, none, none, none, ints, ints, lambda _: (), {})
