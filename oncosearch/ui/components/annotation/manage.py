"""What the owner of a session looks after: its state, its raters and their topics, and the guideline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.review import (
    Progress,
    Recheck,
    SessionView,
    assign,
    close,
    disagreements,
    edit_guideline,
    new_session_id,
    pause,
    resume,
    session_progress,
    session_view,
    total_progress,
)
from oncosearch.ui.components.annotation.card import remaining, shown_grade
from oncosearch.ui.components.annotation.owner import done
from oncosearch.ui.components.annotation.plan import search_progress
from oncosearch.ui.components.annotation.sessions import alike, facts, hidden_topics, state_chip
from oncosearch.ui.components.annotation.taking import bring_in, take_away
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer, moment
from oncosearch.ui.state import annotate_address
from oncosearch.workspace.annotating import MAX_NAME, continue_session, not_ready, rater_name

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

RECHECK_SHOWN = 50


def manage(page: Page, rater: str) -> None:
    """Draw everything that the owner can do; others read who the owner is."""
    view = owned(page, rater)
    if view is None:
        return
    t, store = page.t, page.workspace.store
    if (error := st.session_state.pop("manage_error", None)) is not None:
        st.html(error_notice(t, error))
    elif (said := st.session_state.pop("manage_said", None)) is not None:
        st.html(element("p", element("b", f"✓ {t('annotate.saved')}"), f" {t(said)}", class_="os-saved", role="status"))
    _switches(page, view, rater)
    _newer(page, view)
    progress = session_progress(store, view.session.id)
    st.header(t("manage.raters"), anchor=False)
    st.html(_progress_table(page, view, progress))
    for name in view.raters:
        if others := [other for other in alike(name, view.raters) if other > name]:
            st.html(notice(t("manage.alike", name=name, names=", ".join(others))))
    _assignment(page, view, rater)
    st.header(t("annotate.guideline"), anchor=False)
    _guideline(page, view, rater)
    st.header(t("manage.adjudicate"), anchor=False)
    hidden = hidden_topics(page, view, rater)
    found = [d for d in disagreements(store, view.session.id) if d.topic not in hidden]
    undecided = sum(not d.final for d in found)
    count = t.count("manage.disagreements", len(found), left=integer(undecided, t.language))
    link = inner_link(
        annotate_address(page.view, view.session.id, task="adjudicate"),
        t("manage.adjudicate.go"),
        data_key="adjudicate",
    )
    st.html(element("p", count, " ", link))
    if hidden:
        st.html(element("p", t.count("adjudicate.hidden", len(hidden)), class_="os-matched"))
    st.header(t("manage.take"), anchor=False)
    if hidden:
        st.html(notice("", element("p", t("manage.take.unblinds")), kind="warn"))
    take_away(page, view, rater)
    with st.expander(t("bring"), key="manage_bring"):
        bring_in(page, view)
    st.header(t("manage.pooled"), anchor=False)
    runs = [element("li", run.name) for run in view.session.runs]
    st.html(
        element("div", element("p", t("manage.pooled.about", k=view.session.k)), element("ul", *runs, class_="os-list"))
    )


def owned(page: Page, rater: str) -> SessionView | None:
    """Return the session after drawing its name; None, and why, where the rater is not its owner."""
    t = page.t
    view = session_view(page.workspace.store, page.view.session or "")
    links = [inner_link(annotate_address(page.view), f"← {t('annotate.sessions')}", data_key="back")]
    if page.view.task == "adjudicate":
        links.append(inner_link(annotate_address(page.view, view.session.id, task="manage"), t("annotate.manage")))
    if view.assignments.get(rater):
        links.append(inner_link(annotate_address(page.view, view.session.id), t("annotate.go_on")))
    st.html(element("div", *links, class_="os-actions"))
    # Never through Markdown: a name is outside text.
    heading = view.session.name if page.view.task == "manage" else t("manage.adjudicate")
    st.html(element("h1", heading, class_="os-h1 os-h1-small"))
    st.html(element("p", state_chip(page, view), " ", facts(page, view), class_="os-matched"))
    if view.session.owner != rater:
        st.html(notice(t("manage.not_owner", owner=view.session.owner), t("manage.not_owner.advice", name=rater)))
        return None
    return view


def _switches(page: Page, view: SessionView, owner: str) -> None:
    t, store, which = page.t, page.workspace.store, view.session.id
    if view.state == "closed":
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        if view.state == "open":
            st.button(
                t("manage.pause"),
                key="manage_pause",
                on_click=done,
                args=(lambda: pause(store, which, owner), "manage.did.pause"),
            )
        else:
            st.button(
                t("manage.resume"),
                key="manage_resume",
                type="primary",
                on_click=done,
                args=(lambda: resume(store, which, owner), "manage.did.resume"),
            )
        with st.popover(t("manage.close"), key="manage_close"):
            st.html(element("p", t("manage.close.about")))
            st.button(
                t("manage.close.sure"),
                key="manage_close_sure",
                type="primary",
                on_click=done,
                args=(lambda: close(store, which, owner), "manage.did.close"),
            )


def _newer(page: Page, view: SessionView) -> None:
    """Offer to go on with the session on a newer snapshot of its graph, where there is one."""
    t, old = page.t, view.session.snapshot
    places = {s.key: place for place, s in enumerate(page.snapshots)}
    later = [s.key for s in page.snapshots if s.graph_id == old.graph_id and places[s.key] > places.get(old, -1)]
    state = st.session_state
    if (found := state.pop("manage_recheck", None)) is not None and found[0] == view.session.id:
        st.html(notice(t("manage.newer.made"), *_recheck(page, found[1])))
    if not later or later[-1] == old:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(element("span", t("manage.newer", snapshot=later[-1].snapshot_id)))
        asked = st.button(t("manage.newer.go"), key="manage_newer", help=t("manage.newer.help"))
    if not asked:
        return
    if missing := not_ready(page.workspace, later[-1], view.session.runs):
        st.html(notice(t("annotate.new.missing"), *(element("p", f"{name}: {r.reason}") for name, r in missing)))
        return
    # The id and the time are kept until the session is there: asking again goes on with the same one.
    new_id, created = state.setdefault(
        f"newer_{view.session.id}", (new_session_id(), datetime.now(UTC).isoformat(timespec="milliseconds"))
    )
    made, recheck = continue_session(page.workspace, view, later[-1], new_id, created, search_progress(page))
    state["manage_recheck"] = made.session.id, recheck
    st.query_params["session"] = made.session.id
    st.rerun()


def _recheck(page: Page, recheck: Sequence[Recheck]) -> list[Markup]:
    t = page.t
    if not recheck:
        return [element("p", t("manage.newer.all"))]
    rows = [
        element(
            "li",
            t(
                f"manage.newer.{r.why}",
                topic=r.topic,
                rater=r.rater,
                title=page.title_of(r.node),
                grade=shown_grade(r.grade) or "—",
            ),
        )
        for r in recheck[:RECHECK_SHOWN]
    ]
    return [element("p", t.count("manage.newer.recheck", len(recheck))), element("ul", *rows)]


def _progress_table(page: Page, view: SessionView, progress: Mapping[str, Mapping[str, Progress]]) -> Markup:
    t = page.t
    heads = [element("th", t(f"manage.head.{name}"), scope="col") for name in ("rater", "topics", "cards", "left")]
    rows = []
    for rater in view.raters:
        own = progress.get(rater, {})
        total = total_progress(own.values())
        cells = (
            rater,
            t.count("annotate.topics", len(view.assignments[rater])),
            t(
                "annotate.of",
                done=integer(total.graded + total.unsure, t.language),
                total=integer(total.total, t.language),
            ),
            remaining(t, total) or t("annotate.left.none"),
        )
        rows.append(element("tr", *(element("td", cell) for cell in cells)))
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="os-table")
    return element("div", table, class_="os-quality")


def _assignment(page: Page, view: SessionView, owner: str) -> None:
    t = page.t
    if view.state == "closed":
        return
    by_id = {topic.id: topic.query.best(t.language) for topic in view.session.topics}
    with st.expander(t("manage.assign"), key="manage_assign"), st.form("manage_assign_form", border=False):
        st.text_input(t("manage.assign.rater"), key="assign_rater", max_chars=MAX_NAME, help=t("manage.assign.help"))
        st.multiselect(
            t("manage.assign.topics"),
            list(by_id),
            format_func=lambda key: f"{key} · {by_id[key]}",
            placeholder=t("manage.assign.all"),
            key="assign_topics",
        )
        with st.container(horizontal=True):
            st.form_submit_button(
                t("manage.assign.go"),
                key="assign_go",
                type="primary",
                on_click=_assign,
                args=(page, view, owner, False),
            )
            st.form_submit_button(
                t("manage.assign.remove"), key="assign_remove", on_click=_assign, args=(page, view, owner, True)
            )


def _assign(page: Page, view: SessionView, owner: str, remove: bool) -> None:
    chosen = st.session_state["assign_topics"] or None

    def act() -> None:
        name = rater_name(str(st.session_state["assign_rater"]))
        assign(page.workspace.store, view.session.id, owner, name, [] if remove else chosen)

    done(act, "manage.did.remove" if remove else "manage.did.assign")


def _guideline(page: Page, view: SessionView, owner: str) -> None:
    t = page.t
    with st.form("manage_guideline", border=False):
        st.text_area(
            t("manage.guideline.text"),
            view.guideline,
            height=230,
            key="guideline_text",
            disabled=view.state == "closed",
            help=t("manage.guideline.help"),
        )
        st.form_submit_button(
            t("manage.guideline.save"), key="guideline_save", on_click=_edit, args=(page, view, owner)
        )
    if len(view.guideline_history) > 1:
        with st.expander(t.count("manage.guideline.history", len(view.guideline_history)), key="guideline_history"):
            for time, who, text in reversed(view.guideline_history):
                st.html(
                    element(
                        "section",
                        element("p", f"{moment(time, t.language)} · {who}", class_="os-matched"),
                        element("div", text, class_="os-guideline"),
                        class_="os-field",
                    )
                )


def _edit(page: Page, view: SessionView, owner: str) -> None:
    text = str(st.session_state["guideline_text"]).strip()
    done(lambda: edit_guideline(page.workspace.store, view.session.id, owner, text), "manage.did.guideline")
