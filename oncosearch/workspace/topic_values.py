"""Columns over a topic set in numbers: likeness of every topic, measures where there are judgements, differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oncosearch.evaluate import Evaluation, Measure, evaluate
from oncosearch.evaluate.likeness import Likeness, likeness
from oncosearch.model import Qrels, SnapshotKey
from oncosearch.workspace.columns import Column
from oncosearch.workspace.topic_runs import ColumnRun, TopicSet, as_run

MEASURES = tuple(
    map(Measure.parse, ("nDCG@10", "nDCG@5", "P@5", "P@10", "recall@10", "MRR", "MAP", "judged@10"))
)  # fmt: skip
CURVE = tuple(Measure("nDCG", k) for k in range(1, 21))
LIKE_AT = 10


@dataclass(frozen=True, slots=True)
class TopicRow:
    """One topic in two columns.

    ``a`` and ``b`` are values of the measure (None without judgements of the topic), ``difference`` is b − a;
    ``likeness`` compares the rankings and is None where one is still missing.
    """

    topic_id: str
    query: str
    a: float | None
    b: float | None
    difference: float | None
    likeness: Likeness | None


def evaluate_columns(
    key: SnapshotKey,
    lanes: Sequence[tuple[str, Column]],
    runs: Sequence[ColumnRun],
    topics: TopicSet,
    qrels: Qrels,
    duplicates: Mapping[str, frozenset[str]],
) -> Evaluation | None:
    """Return the measures of all columns on the judged topics that all of them have worked off; None without any.

    ``lanes`` are columns with their letters, which name the runs. Topics still to be worked off are not looked at, so
    that a comparison that was stopped compares all columns on the same topics.
    """
    done = {t.id for t in topics.topics if all(t.id in run.rankings for run in runs)}
    grades = {topic: qrels.grades[topic] for topic in qrels.grades if topic in done}
    if not any(g >= 1 for of_topic in grades.values() for g in of_topic.values()):
        return None
    named = [as_run(letter, key, column, run, topics) for (letter, column), run in zip(lanes, runs, strict=True)]
    marked = {topic: nodes for topic, nodes in duplicates.items() if topic in grades}
    measures = tuple(dict.fromkeys((*MEASURES, *CURVE)))
    return evaluate(Qrels(grades), named, measures, duplicates=marked)


def topic_rows(
    runs: Sequence[ColumnRun], topics: TopicSet, pair: tuple[int, int], evaluation: Evaluation | None, measure: Measure
) -> list[TopicRow]:
    """Return a row for every topic, in the order of the topic set."""
    first, second = runs[pair[0]], runs[pair[1]]
    place = {} if evaluation is None else {topic: i for i, topic in enumerate(evaluation.topics)}
    column = 0 if evaluation is None else evaluation.column(measure)
    rows = []
    for topic in topics.topics:
        a = b = None
        if evaluation is not None and topic.id in place:
            a, b = (float(evaluation.values[i, column, place[topic.id]]) for i in pair)
        alike = None
        if topic.id in first.rankings and topic.id in second.rankings:
            left, right = ([node for node, _ in run.rankings[topic.id]] for run in (first, second))
            alike = likeness(left, right, LIKE_AT)
        difference = None if a is None or b is None else b - a
        rows.append(TopicRow(topic.id, topic.query, a, b, difference, alike))
    return rows


def mean_likeness(runs: Sequence[ColumnRun], topics: TopicSet, pair: tuple[int, int]) -> tuple[Likeness, int] | None:
    """Return the mean of each likeness over the topics where it is defined, and how many topics both have; or None."""
    rows = [row.likeness for row in topic_rows(runs, topics, pair, None, MEASURES[0]) if row.likeness is not None]
    if not rows:
        return None

    def mean(values: Sequence[float | None]) -> float | None:
        defined = [value for value in values if value is not None]
        return sum(defined) / len(defined) if defined else None

    common = round(sum(row.common for row in rows) / len(rows))
    means = (mean([getattr(row, name) for row in rows]) for name in ("overlap", "rbo", "tau"))
    return Likeness(LIKE_AT, common, *means), len(rows)
