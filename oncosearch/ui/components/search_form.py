"""The question and its settings: a form whose values live in the address."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import Parameters, UsageError
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.numbers import decimal
from oncosearch.ui.state import QUERY_LIMIT, TOP_CHOICES, View, write_view

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_TWENTIETHS = tuple(step / 20 for step in range(21))
_WIDGETS = ("query", "model", "pipeline", "top", "graph", "alpha", "lam", "hops", "seeds")


def search_form(page: Page) -> None:
    """Draw the form; submitting it writes the new view into the address."""
    from oncosearch.embed import MODELS, availability
    from oncosearch.retrieve import PIPELINES

    t, view = page.t, page.view
    _follow_address(page)
    usable = {m.key: availability(m.key, page.settings).usable for m in MODELS}
    graphs = {str(s.key): f"{s.title or s.graph_id} · {s.snapshot_id}" for s in page.snapshots}
    with st.form("search_form", border=False):
        with st.container(horizontal=True, vertical_alignment="bottom", key="focus_query"):
            st.text_input(
                t("search.field"),
                key="form_query",
                placeholder=t("search.placeholder" if page.snapshot.demo else "search.field"),
                type="search",
                label_visibility="collapsed",
            )
            st.form_submit_button(t("search.submit"), key="form_submit", type="primary", on_click=_submit, args=(view,))
        with st.expander(t("settings.title"), key="form_settings", type="compact"):
            left, right = st.columns(2)
            left.selectbox(
                t("settings.pipeline"),
                [p.key for p in PIPELINES],
                format_func={p.key: p.name(t.language) for p in PIPELINES}.__getitem__,
                key="form_pipeline",
                help=t("settings.pipeline.help"),
            )
            right.selectbox(
                t("settings.model"),
                [m.key for m in MODELS],
                format_func=lambda key: key if usable[key] else t("settings.model.missing", model=key),
                key="form_model",
                help=t("settings.model.help"),
            )
            left.selectbox(t("settings.top"), TOP_CHOICES, key="form_top")
            right.selectbox(t("settings.graph"), list(graphs), format_func=graphs.__getitem__, key="form_graph")
            st.caption(t("settings.expert"))
            a, b = st.columns(2)
            for column, name, key in ((a, "alpha", "form_alpha"), (b, "lambda", "form_lam")):
                column.select_slider(
                    t(f"settings.{name}"),
                    sorted({*_TWENTIETHS, getattr(view.parameters, key.removeprefix("form_"))}),
                    format_func=lambda value: decimal(value, t.language, 2),
                    key=key,
                    help=t(f"settings.{name}.help"),
                )
            a.number_input(t("settings.hops"), 0, 3, step=1, key="form_hops", help=t("settings.hops.help"))
            b.number_input(t("settings.seeds"), 1, 200, step=1, key="form_seeds", help=t("settings.seeds.help"))

    _say_too_long(page)


def _say_too_long(page: Page) -> None:
    """Say how long a question may be where it is longer; the text stays in the field."""
    found = st.session_state.pop("asked_too_long", 0) or len(page.too_long)
    if found:
        error = UsageError("", code="query_too_long", found=found, limit=QUERY_LIMIT)
        st.html(error_notice(page.t, error))


def _signature(page: Page) -> tuple[object, ...]:
    v = page.view
    return v.query or page.too_long, v.model, v.pipeline, v.top, str(page.snapshot.key), v.parameters


def _follow_address(page: Page) -> None:
    """Set the widgets from the address when it has changed from outside (a link, the back button, a new page)."""
    signature = _signature(page)
    state = st.session_state
    if state.get("form_signature") == signature and all(f"form_{name}" in state for name in _WIDGETS):
        return
    view = page.view
    values = (
        view.query or page.too_long,
        view.model,
        view.pipeline,
        view.top,
        str(page.snapshot.key),
        view.parameters.alpha,
        view.parameters.lam,
        view.parameters.hops,
        view.parameters.seeds,
    )
    for name, value in zip(_WIDGETS, values, strict=True):
        state[f"form_{name}"] = value
    state["form_signature"] = signature


def _submit(view: View) -> None:
    state = st.session_state
    query = " ".join(str(state["form_query"]).split())
    state["asked_nothing"] = not query
    if len(query) > QUERY_LIMIT:
        state["asked_too_long"] = len(query)
        return
    try:
        parameters = Parameters(
            alpha=round(float(state["form_alpha"]), 4),
            lam=round(float(state["form_lam"]), 4),
            hops=int(state["form_hops"]),
            seeds=int(state["form_seeds"]),
            cap=view.parameters.cap,
        )
    except UsageError:
        parameters = view.parameters
    asked = dataclasses.replace(
        view,
        query=query,
        model=state["form_model"],
        pipeline=state["form_pipeline"],
        top=state["form_top"],
        graph=state["form_graph"],
        parameters=parameters,
        node=None,
        printed=False,
        reach=1,
    )
    st.query_params.from_dict(write_view(asked))
