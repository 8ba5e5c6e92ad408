"""Values of annotation and evaluation: judgements, qrels and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GRADES = ("3", "2", "1", "0", "-1", "unsure")


@dataclass(frozen=True, slots=True)
class Judgement:
    """One event: a rater's grade of a node for a topic. Events are only ever added.

    ``grade`` is one of ``GRADES``; ``flags`` such as ``isDuplicate``; ``time`` is UTC in ISO 8601.
    """

    rater: str
    topic_id: str
    query: str
    node_id: str
    grade: str
    graph_id: str
    snapshot_id: str
    time: str
    reason: str = ""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Qrels:
    """Grades by topic and node: {topic id: {node id: grade from 3 to −1}}."""

    grades: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Run:
    """Tagged rankings: {topic id: ((node id, score), …)} in rank order, with what made them."""

    tag: str
    rankings: Mapping[str, tuple[tuple[str, float], ...]]
    graph_id: str = ""
    snapshot_id: str = ""
    model: str | None = None
    pipeline: str = ""
    parameters: Mapping[str, float | int] | None = None
    created: str = ""
