"""The SQLite file itself: its settings, migrations, sharing of unchanged nodes and refusals."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from oncosearch.model import StoreError
from oncosearch.settings import Settings
from oncosearch.store import open_store
from oncosearch.store.migrations import MIGRATIONS, Migration, migrate, version
from oncosearch.store.sqlite_database import FILE_NAME, SqliteDatabase
from tests.store.examples import event, many_nodes, plain_node, pool, qrels, run, search, snapshot_of

LATEST = len(MIGRATIONS)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "a" / "home with ümlaut"


@pytest.fixture
def raw(home: Path) -> Iterator[sqlite3.Connection]:
    """Return a plain connection to the file of a store that holds one of everything."""
    nodes = many_nodes(3)
    with open_store(Settings(home=home)) as store:
        store.write_snapshot(snapshot_of(nodes), nodes)
        store.append_event(event())
        store.save_pool(pool())
        store.save_qrels(qrels())
        store.save_run(run())
        store.record(search("a"))
    with closing(sqlite3.connect(home / FILE_NAME, isolation_level=None)) as connection:
        yield connection


def _everything(connection: sqlite3.Connection) -> list[str]:
    return list(connection.iterdump())


def test_connections_are_set_for_safety(home: Path) -> None:
    database = SqliteDatabase.open(home)
    with database.connection() as first, database.connection() as second:
        for connection in (first, second):
            pragmas = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            values = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas]
            assert values == ["wal", 2, 1, 30000]
    database.close()


def test_threads_that_come_and_go_leave_one_connection(home: Path) -> None:
    with open_store(Settings(home=home)) as store:
        for _ in range(5):
            thread = threading.Thread(target=store.snapshots)
            thread.start()
            thread.join()
        assert len(store._database._idle) == 1


def test_only_the_owner_may_read_the_file(home: Path, raw: sqlite3.Connection) -> None:
    assert stat.S_IMODE((home / FILE_NAME).stat().st_mode) == 0o600


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, LATEST + 1))


def test_migrations_run_once_and_are_recorded(home: Path, raw: sqlite3.Connection) -> None:
    before = raw.execute("SELECT number, name, applied FROM schema_migrations").fetchall()
    assert [(number, name) for number, name, _ in before] == [(step.number, step.name) for step in MIGRATIONS]
    open_store(Settings(home=home)).close()
    assert raw.execute("SELECT number, name, applied FROM schema_migrations").fetchall() == before


def test_a_failed_migration_leaves_the_database_as_it_was(raw: sqlite3.Connection) -> None:
    before = _everything(raw)
    bad = Migration(
        LATEST + 1,
        "bad",
        (
            "CREATE TABLE extra (x)",
            "INSERT INTO runs (id, created, body) VALUES ('x', '', '')",
            "DROP TABLE audit",
            "INSERT INTO nowhere VALUES (1)",
        ),
    )
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(raw, "here", [*MIGRATIONS, bad])
    assert not raw.in_transaction
    assert _everything(raw) == before
    good = Migration(LATEST + 1, "good", ("CREATE TABLE extra (x)",))
    assert migrate(raw, "here", [*MIGRATIONS, good]) == LATEST + 1


def test_a_first_migration_that_fails_leaves_an_empty_database(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as connection:
        bad = Migration(1, "bad", ("CREATE TABLE extra (x)", "nonsense"))
        with pytest.raises(sqlite3.OperationalError):
            migrate(connection, "here", [bad])
        assert version(connection) == 0
        assert _everything(connection) == ["BEGIN TRANSACTION;", "COMMIT;"]


def test_a_newer_database_is_refused_with_both_versions(home: Path, raw: sqlite3.Connection) -> None:
    raw.execute("INSERT INTO schema_migrations VALUES (?, 'from the future', '')", (LATEST + 5,))
    before = _everything(raw)
    with pytest.raises(StoreError, match=f"version {LATEST + 5}, but this program knows versions up to {LATEST}"):
        open_store(Settings(home=home))
    assert _everything(raw) == before


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"no database at all " * 100)
    with pytest.raises(StoreError, match="not a database"):
        open_store(Settings(home=tmp_path))
    assert (tmp_path / FILE_NAME).read_bytes() == b"no database at all " * 100


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
        before = _everything(connection)
        with pytest.raises(StoreError, match="another program"):
            open_store(Settings(home=tmp_path))
        assert _everything(connection) == before


def test_a_home_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="ONCOSEARCH_HOME"):
        open_store(Settings(home=tmp_path / "file" / "home"))


def test_unchanged_nodes_are_kept_once(home: Path, raw: sqlite3.Connection) -> None:
    changed = [*many_nodes(2), plain_node("n00002", "neu")]
    with open_store(Settings(home=home)) as store:
        store.write_snapshot(snapshot_of(changed, "2026.Q2"), changed)
    assert raw.execute("SELECT count(*) FROM members").fetchone()[0] == 6
    assert raw.execute("SELECT count(*) FROM node_bodies").fetchone()[0] == 4


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE snapshots SET title = 'x'",
        "UPDATE members SET node_id = node_id || 'x'",
        "UPDATE node_bodies SET body = '{}'",
        "UPDATE review_events SET value = '0'",
        "UPDATE review_pools SET body = '{}'",
        "UPDATE published_qrels SET topics = '[]'",
        "DELETE FROM snapshots",
        "DELETE FROM members",
        "DELETE FROM node_bodies",
        "DELETE FROM review_events",
        "DELETE FROM review_pools",
        "DELETE FROM published_qrels",
    ],
)
def test_the_database_itself_refuses_to_change_what_is_fixed(raw: sqlite3.Connection, statement: str) -> None:
    before = _everything(raw)
    with pytest.raises(sqlite3.IntegrityError, match=r"never changes?|only ever added"):
        raw.execute(statement)
    assert _everything(raw) == before


def test_a_slow_import_does_not_keep_others_from_writing(home: Path) -> None:
    nodes = many_nodes(1200)
    with open_store(Settings(home=home)) as importing, open_store(Settings(home=home)) as other:

        def judge_meanwhile(taken: int) -> None:
            other.append_event(event(rater=str(taken)))
            importing.record(search(str(taken)))

        importing.write_snapshot(snapshot_of(nodes), nodes, judge_meanwhile)
        assert [found.rater for found in other.events("s1")] == ["500", "1000", "1200"]
        assert len(other.recent(10)) == 3
        assert list(other.iter_nodes(snapshot_of(nodes).key)) == nodes


def test_a_failed_step_inside_a_transaction_is_rolled_back(home: Path) -> None:
    database = SqliteDatabase.open(home)

    def insert_twice() -> None:
        with database.writing() as connection:
            for _ in range(2):
                connection.execute("INSERT INTO runs (id, created, body) VALUES ('x', '', '')")

    with pytest.raises(StoreError, match="UNIQUE"):
        insert_twice()
    with database.connection() as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone()[0] == 0
        assert not connection.in_transaction
    database.close()
