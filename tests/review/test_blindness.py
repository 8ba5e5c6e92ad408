"""What counts as given without knowing the grades of others: every way to another grade after they could be seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from oncosearch.review import (
    carry_session,
    grades_of_others,
    load_record,
    ratings,
    record_of,
    session_view,
    topic_state,
)
from oncosearch.store import Store
from tests.review.examples import act, begun, grade_all, undo
from tests.review.test_carrying import NEW, NEW_NODES, OLD_NODES, new_pools
from tests.store.examples import snapshot_of

KNOWN = set("abcdef")


@pytest.fixture
def store(kept: Store) -> Store:
    """Return a store in which anna has judged four nodes, two of them with a grade underneath, and bert one."""
    kept.write_snapshot(snapshot_of(OLD_NODES, "1"), OLD_NODES)
    kept.write_snapshot(snapshot_of(NEW_NODES, "2", created="2026-04-01T00:00:00Z"), NEW_NODES)
    begun(kept)
    grade_all(kept, "anna", {"a": "2", "c": "2", "d": "0", "b": "1"})
    act(kept, "irrelevant", "a")
    act(kept, "later", "c")
    act(kept, "grade", "b", "3")
    act(kept, "grade", "a", "2", rater="bert")
    return kept


def looked(store: Store) -> None:
    act(store, "finish")
    assert grades_of_others(store, "s1", "anna", "T1") == {"bert": {"a": "2"}}
    act(store, "reopen")


def blind(store: Store, session: str = "s1", **options: bool) -> dict[str, int]:
    found = ratings(store, session, blind_only=True, **options)
    return {node: given["anna"] for (_, node), given in found.items() if "anna" in given}


def imported(store: Store, node: str) -> None:
    """Read a node back from anna's own record."""
    written = record_of(session_view(store, "s1"), topic_state(store, "s1", "anna", "T1"))
    nodes = tuple(one for one in written.nodes if one.id == node)
    load_record(store, "s1", "anna", replace(written, nodes=nodes, ordered_nodes=(node,)), known=KNOWN)


def test_looking_alone_changes_nothing(store: Store) -> None:
    looked(store)
    assert blind(store) == {"a": -1, "b": 3, "d": 0}


@pytest.mark.parametrize(
    ("change", "node", "grade"),
    [
        (lambda store: act(store, "unmark", "a", "irrelevant"), "a", "2"),
        (lambda store: act(store, "unmark", "c", "later"), "c", "2"),
        (undo, "b", "1"),
        (lambda store: act(store, "irrelevant", "d"), "d", "-1"),
        (lambda store: act(store, "irrelevant", "a"), "a", "-1"),
        (lambda store: act(store, "grade", "d", "0"), "d", "0"),
        (lambda store: imported(store, "d"), "d", "0"),
    ],
    ids=["unmark irrelevant", "unmark later", "undo", "irrelevant", "irrelevant anew", "same grade", "same by record"],
)
def test_another_grade_after_looking_does_not_count_as_blind(
    store: Store, change: Callable[[Store], object], node: str, grade: str
) -> None:
    looked(store)
    change(store)
    item = topic_state(store, "s1", "anna", "T1").item(node)
    assert (item.grade, item.unblinded) == (grade, True)
    assert blind(store) == {n: g for n, g in {"a": -1, "b": 3, "d": 0}.items() if n != node}


def test_what_was_done_and_undone_after_looking_is_as_before(store: Store) -> None:
    looked(store)
    act(store, "unmark", "a", "irrelevant")
    undo(store)
    act(store, "later", "d")
    act(store, "unmark", "d", "later")
    assert blind(store) == {"a": -1, "b": 3, "d": 0}


def test_an_order_given_after_looking_does_not_count_as_blind(store: Store) -> None:
    act(store, "unmark", "d", "grade")
    act(store, "reorder", value=["b", "d", "a", "c"])
    assert blind(store, bootstrapped=True) == {"a": -1, "b": 3, "d": 2}
    looked(store)
    assert blind(store, bootstrapped=True) == {"a": -1, "b": 3, "d": 2}
    # The grade that it gives is the same one, and all the same given with knowledge.
    act(store, "reorder", value=["b", "d", "c", "a"])
    assert topic_state(store, "s1", "anna", "T1").item("d").grade == "2"
    assert blind(store, bootstrapped=True) == {"a": -1, "b": 3}


def test_a_grade_that_reveals_the_order_after_looking_does_not_count_as_blind(store: Store) -> None:
    act(store, "reorder", value=["b", "d", "a", "c"])
    looked(store)
    act(store, "unmark", "d", "grade")
    assert topic_state(store, "s1", "anna", "T1").item("d").stage == "bootstrapped"
    assert blind(store, bootstrapped=True) == {"a": -1, "b": 3}


def test_carrying_over_makes_nothing_blind(store: Store) -> None:
    looked(store)
    act(store, "grade", "a", "3")
    carry_session(store, "s1", NEW, new_pools())
    # d is gone, the text of b has changed.
    assert blind(store) == {"b": 3, "d": 0}
    assert blind(store, "s2") == {}
    assert topic_state(store, "s2", "anna", "T1").item("a").grade == "3"
    # What bert said could be seen, so the next grade is not blind either; of a node that is new it is.
    act(store, "unmark", "c", "later", session="s2")
    act(store, "grade", "b", "1", session="s2")
    act(store, "grade", "new", "1", session="s2")
    assert blind(store, "s2") == {"new": 1}


def test_who_has_not_looked_stays_blind_in_the_next_session(store: Store) -> None:
    carry_session(store, "s1", NEW, new_pools())
    act(store, "grade", "b", "1", session="s2")
    assert blind(store, "s2") == {"a": -1, "b": 1}


def test_a_record_makes_nothing_blind(store: Store) -> None:
    looked(store)
    act(store, "grade", "d", "1")
    written = record_of(session_view(store, "s1"), topic_state(store, "s1", "anna", "T1"))
    begun(store, id="s2", owner="otto")
    state, refused = load_record(store, "s2", "anna", written, known=KNOWN)
    assert refused == ()
    assert replace(record_of(session_view(store, "s2"), state), session="s1") == written
    assert blind(store, "s2") == {"a": -1, "b": 3}
    act(store, "unmark", "a", "irrelevant", session="s2")
    assert blind(store, "s2") == {"b": 3}


def test_the_same_grade_anew_in_the_next_session_is_not_blind_once_others_could_be_seen(store: Store) -> None:
    looked(store)
    carry_session(store, "s1", NEW, new_pools())
    assert blind(store, "s2") == {"a": -1}
    act(store, "grade", "a", "-1", session="s2")
    assert blind(store, "s2") == {}


def test_an_order_read_from_a_record_after_looking_does_not_count_as_blind(store: Store) -> None:
    act(store, "unmark", "d", "grade")
    act(store, "reorder", value=["b", "d", "a", "c"])
    written = record_of(session_view(store, "s1"), topic_state(store, "s1", "anna", "T1"))
    looked(store)
    load_record(store, "s1", "anna", replace(written, nodes=()), known=KNOWN)
    assert topic_state(store, "s1", "anna", "T1").item("d").grade == "2"
    assert blind(store, bootstrapped=True) == {"a": -1, "b": 3}
