"""A record that does not fit the session, or says less than it: what is taken, what stays, and what is named."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from oncosearch.review import (
    Refused,
    TopicState,
    carry_session,
    load_record,
    read_record,
    record_of,
    session_view,
    topic_state,
    write_record,
)
from oncosearch.store import Store
from tests.review.examples import act, begun, grade_all, grades
from tests.review.test_carrying import NEW, NEW_NODES, OLD_NODES, new_pools
from tests.store.examples import snapshot_of

KNOWN = {*"abcdef", "zz"}
PLACES = Refused(
    "original_index", "the record does not have every node of the pool, so the first places of this session stay"
)


@pytest.fixture
def store(kept: Store) -> Store:
    begun(kept)
    return kept


def loaded(store: Store, nodes: list[dict[str, Any]], **more: Any) -> tuple[TopicState, tuple[Refused, ...]]:
    reading = read_record(json.dumps({"topic": "T1", "nodes": nodes, **more}))
    assert reading.refused == ()
    assert reading.record is not None
    return load_record(store, "s1", "anna", reading.record, known=KNOWN)


def assert_written_and_read_the_same(store: Store, state: TopicState) -> None:
    record = record_of(session_view(store, state.session), state)
    reading = read_record(write_record(record))
    assert (reading.record, reading.refused) == (record, ())


def test_a_record_of_some_nodes_leaves_every_node_its_own_first_place(store: Store) -> None:
    # anna's first order is c, d, b, a.
    nodes = [{"id": "a", "original_index": 0, "relevance": 3}, {"id": "b", "original_index": 1, "relevance": 1}]
    state, refused = loaded(store, nodes)
    assert refused == (PLACES,)
    assert {item.node: item.original_index for item in state.items} == {"c": 0, "d": 1, "b": 2, "a": 3}
    assert grades(state) == {"a": "3", "b": "1"}
    assert_written_and_read_the_same(store, state)


def test_a_node_of_the_pool_is_not_one_that_was_added(store: Store) -> None:
    state, refused = loaded(store, [{"id": "a", "original_index": -1, "isManuallyAdded": True, "relevance": 3}])
    assert [one.where for one in refused] == ["nodes: a.isManuallyAdded"]
    item = state.item("a")
    assert (item.added, item.original_index, item.grade) == (False, 3, "3")
    act(store, "add", "zz")
    state, refused = loaded(store, [{"id": "zz", "original_index": 0, "relevance": 2}])
    assert [one.where for one in refused] == ["nodes: zz.isManuallyAdded"]
    item = state.item("zz")
    assert (item.added, item.original_index, item.grade) == (True, -1, "2")
    assert_written_and_read_the_same(store, state)


def duplicates(**marks: str) -> list[dict[str, Any]]:
    return [{"id": node, "isDuplicate": True, **({"duplicateOf": to} if to else {})} for node, to in marks.items()]


def test_of_nodes_that_are_duplicates_of_one_another_one_remains(store: Store) -> None:
    state, refused = loaded(store, [*duplicates(a="b", b="c", c="a"), {"id": "d"}])
    assert [one.where for one in refused] == ["nodes: c.duplicateOf"]
    assert set(state.ordered_nodes) == {"c", "d"}
    assert_written_and_read_the_same(store, state)


def test_a_mark_of_the_record_and_one_of_the_session_do_not_go_in_a_circle(store: Store) -> None:
    act(store, "duplicate", "b", "a")
    state, refused = loaded(store, duplicates(a="b"))
    assert [one.where for one in refused if one != PLACES] == ["nodes: a.duplicateOf"]
    assert set(state.ordered_nodes) == {"a", "c", "d"}
    # Where the record has both, its own marks count.
    state, refused = loaded(store, duplicates(a="b", b="c"))
    assert [one.where for one in refused if one != PLACES] == []
    assert {item.node: item.duplicate_of for item in state.items if item.is_duplicate} == {"a": "b", "b": "c"}


def test_not_every_node_is_a_duplicate(store: Store) -> None:
    state, refused = loaded(store, duplicates(a="", b="", c="", d=""))
    assert [(one.where, one.why) for one in refused if one != PLACES] == [
        ("nodes: d.isDuplicate", "every other node is a duplicate; one must remain")
    ]
    assert state.ordered_nodes == ("d",)
    assert_written_and_read_the_same(store, state)


def test_where_the_record_says_nothing_what_the_rater_said_stays(store: Store) -> None:
    act(store, "grade", "a", "3", reason="mein Grund")
    act(store, "duplicate", "b", "a")
    act(store, "irrelevant", "c")
    act(store, "grade", "d", "2", reason="alt")
    before = topic_state(store, "s1", "anna", "T1")
    state, refused = loaded(
        store, [{"id": "a"}, {"id": "b", "relevance": 1}, {"id": "c"}, {"id": "d", "reason": "neu"}]
    )
    assert [one for one in refused if one != PLACES] == []
    assert grades(state) == {"a": "3", "b": "1", "c": "-1", "d": "2"}
    for node in "ac":
        assert replace(state.item(node), original_index=0) == replace(before.item(node), original_index=0)
    assert (state.item("b").duplicate_of, state.item("d").reason) == ("a", "neu")
    # An order does not replace a grade by hand, and it is said that it stands.
    state, refused = loaded(store, [{"id": "a", "relevance": 2, "stage": "bootstrapped"}])
    assert state.item("a").grade == "3"
    assert [one.why for one in refused if one != PLACES] == ["2 is said to come from the order, but 3 by hand stands"]


def test_the_grade_underneath_comes_back_after_an_import(store: Store) -> None:
    grade_all(store, "anna", {"a": "2", "b": "3", "c": "1", "d": "unsure"})
    act(store, "irrelevant", "a")
    act(store, "later", "b")
    act(store, "irrelevant", "c")
    act(store, "later", "c")
    act(store, "later", "d")
    record = record_of(session_view(store, "s1"), topic_state(store, "s1", "anna", "T1"))
    begun(store, id="s2", owner="otto", seed=99)
    reading = read_record(write_record(record))
    assert (reading.record, reading.refused) == (record, ())
    state, refused = load_record(store, "s2", "anna", record, known=KNOWN)
    assert refused == ()
    assert replace(record_of(session_view(store, "s2"), state), session="s1") == record
    for session in ("s1", "s2"):
        assert act(store, "unmark", "a", "irrelevant", session=session).item("a").grade == "2"
        assert act(store, "unmark", "b", "later", session=session).item("b").grade == "3"
        assert act(store, "unmark", "c", "later", session=session).item("c").grade == "-1"
        assert act(store, "unmark", "c", "irrelevant", session=session).item("c").grade == "1"
        assert act(store, "unmark", "d", "later", session=session).item("d").grade == "unsure"


def test_what_is_to_be_judged_anew_stays_so_in_a_record(store: Store) -> None:
    store.write_snapshot(snapshot_of(OLD_NODES, "1"), OLD_NODES)
    store.write_snapshot(snapshot_of(NEW_NODES, "2", created="2026-04-01T00:00:00Z"), NEW_NODES)
    act(store, "grade", "b", "2")
    carry_session(store, "s1", NEW, new_pools())
    record = record_of(session_view(store, "s2"), topic_state(store, "s2", "anna", "T1"))
    assert_written_and_read_the_same(store, topic_state(store, "s2", "anna", "T1"))
    state, _ = load_record(store, "s2", "bert", record, known=KNOWN)
    assert (state.item("b").recheck, state.item("b").previous) == ("changed", "2")


@pytest.mark.parametrize("text", ["[" * 200_000, '{"nodes": ' + "[" * 200_000])
def test_what_is_nested_without_end_is_no_record(text: str) -> None:
    reading = read_record(text)
    assert reading.record is None
    assert "nested" in reading.refused[0].why


def test_half_a_surrogate_pair_is_named_and_the_rest_is_taken(store: Store) -> None:
    half = "\ud800"
    nodes = [
        {"id": "a", "relevance": 1},
        {"id": "b", "reason": half},
        {"id": half},
        {"id": "c", half: 1},
    ]
    raw = {"topic": "T1", "rater": half, "query": {"de": half}, half: 1, "nodes": nodes, "ordered_nodes": [half, "a"]}
    reading = read_record(json.dumps(raw))
    assert {one.where for one in reading.refused} == {
        "\\ud800",
        "rater",
        "query",
        "nodes[1]",
        "nodes[2]",
        "nodes[3].\\ud800",
        "ordered_nodes[0]",
    }
    for one in reading.refused:
        (one.where + one.why).encode()
    assert reading.record is not None
    state, _ = load_record(store, "s1", "anna", reading.record, known=KNOWN)
    assert grades(state) == {"a": "1"}


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"hidden": "4", "isIrrelevant": True}, "hidden is '4'"),
        ({"hidden": "2"}, "nothing hides it"),
        ({"hiddenIrrelevant": True}, "nothing hides it"),
        ({"recheck": "gone"}, "recheck"),
        ({"previous": 2}, "previous"),
        ({"previous": "5"}, "previous"),
        ({"unblinded": "yes"}, "unblinded"),
    ],
)
def test_what_a_record_cannot_say_is_refused(entry: dict[str, Any], why: str) -> None:
    reading = read_record(json.dumps({"nodes": [{"id": "x", **entry}], "seen": False}))
    assert [one.where for one in reading.refused] == ["nodes[0]"]
    assert why in reading.refused[0].why
