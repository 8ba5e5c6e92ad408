"""Decisions on duplicates: what is in force for a graph, now or at an earlier moment."""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Lock

from oncosearch.model import DecidedPairs
from oncosearch.store import DuplicateStore


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


def _moment(iso: str) -> datetime:
    read = datetime.fromisoformat(iso)
    return read if read.tzinfo is not None else read.replace(tzinfo=UTC)
