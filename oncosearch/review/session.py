"""An annotation session: what it was made of, who may write, whether it is open, and its guideline."""

from __future__ import annotations

import logging
import unicodedata
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oncosearch.model import (
    CREATED,
    LocalText,
    NotFoundError,
    Pool,
    ReviewEvent,
    SnapshotKey,
    UsageError,
)
from oncosearch.review.actions import ASSIGN, CLOSE, GUIDELINE, PAUSE, RESUME, now
from oncosearch.store import ReviewStore

_log = logging.getLogger(__name__)

OPEN, PAUSED, CLOSED = "open", "paused", "closed"
_STATE_AFTER = {PAUSE: PAUSED, RESUME: OPEN, CLOSE: CLOSED}
_IDS = uuid.UUID("5b6a0a5e-6c1b-4f0e-9b57-0d3c8a2f9e41")


@dataclass(frozen=True, slots=True)
class ReviewTopic:
    """A question that raters judge nodes for, in one language or several."""

    id: str
    query: LocalText


@dataclass(frozen=True, slots=True)
class PooledRun:
    """A run whose first nodes are pooled; ``name`` is what the provenance shows."""

    name: str
    model: str | None
    pipeline: str
    parameters: Mapping[str, float | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it was created. ``pools`` gives the pool of each topic; ``seed`` the order of each rater."""

    id: str
    name: str
    snapshot: SnapshotKey
    topics: tuple[ReviewTopic, ...]
    runs: tuple[PooledRun, ...]
    k: int
    owner: str
    raters: tuple[str, ...]
    blind: bool = True
    guideline: str = ""
    seed: int = 42
    created: str = ""
    pools: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the session as JSON values."""
        return {
            "name": self.name,
            "topics": [{"id": topic.id, "query": dict(topic.query)} for topic in self.topics],
            "runs": [
                {"name": r.name, "model": r.model, "pipeline": r.pipeline, "parameters": dict(r.parameters)}
                for r in self.runs
            ],
            "k": self.k,
            "raters": list(self.raters),
            "blind": self.blind,
            "guideline": self.guideline,
            "seed": self.seed,
            "pools": dict(self.pools),
        }

    @classmethod
    def of(cls, event: ReviewEvent) -> Session:
        """Return the session that an event of creation made."""
        raw = event.value
        return cls(
            id=event.session,
            name=raw["name"],
            snapshot=SnapshotKey(event.graph_id, event.snapshot_id),
            topics=tuple(ReviewTopic(t["id"], LocalText.of(t["query"])) for t in raw["topics"]),
            runs=tuple(PooledRun(r["name"], r["model"], r["pipeline"], r["parameters"]) for r in raw["runs"]),
            k=raw["k"],
            owner=event.rater,
            raters=tuple(raw["raters"]),
            blind=raw["blind"],
            guideline=raw["guideline"],
            seed=raw["seed"],
            created=event.time,
            pools=raw["pools"],
        )


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session as it is now: ``assignments`` gives each rater the topics to judge, in the session's order."""

    session: Session
    state: str
    guideline: str
    guideline_history: tuple[tuple[str, str, str], ...]
    assignments: Mapping[str, tuple[str, ...]]

    @property
    def raters(self) -> tuple[str, ...]:
        """Return who has at least one topic, in the order in which they were assigned."""
        return tuple(rater for rater, topics in self.assignments.items() if topics)

    def may_write(self, rater: str, topic: str) -> bool:
        """Return whether the rater may judge this topic now."""
        return self.state == OPEN and topic in self.assignments.get(rater, ())

    def topic(self, topic_id: str) -> ReviewTopic:
        """Return the topic ``topic_id``.

        Raises
        ------
        UsageError
            With code ``review_topic_unknown``, if the session does not have it.
        """
        for topic in self.session.topics:
            if topic.id == topic_id:
                return topic
        raise UsageError(
            f"Session {self.session.name!r} has no topic {topic_id!r}.", code="review_topic_unknown", topic=topic_id
        )


def fold_session(events: Iterable[ReviewEvent]) -> SessionView:
    """Return what the events of a session make of it; those of topics are passed over.

    Raises
    ------
    ValueError
        If there is no event of creation that can be read.
    """
    view: SessionView | None = None
    for event in events:
        if event.topic:
            continue
        if event.action == CREATED and view is None:
            try:
                session = Session.of(event)
            except (AttributeError, KeyError, TypeError) as error:
                raise ValueError(f"the event of creation {event.id!r} cannot be read") from error
            every = tuple(topic.id for topic in session.topics)
            view = SessionView(
                session,
                OPEN,
                session.guideline,
                ((event.time, event.rater, session.guideline),),
                {rater: every for rater in session.raters},
            )
        elif view is not None and view.state != CLOSED:
            view = _after(view, event)
    if view is None:
        raise ValueError("no event of creation")
    return view


def _after(view: SessionView, event: ReviewEvent) -> SessionView:
    if event.action in _STATE_AFTER:
        return replace(view, state=_STATE_AFTER[event.action])
    if event.action == GUIDELINE and isinstance(event.value, str):
        entry = (event.time, event.rater, event.value)
        return replace(view, guideline=event.value, guideline_history=(*view.guideline_history, entry))
    if event.action == ASSIGN and isinstance(event.value, Mapping) and isinstance(event.value.get("rater"), str):
        every = tuple(topic.id for topic in view.session.topics)
        wanted = event.value.get("topics")
        topics = every if wanted is None else tuple(topic for topic in every if topic in wanted)
        return replace(view, assignments={**view.assignments, event.value["rater"]: topics})
    return view


def new_session_id() -> str:
    """Return a new id for a session."""
    return uuid.uuid4().hex


def create_session(
    store: ReviewStore, session: Session, pools: Sequence[Pool], *, event_id: str | None = None
) -> SessionView:
    """Return the new session once it and its pools are on disk; the same again changes nothing.

    Raises
    ------
    UsageError
        If it has no topic, no owner, an empty or repeated name of a rater or topic, or a topic without a pool.
    StoreError
        With code ``event_conflict``, if another session has the same id.
    """
    _check_session(session, pools)
    ids = {pool.topic: store.save_pool(pool) for pool in pools}
    session = replace(session, pools=ids, created=session.created or now())
    event = session_event(
        session, session.owner, CREATED, session.to_dict(), event_id or derived_id(session.id, CREATED)
    )
    store.append_event(replace(event, time=session.created), _refuse_existing)
    return session_view(store, session.id)


def derived_id(*parts: str) -> str:
    """Return an id that is always the same for the same parts."""
    return uuid.uuid5(_IDS, "\x1f".join(f"{len(part)}:{part}" for part in parts)).hex


def sessions(store: ReviewStore) -> list[SessionView]:
    """Return all sessions as they are now, by (created, id); one that cannot be read is left out and logged."""
    out = []
    for event in store.created_sessions():
        try:
            out.append(fold_session(store.events(event.session, topic="")))
        except ValueError as error:
            _log.warning("Session %r is left out: %s", event.session, error)
    return out


def session_view(store: ReviewStore, session_id: str) -> SessionView:
    """Return a session as it is now.

    Raises
    ------
    NotFoundError
        If there is none with that id.
    """
    return view_of(session_id, store.events(session_id, topic=""))


def view_of(session_id: str, events: Sequence[ReviewEvent]) -> SessionView:
    """Return the session that ``events`` make, or raise ``NotFoundError`` where they make none."""
    try:
        return fold_session(events)
    except ValueError:
        raise NotFoundError(
            f"There is no annotation session {session_id!r}.", code="session_not_found", session=session_id
        ) from None


def assign(
    store: ReviewStore, session_id: str, owner: str, rater: str, topics: Sequence[str] | None = None
) -> SessionView:
    """Return the session once a rater has these topics and no others: all with None, none any more with ``[]``.

    Raises
    ------
    UsageError
        If it is not the owner who asks, the session is closed, the rater has no name or a topic is not known.
    """
    view = session_view(store, session_id)
    if not rater.strip():
        raise UsageError("The rater has no name.", code="review_value", action=ASSIGN)
    for topic in topics or ():
        view.topic(topic)
    if rater not in view.assignments:
        alike = next((name for name in view.assignments if _closed_up(name) == _closed_up(rater)), None)
        if alike is not None:
            raise UsageError(
                f"{rater!r} is written like {alike!r}, who is a rater already; write the name in the same way.",
                code="review_value",
                action=ASSIGN,
            )
    value = {"rater": rater, "topics": None if topics is None else list(topics)}
    return _control(store, view, owner, ASSIGN, value)


def pause(store: ReviewStore, session_id: str, owner: str) -> SessionView:
    """Return the session once nobody can judge until :func:`resume`; pausing again changes nothing."""
    return _switch(store, session_id, owner, PAUSE)


def resume(store: ReviewStore, session_id: str, owner: str) -> SessionView:
    """Return the session once it is open again; on an open session it changes nothing."""
    return _switch(store, session_id, owner, RESUME)


def close(store: ReviewStore, session_id: str, owner: str) -> SessionView:
    """Return the session once it is closed for good; adjudication and qrels remain possible."""
    return _switch(store, session_id, owner, CLOSE)


def edit_guideline(store: ReviewStore, session_id: str, owner: str, text: str) -> SessionView:
    """Return the session once the guideline has this text; earlier texts stay in its history."""
    view = session_view(store, session_id)
    return view if view.guideline == text else _control(store, view, owner, GUIDELINE, text)


def check_owner(view: SessionView, user: str) -> None:
    """Refuse whoever is not the owner.

    Raises
    ------
    UsageError
        With code ``review_not_owner``.
    """
    if user != view.session.owner:
        raise UsageError(
            f"Only {view.session.owner!r} can do this in session {view.session.name!r}; you are {user!r}.",
            code="review_not_owner",
            owner=view.session.owner,
            found=user,
        )


def closed_error(view: SessionView) -> UsageError:
    """Return the error for a session that is closed."""
    return UsageError(
        f"Session {view.session.name!r} is closed; nothing can be changed any more.",
        code="review_closed",
        session=view.session.name,
    )


def _switch(store: ReviewStore, session_id: str, owner: str, action: str) -> SessionView:
    view = session_view(store, session_id)
    check_owner(view, owner)
    return view if view.state == _STATE_AFTER[action] else _control(store, view, owner, action, None)


def _control(store: ReviewStore, view: SessionView, owner: str, action: str, value: Any) -> SessionView:
    def check(earlier: Sequence[ReviewEvent]) -> None:
        found = fold_session(earlier)
        check_owner(found, owner)
        if found.state == CLOSED:
            raise closed_error(found)

    store.append_event(session_event(view.session, owner, action, value, uuid.uuid4().hex), check)
    return session_view(store, view.session.id)


def session_event(session: Session, who: str, action: str, value: Any, event_id: str) -> ReviewEvent:
    """Return an event of the session itself, with the present time."""
    return ReviewEvent(
        id=event_id,
        session=session.id,
        rater=who,
        time=now(),
        action=action,
        graph_id=session.snapshot.graph_id,
        snapshot_id=session.snapshot.snapshot_id,
        value=value,
    )


def _refuse_existing(earlier: Sequence[ReviewEvent]) -> None:
    if earlier:
        raise UsageError(
            f"There is a session {earlier[0].session!r} already; a new one needs an id of its own.",
            code="review_session_there",
        )


def _closed_up(name: str) -> str:
    """Return a name without what the eye does not tell apart: white space at the ends, composed letters."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def _check_session(session: Session, pools: Sequence[Pool]) -> None:
    topics = [topic.id for topic in session.topics]
    for name, found in (("topic", topics), ("rater", list(session.raters))):
        if any(not one.strip() for one in found) or len({_closed_up(one) for one in found}) < len(found):
            raise UsageError(f"A {name} has no name, or comes twice.", code="review_value", action=CREATED)
    if not topics or not session.owner.strip() or not session.id:
        raise UsageError("A session needs an id, an owner and at least one topic.", code="review_value", action=CREATED)
    if sorted(pool.topic for pool in pools) != sorted(topics):
        raise UsageError("A session needs one pool for each of its topics.", code="review_value", action=CREATED)
    for pool in pools:
        if pool.snapshot != session.snapshot:
            raise UsageError(
                f"The pool of topic {pool.topic!r} is of {pool.snapshot}, the session of {session.snapshot}.",
                code="review_value",
                action=CREATED,
            )
