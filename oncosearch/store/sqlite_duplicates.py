"""Decisions on duplicates in SQLite."""

from __future__ import annotations

from dataclasses import astuple

from oncosearch.model import PairDecision
from oncosearch.store.codec import DECISION_COLUMNS
from oncosearch.store.sqlite_database import SqliteDatabase

_COLUMNS = ", ".join(DECISION_COLUMNS)
_MARKS = ", ".join("?" * len(DECISION_COLUMNS))


class SqliteDuplicateStore:
    """The ``DuplicateStore`` of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def append_decision(self, decision: PairDecision) -> int:
        """Return the sequence number of the decision once it is on disk."""
        with self._database.writing() as connection:
            cursor = connection.execute(
                f"INSERT INTO duplicate_decisions ({_COLUMNS}) VALUES ({_MARKS})", astuple(decision)
            )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def decisions(self, graph_id: str) -> list[PairDecision]:
        """Return the decisions on nodes of one graph in order of arrival."""
        with self._database.connection() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM duplicate_decisions WHERE graph_id = ? ORDER BY number", (graph_id,)
            ).fetchall()
        return [PairDecision(*row) for row in rows]

    def last_decision(self, graph_id: str) -> int:
        """Return the sequence number of the last decision on nodes of one graph, 0 where there is none."""
        with self._database.connection() as connection:
            row = connection.execute(
                "SELECT coalesce(max(number), 0) FROM duplicate_decisions WHERE graph_id = ?", (graph_id,)
            ).fetchone()
        return int(row[0])
