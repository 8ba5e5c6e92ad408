"""Events of annotation sessions, pools and published qrels in SQLite."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence

from oncosearch.model import CREATED, Pool, PublishedHead, PublishedQrels, ReviewEvent, canonical_json
from oncosearch.store import review_codec as codec
from oncosearch.store.sqlite_database import SqliteDatabase

_COLUMNS = ", ".join(codec.EVENT_COLUMNS)
_MARKS = ", ".join("?" * len(codec.EVENT_COLUMNS))
_READ = f"SELECT {_COLUMNS} FROM review_events"
# Written out: the index is only of events of creation, and a parameter could be any action.
_CREATED = f"{_READ} WHERE topic = '' AND action = '{CREATED}' ORDER BY time, session"
_BESIDE = f"{_READ} WHERE session = ? AND (topic = '' OR (topic = ? AND rater = ?)) ORDER BY number"


class SqliteReviewStore:
    """The ``ReviewStore`` of a SQLite database."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    def append_event(self, event: ReviewEvent, check: Callable[[Sequence[ReviewEvent]], None] | None = None) -> int:
        """Return the number of the event in its session once it is on disk."""
        values = codec.event_to_dict(event)
        with self._database.writing() as connection:
            found = connection.execute(
                f"SELECT number, {_COLUMNS} FROM review_events WHERE id = ?", (event.id,)
            ).fetchone()
            if found is not None:
                codec.checked_same(_event(found[1:]), event)
                return int(found[0])
            if check is not None:
                rows = connection.execute(_BESIDE, (event.session, event.topic, event.rater)).fetchall()
                check([_event(row) for row in rows])
            number = 1 + _last(connection, event.session)
            connection.execute(
                f"INSERT INTO review_events (number, {_COLUMNS}) VALUES (?, {_MARKS})",
                [number, *(values[name] for name in codec.EVENT_COLUMNS)],
            )
        return number

    def events(self, session: str, *, rater: str | None = None, topic: str | None = None) -> list[ReviewEvent]:
        """Return the events of a session that agree with every value given, in order of arrival."""
        given = {"session": session, "rater": rater, "topic": topic}
        wanted = {name: value for name, value in given.items() if value is not None}
        where = " AND ".join(f"{name} = ?" for name in wanted)
        with self._database.connection() as connection:
            rows = connection.execute(f"{_READ} WHERE {where} ORDER BY number", tuple(wanted.values())).fetchall()
        return [_event(row) for row in rows]

    def event_count(self, session: str) -> int:
        """Return how many events a session has, without reading them."""
        with self._database.connection() as connection:
            return _last(connection, session)

    def has_event(self, event_id: str) -> bool:
        """Return whether an event with this id is on disk."""
        with self._database.connection() as connection:
            found = connection.execute("SELECT 1 FROM review_events WHERE id = ?", (event_id,)).fetchone()
        return found is not None

    def created_sessions(self) -> list[ReviewEvent]:
        """Return the event that made each session, by (time, session)."""
        with self._database.connection() as connection:
            rows = connection.execute(_CREATED).fetchall()
        return [_event(row) for row in rows]

    def save_pool(self, pool: Pool) -> str:
        """Return the id of the pool, the hash of its content, once it is on disk."""
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO review_pools (id, body) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
                (pool.id, canonical_json(pool.to_dict())),
            )
        return pool.id

    def pool(self, pool_id: str) -> Pool:
        """Return the pool ``pool_id``."""
        with self._database.connection() as connection:
            row = connection.execute("SELECT body FROM review_pools WHERE id = ?", (pool_id,)).fetchone()
        if row is None:
            raise codec.pool_missing(pool_id)
        return Pool.from_dict(json.loads(row[0]))

    def save_qrels(self, published: PublishedQrels) -> str:
        """Return the id of the qrels, the hash of their content, once they are on disk."""
        head = codec.head_to_dict(published.head)
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO published_qrels (id, created, graph_id, snapshot_id, head, topics) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (
                    head["id"],
                    head["created"],
                    head["graph_id"],
                    head["snapshot_id"],
                    canonical_json(head),
                    canonical_json(published.topics_to_list()),
                ),
            )
        return str(head["id"])

    def qrels(self, qrels_id: str) -> PublishedQrels:
        """Return the published qrels ``qrels_id``."""
        with self._database.connection() as connection:
            row = connection.execute("SELECT head, topics FROM published_qrels WHERE id = ?", (qrels_id,)).fetchone()
        if row is None:
            raise codec.qrels_missing(qrels_id)
        return PublishedQrels.of_topics(codec.head_from_dict(json.loads(row[0])), json.loads(row[1]))

    def qrels_heads(self) -> list[PublishedHead]:
        """Return what is known of all published qrels, by (created, id)."""
        with self._database.connection() as connection:
            rows = connection.execute("SELECT head FROM published_qrels ORDER BY created, id").fetchall()
        return [codec.head_from_dict(json.loads(row[0])) for row in rows]


def _event(row: sqlite3.Row | Sequence[object]) -> ReviewEvent:
    return codec.event_from_dict(dict(zip(codec.EVENT_COLUMNS, row, strict=True)))


def _last(connection: sqlite3.Connection, session: str) -> int:
    found = connection.execute("SELECT coalesce(max(number), 0) FROM review_events WHERE session = ?", (session,))
    return int(found.fetchone()[0])
