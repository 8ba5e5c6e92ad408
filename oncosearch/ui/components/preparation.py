"""What stands on the page while a graph is not ready: what is missing, and a button that makes it, with progress."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError
from oncosearch.ui.components.outlook import estimate_button, needs_vectors, outlook
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import element
from oncosearch.ui.numbers import duration, integer

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Progress, Readiness


def readiness_of(page: Page) -> Readiness:
    """Return whether the view's pipeline can search the snapshot now."""
    return page.workspace.readiness(page.snapshot.key, page.view.model, page.view.pipeline)


def preparation(page: Page, readiness: Readiness) -> None:
    """Draw what is missing and what to do; prepares on demand and starts the page again when done."""
    t = page.t
    if readiness.state == "model_unavailable":
        body = [element("p", t("model_missing.advice"))]
        if readiness.command:
            body.append(element("p", readiness.command, class_="os-tech", lang="en"))
        body.append(element("p", readiness.reason, class_="os-tech", lang="en"))
        st.html(notice(t("model_missing.title", model=page.view.model), *body, kind="warn"))
        return
    counts = ""
    if readiness.total:
        counts = t(
            "prepare.counts",
            done=integer(readiness.encoded, t.language),
            total=integer(readiness.total, t.language),
        )
    said = [element("p", t("prepare.advice", model=page.view.model), " ", counts), outlook(page, readiness)]
    if readiness.command:
        said.append(element("p", t("prepare.or"), " ", element("code", readiness.command)))
    st.html(notice(t("prepare.title"), *said))
    with st.container(horizontal=True, key="prepare_buttons"):
        begun = st.button(t("prepare.button"), key="prepare_now", type="primary")
        estimate_button(page, readiness, lambda: _progress(page))
    if begun:
        _prepare(page)


def _progress(page: Page) -> Progress:
    t = page.t
    bar = st.progress(0.0, text=t("prepare.starting"))
    began: dict[str, tuple[float, int]] = {}
    drawn = 0.0

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal drawn
        now = time.monotonic()
        start, first = began.setdefault(stage, (now, done))
        if now - drawn < 0.1 and done < total:
            return
        drawn = now
        share = done / total if total else 1.0
        left = ""
        if done > first and now - start > 0.5:
            seconds = (now - start) / (done - first) * (total - done)
            left = " · " + t("prepare.left", time=duration(seconds, t.language))
        name = t(f"prepare.stage.{stage}") if t.has(f"prepare.stage.{stage}") else stage
        counted = f"{integer(done, t.language)} / {integer(total, t.language)}"
        bar.progress(min(1.0, share), text=f"{name}: {counted}{left}")

    return progress


def _prepare(page: Page) -> None:
    model = page.view.model if needs_vectors(page) else None
    try:
        page.workspace.prepare(page.snapshot.key, model, _progress(page))
    except OncosearchError as error:
        st.html(error_notice(page.t, error))
        return
    st.rerun()
