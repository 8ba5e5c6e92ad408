"""Which snapshot is shown where none is named: the newest one that can be searched.

A new snapshot, of the same graph or another, takes over in one step: when the last of its files, which makes the
others count, gets its name. Until then the one before it is shown, and whoever still searches that goes on doing so.
"""

from __future__ import annotations

from pathlib import Path

from oncosearch.embed import MODEL_KEYS, looks_embedded
from oncosearch.model import Snapshot
from oncosearch.workspace.artefacts import looks_prepared
from oncosearch.workspace.workspace import Workspace


def serving_snapshot(workspace: Workspace, graph_id: str | None = None, *, vectors: bool = True) -> Snapshot:
    """Return the newest snapshot (of a graph, or of all) with a word index and, if asked for, vectors of some model.

    Where none has vectors, the newest with a word index; where none has that, the newest.

    Raises
    ------
    NotFoundError
        If the store is empty, or has no snapshot of that graph.
    """
    if graph_id is None:
        workspace.default_snapshot()
    else:
        workspace.store.latest(graph_id)
    home = workspace.settings.home
    most = 2 if vectors else 1
    # By how far each is prepared; max keeps the first of equals, so the newest stands first.
    return max(reversed(workspace.store.snapshots(graph_id)), key=lambda snapshot: min(most, _prepared(home, snapshot)))


def _prepared(home: Path, snapshot: Snapshot) -> int:
    """Return 0 for a snapshot without files, 1 with its word index, 2 with the vectors of a model as well."""
    if not looks_prepared(home, snapshot.key):
        return 0
    return 1 + any(looks_embedded(home, snapshot.key, model) for model in MODEL_KEYS)
