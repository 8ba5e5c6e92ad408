"""Deciding whether two nodes are duplicates."""

from __future__ import annotations

from datetime import UTC, datetime

from oncosearch.model import PairDecision, SnapshotKey, UsageError
from oncosearch.workspace.workspace import Workspace


def decide(
    workspace: Workspace,
    key: SnapshotKey,
    one: str,
    other: str,
    verdict: str,
    reason: str = "",
    *,
    user: str | None = None,
) -> PairDecision:
    """Return the decision on two nodes of a snapshot once it is on disk.

    ``user`` None means the one of the settings.

    Raises
    ------
    NotFoundError
        If one of the nodes is not in the snapshot.
    UsageError
        If both are the same node, or the verdict is not known.
    """
    if one == other:
        raise UsageError(f"A pair needs two nodes; {one!r} was given twice.")
    first, second = sorted(node.id for node in workspace.nodes(key, [one, other]))
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    decision = PairDecision(
        key.graph_id, key.snapshot_id, first, second, verdict, user or workspace.settings.user, now, reason
    )
    workspace.store.append_decision(decision)
    return decision
