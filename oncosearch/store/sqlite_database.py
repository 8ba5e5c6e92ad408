"""The SQLite file: opening it, its connections, and its errors as readable sentences."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from oncosearch.model import StoreError
from oncosearch.store.migrations import migrate, transaction

FILE_NAME = "oncosearch.db"
_BUSY_SECONDS = 30.0

# What SQLite says and what to do about it.
_ADVICE = (
    ("database is locked", "Another process is writing to it; wait until it is done and try again."),
    ("not a database", "It is damaged or no database: restore it from a backup or move it away."),
    ("malformed", "It is damaged: restore it from a backup."),
    ("disk is full", "Make room on the disk and try again."),
    ("readonly", "Give this user the right to write there."),
    ("unable to open", "Check that the folder exists and that this user may write there."),
)


class SqliteDatabase:
    """One database file and its open connections.

    Every operation borrows a connection that no other thread holds at that time, so the database may be used from
    many threads, and threads that come and go (as Streamlit's do) leave no open file behind.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._closed = False

    @classmethod
    def open(cls, home: Path) -> SqliteDatabase:
        """Return the database in folder ``home``, made where it is missing and brought up to the present version.

        Raises
        ------
        StoreError
            If the folder or the file cannot be used, or was written by a newer version.
        """
        path = home / FILE_NAME
        try:
            home.mkdir(parents=True, exist_ok=True)
            # The record of searches can name patients: only the owner may read the file.
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(
                f"The database {path} cannot be opened: {error.strerror}. "
                "Point ONCOSEARCH_HOME to a folder in which this user may write."
            ) from error
        database = cls(path)
        try:
            with database.connection() as connection:
                _use_write_ahead_log(connection, path)
                migrate(connection, str(path))
        except BaseException:
            database.close()
            raise
        return database

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection in autocommit mode; errors of SQLite leave as ``StoreError``."""
        try:
            connection = self._borrow()
            try:
                yield connection
            finally:
                self._give_back(connection)
        except (sqlite3.Error, UnicodeEncodeError) as error:
            raise self._readable(error) from error

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside a transaction that commits at the end and rolls back on any exception."""
        with self.connection() as connection, transaction(connection):
            yield connection

    def close(self) -> None:
        """Close every connection; one that is lent out at this moment is closed when it comes back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _borrow(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise StoreError(f"The store {self.path} was closed already; open it again.")
            if self._idle:
                return self._idle.pop()
        connection = sqlite3.connect(
            self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _readable(self, error: sqlite3.Error | UnicodeEncodeError) -> StoreError:
        said = "a text is not valid Unicode" if isinstance(error, UnicodeEncodeError) else str(error)
        advice = next((advice for part, advice in _ADVICE if part in said), "Nothing of this step was stored.")
        return StoreError(f"The database {self.path} refused: {said}. {advice}")


def _use_write_ahead_log(connection: sqlite3.Connection, path: Path) -> None:
    # SQLite does not wait for its busy timeout when two processes switch a new file at once.
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            break
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    if mode != "wal":
        raise StoreError(
            f"The database {path} cannot keep a write-ahead log (its journal mode is {mode}). "
            "Point ONCOSEARCH_HOME to a folder on a local disk."
        )
