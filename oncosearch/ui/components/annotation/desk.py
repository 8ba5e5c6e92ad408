"""The desk: one question, its open card, the buttons at their places, the list of all cards and the guideline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import NotFoundError
from oncosearch.review import ItemState, SessionView, TopicState, provenance, rater_states, session_view, topic_state
from oncosearch.ui.components.annotation import card as cards
from oncosearch.ui.components.annotation.acting import Desk, current, go_to, open_topic
from oncosearch.ui.components.annotation.look import say_drawn
from oncosearch.ui.components.annotation.pad import pad
from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import Markup, element, inner_link, shortened
from oncosearch.ui.state import annotate_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

CARD_HEIGHT, LIST_HEIGHT = 330, 430
LEGEND = (
    ("grade", "3 2 1 0 −"),
    ("unsure", "u"),
    ("later", "l"),
    ("reason", "n"),
    ("leave", "Esc"),
    ("next", "j ↓"),
    ("previous", "k ↑"),
    # These have names of their own in each language.
    ("read", ""),
    ("undo", "z"),
    ("duplicate", "d"),
    ("irrelevant", "i"),
    ("add", "a"),
    ("order", "Alt ↑ ↓"),
    ("finish", "Enter"),
    ("topics", "t T"),
    ("legend", "?"),
)


@st.fragment
def desk(page: Page, rater: str) -> None:
    """Draw the desk of a rater at the session and topic that the address names; only this part runs after a click."""
    if st.session_state.get("annot_whole"):
        # Only where this part runs alone: a whole run has begun by taking it out.
        st.rerun()
    with page.guarded():
        _desk(page, rater)


def _desk(page: Page, rater: str) -> None:
    t, store = page.t, page.workspace.store
    view = session_view(store, page.view.session or "")
    topics = view.assignments.get(rater, ())
    if not topics:
        st.html(element("h1", view.session.name, class_="os-h1 os-h1-small"))
        st.html(notice(t("annotate.not_yours", name=rater), t("annotate.not_yours.advice", owner=view.session.owner)))
        return
    states = rater_states(store, view.session.id, rater)
    asked = st.query_params.get("topic", "")
    topic = _topic(view, topics, states)
    state = states.get(topic) or topic_state(store, view.session.id, rater, topic)
    turn = st.session_state["annot_turn"] = st.session_state.get("annot_turn", 0) + 1
    this = Desk(page, view, rater, topic, turn)
    with st.container(key="annot_desk"):
        st.html(_top(this, state, states, topics))
        if asked not in ("", topic):
            there = any(asked == one.id for one in view.session.topics)
            why = t("annotate.topic.not_yours" if there else "annotate.topic.unknown", topic=shortened(asked, 60))
            st.html(notice(why, element("p", t("annotate.topic.instead")), kind="warn"))
        _topic_choice(this, topics, states)
        if view.state != "open":
            st.html(notice(t(f"annotate.{view.state}.title"), t(f"annotate.{view.state}.advice"), kind="warn"))
        if not state.items:
            st.html(notice(t("annotate.empty.title"), t("annotate.empty.advice")))
        item = current(this, state)
        left, right = st.columns([7, 4], gap="medium")
        with left:
            if item is not None:
                with st.container(key="annot_pages", gap=None):
                    with st.container(height=CARD_HEIGHT, border=True, key="annot_card"):
                        _card(this, state, item)
                    st.html(element("span", t("annotate.below"), class_="os-below"))
            pad(this, state, item)
        with right:
            _list(this, state, item)
            _guideline(this)
            _legend(this)
    say_drawn(turn, finder=st.session_state.pop("annot_find_focus", False))


def _topic(view: SessionView, topics: Sequence[str], states: dict[str, TopicState]) -> str:
    named = st.query_params.get("topic")
    if named is not None and named in topics:
        return named
    unfinished = (topic for topic in topics if topic not in states or not states[topic].finished)
    # Named from here on, so that a topic stays open when it is finished.
    st.query_params["topic"] = found = next(unfinished, topics[0])
    return found


def follow() -> None:
    """Write the topic that was chosen into the address, before the page reads it."""
    st.session_state.pop("annot_whole", None)
    if (topic := st.session_state.pop("annot_goto", None)) is not None:
        st.query_params["topic"] = topic


def _top(desk: Desk, state: TopicState, states: dict[str, TopicState], topics: Sequence[str]) -> Markup:
    t, view = desk.page.t, desk.page.view
    topic = desk.view.topic(desk.topic)
    question = topic.query.best(t.language)
    others = [element("span", text, lang=language) for language, text in topic.query if text != question]
    progress = state.progress
    finished = sum(states[x].finished for x in topics if x in states)
    links = [inner_link(annotate_address(view), f"← {t('annotate.sessions')}", data_key="back")]
    if desk.rater == desk.view.session.owner:
        links.append(inner_link(annotate_address(view, desk.view.session.id, task="manage"), t("annotate.manage")))
    return element(
        "header",
        element("div", *links, element("span", desk.view.session.name), class_="os-actions"),
        element("h1", question, lang=topic.query.best_language(t.language)),
        element("p", *others, class_="os-matched") if others else None,
        element(
            "div",
            cards.gauge(t, t("annotate.gauge.topic"), progress.graded + progress.unsure, progress.total),
            cards.gauge(t, t("annotate.gauge.session"), finished, len(topics)),
            class_="os-gauges",
        ),
        class_="os-annot-top",
    )


def _topic_choice(desk: Desk, topics: Sequence[str], states: dict[str, TopicState]) -> None:
    t = desk.page.t
    at = topics.index(desk.topic)

    def named(topic: str) -> str:
        state = states.get(topic)
        mark = ""
        if state is not None:
            mark = "✓ " if state.finished else ("◐ " if state.progress.graded else "")
        return f"{mark}{topics.index(topic) + 1} · {desk.view.topic(topic).query.best(t.language)}"

    st.session_state["annot_topic"] = desk.topic
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="annot_topics"):
        for name, label, to in (("previous", "←", at - 1), ("next", "→", at + 1)):
            st.button(
                label,
                key=f"annot_topic_{name}",
                help=t(f"annotate.topic.{name}"),
                disabled=not 0 <= to < len(topics),
                on_click=open_topic,
                args=(topics[max(0, min(to, len(topics) - 1))],),
            )
        st.selectbox(
            t("annotate.topic"),
            topics,
            format_func=named,
            key="annot_topic",
            label_visibility="collapsed",
            on_change=lambda: open_topic(st.session_state["annot_topic"]),
        )


def _card(desk: Desk, state: TopicState, item: ItemState) -> None:
    page, key = desk.page, desk.view.session.snapshot
    try:
        node = page.workspace.node(key, item.node)
    except NotFoundError:
        st.html(notice(page.t("node.missing.title", node=item.node), page.t("annotate.node_gone")))
        return
    paths, _ = page.workspace.paths(key, item.node, page.language)
    titles = {}
    if item.duplicate_of:
        graph = page.workspace.graph(key)
        at = graph.ids.find(item.duplicate_of)
        titles = {} if at is None else {item.duplicate_of: graph.title(at, page.language)}
    if state.finished:
        from oncosearch.review import grades_of_others

        where = desk.view.session.id, desk.rater, desk.topic
        found = provenance(page.workspace.store, *where)
        # In a blind session only the owner sees who gave what, and adjudicates.
        others = None if desk.view.session.blind else grades_of_others(page.workspace.store, *where)
        shown = None if others is None else {rater: grades.get(item.node, "") for rater, grades in others.items()}
        here = None if found is None else found.get(item.node, ())
        st.html(cards.after_finish(page.t, item, here, shown))
    st.html(cards.card(page.t, page.view, node, item, paths, titles))


def _list(desk: Desk, state: TopicState, item: ItemState | None) -> None:
    t = desk.page.t
    if item is None:
        return
    places = [i.node for i in state.items]
    st.session_state["annot_go"] = places.index(item.node)
    st.pills(
        t("annotate.list"),
        range(len(places)),
        format_func=lambda place: str(place + 1),
        key="annot_go",
        required=True,
        label_visibility="collapsed",
        on_change=lambda: go_to(desk, places[st.session_state["annot_go"]]),
    )
    graph = desk.page.workspace.graph(desk.view.session.snapshot)
    with st.container(height=LIST_HEIGHT, border=True, key="annot_list"):
        st.html(cards.pool_list(t, graph, state.items, item.node))
    said = [cards.remaining(t, state.progress) or t("annotate.left.none")]
    if any(i.stage == "bootstrapped" for i in state.items):
        said.append(t("annotate.first_grades"))
    if state.gone:
        said.append(t.count("annotate.gone", len(state.gone)))
    st.html(
        element("p", " ".join(f"{text}." if not text.endswith(".") else text for text in said), class_="os-matched")
    )


def _guideline(desk: Desk) -> None:
    t = desk.page.t
    with st.expander(t("annotate.guideline"), expanded=True, key="annot_guideline"):
        st.html(element("div", desk.view.guideline or t("annotate.guideline.none"), class_="os-guideline"))


def _legend(desk: Desk) -> None:
    """Draw every key of the desk with what it does."""
    t = desk.page.t
    rows = [
        piece
        for name, key in LEGEND
        for piece in (element("kbd", key or t(f"annotate.key.{name}.keys")), element("span", t(f"annotate.key.{name}")))
    ]
    with st.expander(t("annotate.keys"), expanded=True, key="annot_legend"):
        st.html(element("div", *rows, class_="os-keys"))
