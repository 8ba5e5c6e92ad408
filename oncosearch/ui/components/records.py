"""Recorded searches: the list, one as JSON, and running one again."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError, SearchRecord
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import moment
from oncosearch.ui.state import View, search_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.replay import ReplayReport

LISTED = 50


def record_view(view: View, record: SearchRecord) -> View:
    """Return the view that asks a recorded search anew."""
    return dataclasses.replace(
        view,
        query=record.query,
        graph=str(record.snapshot),
        model=record.model or view.model,
        pipeline=record.pipeline,
        top=record.top,
        parameters=record.parameters,
        filters=record.filters,
        node=None,
    )


def record_json(record: SearchRecord) -> str:
    """Return a record as readable JSON."""
    values = dataclasses.asdict(record) | {
        "snapshot": str(record.snapshot),
        "parameters": record.parameters.to_dict(),
        "filters": record.filters.to_dict(),
        "hits": [{"id": node_id, "score": score} for node_id, score in record.hits],
    }
    return json.dumps(values, ensure_ascii=False, indent=2)


def records(page: Page) -> None:
    """Draw the recorded searches with what can be done with one."""
    t = page.t
    st.html(element("p", t("aid.recorded" if page.settings.audit else "aid.not_recorded"), class_="os-lead"))
    found = page.workspace.recent(LISTED)
    if not found:
        st.html(element("p", t("records.none")))
        return
    by_id = {record.id: record for record in found}
    chosen = st.selectbox(
        t("records.choose"),
        list(by_id),
        format_func=lambda key: f"{moment(by_id[key].time, t.language)} · {by_id[key].query}",
        key="record_id",
    )
    record = by_id[chosen]
    st.html(
        element(
            "p",
            f"{record.snapshot} · {record.pipeline} · {record.model or '—'} · "
            + t.count("records.hits", len(record.hits)),
            " · ",
            inner_link(search_address(record_view(page.view, record)), t("records.open")),
            class_="os-matched",
        )
    )
    with st.container(horizontal=True):
        again = st.button(t("records.replay"), key="record_replay")
        st.download_button(
            t("records.download"),
            record_json(record),
            file_name=f"oncosearch-record-{record.id[:8]}.json",
            mime="application/json",
            key="record_download",
            on_click="ignore",
        )
    if again:
        try:
            _report(page, page.workspace.replay(record.id))
        except OncosearchError as error:
            st.html(error_notice(t, error))


def _report(page: Page, report: ReplayReport) -> None:
    t = page.t
    if report.identical:
        st.html(notice(t("replay.identical")))
        return
    rows = [
        element("li", t("replay.row", what=_named(page, d.kind), old=d.old, new=d.new))
        for d in (*report.causes, *report.differences)
    ]
    st.html(notice(t("replay.different"), element("ul", *rows), kind="warn"))


def _named(page: Page, kind: str) -> str:
    t = page.t
    for prefix in ("rank_", "score_of_"):
        if kind.startswith(prefix):
            return t(f"replay.{prefix}", what=kind.removeprefix(prefix))
    return t(f"replay.{kind}") if t.has(f"replay.{kind}") else kind
