"""Qrels × runs: values of every run, measure and topic, with their means and intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.measures import DEFAULT_MEASURES, Floats, Measure, depth_needed
from oncosearch.evaluate.rankings import Removed, checked_grades, graded_rankings, ideal_grades
from oncosearch.evaluate.rules import RULES, Rules
from oncosearch.model import Qrels, Run, UsageError

NO_RELEVANT = "no_relevant"
_IDS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over topics with its interval; without ends where there are fewer than two topics."""

    mean: float
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What runs are worth.

    ``values`` (runs × measures × topics) are per topic, ``means``, ``lower`` and ``upper`` (runs × measures) over
    topics; ends of intervals are NaN from fewer than two topics. ``topics`` are those measured, in the order of
    their ids; ``left_out`` says of the other judged topics why (``no_relevant``). ``missing`` names the topics
    that a run lacks and that count 0 for it, ``removed`` what was taken out of it, ``not_judged`` how many of its
    topics nobody judged; they are not looked at. ``duplicate_grades``: grades of duplicates that do not count.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    values: Floats
    means: Floats
    lower: Floats
    upper: Floats
    left_out: Mapping[str, str]
    missing: Mapping[str, tuple[str, ...]]
    removed: Mapping[str, Removed]
    not_judged: Mapping[str, int]
    duplicate_grades: int
    rules: Rules

    def of(self, run: str, measure: Measure | str) -> Floats:
        """Return the values of a run, one a topic in the order of ``topics``."""
        values: Floats = self.values[self.runs.index(run), self.column(measure)]
        return values

    def estimate(self, run: str, measure: Measure | str) -> Estimate:
        """Return a run's mean with its interval."""
        at = self.runs.index(run), self.column(measure)
        lower, upper = float(self.lower[at]), float(self.upper[at])
        if np.isnan(lower):
            return Estimate(float(self.means[at]), None, None)
        return Estimate(float(self.means[at]), lower, upper)

    def column(self, measure: Measure | str) -> int:
        """Return the place of a measure in the arrays.

        Raises
        ------
        UsageError
            If it was not measured.
        """
        wanted = Measure.parse(measure) if isinstance(measure, str) else measure
        if wanted not in self.measures:
            raise UsageError(f"{wanted} was not measured; measured were {', '.join(map(str, self.measures))}.")
        return self.measures.index(wanted)


def evaluate(
    qrels: Qrels,
    runs: Sequence[Run],
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    *,
    duplicates: Mapping[str, Collection[str]] | None = None,
    rules: Rules = RULES,
) -> Evaluation:
    """Return the values of runs on judged topics, with means and 95 % intervals.

    Repeated ids and the nodes that ``duplicates`` names for a topic are taken out first and ranks close up; grades
    of duplicates do not count either. Topics without a relevant node are left out; a judged topic that a run lacks
    counts 0 for it. Ties: see ``rankings.ordered``.

    Raises
    ------
    UsageError
        If there is no run, no measure or no topic with a relevant node; if two runs have one tag; if a run has
        topics but none of the judged ones.
    """
    measures = tuple(dict.fromkeys(measures))
    if not measures:
        raise UsageError("No measure is named; name one, such as nDCG@10.", code="no_measure")
    marked = duplicates or {}
    tags = _checked_tags(qrels, runs)
    judged = {t: checked_grades(t, qrels.grades[t], marked.get(t, ())) for t in sorted(qrels.grades)}
    used = {t: grades for t, grades in judged.items() if any(g >= rules.positive for g in grades.values())}
    if not used:
        raise UsageError(
            f"None of the {len(judged):,} judged topics has a relevant node (grade {rules.positive} or higher); "
            "there is nothing to measure. Judge a relevant node first, or choose other qrels.",
            code="nothing_relevant",
        )
    ideal = ideal_grades(list(used.values()))
    depth = depth_needed(measures)
    values = np.empty((len(runs), len(measures), len(used)))
    removed: dict[str, Removed] = {}
    for index, run in enumerate(runs):
        graded, removed[run.tag] = graded_rankings(run, used, marked, ideal, depth, rules)
        for column, measure in enumerate(measures):
            values[index, column] = graded.values(measure)
    shape = values.shape[:2]
    lower, upper = bootstrap_intervals(values.reshape(-1, len(used)), rules)
    return Evaluation(
        runs=tags,
        measures=measures,
        topics=tuple(used),
        values=values,
        means=values.mean(axis=2),
        lower=lower.reshape(shape),
        upper=upper.reshape(shape),
        left_out={topic: NO_RELEVANT for topic in judged if topic not in used},
        missing={run.tag: tuple(t for t in used if t not in run.rankings) for run in runs},
        removed=removed,
        not_judged={run.tag: sum(t not in judged for t in run.rankings) for run in runs},
        duplicate_grades=sum(len(qrels.grades[t]) - len(grades) for t, grades in judged.items()),
        rules=rules,
    )


def _checked_tags(qrels: Qrels, runs: Sequence[Run]) -> tuple[str, ...]:
    if not runs:
        raise UsageError("There is no run to evaluate; name at least one.", code="no_run")
    tags = tuple(run.tag for run in runs)
    twice = [tag for tag, count in Counter(tags).items() if count > 1]
    if twice:
        raise UsageError(
            f"Several runs are named {twice[0]!r}; give each run a tag of its own.", code="run_twice", run=twice[0]
        )
    for run in runs:
        if run.rankings and not any(topic in qrels.grades for topic in run.rankings):
            theirs, ours = ", ".join(list(run.rankings)[:_IDS_SHOWN]), ", ".join(list(qrels.grades)[:_IDS_SHOWN])
            raise UsageError(
                f"None of the topics of run {run.tag!r} is judged: it has {theirs}, and the qrels have "
                f"{ours or 'none'}. Use qrels and runs of one topic set.",
                code="topics_apart",
                run=run.tag,
            )
    return tags
