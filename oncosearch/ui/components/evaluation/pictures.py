"""The plots of an evaluation: means with their intervals, and nDCG@k over k, of at most six runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.evaluate import TEST_MEASURE, Evaluation
from oncosearch.evaluate.measures import Measure
from oncosearch.model.spreadsheet import csv_bytes, safe_cell
from oncosearch.ui.components.compare import plots
from oncosearch.ui.components.compare.tables import number
from oncosearch.ui.components.evaluation.choose import go
from oncosearch.ui.downloads import file_name
from oncosearch.ui.evaluate_state import MOST_DRAWN, PICTURES
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.state import View, evaluate_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.columns import LETTERS
from oncosearch.workspace.evaluating import Measured
from oncosearch.workspace.topic_values import CURVE

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_BARS = 8


def pictures(page: Page, found: Measured) -> None:
    """Draw the choice of runs and both plots, each with its numbers."""
    t, view = page.t, page.view
    st.html(element("h2", t("evaluate.plots"), class_="os-h2", id="os-plots"))
    runs = list(found.evaluation.runs)
    drawn = [runs[i] for i in view.evaluate.drawn if i < len(runs)] or best(found)
    if len(runs) > 1:
        st.session_state["evaluate_drawn"] = drawn
        st.multiselect(
            t("evaluate.plots.runs", most=MOST_DRAWN),
            runs,
            key="evaluate_drawn",
            max_selections=MOST_DRAWN,
            on_change=_choose_drawn,
            args=(view, runs),
        )
    if not view.evaluate.drawn and len(runs) > len(drawn):
        told = t("evaluate.plots.best", count=integer(len(drawn), t.language))
        st.html(element("p", told, class_="os-matched"))
    measures = bars_of(found)
    letters = LETTERS[: len(drawn)]
    lettered = found.curves(drawn, letters, measures)
    lanes = list(zip(letters, drawn, strict=True))
    _switch(page)
    bars = plots.measure_bars(t, lanes, lettered, page.dark, list(map(str, measures)))
    _plot(page, "bars", bars, partial(numbers_csv, t, lanes, lettered, measures))
    _plot(
        page, "curve", plots.gain_curve(t, lanes, lettered, page.dark), partial(numbers_csv, t, lanes, lettered, CURVE)
    )


def best(found: Measured) -> list[str]:
    """Return at most six runs, the highest means first, in the order in which they were chosen."""
    evaluation = found.evaluation
    measure = TEST_MEASURE if TEST_MEASURE in evaluation.measures else evaluation.measures[0]
    first = sorted(evaluation.runs, key=lambda run: -evaluation.estimate(run, measure).mean)[:MOST_DRAWN]
    return [run for run in evaluation.runs if run in first]


def bars_of(found: Measured) -> tuple[Measure, ...]:
    """Return the measures that are drawn as bars: the usual ones that are shown, else the first that are."""
    shown = found.evaluation.measures
    usual = tuple(measure for measure in map(Measure.parse, plots.BARS) if measure in shown)
    return usual if len(usual) > 1 else shown[:_BARS]


def numbers_csv(t: Texts, lanes: list[tuple[str, str]], evaluation: Evaluation, measures: tuple[Measure, ...]) -> bytes:
    """Return means with intervals as CSV: a row a run and measure."""
    names = ("letter", "run", "measure", "mean", "lower", "upper", "topics")
    rows = []
    for letter, run in lanes:
        for measure in measures:
            found = evaluation.estimate(letter, measure)
            ends = [number(value, t.language) for value in (found.mean, found.lower, found.upper)]
            rows.append([letter, safe_cell(run), str(measure), *ends, str(len(evaluation.topics))])
    return csv_bytes([t(f"evaluate.csv.{name}") for name in names], rows, t.language)


def _switch(page: Page) -> None:
    t, view = page.t, page.view
    links = [
        inner_link(
            evaluate_address(view, picture=kind) + "#os-plots",
            kind.upper(),
            aria_current="true" if kind == view.evaluate.picture else None,
        )
        for kind in PICTURES
    ]
    switch = element("nav", *links, class_="os-switch", aria_label=t("evaluate.plots.image"))
    st.html(element("div", element("span", t("evaluate.plots.image"), class_="os-matched"), switch, class_="os-head"))


def _plot(page: Page, name: str, figure: Any, csv: partial[bytes]) -> None:
    t, kind = page.t, page.view.evaluate.picture
    st.html(element("h3", t(f"evaluate.plots.{name}"), class_="os-h2"))
    st.plotly_chart(
        figure,
        key=f"evaluate_{name}_{kind}_{'dark' if page.dark else 'light'}",
        theme=None,
        config=plots.picture_config(f"oncosearch-{name}", kind),
        alt=t(f"evaluate.plots.{name}.alt"),
    )
    st.download_button(
        t("evaluate.csv.take"),
        csv,
        file_name=file_name(f"evaluation {name} {page.snapshot.key}", "csv"),
        mime="text/csv",
        key=f"evaluate_csv_{name}",
        on_click="ignore",
        type="tertiary",
    )


def _choose_drawn(view: View, runs: list[str]) -> None:
    go(view, drawn=tuple(runs.index(run) for run in st.session_state["evaluate_drawn"]))
