"""What can be done in an annotation session, by name, and when."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from oncosearch.model import GRADES

UNMARKED = ("duplicate", "irrelevant", "later", "grade")
START, UNDO, FINISH, REOPEN, ADJUDICATE = "start", "undo", "finish", "reopen", "adjudicate"
ASSIGN, PAUSE, RESUME, CLOSE, GUIDELINE = "assign", "pause", "resume", "close", "guideline"

# What changes the judgement of a topic, and what undo can take back.
CONTENT = ("grade", "later", "duplicate", "irrelevant", "unmark", "add", "reorder", "reason", "load")
RATER_ACTIONS = (*CONTENT, START, UNDO, FINISH, REOPEN)
# What an item of a load may say of its node: a type, or the values that there are.
LOADED: Mapping[str, type | tuple[str, ...]] = {
    "node": str,
    "original_index": int,
    "graded": ("", *GRADES),
    "irrelevant": bool,
    "duplicate_of": str,
    "added": bool,
    "later": bool,
    "reason": str,
    "recheck": ("", "changed"),
    "previous": ("", *GRADES),
    "unblinded": bool,
}
OF_A_NODE = ("grade", "later", "duplicate", "irrelevant", "unmark", "add", "reason", ADJUDICATE)


def now() -> str:
    """Return the present time: UTC in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
