"""What was measured: in words, as tables, as plots, topic by topic, and to take along."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.evaluate import TEST_MEASURE, Measure, to_csv, to_latex, topics_to_csv
from oncosearch.evaluate.exchange import write_run
from oncosearch.evaluate.export import to_json
from oncosearch.model.names import safe_name
from oncosearch.ui.components.evaluation.choose import go
from oncosearch.ui.components.evaluation.pictures import pictures
from oncosearch.ui.components.evaluation.saying import judged_notice, said
from oncosearch.ui.components.evaluation.words import scrolled, table_view
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import decimal
from oncosearch.ui.state import View, compare_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.evaluating import Measured

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_COMMAND = "python -m oncosearch evaluate --qrels Q --run A.trec --run B.trec"


def results(page: Page, found: Measured) -> None:
    """Draw everything that was measured."""
    t = page.t
    st.html(said(t, found, page.view.evaluate.shown()))
    st.html(judged_notice(t, found))
    _left_out(page, found)
    _take(page, found)
    for table in found.outcome.tables:
        st.html(table_view(t, table))
        _download(page, f"table_{table.key}", t("evaluate.table.csv"), partial(to_csv, table, t.language), "csv")
    pictures(page, found)
    _topics(page, found)


def _left_out(page: Page, found: Measured) -> None:
    t, out = page.t, list(found.evaluation.left_out)
    if out:
        told = element("summary", t.count("evaluate.out", len(out)))
        st.html(element("details", told, element("p", ", ".join(out), class_="os-tech"), class_="os-more"))


def _take(page: Page, found: Measured) -> None:
    t, outcome = page.t, found.outcome
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="evaluate_take"):
        st.html(element("span", t("evaluate.take"), class_="os-matched"), width="content")
        as_json = partial(to_json, found.evaluation, outcome.comparisons, found.sources)
        _download(page, "json", t("evaluate.take.json"), as_json, "json")
        _download(page, "latex", t("evaluate.take.latex"), partial(to_latex, outcome.tables, t.language), "tex")
        _download(page, "csv", t("evaluate.take.csv"), partial(tables_zip, found, t.language), "zip")
        _download(page, "runs", t("evaluate.take.runs"), partial(runs_zip, found), "zip")
    command = element("code", _COMMAND), " ", element("span", "--json · --latex · --csv", class_="os-tech")
    told = element("summary", t("evaluate.take.command"))
    st.html(element("details", told, element("p", *command), class_="os-more"))


def tables_zip(found: Measured, language: str) -> bytes:
    """Return all tables and the values per topic as CSV files, as ``evaluate --csv`` writes them."""
    files = {f"{table.key}.csv": to_csv(table, language) for table in found.outcome.tables}
    files["topics.csv"] = topics_to_csv(found.evaluation, language)
    return _zipped(files)


def runs_zip(found: Measured) -> bytes:
    """Return the runs as TREC files."""
    files = {}
    with TemporaryDirectory() as place:
        for number, run in enumerate(found.runs, 1):
            path = Path(place) / f"{safe_name(run.tag) or number}.trec"
            if path.exists():
                path = path.with_name(f"{number}-{path.name}")
            write_run(run, path)
            files[path.name] = path.read_bytes()
    return _zipped(files)


def _zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # A fixed time, so that the same content is the same file.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _topics(page: Page, found: Measured) -> None:
    t, evaluation = page.t, found.evaluation
    st.html(element("h2", t("evaluate.topics"), class_="os-h2", id="os-topics"))
    # The measure of the tests is computed always, and shown only where it was chosen.
    names = list(map(str, page.view.evaluate.shown()))
    value = page.view.evaluate.value
    if value not in names:
        value = str(TEST_MEASURE) if str(TEST_MEASURE) in names else names[0]
    st.session_state["evaluate_value"] = value
    st.selectbox(
        t("evaluate.topics.measure"), names, key="evaluate_value", on_change=_choose_value, args=(page.view,), width=260
    )
    st.html(topic_table(page, found, Measure.parse(value)))
    st.html(element("p", t("evaluate.topics.about"), class_="os-matched"))
    _download(page, "topics", t("evaluate.topics.csv"), partial(topics_to_csv, evaluation, t.language), "csv")


def topic_table(page: Page, found: Measured, measure: Measure) -> Markup:
    """Return the values of all runs, a row a topic, with the means last."""
    t, evaluation = page.t, found.evaluation
    column = evaluation.column(measure)
    names = (t("evaluate.topics.id"), t("evaluate.topics.query"), *evaluation.runs)
    heads = [element("th", name, scope="col") for name in names]
    body = []
    for place, topic in enumerate(evaluation.topics):
        values = [float(value) for value in evaluation.values[:, column, place]]
        text = found.judged.content.queries[topic].best(t.language) if topic in found.judged.content.queries else ""
        query = inner_link(compare_address(page.view, query=text, node=None), text) if text else "—"
        best = max(values) if max(values) > min(values) else None
        cells = [
            element("th", element("span", topic, class_="os-code"), scope="row"),
            element("td", query, class_="os-query-cell"),
        ]
        cells += [_value(t, run, value, value == best) for run, value in zip(evaluation.runs, values, strict=True)]
        body.append(element("tr", *cells))
    means = [float(value) for value in evaluation.means[:, column]]
    last = [element("th", t("evaluate.topics.mean"), scope="row"), element("td", str(measure))]
    last += [_value(t, run, mean, False) for run, mean in zip(evaluation.runs, means, strict=True)]
    table = element(
        "table",
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        element("tfoot", element("tr", *last)),
        class_="os-numbers os-by-topic",
    )
    return scrolled(table, t("evaluate.topics"))


def _value(t: Texts, run: str, value: float, best: bool) -> Markup:
    shown = decimal(value, t.language)
    name = element("span", run, class_="os-cell-name")
    return element("td", name, element("b" if best else "span", shown), class_="os-figure")


def _choose_value(view: View) -> None:
    go(view, value=st.session_state["evaluate_value"])


def _download(page: Page, name: str, label: str, make: Callable[[], bytes | str], ending: str) -> None:
    st.download_button(
        label,
        make,
        file_name=file_name(f"evaluation {name.removeprefix('table_')} {page.snapshot.key}", ending),
        mime={"json": "application/json", "csv": "text/csv", "zip": "application/zip", "tex": "application/x-tex"}[
            ending
        ],
        key=f"evaluate_take_{name}",
        on_click="ignore",
        type="tertiary",
    )
