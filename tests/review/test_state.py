"""What a rater's events make of a topic: hand-worked cases, the rules at the writing end, and laws of folding."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import ReviewEvent, StoreError, UsageError
from oncosearch.review import (
    Progress,
    fold_topic,
    grades_of_others,
    history,
    new_event,
    provenance,
    rater_states,
    save,
    session_progress,
    session_states,
    session_view,
    start,
    topic_state,
    total_progress,
)
from oncosearch.review.folding import in_order
from oncosearch.review.state import TopicState
from oncosearch.store import Store
from tests.review.examples import act, begun, grades, nodes, undo

FIRST = ["d", "b", "a", "c"]


@pytest.fixture
def store(kept: Store) -> Store:
    begun(kept)
    return kept


def refused(action: Callable[[], Any]) -> str:
    with pytest.raises(UsageError) as caught:
        action()
    return caught.value.code


# Hand-worked


def test_before_the_first_action_nothing_is_written_and_the_order_stands(store: Store) -> None:
    state = topic_state(store, "s1", "anna", "T1")
    assert sorted(nodes(state.items)) == ["a", "b", "c", "d"]
    assert [item.original_index for item in state.items] == [0, 1, 2, 3]
    assert (state.started, state.finished, state.last_action, state.actions) == (False, False, "", 0)
    assert state.progress == Progress(total=4)
    assert len(history(store, "s1")) == 1
    assert start(store, "s1", "anna", "T1").items == state.items
    assert start(store, "s1", "anna", "T1").actions == 1
    assert topic_state(store, "s1", "anna", "T1").items == state.items
    assert history(store, "s1", rater="anna")[0].value == nodes(state.items)


def test_grades_and_progress(store: Store) -> None:
    act(store, "grade", "a", "3", reason="genau die Frage")
    act(store, "grade", "b", "-1")
    act(store, "grade", "c", "unsure")
    state = act(store, "later", "d")
    assert grades(state) == {"a": "3", "b": "-1", "c": "unsure"}
    assert state.item("a").reason == "genau die Frage"
    assert not state.item("b").irrelevant
    assert state.progress == Progress(total=4, graded=2, unsure=1, later=1)
    assert (state.progress.open, state.progress.done) == (0, 3)
    state = act(store, "grade", "d", "0")
    assert state.progress == Progress(total=4, graded=3, unsure=1)
    # A later grade without a reason leaves the reason as it is; the action "reason" can clear it.
    assert act(store, "grade", "a", "2").item("a").reason == "genau die Frage"
    assert act(store, "reason", "a").item("a").reason == ""


def test_irrelevant_stays_visible_with_its_flag_and_minus_one(store: Store) -> None:
    act(store, "grade", "a", "2")
    state = act(store, "irrelevant", "a")
    assert (state.item("a").irrelevant, state.item("a").grade, state.item("a").stage) == (True, "-1", "explicit")
    assert "a" in state.ordered_nodes
    assert grades(act(store, "unmark", "a", "irrelevant")) == {"a": "2"}
    act(store, "irrelevant", "a")
    item = act(store, "grade", "a", "1").item("a")
    assert (item.irrelevant, item.grade) == (False, "1")


def test_a_duplicate_leaves_the_ordered_nodes_and_names_its_original(store: Store) -> None:
    before = topic_state(store, "s1", "anna", "T1").ordered_nodes
    state = act(store, "duplicate", "b", "a")
    assert state.ordered_nodes == tuple(node for node in before if node != "b")
    assert state.item("b").duplicate_of == "a"
    assert state.progress == Progress(total=3, duplicates=1)
    state = act(store, "unmark", "b", "duplicate")
    assert state.ordered_nodes == before


def test_of_nodes_that_are_the_same_one_remains(store: Store) -> None:
    act(store, "duplicate", "b", "a")
    act(store, "duplicate", "c", "b")
    for node, other in (("a", "a"), ("a", "b"), ("a", "c"), ("b", "c")):
        assert refused(lambda: act(store, "duplicate", node, other)) == "review_duplicate_self"  # noqa: B023
    assert act(store, "duplicate", "d", "c").ordered_nodes == ("a",)


def test_an_added_node_has_no_first_place(store: Store) -> None:
    state = act(store, "add", "zz", reason="fehlte")
    item = state.items[-1]
    assert (item.node, item.original_index, item.added, item.reason) == ("zz", -1, True, "fehlte")
    assert grades(act(store, "grade", "zz", "3")) == {"zz": "3"}
    assert refused(lambda: act(store, "add", "zz")) == "review_node_there"
    assert refused(lambda: act(store, "add", "a")) == "review_node_there"
    assert refused(lambda: act(store, "grade", "zz", "3", topic="T2")) == "review_node_unknown"


def test_later_withdraws_a_grade_until_it_is_unmarked_or_graded_anew(store: Store) -> None:
    act(store, "grade", "a", "2")
    assert grades(act(store, "later", "a")) == {}
    assert grades(act(store, "unmark", "a", "later")) == {"a": "2"}
    act(store, "irrelevant", "a")
    item = act(store, "later", "a").item("a")
    assert (item.grade, item.irrelevant, item.later) == ("", False, True)
    item = act(store, "grade", "a", "0").item("a")
    assert (item.grade, item.later) == ("0", False)
    assert grades(act(store, "unmark", "a", "grade")) == {}


def test_an_order_bootstraps_and_explicit_grades_refine(store: Store) -> None:
    assert grades(topic_state(store, "s1", "anna", "T1")) == {}
    state = act(store, "reorder", value=["c", "a", "d", "b"])
    assert state.ordered_nodes == ("c", "a", "d", "b")
    assert grades(state) == {"c": "3", "a": "2", "d": "2", "b": "1"}
    assert {item.stage for item in state.items} == {"bootstrapped"}
    assert state.progress == Progress(total=4)
    state = act(store, "grade", "a", "1")
    assert grades(state) == {"c": "3", "a": "1", "d": "1", "b": "1"}
    assert [item.stage for item in state.items] == ["bootstrapped", "explicit", "bootstrapped", "bootstrapped"]
    # Unsure, later, irrelevant and duplicate nodes get no first grade and do not count as a place.
    act(store, "grade", "c", "unsure")
    act(store, "irrelevant", "d")
    state = act(store, "unmark", "a", "grade")
    assert grades(state) == {"c": "unsure", "a": "3", "d": "-1", "b": "2"}
    assert grades(undo(store)) == {"c": "unsure", "a": "1", "d": "-1", "b": "1"}


def test_an_order_from_a_window_that_does_not_know_a_node_loses_none(store: Store) -> None:
    act(store, "reorder", value=["a", "b", "c", "d"])
    act(store, "add", "zz")
    act(store, "duplicate", "b", "a")
    state = act(store, "reorder", value=["d", "c", "a"])
    assert nodes(state.items) == ["d", "zz", "c", "a", "b"]
    assert state.ordered_nodes == ("d", "zz", "c", "a")


def test_undo_takes_back_one_action_after_another_and_no_more(store: Store) -> None:
    shown = [topic_state(store, "s1", "anna", "T1")]
    for action, node, value in (
        ("grade", "a", "3"),
        ("later", "a", None),
        ("duplicate", "b", "a"),
        ("add", "zz", None),
        ("reorder", "", ["zz", "c", "d", "a"]),
        ("reason", "a", None),
    ):
        shown.append(act(store, action, node, value, reason="weil" if action == "reason" else ""))
    for before in reversed(shown[:-1]):
        assert undo(store).items == before.items
    assert refused(lambda: act(store, "undo", value="anything")) == "review_undo_nothing"
    assert len(history(store, "s1", rater="anna")) == 13
    # What was taken back stays in the history and can be done anew.
    assert grades(act(store, "grade", "a", "1")) == {"a": "1"}


def test_undo_from_a_window_that_is_out_of_date_is_refused(store: Store) -> None:
    stale = act(store, "grade", "a", "3").last_action
    act(store, "grade", "b", "2")
    assert refused(lambda: act(store, "undo", value=stale)) == "review_undo_stale"
    last = topic_state(store, "s1", "anna", "T1").last_action
    assert grades(act(store, "undo", value=last)) == {"a": "3"}
    assert refused(lambda: act(store, "undo", value=last)) == "review_undo_stale"
    assert grades(topic_state(store, "s1", "anna", "T1")) == {"a": "3"}


def test_a_finished_topic_is_opened_before_it_is_changed(store: Store) -> None:
    act(store, "grade", "a", "3")
    assert refused(lambda: act(store, "reopen")) == "review_not_finished"
    assert act(store, "finish").finished
    for late in (lambda: act(store, "grade", "a", "2"), lambda: act(store, "finish"), lambda: undo(store)):
        assert refused(late) == "review_finished"
    state = act(store, "reopen")
    assert (state.finished, state.seen) == (False, True)
    item = act(store, "grade", "a", "2").item("a")
    assert (item.grade, item.unblinded) == ("2", True)
    assert grades(undo(store)) == {"a": "3"}
    assert not topic_state(store, "s1", "anna", "T1").item("a").unblinded


def test_other_raters_and_topics_are_not_touched(store: Store) -> None:
    act(store, "grade", "a", "3")
    act(store, "grade", "a", "0", rater="bert")
    act(store, "grade", "e", "1", topic="T2")
    assert grades(topic_state(store, "s1", "bert", "T1")) == {"a": "0"}
    assert grades(undo(store)) == {}
    assert grades(topic_state(store, "s1", "bert", "T1")) == {"a": "0"}
    assert {t: grades(s) for t, s in rater_states(store, "s1", "anna").items()} == {"T1": {}, "T2": {"e": "1"}}
    progress = session_progress(store, "s1")
    assert progress["anna"] == {"T1": Progress(4), "T2": Progress(2, graded=1)}
    assert total_progress(progress["bert"].values()) == Progress(6, graded=1)
    assert session_states(store, "s1")["bert"]["T1"] == topic_state(store, "s1", "bert", "T1")


def test_runs_and_the_grades_of_others_are_hidden_until_the_topic_is_finished(store: Store) -> None:
    act(store, "grade", "a", "3", rater="bert")
    act(store, "grade", "a", "1")
    assert provenance(store, "s1", "anna", "T1") is None
    assert grades_of_others(store, "s1", "anna", "T1") is None
    act(store, "finish")
    shown = provenance(store, "s1", "anna", "T1")
    assert shown is not None
    assert [(f.run, f.rank, f.score) for f in shown["b"]] == [("e5 · grag", 2, 0.8), ("lexical", 1, 5.0)]
    assert grades_of_others(store, "s1", "anna", "T1") == {"bert": {"a": "3"}}
    assert provenance(store, "s1", "anna", "T2") is None
    assert provenance(store, "s1", "bert", "T1") is None


def test_an_open_session_shows_grades_and_still_no_runs(kept: Store) -> None:
    begun(kept, blind=False)
    act(kept, "grade", "a", "3", rater="bert")
    assert grades_of_others(kept, "s1", "anna", "T1") == {"bert": {"a": "3"}}
    assert provenance(kept, "s1", "anna", "T1") is None


@pytest.mark.parametrize(
    ("action", "node", "value"),
    [
        ("grade", "a", "4"),
        ("grade", "a", 3),
        ("grade", "a", "later"),
        ("grade", "", "3"),
        ("finish", "a", None),
        ("unmark", "a", "everything"),
        ("duplicate", "a", ""),
        ("reorder", "", "abc"),
        ("reorder", "", ["a", "a"]),
        ("reorder", "", ["a", 1]),
        ("undo", "", None),
        ("create", "", {}),
        ("pause", "", None),
    ],
)
def test_a_malformed_action_is_refused_before_it_is_written(store: Store, action: str, node: str, value: Any) -> None:
    assert refused(lambda: act(store, action, node, value)) == "review_value"
    assert len(history(store, "s1")) == 1


def test_a_rater_cannot_adjudicate(store: Store) -> None:
    event = new_event(session_view(store, "s1"), "anna", "T1", "adjudicate", node="a", value="3", reason="x")
    assert refused(lambda: save(store, event)) == "review_value"


def test_the_same_event_twice_counts_once_and_other_content_is_refused(store: Store) -> None:
    view = session_view(store, "s1")
    event = new_event(view, "anna", "T1", "grade", node="a", value="3", id="x", time="2026-11-30T12:00:00.000Z")
    assert save(store, event) == save(store, event)
    with pytest.raises(StoreError) as caught:
        save(store, new_event(view, "anna", "T1", "grade", node="a", value="2", id="x", time=event.time))
    assert caught.value.code == "event_conflict"
    assert grades(topic_state(store, "s1", "anna", "T1")) == {"a": "3"}


def test_every_event_carries_rater_time_topic_node_snapshot_and_pool(store: Store) -> None:
    act(store, "grade", "a", "3", reason="weil")
    event = history(store, "s1", rater="anna")[-1]
    assert (event.rater, event.topic, event.node, event.reason) == ("anna", "T1", "a", "weil")
    assert (event.graph_id, event.snapshot_id) == ("demo", "1")
    assert store.pool(event.pool).nodes == ("a", "b", "c", "d")
    assert event.time.startswith("20")
    assert event.time.endswith("Z")


# Laws

NODES = [*"abcd", "x1", "x2", "unknown"]


def _event(number: int, action: str, node: str = "", value: Any = None, reason: str = "") -> ReviewEvent:
    return ReviewEvent(f"e{number}", "s", "r", "t", action, "g", "1", "T", node, "p", value, reason)


_node = st.sampled_from(NODES)
_said = st.fixed_dictionaries(
    {"node": _node},
    optional={
        "graded": st.sampled_from(["3", "0", "unsure", ""]),
        "irrelevant": st.booleans(),
        "later": st.booleans(),
        "duplicate_of": _node,
        "recheck": st.sampled_from(["", "changed"]),
        "unblinded": st.booleans(),
    },
)
_load = st.fixed_dictionaries(
    {"items": st.lists(_said, max_size=4)},
    optional={"order": st.lists(_node, unique=True), "exposed": st.lists(_node), "fills": st.booleans()},
)
_action = st.one_of(
    st.tuples(st.just("grade"), _node, st.sampled_from(["3", "2", "1", "0", "-1", "unsure"])),
    st.tuples(st.sampled_from(["later", "irrelevant", "add", "reason"]), _node, st.none()),
    st.tuples(st.just("duplicate"), _node, _node),
    st.tuples(st.just("unmark"), _node, st.sampled_from(["duplicate", "irrelevant", "later", "grade"])),
    st.tuples(st.just("reorder"), st.just(""), st.lists(_node, unique=True)),
    st.tuples(st.just("load"), st.just(""), _load),
    st.tuples(st.just("undo"), st.just(""), st.none()),
    st.tuples(st.sampled_from(["finish", "reopen"]), st.just(""), st.none()),
)


def _fold(events: list[ReviewEvent]) -> TopicState:
    return fold_topic("s", "r", "T", events, FIRST)


def _played(actions: list[tuple[str, str, Any]]) -> list[ReviewEvent]:
    events: list[ReviewEvent] = []
    for number, (action, node, value) in enumerate(actions):
        if action == "undo":
            value = _fold(events).last_action
        events.append(_event(number, action, node, value, f"reason {number}" if number % 2 else ""))
    return events


HISTORIES = st.lists(_action, max_size=25).map(_played)


@given(HISTORIES)
def test_folding_is_deterministic_and_every_state_is_sound(events: list[ReviewEvent]) -> None:
    state = _fold(events)
    assert state == _fold(list(events))
    foreign = [_event(900 + i, "grade", "a", "3") for i in range(3)]
    noise = [
        ReviewEvent(**{**{s: getattr(e, s) for s in e.__slots__}, name: "other"})
        for e, name in zip(foreign, ("session", "rater", "topic"), strict=True)
    ]
    assert _fold([*noise, *events, *noise]) == state
    ids = nodes(state.items)
    assert len(ids) == len(set(ids))
    assert set(FIRST) <= set(ids)
    assert "unknown" not in ids or any(
        (e.action == "add" and e.node == "unknown")
        or (e.action == "load" and any(raw["node"] == "unknown" for raw in e.value["items"]))
        for e in events
    )
    assert state.skipped == tuple(e.id for e in events if e.action == "undo" and not e.value)
    for item in state.items:
        assert (item.original_index == -1) == item.added
        assert bool(item.grade) == bool(item.stage)
        assert not item.irrelevant or item.grade == "-1"
        assert not (item.later and item.grade)
        assert item.is_duplicate == (item.node not in state.ordered_nodes)
    progress = state.progress
    assert progress.open >= 0
    assert progress.total + progress.duplicates == len(ids)


@given(HISTORIES, _action)
def test_undo_inverts_whatever_was_done_last(events: list[ReviewEvent], action: tuple[str, str, Any]) -> None:
    before = _fold(events)
    if action[0] in ("undo", "finish", "reopen"):
        return
    done = [*events, _event(100, *action)]
    assert _fold(done).last_action == "e100"
    after = _fold([*done, _event(101, "undo", value="e100")])
    # What a load says was seen stays seen: undo takes back grades, not knowledge.
    seen = set(action[2].get("exposed", ())) if action[0] == "load" else set()
    expected = tuple(
        replace(item, unblinded=now.unblinded) if item.node in seen else item
        for item, now in zip(before.items, after.items, strict=True)
    )
    assert all(now.unblinded or not item.unblinded for item, now in zip(before.items, after.items, strict=True))
    assert (after.items, after.reordered, after.last_action) == (expected, before.reordered, before.last_action)


@given(HISTORIES)
def test_undo_again_and_again_leads_back_to_the_beginning(events: list[ReviewEvent]) -> None:
    number = 200
    while last := _fold(events).last_action:
        events = [*events, _event(number, "undo", value=last)]
        number += 1
    state = _fold(events)
    assert [(i.node, i.original_index, i.grade, i.reason) for i in state.items] == [
        (node, i, "", "") for i, node in enumerate(FIRST)
    ]


@given(st.permutations(NODES), st.lists(_node, unique=True))
def test_an_order_is_a_permutation_that_follows_the_list(current: list[str], wanted: list[str]) -> None:
    found = in_order(current, wanted)
    assert sorted(found) == sorted(current)
    assert [node for node in found if node in wanted] == wanted
    assert in_order(found, wanted) == found
    assert in_order(current, current) == current


@given(st.lists(_action, max_size=8), st.lists(_action, max_size=8), st.randoms(use_true_random=False))
def test_two_windows_interleaved_keep_the_last_word_of_each(
    one: list[tuple[str, str, Any]], other: list[tuple[str, str, Any]], dice: random.Random
) -> None:
    """Each window grades its own nodes and undoes nothing: whatever the other does in between, its grades stand."""
    mine = [("grade", node, value) for action, node, value in one if action == "grade" and node in "ab"]
    theirs = [(a, n, v) for a, n, v in other if a in ("add", "reorder", "reason") or (a == "grade" and n in "cd")]
    left, right, mixed = list(mine), list(theirs), []
    while left or right:
        mixed.append((left if left and (not right or dice.random() < 0.5) else right).pop(0))
    state = _fold(_played(mixed))
    expected = {node: value for _, node, value in mine}
    assert {i.node: i.grade for i in state.items if i.node in "ab" and i.stage == "explicit"} == expected
    assert state.actions == len(mixed)
