"""Events of an annotation session: what can be done, the form of each, and making one."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from oncosearch.model import GRADES, ReviewEvent, UsageError

if TYPE_CHECKING:
    from oncosearch.review.session import SessionView

UNMARKED = ("duplicate", "irrelevant", "later", "grade")
START, UNDO, FINISH, REOPEN, ADJUDICATE = "start", "undo", "finish", "reopen", "adjudicate"
ASSIGN, PAUSE, RESUME, CLOSE, GUIDELINE = "assign", "pause", "resume", "close", "guideline"

# What changes the judgement of a topic, and what undo can take back.
CONTENT = ("grade", "later", "duplicate", "irrelevant", "unmark", "add", "reorder", "reason", "load")
RATER_ACTIONS = (*CONTENT, START, UNDO, FINISH, REOPEN)
_OF_A_NODE = ("grade", "later", "duplicate", "irrelevant", "unmark", "add", "reason", ADJUDICATE)


def now() -> str:
    """Return the present time: UTC in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


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
    if action not in (*RATER_ACTIONS, ADJUDICATE):
        raise _wrong(action, f"expected one of {', '.join((*RATER_ACTIONS, ADJUDICATE))}")
    if (action in _OF_A_NODE) != bool(node):
        raise _wrong(action, "it is about one node" if not node else "it is about no node")
    if action == "reorder":
        value = list(value) if isinstance(value, list | tuple) else value
    _check_value(action, value)
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


def _check_value(action: str, value: Any) -> None:
    if action == "grade" and value not in GRADES:
        raise _wrong(action, f"its value is {value!r}; expected one of {', '.join(GRADES)}")
    if action == ADJUDICATE and value not in ("", *GRADES[:-1]):
        raise _wrong(action, f"its value is {value!r}; expected one of {', '.join(GRADES[:-1])}, or '' to take it back")
    if action == "unmark" and value not in UNMARKED:
        raise _wrong(action, f"its value is {value!r}; expected one of {', '.join(UNMARKED)}")
    if action in ("duplicate", UNDO) and not (isinstance(value, str) and value):
        raise _wrong(action, "its value is not the id of a node" if action == "duplicate" else "nothing to take back")
    if action in ("reorder", START):
        if not (isinstance(value, list) and all(isinstance(node, str) for node in value)):
            raise _wrong(action, "its value is not a list of node ids")
        if len(set(value)) < len(value):
            raise _wrong(action, "a node id comes twice in its list")
    if action == "load" and not isinstance(value, Mapping):
        raise _wrong(action, "its value is not a set of judgements")


def _wrong(action: str, found: str) -> UsageError:
    return UsageError(f"The action {action!r} cannot be made: {found}.", code="review_value", action=action)
