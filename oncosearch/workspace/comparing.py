"""One question in several columns: answers, likeness of each pair, and what the columns are worth if it is judged."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from oncosearch.evaluate import Measure, evaluate, ranked
from oncosearch.evaluate.likeness import Likeness, likeness
from oncosearch.model import Filters, OncosearchError, Qrels, Ranking, Run, SnapshotKey
from oncosearch.workspace.asked import Asked
from oncosearch.workspace.columns import LETTERS, Column
from oncosearch.workspace.requests import Answer, Readiness, SearchRequest
from oncosearch.workspace.whereabouts import full_ranking
from oncosearch.workspace.workspace import Workspace

ONE_QUERY_MEASURES = tuple(map(Measure.parse, ("nDCG@10", "P@5", "P@10", "recall@10")))
_TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class ColumnAnswer:
    """What one column answers.

    ``answer`` has the hits that are shown, ``ranking`` every candidate that could become a hit; both and ``asked`` are
    None where the column is not ready (see ``readiness``) or the question was refused (``error``).
    """

    letter: str
    column: Column
    readiness: Readiness
    answer: Answer | None = None
    ranking: Ranking | None = None
    asked: Asked | None = None
    error: OncosearchError | None = None

    @property
    def shown(self) -> tuple[str, ...]:
        """Return the ids of the hits that are shown."""
        return () if self.answer is None else tuple(hit.node_id for hit in self.answer.ranking.hits)

    def rank_of(self, node_id: str) -> int | None:
        """Return the rank of a node, also below the hits that are shown; None where it is no hit at all."""
        if self.ranking is None:
            return None
        return next((hit.rank for hit in self.ranking.hits if hit.node_id == node_id), None)


def answer_columns(
    workspace: Workspace,
    columns: Sequence[Column],
    query: str,
    key: SnapshotKey,
    *,
    top: int,
    filters: Filters,
    language: str,
    record: bool = True,
) -> tuple[ColumnAnswer, ...]:
    """Return what each column answers to a question; a column that cannot be searched says why instead."""
    found = []
    for letter, column in zip(LETTERS, columns, strict=False):
        request = column.request(" ".join(query.split()), key, top, filters)
        found.append(_answered(workspace, ColumnAnswer(letter, column, Readiness("")), request, language, record))
    return tuple(found)


def _answered(
    workspace: Workspace, empty: ColumnAnswer, request: SearchRequest, language: str, record: bool
) -> ColumnAnswer:
    readiness = workspace.readiness(request.snapshot, request.model, request.pipeline)
    if readiness.state != "ready":
        return replace(empty, readiness=readiness)
    try:
        answer = workspace.search(request, language, record=record)
        asked = workspace.asked(request)
    except OncosearchError as error:
        return replace(empty, readiness=readiness, error=error)
    return replace(empty, readiness=readiness, answer=answer, ranking=full_ranking(asked), asked=asked)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two columns, by place, and how alike their shown rankings are."""

    a: int
    b: int
    likeness: Likeness


def pairs(answers: Sequence[ColumnAnswer], k: int) -> tuple[Pair, ...]:
    """Return the likeness of every two columns that have an answer."""
    answered = [(i, a.shown) for i, a in enumerate(answers) if a.answer is not None]
    return tuple(Pair(i, j, likeness(a, b, k)) for (i, a), (j, b) in combinations(answered, 2))


@dataclass(frozen=True, slots=True)
class Missed:
    """A relevant node that is not among the shown hits; ``rank`` is where it stands below them, None where nowhere."""

    node_id: str
    grade: int
    rank: int | None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a column is worth on one judged question, and the relevant nodes it does not show, best grade first."""

    values: tuple[tuple[Measure, float], ...]
    missed: tuple[Missed, ...]


def judge(
    answer: ColumnAnswer, grades: Mapping[str, int], duplicates: Collection[str] = (), positive: int = 1
) -> Judged | None:
    """Return what a column is worth, by the rules of :func:`oncosearch.evaluate.evaluate`.

    The measures look at the whole ranking, whatever is shown. None where the column has no answer or no node of the
    question is relevant.
    """
    wanted = {n: g for n, g in grades.items() if g >= positive and n not in set(duplicates)}
    if answer.ranking is None or not wanted:
        return None
    run = Run("column", {_TOPIC: ranked([(hit.node_id, hit.score) for hit in answer.ranking.hits])})
    found = evaluate(Qrels({_TOPIC: grades}), [run], ONE_QUERY_MEASURES, duplicates={_TOPIC: set(duplicates)})
    values = tuple((measure, float(found.values[0, i, 0])) for i, measure in enumerate(ONE_QUERY_MEASURES))
    left = [Missed(n, g, answer.rank_of(n)) for n, g in wanted.items() if n not in set(answer.shown)]
    return Judged(values, tuple(sorted(left, key=lambda m: (-m.grade, m.rank or 10**9, m.node_id))))
