"""Where raters disagree, and the owner's final grade."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from oncosearch.model import ReviewEvent, UsageError
from oncosearch.review.actions import ADJUDICATE
from oncosearch.review.events import fault, new_event
from oncosearch.review.reading import session_reading, session_states
from oncosearch.review.session import check_owner, session_view, view_of
from oncosearch.review.state import BOOTSTRAPPED, EXPLICIT, UNSURE, TopicState
from oncosearch.store import ReviewStore


@dataclass(frozen=True, slots=True)
class Disagreement:
    """What raters say of a node. ``spread`` is the highest less the lowest grade; ``final`` is empty without one."""

    topic: str
    node: str
    grades: Mapping[str, str]
    reasons: Mapping[str, str]
    final: str = ""
    final_reason: str = ""
    spread: int = 0


def disagreements(store: ReviewStore, session_id: str, *, all_nodes: bool = False) -> list[Disagreement]:
    """Return the nodes whose graders differ or of which one is unsure, by (topic in the session's order, −spread, id).

    With ``all_nodes`` every node with a grade by hand. Grades from the order alone are not compared.
    """
    reading = session_reading(store, session_id)
    view, states = reading.view, reading.states
    final = final_grades(reading.events, view.session.owner)
    out = []
    for topic in (topic.id for topic in view.session.topics):
        found: list[Disagreement] = []
        for node, said in _said(states, topic).items():
            numbers = [int(grade) for grade, _ in said.values() if grade != UNSURE]
            if all_nodes or len({grade for grade, _ in said.values()}) > 1 or len(numbers) < len(said):
                grade, reason = final.get(topic, {}).get(node, ("", ""))
                found.append(
                    Disagreement(
                        topic,
                        node,
                        {rater: given for rater, (given, _) in said.items()},
                        {rater: text for rater, (_, text) in said.items() if text},
                        grade,
                        reason,
                        max(numbers) - min(numbers) if numbers else 0,
                    )
                )
        out += sorted(found, key=lambda one: (-one.spread, one.node))
    return out


def adjudicate(
    store: ReviewStore,
    session_id: str,
    owner: str,
    topic: str,
    node: str,
    grade: str,
    reason: str,
    *,
    event_id: str | None = None,
) -> None:
    """Write the owner's final grade of a node, also in a closed session; the grade ``""`` takes it back.

    Raises
    ------
    UsageError
        If it is not the owner who asks, there is no reason, nobody has the node in this topic, or the grade is none.
    """
    view = session_view(store, session_id)
    check_owner(view, owner)
    view.topic(topic)
    if not reason.strip():
        raise UsageError("A final grade needs a reason.", code="review_reason_missing")
    states = session_states(store, session_id)
    if not any(item.node == node for topics in states.values() if topic in topics for item in topics[topic].items):
        raise UsageError(
            f"Nobody has node {node!r} in topic {topic!r}.", code="review_node_unknown", node=node, topic=topic
        )
    # Repeated after a broken connection, it is the same event with the time of the first try.
    stored = [e.time for e in store.events(session_id, rater=owner, topic=topic) if e.id == event_id]
    event = new_event(
        view,
        owner,
        topic,
        ADJUDICATE,
        node=node,
        value=grade,
        reason=reason,
        id=event_id or uuid.uuid4().hex,
        time=stored[0] if stored else None,
    )
    store.append_event(event, lambda earlier: check_owner(view_of(session_id, earlier), owner))


def adjudications(store: ReviewStore, session_id: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return {topic: {node: (final grade, reason)}}."""
    reading = session_reading(store, session_id)
    return final_grades(reading.events, reading.view.session.owner)


def final_grades(events: Iterable[ReviewEvent], owner: str) -> dict[str, dict[str, tuple[str, str]]]:
    """Return {topic: {node: (final grade, reason)}} after ``events``: the owner's last word on each node."""
    out: dict[str, dict[str, tuple[str, str]]] = {}
    for event in events:
        if event.action == ADJUDICATE and event.rater == owner and not fault(event):
            if event.value:
                out.setdefault(event.topic, {})[event.node] = (event.value, event.reason)
            else:
                out.get(event.topic, {}).pop(event.node, None)
    return {topic: nodes for topic, nodes in out.items() if nodes}


def ratings(
    store: ReviewStore, session_id: str, *, bootstrapped: bool = False, blind_only: bool = False
) -> dict[tuple[str, str], dict[str, int]]:
    """Return {(topic, node): {rater: grade}}, numbers only: ``unsure`` and ``later`` are no grades.

    Parameters
    ----------
    bootstrapped
        Take grades that only the order gave, too.
    blind_only
        Leave out what was graded after the rater had seen the grades of others.
    """
    return ratings_of(session_states(store, session_id), bootstrapped=bootstrapped, blind_only=blind_only)


def ratings_of(
    states: Mapping[str, Mapping[str, TopicState]],
    *,
    bootstrapped: bool = False,
    blind_only: bool = False,
    finished_only: bool = False,
) -> dict[tuple[str, str], dict[str, int]]:
    """Return {(topic, node): {rater: grade}} of states by rater and topic; see :func:`ratings`."""
    stages: Sequence[str] = (EXPLICIT, BOOTSTRAPPED) if bootstrapped else (EXPLICIT,)
    out: dict[tuple[str, str], dict[str, int]] = {}
    for rater, topics in states.items():
        for topic, state in topics.items():
            if finished_only and not state.finished:
                continue
            for item in state.items:
                if item.stage in stages and item.grade != UNSURE and not (blind_only and item.unblinded):
                    out.setdefault((topic, item.node), {})[rater] = int(item.grade)
    return out


def _said(states: Mapping[str, Mapping[str, TopicState]], topic: str) -> dict[str, dict[str, tuple[str, str]]]:
    out: dict[str, dict[str, tuple[str, str]]] = {}
    for rater, topics in states.items():
        for item in topics[topic].items if topic in topics else ():
            if item.stage == EXPLICIT:
                out.setdefault(item.node, {})[rater] = (item.grade, item.reason)
    return out
