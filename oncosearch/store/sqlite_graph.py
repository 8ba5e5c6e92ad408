"""Graph snapshots in SQLite: node bodies kept once by content hash, and which snapshot has which."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

from oncosearch.model import Node, Snapshot, SnapshotDiff, SnapshotKey, canonical_json, node_from_dict
from oncosearch.store import checks
from oncosearch.store.codec import SNAPSHOT_COLUMNS, snapshot_from_dict, snapshot_to_dict
from oncosearch.store.migrations import transaction
from oncosearch.store.sqlite_database import SqliteDatabase

_COLUMNS = ", ".join(SNAPSHOT_COLUMNS)
_MARKS = ", ".join("?" * len(SNAPSHOT_COLUMNS))
_LISTS = ("languages", "attribution")
_REFERRING = (
    ("judgements", "review_events", "graph_id", "snapshot_id"),
    ("qrels", "published_qrels", "graph_id", "snapshot_id"),
    ("runs", "runs", "json_extract(body, '$.graph_id')", "json_extract(body, '$.snapshot_id')"),
    ("searches", "audit", "json_extract(body, '$.graph_id')", "json_extract(body, '$.snapshot_id')"),
)
_PAGE = "SELECT m.node_id, b.body FROM members m JOIN node_bodies b ON b.number = m.body WHERE m.snapshot = ?"

# Nodes of the first snapshot that the second has not, or (third value) has with another body.
_ONLY_IN = (
    "SELECT one.node_id, other.body IS NOT NULL FROM members one "
    "LEFT JOIN members other ON other.snapshot = ?2 AND other.node_id = one.node_id "
    "WHERE one.snapshot = ?1 AND (other.body IS NULL OR (?3 AND other.body != one.body)) ORDER BY one.node_id"
)


class SqliteGraphStore:
    """The ``GraphStore`` of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def snapshots(self, graph_id: str | None = None) -> list[Snapshot]:
        """Return the snapshots by (created, graph id, snapshot id)."""
        where, values = ("", ()) if graph_id is None else ("WHERE graph_id = ?", (graph_id,))
        with self._database.connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM snapshots {where} ORDER BY created, graph_id, snapshot_id", values
            ).fetchall()
        return [_snapshot(row) for row in rows]

    def snapshot(self, key: SnapshotKey) -> Snapshot:
        """Return the snapshot ``key``."""
        with self._database.connection() as connection:
            found = _find(connection, key)
        if found is None:
            raise checks.snapshot_missing(key, self.snapshots())
        return found[1]

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
        with self._database.connection() as connection:
            found = _find(connection, snapshot.key)
            if checks.is_stored(snapshot, found and found[1]):
                return
            # The nodes are gathered in a temporary table first: other processes are locked out only for the copy,
            # however slowly the nodes come.
            connection.execute("DROP TABLE IF EXISTS temp.staged")
            connection.execute("CREATE TEMP TABLE staged (node_id TEXT NOT NULL, hash TEXT NOT NULL, body TEXT)")
            try:
                for batch in checks.checked_batches(snapshot, nodes, on_progress):
                    connection.execute("BEGIN")
                    connection.executemany(
                        "INSERT INTO temp.staged VALUES (?, ?, ?)", ((v["id"], h, body) for h, v, body in batch)
                    )
                    connection.execute("COMMIT")
                with transaction(connection):
                    _publish(connection, snapshot)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                connection.execute("DROP TABLE temp.staged")

    def nodes(self, key: SnapshotKey, ids: Sequence[str]) -> list[Node]:
        """Return the nodes ``ids`` in that order."""
        number = self._number(key)
        wanted = list(dict.fromkeys(ids))
        bodies: dict[str, str] = {}
        with self._database.connection() as connection:
            for start in range(0, len(wanted), checks.BATCH):
                part = wanted[start : start + checks.BATCH]
                marks = ", ".join("?" * len(part))
                bodies.update(connection.execute(f"{_PAGE} AND m.node_id IN ({marks})", (number, *part)))
        if len(bodies) < len(wanted):
            raise checks.nodes_missing(key, wanted, bodies)
        return [_node(bodies[node_id]) for node_id in ids]

    def node(self, key: SnapshotKey, node_id: str) -> Node:
        """Return one node."""
        return self.nodes(key, [node_id])[0]

    def iter_nodes(self, key: SnapshotKey) -> Iterator[Node]:
        """Return an iterator over all nodes by id."""
        return self._pages(key, self._number(key))

    def hashes(self, key: SnapshotKey) -> dict[str, str]:
        """Return {node id: content hash} by id."""
        number = self._number(key)
        with self._database.connection() as connection:
            return dict(
                connection.execute(
                    "SELECT m.node_id, b.hash FROM members m JOIN node_bodies b ON b.number = m.body "
                    "WHERE m.snapshot = ? ORDER BY m.node_id",
                    (number,),
                )
            )

    def diff(self, old: SnapshotKey, new: SnapshotKey) -> SnapshotDiff:
        """Return the nodes added, changed and removed from ``old`` to ``new``."""
        numbers = self._number(old), self._number(new)
        with self._database.connection() as connection:
            removed = [node_id for node_id, _ in connection.execute(_ONLY_IN, (*numbers, False))]
            fresh = connection.execute(_ONLY_IN, (*reversed(numbers), True)).fetchall()
        added = tuple(node_id for node_id, is_there in fresh if not is_there)
        changed = tuple(node_id for node_id, is_there in fresh if is_there)
        return SnapshotDiff(old, new, added=added, changed=changed, removed=tuple(removed))

    def references(self, key: SnapshotKey) -> dict[str, int]:
        """Return how many judgements, qrels, runs and recorded searches name the snapshot."""
        with self._database.connection() as connection:
            return {
                name: connection.execute(
                    f"SELECT count(*) FROM {table} WHERE {graph} = ? AND {snapshot} = ?",
                    (key.graph_id, key.snapshot_id),
                ).fetchone()[0]
                for name, table, graph, snapshot in _REFERRING
            }

    def delete_snapshot(self, key: SnapshotKey) -> None:
        """Return once the snapshot is gone, with the node bodies that no other snapshot has."""
        number = self._number(key)
        with self._database.writing() as connection:
            connection.execute("INSERT INTO pruning VALUES (?)", (number,))
            connection.execute("DROP TABLE IF EXISTS temp.left_over")
            connection.execute(
                "CREATE TEMP TABLE left_over AS SELECT DISTINCT body FROM members WHERE snapshot = ?", (number,)
            )
            connection.execute("DELETE FROM members WHERE snapshot = ?", (number,))
            connection.execute(
                "DELETE FROM node_bodies WHERE number IN (SELECT body FROM temp.left_over l "
                "WHERE NOT EXISTS (SELECT 1 FROM members m WHERE m.body = l.body))"
            )
            connection.execute("DROP TABLE temp.left_over")
            connection.execute("DELETE FROM snapshots WHERE number = ?", (number,))
            connection.execute("DELETE FROM pruning")

    def _number(self, key: SnapshotKey) -> int:
        with self._database.connection() as connection:
            found = _find(connection, key)
        if found is None:
            raise checks.snapshot_missing(key, self.snapshots())
        return found[0]

    def _pages(self, key: SnapshotKey, number: int) -> Iterator[Node]:
        # Page by page and not one long cursor: an open read would keep the write-ahead log from being folded in.
        after, bound = "", ">="
        while True:
            with self._database.connection() as connection:
                rows = connection.execute(
                    f"{_PAGE} AND m.node_id {bound} ? ORDER BY m.node_id LIMIT ?", (number, after, checks.BATCH)
                ).fetchall()
                found = _find(connection, key)
            if found is None or found[0] != number:
                # Deleted since the last page: an end here would look like the end of the snapshot.
                raise checks.snapshot_missing(key, self.snapshots())
            for _, body in rows:
                yield _node(body)
            if len(rows) < checks.BATCH:
                return
            after, bound = rows[-1][0], ">"


def _find(connection: sqlite3.Connection, key: SnapshotKey) -> tuple[int, Snapshot] | None:
    row = connection.execute(
        f"SELECT number, {_COLUMNS} FROM snapshots WHERE graph_id = ? AND snapshot_id = ?",
        (key.graph_id, key.snapshot_id),
    ).fetchone()
    return None if row is None else (row[0], _snapshot(row[1:]))


def _publish(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    # Another process may have stored the same key while the nodes came.
    found = _find(connection, snapshot.key)
    if checks.is_stored(snapshot, found and found[1]):
        return
    connection.execute(
        "INSERT INTO node_bodies (hash, body) SELECT hash, body FROM temp.staged WHERE true "
        "ON CONFLICT (hash) DO NOTHING"
    )
    values = snapshot_to_dict(snapshot)
    number = connection.execute(
        f"INSERT INTO snapshots ({_COLUMNS}) VALUES ({_MARKS})",
        [canonical_json(values[name]) if name in _LISTS else values[name] for name in SNAPSHOT_COLUMNS],
    ).lastrowid
    connection.execute(
        "INSERT INTO members (snapshot, node_id, body) SELECT ?, s.node_id, b.number "
        "FROM temp.staged s JOIN node_bodies b ON b.hash = s.hash ORDER BY s.node_id",
        (number,),
    )


def _snapshot(row: Sequence[object]) -> Snapshot:
    values = dict(zip(SNAPSHOT_COLUMNS, row, strict=True))
    return snapshot_from_dict(values | {name: json.loads(str(values[name])) for name in _LISTS})


def _node(body: str) -> Node:
    return node_from_dict(json.loads(body))
