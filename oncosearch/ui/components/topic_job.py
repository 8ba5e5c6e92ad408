"""Searching for a whole topic set beside a page: progress, a button that stops it, and one that goes on."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError
from oncosearch.ui import resources
from oncosearch.ui.components.preparation import preparation
from oncosearch.ui.components.states import error_notice, notice, unexpected_notice
from oncosearch.ui.markup import element
from oncosearch.ui.numbers import duration, integer
from oncosearch.workspace.columns import Column
from oncosearch.workspace.topic_runs import TopicJob, TopicSet

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_POLL = 1.0


def ready_columns(page: Page, columns: Sequence[tuple[Column, str]]) -> list[int]:
    """Return the places of the columns that can search; of the others the page says what is missing.

    Each column comes with the words that say that it is left out; the first that only lacks preparing is offered to be
    prepared.
    """
    ready: list[int] = []
    offered = False
    for place, (column, left_out) in enumerate(columns):
        model = column.model or page.view.model
        found = page.workspace.readiness(page.snapshot.key, model, column.pipeline)
        if found.state == "ready":
            ready.append(place)
            continue
        if offered and found.state != "model_unavailable":
            st.html(notice(left_out, element("p", element("code", found.command))))
            continue
        st.html(element("p", element("b", left_out)))
        offered = offered or found.state != "model_unavailable"
        view = dataclasses.replace(page.view, model=model, pipeline=column.pipeline)
        preparation(dataclasses.replace(page, view=view), found)
    return ready


def topic_job(page: Page, place: str, columns: tuple[Column, ...], topics: TopicSet) -> TopicJob:
    """Return the job of this browser session for what ``place`` (a page) asks now; what is not done yet is drawn.

    A new job goes on from what any job has done before; the one it takes the place of is stopped.
    """
    t, job = page.t, _held(page, place, columns, topics)
    if isinstance(job.error, OncosearchError):
        st.html(error_notice(t, job.error))
    elif job.error is not None:
        st.html(unexpected_notice(t, job.error))
    if job.running:
        _progress(page, place, job)
    elif not job.finished:
        done, total = integer(job.done, t.language), integer(job.total, t.language)
        st.html(notice(t("compare.work.stopped"), element("p", t("compare.work.kept", done=done, total=total))))
        st.button(t("compare.work.resume"), key=f"{place}_resume", type="primary", on_click=_start_again, args=(place,))
    return job


def _held(page: Page, place: str, columns: tuple[Column, ...], topics: TopicSet) -> TopicJob:
    number, _ = page.workspace.curation.state(page.snapshot.graph_id)
    name = (page.snapshot.key, number, tuple(map(str, columns)), topics.id)
    held: tuple[object, TopicJob | None] = st.session_state.get(f"{place}_job", (None, None))
    if held[0] == name and held[1] is not None:
        return held[1]
    if held[1] is not None:
        held[1].stop()
    job = TopicJob(page.workspace, page.snapshot.key, columns, topics, resources.kept_runs())
    if not job.finished:
        job.start()
    st.session_state[f"{place}_job"] = (name, job)
    return job


@st.fragment(run_every=_POLL)
def _progress(page: Page, place: str, job: TopicJob) -> None:
    t = page.t
    if not job.running:
        st.rerun()
    left = job.seconds_left
    counted = t("compare.work.running", done=integer(job.done, t.language), total=integer(job.total, t.language))
    more = " · " + t("prepare.left", time=duration(left, t.language)) if left is not None else ""
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(job.done / max(1, job.total), text=counted + more)
    button.button(t("compare.work.stop"), key=f"{place}_stop", on_click=_stop, args=(job,))


def _stop(job: TopicJob) -> None:
    job.stop()
    job.wait(5)


def _start_again(place: str) -> None:
    st.session_state.pop(f"{place}_job", None)
