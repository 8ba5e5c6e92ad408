"""What the judgements are and whether they fit the snapshot: what carries over, what has to be judged again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError, Run
from oncosearch.model.spreadsheet import csv_bytes, safe_cell
from oncosearch.review import Recheck, publish
from oncosearch.ui.components.annotation.rater import current_rater
from oncosearch.ui.components.evaluation.choose import go
from oncosearch.ui.components.evaluation.setting import Setting
from oncosearch.ui.components.evaluation.words import report_view, scrolled
from oncosearch.ui.components.states import notice
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer, moment
from oncosearch.ui.state import evaluate_address, node_address
from oncosearch.workspace.evaluating import PUBLISHED, Judged, Measured, other_snapshots

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_ROWS_SHOWN = 50
_FIRST = 10
SHORT_HASH = 12


def judged_line(page: Page, found: Judged) -> None:
    """Draw where the judgements come from, how many, of which snapshot, their id, and what of a file was not taken."""
    t, content = page.t, found.content
    origin = t(
        f"evaluate.source.{found.origin}",
        name=content.name,
        policy=content.policy,
        created=moment(content.created, t.language) if content.created else "—",
    )
    counts = t(
        "evaluate.source.counts",
        judgements=integer(found.count, t.language),
        topics=integer(len(found.qrels.grades), t.language),
    )
    key = found.snapshot
    where = t("evaluate.source.snapshot", snapshot=str(key)) if key is not None else t("evaluate.source.no_snapshot")
    code = element("span", content.id[:SHORT_HASH], class_="os-code", title=content.id)
    parts = (f"{origin} {counts} · {where} · {t('evaluate.source.hash')} ", code)
    st.html(element("p", *parts, class_="os-matched"))
    if found.report is not None and (found.report.skipped or found.report.notes):
        st.html(notice("", report_view(t, found.report), kind="warn"))


def stale(page: Page, setting: Setting) -> None:
    """Draw what is to be known where the judged snapshot is another than the one that is searched."""
    t, stands, given = page.t, setting.carried, setting.given
    if given is None or stands.state in ("same", "unknown"):
        return
    names = {"old": str(given.snapshot), "new": str(page.snapshot.key)}
    title = t(f"evaluate.stale.{stands.state}", **names)
    if stands.state != "changed" or stands.judged is None:
        said = f"{t(f'evaluate.stale.{stands.state}.advice', **names)} {_there(page, given)}"
        st.html(notice(title, element("p", said), kind="warn"))
        return
    advice = t("evaluate.stale.changed.advice", kept=integer(stands.judged.count, t.language))
    body = [element("p", advice, " ", t.count("evaluate.stale.recheck", len(stands.recheck)) + ".")]
    used = page.view.evaluate.carry
    if used:
        body.append(element("p", element("b", t("evaluate.stale.used"))))
    link = t("evaluate.stale.whole" if used else "evaluate.stale.use")
    body.append(element("p", inner_link(evaluate_address(page.view, carry=not used), link, data_key="carry")))
    st.html(notice(title, *body, kind="warn"))
    if stands.recheck:
        with st.expander(t.count("evaluate.stale.recheck", len(stands.recheck)), key="evaluate_recheck"):
            st.html(_recheck_table(page, stands.recheck))
            st.download_button(
                t("evaluate.stale.csv"),
                partial(recheck_csv, page, stands.recheck),
                file_name=file_name(f"recheck {page.snapshot.key}", "csv"),
                mime="text/csv",
                key="evaluate_recheck_csv",
                on_click="ignore",
                type="tertiary",
            )
    if stands.judged.count:
        st.button(t("evaluate.stale.publish"), key="evaluate_publish", on_click=_publish, args=(page, stands.judged))


def _there(page: Page, given: Judged) -> str:
    """Return how many of the judged nodes the searched graph has."""
    t, ids = page.t, page.graph().ids
    nodes = {node for grades in given.qrels.grades.values() for node in grades}
    there = sum(ids.find(node) is not None for node in nodes)
    counts = {"nodes": integer(len(nodes), t.language), "there": integer(there, t.language)}
    return t("evaluate.stale.there", new=str(page.snapshot.key), **counts)


def other_runs(page: Page, found: Measured) -> None:
    """Draw a warning where runs were made on another snapshot than the one that was judged."""
    t, judged = page.t, found.judged
    by_snapshot: dict[str, list[str]] = {}
    for run, key in other_snapshots(found.runs, judged):
        by_snapshot.setdefault(str(key), []).append(run)
    body = []
    for name, runs in by_snapshot.items():
        said = t("evaluate.stale.runs.advice", runs=", ".join(runs), snapshot=name)
        if judged.snapshot == page.snapshot.key:
            said += f" {_missing(page, [run for run in found.runs if run.tag in runs])}"
        body.append(element("p", said))
    if body:
        st.html(notice(t("evaluate.stale.runs"), *body, kind="warn"))


def _missing(page: Page, runs: Sequence[Run]) -> str:
    """Return how many nodes among the first hits of runs the judged graph does not have."""
    t, ids = page.t, page.graph().ids
    hits = {node for run in runs for ranking in run.rankings.values() for node, _ in ranking[:_FIRST]}
    missing = sum(ids.find(node) is None for node in hits)
    counts = {"hits": integer(len(hits), t.language), "missing": integer(missing, t.language)}
    return t("evaluate.stale.runs.count", judged=str(page.snapshot.key), **counts)


def _recheck_table(page: Page, recheck: tuple[Recheck, ...]) -> Markup:
    t = page.t
    names = ("topic", "node", "grade", "reason")
    heads = [element("th", t(f"evaluate.stale.{name}"), scope="col") for name in names]
    rows = []
    for one in recheck[:_ROWS_SHOWN]:
        title = page.title_of(one.node)
        node = inner_link(node_address(page.view, one.node), title) if one.why == "changed" else title
        cells = (one.topic, node, one.grade.replace("-", "−") or "—", t(f"evaluate.stale.why.{one.why}"))
        rows.append(element("tr", *(element("td", cell) for cell in cells)))
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="os-numbers")
    shown = scrolled(table, t.count("evaluate.stale.recheck", len(recheck)))
    more = len(recheck) - _ROWS_SHOWN
    if more <= 0:
        return shown
    return element("div", shown, element("p", t.count("evaluate.stale.more", more), class_="os-matched"))


def recheck_csv(page: Page, recheck: tuple[Recheck, ...]) -> bytes:
    """Return the judgements to check again as CSV."""
    t = page.t
    header = [t(f"evaluate.stale.{name}") for name in ("topic", "node", "grade", "reason")]
    header.insert(2, t("csv.title"))
    rows = [
        [
            safe_cell(one.topic),
            safe_cell(one.node),
            safe_cell(page.title_of(one.node)),
            one.grade,
            t(f"evaluate.stale.why.{one.why}"),
        ]
        for one in recheck
    ]
    return csv_bytes(header, rows, t.language)


def _publish(page: Page, found: Judged) -> None:
    try:
        name = publish(page.workspace.store, found.content, author=current_rater() or "")
    except OncosearchError as error:
        st.session_state["evaluate_error"] = error
    else:
        go(page.view, qrels=f"{PUBLISHED}{name}", carry=False)
