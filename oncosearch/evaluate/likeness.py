"""How alike two rankings of one question are: overlap, rank-biased overlap and Kendall's tau.

A ranking is a sequence of node ids, best first, each once. A ranking from this project has no ties: its order is
(−score, node id). A node that stands in one ranking alone is *missing* from the other; each measure says what that
means for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

PERSISTENCE = 0.9


@dataclass(frozen=True, slots=True)
class Likeness:
    """The measures of two rankings cut at ``k``; None where a measure is undefined. ``common`` counts shared nodes."""

    k: int
    common: int
    overlap: float | None
    rbo: float | None
    tau: float | None


def likeness(a: Sequence[str], b: Sequence[str], k: int) -> Likeness:
    """Return overlap@k, rank-biased overlap (p = 0.9) and Kendall's tau of the first ``k`` of both rankings."""
    first, second = tuple(a[:k]), tuple(b[:k])
    return Likeness(
        k,
        len(set(first) & set(second)),
        overlap(first, second, k),
        rank_biased_overlap(first, second),
        kendall_tau(first, second),
    )


def overlap(a: Sequence[str], b: Sequence[str], k: int) -> float | None:
    """Return the share of common nodes among the first ``k`` of both rankings, in [0, 1].

        overlap@k = |A:k ∩ B:k| / max(|A:k|, |B:k|)

    For rankings of at least ``k`` nodes the divisor is k. A shorter one is missing nodes, which count as not common;
    two short rankings that are equal have overlap 1. None where both are empty.
    """
    _checked(a, b)
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    first, second = set(a[:k]), set(b[:k])
    longer = max(len(first), len(second))
    return len(first & second) / longer if longer else None


def rank_biased_overlap(a: Sequence[str], b: Sequence[str], p: float = PERSISTENCE) -> float | None:
    """Return the extrapolated rank-biased overlap RBO_EXT, in [0, 1].

    Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, ACM TOIS 28(4), equation 32, which
    allows rankings of different lengths. With L the longer (l nodes) and S the shorter (s nodes), X_d the number of
    nodes common to both at depth d (S ends at s):

        (1 − p)/p · (Σ_{d=1..l} X_d/d · p^d  +  Σ_{d=s+1..l} X_s·(d − s)/(s·d) · p^d)  +  ((X_l − X_s)/l + X_s/s) · p^l

    What was agreed at the end of the rankings is taken to go on below them. With p = 0.9 the first ten ranks carry
    86 % of the weight. A node that is missing from one ranking counts as not agreed at every depth. Rankings without
    ties are assumed. One empty ranking gives 0; None where both are empty.
    """
    _checked(a, b)
    if not 0 < p < 1:
        raise ValueError(f"p is {p}; it must lie between 0 and 1, both excluded")
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    s, l = len(short), len(long)  # noqa: E741 - the names of the paper
    if l == 0:
        return None
    if s == 0:
        return 0.0
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    common = 0
    common_at_s = 0
    total = 0.0
    for d in range(1, l + 1):
        node = long[d - 1]
        seen_long.add(node)
        if d <= s:
            other = short[d - 1]
            seen_short.add(other)
            common += (node in seen_short) + (other != node and other in seen_long)
        else:
            common += node in seen_short
        if d == s:
            common_at_s = common
        total += common / d * p**d
        if d > s:
            total += common_at_s * (d - s) / (s * d) * p**d
    end = ((common - common_at_s) / l + common_at_s / s) * p**l
    return min(1.0, (1 - p) / p * total + end)


def kendall_tau(a: Sequence[str], b: Sequence[str]) -> float | None:
    """Return Kendall's tau-b over all nodes of both rankings, in [−1, 1].

    A node that is missing from a ranking is taken to stand below its end, tied there with all others that are missing
    from it: the order of two nodes of which neither is ranked is not known. (Kendall, 1945, The treatment of ties in
    ranking problems, Biometrika 33(3); ranking the missing last is how Fagin, Kumar and Sivakumar, 2003, Comparing
    top k lists, compare lists that were cut.) With C concordant and D discordant pairs of nodes, and n_a, n_b the
    pairs that are not tied in each ranking:

        tau-b = (C − D) / sqrt(n_a · n_b)

    Equal rankings give 1, a reversed one −1; rankings without a common node are below 0, since each puts first what
    the other puts last. None (undefined) where a ranking ties everything: it is empty, or there is one node only.
    """
    _checked(a, b)
    nodes = list(dict.fromkeys((*a, *b)))
    first, second = _ranks(a, nodes), _ranks(b, nodes)
    above = np.triu_indices(len(nodes), 1)
    in_a = np.sign(first[:, None] - first[None, :])[above]
    in_b = np.sign(second[:, None] - second[None, :])[above]
    untied = float(np.count_nonzero(in_a)) * float(np.count_nonzero(in_b))
    return float((in_a * in_b).sum() / np.sqrt(untied)) if untied else None


def _ranks(ranking: Sequence[str], nodes: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    place = {node: rank for rank, node in enumerate(ranking)}
    return np.array([place.get(node, len(ranking)) for node in nodes], np.int64)


def _checked(a: Sequence[str], b: Sequence[str]) -> None:
    for ranking in (a, b):
        if len(set(ranking)) != len(ranking):
            raise ValueError("a node stands twice in one ranking; every node must have one rank")
