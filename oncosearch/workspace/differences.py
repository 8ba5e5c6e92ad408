"""What changed between two snapshots: nodes added, removed and changed, and in the changed ones every field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oncosearch.model import Node, NotFoundError, Snapshot, SnapshotDiff, SnapshotKey, UsageError
from oncosearch.model.codec import node_to_dict
from oncosearch.store import Store

_BATCH = 500
_BY_LANGUAGE = ("title",)


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One changed part of a node: ``type``, ``title.de``, ``fields.Therapy.en``, ``synonyms``, ``parents``, ….

    ``old`` and ``new`` are texts or lists, None where the part was not there or is no longer.
    """

    field: str
    old: Any
    new: Any

    @property
    def added(self) -> list[Any]:
        """Return the entries of a list that are new."""
        return _without(self.new, self.old)

    @property
    def removed(self) -> list[Any]:
        """Return the entries of a list that are gone."""
        return _without(self.old, self.new)

    @property
    def is_list(self) -> bool:
        """Whether the part is a list, such as synonyms, codes, sources, parents or links."""
        return isinstance(self.old, list) or isinstance(self.new, list)


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A node that both snapshots have, with what differs."""

    old: Node
    new: Node
    fields: tuple[FieldChange, ...]


def named_snapshot(snapshots: Sequence[Snapshot], name: str) -> Snapshot:
    """Return the snapshot that ``graph@snapshot``, or a snapshot id alone, names.

    Raises
    ------
    NotFoundError
        If there is none; the message names those there are.
    UsageError
        If a snapshot id alone fits several graphs.
    """
    for snapshot in snapshots:
        if str(snapshot.key) == name:
            return snapshot
    found = [snapshot for snapshot in snapshots if snapshot.snapshot_id == name]
    if len(found) == 1:
        return found[0]
    if found:
        fitting = ", ".join(str(snapshot.key) for snapshot in found)
        raise UsageError(f"{name!r} is the snapshot of several graphs; name one as graph@snapshot: {fitting}.")
    there = ", ".join(str(snapshot.key) for snapshot in snapshots[-12:]) or "none yet"
    raise NotFoundError(
        f"There is no snapshot {name!r} in the store. Give it as graph@snapshot or by its snapshot id; "
        f"the store holds {there}.",
        code="snapshot_not_found",
        snapshot=name,
    )


def node_changes(store: Store, diff: SnapshotDiff) -> Iterator[NodeChange]:
    """Return the changed nodes of a difference in the order of their ids, read in batches."""
    for start in range(0, len(diff.changed), _BATCH):
        ids = diff.changed[start : start + _BATCH]
        for old, new in zip(store.nodes(diff.old, ids), store.nodes(diff.new, ids), strict=True):
            yield NodeChange(old, new, field_changes(old, new))


def field_changes(old: Node, new: Node) -> tuple[FieldChange, ...]:
    """Return every part in which two nodes differ, in the order of the node's form; equal nodes have none."""
    before, after = _flat(node_to_dict(old)), _flat(node_to_dict(new))
    return tuple(
        FieldChange(name, before.get(name), after.get(name))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    )


def difference_to_dict(store: Store, diff: SnapshotDiff) -> dict[str, Any]:
    """Return a difference as JSON values: ids added and removed, and the changed nodes with their fields."""
    return {
        "format": "oncosearch-diff-1",
        "old": _key(diff.old),
        "new": _key(diff.new),
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": [{"id": c.new.id, "fields": [_change(f) for f in c.fields]} for c in node_changes(store, diff)],
    }


def _key(key: SnapshotKey) -> dict[str, str]:
    return {"graph": key.graph_id, "snapshot": key.snapshot_id}


def _change(change: FieldChange) -> dict[str, Any]:
    values: dict[str, Any] = {"field": change.field, "old": change.old, "new": change.new}
    return values | {"added": change.added, "removed": change.removed} if change.is_list else values


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in values.items():
        if name == "fields":
            out |= {f"fields.{key}.{lang}": text for key, texts in value.items() for lang, text in texts.items()}
        elif name in _BY_LANGUAGE:
            out |= {f"{name}.{lang}": text for lang, text in value.items()}
        else:
            out[name] = value
    # Where a part is empty it is left out of the form of a node now and then: nothing and an empty list are the same.
    return {name: value for name, value in out.items() if value != []}


def _without(left: Any, right: Any) -> list[Any]:
    taken = list(right or [])
    out = []
    for entry in left or []:
        if entry in taken:
            taken.remove(entry)
        else:
            out.append(entry)
    return out
