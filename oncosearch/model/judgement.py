"""Values of annotation and evaluation: grades, qrels and runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

GRADES = ("3", "2", "1", "0", "-1", "unsure")


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
