"""kill -9 at any moment: nothing acknowledged is lost, nothing stands there half."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from oncosearch.model import NotFoundError, SnapshotKey
from oncosearch.settings import Settings
from oncosearch.store import Store
from tests.paths import ROOT
from tests.store.examples import event, snapshot_of
from tests.store.killed import NEW, OLD

SIGKILLED = -9
NEW_KEY = SnapshotKey("demo", "2026.Q2")

ANY_STORE = ("nodes:500", "nodes:1500", "nodes:1700")
SQLITE = (
    ("sql:INSERT INTO node_bodies", False),
    ("sql:INSERT INTO snapshots", False),
    ("sql:INSERT INTO members", False),
    ("sql:DROP TABLE temp.staged", True),
)
MONGO = (
    ("before:insert_many:4", False),
    ("before:insert_one:1", False),
    ("after:insert_one:1", True),
)


def _program(task: str, settings: Settings, *rest: str) -> list[str]:
    return [sys.executable, "-m", "tests.store.killed", task, str(settings.home), settings.store or "", *rest]


def _killed_while_writing(point: str, stored: bool, settings: Settings, open_again: Callable[[], Store]) -> Store:
    old = snapshot_of(OLD)
    with open_again() as first:
        first.write_snapshot(old, OLD)
    done = subprocess.run(_program("write", settings, point), cwd=ROOT, timeout=120, check=False)
    assert done.returncode == SIGKILLED
    store = open_again()
    assert store.snapshot(old.key) == old
    assert list(store.iter_nodes(old.key)) == OLD
    if stored:
        assert list(store.iter_nodes(NEW_KEY)) == NEW
    else:
        assert store.snapshots() == [old]
        with pytest.raises(NotFoundError):
            store.iter_nodes(NEW_KEY)
    store.write_snapshot(snapshot_of(NEW, "2026.Q2", created="2026-04-01T00:00:00Z"), NEW)
    assert list(store.iter_nodes(NEW_KEY)) == NEW
    assert list(store.iter_nodes(old.key)) == OLD
    return store


@pytest.mark.parametrize("point", ANY_STORE)
def test_killed_while_nodes_come(point: str, settings: Settings, open_again: Callable[[], Store]) -> None:
    _killed_while_writing(point, False, settings, open_again)


@pytest.mark.parametrize("settings", ["sqlite"], indirect=True)
@pytest.mark.parametrize(("point", "stored"), SQLITE)
def test_killed_while_sqlite_publishes(
    point: str, stored: bool, settings: Settings, open_again: Callable[[], Store]
) -> None:
    _killed_while_writing(point, stored, settings, open_again)


@pytest.mark.mongo
@pytest.mark.parametrize("settings", ["mongo"], indirect=True)
@pytest.mark.parametrize(("point", "stored"), MONGO)
def test_killed_while_mongo_publishes(
    point: str, stored: bool, settings: Settings, open_again: Callable[[], Store]
) -> None:
    from pymongo import MongoClient

    _killed_while_writing(point, stored, settings, open_again)
    with MongoClient(settings.store) as client:
        database = client.get_default_database()
        # The next write of the key has removed what the killed one left behind.
        assert database["nodes"].count_documents({}) == len(OLD) + len(NEW)
        assert database["relations"].count_documents({}) == sum(len(node.parents) for node in [*OLD, *NEW])


def test_an_acknowledged_judgement_survives(settings: Settings, open_again: Callable[[], Store]) -> None:
    with subprocess.Popen(_program("judge", settings), cwd=ROOT, stdout=subprocess.PIPE, text=True) as judging:
        assert judging.stdout is not None
        acknowledged = [int(judging.stdout.readline()) for _ in range(7)]
        judging.kill()
        acknowledged += [int(line) for line in judging.stdout.read().split()]
    assert judging.returncode == SIGKILLED
    store = open_again()
    found = store.events("s1")
    assert acknowledged == list(range(1, len(acknowledged) + 1))
    # One more may be on disk whose number did not get out any more.
    assert len(found) - len(acknowledged) in {0, 1}
    assert {replace(one, id="") for one in found} == {replace(event(), id="")}
    assert store.append_event(event(rater="later")) > acknowledged[-1]


def test_a_new_store_may_be_opened_by_several_processes_at_once(
    settings: Settings, open_again: Callable[[], Store]
) -> None:
    settings.home.parent.mkdir(exist_ok=True)
    start = settings.home.parent / "start"
    opening = [
        subprocess.Popen(_program("open", settings, str(start)), cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    start.touch()
    for process in opening:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    assert open_again().snapshots() == []
