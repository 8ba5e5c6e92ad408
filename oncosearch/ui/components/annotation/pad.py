"""The buttons of the desk: grades, marks, order, reason, and what was saved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

import streamlit as st

from oncosearch.model import OncosearchError, ReviewEvent
from oncosearch.review import ItemState, TopicState
from oncosearch.ui.components.annotation.acting import (
    Desk,
    Refused,
    again,
    go_to,
    is_open,
    open_topic,
    reason_key,
    resting,
    say_reason,
    shift,
    take,
    take_back,
)
from oncosearch.ui.components.annotation.card import GRADES_BY_KEY, grade_words, topic_summary
from oncosearch.ui.components.annotation.finder import finder, toggle_finder
from oncosearch.ui.components.states import error_notice, notice, unexpected_notice
from oncosearch.ui.markup import Markup, element, shortened

TITLE_IN_SAVED = 60


def pad(desk: Desk, state: TopicState, item: ItemState | None) -> None:
    """Draw the buttons for the open card; after the topic is finished, the way back into it."""
    if state.finished:
        _finished(desk, state)
        _said(desk)
        _moves(desk, state, item, False)
        return
    may = desk.view.may_write(desk.rater, desk.topic)
    if item is not None:
        with st.container(key="annot_pad"):
            _grades(desk, item, may)
            with st.container(horizontal=True, vertical_alignment="center", wrap=False, key="annot_said"):
                st.html(_line(desk))
                _finish(desk, state, may)
            _refused(desk)
        _moves(desk, state, item, may)
        if resting(desk, item.node):
            # Below the buttons, so that these stay where they are.
            st.html(element("p", desk.page.t("annotate.rest"), class_="os-rest os-annot-flag", role="status"))
        finder(desk, state, item.node)
        _reason(desk, item, may)
    else:
        _said(desk)
        _moves(desk, state, item, may)
        finder(desk, state, "")


def _grades(desk: Desk, item: ItemState, may: bool) -> None:
    t = desk.page.t
    onward = is_open(item) or item.later
    off = not may or item.is_duplicate
    shown = item.grade if item.stage == "explicit" else ""
    with st.container(key="annot_grades"):
        for key, grade in GRADES_BY_KEY.items():
            st.button(
                f"**{'−1' if key == 'minus' else key}** {t(f'annotate.grade.{key}')}",
                key=f"annot_grade_{key}",
                type="primary" if item.grade == grade and item.stage == "explicit" else "secondary",
                disabled=off,
                width="stretch",
                wrap=True,
                on_click=take,
                args=(desk, "grade", item.node, grade),
                kwargs={"onward": onward, "shown": shown},
            )
        st.button(
            f"**?** {t('annotate.grade.unsure')} `u`",
            key="annot_unsure",
            type="primary" if item.grade == "unsure" else "secondary",
            disabled=off,
            width="stretch",
            wrap=True,
            on_click=take,
            args=(desk, "grade", item.node, "unsure"),
            kwargs={"onward": onward, "shown": shown},
        )
        st.button(
            f"**…** {t('annotate.later')} `l`",
            key="annot_later",
            type="primary" if item.later else "secondary",
            disabled=off,
            width="stretch",
            wrap=True,
            on_click=take,
            args=(desk, "later", item.node),
            kwargs={"onward": True},
        )


def _moves(desk: Desk, state: TopicState, item: ItemState | None, may: bool) -> None:
    t = desk.page.t
    places = [i.node for i in state.items]
    at = places.index(item.node) if item is not None else 0
    marked = item is not None and item.is_duplicate
    irrelevant = item is not None and item.irrelevant
    node = "" if item is None else item.node
    rows = (
        ("undo", "z", not may or not state.last_action, take_back, (desk, state.last_action)),
        ("duplicate", "d", not may or item is None, *_duplicate(desk, node, marked)),
        ("irrelevant", "i", not may or item is None or marked, *_irrelevant(desk, node, irrelevant)),
        ("add", "a", not may, _open_finder, ("add",)),
        ("previous", "k", at == 0, go_to, (desk, places[max(0, at - 1)] if places else "")),
        ("next", "j", at + 1 >= len(places), go_to, (desk, places[min(at + 1, len(places) - 1)] if places else "")),
        ("up", "Alt ↑", not may or item is None or marked, shift, (desk, state, node, -1)),
        ("down", "Alt ↓", not may or item is None or marked, shift, (desk, state, node, 1)),
    )
    with st.container(key="annot_actions"):
        for name, key, off, act, values in rows:
            on = (name == "duplicate" and marked) or (name == "irrelevant" and irrelevant)
            label = t(f"annotate.{name}.off" if on else f"annotate.{name}")
            st.button(f"{label} `{key}`", key=f"annot_{name}", disabled=off, width="stretch", on_click=act, args=values)


def _duplicate(desk: Desk, node: str, marked: bool) -> tuple[Callable[..., None], tuple[object, ...]]:
    return (take, (desk, "unmark", node, "duplicate")) if marked else (_open_finder, ("duplicate",))


def _irrelevant(desk: Desk, node: str, marked: bool) -> tuple[Callable[..., None], tuple[object, ...]]:
    return (take, (desk, "unmark", node, "irrelevant")) if marked else (_take_onward, (desk, "irrelevant", node))


def _take_onward(desk: Desk, action: str, node: str) -> None:
    take(desk, action, node, onward=True)


def _open_finder(purpose: str) -> None:
    toggle_finder(purpose)
    st.session_state["annot_find_focus"] = st.session_state["annot_find"] is not None


def _reason(desk: Desk, item: ItemState, may: bool) -> None:
    key = reason_key(desk, item.node)
    refused: Refused | None = st.session_state.get("annot_refused")
    if refused is not None and refused.event is not None and refused.event.node == item.node and refused.event.reason:
        # What could not be saved stays to be read, whatever became of the field.
        st.session_state[key] = refused.event.reason
    elif key not in st.session_state:
        st.session_state[key] = item.reason
    st.text_area(
        f"{desk.page.t('annotate.reason')} `n`",
        key=key,
        height=80,
        max_chars=4000,
        placeholder=desk.page.t("annotate.reason.how"),
        disabled=not may,
        on_change=say_reason,
        args=(desk, item.node, item.reason),
    )


def _finish(desk: Desk, state: TopicState, may: bool) -> None:
    progress = state.progress
    done = progress.total > 0 and not progress.open + progress.later
    st.button(
        f"{desk.page.t('annotate.finish')} `Enter`",
        key="annot_finish",
        type="primary" if done else "secondary",
        disabled=not (may and done),
        help=None if done else desk.page.t("annotate.finish.when"),
        on_click=take,
        args=(desk, "finish"),
    )


def _finished(desk: Desk, state: TopicState) -> None:
    t = desk.page.t
    st.html(
        notice(
            t("annotate.finished.title"),
            element("p", t(f"annotate.finished.{'blind' if desk.view.session.blind else 'open'}")),
            topic_summary(t, state),
        )
    )
    with st.container(horizontal=True):
        topics = desk.view.assignments.get(desk.rater, ())
        at = topics.index(desk.topic)
        if at + 1 < len(topics):
            st.button(
                f"{t('annotate.topic.next')} `t`",
                key="annot_onward",
                type="primary",
                on_click=open_topic,
                args=(topics[at + 1],),
            )
        st.button(
            t("annotate.reopen"),
            key="annot_reopen",
            disabled=not desk.view.may_write(desk.rater, desk.topic),
            on_click=take,
            args=(desk, "reopen"),
        )


def _said(desk: Desk) -> None:
    st.html(_line(desk))
    _refused(desk)


def _line(desk: Desk) -> Markup:
    """Return what became of the last action: saved, with its time, or not."""
    if "annot_refused" in st.session_state:
        return element("p", element("strong", desk.page.t("annotate.not_saved")), class_="os-saved", role="alert")
    place, event = st.session_state.get("annot_saved", (None, None))
    if event is not None and place == desk.place:
        return _saved(desk, event)
    hint = element("span", desk.page.t("annotate.saved.hint"), class_="os-matched")
    return element("p", hint, class_="os-saved")


def _refused(desk: Desk) -> None:
    t = desk.page.t
    refused: Refused | None = st.session_state.get("annot_refused")
    if refused is None:
        return
    error = refused.error
    st.html(error_notice(t, error) if isinstance(error, OncosearchError) else unexpected_notice(t, error))
    with st.container(horizontal=True):
        if refused.event is not None and desk.view.state != "closed":
            st.button(
                t("annotate.again"), key="annot_again", type="primary", on_click=again, args=(desk, refused.event)
            )
        st.button(t("annotate.dismiss"), key="annot_dismiss", on_click=_dismiss, args=(desk,))


def _saved(desk: Desk, event: ReviewEvent) -> Markup:
    t = desk.page.t
    time = datetime.fromisoformat(event.time).astimezone().strftime("%H:%M:%S")
    what = _what(desk, event)
    undone: ReviewEvent | None = st.session_state.get("annot_undone")
    if event.action == "undo" and undone is not None and undone.id == event.value:
        what = t("annotate.did.undo_of", what=_what(desk, undone))
    replaced = st.session_state.get("annot_replaced")
    return element(
        "p",
        element("b", f"✓ {t('annotate.saved')} {time}"),
        element("span", what, title=what),
        element("strong", t("annotate.replaced", grade=grade_words(t, replaced))) if replaced else None,
        class_="os-saved",
        role="status",
        data_event=event.id,
        data_turn=desk.turn,
    )


def _what(desk: Desk, event: ReviewEvent) -> str:
    """Return what was done and to which card."""
    t = desk.page.t
    what = grade_words(t, str(event.value)) if event.action == "grade" else t(f"annotate.did.{event.action}")
    if not event.node:
        return what
    graph = desk.page.workspace.graph(desk.view.session.snapshot)
    at = graph.ids.find(event.node)
    return f"{what} — {shortened(event.node if at is None else graph.title(at, t.language), TITLE_IN_SAVED)}"


def _dismiss(desk: Desk) -> None:
    refused: Refused | None = st.session_state.pop("annot_refused", None)
    st.session_state.pop("annot_held", None)
    if refused is not None and refused.event is not None and refused.event.action == "reason":
        st.session_state.pop(reason_key(desk, refused.event.node), None)
