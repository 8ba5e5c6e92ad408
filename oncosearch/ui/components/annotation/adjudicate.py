"""Disagreements side by side: each rater's grade and reason, and the owner's final grade with its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.review import Disagreement, SessionView, adjudicate, disagreements
from oncosearch.ui.components.annotation.card import grade_words, quoted, shown_grade
from oncosearch.ui.components.annotation.manage import owned
from oncosearch.ui.components.annotation.sessions import hidden_topics
from oncosearch.ui.components.node_view import fields
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import annotate_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

AT_ONCE, HIDDEN_SHOWN = 10, 5
FINAL = ("3", "2", "1", "0", "-1")


def adjudication(page: Page, rater: str) -> None:
    """Draw the nodes that raters judged differently, the widest apart first."""
    view = owned(page, rater)
    if view is not None:
        if not st.session_state.pop("adjudicate_written", False):
            st.session_state["adjudicate_fresh"] = set()
        _list(page, view, rater)


@st.fragment
def _list(page: Page, view: SessionView, owner: str) -> None:
    t, store = page.t, page.workspace.store
    with st.container(horizontal=True, vertical_alignment="center"):
        every = st.toggle(t("adjudicate.all"), key="adjudicate_all", help=t("adjudicate.all.help"))
        decided = st.toggle(t("adjudicate.decided"), key="adjudicate_decided")
    hidden = hidden_topics(page, view, owner)
    if hidden:
        st.html(_hidden(page, view, hidden))
    found = [d for d in disagreements(store, view.session.id, all_nodes=every) if d.topic not in hidden]
    # What was just decided stays until the next look, so that it can be read over and taken back.
    fresh = st.session_state.get("adjudicate_fresh", set())
    waiting = [d for d in found if not d.final and (d.topic, d.node) not in fresh]
    at_once = {(d.topic, d.node) for d in waiting[:AT_ONCE]} | fresh
    shown = [d for d in found if (d.topic, d.node) in at_once or (decided and d.final)]
    left = sum(not d.final for d in found)
    st.html(
        element(
            "p",
            t.count("manage.disagreements", len(found), left=integer(left, t.language)),
            class_="os-lead",
        )
    )
    if not shown:
        if not hidden:
            st.html(notice("", t("adjudicate.none")))
        return
    for d in shown:
        _one(page, view, owner, d)
    if len(waiting) > AT_ONCE:
        st.html(element("p", t.count("adjudicate.more", len(waiting) - AT_ONCE), class_="os-matched"))


def _hidden(page: Page, view: SessionView, hidden: tuple[str, ...]) -> Markup:
    t = page.t
    rows = [
        element(
            "li",
            inner_link(
                annotate_address(page.view, view.session.id, topic=topic), view.topic(topic).query.best(t.language)
            ),
        )
        for topic in hidden[:HIDDEN_SHOWN]
    ]
    more = element("li", f"+{len(hidden) - HIDDEN_SHOWN}") if len(hidden) > HIDDEN_SHOWN else None
    about = element("p", t("adjudicate.hidden.about"))
    return notice(t.count("adjudicate.hidden", len(hidden)), about, element("ul", *rows, more, class_="os-list"))


def _one(page: Page, view: SessionView, owner: str, d: Disagreement) -> None:
    t = page.t
    name = f"{d.topic}_{d.node}"
    with st.container(border=True):
        st.html(_sides(page, view, d))
        refused = st.session_state.get("adjudicate_refused")
        if refused is not None and refused[0] == (d.topic, d.node):
            # Stays until the next try: a notice that goes while somebody clicks would move the button away.
            st.html(error_notice(t, refused[1]))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.segmented_control(
                t("adjudicate.final"),
                FINAL,
                default=d.final or None,
                format_func=shown_grade,
                key=f"final_{name}",
            )
            st.text_input(t("adjudicate.reason"), d.final_reason, key=f"final_reason_{name}", max_chars=2000)
            st.button(
                t("adjudicate.save"),
                key=f"final_save_{name}",
                type="secondary" if d.final else "primary",
                on_click=_decide,
                args=(page, view, owner, d),
            )
            if d.final:
                st.button(
                    t("adjudicate.take_back"),
                    key=f"final_back_{name}",
                    type="tertiary",
                    on_click=_take_back,
                    args=(page, view, owner, d),
                )
        if d.final:
            said = t("adjudicate.is", grade=grade_words(t, d.final))
            st.html(element("p", element("b", f"✓ {t('annotate.saved')}"), said, class_="os-saved", role="status"))


def _sides(page: Page, view: SessionView, d: Disagreement) -> Markup:
    t = page.t
    node = page.workspace.node(view.session.snapshot, d.node)
    sides = [
        element(
            "div",
            element("b", rater),
            grade_words(t, grade),
            element("p", quoted(t, d.reasons[rater])) if d.reasons.get(rater) else None,
        )
        for rater, grade in d.grades.items()
    ]
    return element(
        "section",
        element("p", f"{d.topic} · {view.topic(d.topic).query.best(t.language)}", class_="os-matched"),
        element("h2", node.title.best(t.language) or node.id, " ", type_chip(node.type, t.language), class_="os-h2"),
        element("div", *sides, class_="os-sides"),
        element("details", element("summary", t("quality.whole")), fields(t, node), class_="os-more"),
        class_="os-section",
    )


def _decide(page: Page, view: SessionView, owner: str, d: Disagreement) -> None:
    name = f"{d.topic}_{d.node}"
    grade = st.session_state.get(f"final_{name}") or ""
    reason = str(st.session_state.get(f"final_reason_{name}", "")).strip()
    _write(page, view, owner, d, grade, reason)


def _take_back(page: Page, view: SessionView, owner: str, d: Disagreement) -> None:
    _write(page, view, owner, d, "", d.final_reason)
    st.session_state.pop(f"final_{d.topic}_{d.node}", None)


def _write(page: Page, view: SessionView, owner: str, d: Disagreement, grade: str, reason: str) -> None:
    from oncosearch.model import OncosearchError, UsageError

    st.session_state.pop("adjudicate_refused", None)
    try:
        if not grade and not d.final:
            raise UsageError("No final grade was chosen.", code="final_missing")
        adjudicate(page.workspace.store, view.session.id, owner, d.topic, d.node, grade, reason)
    except OncosearchError as error:
        st.session_state["adjudicate_refused"] = (d.topic, d.node), error
        return
    st.session_state.setdefault("adjudicate_fresh", set()).add((d.topic, d.node))
    st.session_state["adjudicate_written"] = True
