"""What a store can do, as protocols: snapshots, reviews, runs, searches, decisions on duplicates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from oncosearch.model import (
    Node,
    PairDecision,
    Pool,
    PublishedHead,
    PublishedQrels,
    ReviewEvent,
    Run,
    SearchRecord,
    Snapshot,
    SnapshotDiff,
    SnapshotKey,
)


class GraphStore(Protocol):
    """Keeps immutable snapshots of graphs."""

    def snapshots(self, graph_id: str | None = None) -> list[Snapshot]:
        """Return the snapshots, of one graph or of all, by (created, graph id, snapshot id): newest last."""
        ...

    def snapshot(self, key: SnapshotKey) -> Snapshot:
        """Return the snapshot ``key``.

        Raises
        ------
        NotFoundError
            If it is not in the store; the message names the snapshots that are.
        """
        ...

    def latest(self, graph_id: str) -> Snapshot:
        """Return the newest snapshot of a graph: the last of :meth:`snapshots`.

        Raises
        ------
        NotFoundError
            If the store has no snapshot of that graph.
        """
        ...

    def write_snapshot(
        self, snapshot: Snapshot, nodes: Iterable[Node], on_progress: Callable[[int], None] | None = None
    ) -> None:
        """Return once all nodes are on disk under ``snapshot.key``, or raise and leave the store as it was.

        Parameters
        ----------
        snapshot
            Its ``node_count`` and ``content_hash`` are checked against the nodes that came.
        nodes
            Read once; never held in memory as a whole. Not read at all where the key is stored with the same content.
        on_progress
            Called with the number of nodes taken so far, in steps and at the end.

        Raises
        ------
        StoreError
            If the key is stored with another content, an id comes twice, the count or the content hash differs from
            what the snapshot says, a text cannot be written as UTF-8, or the store fails.
        """
        ...

    def nodes(self, key: SnapshotKey, ids: Sequence[str]) -> list[Node]:
        """Return the nodes ``ids`` in that order, repeated ids repeatedly.

        Raises
        ------
        NotFoundError
            If the snapshot or one of the nodes is not in the store.
        """
        ...

    def node(self, key: SnapshotKey, node_id: str) -> Node:
        """Return one node.

        Raises
        ------
        NotFoundError
            If the snapshot or the node is not in the store.
        """
        ...

    def iter_nodes(self, key: SnapshotKey) -> Iterator[Node]:
        """Return an iterator over all nodes by id (by code point), read in pages; it may be left open for hours.

        Raises
        ------
        NotFoundError
            At once, if the snapshot is not in the store.
        """
        ...

    def hashes(self, key: SnapshotKey) -> dict[str, str]:
        """Return {node id: content hash} by id.

        Raises
        ------
        NotFoundError
            If the snapshot is not in the store.
        """
        ...

    def diff(self, old: SnapshotKey, new: SnapshotKey) -> SnapshotDiff:
        """Return the nodes added, changed and removed from ``old`` to ``new``.

        Raises
        ------
        NotFoundError
            If one of the snapshots is not in the store.
        """
        ...

    def references(self, key: SnapshotKey) -> dict[str, int]:
        """Return how many ``judgements`` (events), ``qrels``, ``runs`` and ``searches`` name the snapshot ``key``."""
        ...

    def delete_snapshot(self, key: SnapshotKey) -> None:
        """Return once the snapshot is gone; what other snapshots and the records hold stays as it is.

        An iterator that is reading the snapshot raises ``NotFoundError`` at its next page. Whether anything refers
        to the snapshot is for the caller to ask (:meth:`references`).

        Raises
        ------
        NotFoundError
            If the snapshot is not in the store.
        """
        ...


class ReviewStore(Protocol):
    """Keeps events of annotation sessions, pools and published qrels: they are only ever added."""

    def append_event(self, event: ReviewEvent, check: Callable[[Sequence[ReviewEvent]], None] | None = None) -> int:
        """Return the number of the event in its session, from 1, once it is on disk.

        The same event again changes nothing and is not checked again.

        Parameters
        ----------
        event
            Its id was made by who writes it.
        check
            Called with the events of the session itself and those of the event's rater and topic, in order of
            arrival; what it raises leaves the store as it was. No other event of the session is stored between its
            last call and the event. It may be called more than once.

        Raises
        ------
        StoreError
            If another event has the same id (code ``event_conflict``), a text cannot be written as UTF-8, or the store
            fails.
        """
        ...

    def events(self, session: str, *, rater: str | None = None, topic: str | None = None) -> list[ReviewEvent]:
        """Return the events of a session that agree with every value given, in order of arrival.

        Judgements of earlier versions have the session ``""`` and the action ``judgement``.
        """
        ...

    def event_count(self, session: str) -> int:
        """Return how many events a session has, without reading them; equal numbers mean equal events."""
        ...

    def has_event(self, event_id: str) -> bool:
        """Return whether an event with this id is on disk, in whichever session."""
        ...

    def created_sessions(self) -> list[ReviewEvent]:
        """Return the event that made each session, by (time, session)."""
        ...

    def save_pool(self, pool: Pool) -> str:
        """Return the id of the pool, the hash of its content, once it is on disk; an equal pool is kept once."""
        ...

    def pool(self, pool_id: str) -> Pool:
        """Return the pool ``pool_id``.

        Raises
        ------
        NotFoundError
            If it is not in the store.
        """
        ...

    def save_qrels(self, published: PublishedQrels) -> str:
        """Return the id of the qrels, the hash of their content, once they are on disk.

        Equal qrels get the same id and are kept once, under the name, author and time of the first.
        """
        ...

    def qrels(self, qrels_id: str) -> PublishedQrels:
        """Return the published qrels ``qrels_id``.

        Raises
        ------
        NotFoundError
            If they are not in the store.
        """
        ...

    def qrels_heads(self) -> list[PublishedHead]:
        """Return what is known of all published qrels, by (created, id)."""
        ...


class RunStore(Protocol):
    """Keeps runs under the hash of their content."""

    def save_run(self, run: Run) -> str:
        """Return the id of the run, the hash of its content; an equal run gets the same id and is kept once."""
        ...

    def run(self, run_id: str) -> Run:
        """Return the run ``run_id``.

        Raises
        ------
        NotFoundError
            If it is not in the store.
        """
        ...

    def runs(self) -> list[str]:
        """Return the ids of all runs by (created, id)."""
        ...


class AuditStore(Protocol):
    """Keeps the record of searches."""

    def record(self, search: SearchRecord) -> None:
        """Return once the search is on disk; the same record again changes nothing.

        Raises
        ------
        StoreError
            If another record has the same id.
        """
        ...

    def record_by_id(self, record_id: str) -> SearchRecord:
        """Return the record ``record_id``.

        Raises
        ------
        NotFoundError
            If it is not in the store.
        """
        ...

    def recent(self, count: int, user: str | None = None) -> list[SearchRecord]:
        """Return at most ``count`` records, of one user or of all, last arrived first."""
        ...


class DuplicateStore(Protocol):
    """Keeps decisions on pairs of nodes as events, with the graph: they are only ever added."""

    def append_decision(self, decision: PairDecision) -> int:
        """Return the sequence number of the decision once it is on disk; later ones have higher numbers."""
        ...

    def decisions(self, graph_id: str) -> list[PairDecision]:
        """Return the decisions on nodes of one graph in order of arrival."""
        ...

    def last_decision(self, graph_id: str) -> int:
        """Return the sequence number of the last decision on nodes of one graph, 0 where there is none."""
        ...


class Store(GraphStore, ReviewStore, RunStore, AuditStore, DuplicateStore, Protocol):
    """All five in one place. It may be used from many threads; it is closed once."""

    @property
    def name(self) -> str:
        """Return the name of the database for people: ``SQLite`` or ``MongoDB``."""
        ...

    def close(self) -> None:
        """Close every connection; closing again does nothing."""
        ...

    def __enter__(self) -> Self:
        """Return the store itself."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        ...
