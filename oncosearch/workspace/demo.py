"""The demo graph that comes with the project, brought into a store."""

from __future__ import annotations

from pathlib import Path

from oncosearch.ingest import import_graph, read_graph
from oncosearch.model import SnapshotKey
from oncosearch.store import Store


def demo_folder() -> Path:
    """Return the folder of the demo graph."""
    return Path(__file__).resolve().parent.parent.parent / "data" / "demo"


def import_demo(store: Store) -> SnapshotKey:
    """Return the key of the demo graph in ``store``, importing it where it is missing.

    A store may hold the demo of an earlier version under the same snapshot id. Snapshots never change, so the new
    content then gets an id with the beginning of its hash.
    """
    snapshot = read_graph(demo_folder()).snapshot
    stored = {s.snapshot_id: s.content_hash for s in store.snapshots(snapshot.graph_id)}
    snapshot_id = snapshot.snapshot_id
    if stored.get(snapshot_id, snapshot.content_hash) != snapshot.content_hash:
        snapshot_id = f"{snapshot_id}-{snapshot.content_hash[:8]}"
    import_graph(demo_folder(), store, snapshot_id=snapshot_id)
    return SnapshotKey(snapshot.graph_id, snapshot_id)
