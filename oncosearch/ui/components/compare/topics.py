"""A topic set in several columns: worked off with progress and a way to stop, then the table and the plots."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.evaluate import Comparisons, compare_runs
from oncosearch.ui.compare_state import IMAGES, SHOWN_MEASURES, measure_of
from oncosearch.ui.components.compare import plots, tables
from oncosearch.ui.components.compare.form import go
from oncosearch.ui.components.compare.names import Lane, column_name
from oncosearch.ui.components.compare.pairs import pair_table
from oncosearch.ui.components.compare.setting import Setting
from oncosearch.ui.components.states import notice
from oncosearch.ui.components.topic_job import ready_columns, topic_job
from oncosearch.ui.downloads import file_name
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import decimal, integer
from oncosearch.ui.state import View, compare_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.columns import LETTERS
from oncosearch.workspace.topic_runs import DEPTH, TopicJob, TopicSet
from oncosearch.workspace.topic_values import evaluate_columns, mean_likeness, topic_rows

if TYPE_CHECKING:
    from oncosearch.evaluate import Evaluation
    from oncosearch.ui.page import Page


def topics_view(page: Page, setting: Setting, topics: TopicSet) -> None:
    """Draw the work on a topic set, and what is known of it so far."""
    # Opening models and indexes can take a while; until there are searches to count, the page says that it is at work.
    waiting = st.empty()
    waiting.progress(0.0, text=page.t("compare.work.starting"))
    lanes = _ready_lanes(page, setting)
    if not lanes:
        waiting.empty()
        return
    job = topic_job(page, "compare", tuple(column for _, column in lanes), topics)
    waiting.empty()
    answered = [topic for topic in topics.topics if all(topic.id in run.rankings for run in job.runs)]
    if answered:
        _results(page, setting, lanes, job, TopicSet(topics.name, tuple(answered)))


def _ready_lanes(page: Page, setting: Setting) -> tuple[Lane, ...]:
    """Return the columns that can search, with their letters; of the others the page says what is missing."""
    t, lanes = page.t, tuple(zip(LETTERS, setting.columns, strict=False))
    said = [(column, t("compare.left_out", column=letter, name=column_name(t, column))) for letter, column in lanes]
    return tuple(lanes[place] for place in ready_columns(page, said))


def _results(page: Page, setting: Setting, lanes: tuple[Lane, ...], job: TopicJob, answered: TopicSet) -> None:
    """Draw what is known of the topics that all columns have answered; the table has the others as well."""
    t = page.t
    st.html(tables.column_lines(t, lanes))
    alike = []
    for a, b in combinations(range(len(lanes)), 2):
        if (found := mean_likeness(job.runs, answered, (a, b))) is not None:
            alike.append((a, b, found[0]))
    shown = pair_table(t, lanes, alike, t.count("compare.pair.over", len(answered.topics)))
    if shown is not None:
        st.html(shown)
    refused = sorted({topic for run in job.runs for topic in run.refused})
    if refused:
        st.html(element("p", t("compare.refused", topics=", ".join(refused)), class_="os-matched"))
    evaluation = None
    if setting.judgements is not None:
        given, key = setting.judgements, page.snapshot.key
        evaluation = evaluate_columns(key, lanes, job.runs, job.topics, given.qrels, given.duplicates)
    _said(page, setting, evaluation)
    if evaluation is not None:
        _pictures_switch(page)
        _measures(page, lanes, evaluation)
    if len(lanes) > 1:
        _differences(page, lanes, job, evaluation)


def _said(page: Page, setting: Setting, evaluation: Evaluation | None) -> None:
    """Say what the measures were computed from, or why there are none."""
    t = page.t
    if setting.judgements is None:
        st.html(notice(t("compare.unjudged_set"), element("p", t("compare.unjudged_set.advice"))))
    elif evaluation is None:
        st.html(notice(t("compare.nothing_relevant"), element("p", t("compare.nothing_relevant.advice"))))
    else:
        told = t(
            "compare.computed",
            judgements=integer(setting.judgements.count, t.language),
            topics=len(evaluation.topics),
            left_out=len(evaluation.left_out),
            depth=DEPTH,
            resamples=integer(evaluation.rules.resamples, t.language),
            seed=evaluation.rules.seed,
        )
        name = t(f"compare.origin.{setting.judgements.origin}", name=setting.judgements.name)
        st.html(element("p", f"{name} {told}", class_="os-matched"))


def _pictures_switch(page: Page) -> None:
    t, view = page.t, page.view
    links = [
        inner_link(
            compare_address(view, image=kind), kind.upper(), aria_current="true" if kind == view.compare.image else None
        )
        for kind in IMAGES
    ]
    switch = element("nav", *links, class_="os-switch", aria_label=t("compare.image"))
    st.html(element("div", element("span", t("compare.image"), class_="os-matched"), switch, class_="os-head"))


def _measures(page: Page, lanes: tuple[Lane, ...], evaluation: Evaluation) -> None:
    t, dark = page.t, page.dark
    st.html(element("h2", t("compare.plot.bars"), class_="os-h2"))
    _plot(page, "bars", plots.measure_bars(t, lanes, evaluation, dark), partial(tables.bars_csv, t, lanes, evaluation))
    st.html(element("h2", t("compare.plot.curve"), class_="os-h2"))
    _plot(page, "curve", plots.gain_curve(t, lanes, evaluation, dark), partial(tables.curve_csv, t, lanes, evaluation))


def _differences(page: Page, lanes: tuple[Lane, ...], job: TopicJob, evaluation: Evaluation | None) -> None:
    t, view, measure = page.t, page.view, page.view.compare.measure
    st.html(element("h2", t("compare.table.title"), class_="os-h2", id="os-topics"))
    letters = _pair_choice(page, lanes, judged=evaluation is not None)
    known = [letter for letter, _ in lanes]
    pair = known.index(letters[0]), known.index(letters[1])
    rows = topic_rows(job.runs, job.topics, pair, evaluation, measure_of(view.compare))
    table = partial(tables.topics_csv, t, rows, letters, measure)
    shown = plots.dots(rows)
    if shown:
        figure = plots.scatter(t, letters, measure, shown, page.dark)
        _open_dot(page, shown, _plot(page, "scatter", figure, table, select=f"{'-'.join(letters)}_{measure}"))
        better = [sum(1 for r in rows if r.difference is not None and sign * r.difference > 0) for sign in (1, -1)]
        even = sum(1 for r in rows if r.difference == 0)
        told = t("compare.wins", a=letters[0], b=letters[1], wins=better[0], losses=better[1], ties=even)
        st.html(element("p", told, class_="os-matched"))
        if evaluation is not None:
            st.html(element("p", verdict(t, compare_runs(evaluation, measure), letters), class_="os-verdict"))
    st.html(tables.topic_table(t, view, rows, letters, measure))
    if not shown:
        _csv(page, "topics", table)


def verdict(t: Texts, found: Comparisons, pair: tuple[str, str]) -> str:
    """Return whether the difference of two columns means anything, with the test and what it was adjusted for."""
    compared = found.of(*pair)
    ahead = compared.a if (compared.effect or 0.0) > 0 else compared.b
    said = t(
        f"compare.verdict.{compared.verdict}",
        a=pair[0],
        b=pair[1],
        better=ahead,
        differing=compared.differing,
        q=decimal(compared.q, t.language),
        alpha=decimal(found.rules.alpha, t.language, 2),
    )
    rule = t("compare.verdict.rule", measure=str(found.measure), topics=found.topics, pairs=len(found.pairs))
    return said if compared.q is None else f"{said} {rule}"


def _pair_choice(page: Page, lanes: tuple[Lane, ...], *, judged: bool) -> tuple[str, str]:
    """Draw the choice of the two columns and the measure; return the letters of the columns."""
    t, view, state = page.t, page.view, st.session_state
    known = [letter for letter, _ in lanes]
    wanted = tuple(LETTERS[i] for i in view.compare.shown_pair())
    pair = (wanted[0], wanted[1]) if set(wanted) <= set(known) else (known[0], known[1])
    names = {letter: f"{letter} · {column_name(t, column)}" for letter, column in lanes}
    state["compare_pair_a"], state["compare_pair_b"] = pair
    state["compare_measure"] = view.compare.measure
    a, b, c = st.columns(3)
    for place, name in ((a, "a"), (b, "b")):
        place.selectbox(
            t(f"compare.pair.choose.{name}"),
            known,
            format_func=names.__getitem__,
            key=f"compare_pair_{name}",
            on_change=_choose_pair,
            args=(view, pair),
        )
    if judged:
        c.selectbox(
            t("compare.measure"), SHOWN_MEASURES, key="compare_measure", on_change=_choose_measure, args=(view,)
        )
    return pair


def _choose_pair(view: View, before: tuple[str, str]) -> None:
    a, b = st.session_state["compare_pair_a"], st.session_state["compare_pair_b"]
    if a == b:
        # The other side takes what was chosen before, so that there are always two.
        a, b = (before[1], b) if b != before[1] else (a, before[0])
    pair = LETTERS.index(a), LETTERS.index(b)
    go(dataclasses.replace(view, compare=dataclasses.replace(view.compare, pair=pair)))


def _choose_measure(view: View) -> None:
    go(
        dataclasses.replace(
            view, compare=dataclasses.replace(view.compare, measure=st.session_state["compare_measure"])
        )
    )


def _open_dot(page: Page, shown: list[plots.Dot], picked: int | None) -> None:
    """Open the topic of a dot; where several share one, list them."""
    if picked is None or not 0 <= picked < len(shown):
        return
    topics = shown[picked].topics
    if len(topics) == 1:
        # The plot has a new key from now on, or its dot would be picked again on the way back.
        st.session_state["compare_picks"] = st.session_state.get("compare_picks", 0) + 1
        go(dataclasses.replace(page.view, query=topics[0].query, node=None))
        st.rerun()
    t = page.t
    rows = [
        element(
            "li",
            element("span", r.topic_id, class_="os-code"),
            " ",
            inner_link(compare_address(page.view, query=r.query, node=None), r.query),
        )
        for r in topics
    ]
    st.html(notice(t("compare.dot.several"), element("ul", *rows, class_="os-list")))


def _plot(page: Page, name: str, figure: Any, csv: Callable[[], bytes], *, select: str = "") -> int | None:
    t, kind = page.t, page.view.compare.image
    config = plots.picture_config(f"oncosearch-{name}", kind)
    # A plot that was clicked on keeps its selection under its key; the key changes with what it shows.
    key = f"compare_{name}_{kind}_{'dark' if page.dark else 'light'}"
    alt = t(f"compare.plot.{name}.alt")
    picked = None
    if select:
        key += f"_{select}_{st.session_state.get('compare_picks', 0)}"
        event = st.plotly_chart(
            figure, key=key, theme=None, config=config, alt=alt, on_select="rerun", selection_mode="points"
        )
        points = event["selection"]["points"] if event else []
        picked = points[0].get("customdata") if points else None
        if isinstance(picked, list):
            picked = picked[0]
    else:
        st.plotly_chart(figure, key=key, theme=None, config=config, alt=alt)
    _csv(page, name, csv)
    return int(picked) if picked is not None else None


def _csv(page: Page, name: str, make: Callable[[], bytes]) -> None:
    st.download_button(
        page.t("compare.csv.take"),
        make,
        file_name=file_name(f"compare {name} {page.snapshot.key}", "csv"),
        mime="text/csv",
        key=f"compare_csv_{name}",
        on_click="ignore",
        type="tertiary",
    )
