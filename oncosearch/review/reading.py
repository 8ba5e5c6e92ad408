"""Reading a session: states, progress, what is hidden until a topic is finished, and the history."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from oncosearch.model import Found, ReviewEvent
from oncosearch.review.actions import START
from oncosearch.review.folding import fold_lanes, fold_topic
from oncosearch.review.pools import first_order, pool_of
from oncosearch.review.session import SessionView, session_view, view_of
from oncosearch.review.state import Progress, TopicState
from oncosearch.store import ReviewStore

_log = logging.getLogger(__name__)
_SESSIONS_KEPT = 8
_said: set[str] = set()
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class SessionReading:
    """A session with all its events, and the states that these make by rater and topic."""

    view: SessionView
    events: tuple[ReviewEvent, ...]
    states: Mapping[str, Mapping[str, TopicState]]


_KEPT: WeakKeyDictionary[ReviewStore, dict[str, tuple[int, SessionReading]]] = WeakKeyDictionary()


def topic_state(store: ReviewStore, session_id: str, rater: str, topic: str) -> TopicState:
    """Return what a rater says of a topic; nothing is written.

    Raises
    ------
    NotFoundError
        If there is no such session.
    UsageError
        With code ``review_topic_unknown``, if the session does not have the topic.
    """
    view = session_view(store, session_id)
    view.topic(topic)
    events = store.events(session_id, rater=rater, topic=topic)
    pool = pool_of(store, view.session.pools[topic])
    state = fold_topic(session_id, rater, topic, events, first_order(pool, view.session.seed, rater))
    _say_skipped([state])
    return state


def rater_states(store: ReviewStore, session_id: str, rater: str) -> dict[str, TopicState]:
    """Return {topic: state} for the topics that are assigned to a rater, in the session's order."""
    view = session_view(store, session_id)
    lanes = _first_orders(store, view, {rater: view.assignments.get(rater, ())})
    states = fold_lanes(session_id, lanes, store.events(session_id, rater=rater))
    _say_skipped(states.values())
    return {topic: state for (_, topic), state in states.items()}


def session_states(store: ReviewStore, session_id: str) -> dict[str, dict[str, TopicState]]:
    """Return {rater: {topic: state}} for all that is assigned or was judged."""
    return {rater: dict(topics) for rater, topics in session_reading(store, session_id).states.items()}


def session_reading(store: ReviewStore, session_id: str) -> SessionReading:
    """Return a session with its events and states, kept in memory as long as no event is added."""
    with _lock:
        kept = _KEPT.setdefault(store, {})
    # Counted before they are read: what comes in between is read again next time, not overlooked.
    count = store.event_count(session_id)
    found = kept.get(session_id)
    if found is None or found[0] != count:
        events = store.events(session_id)
        view = view_of(session_id, events)
        found = len(events), SessionReading(view, tuple(events), _states_of(store, view, events))
        with _lock:
            kept.pop(session_id, None)
            while len(kept) >= _SESSIONS_KEPT:
                del kept[next(iter(kept))]
            kept[session_id] = found
    return found[1]


def _states_of(store: ReviewStore, view: SessionView, events: list[ReviewEvent]) -> dict[str, dict[str, TopicState]]:
    wanted = {rater: set(topics) for rater, topics in view.assignments.items()}
    for event in events:
        # Who was taken off a topic has judged it all the same.
        if event.topic and event.action == START:
            wanted.setdefault(event.rater, set()).add(event.topic)
    every = [topic.id for topic in view.session.topics]
    order = {rater: tuple(topic for topic in every if topic in topics) for rater, topics in wanted.items()}
    out: dict[str, dict[str, TopicState]] = {rater: {} for rater in order}
    for (rater, topic), state in fold_lanes(view.session.id, _first_orders(store, view, order), events).items():
        out[rater][topic] = state
    _say_skipped(state for topics in out.values() for state in topics.values())
    return out


def _say_skipped(states: Iterable[TopicState]) -> None:
    for state in states:
        for event in state.skipped:
            if event not in _said:
                _said.add(event)
                _log.warning(
                    "Event %r of session %r, rater %r, topic %r has no form that can be read; it is skipped",
                    event,
                    state.session,
                    state.rater,
                    state.topic,
                )


def session_progress(store: ReviewStore, session_id: str) -> dict[str, dict[str, Progress]]:
    """Return {rater: {topic: progress}}."""
    return {
        rater: {topic: state.progress for topic, state in states.items()}
        for rater, states in session_states(store, session_id).items()
    }


def provenance(store: ReviewStore, session_id: str, rater: str, topic: str) -> dict[str, tuple[Found, ...]] | None:
    """Return {node: where runs had it}, or None as long as the rater has not finished the topic."""
    if not topic_state(store, session_id, rater, topic).seen:
        return None
    pool = pool_of(store, session_view(store, session_id).session.pools[topic])
    return {entry.node: entry.found for entry in pool.entries}


def grades_of_others(store: ReviewStore, session_id: str, rater: str, topic: str) -> dict[str, dict[str, str]] | None:
    """Return {other rater: {node: grade given by hand}}, or None where they are hidden.

    In a blind session they are hidden as long as the rater has not finished the topic.
    """
    reading = session_reading(store, session_id)
    view, states = reading.view, reading.states
    view.topic(topic)
    own = states.get(rater, {}).get(topic)
    if view.session.blind and (own is None or not own.seen):
        return None
    return {
        other: {item.node: item.grade for item in topics[topic].items if item.stage == "explicit"}
        for other, topics in states.items()
        if other != rater and topic in topics
    }


def history(
    store: ReviewStore, session_id: str, *, rater: str | None = None, topic: str | None = None
) -> list[ReviewEvent]:
    """Return the events of a session that agree with every value given, in order of arrival."""
    session_view(store, session_id)
    return store.events(session_id, rater=rater, topic=topic)


def _first_orders(
    store: ReviewStore, view: SessionView, wanted: Mapping[str, tuple[str, ...]]
) -> dict[tuple[str, str], tuple[str, ...]]:
    pools = {
        topic: pool_of(store, view.session.pools[topic]) for topic in {t for topics in wanted.values() for t in topics}
    }
    return {
        (rater, topic): first_order(pools[topic], view.session.seed, rater)
        for rater, topics in wanted.items()
        for topic in topics
    }
