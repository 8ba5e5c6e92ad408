"""What must not be lost, doubled or overruled when a session is carried over, also where it was interrupted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oncosearch.model import UsageError
from oncosearch.review import (
    Recheck,
    Session,
    adjudicate,
    adjudications,
    assign,
    carry_session,
    create_session,
    edit_guideline,
    history,
    make_qrels,
    topic_state,
)
from oncosearch.review.carrying import _with
from oncosearch.store import Store
from tests.review.examples import act, begun, grade_all, grades, undo
from tests.review.test_carrying import NEW, NEW_NODES, OLD_NODES, new_pools
from tests.store.examples import snapshot_of

NEWEST = replace(NEW, id="s3", created="2027-01-01T00:00:00.000Z")


@pytest.fixture
def store(kept: Store) -> Store:
    kept.write_snapshot(snapshot_of(OLD_NODES, "1"), OLD_NODES)
    kept.write_snapshot(snapshot_of(NEW_NODES, "2", created="2026-04-01T00:00:00Z"), NEW_NODES)
    begun(kept)
    return kept


def carried(store: Store, new: Session = NEW) -> tuple[Recheck, ...]:
    return carry_session(store, {"s2": "s1", "s3": "s2"}[new.id], new, new_pools())[1]


def interrupted(store: Store, *nodes: str) -> None:
    """Leave the new session as a crash after its creation does."""
    create_session(store, NEW, [_with(pool, set(nodes) if pool.topic == "T1" else set()) for pool in new_pools()])


def test_final_grades_carry_over_or_are_listed(store: Store) -> None:
    grade_all(store, "anna", {"a": "3", "b": "1", "d": "1"})
    act(store, "grade", "a", "0", rater="bert")
    act(store, "add", "zz")
    adjudicate(store, "s1", "olga", "T1", "a", "2", "Grund")
    adjudicate(store, "s1", "olga", "T1", "b", "2", "geändert")
    adjudicate(store, "s1", "olga", "T1", "c", "1", "von niemandem benotet")
    adjudicate(store, "s1", "olga", "T1", "d", "0", "weg")
    adjudicate(store, "s1", "olga", "T1", "zz", "3", "ergänzt")
    recheck = carried(store)
    assert [one for one in recheck if one.rater == "olga"] == [
        Recheck("T1", "b", "2", "changed", "olga"),
        Recheck("T1", "d", "0", "gone", "olga"),
    ]
    kept = {"a": ("2", "Grund"), "c": ("1", "von niemandem benotet"), "zz": ("3", "ergänzt")}
    assert adjudications(store, "s2") == {"T1": kept}
    draft = make_qrels(store, "s2", "adjudicated")
    assert draft.published.qrels.grades == {"T1": {"a": 2, "c": 1, "zz": 3}}
    assert draft.undecided == ()
    # What the owner says in the new session stands when it is carried over again.
    adjudicate(store, "s2", "olga", "T1", "a", "1", "doch")
    before = history(store, "s2")
    assert carried(store) == recheck
    assert history(store, "s2") == before
    assert adjudications(store, "s2")["T1"]["a"] == ("1", "doch")


def test_a_final_grade_given_meanwhile_stands(store: Store) -> None:
    act(store, "grade", "a", "3")
    adjudicate(store, "s1", "olga", "T1", "a", "2", "alt")
    interrupted(store, "a")
    adjudicate(store, "s2", "olga", "T1", "a", "0", "neu")
    carried(store)
    assert adjudications(store, "s2") == {"T1": {"a": ("0", "neu")}}


def test_what_a_rater_said_meanwhile_stands_and_the_rest_is_filled_in(store: Store) -> None:
    grade_all(store, "anna", {"a": "3", "c": "1", "b": "2"})
    act(store, "reason", "a", reason="alt")
    act(store, "duplicate", "a", "c")
    act(store, "reorder", value=["c", "b", "a", "d"])
    interrupted(store, "a", "c")
    act(store, "grade", "a", "0", session="s2")
    act(store, "reason", "c", reason="neu", session="s2")
    act(store, "grade", "b", "1", session="s2")
    act(store, "reorder", value=["new", "b", "c", "a"], session="s2")
    recheck = carried(store)
    state = topic_state(store, "s2", "anna", "T1")
    assert grades(state) == {"a": "0", "c": "1", "b": "1", "new": "3"}
    assert (state.item("a").reason, state.item("c").reason) == ("alt", "neu")
    assert state.item("a").duplicate_of == "c"
    assert state.item("b").recheck == ""
    assert [item.node for item in state.items] == ["new", "b", "c", "a"]
    assert Recheck("T1", "b", "2", "changed", "anna") in recheck
    # Her own grade taken back, what was carried over stands there.
    assert act(store, "unmark", "b", "grade", session="s2").item("b").recheck == "changed"


def test_marks_from_both_sessions_leave_one_of_the_nodes_that_are_the_same(store: Store) -> None:
    act(store, "duplicate", "a", "c")
    interrupted(store, "a", "c")
    act(store, "duplicate", "c", "a", session="s2")
    carried(store)
    state = topic_state(store, "s2", "anna", "T1")
    assert (state.item("a").duplicate_of, state.item("c").duplicate_of) == ("", "a")


def test_what_a_duplicate_is_of_comes_along(store: Store) -> None:
    act(store, "duplicate", "a", "c")
    assert carried(store) == ()
    state = topic_state(store, "s2", "anna", "T1")
    assert state.item("a").duplicate_of == "c"
    assert set(state.ordered_nodes) == {"b", "c", "new"}


def test_a_topic_finished_meanwhile_is_not_changed_behind_the_raters_back(store: Store) -> None:
    act(store, "grade", "a", "3")
    interrupted(store, "a")
    act(store, "finish", session="s2")
    with pytest.raises(UsageError) as caught:
        carried(store)
    assert caught.value.code == "review_finished"
    act(store, "reopen", session="s2")
    carried(store)
    assert grades(topic_state(store, "s2", "anna", "T1")) == {"a": "3"}


def test_the_grade_underneath_comes_back_in_the_new_session_too(store: Store) -> None:
    grade_all(store, "anna", {"c": "2", "a": "3", "b": "1"})
    act(store, "irrelevant", "c")
    act(store, "irrelevant", "a")
    act(store, "later", "a")
    act(store, "later", "b")
    recheck = carried(store)
    assert recheck == (Recheck("T1", "b", "1", "changed", "anna"),)
    assert act(store, "unmark", "c", "irrelevant", session="s2").item("c").grade == "2"
    item = act(store, "unmark", "a", "later", session="s2").item("a")
    assert (item.grade, item.irrelevant) == ("-1", True)
    assert act(store, "unmark", "a", "irrelevant", session="s2").item("a").grade == "3"


def test_a_recheck_stands_until_there_is_a_new_grade(store: Store) -> None:
    act(store, "grade", "b", "2", reason="weil")
    carried(store)
    assert topic_state(store, "s2", "anna", "T1").item("b").reason == "weil"
    assert act(store, "irrelevant", "b", session="s2").item("b").recheck == ""
    for item in (
        act(store, "unmark", "b", "irrelevant", session="s2").item("b"),
        act(store, "grade", "b", "1", session="s2") and act(store, "unmark", "b", "grade", session="s2").item("b"),
    ):
        assert (item.grade, item.recheck, item.previous) == ("", "changed", "2")
    # Also where it is hidden while the session is carried over once more.
    act(store, "irrelevant", "b", session="s2")
    assert carried(store, NEWEST) == ()
    item = act(store, "unmark", "b", "irrelevant", session="s3").item("b")
    assert (item.grade, item.recheck, item.previous) == ("", "changed", "2")


def test_who_judges_what_and_the_edited_guideline_carry_over(store: Store) -> None:
    act(store, "grade", "a", "3", rater="bert")
    edit_guideline(store, "s1", "olga", "neu")
    assign(store, "s1", "olga", "bert", ["T2"])
    assign(store, "s1", "olga", "anna", [])
    view, _ = carry_session(store, "s1", NEW, new_pools())
    assert view.guideline == "neu"
    assert view.assignments == {"anna": (), "bert": ("T2",)}
    assert grades(topic_state(store, "s2", "bert", "T1")) == {"a": "3"}
    # What the owner changes in the new session is not changed back.
    edit_guideline(store, "s2", "olga", "neuer")
    assign(store, "s2", "olga", "bert")
    view, _ = carry_session(store, "s1", NEW, new_pools())
    assert (view.guideline, view.assignments["bert"]) == ("neuer", ("T1", "T2"))
    own = replace(NEWEST, guideline="eigene")
    assert carry_session(store, "s2", own, new_pools())[0].guideline == "eigene"


def test_what_was_taken_back_is_not_carried_over(store: Store) -> None:
    act(store, "add", "zz")
    act(store, "grade", "zz", "3")
    adjudicate(store, "s1", "olga", "T1", "zz", "2", "x")
    assert make_qrels(store, "s1", "adjudicated").published.qrels.grades == {"T1": {"zz": 2}}
    undo(store)
    undo(store)
    draft = make_qrels(store, "s1", "adjudicated")
    assert (draft.published.qrels.grades, draft.undecided) == ({}, ())
    assert carried(store) == ()
    assert adjudications(store, "s2") == {}
