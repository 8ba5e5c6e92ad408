"""Graph snapshots in MongoDB.

A writer puts nodes and relations under a tag of its own and the snapshot document last: until then no reader sees
them. The unique key of that document decides between two writers, so neither ever touches what the other has shown.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from pymongo.errors import DuplicateKeyError, PyMongoError

from oncosearch.model import Node, Snapshot, SnapshotDiff, SnapshotKey
from oncosearch.store import checks
from oncosearch.store.codec import snapshot_from_dict, snapshot_to_dict
from oncosearch.store.mongo_database import Document, MongoDatabase, equal
from oncosearch.store.mongo_documents import node_document, node_of, relation_documents

_ASKED_AT_ONCE = 100
_PAGE = 2000
_TAGGED = ("nodes", "relations")
_REFERRING = (
    ("judgements", "review_events"),
    ("qrels", "published_qrels"),
    ("runs", "runs"),
    ("searches", "audit"),
)
_OLDEST_FIRST = [("created", 1), ("graph_id", 1), ("snapshot_id", 1)]


class MongoGraphStore:
    """The ``GraphStore`` of a MongoDB database."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database

    def snapshots(self, graph_id: str | None = None) -> list[Snapshot]:
        """Return the snapshots by (created, graph id, snapshot id)."""
        wanted = {} if graph_id is None else equal(graph_id=graph_id)
        with self._database.speaking():
            found = list(self._database.collection("snapshots").find(wanted, sort=_OLDEST_FIRST))
        return [snapshot_from_dict(document) for document in found]

    def snapshot(self, key: SnapshotKey) -> Snapshot:
        """Return the snapshot ``key``."""
        return snapshot_from_dict(self._document(key))

    def latest(self, graph_id: str) -> Snapshot:
        """Return the newest snapshot of a graph."""
        found = self.snapshots(graph_id)
        if not found:
            raise checks.graph_missing(graph_id, self.snapshots())
        return found[-1]

    def write_snapshot(
        self, snapshot: Snapshot, nodes: Iterable[Node], on_progress: Callable[[int], None] | None = None
    ) -> None:
        """Return once all nodes are on disk under ``snapshot.key``, or raise and leave the store as it was."""
        with self._database.speaking():
            shown = self._find(snapshot.key)
            if not checks.is_stored(snapshot, _snapshot(shown)):
                shown = self._write(snapshot, nodes, on_progress)
            assert shown is not None
            # Only now: a writer that still runs on this key can no longer show its nodes.
            self._remove(snapshot.key, {"write": {"$ne": shown["write"]}})

    def nodes(self, key: SnapshotKey, ids: Sequence[str]) -> list[Node]:
        """Return the nodes ``ids`` in that order."""
        tag = _tag(self._document(key))
        wanted = list(dict.fromkeys(ids))
        found: dict[str, Node] = {}
        with self._database.speaking():
            for start in range(0, len(wanted), _ASKED_AT_ONCE):
                part = {"node_id": {"$in": wanted[start : start + _ASKED_AT_ONCE]}}
                for document in self._database.collection("nodes").find(equal(**tag) | part):
                    found[document["node_id"]] = node_of(document)
        if len(found) < len(wanted):
            raise checks.nodes_missing(key, wanted, found)
        return [found[node_id] for node_id in ids]

    def node(self, key: SnapshotKey, node_id: str) -> Node:
        """Return one node."""
        return self.nodes(key, [node_id])[0]

    def iter_nodes(self, key: SnapshotKey) -> Iterator[Node]:
        """Return an iterator over all nodes by id."""
        tag = _tag(self._document(key))
        return (node_of(document) for page in self._pages(key, tag, None) for document in page)

    def hashes(self, key: SnapshotKey) -> dict[str, str]:
        """Return {node id: content hash} by id."""
        tag = _tag(self._document(key))
        only = {"_id": 0, "node_id": 1, "node_hash": 1}
        return {document["node_id"]: document["node_hash"] for page in self._pages(key, tag, only) for document in page}

    def diff(self, old: SnapshotKey, new: SnapshotKey) -> SnapshotDiff:
        """Return the nodes added, changed and removed from ``old`` to ``new``."""
        return checks.difference(old, new, self.hashes(old), self.hashes(new))

    def references(self, key: SnapshotKey) -> dict[str, int]:
        """Return how many judgements, qrels, runs and recorded searches name the snapshot."""
        wanted = equal(graph_id=key.graph_id, snapshot_id=key.snapshot_id)
        with self._database.speaking():
            return {
                name: self._database.collection(collection).count_documents(wanted) for name, collection in _REFERRING
            }

    def delete_snapshot(self, key: SnapshotKey) -> None:
        """Return once the snapshot is gone; its document goes first, so that no reader sees half of it."""
        tag = _tag(self._document(key))
        with self._database.speaking():
            self._database.collection("snapshots").delete_one(equal(**tag))
            self._remove(key, equal(write=tag["write"]))

    def _find(self, key: SnapshotKey) -> Document | None:
        wanted = equal(graph_id=key.graph_id, snapshot_id=key.snapshot_id)
        return self._database.collection("snapshots").find_one(wanted)

    def _document(self, key: SnapshotKey) -> Document:
        with self._database.speaking():
            found = self._find(key)
        if found is None:
            raise checks.snapshot_missing(key, self.snapshots())
        return found

    def _write(self, snapshot: Snapshot, nodes: Iterable[Node], on_progress: Callable[[int], None] | None) -> Document:
        tag = {"graph_id": snapshot.graph_id, "snapshot_id": snapshot.snapshot_id, "write": uuid.uuid4().hex}
        try:
            for batch in checks.checked_batches(snapshot, nodes, on_progress):
                relations = [relation for _, values, _ in batch for relation in relation_documents(values, tag)]
                self._database.collection("nodes").insert_many(
                    [node_document(values, node_hash, tag) for node_hash, values, _ in batch], ordered=False
                )
                if relations:
                    self._database.collection("relations").insert_many(relations, ordered=False)
        except BaseException:
            # What stays behind where the server is gone is invisible, and removed by the next write of this key.
            with suppress(PyMongoError):
                self._remove(snapshot.key, equal(write=tag["write"]))
            raise
        return self._show(snapshot, tag)

    def _show(self, snapshot: Snapshot, tag: dict[str, str]) -> Document:
        document: Document = {**snapshot_to_dict(snapshot), **tag}
        try:
            self._database.collection("snapshots").insert_one(document)
        except DuplicateKeyError:
            # Either another writer was faster, or the driver sent this document a second time.
            shown = self._find(snapshot.key)
            if shown is None:
                raise
            if shown["write"] != tag["write"]:
                self._remove(snapshot.key, equal(write=tag["write"]))
                checks.is_stored(snapshot, _snapshot(shown))
            return shown
        return document

    def _remove(self, key: SnapshotKey, which: Document) -> None:
        wanted = equal(graph_id=key.graph_id, snapshot_id=key.snapshot_id) | which
        for name in _TAGGED:
            self._database.collection(name).delete_many(wanted)

    def _pages(self, key: SnapshotKey, tag: dict[str, str], only: Document | None) -> Iterator[list[Document]]:
        # Page by page and not one cursor: the server drops a cursor that its reader leaves waiting for minutes.
        wanted = equal(**tag)
        while True:
            with self._database.speaking():
                page = list(self._database.collection("nodes").find(wanted, only, sort=[("node_id", 1)], limit=_PAGE))
                shown = self._find(key)
            if shown is None or shown["write"] != tag["write"]:
                # Deleted since the last page: an end here would look like the end of the snapshot.
                raise checks.snapshot_missing(key, self.snapshots())
            yield page
            if len(page) < _PAGE:
                return
            wanted = equal(**tag) | {"node_id": {"$gt": page[-1]["node_id"]}}


def _tag(document: Document) -> dict[str, str]:
    return {name: document[name] for name in ("graph_id", "snapshot_id", "write")}


def _snapshot(document: Document | None) -> Snapshot | None:
    return None if document is None else snapshot_from_dict(document)
