"""The SQLite store: one file in the home folder."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from oncosearch.store.sqlite_database import SqliteDatabase
from oncosearch.store.sqlite_duplicates import SqliteDuplicateStore
from oncosearch.store.sqlite_graph import SqliteGraphStore
from oncosearch.store.sqlite_records import SqliteAuditStore, SqliteRunStore
from oncosearch.store.sqlite_review import SqliteReviewStore


class SqliteStore(SqliteGraphStore, SqliteReviewStore, SqliteRunStore, SqliteAuditStore, SqliteDuplicateStore):
    """All stores in one SQLite database."""

    name = "SQLite"

    @classmethod
    def open(cls, home: Path) -> Self:
        """Return the store in folder ``home``, made where it is missing.

        Raises
        ------
        StoreError
            If the folder or the file cannot be used, or was written by a newer version.
        """
        return cls(SqliteDatabase.open(home))

    def close(self) -> None:
        """Close every connection; closing again does nothing."""
        self._database.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
