"""Saving what a rater does: the rules are checked and the event is written in one step."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.model import ReviewEvent, UsageError
from oncosearch.review.actions import CONTENT, RATER_ACTIONS, REOPEN, START, UNDO
from oncosearch.review.events import check_event, new_event
from oncosearch.review.folding import fold_topic, reaches
from oncosearch.review.pools import first_order, pool_of
from oncosearch.review.session import CLOSED, PAUSED, SessionView, closed_error, session_view, view_of
from oncosearch.review.state import TopicState
from oncosearch.store import ReviewStore


class _BegunError(Exception):
    """The rater has begun the topic already."""


def start(store: ReviewStore, session_id: str, rater: str, topic: str) -> TopicState:
    """Return the state of a topic once the order in which the rater sees it first is kept; again changes nothing.

    Raises
    ------
    UsageError
        If the rater may not write now.
    """
    view = session_view(store, session_id)
    _begin(store, view, rater, topic, None)
    return _state(store, view, rater, topic)


def save(store: ReviewStore, event: ReviewEvent) -> TopicState:
    """Return the new state of the topic once the event is on disk; the same event again changes nothing.

    The first action on a topic also keeps the order that the rater saw.

    Raises
    ------
    UsageError
        If the rater may not do this now; ``code`` says which rule it is (see :func:`check_rater_event`).
    StoreError
        With code ``event_conflict``, if another event has its id.
    """
    view = session_view(store, event.session)
    if event.action == START:
        raise UsageError("A beginning is written by start(), with its own order.", code="review_value", action=START)
    lane = store.events(event.session, rater=event.rater, topic=event.topic)
    if not any(earlier.action == START for earlier in lane) and not store.has_event(event.id):
        # What is refused must not leave a beginning behind.
        _check_seat(view, event.rater, event.topic)
        begun = _beginning(store, view, event.rater, event.topic, event.time)
        check_rater_event(event, [*store.events(event.session, topic=""), begun])
        _begin(store, view, event.rater, event.topic, event.time)
    store.append_event(event, lambda found: check_rater_event(event, found))
    return _state(store, view, event.rater, event.topic)


def check_rater_event(event: ReviewEvent, earlier: Sequence[ReviewEvent]) -> None:
    """Refuse an event that the rules do not allow after ``earlier``, the events of its session and of its lane.

    Raises
    ------
    UsageError
        With code ``review_paused``, ``review_closed``, ``review_not_rater``, ``review_topic_unknown``,
        ``review_finished``, ``review_not_finished``, ``review_node_unknown``, ``review_node_there``,
        ``review_duplicate_self``, ``review_undo_nothing``, ``review_undo_stale`` or ``review_value``.
    """
    view = view_of(event.session, earlier)
    _check_seat(view, event.rater, event.topic)
    if event.action not in RATER_ACTIONS:
        raise UsageError(f"{event.action!r} is no action of a rater.", code="review_value", action=event.action)
    check_event(view, event)
    if event.action == START:
        if any(e.action == START for e in earlier):
            raise _BegunError
        return
    now = fold_topic(event.session, event.rater, event.topic, earlier, ())
    if now.finished and event.action != REOPEN:
        raise UsageError(
            f"Topic {event.topic!r} is finished; open it again before you change it.",
            code="review_finished",
            topic=event.topic,
        )
    if event.action == REOPEN and not now.finished:
        raise UsageError(f"Topic {event.topic!r} is not finished.", code="review_not_finished", topic=event.topic)
    if event.action == UNDO:
        _check_undo(event, now, earlier)
    elif event.action in CONTENT and event.node:
        _check_node(event, now)


def _check_seat(view: SessionView, rater: str, topic: str) -> None:
    name = view.session.name
    if view.state == CLOSED:
        raise closed_error(view)
    if view.state == PAUSED:
        raise UsageError(
            f"Session {name!r} is paused; its owner {view.session.owner!r} can open it again.",
            code="review_paused",
            session=name,
            owner=view.session.owner,
        )
    view.topic(topic)
    if topic not in view.assignments.get(rater, ()):
        raise UsageError(
            f"{rater!r} does not judge topic {topic!r} in session {name!r}; ask {view.session.owner!r} to assign it.",
            code="review_not_rater",
            rater=rater,
            topic=topic,
            owner=view.session.owner,
        )


def _check_undo(event: ReviewEvent, now: TopicState, earlier: Sequence[ReviewEvent]) -> None:
    if not now.last_action:
        raise UsageError("There is nothing to take back in this topic.", code="review_undo_nothing")
    if event.value != now.last_action:
        raise UsageError(
            "Something else was saved in this topic since, perhaps in another window; look at it before you take "
            "anything back.",
            code="review_undo_stale",
            found=event.value,
            last=now.last_action,
        )


def _check_node(event: ReviewEvent, now: TopicState) -> None:
    marked = {item.node: item.duplicate_of for item in now.items}
    if event.action == "add":
        if event.node in marked:
            raise UsageError(
                f"Node {event.node!r} stands in topic {event.topic!r} already.",
                code="review_node_there",
                node=event.node,
            )
        return
    for node in [event.node, *([event.value] if event.action == "duplicate" else [])]:
        if node not in marked:
            raise UsageError(
                f"Node {node!r} is not in the pool of topic {event.topic!r} and was not added.",
                code="review_node_unknown",
                node=node,
            )
    # At least one of several that are the same has to remain.
    if event.action == "duplicate" and reaches(marked, event.value, event.node):
        raise UsageError(
            f"Node {event.node!r} cannot be a duplicate of {event.value!r}: that one is marked as a duplicate of "
            "it, or is the same node.",
            code="review_duplicate_self",
            node=event.node,
        )


def _begin(store: ReviewStore, view: SessionView, rater: str, topic: str, time: str | None) -> None:
    _check_seat(view, rater, topic)
    event = _beginning(store, view, rater, topic, time)
    try:
        store.append_event(event, lambda found: check_rater_event(event, found))
    except _BegunError:
        # In another window, a moment ago.
        return


def _beginning(store: ReviewStore, view: SessionView, rater: str, topic: str, time: str | None) -> ReviewEvent:
    pool = pool_of(store, view.session.pools[topic])
    return new_event(view, rater, topic, START, value=list(first_order(pool, view.session.seed, rater)), time=time)


def _state(store: ReviewStore, view: SessionView, rater: str, topic: str) -> TopicState:
    return fold_topic(view.session.id, rater, topic, store.events(view.session.id, rater=rater, topic=topic), ())
