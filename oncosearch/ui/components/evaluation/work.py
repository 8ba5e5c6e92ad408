"""The runs of an evaluation: those made before are loaded, searches are made now with progress and a way to stop."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.model import OncosearchError, Qrels, Run
from oncosearch.ui import resources
from oncosearch.ui.components.evaluation.setting import Setting, column_of
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.components.topic_job import ready_columns, topic_job
from oncosearch.ui.markup import element
from oncosearch.ui.numbers import integer
from oncosearch.workspace.columns import Column
from oncosearch.workspace.evaluating import Judged, Measured, column_tag, load_run, measured, topics_of
from oncosearch.workspace.materials import topic_set
from oncosearch.workspace.topic_runs import TopicJob, TopicSet, as_run

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

Source = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Work:
    """Searches of this page: the job, its columns, and the questions; no job where nothing is searched now."""

    job: TopicJob | None
    columns: tuple[Column, ...]
    topics: TopicSet | None

    @property
    def done(self) -> frozenset[str]:
        """Return the topics that all searches have answered."""
        if self.job is None or self.topics is None:
            return frozenset()
        return frozenset(t.id for t in self.topics.topics if all(t.id in run.rankings for run in self.job.runs))


def searched(page: Page, setting: Setting) -> Work:
    """Draw the work on searches that are made now, and return it."""
    asked = tuple(column for column in map(column_of, setting.tokens) if column is not None)
    if not asked or setting.used is None:
        return Work(None, (), None)
    topics = _questions(page, setting.used)
    columns = _ready(page, asked) if topics is not None else ()
    if not columns or topics is None:
        return Work(None, (), None)
    job = topic_job(page, "evaluate", columns, topics)
    return Work(job, columns, topics)


def measure(page: Page, setting: Setting, work: Work) -> Measured | None:
    """Return what is measured over all runs that are there, None without any; the same choice is measured once."""
    used, evaluated = setting.used, page.view.evaluate
    tokens = [token for token in setting.tokens if (c := column_of(token)) is None or c in work.columns]
    if used is None or not tokens:
        return None
    partial = work.job is not None and not work.job.finished
    if partial and not work.done:
        return None
    number, _ = page.workspace.curation.state(page.snapshot.graph_id)
    topics = work.topics.id if work.topics is not None else ""
    key = (
        repr(page.settings), page.snapshot.key, number, used.content.id, tuple(tokens), topics,
        evaluated.shown(), work.done if partial else None,
    )  # fmt: skip
    held = resources.kept_measures()
    found = held.get(key)
    if found is None:
        with st.spinner(page.t("evaluate.measuring")):
            runs, sources = _loaded(page, tokens, work)
            found = measured(_narrowed(used, work.done) if partial else used, runs, evaluated.shown(), sources)
        held.keep(key, found)
    if partial and work.topics is not None:
        done = integer(len(work.done), page.language)
        total = integer(len(work.topics.topics), page.language)
        st.html(element("p", page.t("evaluate.work.partial", done=done, total=total), class_="os-matched"))
    return found


def _narrowed(used: Judged, topics: frozenset[str]) -> Judged:
    grades = {topic: nodes for topic, nodes in used.qrels.grades.items() if topic in topics}
    return dataclasses.replace(used, content=dataclasses.replace(used.content, qrels=Qrels(grades)))


def _loaded(page: Page, tokens: list[str], work: Work) -> tuple[list[Run], list[Source]]:
    runs: list[Run] = []
    sources: list[Source] = []
    for token in tokens:
        column = column_of(token)
        if column is None:
            run, source = load_run(page.workspace, page.snapshot, token)
        else:
            assert work.job is not None
            assert work.topics is not None
            made = work.job.runs[work.columns.index(column)]
            run = as_run(column_tag(column), page.snapshot.key, column, made, work.topics)
            source = {"search": str(column), "snapshot": str(page.snapshot.key)}
        runs.append(run)
        sources.append(source)
    return runs, sources


def _questions(page: Page, used: Judged) -> TopicSet | None:
    """Return the questions of the judged topics; None, and why, where there are none."""
    t, given = page.t, None
    if page.view.evaluate.topics is not None:
        try:
            given = topic_set(page.workspace, page.snapshot, page.view.evaluate.topics, page.language)
        except OncosearchError as error:
            st.html(error_notice(t, error))
    topics, without = topics_of(used, page.language, given)
    shown = ", ".join(without[:8]) + (", …" if len(without) > 8 else "")
    if not topics.topics:
        advice = element("p", t("evaluate.questions.advice", topics=shown))
        st.html(notice(t("evaluate.questions.title"), advice, kind="warn"))
        return None
    if without:
        st.html(element("p", t("evaluate.questions.some", topics=shown), class_="os-matched"))
    return topics


def _ready(page: Page, asked: tuple[Column, ...]) -> tuple[Column, ...]:
    said = [(column, page.t("evaluate.left_out", run=column_tag(column))) for column in asked]
    return tuple(asked[place] for place in ready_columns(page, said))
