"""Decisions on duplicates, asserted against both adapters."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from oncosearch.model import PairDecision, StoreError
from oncosearch.settings import Settings
from oncosearch.store import Store, open_store
from tests.store.examples import NASTY, many_nodes, snapshot_of

DECISION = PairDecision("demo", "2026.Q1", "$where", "Müller", "duplicate", "anna", "2026-01-02T10:00:00Z", NASTY)


def test_decisions_come_back_in_order_of_arrival(store: Store, open_again: Callable[[], Store]) -> None:
    given = [
        DECISION,
        replace(DECISION, verdict="different", time="2020-01-01T00:00:00Z"),
        replace(DECISION, graph_id="$ne"),
        replace(DECISION, first="01", second="1", verdict="undecided", snapshot_id="2026.Q2"),
        DECISION,
    ]
    assert store.last_decision("demo") == 0
    numbers = [store.append_decision(one) for one in given]
    assert numbers == sorted(set(numbers))
    again = open_again()
    assert again.decisions("demo") == [given[0], given[1], given[3], given[4]]
    assert again.decisions("$ne") == [given[2]]
    assert again.decisions("other") == []
    assert again.last_decision("demo") == numbers[4]
    assert again.last_decision("$ne") == numbers[2]
    assert again.last_decision("other") == 0


def test_decisions_stay_with_the_graph_when_snapshots_come(store: Store) -> None:
    store.append_decision(DECISION)
    nodes = many_nodes(3)
    store.write_snapshot(snapshot_of(nodes), nodes)
    store.write_snapshot(snapshot_of(nodes, "2026.Q2"), nodes)
    assert store.decisions("demo") == [DECISION]


def test_a_decision_that_is_not_unicode_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match=r"(?i)unicode|utf-8"):
        store.append_decision(replace(DECISION, reason="half a surrogate: \ud800"))
    assert store.decisions("demo") == []


def test_many_threads_lose_nothing(store: Store) -> None:
    ready = threading.Barrier(4)

    def write(user: str) -> list[int]:
        ready.wait()
        return [store.append_decision(replace(DECISION, user=user)) for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        numbers = [number for found in pool.map(write, "abcd") for number in found]
    assert len(set(numbers)) == 40
    assert sorted(d.user for d in store.decisions("demo")) == sorted("abcd" * 10)
    assert store.last_decision("demo") == max(numbers)


@pytest.mark.parametrize(
    "statement", ["UPDATE duplicate_decisions SET verdict = 'different'", "DELETE FROM duplicate_decisions"]
)
def test_the_database_itself_refuses_to_change_a_decision(tmp_path, statement: str) -> None:
    import sqlite3

    with open_store(Settings(home=tmp_path)) as store:
        store.append_decision(DECISION)
        raw = sqlite3.connect(tmp_path / "oncosearch.db")
        with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
            raw.execute(statement)
        raw.close()
        assert store.decisions("demo") == [DECISION]
