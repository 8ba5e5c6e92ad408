"""One question in all columns: pairs, the columns side by side, where a node is, and what can be taken along."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.ui.components.compare import tables
from oncosearch.ui.components.compare.grid import Side, columns_grid, grid_legend
from oncosearch.ui.components.compare.names import Lane
from oncosearch.ui.components.compare.pairs import pair_table
from oncosearch.ui.components.compare.setting import Setting
from oncosearch.ui.components.compare.where import where_panel
from oncosearch.ui.components.preparation import preparation
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.state import compare_address
from oncosearch.workspace.comparing import ColumnAnswer, Pair, answer_columns, judge, pairs

if TYPE_CHECKING:
    from oncosearch.ui.page import Page


def one_query(page: Page, setting: Setting) -> None:
    """Draw the comparison of one question."""
    t, view = page.t, page.view
    answers = _answers(page, setting)
    refused = next((a.error for a in answers if a.error is not None), None)
    if refused is not None and all(a.error is not None for a in answers if a.readiness.state == "ready"):
        st.html(error_notice(t, refused))
        return
    alike = pairs(answers, view.top)
    lanes = tuple((a.letter, a.column) for a in answers)
    shown = [(p.a, p.b, p.likeness) for p in alike]
    lengths = [len(a.shown) for a in answers]
    if (table := pair_table(t, lanes, shown, t.count("compare.pair.of_hits", view.top), lengths)) is not None:
        st.html(table)
    graded = setting.grades_of(view.query)
    worth = [None if graded is None else judge(answer, *graded) for answer in answers]
    _said_of_judgements(page, setting, graded is not None, any(w is not None for w in worth))
    answered = any(answer.answer is not None for answer in answers)
    if answered:
        st.html(grid_legend(page, judged=graded is not None))
    grades = None if graded is None else graded[0]
    st.html(columns_grid(page, answers, Side(alike, grades, worth)))
    if answered:
        _take_along(page, answers, lanes, alike, None if grades is None else dict(grades))
    _prepare_first(page, answers)
    if answered:
        where_panel(page, answers)


def _answers(page: Page, setting: Setting) -> tuple[ColumnAnswer, ...]:
    """Return the answers, asked once for what is shown: a page that is drawn again does not search again."""
    view, key = page.view, page.snapshot.key
    number, _ = page.workspace.curation.state(key.graph_id)
    name = repr((view.query, key, setting.columns, view.top, view.filters, page.language, number))
    held, answers = st.session_state.get("compare_answers", (None, ()))
    if held == name and not any(_came_ready(page, answer) for answer in answers):
        return tuple(answers)
    with st.spinner(page.t("search.running")):
        answers = answer_columns(
            page.workspace,
            setting.columns,
            view.query,
            key,
            top=view.top,
            filters=view.filters,
            language=page.language,
        )
    st.session_state["compare_answers"] = (name, answers)
    return answers


def _came_ready(page: Page, answer: ColumnAnswer) -> bool:
    """Return whether a column that could not search can do so now."""
    if answer.readiness.state == "ready":
        return False
    model = answer.column.model or page.view.model
    return page.workspace.readiness(page.snapshot.key, model, answer.column.pipeline).state == "ready"


def _said_of_judgements(page: Page, setting: Setting, judged: bool, relevant: bool) -> None:
    t = page.t
    if setting.judgements is None:
        return
    name = t(f"compare.origin.{setting.judgements.origin}", name=setting.judgements.name)
    if not judged:
        said = t("compare.query_unjudged")
    elif not relevant:
        said = t("compare.query_irrelevant")
    else:
        said = t("compare.query_judged", count=integer(len(_grades(page, setting)), t.language))
    st.html(element("p", f"{name} {said}", class_="os-matched"))


def _grades(page: Page, setting: Setting) -> dict[str, int]:
    found = setting.grades_of(page.view.query)
    return {} if found is None else dict(found[0])


def _prepare_first(page: Page, answers: Sequence[ColumnAnswer]) -> None:
    """Offer to prepare the first column that only needs its vectors."""
    for answer in answers:
        if answer.readiness.state not in ("ready", "model_unavailable"):
            model = answer.column.model or page.view.model
            view = replace(page.view, model=model, pipeline=answer.column.pipeline)
            preparation(replace(page, view=view), answer.readiness)
            return


def _take_along(
    page: Page,
    answers: Sequence[ColumnAnswer],
    lanes: Sequence[Lane],
    alike: Sequence[Pair],
    grades: dict[str, int] | None,
) -> None:
    t, query = page.t, page.view.query
    offered: dict[str, tuple[Callable[[], str | bytes], str, str]] = {
        "hits": (partial(tables.answers_csv, t, answers, grades), "csv", "text/csv"),
        "pairs": (partial(tables.pairs_csv, t, lanes, alike), "csv", "text/csv"),
        "json": (partial(_as_json, answers), "json", "application/json"),
    }
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="compare_take"):
        link = inner_link(compare_address(page.view), t("take.link"), data_done=t("card.copied"))
        st.html(element("div", link, class_="os-actions"), width="content")
        for name, (make, ending, mime) in offered.items():
            st.download_button(
                t(f"compare.take.{name}"),
                make,
                file_name=file_name(f"compare {name} {query}", ending),
                mime=mime,
                key=f"compare_take_{name}",
                on_click="ignore",
                type="tertiary",
            )


def _as_json(answers: Sequence[ColumnAnswer]) -> str:
    from oncosearch.workspace import answer_to_dict

    columns = [
        {"column": a.letter, "search": str(a.column), "state": a.readiness.state}
        | ({} if a.answer is None else {"answer": answer_to_dict(a.answer)})
        for a in answers
    ]
    return json.dumps({"format": "oncosearch-comparison-1", "columns": columns}, ensure_ascii=False, indent=2)
