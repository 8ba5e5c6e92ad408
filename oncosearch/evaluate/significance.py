"""Pairs of runs: Wilcoxon signed-rank and permutation tests, false discoveries, effect sizes, wins and losses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from oncosearch.evaluate.evaluation import Estimate, Evaluation
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.measures import TEST_MEASURE, Floats, Measure
from oncosearch.evaluate.rules import Rules

Verdict = Literal["yes", "no", "no_difference", "too_few"]

# The least two-sided p of n differing topics is 2 / 2^n: above 0.05 up to five of them.
FEWEST_DIFFERING = 6
# Up to here the distribution of the signed-rank sum is counted out, ties included; beyond it is close to normal.
_COUNTED_OUT = 50
# Up to here there are fewer than 9,999 ways to give signs to differences: all of them are tried.
_ALL_SIGNS = 13
# Values are sums of a few fractions; what differs in the thirteenth decimal is equal.
_DECIMALS = 12
_ROWS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs on the same topics; differences are a − b.

    ``verdict``: ``yes`` or ``no`` (is ``q`` below alpha?), ``no_difference`` where every topic has equal values (no
    test), ``too_few`` where fewer than six differ, so that no significance is possible. ``p`` is that of the
    two-sided Wilcoxon signed-rank test, ``q`` adjusted over all pairs (Benjamini–Hochberg); ``permutation_p`` and
    ``permutation_q`` those of the paired sign-flip test of the mean difference. ``effect`` is the matched-pairs
    rank-biserial correlation, (W⁺ − W⁻) / (W⁺ + W⁻), from −1 to 1 (Kerby, 2014).
    ``method`` says how p was found: ``exact`` or ``normal`` approximation.
    """

    a: str
    b: str
    verdict: Verdict
    p: float | None
    q: float | None
    difference: Estimate
    effect: float | None
    wins: int
    ties: int
    losses: int
    permutation_p: float | None
    permutation_q: float | None
    method: Literal["exact", "normal"] | None

    @property
    def differing(self) -> int:
        """Return how many topics have different values."""
        return self.wins + self.losses


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairs of an evaluation's runs by one measure, lowest p first, pairs without a test last."""

    measure: Measure
    topics: int
    pairs: tuple[Comparison, ...]
    rules: Rules

    def of(self, a: str, b: str) -> Comparison:
        """Return the comparison of two runs, named in either order; look at its ``a`` for the direction."""
        return next(pair for pair in self.pairs if {pair.a, pair.b} == {a, b})


@dataclass(frozen=True, slots=True)
class SignedRank:
    """A two-sided Wilcoxon signed-rank test: p, the sums of ranks above and below zero, and how p was found."""

    p: float
    above: float
    below: float
    method: Literal["exact", "normal"]


def signed_rank(differences: Floats) -> SignedRank:
    """Return the two-sided Wilcoxon signed-rank test of differences, zeros left out (Wilcoxon, 1945).

    Equal sizes share their mean rank. Up to 50 differences p is exact, also with ties: counted over all ways to
    give signs to the ranks. Beyond that it is SciPy's normal approximation with correction for ties.
    Without any difference p is 1.
    """
    from scipy.stats import rankdata, wilcoxon

    kept = np.round(differences, _DECIMALS)
    kept = kept[kept != 0]
    if not kept.size:
        return SignedRank(1.0, 0.0, 0.0, "exact")
    ranks = rankdata(np.abs(kept))
    above, below = float(ranks[kept > 0].sum()), float(ranks[kept < 0].sum())
    if kept.size > _COUNTED_OUT:
        p = float(wilcoxon(kept, method="asymptotic").pvalue)
        return SignedRank(p, above, below, "normal")
    # Twice a mean rank is whole; the counts stay below 2^53 and are exact.
    doubled = np.rint(2 * ranks).astype(np.int64)
    ways = np.zeros(int(doubled.sum()) + 1)
    ways[0] = 1.0
    for rank in doubled.tolist():
        with_rank = ways.copy()
        with_rank[rank:] += ways[:-rank]
        ways = with_rank
    lesser = round(2 * min(above, below))
    p = min(1.0, 2.0 * float(ways[: lesser + 1].sum()) / 2.0**kept.size)
    return SignedRank(p, above, below, "exact")


def sign_flip_p(differences: Floats, rules: Rules) -> Floats:
    """Return the two-sided p of paired permutation tests of mean differences, one for each column.

    Under the null a difference might as well have the other sign (Fisher's randomisation test; for retrieval,
    Smucker, Allan and Carterette, 2007). Up to 13 differences that are not zero, all signs are tried and p is exact;
    else ``rules.permutations`` draws, and p = (1 + as extreme) / (1 + draws).

    Parameters
    ----------
    differences
        Topics × pairs.
    """
    # Only sizes matter, and zeros not at all; in order of size, p does not depend on how topics are sorted.
    rounded = np.round(differences, _DECIMALS)
    sizes = -np.sort(-np.abs(rounded), axis=0)
    reached = np.abs(rounded.sum(axis=0)) - 1e-9
    counts = np.count_nonzero(sizes, axis=0)
    found = np.ones(sizes.shape[1])
    for column in np.flatnonzero((counts > 0) & (counts <= _ALL_SIGNS)):
        n = int(counts[column])
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        found[column] = np.mean(np.abs(signs @ sizes[:n, column]) >= reached[column])
    drawn = np.flatnonzero(counts > _ALL_SIGNS)
    if drawn.size:
        extreme = np.zeros(drawn.size, np.int64)
        for signs in _drawn_signs(sizes.shape[0], rules):
            extreme += (np.abs(signs @ sizes[:, drawn]) >= reached[drawn]).sum(axis=0)
        found[drawn] = (1 + extreme) / (1 + rules.permutations)
    return found


def _drawn_signs(topics: int, rules: Rules) -> Iterator[Floats]:
    random = np.random.default_rng(rules.seed)
    for start in range(0, rules.permutations, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, rules.permutations - start)
        yield 1.0 - 2.0 * random.integers(0, 2, (rows, topics), np.int8)


def adjusted(p: npt.ArrayLike) -> Floats:
    """Return p adjusted by Benjamini and Hochberg (1995)."""
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"), np.float64)


def compare_runs(evaluation: Evaluation, measure: Measure | str = TEST_MEASURE) -> Comparisons:
    """Return every pair of runs compared by a measure, topic by topic.

    Identical pairs have no p but stay in the family that is adjusted for, as pairs with p = 1.

    Raises
    ------
    UsageError
        If the measure is not among the evaluation's.
    """
    column = evaluation.column(measure)
    rules = evaluation.rules
    values = evaluation.values[:, column]
    names = list(combinations(range(len(evaluation.runs)), 2))
    if not names:
        return Comparisons(evaluation.measures[column], len(evaluation.topics), (), rules)
    differences = np.stack([values[a] - values[b] for a, b in names])
    lower, upper = bootstrap_intervals(differences, rules)
    tests = [signed_rank(row) for row in differences]
    p_flipped = sign_flip_p(differences.T, rules)
    q, q_flipped = adjusted([test.p for test in tests]), adjusted(p_flipped)
    pairs = [
        _comparison(
            (evaluation.runs[a], evaluation.runs[b]),
            np.round(differences[i], _DECIMALS),
            Estimate(float(differences[i].mean()), *_ends(lower[i], upper[i])),
            tests[i],
            (float(q[i]), float(p_flipped[i]), float(q_flipped[i])),
            rules,
        )
        for i, (a, b) in enumerate(names)
    ]
    pairs.sort(key=lambda pair: (2.0 if pair.p is None else pair.p, pair.a, pair.b))
    return Comparisons(evaluation.measures[column], len(evaluation.topics), tuple(pairs), rules)


def _ends(lower: float, upper: float) -> tuple[float | None, float | None]:
    return (None, None) if np.isnan(lower) else (float(lower), float(upper))


def _comparison(
    names: tuple[str, str],
    differences: Floats,
    difference: Estimate,
    test: SignedRank,
    others: tuple[float, float, float],
    rules: Rules,
) -> Comparison:
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    counts = wins, differences.size - wins - losses, losses
    if wins + losses == 0:
        return Comparison(*names, "no_difference", None, None, difference, None, *counts, None, None, None)
    q, p_flipped, q_flipped = others
    verdict: Verdict = "yes" if q < rules.alpha else "no"
    if wins + losses < FEWEST_DIFFERING:
        verdict = "too_few"
    effect = (test.above - test.below) / (test.above + test.below)
    return Comparison(*names, verdict, test.p, q, difference, effect, *counts, p_flipped, q_flipped, test.method)
