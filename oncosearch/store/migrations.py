"""The tables of the SQLite store as numbered migrations; each runs in one transaction together with its record."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from oncosearch.model import StoreError


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema. Numbers count from 1 without a gap; a published migration is never edited."""

    number: int
    name: str
    statements: tuple[str, ...]


def _refuses(table: str, action: str, reason: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} BEGIN SELECT RAISE(ABORT, '{reason}'); "
        "END"
    )


_SNAPSHOT_FIXED = "a snapshot never changes"
_JUDGEMENT_FIXED = "judgements are only ever added"
_DECISION_FIXED = "decisions on duplicates are only ever added"
_REVIEW_FIXED = {
    "review_events": "events of a session are only ever added",
    "review_pools": "a pool never changes",
    "published_qrels": "published qrels never change",
}

MIGRATIONS = (
    Migration(
        1,
        "graph snapshots",
        (
            """CREATE TABLE snapshots (
                number INTEGER PRIMARY KEY,
                graph_id TEXT NOT NULL,
                snapshot_id TEXT NOT NULL,
                created TEXT NOT NULL,
                content_hash TEXT NOT NULL,
                node_count INTEGER NOT NULL,
                title TEXT NOT NULL,
                languages TEXT NOT NULL,
                licence TEXT NOT NULL,
                attribution TEXT NOT NULL,
                parent_count INTEGER NOT NULL,
                link_count INTEGER NOT NULL,
                source_count INTEGER NOT NULL,
                demo INTEGER NOT NULL,
                UNIQUE (graph_id, snapshot_id)
            )""",
            """CREATE TABLE node_bodies (
                number INTEGER PRIMARY KEY,
                hash TEXT NOT NULL UNIQUE,
                body TEXT NOT NULL
            )""",
            """CREATE TABLE members (
                snapshot INTEGER NOT NULL REFERENCES snapshots (number),
                node_id TEXT NOT NULL,
                body INTEGER NOT NULL REFERENCES node_bodies (number),
                PRIMARY KEY (snapshot, node_id)
            ) WITHOUT ROWID""",
            *(
                _refuses(table, action, _SNAPSHOT_FIXED)
                for table in ("snapshots", "node_bodies", "members")
                for action in ("UPDATE", "DELETE")
            ),
        ),
    ),
    Migration(
        2,
        "judgements, runs and audit",
        (
            """CREATE TABLE judgements (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                rater TEXT NOT NULL,
                topic_id TEXT NOT NULL,
                query TEXT NOT NULL,
                node_id TEXT NOT NULL,
                grade TEXT NOT NULL,
                graph_id TEXT NOT NULL,
                snapshot_id TEXT NOT NULL,
                time TEXT NOT NULL,
                reason TEXT NOT NULL,
                flags TEXT NOT NULL
            )""",
            "CREATE INDEX judgements_by_topic ON judgements (graph_id, topic_id)",
            *(_refuses("judgements", action, _JUDGEMENT_FIXED) for action in ("UPDATE", "DELETE")),
            """CREATE TABLE runs (
                id TEXT PRIMARY KEY,
                created TEXT NOT NULL,
                body TEXT NOT NULL
            )""",
            """CREATE TABLE audit (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                time TEXT NOT NULL,
                user TEXT NOT NULL,
                body TEXT NOT NULL
            )""",
            "CREATE INDEX audit_by_user ON audit (user, number)",
        ),
    ),
    Migration(
        3,
        "decisions on duplicates",
        (
            """CREATE TABLE duplicate_decisions (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                graph_id TEXT NOT NULL,
                snapshot_id TEXT NOT NULL,
                first TEXT NOT NULL,
                second TEXT NOT NULL,
                verdict TEXT NOT NULL,
                user TEXT NOT NULL,
                time TEXT NOT NULL,
                reason TEXT NOT NULL
            )""",
            "CREATE INDEX duplicate_decisions_by_graph ON duplicate_decisions (graph_id, number)",
            *(_refuses("duplicate_decisions", action, _DECISION_FIXED) for action in ("UPDATE", "DELETE")),
        ),
    ),
    Migration(
        4,
        "pruning of snapshots",
        (
            # Only what a row of this table names can be deleted; the row lives inside one transaction.
            "CREATE TABLE pruning (snapshot INTEGER PRIMARY KEY)",
            "CREATE INDEX members_by_body ON members (body)",
            *(
                statement
                for table, unless in (
                    ("snapshots", "OLD.number IN (SELECT snapshot FROM pruning)"),
                    ("members", "OLD.snapshot IN (SELECT snapshot FROM pruning)"),
                    ("node_bodies", "EXISTS (SELECT 1 FROM pruning)"),
                )
                for statement in (
                    f"DROP TRIGGER {table}_no_delete",
                    f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} WHEN NOT ({unless}) "
                    f"BEGIN SELECT RAISE(ABORT, '{_SNAPSHOT_FIXED}'); END",
                )
            ),
        ),
    ),
    Migration(
        5,
        "annotation sessions",
        (
            """CREATE TABLE review_events (
                arrival INTEGER PRIMARY KEY AUTOINCREMENT,
                number INTEGER NOT NULL,
                id TEXT NOT NULL UNIQUE,
                session TEXT NOT NULL,
                rater TEXT NOT NULL,
                time TEXT NOT NULL,
                action TEXT NOT NULL,
                graph_id TEXT NOT NULL,
                snapshot_id TEXT NOT NULL,
                topic TEXT NOT NULL,
                node TEXT NOT NULL,
                pool TEXT NOT NULL,
                value TEXT NOT NULL,
                reason TEXT NOT NULL,
                UNIQUE (session, number)
            )""",
            "CREATE INDEX review_events_by_rater ON review_events (session, topic, rater, number)",
            "CREATE INDEX review_events_by_snapshot ON review_events (graph_id, snapshot_id)",
            "CREATE INDEX review_events_that_create ON review_events (time, session) WHERE action = 'create'",
            # Judgements of earlier versions stand outside of any session.
            """INSERT INTO review_events
                (number, id, session, rater, time, action, graph_id, snapshot_id, topic, node, pool, value, reason)
                SELECT number, 'judgement-' || number, '', rater, time, 'judgement', graph_id, snapshot_id, topic_id,
                    node_id, '', json_object('flags', json(flags), 'grade', grade, 'query', query), reason
                FROM judgements ORDER BY number""",
            "DROP TABLE judgements",
            "CREATE TABLE review_pools (id TEXT PRIMARY KEY, body TEXT NOT NULL)",
            """CREATE TABLE published_qrels (
                id TEXT PRIMARY KEY,
                created TEXT NOT NULL,
                graph_id TEXT NOT NULL,
                snapshot_id TEXT NOT NULL,
                head TEXT NOT NULL,
                topics TEXT NOT NULL
            )""",
            *(
                _refuses(table, action, reason)
                for table, reason in _REVIEW_FIXED.items()
                for action in ("UPDATE", "DELETE")
            ),
        ),
    ),
)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock from the first statement on; commit at the end, roll back on any exception."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def version(connection: sqlite3.Connection) -> int:
    """Return the number of the last migration that was applied; 0 for a new database."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").fetchone() is None:
        return 0
    return int(connection.execute("SELECT coalesce(max(number), 0) FROM schema_migrations").fetchone()[0])


def migrate(connection: sqlite3.Connection, where: str, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Return the version of the database after every pending migration was applied.

    Parameters
    ----------
    connection
        In autocommit mode (``isolation_level=None``): the transactions are opened here.
    where
        The file, for messages.

    Raises
    ------
    StoreError
        If the database was written by a newer version or belongs to another program; it is left as it was.
    """
    while (found := version(connection)) < len(migrations):
        with transaction(connection):
            # Another process may have been here between the look and the lock.
            if version(connection) == found:
                _apply(connection, where, migrations[found])
    if found > len(migrations):
        raise StoreError(
            f"The database {where} is of version {found}, but this program knows versions up to {len(migrations)}. "
            "Use a newer oncosearch, or point ONCOSEARCH_HOME to another folder.",
            code="store_version",
            found=found,
            known=len(migrations),
        )
    return found


def _apply(connection: sqlite3.Connection, where: str, migration: Migration) -> None:
    if migration.number == 1 and connection.execute("SELECT 1 FROM sqlite_master").fetchone() is not None:
        raise StoreError(f"The file {where} is a database of another program. Point ONCOSEARCH_HOME to another folder.")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations "
        "(number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL)"
    )
    for statement in migration.statements:
        connection.execute(statement)
    connection.execute(
        "INSERT INTO schema_migrations (number, name, applied) VALUES (?, ?, ?)",
        (migration.number, migration.name, datetime.now(UTC).isoformat(timespec="seconds")),
    )
