"""The heatmap panel: wording, meaning or nothing, and what it says where there is nothing to show."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.explain import positive_shares
from oncosearch.model import OncosearchError
from oncosearch.ui import resources
from oncosearch.ui.components.heatmap import HeatRow, heatmap
from oncosearch.ui.components.preparation import preparation
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import duration
from oncosearch.ui.state import HEAT_KINDS, search_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.ui.texts import Texts
    from oncosearch.workspace.requests import Answer, HitDetail

SEMANTIC_ROWS = 20


def heat_panel(page: Page, answer: Answer) -> None:
    """Draw the heatmap of the hits with its switch between wording, meaning and off."""
    t, view = page.t, page.view
    links = [
        inner_link(
            search_address(dataclasses.replace(view, heat=kind)),
            t(f"heat.{kind}"),
            aria_current="true" if kind == view.heat else None,
        )
        for kind in HEAT_KINDS
    ]
    st.html(
        element(
            "div",
            element("h2", t("heat.title"), class_="os-h2"),
            element("nav", *links, class_="os-switch", aria_label=t("heat.switch")),
            element("span", t(f"heat.{view.heat}.about"), class_="os-matched") if view.heat != "off" else None,
            class_="os-head",
        )
    )
    if view.heat == "off":
        return
    rows = _lexical(t, answer) if view.heat == "lexical" else _semantic(page, answer)
    if rows is None:
        return
    figure = heatmap(t, rows, page.dark)
    if figure is None:
        st.html(notice("", t(f"heat.{view.heat}.nothing")))
        return
    st.plotly_chart(
        figure,
        key=f"heat_{view.heat}_{'dark' if page.dark else 'light'}",
        theme=None,
        config={"displayModeBar": False, "responsive": True},
        alt=t("heat.alt", hits=len(rows)),
    )


def _mark(language: str, detail: HitDetail) -> str:
    written = detail.node.title.best_language(language)
    return "" if written == language else written


def _lexical(t: Texts, answer: Answer) -> list[HeatRow]:
    return [HeatRow(d.hit.rank, d.title, d.contributions, _mark(t.language, d)) for d in answer.details]


def _semantic(page: Page, answer: Answer) -> list[HeatRow] | None:
    t, request = page.t, page.view.request(page.snapshot.key)
    readiness = page.workspace.readiness(page.snapshot.key, request.model, "dense")
    if readiness.state != "ready":
        preparation(page, readiness)
        return None
    details = answer.details[:SEMANTIC_ROWS]
    place = st.empty()
    rows = []
    began = time.monotonic()
    try:
        for done, detail in enumerate(details):
            if time.monotonic() - began > 0.3:
                left = (time.monotonic() - began) / max(1, done) * (len(details) - done)
                text = t("heat.semantic.running", time=duration(left, t.language))
                place.progress(done / len(details), text=text)
            drops = resources.semantic_drops(page.workspace, request, detail.hit.node_id)
            rows.append(HeatRow(detail.hit.rank, detail.title, positive_shares(drops), _mark(t.language, detail)))
    except OncosearchError as error:
        st.html(error_notice(t, error))
        return None
    place.empty()
    if len(details) < len(answer.details):
        st.html(element("p", t("heat.semantic.cut", count=len(details)), class_="os-matched"))
    return rows
