"""Dropping old snapshots: what may go, what is still referred to, and the files that go with it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from oncosearch.embed import MODEL_KEYS, unused_rows
from oncosearch.model import Snapshot, SnapshotKey, StoreError, UsageError
from oncosearch.model.names import safe_name
from oncosearch.settings import Settings
from oncosearch.store import Store
from oncosearch.workspace.artefacts import snapshot_folder
from oncosearch.workspace.differences import named_snapshot


@dataclass(frozen=True, slots=True)
class PrunePlan:
    """What pruning drops and keeps.

    ``held`` are snapshots that would go but are referred to, with how many judgements, runs and searches name each.
    """

    kept: tuple[Snapshot, ...]
    dropped: tuple[Snapshot, ...]
    held: tuple[tuple[Snapshot, dict[str, int]], ...]


@dataclass(frozen=True, slots=True)
class UnusedVectors:
    """How many ``rows`` of a pool of vectors belong to no snapshot any more, of how many in all, and their bytes."""

    graph_id: str
    model: str
    rows: int
    total: int
    size: int


def plan_pruning(
    store: Store, *, keep: int | None, named: Sequence[str] = (), graph_id: str | None = None, force: bool = False
) -> PrunePlan:
    """Return what would go: all but the newest ``keep`` of each graph and the ``named`` snapshots.

    Of one graph where ``graph_id`` is given; else of every graph with ``keep``, and with names alone of the graphs
    that they belong to. What judgements, runs or recorded searches refer to is held back unless ``force``.

    Raises
    ------
    UsageError
        If neither a number nor a name says what to keep, or the number is below 1.
    NotFoundError
        If a named snapshot or the graph is not in the store.
    """
    if keep is None and not named:
        raise UsageError("Say what to keep: the newest N snapshots (--keep N), or snapshots by name (--only ID).")
    if keep is not None and keep < 1:
        raise UsageError(f"--keep is {keep}; at least the newest snapshot of a graph stays, so expected 1 or more.")
    if graph_id is not None:
        store.latest(graph_id)
    snapshots = store.snapshots(graph_id)
    chosen = {named_snapshot(snapshots, name).key for name in named}
    graphs = {s.graph_id for s in snapshots} if keep is not None else {key.graph_id for key in chosen}
    for graph in graphs if keep is not None else ():
        chosen |= {s.key for s in [s for s in snapshots if s.graph_id == graph][-(keep or 1) :]}
    leaving = [s for s in snapshots if s.graph_id in graphs and s.key not in chosen]
    found = {s.key: store.references(s.key) for s in leaving}
    held = [s for s in leaving if any(found[s.key].values()) and not force]
    return PrunePlan(
        kept=tuple(s for s in store.snapshots() if s not in leaving),
        dropped=tuple(s for s in leaving if s not in held),
        held=tuple((s, found[s.key]) for s in held),
    )


def prune(settings: Settings, store: Store, dropped: Sequence[Snapshot]) -> tuple[UnusedVectors, ...]:
    """Drop snapshots with their files and return what stays unused in the pools of vectors.

    Vectors stay where they are: a text that comes back needs no encoding, and rows of other snapshots never move.

    Raises
    ------
    StoreError
        If another process is preparing one of the graphs.
    """
    for snapshot in dropped:
        lock = settings.home / "locks" / f"{safe_name(snapshot.graph_id)}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(lock, timeout=0):
                # The files first: after an interruption the snapshot is still listed, and the next run finishes.
                for folder in _folders(settings.home, snapshot.key):
                    shutil.rmtree(folder, ignore_errors=True)
                store.delete_snapshot(snapshot.key)
        except Timeout as error:
            raise StoreError(
                f"Another process is preparing {snapshot.graph_id!r} right now; wait for it to finish.", code="busy"
            ) from error
    return unused_vectors(settings.home, store, sorted({s.graph_id for s in dropped}))


def unused_vectors(home: Path, store: Store, graph_ids: Sequence[str]) -> tuple[UnusedVectors, ...]:
    """Return, for each pool of vectors of the graphs, how many of its rows no stored snapshot uses."""
    out = []
    for graph_id in graph_ids:
        snapshots = [s.snapshot_id for s in store.snapshots(graph_id)]
        for model in MODEL_KEYS:
            rows, total, size = unused_rows(home, graph_id, model, snapshots)
            if rows:
                out.append(UnusedVectors(graph_id, model, rows, total, size))
    return tuple(out)


def _folders(home: Path, key: SnapshotKey) -> list[Path]:
    vectors = home / "vectors" / safe_name(key.graph_id)
    return [snapshot_folder(home, key), *(vectors / model / safe_name(key.snapshot_id) for model in MODEL_KEYS)]
