"""The parts of the quality page: its report, its plots, the open list and what can be taken along."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import DecidedPairs
from oncosearch.model.spreadsheet import csv_bytes
from oncosearch.ui import resources
from oncosearch.ui.components import quality_lists, quality_pairs, quality_plots
from oncosearch.ui.components.preparation import preparation
from oncosearch.ui.components.states import notice
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import element
from oncosearch.ui.numbers import decimal, duration, integer
from oncosearch.ui.state import View, write_view
from oncosearch.ui.texts import Texts
from oncosearch.workspace.quality import (
    CHECKS,
    NEAR_RANGE,
    OLD_YEARS,
    PAIR_CHECKS,
    Finding,
    QualityReport,
    counted,
    findings,
    of_types,
    type_counts,
)
from oncosearch.workspace.quality_export import QUALITY_COLUMNS, finding_rows

if TYPE_CHECKING:
    from oncosearch.index.pairs import ClosePairs
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Progress


def report_of(page: Page) -> QualityReport | None:
    """Return the report on the snapshot; None where the page says already what has to be prepared first."""
    ready = page.workspace.readiness(page.snapshot.key, page.view.model, "lexical")
    if ready.state != "ready":
        preparation(page, ready)
        return None
    vectors = page.workspace.readiness(page.snapshot.key, page.view.model, "dense").state == "ready"
    place = st.empty()
    report = resources.quality_report(page.workspace, page.snapshot, page.view.model, vectors, _progress(page, place))
    place.empty()
    return report


def near_of(page: Page, report: QualityReport) -> ClosePairs | None:
    """Return the pairs of similar nodes: found now where their list is open, else what was found before."""
    if report.model is None:
        return None
    if page.view.check != "near":
        return resources.near_duplicates_known(page.workspace, page.snapshot, report.model, page.view.similarity)
    place = st.empty()
    asked = page.workspace, page.snapshot, report.model, page.view.similarity
    found = resources.near_duplicates(*asked, _progress(page, place))
    place.empty()
    return found


def plots(page: Page, report: QualityReport) -> None:
    """Draw depths, degrees and the age of the sources."""
    t = page.t
    shown = [
        ("depth", quality_plots.depth_bars(report.structure), "nodes"),
        ("degree", quality_plots.degree_bars(report.structure), "nodes"),
        ("year", quality_plots.year_bars(report.years), "sources"),
    ]
    columns = st.columns(2)
    for place, (name, bars, unit) in zip((*columns, st.container()), shown, strict=True):
        if not bars:
            continue
        with place:
            st.html(element("h3", t(f"quality.plot.{name}"), class_="os-h2"))
            st.plotly_chart(
                quality_plots.bar_chart(t, bars, t(f"quality.axis.{name}"), t(f"quality.axis.{unit}"), page.dark),
                key=f"quality_{name}_{'dark' if page.dark else 'light'}",
                theme=None,
                config={"displayModeBar": False, "responsive": True},
                alt=f"{t(f'quality.plot.{name}')}: " + "; ".join(f"{label}: {count}" for label, count in bars),
            )
    if report.undated:
        st.html(element("p", t.count("quality.undated", report.undated), class_="os-matched"))


def open_list(page: Page, report: QualityReport, near: ClosePairs | None, decided: DecidedPairs) -> None:
    """Draw the list that the address names."""
    t, view, check = page.t, page.view, page.view.check
    if check is None:
        return
    found = _rows(page, report, near, decided)
    rows = list(of_types(page.graph(), found, () if view.only is None else (view.only,)))
    total = len(rows)
    st.html(element("h2", t(f"quality.{check}.name"), class_="os-h2", id="os-list"))
    st.html(element("p", t(f"quality.{check}.more", **_values(page)), class_="os-lead"))
    if check in dict(report.not_checked):
        st.html(notice(t("quality.not_checked"), element("p", dict(report.not_checked)[check], lang="en")))
        return
    if check == "near":
        _similarity(page)
    if not found:
        st.html(notice("", t("quality.none")))
        return
    st.html(quality_lists.by_type(t, view, type_counts(page.graph(), found)))
    if not total:
        st.html(notice("", t("quality.only.none")))
        return
    at_once = quality_lists.rows_at_once(check)
    # An old link may begin beyond the end of a list that has grown shorter.
    view = replace(view, start=min(view.start, (total - 1) // at_once * at_once))
    portions = quality_lists.portions(t, view, total, at_once)
    part = rows[view.start : view.start + at_once]
    if (there := counted(report, check, near) or 0) > len(found):
        told = t("quality.cut", shown=integer(len(found), t.language), total=integer(there, t.language))
        st.html(notice("", told))
    if portions is not None:
        st.html(portions)
    if check in (*PAIR_CHECKS, "decided"):
        quality_pairs.pair_list(page, part, decided)
    else:
        st.html(quality_lists.node_table(t, view, page.graph(), check, part))
    if portions is not None:
        st.html(portions)


def take_along(page: Page, report: QualityReport, near: ClosePairs | None, decided: DecidedPairs) -> None:
    """Draw the downloads: the open list, and every finding."""
    t, graph, only = page.t, page.graph(), page.view.only

    def table(checks: Sequence[str]) -> bytes:
        every = (f for check in checks for f in findings(report, check, near))
        # The list is taken along as it is shown, all findings whole.
        found = of_types(graph, every, (only,) if only and checks is not CHECKS else ())
        header = [t(f"quality.csv.{column}") for column in QUALITY_COLUMNS]
        rows = finding_rows(graph, found, decided, t.language)
        return csv_bytes(header, (_in_words(t, row) for row in rows), t.language)

    offered: dict[str, tuple[str, ...]] = {"all": CHECKS}
    if page.view.check in CHECKS:
        offered["one"] = (page.view.check,)
    with st.container(horizontal=True, key="quality_take"):
        for name, checks in offered.items():
            st.download_button(
                t(f"quality.take.{name}"),
                partial(table, checks),
                file_name=file_name(f"quality {page.snapshot.key} {'' if name == 'all' else checks[0]}", "csv"),
                mime="text/csv",
                key=f"quality_csv_{name}",
                on_click="ignore",
                type="tertiary",
            )


def _in_words(t: Texts, row: Sequence[str]) -> list[str]:
    decision = t(f"quality.decision.{row[-1]}") if row[-1] else ""
    return [t(f"quality.{row[0]}.name"), *row[1:-1], decision]


def _rows(page: Page, report: QualityReport, near: ClosePairs | None, decided: DecidedPairs) -> list[Finding]:
    if page.view.check != "decided":
        return list(findings(report, page.view.check or "", near))
    ids = page.graph().ids
    pairs = [(ids.find(a), ids.find(b)) for a, b in reversed(list(decided.by_pair))]
    return [Finding("decided", a, "", b) for a, b in pairs if a is not None and b is not None]


def _similarity(page: Page) -> None:
    """Draw the slider of the least similarity; its value lives in the address."""
    t, view = page.t, page.view
    steps = sorted({*(round(NEAR_RANGE[0] + step / 200, 3) for step in range(21)), view.similarity})
    st.session_state["quality_similarity"] = view.similarity
    st.select_slider(
        t("quality.least"),
        steps,
        format_func=lambda value: decimal(value, t.language, 3),
        key="quality_similarity",
        help=t("quality.least.help"),
        on_change=_set_similarity,
        args=(view,),
    )


def _set_similarity(view: View) -> None:
    least = float(st.session_state["quality_similarity"])
    st.query_params.from_dict(write_view(replace(view, similarity=least, start=0, only=None)))


def _values(page: Page) -> dict[str, object]:
    return {"similarity": decimal(page.view.similarity, page.language, 2), "years": OLD_YEARS, "model": page.view.model}


def _progress(page: Page, place: st.delta_generator.DeltaGenerator) -> Progress:
    t, began = page.t, time.monotonic()

    def show(stage: str, done: int, total: int) -> None:
        if time.monotonic() - began > 0.3 and done:
            left = (time.monotonic() - began) / done * (total - done)
            text = t(f"quality.running.{stage}", time=duration(left, t.language))
            place.progress(min(1.0, done / max(1, total)), text=text)

    return show
