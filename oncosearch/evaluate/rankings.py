"""Rankings made ready for measuring: ties in order, repeated and duplicate nodes taken out, nodes turned to grades."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from oncosearch.evaluate.measures import UNJUDGED, GradedRankings, Grades
from oncosearch.evaluate.order import in_order
from oncosearch.evaluate.rules import Rules
from oncosearch.model import Run, UsageError

_LOWEST_GRADE, _HIGHEST_GRADE = -100, 30


@dataclass(frozen=True, slots=True)
class Removed:
    """How many hits were taken out before measuring: marked as duplicates, or repeating an id."""

    duplicates: int
    repeated: int


def ordered(ranking: Sequence[tuple[str, float]], rules: Rules) -> list[str]:
    """Return the node ids of a ranking, those of one score in the order of their ids; see ``in_order``."""
    return [node for node, _ in in_order(ranking, descending=rules.ties == "descending")]


def ideal_grades(grades: Sequence[Mapping[str, int]]) -> Grades:
    """Return the grades of each topic, highest first (topics × the most grades of a topic)."""
    width = max((len(of_topic) for of_topic in grades), default=0)
    ideal = np.full((len(grades), max(width, 1)), UNJUDGED, np.int16)
    for row, of_topic in enumerate(grades):
        ideal[row, : len(of_topic)] = sorted(of_topic.values(), reverse=True)
    return ideal


def checked_grades(topic: str, grades: Mapping[str, int], duplicates: Collection[str]) -> dict[str, int]:
    """Return the grades of a topic without those of duplicates.

    Raises
    ------
    UsageError
        If a grade is no whole number of a size that gains can be made of.
    """
    for node, grade in grades.items():
        if not isinstance(grade, int | np.integer) or not _LOWEST_GRADE <= grade <= _HIGHEST_GRADE:
            raise UsageError(
                f"Topic {topic!r} gives node {node!r} the grade {grade!r}; expected a whole number from "
                f"{_LOWEST_GRADE} to {_HIGHEST_GRADE} (this project's own grades go from 3 to -1)."
            )
    return {node: grade for node, grade in grades.items() if node not in duplicates}


def graded_rankings(
    run: Run,
    grades: Mapping[str, Mapping[str, int]],
    duplicates: Mapping[str, Collection[str]],
    ideal: Grades,
    depth: int | None,
    rules: Rules,
) -> tuple[GradedRankings, Removed]:
    """Return a run's rankings of the topics of ``grades``, in that order, as grades; and what was taken out.

    A topic that the run lacks has no hits. ``depth`` is where rankings may be cut, after the rest closed up.
    """
    rows: list[list[int]] = []
    removed = repeated = 0
    for topic, of_topic in grades.items():
        ids = ordered(run.rankings.get(topic, ()), rules)
        unique = list(dict.fromkeys(ids))
        repeated += len(ids) - len(unique)
        if marked := duplicates.get(topic):
            kept = [node for node in unique if node not in marked]
            removed += len(unique) - len(kept)
            unique = kept
        rows.append(list(map(of_topic.get, unique[:depth], repeat(UNJUDGED))))
    hits = np.array([len(row) for row in rows], np.int64)
    ranked = np.full((len(rows), max(1, int(hits.max(initial=0)))), UNJUDGED, np.int16)
    for index, row in enumerate(rows):
        ranked[index, : len(row)] = row
    return GradedRankings(ranked, hits, ideal, rules), Removed(removed, repeated)
