"""What a rater's click does: one event, made before it is written, and the words that say what became of it.

An event keeps its id until it is on disk, so that the same click never counts twice and a failed one can be sent
again as it was.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.model import OncosearchError, ReviewEvent
from oncosearch.review import ItemState, SessionView, TopicState, history, new_event, topic_state
from oncosearch.workspace.annotating import act

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """One rater at one topic of a session, as it is drawn in this ``turn``."""

    page: Page
    view: SessionView
    rater: str
    topic: str
    turn: int

    @property
    def place(self) -> tuple[str, str, str]:
        """Return what the current card is remembered under."""
        return self.view.session.id, self.rater, self.topic


@dataclass(frozen=True, slots=True)
class Refused:
    """What could not be saved: the event (None where it could not even be made) and the error."""

    event: ReviewEvent | None
    error: Exception


def take(
    desk: Desk, action: str, node: str = "", value: Any = None, *, onward: bool = False, shown: str | None = None
) -> None:
    """Save what was clicked; ``onward`` moves on to the next open card once it is saved.

    ``shown`` is the grade that the window showed: where another window has given another one since, that is said.
    """
    state = st.session_state
    reason = str(state.get(reason_key(desk, node), "")) if action in {"grade", "irrelevant", "duplicate"} else ""
    held: dict[str, ReviewEvent] = state.setdefault("annot_held", {})
    mark = repr((desk.place, desk.turn, action, node, value, reason))
    try:
        if mark not in held:
            held[mark] = new_event(
                desk.view, desk.rater, desk.topic, action, node=node, value=value, reason=reason.strip()
            )
    except OncosearchError as error:
        state["annot_refused"] = Refused(None, error)
        return
    _save(desk, held[mark], onward, shown)


def again(desk: Desk, event: ReviewEvent) -> None:
    """Send an event once more that could not be saved."""
    _save(desk, event, onward=False)
    if event.reason and "annot_refused" not in st.session_state:
        st.session_state[reason_key(desk, event.node)] = event.reason


def say_reason(desk: Desk, node: str, before: str) -> None:
    """Save the reason that was typed, where it says something else than before."""
    text = str(st.session_state.get(reason_key(desk, node), "")).strip()
    if text == before:
        return
    held: dict[str, ReviewEvent] = st.session_state.setdefault("annot_held", {})
    mark = repr((desk.place, desk.turn, "reason", node, text))
    try:
        if mark not in held:
            held[mark] = new_event(desk.view, desk.rater, desk.topic, "reason", node=node, reason=text)
    except OncosearchError as error:
        st.session_state["annot_refused"] = Refused(None, error)
        return
    _save(desk, held[mark], onward=False)


def take_back(desk: Desk, last: str) -> None:
    """Undo the last action on the topic and go to the card that it was about."""
    store = desk.page.workspace.store
    events = history(store, desk.view.session.id, rater=desk.rater, topic=desk.topic)
    undone = next((event for event in events if event.id == last), None)
    take(desk, "undo", value=last)
    if undone is not None and "annot_refused" not in st.session_state:
        st.session_state["annot_undone"] = undone
        if undone.node:
            st.session_state.pop(reason_key(desk, undone.node), None)
            go_to(desk, undone.node)


def shift(desk: Desk, state: TopicState, node: str, by: int) -> None:
    """Move a card up (−1) or down (1) in the order."""
    order = list(state.ordered_nodes)
    at = order.index(node)
    to = min(len(order) - 1, max(0, at + by))
    if to != at:
        order.insert(to, order.pop(at))
        go_to(desk, node)
        take(desk, "reorder", value=order)


def go_to(desk: Desk, node: str) -> None:
    """Make a card the current one."""
    st.session_state.setdefault("annot_at", {})[desk.place] = node
    st.session_state.pop("annot_find", None)
    st.session_state.pop("annot_rest", None)


def current(desk: Desk, state: TopicState) -> ItemState | None:
    """Return the card that is open: the one remembered, else the first that is to be graded, else the first."""
    node = st.session_state.get("annot_at", {}).get(desk.place)
    found = next((item for item in state.items if item.node == node), None)
    if found is not None or not state.items:
        return found
    ahead = next_open(state, "")
    return next(item for item in state.items if ahead in ("", item.node))


def next_open(state: TopicState, node: str) -> str:
    """Return the next card to be graded after ``node``, from the top again at the end; those for later come last."""
    places = [item.node for item in state.items]
    at = places.index(node) + 1 if node in places else 0
    ahead = [item for item in (*state.items[at:], *state.items[:at]) if item.node != node]
    for wanted in (is_open, lambda item: item.later and not item.is_duplicate):
        for item in ahead:
            if wanted(item):
                return item.node
    return ""


def is_open(item: ItemState) -> bool:
    """Return whether a card waits for its grade and was not put off."""
    return not item.is_duplicate and not item.later and item.stage != "explicit"


def reason_key(desk: Desk, node: str) -> str:
    """Return the key of the field in which the reason for a card stands."""
    return f"annot_reason_{desk.view.session.id}_{desk.topic}_{node}"


def resting(desk: Desk, node: str) -> bool:
    """Return whether the last open card was just graded: the next grade by key would overwrite it."""
    return bool(st.session_state.get("annot_rest") == (desk.place, node))


def _save(desk: Desk, event: ReviewEvent, onward: bool, shown: str | None = None) -> None:
    state = st.session_state
    try:
        replaced = _graded_elsewhere(desk, event, shown)
        after = act(desk.page.workspace, desk.view, event)
    except OncosearchError as error:
        state["annot_refused"] = Refused(event, error)
        return
    except Exception as error:
        # Whatever went wrong, the rater must read that this is not saved.
        _log.exception("An event of the annotation could not be saved")
        state["annot_refused"] = Refused(event, error)
        return
    state.pop("annot_refused", None)
    state.pop("annot_held", None)
    state.pop("annot_rest", None)
    state["annot_saved"] = desk.place, event
    state["annot_replaced"] = replaced
    if onward and (ahead := next_open(after, event.node)):
        go_to(desk, ahead)
    elif event.node:
        go_to(desk, event.node)
        if onward and not after.progress.open + after.progress.later:
            state["annot_rest"] = desk.place, event.node


def _graded_elsewhere(desk: Desk, event: ReviewEvent, shown: str | None) -> str:
    """Return the grade that another window gave since this one was drawn; empty where there is none."""
    if event.action != "grade" or shown is None:
        return ""
    now = topic_state(desk.page.workspace.store, desk.view.session.id, desk.rater, desk.topic)
    grade = next((item.grade for item in now.items if item.node == event.node and item.stage == "explicit"), "")
    return grade if grade not in (shown, event.value) else ""


def open_topic(topic: str) -> None:
    """Go to another topic; the whole page is drawn anew, since its links name the topic."""
    st.session_state["annot_goto"] = topic
    st.session_state["annot_whole"] = True
    st.session_state.pop("annot_find", None)
    st.session_state.pop("annot_saved", None)
    st.session_state.pop("annot_refused", None)
