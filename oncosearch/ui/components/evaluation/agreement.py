"""How far raters agree: of a session, or of a file; on the grades as given and on relevant or not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.evaluate.exchange import ReadReport
from oncosearch.model import OncosearchError
from oncosearch.model.spreadsheet import csv_bytes, safe_cell
from oncosearch.review import SessionView, ratings, session_view, sessions
from oncosearch.review.agreement import GRADE_LABELS, LEVELS, Agreement, Coefficient, ScaleAgreement, agreement
from oncosearch.ui.components.compare.tables import number
from oncosearch.ui.components.evaluation.choose import NOTHING, go
from oncosearch.ui.components.evaluation.uploads import explained
from oncosearch.ui.components.evaluation.words import coefficient, report_view, scrolled, why_undefined
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.state import View, annotate_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.evaluation_files import FILE, RATINGS, Ratings, keep, kept, read_ratings_file

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

SESSION = "session-"
COEFFICIENTS = ("raw", "kappa", "kappa_linear", "kappa_quadratic", "ac1")
_PAIRS_SHOWN = 50
# So many sessions, the newest first, are searched for one that two raters graded.
_LOOKED_AT = 20


def agreement_view(page: Page) -> None:
    """Draw the choice of grades and how far their raters agree."""
    t, evaluated = page.t, page.view.evaluate
    st.html(element("p", t("agree.lead"), class_="os-lead"))
    known = [view for view in reversed(sessions(page.workspace.store)) if len(view.raters) > 1]
    name = evaluated.ratings or _graded_by_two(page, known)
    _choice(page, known, name)
    refused: OncosearchError | None = st.session_state.get("agree_error")
    if refused is not None:
        _refused(page, refused, name)
        return
    if name is None:
        link = inner_link(annotate_address(page.view), t("evaluate.none.annotate.link"), data_key="annotate")
        which = "none_yet" if known else "none"
        st.html(notice(t(f"agree.{which}.title"), element("p", t(f"agree.{which}.advice"), " ", link)))
        return
    try:
        given, report = _ratings(page, name)
    except OncosearchError as error:
        st.html(error_notice(t, error))
        return
    if report is not None and (report.skipped or report.notes):
        st.html(notice("", report_view(t, report), kind="warn"))
    if not given:
        st.html(notice(t("agree.empty.title"), element("p", t("agree.empty.advice"))))
        return
    raters = _who_graded(given)
    if len(raters) == 1:
        (rater,) = raters
        count = integer(sum(rater in grades for grades in given.values()), t.language)
        body = element("p", t("agree.one.advice", rater=rater, count=count))
        st.html(notice(t("agree.one.title", rater=rater), body, kind="warn"))
        return
    own = evaluated.own_labels and name.startswith(FILE)
    _found(page, agreement(given, labels=None if own else GRADE_LABELS))


def _refused(page: Page, error: OncosearchError, name: str | None) -> None:
    """Say what is wrong with a file, and no figures: they would be those of something else."""
    t = page.t
    st.html(error_notice(t, error))
    if name is not None:
        st.html(element("p", t("agree.hidden"), class_="os-matched"))
        st.button(t("agree.hidden.back", name=_shown_name(page, name)), key="agree_back", on_click=_forget)


def _graded_by_two(page: Page, known: list[SessionView]) -> str | None:
    """Return the newest session in which two raters graded; None where there is none among those looked at."""
    for view in known[:_LOOKED_AT]:
        if len(_who_graded(ratings(page.workspace.store, view.session.id))) > 1:
            return f"{SESSION}{view.session.id}"
    return None


def _who_graded(given: Mapping[Any, Mapping[str, int]] | Mapping[Any, Mapping[str, int | None]]) -> set[str]:
    return {rater for grades in given.values() for rater, grade in grades.items() if grade is not None}


def _choice(page: Page, known: list[SessionView], name: str | None) -> None:
    t, view, state = page.t, page.view, st.session_state
    names = {
        f"{SESSION}{found.session.id}": t("agree.session", name=found.session.name, owner=found.session.owner)
        for found in known
    }
    if name is not None and name not in names:
        names[name] = _shown_name(page, name)
    left, right = st.columns(2)
    state["agree_source"] = name or NOTHING
    left.selectbox(
        t("agree.source"),
        list(names) if name is not None else [NOTHING, *names],
        format_func=lambda key: names.get(key, t("evaluate.qrels.none")),
        key="agree_source",
        on_change=_choose,
        args=(view,),
        help=t("agree.source.help"),
    )
    right.file_uploader(
        t("agree.upload"), type=["csv"], key="agree_file", on_change=_bring, args=(page,), help=t("agree.upload.help")
    )
    if name is None:
        return
    switch = "own_labels" if name.startswith(FILE) else "unseen"
    state[f"agree_{switch}"] = getattr(view.evaluate, switch)
    st.toggle(t(f"agree.{switch}"), key=f"agree_{switch}", on_change=_switch, args=(view, switch))


def _shown_name(page: Page, name: str) -> str:
    try:
        if name.startswith(FILE):
            return page.t("agree.file", name=kept(page.settings.home, RATINGS, name)[0].name)
        found = session_view(page.workspace.store, name.removeprefix(SESSION)).session
        return page.t("agree.session", name=found.name, owner=found.owner)
    except OncosearchError:
        # What is wrong with it is said below.
        return name


def _ratings(page: Page, name: str) -> tuple[Ratings, ReadReport | None]:
    if name.startswith(FILE):
        return read_ratings_file(kept(page.settings.home, RATINGS, name)[0])
    session = name.removeprefix(SESSION)
    session_view(page.workspace.store, session)
    found = ratings(page.workspace.store, session, blind_only=page.view.evaluate.unseen)
    return {f"{topic}\t{node}": dict(grades) for (topic, node), grades in found.items()}, None


def _found(page: Page, found: Agreement) -> None:
    t = page.t
    counts = {name: getattr(found, name) for name in ("items", "ratings", "missing")}
    shown = {name: integer(value, t.language) for name, value in counts.items()}
    st.html(element("p", t("agree.facts", raters=integer(len(found.raters), t.language), **shown)))
    with st.container(horizontal=True, gap="medium", key="agree_take"):
        for name, make, kind in (
            ("csv", partial(pairs_csv, t, found), "text/csv"),
            ("json", partial(agreement_json, found), "application/json"),
        ):
            st.download_button(
                t(f"agree.take.{name}"),
                make,
                file_name=file_name("agreement", name),
                mime=kind,
                key=f"agree_take_{name}",
                on_click="ignore",
                type="tertiary",
            )
    threshold = f"{found.threshold:g}"
    st.html(scale_view(t, t("agree.graded"), found.graded))
    st.html(scale_view(t, t("agree.binary", threshold=threshold), found.binary))
    st.html(element("p", t("agree.rules"), " ", t("agree.rules.alpha"), class_="os-matched os-rules"))


def scale_view(t: Texts, name: str, scale: ScaleAgreement) -> Markup:
    """Return the coefficients of one scale: of all raters together, and of every pair."""
    labels = ", ".join(f"{label:g}".replace("-", "−") for label in scale.labels)
    whole = [(f"{t('agree.alpha')}, {t(f'agree.{level}')}", getattr(scale, f"alpha_{level}")) for level in LEVELS]
    told = t(
        "agree.mean_kappa",
        defined=integer(scale.defined, t.language),
        pairs=integer(len(scale.pairs), t.language),
    )
    rows = [
        element("tr", element("th", label, scope="row"), element("td", _coefficient(t, value, reason=True)))
        for label, value in [*whole, (told, scale.mean_kappa)]
    ]
    alphas = element("table", element("tbody", *rows), class_="os-numbers os-pairs-of-two")
    common = t("agree.labels", labels=labels, common=integer(scale.common, t.language))
    return element(
        "section",
        element("h2", name, class_="os-h2"),
        element("p", common, class_="os-matched"),
        scrolled(alphas, name),
        _pairs(t, scale, name),
        class_="os-section",
    )


def _pairs(t: Texts, scale: ScaleAgreement, name: str) -> Markup | None:
    if not scale.pairs:
        return None
    heads = [element("th", t(f"agree.column.{key}"), scope="col") for key in ("pair", "common", *COEFFICIENTS)]
    rows = []
    for pair in scale.pairs[:_PAIRS_SHOWN]:
        label = element("span", t("agree.column.common"), class_="os-cell-name")
        cells = [
            element("th", f"{pair.a} – {pair.b}", scope="row"),
            element("td", label, integer(pair.common, t.language), class_="os-figure"),
        ]
        for key in COEFFICIENTS:
            label = element("span", t(f"agree.column.{key}"), class_="os-cell-name")
            cells.append(element("td", label, _coefficient(t, getattr(pair, key)), class_="os-figure"))
        rows.append(element("tr", *cells))
        if reasons := _reasons(t, [getattr(pair, key) for key in COEFFICIENTS]):
            rows.append(element("tr", element("td", reasons, colspan=len(heads), class_="os-matched")))
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="os-numbers")
    rest = len(scale.pairs) - _PAIRS_SHOWN
    more = element("p", t.count("evaluate.table.rest", rest), class_="os-matched") if rest > 0 else None
    return element("div", element("h3", t("agree.pairs"), class_="os-h3"), scrolled(table, name), more)


def _coefficient(t: Texts, found: Coefficient, *, reason: bool = False) -> Markup:
    if found.value is not None:
        return element("b" if reason else "span", coefficient(t, found))
    why = why_undefined(t, found)
    shown = f"{coefficient(t, found)}: {why}" if reason else coefficient(t, found)
    return element("span", shown, title=why, class_="os-undefined")


def _reasons(t: Texts, found: list[Coefficient]) -> str:
    reasons = dict.fromkeys(why for one in found if (why := why_undefined(t, one)))
    return f"{t('agree.undefined')}: {'; '.join(reasons)}." if reasons else ""


def pairs_csv(t: Texts, found: Agreement) -> bytes:
    """Return every pair on both scales as CSV; a coefficient without a value is empty, with the reason behind it."""
    heads = [t("agree.csv.scale"), t("agree.csv.a"), t("agree.csv.b"), t("agree.column.common")]
    heads += [t(f"agree.column.{key}") for key in COEFFICIENTS] + [t("agree.csv.undefined")]
    rows = []
    binary = t("agree.binary", threshold=f"{found.threshold:g}")
    for name, scale in ((t("agree.graded"), found.graded), (binary, found.binary)):
        for pair in scale.pairs:
            values = [getattr(pair, key) for key in COEFFICIENTS]
            cells = [number(value.value, t.language) for value in values]
            rows.append(
                [name, safe_cell(pair.a), safe_cell(pair.b), str(pair.common), *cells, why_undefined(t, pair.kappa)]
            )
    return csv_bytes(heads, rows, t.language)


def agreement_json(found: Agreement) -> str:
    """Return the agreement as JSON, as ``python -m oncosearch agreement --json`` has it."""
    return json.dumps({"agreement": found.to_dict()}, ensure_ascii=False, indent=2, allow_nan=False)


def _choose(view: View) -> None:
    _forget()
    go(view, ratings=st.session_state["agree_source"] or None)


def _switch(view: View, name: str) -> None:
    go(view, **{name: st.session_state[f"agree_{name}"]})


def _forget() -> None:
    st.session_state.pop("agree_error", None)


def _bring(page: Page) -> None:
    found = st.session_state["agree_file"]
    _forget()
    if found is None:
        return
    try:
        name = keep(page.settings.home, RATINGS, {found.name: found.getvalue()})
        given, _ = read_ratings_file(kept(page.settings.home, RATINGS, name)[0])
        labels = {grade for grades in given.values() for grade in grades.values() if grade is not None}
        go(page.view, ratings=name, own_labels=not labels <= set(GRADE_LABELS))
    except OncosearchError as error:
        st.session_state["agree_error"] = explained(error, "ratings", found)
