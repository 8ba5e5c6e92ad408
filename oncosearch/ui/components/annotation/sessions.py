"""The sessions of a rater: what is assigned, how far it is, and what an owner has to look after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.review import Progress, SessionView, rater_states, session_progress, sessions, total_progress
from oncosearch.ui.components.annotation.card import gauge, remaining
from oncosearch.ui.components.annotation.rater import name_line
from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import moment
from oncosearch.ui.state import annotate_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page


def session_list(page: Page, rater: str) -> None:
    """Draw the sessions in which the rater has topics or which are the rater's own, the newest first."""
    t = page.t
    st.title(t("annotate.heading"), anchor=False)
    name_line(page, rater)
    every = sessions(page.workspace.store)
    others = alike(rater, {name for view in every for name in (view.session.owner, *view.raters)})
    if others:
        st.html(
            notice(t("annotate.alike", names=", ".join(others)), element("p", t("annotate.alike.advice", name=rater)))
        )
    mine = [view for view in reversed(every) if view.assignments.get(rater) or view.session.owner == rater]
    st.html(
        element(
            "div",
            inner_link(annotate_address(page.view, task="new"), t("annotate.new"), data_key="new"),
            class_="os-actions",
        )
    )
    if not mine:
        known = sorted({name for view in every for name in view.raters})
        named = element("p", t("annotate.none.known", names=", ".join(known))) if known else None
        st.html(notice(t("annotate.none.title", name=rater), element("p", t("annotate.none.advice")), named))
        return
    rows = [element("li", _session(page, view, rater)) for view in mine]
    st.html(element("ul", *rows, class_="os-sessions"))


def _session(page: Page, view: SessionView, rater: str) -> Markup:
    t, session = page.t, view.session
    progress = session_progress(page.workspace.store, session.id)
    topics = view.assignments.get(rater, ())
    links, bars, left = [], [], None
    if topics:
        own = progress.get(rater, {})
        total = total_progress(own.values())
        links.append(inner_link(annotate_address(page.view, session.id), t("annotate.go_on"), data_item=session.id))
        bars.append(gauge(t, t("annotate.gauge.cards"), total.graded + total.unsure, total.total))
        left = remaining(t, total)
    if session.owner == rater:
        links.append(inner_link(annotate_address(page.view, session.id, task="manage"), t("annotate.manage")))
        bars.append(_everyone(page, view, progress))
    return element(
        "article",
        element("div", element("h2", session.name, class_="os-h2"), state_chip(page, view), class_="os-head"),
        element("p", facts(page, view), class_="os-matched"),
        element("div", *bars, class_="os-gauges"),
        element("p", left, class_="os-matched") if left else None,
        element("div", *links, class_="os-actions"),
        class_="os-session",
    )


def _everyone(page: Page, view: SessionView, progress: Mapping[str, Mapping[str, Progress]]) -> Markup:
    total = total_progress(p for rater in view.raters for p in progress.get(rater, {}).values())
    return gauge(page.t, page.t("annotate.gauge.all"), total.graded + total.unsure, total.total)


def state_chip(page: Page, view: SessionView) -> Markup:
    """Return whether a session is open, paused or closed."""
    return element("span", page.t(f"annotate.state.{view.state}"), class_="os-state")


def facts(page: Page, view: SessionView) -> str:
    """Return a session's size, graph, owner and age in one line; what was searched stays unsaid."""
    t, session = page.t, view.session
    return " · ".join(
        (
            t.count("annotate.topics", len(session.topics)),
            t("annotate.blind" if session.blind else "annotate.open"),
            str(session.snapshot),
            t("annotate.owner", name=session.owner),
            moment(session.created, t.language),
        )
    )


def hidden_topics(page: Page, view: SessionView, owner: str) -> tuple[str, ...]:
    """Return the topics of which an owner who rates must not see others' grades yet: blind, and not finished once."""
    if not view.session.blind or not view.assignments.get(owner):
        return ()
    states = rater_states(page.workspace.store, view.session.id, owner)
    return tuple(topic for topic in view.assignments[owner] if not states[topic].seen)


def alike(name: str, names: Iterable[str]) -> list[str]:
    """Return the other names that differ from ``name`` only in capitals or blanks, in order."""
    plain = "".join(name.casefold().split())
    return sorted({other for other in names if other != name and "".join(other.casefold().split()) == plain})
