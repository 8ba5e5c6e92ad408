"""Decisions on duplicates: what is in force for a graph, now or at an earlier moment, and deciding a pair."""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from oncosearch.model import DecidedPairs, PairDecision, SnapshotKey, UsageError
from oncosearch.store import DuplicateStore

if TYPE_CHECKING:
    from oncosearch.workspace.workspace import Workspace


class Curation:
    """The decisions of a store, read again only where one has come since. Safe to share between threads."""

    def __init__(self, store: DuplicateStore) -> None:
        self._store = store
        self._lock = Lock()
        self._known: dict[str, tuple[int, DecidedPairs]] = {}

    def state(self, graph_id: str) -> tuple[int, DecidedPairs]:
        """Return the number of the last decision on a graph, which names this state, and what is in force."""
        number = self._store.last_decision(graph_id)
        with self._lock:
            known = self._known.get(graph_id)
        if known is None or known[0] != number:
            # A decision that comes between the two readings is in the pairs already; the next look reads once more.
            known = number, DecidedPairs.of(self._store.decisions(graph_id)) if number else DecidedPairs()
            with self._lock:
                self._known[graph_id] = known
        return known

    def at(self, graph_id: str, time: str) -> DecidedPairs:
        """Return what was in force at ``time`` (ISO 8601, UTC)."""
        then = _moment(time)
        return DecidedPairs.of(d for d in self._store.decisions(graph_id) if _moment(d.time) <= then)


def decide(
    workspace: Workspace, key: SnapshotKey, one: str, other: str, verdict: str, reason: str = ""
) -> PairDecision:
    """Return the decision on two nodes of a snapshot once it is on disk.

    Raises
    ------
    NotFoundError
        If one of the nodes is not in the snapshot.
    UsageError
        If both are the same node, or the verdict is not known.
    """
    if one == other:
        raise UsageError(f"A pair needs two nodes; {one!r} was given twice.")
    graph = workspace.graph(key)
    first, second = sorted(graph.ids[graph.index(node_id)] for node_id in (one, other))
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    user = workspace.settings.user
    decision = PairDecision(key.graph_id, key.snapshot_id, first, second, verdict, user, now, reason)
    workspace.store.append_decision(decision)
    return decision


def _moment(iso: str) -> datetime:
    read = datetime.fromisoformat(iso)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
