"""Runs and recorded searches in SQLite."""

from __future__ import annotations

import json

from oncosearch.model import Run, SearchRecord, canonical_json
from oncosearch.store import checks, codec
from oncosearch.store.sqlite_database import SqliteDatabase


class SqliteRunStore:
    """The ``RunStore`` of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def save_run(self, run: Run) -> str:
        """Return the id of the run, the hash of its content."""
        values = codec.run_to_dict(run)
        run_id = codec.run_id(values)
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO runs (id, created, body) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (run_id, run.created, canonical_json(values)),
            )
        return run_id

    def run(self, run_id: str) -> Run:
        """Return the run ``run_id``."""
        with self._database.connection() as connection:
            row = connection.execute("SELECT body FROM runs WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise checks.run_missing(run_id, self.runs())
        return codec.run_from_dict(json.loads(row[0]))

    def runs(self) -> list[str]:
        """Return the ids of all runs by (created, id)."""
        with self._database.connection() as connection:
            return [row[0] for row in connection.execute("SELECT id FROM runs ORDER BY created, id")]


class SqliteAuditStore:
    """The ``AuditStore`` of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def record(self, search: SearchRecord) -> None:
        """Return once the search is on disk; the same record again changes nothing."""
        body = canonical_json(codec.record_to_dict(search))
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO audit (id, time, user, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (search.id, search.time, search.user, body),
            )
            stored = connection.execute("SELECT body FROM audit WHERE id = ?", (search.id,)).fetchone()[0]
        if stored != body:
            raise checks.record_conflict(search.id)

    def record_by_id(self, record_id: str) -> SearchRecord:
        """Return the record ``record_id``."""
        with self._database.connection() as connection:
            row = connection.execute("SELECT body FROM audit WHERE id = ?", (record_id,)).fetchone()
        if row is None:
            raise checks.record_missing(record_id)
        return codec.record_from_dict(json.loads(row[0]))

    def recent(self, count: int, user: str | None = None) -> list[SearchRecord]:
        """Return at most ``count`` records, of one user or of all, last arrived first."""
        where, values = ("", ()) if user is None else ("WHERE user = ?", (user,))
        with self._database.connection() as connection:
            rows = connection.execute(
                f"SELECT body FROM audit {where} ORDER BY number DESC LIMIT ?", (*values, max(count, 0))
            ).fetchall()
        return [codec.record_from_dict(json.loads(row[0])) for row in rows]
