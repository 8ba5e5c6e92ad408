"""Events of an annotation session: what can be done, the form of each, and making one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from oncosearch.model import GRADES, ReviewEvent, SnapshotKey, UsageError
from oncosearch.review.actions import ADJUDICATE, LOADED, OF_A_NODE, RATER_ACTIONS, START, UNDO, UNMARKED, now
from oncosearch.review.session import SessionView


def new_event(
    view: SessionView,
    rater: str,
    topic: str,
    action: str,
    *,
    node: str = "",
    value: Any = None,
    reason: str = "",
    id: str | None = None,
    time: str | None = None,
) -> ReviewEvent:
    """Return an event of a rater and a topic that is not written yet, with its own id and the present time.

    Keep it until it was saved: the same event saved again changes nothing.

    Raises
    ------
    UsageError
        With code ``review_value``, if the action is not known or its node or value has another form than it takes.
    """
    if action == "reorder":
        value = list(value) if isinstance(value, list | tuple) else value
    if why := _wrong_form(action, node, value):
        raise _refusal(action, why)
    return ReviewEvent(
        id=id or uuid.uuid4().hex,
        session=view.session.id,
        rater=rater,
        time=time or now(),
        action=action,
        graph_id=view.session.snapshot.graph_id,
        snapshot_id=view.session.snapshot.snapshot_id,
        topic=topic,
        node=node,
        pool=view.session.pools.get(topic, ""),
        value=value,
        reason=reason,
    )


def fault(event: ReviewEvent) -> str:
    """Return why an event of a topic could not have been made by :func:`new_event`, empty where it could."""
    return _wrong_form(event.action, event.node, event.value)


def check_event(view: SessionView, event: ReviewEvent) -> None:
    """Refuse an event of another form than its action has, or of another snapshot or pool than the session's.

    Raises
    ------
    UsageError
        With code ``review_value``.
    """
    why = fault(event)
    of = SnapshotKey(event.graph_id, event.snapshot_id)
    if not why and of != view.session.snapshot:
        why = f"it is of {of}, its session of {view.session.snapshot}"
    if not why and event.pool != view.session.pools.get(event.topic, ""):
        why = f"its pool is {event.pool!r}, which is not the one of topic {event.topic!r}"
    if why:
        raise _refusal(event.action, why)


def _wrong_form(action: str, node: str, value: Any) -> str:
    if action not in (*RATER_ACTIONS, ADJUDICATE):
        return f"expected one of {', '.join((*RATER_ACTIONS, ADJUDICATE))}"
    if (action in OF_A_NODE) != bool(node):
        return "it is about one node" if not node else "it is about no node"
    if action == "grade" and value not in GRADES:
        return f"its value is {value!r}; expected one of {', '.join(GRADES)}"
    if action == ADJUDICATE and value not in ("", *GRADES[:-1]):
        return f"its value is {value!r}; expected one of {', '.join(GRADES[:-1])}, or '' to take it back"
    if action == "unmark" and value not in UNMARKED:
        return f"its value is {value!r}; expected one of {', '.join(UNMARKED)}"
    if action in ("duplicate", UNDO) and not (isinstance(value, str) and value):
        return "its value is not the id of a node" if action == "duplicate" else "nothing to take back"
    if action in ("reorder", START):
        if not _texts(value):
            return "its value is not a list of node ids"
        if len(set(value)) < len(value):
            return "a node id comes twice in its list"
    return _wrong_load(value) if action == "load" else ""


def _wrong_load(value: Any) -> str:
    if not isinstance(value, Mapping) or not isinstance(value.get("items"), list):
        return "its value is not a set of judgements with a list of items"
    if not all(_texts(value.get(name, [])) for name in ("order", "exposed")):
        return "order or exposed is not a list of node ids"
    gone = value.get("gone", [])
    if not isinstance(gone, list) or not all(_texts(pair) and len(pair) == 2 for pair in gone):
        return "gone is not a list of node ids with their grade"
    if not all(isinstance(value.get(name, False), bool) for name in ("reordered", "fills")):
        return "reordered or fills is not true or false"
    for item in value["items"]:
        if not isinstance(item, Mapping) or not isinstance(item.get("node"), str) or not item["node"]:
            return "an item has no node"
        for key, given in item.items():
            allowed = LOADED.get(key)
            if not (type(given) is allowed if isinstance(allowed, type) else given in (allowed or ())):
                return f"{key} of node {item['node']!r} is {given!r}"
        if "added" in item and item["added"] != (item.get("original_index") == -1):
            return f"node {item['node']!r} has a first place and is added, or neither"
    return ""


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _refusal(action: str, found: str) -> UsageError:
    return UsageError(f"The action {action!r} cannot be made: {found}.", code="review_value", action=action)
