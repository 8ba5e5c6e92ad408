"""Deleting a snapshot, asserted against both adapters; nothing else may be touched by it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from oncosearch.model import NotFoundError, SnapshotKey
from oncosearch.settings import Settings
from oncosearch.store import Store, open_store
from oncosearch.store.migrations import MIGRATIONS, migrate
from oncosearch.store.sqlite_database import FILE_NAME
from tests.store.examples import event, many_nodes, nasty_nodes, plain_node, qrels, run, search, snapshot_of

FIRST, SECOND = SnapshotKey("demo", "2026.Q1"), SnapshotKey("demo", "2026.Q2")


def _two(store: Store) -> list[list]:
    old = nasty_nodes()
    new = [*old[1:], plain_node("new")]
    store.write_snapshot(snapshot_of(old), old)
    store.write_snapshot(snapshot_of(new, "2026.Q2"), new)
    return [old, new]


@pytest.mark.parametrize("dropped", [0, 1])
def test_a_deleted_snapshot_leaves_the_other_whole(store: Store, dropped: int) -> None:
    states, keys = _two(store), [FIRST, SECOND]
    store.delete_snapshot(keys[dropped])
    kept = keys[1 - dropped]
    assert [s.key for s in store.snapshots()] == [kept]
    assert list(store.iter_nodes(kept)) == sorted(states[1 - dropped], key=lambda node: node.id)
    for asking in (store.snapshot, store.hashes, store.iter_nodes, store.delete_snapshot):
        with pytest.raises(NotFoundError, match=r"demo@2026\.Q"):
            asking(keys[dropped])


def test_a_deleted_snapshot_can_be_written_again_with_other_content(store: Store) -> None:
    _two(store)
    store.delete_snapshot(FIRST)
    other = many_nodes(7)
    store.write_snapshot(snapshot_of(other), other)
    assert list(store.iter_nodes(FIRST)) == other


def test_records_stay_and_are_counted(store: Store) -> None:
    _two(store)
    store.append_event(event())
    store.append_event(event(snapshot_id="2026.Q2"))
    store.append_event(event(graph_id="other"))
    store.save_run(run())
    store.save_qrels(qrels())
    store.record(search("a"))
    store.record(search("b"))
    store.record(replace(search("c"), snapshot=SECOND))

    assert store.references(FIRST) == {"judgements": 1, "qrels": 1, "runs": 1, "searches": 2}
    assert store.references(SnapshotKey("demo", "$ne")) == {"judgements": 0, "qrels": 0, "runs": 0, "searches": 0}
    before = (store.events("s1"), store.qrels_heads(), store.runs(), store.recent(10))
    store.delete_snapshot(FIRST)
    assert (store.events("s1"), store.qrels_heads(), store.runs(), store.recent(10)) == before
    assert store.references(FIRST)["searches"] == 2


def test_a_reader_of_a_deleted_snapshot_is_told_and_not_cut_short(store: Store) -> None:
    nodes = many_nodes(4500)
    store.write_snapshot(snapshot_of(nodes), nodes)
    reading = store.iter_nodes(FIRST)
    next(reading)
    store.delete_snapshot(FIRST)
    with pytest.raises(NotFoundError):
        list(reading)


def test_sqlite_drops_the_bodies_that_nobody_has_and_is_closed_again(tmp_path) -> None:
    with open_store(Settings(home=tmp_path)) as store:
        states = _two(store)
        store.delete_snapshot(FIRST)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw:
        assert raw.execute("SELECT count(*) FROM node_bodies").fetchone()[0] == len(states[1])
        assert raw.execute("SELECT count(*) FROM pruning").fetchone()[0] == 0
        for table in ("snapshots", "members", "node_bodies"):
            with pytest.raises(sqlite3.IntegrityError, match="never changes"):
                raw.execute(f"DELETE FROM {table}")


def test_a_snapshot_that_was_not_named_cannot_go_with_another(tmp_path) -> None:
    with open_store(Settings(home=tmp_path)) as store:
        _two(store)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw:
        first, second = (number for (number,) in raw.execute("SELECT number FROM snapshots ORDER BY number"))
        raw.execute("INSERT INTO pruning VALUES (?)", (first,))
        for table, column in (("members", "snapshot"), ("snapshots", "number")):
            with pytest.raises(sqlite3.IntegrityError, match="never changes"):
                raw.execute(f"DELETE FROM {table} WHERE {column} = ?", (second,))


def test_a_database_of_an_earlier_version_can_be_pruned_after_its_migration(tmp_path) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        migrate(raw, "here", [step for step in MIGRATIONS if step.name != "pruning of snapshots"][:2])
        raw.execute(
            "INSERT INTO snapshots VALUES "
            "(7, 'demo', '2026.Q1', '2026-01-01T00:00:00Z', 'hash', 1, '', '[]', '', '[]', 0, 0, 0, 0)"
        )
        raw.execute("INSERT INTO node_bodies VALUES (3, 'h', '{}')")
        raw.execute("INSERT INTO members VALUES (7, 'a', 3)")
    with open_store(Settings(home=tmp_path)) as store:
        store.delete_snapshot(FIRST)
        assert store.snapshots() == []
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw:
        for table in ("members", "node_bodies", "pruning"):
            assert raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
