"""Comparing a recorded search with the same search run now."""

from __future__ import annotations

from dataclasses import dataclass

from oncosearch.model import SearchRecord

_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs: ``kind`` names it, ``old`` and ``new`` are both sides as text."""

    kind: str
    old: str
    new: str

    def text(self) -> str:
        """Return the difference as an English sentence."""
        return f"{self.kind.replace('_', ' ')}: {self.old} then, {self.new} now"


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """``identical`` means the same node ids in the same order with scores equal to 1e-6.

    ``causes`` are differences in what the search ran on (content, model revision, serialisation); ``differences``
    are those in the hits.
    """

    identical: bool
    causes: tuple[Difference, ...]
    differences: tuple[Difference, ...]
    old: SearchRecord
    new: SearchRecord


def compare(old: SearchRecord, new: SearchRecord) -> ReplayReport:
    """Return what differs between two records of one search."""
    causes = tuple(
        Difference(kind, str(a), str(b))
        for kind, a, b in (
            ("content", old.content_hash, new.content_hash),
            ("model_revision", old.model_revision, new.model_revision),
            ("serialisation", old.format_id, new.format_id),
        )
        if a != b
    )
    differences: list[Difference] = []
    if len(old.hits) != len(new.hits):
        differences.append(Difference("hit_count", str(len(old.hits)), str(len(new.hits))))
    for rank, ((old_id, old_score), (new_id, new_score)) in enumerate(zip(old.hits, new.hits, strict=False), 1):
        if old_id != new_id:
            differences.append(Difference(f"rank_{rank}", old_id, new_id))
        elif abs(old_score - new_score) > _TOLERANCE:
            differences.append(Difference(f"score_of_{old_id}", f"{old_score:.7f}", f"{new_score:.7f}"))
    return ReplayReport(not differences, causes, tuple(differences), old, new)
