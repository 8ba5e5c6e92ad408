"""How far raters agree: Cohen's kappa, Gwet's AC1 and raw agreement by pair, Krippendorff's alpha over all.

Where a coefficient has no value it says why; it is never replaced by 1, by 0 or by NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oncosearch.model import UsageError

Grade = int | float | str | None
# {item: {rater: grade}}; an item is a node under a topic.
Ratings = Mapping[Any, Mapping[str, Grade]]
Weights = Literal["unweighted", "linear", "quadratic"]
Level = Literal["nominal", "ordinal", "interval"]

GRADE_LABELS = (-1, 0, 1, 2, 3)
BINARY_LABELS = (0, 1)
WEIGHTS: tuple[Weights, ...] = ("unweighted", "linear", "quadratic")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")

_Counts = npt.NDArray[np.int64]
_Values = npt.NDArray[np.float64]
_MISSING = -1
_LEAST_SQUARED, _MOST_SQUARED = 1e-100, 1e100
_WHY = {
    "no_grades": "one of the raters gave no grade at all",
    "no_common": "no item was graded by both raters",
    "one_label": "only one label was used, which leaves nothing beyond chance to agree on",
    "no_pairs": "no item was graded by two raters",
    "no_kappa": "no two raters have one, each pair for a reason of its own",
}


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A value, or None and the code of the reason why there is none."""

    value: float | None
    undefined: str = ""

    @property
    def why(self) -> str:
        """The reason as an English clause; empty where there is a value."""
        return _WHY[self.undefined] if self.undefined else ""

    def __str__(self) -> str:
        """Return the value with four decimals, or ``undefined`` with the reason."""
        return f"{self.value:.4f}" if self.value is not None else f"undefined ({self.why})"


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two raters: items that both graded, and how far their grades agree."""

    a: str
    b: str
    common: int
    raw: Coefficient
    kappa: Coefficient
    kappa_linear: Coefficient
    kappa_quadratic: Coefficient
    ac1: Coefficient


@dataclass(frozen=True, slots=True)
class ScaleAgreement:
    """All raters on one scale.

    ``common`` counts the items with at least two grades, which are those that alpha is computed from, and
    ``values`` the grades of these items. ``mean_kappa`` is the mean of the unweighted kappas of ``defined`` pairs.
    """

    labels: tuple[float, ...]
    pairs: tuple[PairAgreement, ...]
    alpha_nominal: Coefficient
    alpha_ordinal: Coefficient
    alpha_interval: Coefficient
    common: int
    values: int
    mean_kappa: Coefficient
    defined: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree on the grades as given and on relevant or not (grade ≥ ``threshold``)."""

    raters: tuple[str, ...]
    items: int
    ratings: int
    missing: int
    threshold: float
    graded: ScaleAgreement
    binary: ScaleAgreement

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; an undefined coefficient has value null and the reason."""
        return asdict(self)


def agreement(ratings: Ratings, *, labels: Sequence[float] | None = GRADE_LABELS, threshold: float = 1) -> Agreement:
    """Return the agreement of all raters, on the grades as given and on grade ≥ ``threshold``.

    Parameters
    ----------
    ratings
        ``{item: {rater: grade}}``. No entry, None, NaN, an empty text and ``unsure`` are missing values: the item
        is left out where that rater is asked for, and counted in ``missing``.
    labels
        The labels that could be given, all of them: AC1 depends on their number. None takes those that were given.
    threshold
        From this grade on a node is relevant on the binary scale.

    Raises
    ------
    UsageError
        If a grade is no number, or none of ``labels``; if ``threshold`` is not finite.

    Notes
    -----
    Raters are in the order of their names. Pairs are (first, second), (first, third), …; weights of kappa are |a − b|
    and (a − b)² of the grades themselves.
    """
    if not math.isfinite(threshold):
        raise UsageError(f"The threshold is {threshold}; expected a finite number, such as 1.")
    table = _Table(ratings, labels)
    return Agreement(
        raters=table.raters,
        items=table.codes.shape[0],
        ratings=int((table.codes != _MISSING).sum()),
        missing=int((table.codes == _MISSING).sum()),
        threshold=threshold,
        graded=_on_scale(table.raters, table.codes, table.labels),
        binary=_on_scale(table.raters, _binary(table.codes, table.labels, threshold), np.array(BINARY_LABELS, float)),
    )


def cohens_kappa(a: Sequence[Grade], b: Sequence[Grade], *, weights: Weights = "unweighted") -> Coefficient:
    """Return Cohen's kappa of two raters' grades of the same items, in the same order.

    κ = 1 − Σ w·o / Σ w·e with observed counts o, expected counts e = row · column / n, and the weight w of a
    disagreement: 1 (unweighted), |x − y| (linear) or (x − y)² (quadratic) of the two grades [Cohen 1960, 1968].
    Items that one of the two has not graded are left out. Range −1 to 1.

    Raises
    ------
    UsageError
        If there are no such weights.
    """
    _one_of(weights, WEIGHTS, "weights")
    counts, labels, undefined = _two(a, b)
    return undefined or _kappas(counts, labels, weights)[0]


def gwets_ac1(a: Sequence[Grade], b: Sequence[Grade], *, labels: Sequence[float] | None = None) -> Coefficient:
    """Return Gwet's AC1 of two raters' grades of the same items, in the same order.

    (p − e) / (1 − e) with raw agreement p and chance agreement e = Σ π(1 − π) / (q − 1), where π is the mean of both
    raters' shares of a label and q the number of labels that could be given [Gwet 2008]; by default those that were.
    """
    counts, _, undefined = _two(a, b, labels)
    return undefined or _ac1s(counts)[0]


def raw_agreement(a: Sequence[Grade], b: Sequence[Grade]) -> Coefficient:
    """Return the share of the items graded by both on which both grades are the same, 0 to 1."""
    counts, _, undefined = _two(a, b)
    return undefined or _raws(counts)[0]


def krippendorffs_alpha(ratings: Ratings, *, level: Level = "ordinal") -> Coefficient:
    """Return Krippendorff's alpha over all raters; items with fewer than two grades do not count.

    α = 1 − Dₒ/Dₑ over the matrix of coincidences, with the squared differences of the level of measurement: nominal
    1, ordinal by the number of values between the two, interval (x − y)² [Krippendorff 2011].

    Raises
    ------
    UsageError
        If there is no such level.
    """
    _one_of(level, LEVELS, "level of measurement")
    table = _Table(ratings, None)
    return _alphas(_coincidences(table.codes, len(table.labels)), table.labels)[LEVELS.index(level)]


def _one_of(asked: str, known: Sequence[str], what: str) -> None:
    if asked not in known:
        raise UsageError(f"There is no {what} {asked!r}; expected one of {', '.join(known)}.")


class _Table:
    """Ratings as codes: one row an item, one column a rater, the code of the label or ``_MISSING``."""

    def __init__(self, ratings: Ratings, labels: Sequence[float] | None) -> None:
        # As texts, so that names and numbers can be told in one order.
        self.raters = tuple(sorted({rater for grades in ratings.values() for rater in grades}, key=str))
        column = {rater: number for number, rater in enumerate(self.raters)}
        where: list[int] = []
        given: list[float] = []
        for row, (item, grades) in enumerate(ratings.items()):
            for rater, grade in grades.items():
                value = _number(grade, item, rater)
                if value is not None:
                    where.append(row * len(self.raters) + column[rater])
                    given.append(value)
        values = np.array(given, dtype=np.float64)
        self.labels = np.unique(values if labels is None else np.array(labels, dtype=np.float64))
        codes = np.searchsorted(self.labels, values)
        known = np.append(self.labels, np.nan)[codes] == values
        if not known.all():
            expected = ", ".join(f"{label:g}" for label in self.labels)
            first = int(np.argmin(known))
            row, at = divmod(where[first], len(self.raters))
            item = next(islice(ratings, row, None))
            raise UsageError(
                f"Rater {self.raters[at]!r} gave {item!r} the grade {values[first]:g}; expected one of {expected}."
            )
        self.codes = np.full((len(ratings), len(self.raters)), _MISSING, dtype=np.int64)
        self.codes.reshape(-1)[where] = codes


def _number(grade: Grade, item: Hashable, rater: str) -> float | None:
    if grade is None or grade == "unsure" or (isinstance(grade, str) and not grade.strip()):
        return None
    try:
        value = float(grade)
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise UsageError(f"Rater {rater!r} gave {item!r} the grade {grade!r}; expected a number, 'unsure' or nothing.")
    return None if math.isnan(value) else value


def _binary(codes: _Counts, labels: _Values, threshold: float) -> _Counts:
    relevant = np.append((labels >= threshold).astype(np.int64), _MISSING)
    # The code of a missing value is −1, which is the last entry.
    return relevant[codes]


def _on_scale(raters: tuple[str, ...], codes: _Counts, labels: _Values) -> ScaleAgreement:
    pairs: list[PairAgreement] = []
    for first, counts in _pair_counts(codes, len(labels)):
        pairs.extend(_pairs(raters, first, counts, labels, codes))
    coincidences = _coincidences(codes, len(labels))
    nominal, ordinal, interval = _alphas(coincidences, labels)
    grades = (codes != _MISSING).sum(axis=1)
    kappas = [pair.kappa.value for pair in pairs if pair.kappa.value is not None]
    if kappas:
        mean = Coefficient(math.fsum(kappas) / len(kappas))
    else:
        reasons = {pair.kappa.undefined for pair in pairs} or {"no_pairs"}
        mean = Coefficient(None, reasons.pop() if len(reasons) == 1 else "no_kappa")
    return ScaleAgreement(
        labels=tuple(labels.tolist()),
        pairs=tuple(pairs),
        alpha_nominal=nominal,
        alpha_ordinal=ordinal,
        alpha_interval=interval,
        common=int((grades >= 2).sum()),
        values=int(grades[grades >= 2].sum()),
        mean_kappa=mean,
        defined=len(kappas),
    )


def _pairs(
    raters: tuple[str, ...], first: int, counts: _Counts, labels: _Values, codes: _Counts
) -> Iterator[PairAgreement]:
    """Yield the pairs of one rater with those behind it."""
    silent = (codes == _MISSING).all(axis=0)
    kappas = [_kappas(counts, labels, weights) for weights in WEIGHTS]
    raws, ac1s, common = _raws(counts), _ac1s(counts), counts.sum(axis=(1, 2)).tolist()
    for place, rater in enumerate(raters[first + 1 :]):
        found = [raws[place], *(values[place] for values in kappas), ac1s[place]]
        if silent[first] or silent[first + 1 + place]:
            found = [Coefficient(None, "no_grades")] * len(found)
        yield PairAgreement(raters[first], rater, common[place], *found)


def _pair_counts(codes: _Counts, size: int) -> Iterator[tuple[int, _Counts]]:
    """Yield each rater's number and, for every rater behind it, how often the two gave labels (x, y)."""
    for first in range(codes.shape[1] - 1):
        own = codes[:, first]
        rows = own != _MISSING
        others = codes[rows, first + 1 :]
        width = others.shape[1]
        cells = (np.arange(width) * size + own[rows, None]) * size + others
        counts = np.bincount(cells[others != _MISSING], minlength=width * size * size)
        yield first, counts.reshape(width, size, size)


def _two(
    a: Sequence[Grade], b: Sequence[Grade], labels: Sequence[float] | None = None
) -> tuple[_Counts, _Values, Coefficient | None]:
    if len(a) != len(b):
        raise UsageError(f"{len(a)} grades against {len(b)}; expected grades of the same items in the same order.")
    table = _Table({item: {"a": x, "b": y} for item, (x, y) in enumerate(zip(a, b, strict=True))}, labels)
    if not len(a) or (table.codes == _MISSING).all(axis=0).any():
        return np.zeros((1, 0, 0), np.int64), table.labels, Coefficient(None, "no_grades")
    _, counts = next(_pair_counts(table.codes, len(table.labels)))
    return counts, table.labels, None


def _kappas(counts: _Counts, labels: _Values, weights: Weights) -> list[Coefficient]:
    apart = np.abs(_differences(labels))
    cost = {"unweighted": (apart > 0).astype(float), "linear": apart, "quadratic": apart**2}[weights]
    total = counts.sum(axis=(1, 2))
    # Both sides are multiplied by n, so that all sums are of whole numbers.
    expected = np.einsum("px,py,xy->p", counts.sum(axis=2), counts.sum(axis=1), cost)
    observed = np.einsum("pxy,xy->p", counts, cost) * total
    return _quotients(total, expected, lambda some: 1 - observed[some] / expected[some])


def _differences(labels: _Values) -> _Values:
    """Return label − label; in units of the largest label where squares would leave the range of floats.

    Coefficients are quotients, in which the unit does not matter.
    """
    largest = float(np.abs(labels).max(initial=0.0))
    if largest and not _LEAST_SQUARED < largest < _MOST_SQUARED:
        labels = labels / largest
    apart: _Values = labels[:, None] - labels[None, :]
    return apart


def _raws(counts: _Counts) -> list[Coefficient]:
    total = counts.sum(axis=(1, 2))
    same = np.einsum("pxx->p", counts)
    return _quotients(total, total, lambda some: same[some] / total[some])


def _ac1s(counts: _Counts) -> list[Coefficient]:
    total = counts.sum(axis=(1, 2))
    same = np.einsum("pxx->p", counts)
    given = counts.sum(axis=2) + counts.sum(axis=1)
    labels = counts.shape[1]
    used = (given > 0).sum(axis=1)

    def values(some: npt.NDArray[np.bool_]) -> _Values:
        share = given[some] / (2 * total[some, None])
        chance = (share * (1 - share)).sum(axis=1) / (labels - 1)
        quotients: _Values = (same[some] / total[some] - chance) / (1 - chance)
        return quotients

    return _quotients(total, (used > 1) * total, values)


def _quotients(
    total: _Counts, denominator: npt.NDArray[Any], values: Callable[[npt.NDArray[np.bool_]], _Values]
) -> list[Coefficient]:
    """Return values where the denominator is not 0; elsewhere there are no items, or one label only."""
    some = denominator != 0
    defined = iter(values(some).tolist())
    return [
        Coefficient(next(defined)) if there else Coefficient(None, "one_label" if items else "no_common")
        for there, items in zip(some.tolist(), total.tolist(), strict=True)
    ]


def _coincidences(codes: _Counts, size: int) -> _Values:
    """Return how often labels x and y meet within an item, each item weighted by 1 / (its grades − 1)."""
    rows, columns = np.nonzero(codes != _MISSING)
    counts = np.bincount(rows * size + codes[rows, columns], minlength=codes.shape[0] * size)
    counts = counts.reshape(codes.shape[0], size).astype(np.float64)
    counts = counts[counts.sum(axis=1) >= 2]
    weighted = counts / (counts.sum(axis=1, keepdims=True) - 1)
    coincidences: _Values = counts.T @ weighted - np.diag(weighted.sum(axis=0))
    return coincidences


def _alphas(coincidences: _Values, labels: _Values) -> list[Coefficient]:
    """Return alpha at each of ``LEVELS``."""
    # The sums are numbers of grades; only their parts are fractions.
    given = np.rint(coincidences.sum(axis=1))
    total = given.sum()
    if not total:
        return [Coefficient(None, "no_pairs")] * len(LEVELS)
    if np.count_nonzero(given) < 2:
        return [Coefficient(None, "one_label")] * len(LEVELS)
    up_to = np.cumsum(given)
    between = up_to[None, :] - up_to[:, None] + (given[:, None] - given[None, :]) / 2
    apart = _differences(labels)
    found = []
    for cost in ((apart != 0).astype(float), between**2, apart**2):
        expected = float((np.outer(given, given) * cost).sum())
        found.append(Coefficient(1 - (total - 1) * float((coincidences * cost).sum()) / expected))
    return found
