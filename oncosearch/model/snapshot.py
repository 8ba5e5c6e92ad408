"""An immutable state of a graph, and the difference between two of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SnapshotKey:
    """Names one snapshot: graph id and snapshot id."""

    graph_id: str
    snapshot_id: str

    def __str__(self) -> str:
        """Return ``graph@snapshot``."""
        return f"{self.graph_id}@{self.snapshot_id}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is known of a snapshot. ``created`` is UTC in ISO 8601; counts are of nodes and relations."""

    graph_id: str
    snapshot_id: str
    created: str
    content_hash: str
    node_count: int
    title: str = ""
    languages: tuple[str, ...] = ("de", "en")
    licence: str = ""
    attribution: tuple[str, ...] = ()
    parent_count: int = 0
    link_count: int = 0
    source_count: int = 0
    demo: bool = False

    @property
    def key(self) -> SnapshotKey:
        """Return the key of the snapshot."""
        return SnapshotKey(self.graph_id, self.snapshot_id)


@dataclass(frozen=True, slots=True)
class SnapshotDiff:
    """Node ids added, changed and removed from ``old`` to ``new``, each sorted."""

    old: SnapshotKey
    new: SnapshotKey
    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
