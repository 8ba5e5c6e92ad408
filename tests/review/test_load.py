"""Load and loss through the package: many raters at once, kill -9 at any moment, two windows of one rater."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from oncosearch.model import UsageError
from oncosearch.review import close, create_session, history, new_event, save, session_states, topic_state
from oncosearch.settings import Settings
from oncosearch.store import Store
from tests.paths import ROOT
from tests.review.examples import SESSION, begun, pools
from tests.review.killed import judgement

Opening = Callable[[], Store]
RATERS = tuple(f"rater {i}" for i in range(20))


def test_20_raters_write_400_judgements_at_once(open_again: Opening) -> None:
    store = open_again()
    view = create_session(store, replace(SESSION, raters=RATERS), pools())
    plan = [("T1", "abcd"[i % 4], "3210"[i % 4]) for i in range(10)] + [
        ("T2", "ef"[i % 2], "3210"[i // 2 % 4]) for i in range(10)
    ]

    def rate(rater: str) -> list[str]:
        events = [new_event(view, rater, topic, "grade", node=node, value=grade) for topic, node, grade in plan]
        for event in events:
            save(store, event)
        return [event.id for event in events]

    with ThreadPoolExecutor(20) as threads:
        written = list(threads.map(rate, RATERS))
    reader = open_again()
    found = [event for event in history(reader, "s1") if event.action == "grade"]
    assert sorted(event.id for event in found) == sorted(event_id for part in written for event_id in part)
    assert len(found) == 400
    states = session_states(reader, "s1")
    expected = {topic: {node: grade for t, node, grade in plan if t == topic} for topic in ("T1", "T2")}
    for rater, ids in zip(RATERS, written, strict=True):
        assert [event.id for event in found if event.rater == rater] == ids
        for topic, state in states[rater].items():
            assert {item.node: item.grade for item in state.items if item.grade} == expected[topic]


def test_whatever_was_reported_saved_is_there_after_50_kills(settings: Settings, open_again: Opening) -> None:
    # Opening a MongoDB store takes its time, so there it is half as many.
    rounds = 50 if settings.store is None else 25
    with open_again() as store:
        begun(store)
    command = [sys.executable, "-m", "tests.review.killed", str(settings.home), settings.store or "", str(rounds), "42"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=True)
    said = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert {round_ for round_, _ in said} == set(range(rounds))
    numbers = [number for _, number in said]
    assert numbers == list(range(len(numbers)))
    store = open_again()
    ids = [event.id for event in history(store, "s1", rater="anna") if event.action == "grade"]
    # One more may be on disk whose answer did not get out any more; what was saved again stands there once.
    assert ids[: len(numbers)] == [judgement(number)[0] for number in numbers]
    assert len(ids) - len(numbers) in {0, 1}
    expected = {node: grade for _, node, grade in map(judgement, range(len(ids)))}
    state = topic_state(store, "s1", "anna", "T1")
    assert {item.node: item.grade for item in state.items if item.grade} == expected


def test_two_windows_of_one_rater_lose_nothing_and_double_nothing(open_again: Opening) -> None:
    one, other = open_again(), open_again()
    view = begun(one)
    plan = [("a", "3"), ("b", "2"), ("c", "1"), ("d", "0")] * 3

    def type_in(store: Store) -> None:
        # Both windows send the same twelve events, as after a reload that repeats them.
        for event in events:
            save(store, event)

    events = [new_event(view, "anna", "T1", "grade", node=node, value=grade) for node, grade in plan]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(type_in, (one, other)))
    found = history(one, "s1", rater="anna")
    assert [event.action for event in found].count("start") == 1
    assert sorted(event.id for event in found if event.action == "grade") == sorted(event.id for event in events)


def test_nothing_is_written_after_close_however_many_try(open_again: Opening) -> None:
    stores = [open_again() for _ in range(4)]
    view = begun(stores[0])

    def rate(store: Store) -> None:
        try:
            for _ in range(30):
                save(store, new_event(view, "anna", "T1", "grade", node="a", value="1"))
        except UsageError as error:
            assert error.code == "review_closed"  # noqa: PT017

    with ThreadPoolExecutor(5) as threads:
        rating = [threads.submit(rate, store) for store in stores[1:]]
        closing = threads.submit(close, stores[0], "s1", "olga")
        for one in [*rating, closing]:
            one.result()
    actions = [event.action for event in history(stores[0], "s1")]
    assert actions[-1] == "close"
