"""Measures as values that parse and print, and their figures for graded rankings of many topics at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
import numpy.typing as npt

from oncosearch.evaluate.rules import Rules
from oncosearch.model import UsageError

Floats = npt.NDArray[np.float64]
Grades = npt.NDArray[np.int16]

# Where a ranking has ended, or holds a node that nobody judged.
UNJUDGED = -32768
LARGEST_CUTOFF = 10_000

# Name, other names that are read (in small letters), whether it needs a cutoff.
_MEASURES: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("nDCG", ("ndcg_cut",), False),
    ("P", ("precision",), True),
    ("recall", ("r",), True),
    ("MRR", ("rr", "recip_rank"), False),
    ("MAP", ("ap", "map_cut"), False),
    ("judged", (), True),
)
_NAMES = {alias: name for name, others, _ in _MEASURES for alias in (name.lower(), *others)}
_NEEDS_CUTOFF = {name for name, _, needed in _MEASURES if needed}
KNOWN_MEASURES = tuple(f"{name}@k" if name in _NEEDS_CUTOFF else f"{name}, {name}@k" for name, _, _ in _MEASURES)
_WRITTEN = re.compile(r"([a-z_]+?)(?:[@_]([0-9]+))?", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure such as nDCG@10; ``cutoff`` is None where the whole ranking counts. ``str`` is what ``parse`` reads."""

    name: str
    cutoff: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the measure of a text such as ``nDCG@10``, ``P@5``, ``MRR``.

        Capitals do not matter; trec_eval's names (``ndcg_cut_10``, ``P_5``, ``recip_rank``, ``map``) and the short
        ``RR``, ``AP`` and ``R@5`` are read as well.

        Raises
        ------
        UsageError
            If there is no such measure, or its cutoff is missing or out of range; the known measures are listed.
        """
        found = _WRITTEN.fullmatch(text.strip())
        name = _NAMES.get(found[1].lower()) if found else None
        if found is None or name is None:
            raise _unknown(text, "There is no measure {text!r}")
        cutoff = int(found[2]) if found[2] else None
        if cutoff is None and name in _NEEDS_CUTOFF:
            raise _unknown(text, f"Measure {{text!r}} needs a cutoff, such as {name}@10")
        if cutoff is not None and not 1 <= cutoff <= LARGEST_CUTOFF:
            raise _unknown(text, f"Measure {{text!r}} has a cutoff that does not lie between 1 and {LARGEST_CUTOFF:,}")
        return cls(name, cutoff)

    def __str__(self) -> str:
        """Return the measure as it is written."""
        return self.name if self.cutoff is None else f"{self.name}@{self.cutoff}"


def _unknown(text: str, what: str) -> UsageError:
    known = ", ".join(KNOWN_MEASURES)
    said = what.format(text=text)
    return UsageError(f"{said}; the measures are: {known}.", code="unknown_measure", measure=text, known=known)


def parse_measures(text: str) -> tuple[Measure, ...]:
    """Return the measures of a list that is separated by spaces or commas, each once, in order.

    Raises
    ------
    UsageError
        If one is unknown, or there is none.
    """
    measures = tuple(dict.fromkeys(Measure.parse(part) for part in re.split(r"[\s,;]+", text) if part))
    if not measures:
        raise _unknown(text, "{text!r} names no measure")
    return measures


DEFAULT_MEASURES = parse_measures(
    "nDCG@1 nDCG@3 nDCG@5 nDCG@10 nDCG@20 P@1 P@3 P@5 P@10 recall@1 recall@3 recall@5 recall@10 MRR MAP judged@10"
)
TEST_MEASURE = Measure("nDCG", 10)


def depth_needed(measures: Sequence[Measure]) -> int | None:
    """Return how many ranks the measures look at; None where one looks at all of them."""
    cutoffs = [measure.cutoff for measure in measures]
    return None if None in cutoffs else max(c for c in cutoffs if c is not None)


@dataclass(frozen=True)
class GradedRankings:
    """The grades of what a run brought for each topic, beside what there was to bring.

    ``ranked`` (topics × ranks) holds grades in rank order and ``UNJUDGED`` elsewhere; ``hits`` (topics) how many
    ranks are filled; ``ideal`` (topics × ranks) all grades of the topic, highest first, ``UNJUDGED`` after the last.
    Every topic has at least one relevant node.
    """

    ranked: Grades
    hits: npt.NDArray[np.int64]
    ideal: Grades
    rules: Rules

    def values(self, measure: Measure) -> Floats:
        """Return the values of a measure, one a topic, each from 0 to 1.

        nDCG is DCG over the DCG of the ideal order, DCG@k = Σ gain_i / log2(i + 1) (the GRAG paper, equation 6).
        P@k divides by k, also where fewer were found; recall by the relevant nodes of the topic. MRR is one over
        the rank of the first relevant node, MAP the mean over all relevant nodes of the precision at their ranks;
        a node that was not found adds 0. judged@k is the share of the first k hits that somebody judged.
        """
        k = measure.cutoff
        match measure.name:
            case "nDCG":
                # A ratio of two sums in floating point may pass 1 in its last digit.
                return np.minimum(_at(self._dcg, k) / _at(self._ideal_dcg, k), 1.0)
            case "P":
                assert k is not None
                found: Floats = _at(self._found, k) / k
                return found
            case "recall":
                recalled: Floats = _at(self._found, k) / self._relevant_count
                return recalled
            case "MRR":
                relevant = self._relevant[:, :k]
                return np.where(relevant.any(axis=1), 1.0 / (relevant.argmax(axis=1) + 1.0), 0.0)
            case "MAP":
                ranks = np.arange(1, self.ranked.shape[1] + 1)
                precisions = np.where(self._relevant, self._found / ranks, 0.0)[:, :k]
                mean: Floats = precisions.sum(axis=1) / self._relevant_count
                return np.minimum(mean, 1.0)
            case "judged":
                judged = (self.ranked[:, :k] != UNJUDGED).sum(axis=1)
                share: Floats = judged / np.clip(self.hits, 1, k)
                return share
        raise AssertionError(measure)

    @cached_property
    def _relevant(self) -> npt.NDArray[np.bool_]:
        return self.ranked >= self.rules.positive

    @cached_property
    def _found(self) -> Floats:
        return np.cumsum(self._relevant, axis=1, dtype=np.float64)

    @cached_property
    def _relevant_count(self) -> npt.NDArray[np.int64]:
        counts: npt.NDArray[np.int64] = (self.ideal >= self.rules.positive).sum(axis=1)
        return counts

    @cached_property
    def _dcg(self) -> Floats:
        return _discounted(self.ranked, self.rules)

    @cached_property
    def _ideal_dcg(self) -> Floats:
        return _discounted(self.ideal, self.rules)


def _at(cumulated: Floats, cutoff: int | None) -> Floats:
    last = cumulated.shape[1] if cutoff is None else min(cutoff, cumulated.shape[1])
    return cumulated[:, last - 1]


def _discounted(grades: Grades, rules: Rules) -> Floats:
    """Return DCG at every cutoff. Summed from the first rank on, so that equal rankings have equal sums."""
    gains = np.maximum(grades, 0).astype(np.float64)
    if rules.gain == "exponential":
        gains = np.exp2(gains) - 1.0
    return np.cumsum(gains / np.log2(np.arange(2, grades.shape[1] + 2)), axis=1)
