"""One evaluation from beginning to end, the same for the command line and the page: values, pairs, tables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from oncosearch.evaluate.evaluation import Evaluation, evaluate
from oncosearch.evaluate.measures import DEFAULT_MEASURES, TEST_MEASURE, Measure
from oncosearch.evaluate.rules import RULES, Rules
from oncosearch.evaluate.significance import Comparisons, compare_runs
from oncosearch.evaluate.tables import Table, result_tables
from oncosearch.model import Qrels, Run


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """An evaluation, its pairs (None with a single run) and the tables to show."""

    evaluation: Evaluation
    comparisons: Comparisons | None
    tables: tuple[Table, ...]


def outcome_of(
    qrels: Qrels,
    runs: Sequence[Run],
    shown: Sequence[Measure] = DEFAULT_MEASURES,
    *,
    duplicates: Mapping[str, Collection[str]] | None = None,
    rules: Rules = RULES,
) -> Outcome:
    """Return the outcome of runs; from two runs on the measure of the tests is measured, shown or not.

    Raises
    ------
    UsageError
        Whatever :func:`oncosearch.evaluate.evaluation.evaluate` refuses.
    """
    paired = len(runs) > 1
    measures = tuple(dict.fromkeys((*shown, TEST_MEASURE))) if paired else tuple(shown)
    evaluation = evaluate(qrels, runs, measures, duplicates=duplicates, rules=rules)
    comparisons = compare_runs(evaluation) if paired else None
    return Outcome(evaluation, comparisons, result_tables(evaluation, comparisons, shown))
