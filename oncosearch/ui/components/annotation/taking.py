"""What the owner takes along: qrels by policy, published under the hash of their content, records and runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import PublishedQrels, UsageError
from oncosearch.review import (
    QrelsDraft,
    SessionView,
    load_record,
    make_qrels,
    publish,
    published,
    published_list,
    read_record,
    session_states,
)
from oncosearch.ui.components.annotation.card import shown_grade
from oncosearch.ui.components.annotation.owner import done
from oncosearch.ui.components.annotation.refusals import refusal_words
from oncosearch.ui.components.annotation.sessions import hidden_topics
from oncosearch.ui.components.states import notice
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer, moment
from oncosearch.ui.state import evaluate_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

POLICIES = ("majority", "mean", "adjudicated")
SHORT_HASH, REFUSED_SHOWN, UNDECIDED_SHOWN = 12, 50, 30


def take_away(page: Page, view: SessionView, owner: str) -> None:
    """Draw the choice of a policy with what it gives, publishing, what is published, and the other downloads."""
    from oncosearch.workspace.session_export import records_zip, runs_zip

    t, store = page.t, page.workspace.store
    _qrels(page, view, owner)
    with st.container(horizontal=True, gap="medium"):
        for name, make in (("records", records_zip), ("runs", runs_zip)):
            st.download_button(
                t(f"take.session.{name}"),
                partial(make, store, view),
                file_name=file_name(f"{view.session.name} {name}", "zip"),
                mime="application/zip",
                key=f"take_{name}",
                on_click="ignore",
                type="tertiary",
                help=t(f"take.session.{name}.help"),
            )


def bring_in(page: Page, view: SessionView) -> None:
    """Draw reading a record as JSON into the session, and every entry of it that was not taken."""
    t = page.t
    state = st.session_state
    if (refused := state.pop("bring_refused", None)) is not None:
        rows = [element("li", *refusal_words(t, one)) for one in refused[:REFUSED_SHOWN]]
        if rows:
            st.html(notice(t.count("bring.refused", len(refused)), element("ul", *rows), kind="warn"))
        else:
            st.html(notice(t("bring.done")))
    if view.state != "open":
        st.html(element("p", t("bring.open_only"), class_="os-matched"))
        return
    with st.form("bring_form", border=False, clear_on_submit=True):
        st.file_uploader(t("bring.file"), type=["json"], key="bring_file", help=t("bring.help"))
        st.selectbox(t("bring.rater"), view.raters, key="bring_rater")
        st.form_submit_button(t("bring.go"), key="bring_go", on_click=_bring, args=(page, view))


def _bring(page: Page, view: SessionView) -> None:
    state = st.session_state

    def act() -> None:
        sent = state["bring_file"]
        if sent is None:
            raise UsageError("No file was chosen.", code="bring_file")
        reading = read_record(sent.getvalue().decode("utf-8-sig", "replace"))
        if reading.record is None:
            state["bring_refused"] = reading.refused
            raise UsageError("The file holds no record.", code="bring_record")
        graph = page.workspace.graph(view.session.snapshot)
        known = {node.id for node in reading.record.nodes if graph.ids.find(node.id) is not None}
        store = page.workspace.store
        _, refused = load_record(store, view.session.id, state["bring_rater"], reading.record, known=known)
        state["bring_refused"] = (*reading.refused, *refused)

    done(act, "manage.did.bring")


def _qrels(page: Page, view: SessionView, owner: str) -> None:
    t, store = page.t, page.workspace.store
    choices = [*POLICIES, *(f"rater:{name}" for name in view.raters)]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    policy = left.selectbox(
        t("take.policy"),
        choices,
        format_func=lambda key: (
            t("take.policy.rater", name=key[6:]) if key[:6] == "rater:" else t(f"take.policy.{key}")
        ),
        key="take_policy",
        help=t("take.policy.help"),
    )
    finished = right.toggle(t("take.finished"), key="take_finished", help=t("take.finished.help"))
    draft = make_qrels(store, view.session.id, policy, finished_only=finished)
    grades = [grade for nodes in draft.published.qrels.grades.values() for grade in nodes.values()]
    counts = " · ".join(f"{shown_grade(str(g))}: {integer(grades.count(g), t.language)}" for g in (3, 2, 1, 0, -1))
    said = t(
        "take.draft",
        grades=integer(len(grades), t.language),
        topics=integer(len(draft.published.qrels.grades), t.language),
    )
    st.html(element("p", f"{said} {counts}", class_="os-matched"))
    if draft.undecided:
        st.html(_undecided(page, view, draft, policy))
    st.button(
        t("take.publish"),
        key="take_publish",
        type="primary",
        disabled=not grades,
        on_click=_publish,
        args=(page, draft.published, owner),
    )
    _published(page, view)


def _undecided(page: Page, view: SessionView, draft: QrelsDraft, policy: str) -> Markup:
    """Return the cards that get no grade, each with what was given, and why that makes none."""
    t = page.t
    states = session_states(page.workspace.store, view.session.id)
    # What others gave in a blind topic that the owner has not finished stays hidden here too.
    hidden = hidden_topics(page, view, view.session.owner)
    rows = []
    for topic, node in draft.undecided[:UNDECIDED_SHOWN]:
        given = [
            f"{rater} {shown_grade(item.grade) if item.grade else t('annotate.later')}"
            for rater, topics in states.items()
            for item in (topics[topic].items if topic in topics else ())
            if item.node == node and ((item.grade and item.stage == "explicit") or item.later)
        ]
        said = t("take.undecided.hidden") if topic in hidden else ", ".join(given)
        rows.append(element("li", f"{topic} · {page.title_of(node)}", ": " if said else None, said))
    more = (
        element("li", f"+{len(draft.undecided) - UNDECIDED_SHOWN}") if len(draft.undecided) > UNDECIDED_SHOWN else None
    )
    key = "rater" if policy[:6] == "rater:" else policy
    return notice(
        t.count("take.undecided", len(draft.undecided)),
        element("p", t(f"take.undecided.why.{key}")),
        element("details", element("summary", t("take.undecided.which")), element("ul", *rows, more), class_="os-more"),
    )


def _published(page: Page, view: SessionView) -> None:
    from oncosearch.workspace.session_export import QRELS_FORMS

    t, store = page.t, page.workspace.store
    heads = [head for head in reversed(published_list(store)) if head.session == view.session.id]
    if not heads:
        return
    by_id = {head.id: head for head in heads}
    chosen = st.selectbox(
        t("take.published"),
        list(by_id),
        format_func=lambda key: (
            f"{key[:SHORT_HASH]} · {by_id[key].policy} · {moment(by_id[key].created, t.language)} · "
            + t.count("take.judgements", by_id[key].judgements)
        ),
        key="take_chosen",
    )
    st.html(element("p", t("take.id"), " ", element("span", chosen, class_="os-code"), class_="os-matched"))
    opened = inner_link(
        evaluate_address(page.view, qrels=f"published-{chosen}"), t("evaluate.open"), data_key="evaluate"
    )
    st.html(element("p", opened))
    with st.container(horizontal=True, gap="medium"):
        for form in QRELS_FORMS:
            st.download_button(
                t(f"take.form.{form}"),
                partial(_file, page, chosen, form),
                file_name=file_name(f"qrels {chosen[:SHORT_HASH]}", "csv" if form == "csv" else "zip"),
                mime="text/csv" if form == "csv" else "application/zip",
                key=f"take_{form}",
                on_click="ignore",
            )
    st.html(element("p", t("take.trec_note"), class_="os-matched"))


def _file(page: Page, qrels_id: str, form: str) -> bytes:
    from oncosearch.workspace.session_export import qrels_file

    return qrels_file(page.workspace, published(page.workspace.store, qrels_id), form, page.language)[0]


def _publish(page: Page, draft: PublishedQrels, owner: str) -> None:
    store = page.workspace.store

    def act() -> None:
        st.session_state["take_chosen"] = publish(store, draft, author=owner)

    done(act, "manage.did.publish")
