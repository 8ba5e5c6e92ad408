"""The question or topic set, the columns and the judgements of a comparison; every choice goes into the address."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError, Parameters, UsageError
from oncosearch.ui.compare_state import NO_JUDGEMENTS, Comparison
from oncosearch.ui.components.compare.names import column_name
from oncosearch.ui.components.compare.setting import Setting
from oncosearch.ui.components.evaluation.uploads import explained
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.state import QUERY_LIMIT, TOP_CHOICES, View, compare_address, write_view
from oncosearch.workspace.columns import LETTERS, MOST, Column, distinct
from oncosearch.workspace.materials import DEMO, keep_qrels, keep_topics
from oncosearch.workspace.requests import DEFAULT_MODEL

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

ONE = "one"
_OWN = ("alpha", "lam", "hops", "seeds", "cap")
_FIELDS = ("pipeline", "model", *_OWN)


def go(view: View) -> None:
    """Put a view into the address."""
    st.query_params.from_dict(write_view(view))


def _changed(view: View, compare: Comparison, **changes: object) -> View:
    return dataclasses.replace(view, compare=compare, printed=False, **changes)  # type: ignore[arg-type]


def question_form(page: Page, setting: Setting) -> None:
    """Draw the field for one question beside the choice of a topic set and of judgements."""
    t, view = page.t, page.view
    _follow(page, setting)
    with (
        st.form("compare_question", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", key="focus_query"),
    ):
        st.text_input(
            t("compare.question"),
            key="compare_query",
            placeholder=t("compare.question"),
            type="search",
            label_visibility="collapsed",
        )
        st.form_submit_button(
            t("compare.submit"), key="compare_submit", type="primary", on_click=_ask, args=(view, setting)
        )
    if too_long := st.session_state.pop("compare_too_long", 0) or len(page.too_long):
        st.html(error_notice(t, UsageError("", code="query_too_long", found=too_long, limit=QUERY_LIMIT)))
    left, middle, right = st.columns(3)
    sets = [ONE] + ([DEMO] if setting.demo_topics is not None else [])
    sets += [name for name, _, origin in setting.at_hand if origin == "published"]
    if view.compare.topics is not None and view.compare.topics not in sets and setting.topics is not None:
        sets.append(view.compare.topics)
    left.selectbox(
        t("compare.set"),
        sets,
        format_func=lambda name: _set_name(page, setting, name),
        key="compare_set",
        on_change=_choose_set,
        args=(view, setting),
    )
    graded = [NO_JUDGEMENTS, *(name for name, _, _ in setting.at_hand)]
    if setting.judgements is not None and setting.judgements.id not in graded:
        graded.append(setting.judgements.id)
    middle.selectbox(
        t("compare.judged"),
        graded,
        format_func=lambda name: _judged_name(page, setting, name),
        key="compare_judged",
        on_change=_choose_judged,
        args=(view,),
        help=t("compare.judged.help"),
    )
    right.selectbox(t("compare.top"), TOP_CHOICES, key="compare_top", on_change=_choose_top, args=(view,))


def files_form(page: Page) -> None:
    """Draw the two fields that take a file of topics and one of judgements."""
    t = page.t
    with st.expander(t("compare.files"), key="compare_files", type="compact"):
        a, b = st.columns(2)
        a.file_uploader(
            t("compare.files.topics"),
            type=["tsv", "txt", "jsonl"],
            key="compare_topics_file",
            on_change=_bring,
            args=(page, "topics"),
            help=t("compare.files.topics.help"),
        )
        b.file_uploader(
            t("compare.files.qrels"),
            type=["qrels", "trec", "txt", "tsv"],
            key="compare_qrels_file",
            on_change=_bring,
            args=(page, "qrels"),
            help=t("compare.files.qrels.help"),
        )
    if (error := st.session_state.pop("compare_file_error", None)) is not None:
        st.html(error_notice(t, error))
    if (report := st.session_state.pop("compare_file_report", None)) is not None:
        body = [element("p", t.count("compare.files.taken", report.taken))]
        if report.skipped:
            rows = [element("li", str(remark), lang="en") for remark in report.skipped[:50]]
            told = element("summary", t.count("compare.files.skipped", len(report.skipped)))
            body.append(element("details", told, element("ul", *rows, class_="os-list"), class_="os-more"))
        st.html(notice("", *body, kind="warn" if report.skipped else ""))


def columns_form(page: Page, setting: Setting) -> None:
    """Draw what each column searches with."""
    from oncosearch.embed import MODELS, availability
    from oncosearch.retrieve import PIPELINES

    t, view = page.t, page.view
    usable = {m.key: availability(m.key, page.settings).usable for m in MODELS}
    with (
        st.expander(t("compare.columns.edit"), key="compare_edit", type="compact"),
        st.form("compare_columns", border=False),
    ):
        for i, column in enumerate(setting.columns):
            letter = LETTERS[i]
            name = element("b", f"{t('compare.column', column=letter)}: "), column_name(t, column)
            st.html(element("p", *name))
            first, second, *rest = st.columns([3, 2.4, 1, 1, 1, 1, 1.2])
            first.selectbox(
                t("settings.pipeline"),
                [p.key for p in PIPELINES],
                format_func={p.key: p.name(t.language) for p in PIPELINES}.__getitem__,
                key=f"compare_{i}_pipeline",
            )
            second.selectbox(
                t("settings.model"),
                [m.key for m in MODELS],
                format_func=lambda key: key if usable[key] else t("settings.model.missing", model=key),
                key=f"compare_{i}_model",
            )
            bounds = {"alpha": (0.0, 1.0, 0.05), "lam": (0.0, 1.0, 0.05), "hops": (0, 3, 1), "seeds": (1, 200, 1)}
            for place, field in zip(rest, _OWN, strict=True):
                low, high, step = bounds.get(field, (1, 100_000, 1))
                place.number_input(
                    t(f"compare.short.{field}"),
                    low,
                    high,
                    step=step,
                    key=f"compare_{i}_{field}",
                    help=t(f"compare.long.{field}"),
                )
        st.html(element("p", t("compare.columns.unread"), class_="os-matched"))
        st.form_submit_button(
            t("compare.columns.apply"), key="compare_apply", on_click=_apply, args=(view, len(setting.columns))
        )


def column_links(page: Page, setting: Setting) -> None:
    """Draw the links that add a column or replace all by a set of them."""
    from oncosearch.embed import MODELS, availability
    from oncosearch.retrieve import PIPELINES

    t, view, columns = page.t, page.view, setting.columns
    usable = tuple(m.key for m in MODELS if availability(m.key, page.settings).usable)
    ready = usable or (DEFAULT_MODEL,)
    every = [Column.of(p.key, ready[0]) for p in PIPELINES]
    sets = {
        "models": distinct([Column.of("grag", model) for model in ready]),
        "pipelines": distinct(every),
    }
    links = []
    if len(columns) < MOST:
        spare = [*(Column.of("grag", m) for m in ready), *every, *(Column.of("dense", m) for m in ready)]
        fresh = next((c for c in spare if c not in columns), None)
        if fresh is not None:
            links.append(inner_link(compare_address(view, columns=(*columns, fresh)), f"+ {t('compare.columns.add')}"))
    for name, chosen in sets.items():
        if len(chosen) > 1 and chosen != columns:
            links.append(inner_link(compare_address(view, columns=chosen, pair=(0, 1)), t(f"compare.columns.{name}")))
    st.html(element("nav", *links, class_="os-actions", aria_label=t("compare.columns.label")))


def _set_name(page: Page, setting: Setting, name: str) -> str:
    if name == ONE:
        return page.t("compare.set.one")
    told = next((shown for key, shown, origin in setting.at_hand if key == name and origin == "published"), None)
    if told is not None:
        return page.t("compare.set.published", name=told)
    topics = setting.demo_topics if name == DEMO else setting.topics
    count = len(topics.topics) if topics is not None else 0
    shown = page.t("compare.set.demo") if name == DEMO else topics.name if topics is not None else name
    return f"{shown} · {page.t.count('compare.topics', count)}"


def _judged_name(page: Page, setting: Setting, name: str) -> str:
    if name == NO_JUDGEMENTS:
        return page.t("compare.judged.none")
    if name == DEMO:
        return page.t("compare.judged.demo")
    told = next((shown for key, shown, _ in setting.at_hand if key == name), None)
    return told or (setting.judgements.name if setting.judgements is not None else name)


def _follow(page: Page, setting: Setting) -> None:
    """Set the widgets from the address when that has changed."""
    view, state = page.view, st.session_state
    judged = setting.judgements.id if setting.judgements is not None else NO_JUDGEMENTS
    chosen = view.compare.topics if setting.topics is not None else None
    signature = (view.query or page.too_long, view.top, setting.columns, chosen, judged, page.language)
    names = ("query", "set", "judged", "top", *(f"{i}_{f}" for i in range(len(setting.columns)) for f in _FIELDS))
    if state.get("compare_signature") == signature and all(f"compare_{name}" in state for name in names):
        return
    state["compare_query"] = view.query or page.too_long
    state["compare_set"] = chosen or ONE
    state["compare_judged"] = judged
    state["compare_top"] = view.top
    for i, column in enumerate(setting.columns):
        state[f"compare_{i}_pipeline"] = column.pipeline
        state[f"compare_{i}_model"] = column.model or DEFAULT_MODEL
        for field in _OWN:
            state[f"compare_{i}_{field}"] = getattr(column.parameters, field)
    state["compare_signature"] = signature


def _ask(view: View, setting: Setting) -> None:
    query = " ".join(str(st.session_state["compare_query"]).split())
    if len(query) > QUERY_LIMIT:
        st.session_state["compare_too_long"] = len(query)
        return
    go(_changed(view, dataclasses.replace(view.compare, columns=setting.columns), query=query))


def _choose_set(view: View, setting: Setting) -> None:
    name = st.session_state["compare_set"]
    topics = None if name == ONE else name
    compare = dataclasses.replace(view.compare, topics=topics, columns=setting.columns)
    # A topic set is looked at as a whole first; its topics are opened from there.
    go(_changed(view, compare, query=view.query if topics is None else "", node=None))


def _choose_judged(view: View) -> None:
    go(_changed(view, dataclasses.replace(view.compare, judged=st.session_state["compare_judged"])))


def _choose_top(view: View) -> None:
    go(_changed(view, view.compare, top=st.session_state["compare_top"]))


def _apply(view: View, count: int) -> None:
    state, columns = st.session_state, []
    for i in range(count):
        given = {field: state[f"compare_{i}_{field}"] for field in _OWN}
        parameters = Parameters(
            alpha=round(float(given["alpha"]), 4),
            lam=round(float(given["lam"]), 4),
            hops=int(given["hops"]),
            seeds=int(given["seeds"]),
            cap=int(given["cap"]),
        )
        columns.append(Column.of(state[f"compare_{i}_pipeline"], state[f"compare_{i}_model"], parameters))
    state["compare_same"] = len(set(columns)) < len(columns)
    go(_changed(view, dataclasses.replace(view.compare, columns=distinct(columns), pair=(0, 1))))


def _bring(page: Page, kind: str) -> None:
    found = st.session_state[f"compare_{kind}_file"]
    if found is None:
        return
    view, home = page.view, page.settings.home
    try:
        if kind == "topics":
            name, _ = keep_topics(home, found.name, found.getvalue())
            compare = dataclasses.replace(view.compare, topics=name, columns=view.compare.shown())
            go(_changed(view, compare, query="", node=None))
        else:
            name, report = keep_qrels(home, found.name, found.getvalue())
            st.session_state["compare_file_report"] = report
            go(_changed(view, dataclasses.replace(view.compare, judged=name, columns=view.compare.shown())))
    except OncosearchError as error:
        st.session_state["compare_file_error"] = explained(error, "trec" if kind == "qrels" else kind, found)
