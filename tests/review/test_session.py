"""Sessions: creation, who may write, pausing and closing, the guideline and its history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oncosearch.model import LocalText, NotFoundError, SnapshotKey, StoreError, UsageError
from oncosearch.review import (
    ReviewTopic,
    assign,
    close,
    create_session,
    edit_guideline,
    history,
    new_event,
    pause,
    resume,
    save,
    session_view,
    sessions,
    topic_state,
)
from oncosearch.store import Store
from tests.review.examples import KEY, SESSION, act, begun, pools


def code_of(error: pytest.ExceptionInfo[UsageError]) -> str:
    assert len(str(error.value)) > 15
    return error.value.code


def test_a_session_comes_back_as_it_was_created(kept: Store) -> None:
    view = begun(kept)
    assert view.session == replace(SESSION, pools={pool.topic: pool.id for pool in pools()})
    assert (view.state, view.guideline, view.raters) == ("open", "3 heißt …", ("anna", "bert"))
    assert view.assignments == {"anna": ("T1", "T2"), "bert": ("T1", "T2")}
    assert session_view(kept, "s1") == view
    later = begun(kept, id="s0", name="Zweite", created="2026-12-01T00:00:00.000Z")
    assert sessions(kept) == [view, later]
    assert kept.references(KEY)["judgements"] == 2


def test_creating_again_changes_nothing_and_another_content_is_refused(kept: Store) -> None:
    begun(kept)
    assert begun(kept) == session_view(kept, "s1")
    assert len(history(kept, "s1")) == 1
    with pytest.raises(StoreError) as conflict:
        begun(kept, name="andere")
    assert conflict.value.code == "event_conflict"
    with pytest.raises(UsageError) as there:
        create_session(kept, replace(SESSION, name="andere"), pools(), event_id="other")
    assert code_of(there) == "review_session_there"
    assert session_view(kept, "s1").session.name == SESSION.name


@pytest.mark.parametrize(
    "changes",
    [
        {"topics": ()},
        {"topics": SESSION.topics[:1]},
        {"topics": (*SESSION.topics, ReviewTopic("T3", LocalText()))},
        {"topics": (SESSION.topics[0], SESSION.topics[0])},
        {"raters": ("anna", "anna")},
        {"raters": ("anna", " ")},
        {"owner": ""},
        {"id": ""},
        {"snapshot": SnapshotKey("demo", "2")},
    ],
    ids=repr,
)
def test_a_session_that_does_not_fit_is_refused(kept: Store, changes: dict) -> None:
    with pytest.raises(UsageError) as caught:
        begun(kept, **changes)
    assert code_of(caught) == "review_value"
    assert sessions(kept) == []


def test_only_raters_of_the_session_write(kept: Store) -> None:
    begun(kept)
    for rater in ("carl", "olga", "", "Anna"):
        with pytest.raises(UsageError) as caught:
            act(kept, "grade", "a", "3", rater=rater)
        assert code_of(caught) == "review_not_rater"
    with pytest.raises(UsageError) as caught:
        act(kept, "grade", "a", "3", topic="T9")
    assert code_of(caught) == "review_topic_unknown"
    assert [event.action for event in history(kept, "s1")] == ["create"]


def test_a_rater_is_assigned_topics_and_taken_off_again(kept: Store) -> None:
    begun(kept)
    assert assign(kept, "s1", "olga", "carl", ["T2"]).assignments["carl"] == ("T2",)
    act(kept, "grade", "e", "3", rater="carl", topic="T2")
    with pytest.raises(UsageError) as caught:
        act(kept, "grade", "a", "3", rater="carl")
    assert code_of(caught) == "review_not_rater"
    assert assign(kept, "s1", "olga", "carl").assignments["carl"] == ("T1", "T2")
    act(kept, "grade", "a", "3", rater="carl")
    view = assign(kept, "s1", "olga", "carl", [])
    assert view.raters == ("anna", "bert")
    assert not view.may_write("carl", "T1")
    with pytest.raises(UsageError):
        act(kept, "grade", "a", "2", rater="carl")
    assert topic_state(kept, "s1", "carl", "T1").item("a").grade == "3"
    for wrong in (lambda: assign(kept, "s1", "olga", "carl", ["T9"]), lambda: assign(kept, "s1", "olga", " ")):
        with pytest.raises(UsageError):
            wrong()


def test_two_raters_are_told_apart_by_more_than_white_space(kept: Store) -> None:
    for raters in (("anna", "anna "), ("Dr. Anna", "Dr.  Anna"), ("J\u00f6rg", "Jo\u0308rg")):
        with pytest.raises(UsageError) as caught:
            begun(kept, raters=raters)
        assert code_of(caught) == "review_value"
    begun(kept)
    for alike in ("anna ", " anna", "anna\u00a0"):
        with pytest.raises(UsageError, match="'anna'") as caught:
            assign(kept, "s1", "olga", alike)
        assert code_of(caught) == "review_value"
    assert session_view(kept, "s1").raters == ("anna", "bert")
    assert assign(kept, "s1", "olga", "Anna").raters == ("anna", "bert", "Anna")


def test_while_it_is_paused_or_closed_nobody_writes(kept: Store) -> None:
    begun(kept)
    act(kept, "grade", "a", "3")
    assert pause(kept, "s1", "olga").state == pause(kept, "s1", "olga").state == "paused"
    with pytest.raises(UsageError) as caught:
        act(kept, "grade", "a", "2")
    assert code_of(caught) == "review_paused"
    assert resume(kept, "s1", "olga").may_write("anna", "T1")
    act(kept, "grade", "a", "1")
    assert close(kept, "s1", "olga").state == "closed"
    with pytest.raises(UsageError) as caught:
        act(kept, "grade", "a", "2")
    assert code_of(caught) == "review_closed"
    for late in (
        lambda: resume(kept, "s1", "olga"),
        lambda: assign(kept, "s1", "olga", "carl"),
        lambda: edit_guideline(kept, "s1", "olga", "neu"),
    ):
        with pytest.raises(UsageError) as caught:
            late()
        assert code_of(caught) == "review_closed"
    assert [e.action for e in history(kept, "s1", topic="")] == ["create", "pause", "resume", "close"]
    assert topic_state(kept, "s1", "anna", "T1").item("a").grade == "1"


def test_an_event_that_was_saved_is_confirmed_also_after_the_session_was_closed(kept: Store) -> None:
    view = begun(kept)
    event = new_event(view, "anna", "T1", "grade", node="a", value="3")
    state = save(kept, event)
    close(kept, "s1", "olga")
    assert save(kept, event) == state


def test_only_the_owner_leads(kept: Store) -> None:
    begun(kept)
    for wrong in (
        lambda: pause(kept, "s1", "anna"),
        lambda: close(kept, "s1", ""),
        lambda: resume(kept, "s1", "anna"),
        lambda: assign(kept, "s1", "anna", "carl"),
        lambda: edit_guideline(kept, "s1", "anna", "x"),
    ):
        with pytest.raises(UsageError) as caught:
            wrong()
        assert code_of(caught) == "review_not_owner"
    assert len(history(kept, "s1")) == 1


def test_the_guideline_keeps_its_history(kept: Store) -> None:
    begun(kept)
    edit_guideline(kept, "s1", "olga", "neu")
    view = edit_guideline(kept, "s1", "olga", "neu")
    assert view.guideline == "neu"
    assert [(who, text) for _, who, text in view.guideline_history] == [("olga", "3 heißt …"), ("olga", "neu")]
    assert view.session.guideline == "3 heißt …"


def test_a_missing_session_is_named(kept: Store) -> None:
    for asking in (lambda: session_view(kept, "none"), lambda: history(kept, "none"), lambda: pause(kept, "none", "x")):
        with pytest.raises(NotFoundError, match="none"):
            asking()
