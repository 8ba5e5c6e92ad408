"""What every adapter checks and says alike: nodes on their way in, differences, and errors for what is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from oncosearch.model import (
    Node,
    NotFoundError,
    Snapshot,
    SnapshotDiff,
    SnapshotKey,
    StoreError,
    canonical_json,
    content_hash,
    node_to_dict,
    text_hash,
)

BATCH = 500
_NAMED_AT_MOST = 12


def difference(
    old: SnapshotKey, new: SnapshotKey, old_hashes: Mapping[str, str], new_hashes: Mapping[str, str]
) -> SnapshotDiff:
    """Return the nodes added, changed and removed between two snapshots given as {node id: content hash}."""
    return SnapshotDiff(
        old=old,
        new=new,
        added=tuple(sorted(new_hashes.keys() - old_hashes.keys())),
        changed=tuple(sorted(i for i in new_hashes.keys() & old_hashes.keys() if old_hashes[i] != new_hashes[i])),
        removed=tuple(sorted(old_hashes.keys() - new_hashes.keys())),
    )


def checked_batches(
    snapshot: Snapshot, nodes: Iterable[Node], on_progress: Callable[[int], None] | None
) -> Iterator[list[tuple[str, dict[str, Any], str]]]:
    """Return batches of (node hash, values, canonical JSON) and refuse at the end what the snapshot does not announce.

    Raises
    ------
    StoreError
        On a repeated id, a text that is not valid Unicode, or a count or content hash other than the snapshot's.
    """
    hashes: dict[str, str] = {}
    source = iter(nodes)
    while batch := [_encoded(snapshot.key, node, hashes) for node in islice(source, BATCH)]:
        yield batch
        if on_progress is not None:
            on_progress(len(hashes))
    if len(hashes) != snapshot.node_count:
        raise StoreError(
            f"Snapshot {snapshot.key} announces {snapshot.node_count} nodes, but {len(hashes)} came; nothing was "
            "stored. Import it again from its files.",
            code="node_count",
            announced=snapshot.node_count,
            found=len(hashes),
        )
    found = content_hash(hashes)
    if found != snapshot.content_hash:
        raise StoreError(
            f"Snapshot {snapshot.key} announces the content hash {snapshot.content_hash}, but its nodes have {found}; "
            "nothing was stored. Import it again from its files.",
            code="content_hash",
        )


def _encoded(key: SnapshotKey, node: Node, hashes: dict[str, str]) -> tuple[str, dict[str, Any], str]:
    values = node_to_dict(node)
    body = canonical_json(values)
    try:
        body.encode("utf-8")
    except UnicodeEncodeError as error:
        raise StoreError(
            f"Node {node.id!r} of snapshot {key} holds text that is not valid Unicode ({error.reason}); "
            "nothing was stored. Save its file as UTF-8 and import it again."
        ) from error
    if node.id in hashes:
        raise StoreError(f"Snapshot {key} has two nodes with the id {node.id!r}; nothing was stored. Keep one of them.")
    hashes[node.id] = text_hash(body)
    return hashes[node.id], values, body


def is_stored(snapshot: Snapshot, stored: Snapshot | None) -> bool:
    """Return whether the snapshot is stored already with the same content.

    Raises
    ------
    StoreError
        If its key is stored with another content.
    """
    if stored is None:
        return False
    if stored.content_hash == snapshot.content_hash:
        return True
    raise StoreError(
        f"Snapshot {snapshot.key} is stored already with another content (content hash {stored.content_hash}, "
        f"now {snapshot.content_hash}). A snapshot never changes: give the new state a snapshot id of its own.",
        code="snapshot_exists",
        graph=snapshot.graph_id,
        snapshot=snapshot.snapshot_id,
    )


def snapshot_missing(key: SnapshotKey, stored: Sequence[Snapshot]) -> NotFoundError:
    """Return the error for a snapshot that is not in the store; it names those that are."""
    return NotFoundError(
        f"There is no snapshot {key} in the store. {_what_exists(stored)}",
        code="snapshot_not_found",
        graph=key.graph_id,
        snapshot=key.snapshot_id,
    )


def graph_missing(graph_id: str, stored: Sequence[Snapshot]) -> NotFoundError:
    """Return the error for a graph without a snapshot in the store; it names the snapshots that are there."""
    return NotFoundError(
        f"There is no graph {graph_id!r} in the store. {_what_exists(stored)}", code="graph_not_found", graph=graph_id
    )


def nodes_missing(key: SnapshotKey, wanted: Sequence[str], found: Mapping[str, object]) -> NotFoundError:
    """Return the error for nodes that a snapshot does not have; it names the first of them."""
    missing = [node_id for node_id in dict.fromkeys(wanted) if node_id not in found]
    more = f" (and {len(missing) - 1} more)" if len(missing) > 1 else ""
    return NotFoundError(
        f"There is no node {missing[0]!r}{more} in snapshot {key}. Node ids are taken letter by letter: "
        "'01' and '1' are two ids.",
        code="node_not_found",
        node=missing[0],
    )


def run_missing(run_id: str, stored: Sequence[str]) -> NotFoundError:
    """Return the error for a run that is not in the store."""
    return NotFoundError(
        f"There is no run {run_id!r} in the store. It holds {_listed(stored) or 'no run yet'}.",
        code="run_not_found",
        run=run_id,
    )


def record_missing(record_id: str) -> NotFoundError:
    """Return the error for a search that was not recorded."""
    return NotFoundError(
        f"There is no recorded search {record_id!r} in the store. List them with: python -m oncosearch history.",
        code="record_not_found",
        record=record_id,
    )


def record_conflict(record_id: str) -> StoreError:
    """Return the error for a second, different search under a recorded id."""
    return StoreError(f"Another search is recorded already under the id {record_id!r}; give the new one its own id.")


def _what_exists(stored: Sequence[Snapshot]) -> str:
    if not stored:
        return "It is empty: import a graph first."
    return f"It holds {_listed([str(s.key) for s in stored])}."


def _listed(names: Sequence[str]) -> str:
    # The newest stand last and are the likeliest to be meant.
    more = f" and {len(names) - _NAMED_AT_MOST} more" if len(names) > _NAMED_AT_MOST else ""
    return ", ".join(names[-_NAMED_AT_MOST:]) + more
