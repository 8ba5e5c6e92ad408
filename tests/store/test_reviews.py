"""Events of annotation sessions, pools and published qrels, asserted against both adapters."""

from __future__ import annotations

import multiprocessing
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any

import pytest

from oncosearch.model import CREATED, NotFoundError, Qrels, ReviewEvent, SnapshotKey, StoreError, UsageError
from oncosearch.settings import Settings
from oncosearch.store import Store, open_store
from oncosearch.store.migrations import MIGRATIONS, migrate
from oncosearch.store.sqlite_database import FILE_NAME
from tests.store.examples import NASTY, event, pool, qrels

Opening = Callable[[], Store]

VALUES = [None, "3", -1, 0.1 + 0.2, True, ["01", "1", "$where"], {"$a.b": [{"": NASTY}], "": "😀"}]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_an_event_comes_back_as_it_was(store: Store, open_again: Opening, value: Any) -> None:
    one = event(value=value, topic=" ", node="\uffff", reason="a\r\nb;\ufeff,\"'")
    assert store.append_event(one) == 1
    assert open_again().events("s1") == [one]


def test_events_come_in_order_of_arrival_and_are_numbered_by_session(store: Store, open_again: Opening) -> None:
    ones = [
        event(),
        event(rater="$ne", time="2020-01-01T00:00:00Z"),
        event(topic="1"),
        event(topic=""),
        event(rater="bert", topic="1"),
    ]
    other = event(session="$gt")
    assert [store.append_event(one) for one in ones[:3]] == [1, 2, 3]
    assert store.append_event(other) == 1
    assert [store.append_event(one) for one in ones[3:]] == [4, 5]
    reader = open_again()
    assert reader.events("s1") == ones
    assert reader.events("$gt") == [other]
    assert reader.events("s1", rater="$ne") == [ones[1]]
    assert reader.events("s1", topic="1") == [ones[2], ones[4]]
    assert reader.events("s1", topic="") == [ones[3]]
    assert reader.events("s1", rater="anna", topic="01") == [ones[0]]
    assert reader.events("") == []


def test_the_same_event_again_changes_nothing_and_is_not_checked(store: Store) -> None:
    def refuse(_: Sequence[ReviewEvent]) -> None:
        raise UsageError("no")

    first, second = event("a"), event("b")
    assert [store.append_event(one) for one in (first, second, first)] == [1, 2, 1]
    assert store.append_event(first, refuse) == 1
    assert store.events("s1") == [first, second]


@pytest.mark.parametrize(
    "change",
    [{"value": "2"}, {"reason": ""}, {"session": "s2"}, {"time": "2026-01-02T10:00:01Z"}, {"node": "01"}, {"pool": ""}],
    ids=lambda change: next(iter(change)),
)
def test_other_content_under_a_stored_id_is_refused(store: Store, change: dict[str, str]) -> None:
    store.append_event(event("a"))
    with pytest.raises(StoreError, match="'a'") as caught:
        store.append_event(event("a", **change))
    assert caught.value.code == "event_conflict"
    assert store.events("s1") == [event("a")]
    assert store.events("s2") == []


def test_a_check_sees_session_and_lane_and_can_refuse(store: Store) -> None:
    seen: list[list[str]] = []

    def look(earlier: Sequence[ReviewEvent]) -> None:
        seen.append([one.id for one in earlier])

    def refuse(_: Sequence[ReviewEvent]) -> None:
        raise UsageError("not now")

    for one in (
        event("lane 1"),
        event("of session", topic="", rater="owner"),
        event("other rater", rater="bert"),
        event("other topic", topic="02"),
        event("other session", session="s2"),
        event("lane 2"),
    ):
        store.append_event(one)
    store.append_event(event("lane 3"), look)
    store.append_event(event("of session 2", topic="", rater="owner"), look)
    assert seen == [["lane 1", "of session", "lane 2"], ["of session"]]
    before = store.events("s1")
    with pytest.raises(UsageError, match="not now"):
        store.append_event(event(), refuse)
    assert store.events("s1") == before


def test_what_was_checked_still_holds_when_the_event_is_written(
    open_again: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many writers who each want to be one of three: a check that was out of date would let more in."""
    # Threads race here as processes do.
    monkeypatch.setattr("oncosearch.store.mongo_review.MongoReviewStore._line", nullcontext())

    def one_of_three(earlier: Sequence[ReviewEvent]) -> None:
        if len(earlier) >= 3:
            time.sleep(0.001)
            raise UsageError("full")

    def write(i: int) -> str:
        # A store for each writer, as in separate processes.
        store = stores[i]
        try:
            store.append_event(event(topic="", rater=f"r{i}"), one_of_three)
        except UsageError:
            return "refused"
        return "written"

    stores = [open_again() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        outcomes = list(threads.map(write, range(8)))
    assert outcomes.count("written") == 3
    assert len(stores[0].events("s1")) == 3


def test_an_event_that_is_not_unicode_is_refused(store: Store) -> None:
    for change in ({"reason": "half: \ud800"}, {"value": ["\udfff"]}):
        with pytest.raises(StoreError, match=r"(?i)unicode|utf-8"):
            store.append_event(event(**change))
    assert store.events("s1") == []
    assert store.append_event(event()) == 1


def test_created_sessions_are_listed(store: Store) -> None:
    late = event("1", session="late", topic="", action=CREATED, time="2026-02-01T00:00:00Z")
    early = event("2", session="early", topic="", action=CREATED, time="2026-01-01T00:00:00Z")
    for one in (late, early, event("3", topic="", action="pause"), event("4", action=CREATED)):
        store.append_event(one)
    assert store.created_sessions() == [early, late]


def test_events_are_counted_by_session_and_found_by_id(store: Store, open_again: Opening) -> None:
    assert [store.event_count("s1"), store.has_event("$ne")] == [0, False]
    for one in (event("1"), event("$ne"), event("3", session="$gt")):
        store.append_event(one)
    reader = open_again()
    assert [reader.event_count(name) for name in ("s1", "$gt", "", "none")] == [2, 1, 0, 0]
    assert [reader.has_event(name) for name in ("1", "$ne", "3", "", "$gt")] == [True, True, True, False, False]


def test_a_pool_is_kept_once_under_the_hash_of_its_content(store: Store, open_again: Opening) -> None:
    ids = [store.save_pool(pool()), open_again().save_pool(pool()), store.save_pool(pool(k=4))]
    assert ids == [pool().id, pool().id, pool(k=4).id]
    assert ids[0] != ids[2]
    assert open_again().pool(ids[0]) == pool()
    with pytest.raises(NotFoundError, match="ne"):
        store.pool("$ne")


def test_published_qrels_are_kept_once_and_whole(store: Store, open_again: Opening) -> None:
    first, second = qrels(), qrels(policy="mean", created="2026-01-03T00:00:00Z")
    assert store.save_qrels(first) == first.id
    # Another name, author and time are no other content: what was published first stays.
    assert open_again().save_qrels(qrels(name="x", author="y", created="2030-01-01T00:00:00Z")) == first.id
    assert store.save_qrels(second) == second.id != first.id
    assert open_again().qrels(first.id) == first
    assert store.qrels_heads() == [second.head, first.head]
    assert first.head.judgements == 3
    assert first.head.topics == 2
    assert first.duplicates == {"$q.1": {"1"}}
    with pytest.raises(NotFoundError, match=r"\$ne"):
        store.qrels("$ne")


@pytest.mark.parametrize(
    "change",
    [
        {"qrels": Qrels({"$q.1": {"$where": 3, "01": -1, "😀": 1}, "q2": {}})},
        {"qrels": Qrels({"$q.1": {"$where": 3, "01": -1, "😀": 0}})},
        {"flags": {}},
        {"queries": {}},
        {"snapshot": SnapshotKey("demo", "2026.Q2")},
        {"session": ""},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_part_of_the_content_makes_another_id(change: dict[str, Any]) -> None:
    assert qrels(**change).id != qrels().id
    assert replace(qrels(), name="x", author="y", created="z").id == qrels().id


# 20 raters at once


def _rate(arguments: tuple[Settings, int, int]) -> list[str]:
    settings, rater, count = arguments
    written = []
    with open_store(settings) as store:
        for i in range(count):
            one = event(f"{rater}/{i}", rater=f"rater {rater}", topic=f"t{i % 3}")
            store.append_event(one, lambda earlier: None)
            written.append(one.id)
    return written


def test_raters_in_processes_of_their_own_lose_nothing(settings: Settings, open_again: Opening) -> None:
    """20 processes on SQLite, where a new one is cheap; four on MongoDB, whose driver must not be forked."""
    raters, each, how = (20, 20, "fork") if settings.store is None else (4, 20, "spawn")
    with multiprocessing.get_context(how).Pool(raters) as processes:
        written = processes.map(_rate, [(settings, i, each) for i in range(raters)], chunksize=1)
    found = open_again().events("s1")
    assert len(found) == raters * each
    for rater, part in enumerate(written):
        assert [one.id for one in found if one.rater == f"rater {rater}"] == part


# Judgements of earlier versions

_OLD = ("anna", "01", NASTY, "$where", "3", "demo", "2026.Q1", "2026-01-02T10:00:00Z", NASTY)
_EXPECTED = ReviewEvent(
    id="judgement-7",
    session="",
    rater="anna",
    time="2026-01-02T10:00:00Z",
    action="judgement",
    graph_id="demo",
    snapshot_id="2026.Q1",
    topic="01",
    node="$where",
    value={"grade": "3", "query": NASTY, "flags": ["isDuplicate", "$x.y"]},
    reason=NASTY,
)


def test_judgements_of_version_4_become_events(tmp_path: Any) -> None:
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as raw:
        raw.execute("PRAGMA journal_mode = WAL")
        migrate(raw, "here", MIGRATIONS[:4])
        marks = ", ".join("?" * 11)
        for number in (7, 9):
            raw.execute(f"INSERT INTO judgements VALUES ({marks})", (number, *_OLD, '["isDuplicate","$x.y"]'))
    with open_store(Settings(home=tmp_path)) as store:
        assert store.events("") == [_EXPECTED, replace(_EXPECTED, id="judgement-9")]
        assert store.references(SnapshotKey("demo", "2026.Q1"))["judgements"] == 2
        assert store.append_event(event(session="")) == 10
        assert store.created_sessions() == []


@pytest.mark.mongo
def test_judgements_of_mongo_version_1_become_events_also_after_an_interruption(mongo_database: str) -> None:
    from pymongo import MongoClient

    names = ("rater", "topic_id", "query", "node_id", "grade", "graph_id", "snapshot_id", "time", "reason")
    old = dict(zip(names, _OLD, strict=True)) | {"flags": ["isDuplicate", "$x.y"]}
    with MongoClient(mongo_database) as client:
        raw = client.get_default_database()
        raw["meta"].insert_one({"_id": "version", "number": 1})
        raw["judgements"].insert_many([{"_id": 7, **old}, {"_id": 9, **old}])
        expected = [_EXPECTED, replace(_EXPECTED, id="judgement-9")]
        with open_store(Settings(store=mongo_database)) as store:
            assert store.events("") == expected
        assert "judgements" not in raw.list_collection_names()
        assert raw["meta"].find_one({"_id": "version"})["number"] == 2
        # As if it had been killed before it was done.
        raw["judgements"].insert_many([{"_id": 7, **old}, {"_id": 9, **old}])
        raw["meta"].update_one({"_id": "version"}, {"$set": {"number": 1}})
        with open_store(Settings(store=mongo_database)) as store:
            assert store.events("") == expected
            assert store.append_event(event(session="")) == 10
