"""Where is …?: any node, with its rank and score parts in every column, or why it was not reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.compare.names import column_name
from oncosearch.ui.components.jump import list_what_fits
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import decimal, integer
from oncosearch.ui.state import compare_address, node_address
from oncosearch.workspace.comparing import ColumnAnswer
from oncosearch.workspace.whereabouts import UNKNOWN, Whereabouts, where_is

if TYPE_CHECKING:
    from oncosearch.ui.page import Page


def where_panel(page: Page, answers: Sequence[ColumnAnswer]) -> None:
    """Draw the field, and below it the node that the address names in every column."""
    t = page.t
    st.html(element("h2", t("compare.where.title"), class_="os-h2", id="os-where"))
    _field(page)
    node_id = page.view.node
    if node_id is None:
        return
    found = [
        None
        if answer.asked is None or answer.ranking is None
        else where_is(answer.asked, answer.ranking, node_id, page.view.top)
        for answer in answers
    ]
    if any(where is not None and where.reason == UNKNOWN for where in found):
        st.html(element("p", t("compare.where.unknown", node=node_id), class_="os-matched"))
        return
    st.html(_table(page, node_id, answers, found))


@st.fragment
def _field(page: Page) -> None:
    t = page.t
    text = st.text_input(
        t("compare.where.field"),
        key="compare_where",
        placeholder=t("compare.where.field"),
        type="search",
        live="250ms",
        label_visibility="collapsed",
    )
    list_what_fits(page, text, lambda node_id: compare_address(page.view, node=node_id) + "#os-where")


def _table(page: Page, node_id: str, answers: Sequence[ColumnAnswer], found: Sequence[Whereabouts | None]) -> Markup:
    t, graph = page.t, page.graph()
    heads = ("column", "rank", "score", "own", "around", "why")
    rows = []
    for answer, where in zip(answers, found, strict=True):
        numbers = ["—"] * 3
        if where is not None and where.parts is not None:
            parts = where.parts
            numbers = [decimal(value, t.language) for value in (parts.score, parts.own, parts.around)]
        rank = "—" if where is None or where.rank is None or where.reason == "folded" else str(where.rank)
        cells = [
            element("th", element("b", answer.letter), " ", column_name(t, answer.column), scope="row"),
            *(
                element("td", element("span", t(f"compare.where.{name}"), class_="os-cell-name"), value)
                for name, value in zip(heads[1:5], (rank, *numbers), strict=True)
            ),
            element("td", _why(page, where), class_="os-why-cell"),
        ]
        rows.append(element("tr", *cells))
    head = element("thead", element("tr", *(element("th", t(f"compare.where.{name}"), scope="col") for name in heads)))
    kind = term_name("type", graph.type_of(graph.index(node_id)), t.language)
    title = inner_link(node_address(page.view, node_id), page.title_of(node_id))
    away = inner_link(compare_address(page.view, node=None), t("compare.where.clear"))
    return element(
        "section",
        element("p", title, " ", element("span", kind, class_="os-type-word"), " ", away, class_="os-head"),
        element("div", element("table", head, element("tbody", *rows), class_="os-numbers"), class_="os-scroll"),
        class_="os-section",
    )


def _why(page: Page, where: Whereabouts | None) -> str:
    t = page.t
    if where is None:
        return t("compare.where.not_ready")

    def number(value: int | None) -> str:
        return "—" if value is None else integer(value, t.language)

    other = page.title_of(where.other) if where.other else ""
    values = {
        "rank": number(where.rank),
        "place": number(where.place),
        "scored": number(where.scored),
        "limit": number(where.limit),
        "steps": number(where.steps),
        "shown": number(page.view.top),
        "other": other,
        "facets": ", ".join(t(f"filters.{facet}") for facet in where.facets),
    }
    said = t(f"compare.where.said.{where.reason}", **values)
    if where.reason == "outside":
        said += " " + t("compare.where.nearest" if where.other else "compare.where.no_way", **values)
    if where.reason in ("outside", "cut"):
        said += " " + t("compare.where.as_seed" if where.place else "compare.where.no_seed", **values)
    if where.reason == "filtered" and where.place is not None:
        said += " " + t("compare.where.unfiltered", **values)
    if where.hit is not None and where.hit.pinned and where.reason != "folded":
        said += " " + t("compare.where.pinned")
    return said
