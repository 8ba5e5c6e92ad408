"""The choice of judgements, runs and measures, and files of one's own; every choice goes into the address."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.evaluate import DEFAULT_MEASURES, Measure
from oncosearch.model import OncosearchError
from oncosearch.ui.components.evaluation.setting import Setting, columns_at_hand, usable_models
from oncosearch.ui.components.evaluation.uploads import belonging, explained
from oncosearch.ui.components.evaluation.words import report_view
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.evaluate_state import MOST_RUNS, PARTS, Evaluated, changed
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.state import View, annotate_address, evaluate_address, write_view
from oncosearch.workspace.columns import Column
from oncosearch.workspace.evaluating import STORED, judged, shipped_runs
from oncosearch.workspace.evaluation_files import JUDGEMENTS, keep, read_run_file
from oncosearch.workspace.materials import DEMO, keep_topics

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from oncosearch.ui.page import Page

NOTHING = ""
_KINDS = {
    "qrels": ["qrels", "trec", "txt", "tsv", "csv", "json", "zip"],
    "runs": ["trec", "run", "txt", "csv", "json"],
    "topics": ["tsv", "txt", "jsonl"],
}


def go(view: View, **values: object) -> None:
    """Put the page with another choice into the address."""
    st.query_params.from_dict(write_view(replace(view, evaluate=changed(view.evaluate, **values))))


def parts(page: Page) -> None:
    """Draw the switch between measures and agreement."""
    t, view = page.t, page.view
    links = [
        inner_link(
            evaluate_address(view, part=part),
            t(f"evaluate.part.{part}"),
            aria_current="true" if view.evaluate.part == part else None,
            data_key=part,
        )
        for part in PARTS
    ]
    st.html(element("nav", *links, class_="os-switch", aria_label=t("evaluate.part.label")))


def choice(page: Page, setting: Setting) -> None:
    """Draw the fields for judgements, measures and runs."""
    t, view = page.t, page.view
    _follow(page, setting)
    left, right = st.columns(2)
    names = {name: _qrels_name(page, setting, name) for name in _qrels_choices(setting)}
    left.selectbox(
        t("evaluate.qrels"),
        list(names),
        format_func=lambda name: names.get(name, name),
        key="evaluate_qrels",
        on_change=_choose_qrels,
        args=(view,),
        help=t("evaluate.qrels.help"),
    )
    right.multiselect(
        t("evaluate.measures"),
        list(dict.fromkeys([*map(str, DEFAULT_MEASURES), *view.evaluate.measures])),
        key="evaluate_measures",
        placeholder=t("evaluate.measures.all"),
        accept_new_options=True,
        on_change=_choose_measures,
        args=(view,),
        help=t("evaluate.measures.help"),
    )
    st.multiselect(
        t("evaluate.runs"),
        list(setting.at_hand),
        format_func=lambda token: setting.at_hand.get(token, token),
        key="evaluate_runs",
        placeholder=t("evaluate.runs.choose"),
        max_selections=MOST_RUNS,
        on_change=_choose_runs,
        args=(view,),
        help=t("evaluate.runs.help", most=MOST_RUNS),
    )
    _sets(page, setting)
    if (error := st.session_state.pop("evaluate_error", None)) is not None:
        st.html(error_notice(t, error))


def _sets(page: Page, setting: Setting) -> None:
    t, view, models = page.t, page.view, usable_models(page)
    every = columns_at_hand(page)
    sets: dict[str, tuple[str, ...]] = {"shipped": tuple(shipped_runs(page.snapshot))}
    if models:
        sets["pipelines"] = tuple(str(c) for c in every if c.model in (None, models[0]))
        sets["models"] = tuple(str(Column.of("grag", model)) for model in models)
        sets["all"] = tuple(map(str, every))
    links = [
        inner_link(
            evaluate_address(view, runs=tokens[:MOST_RUNS]),
            t(f"evaluate.sets.{name}", model=models[0]) if name == "pipelines" else t(f"evaluate.sets.{name}"),
            data_key=f"set-{name}",
        )
        for name, tokens in sets.items()
        if len(tokens) > 1 and tokens[:MOST_RUNS] != setting.tokens
    ]
    if links:
        st.html(element("nav", *links, class_="os-actions", aria_label=t("evaluate.sets.label")))


def files(page: Page) -> None:
    """Draw the fields that take files, and what became of those taken last."""
    t, state = page.t, st.session_state
    with st.expander(t("evaluate.files"), key="evaluate_files", type="compact"):
        for place, (name, kinds) in zip(st.columns(3), _KINDS.items(), strict=True):
            place.file_uploader(
                t(f"evaluate.files.{name}"),
                type=kinds,
                accept_multiple_files=name != "topics",
                key=f"evaluate_{name}_file",
                on_change=_bring,
                args=(page, name),
                help=t(f"evaluate.files.{name}.help"),
            )
    for error in state.pop("evaluate_file_errors", []):
        st.html(error_notice(t, error))
    if (several := state.pop("evaluate_several", None)) is not None:
        st.html(notice("", element("p", t("evaluate.files.several", name=several))))
    reports = state.get("evaluate_reports", [])
    if reports:
        told = any(report.skipped or report.notes for report in reports)
        st.html(notice("", *(report_view(t, report) for report in reports), kind="warn" if told else ""))


def no_judgements(page: Page) -> None:
    """Draw what to do where nothing is judged yet."""
    t, view = page.t, page.view
    rows = [
        element(
            "li",
            f"{t('evaluate.none.annotate')} ",
            inner_link(annotate_address(view), t("evaluate.none.annotate.link"), data_key="annotate"),
        ),
        element("li", t("evaluate.none.file")),
        element("li", f"{t('evaluate.none.demo')} ", element("code", "python -m oncosearch demo")),
    ]
    body = element("p", t("evaluate.none.advice")), element("ul", *rows, class_="os-list")
    st.html(notice(t("evaluate.none.title"), *body))


def _qrels_choices(setting: Setting) -> list[str]:
    names = [name for name, _, _ in setting.qrels]
    if setting.given is not None and setting.given.id not in names:
        names.append(setting.given.id)
    return names or [NOTHING]


def _qrels_name(page: Page, setting: Setting, name: str) -> str:
    if name == NOTHING:
        return page.t("evaluate.qrels.none")
    if name == DEMO:
        return page.t("evaluate.qrels.demo")
    told = next((shown for key, shown, _ in setting.qrels if key == name), None)
    return told or (setting.given.name if setting.given is not None else name)


def _follow(page: Page, setting: Setting) -> None:
    """Set the widgets from the address when that has changed."""
    state, evaluated = st.session_state, page.view.evaluate
    chosen = setting.given.id if setting.given is not None else _qrels_choices(setting)[0]
    signature = (chosen, setting.tokens, evaluated.measures, page.language)
    there = all(f"evaluate_{name}" in state for name in ("qrels", "runs", "measures"))
    if state.get("evaluate_signature") == signature and there:
        return
    state["evaluate_qrels"] = chosen
    state["evaluate_runs"] = list(setting.tokens)
    state["evaluate_measures"] = list(evaluated.measures)
    state["evaluate_signature"] = signature


def _choose_qrels(view: View) -> None:
    go(view, qrels=st.session_state["evaluate_qrels"] or None, carry=False)


def _choose_measures(view: View) -> None:
    measures: list[str] = []
    for text in st.session_state["evaluate_measures"]:
        try:
            measures.append(str(Measure.parse(text)))
        except OncosearchError as error:
            st.session_state["evaluate_error"] = error
    st.session_state.pop("evaluate_signature", None)
    go(view, measures=tuple(dict.fromkeys(measures)))


def _choose_runs(view: View) -> None:
    go(view, runs=tuple(st.session_state["evaluate_runs"]))


def _bring(page: Page, kind: str) -> None:
    state, view = st.session_state, page.view
    given = state[f"evaluate_{kind}_file"]
    found = [file for file in (given if isinstance(given, list) else [given]) if file is not None]
    if not found:
        return
    state["evaluate_reports"], state["evaluate_file_errors"] = [], []
    state.pop("evaluate_several", None)
    if kind == "runs":
        _bring_runs(page, found)
    elif kind == "qrels":
        _bring_qrels(page, found)
    else:
        try:
            name, _ = keep_topics(page.settings.home, found[0].name, found[0].getvalue())
            go(view, topics=name)
        except OncosearchError as error:
            state["evaluate_file_errors"].append(explained(error, kind, found[0]))


def _bring_qrels(page: Page, found: list[UploadedFile]) -> None:
    """Choose the judgements that were brought last; what was refused before does not stand in the way of the rest."""
    state = st.session_state
    refused: set[str] = state.setdefault("evaluate_refused", set())
    fresh = [file for file in found if file.file_id not in refused]
    whole = _kept_qrels(page, fresh) if fresh else None
    taken = [(whole, fresh)] if isinstance(whole, str) else []
    if not taken:
        for group in belonging(fresh):
            name = _kept_qrels(page, group)
            if isinstance(name, str):
                taken.append((name, group))
                continue
            refused.update(file.file_id for file in group)
            state["evaluate_file_errors"].append(explained(name, "qrels", group[0]))
    if taken:
        name, group = taken[-1]
        if len(taken) > 1:
            state["evaluate_several"] = group[0].name
        go(page.view, qrels=name, carry=False)


def _kept_qrels(page: Page, files: list[UploadedFile]) -> str | OncosearchError:
    """Return the id under which files are kept as judgements, or why they are none."""
    try:
        name = keep(page.settings.home, JUDGEMENTS, {file.name: file.getvalue() for file in files})
        # Read at once, so that a file that is none is refused before it is chosen.
        judged(page.workspace, page.snapshot, name)
    except OncosearchError as error:
        return error
    return name


def _bring_runs(page: Page, found: list[UploadedFile]) -> None:
    state, seen = st.session_state, st.session_state.setdefault("evaluate_seen", set())
    evaluated: Evaluated = page.view.evaluate
    tokens = list(evaluated.runs)
    for file in found:
        if file.file_id in seen:
            continue
        seen.add(file.file_id)
        try:
            run, report = read_run_file(file.name, file.getvalue())
            tokens.append(f"{STORED}{page.workspace.store.save_run(run)}")
            state["evaluate_reports"].append(report)
        except OncosearchError as error:
            state["evaluate_file_errors"].append(explained(error, "runs", file))
    go(page.view, runs=tuple(dict.fromkeys(tokens))[:MOST_RUNS])
