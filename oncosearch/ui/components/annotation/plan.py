"""Making a session: its questions, what is searched for its pools, and who rates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import LocalText, OncosearchError, UsageError
from oncosearch.review import ReviewTopic, new_session_id
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.numbers import duration, integer
from oncosearch.ui.state import INTERFACE_LANGUAGES, annotate_address, write_view
from oncosearch.ui.texts import texts
from oncosearch.workspace.annotating import (
    MAX_K,
    SessionPlan,
    check_plan,
    not_ready,
    pooled_runs,
    rater_name,
    start_session,
)
from oncosearch.workspace.requests import DEFAULT_MODEL, DEFAULT_PIPELINE, Progress
from oncosearch.workspace.topics import topics_of

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

DEFAULT_K = 10


def new_session(page: Page, rater: str) -> None:
    """Draw the form of a new session; sent off, it searches and goes on to the session."""
    from oncosearch.embed import MODELS, availability
    from oncosearch.retrieve import PIPELINES
    from oncosearch.ui.components.first_screen import demo_queries

    t = page.t
    st.html(inner_link(annotate_address(page.view), f"← {t('annotate.sessions')}", data_key="back"))
    st.title(t("annotate.new"), anchor=False)
    st.html(element("p", t("annotate.new.about", snapshot=str(page.snapshot.key)), class_="os-lead"))
    usable = [m.key for m in MODELS if availability(m.key, page.settings).usable]
    with st.form("annot_plan"):
        st.text_input(t("annotate.new.name"), key="plan_name", max_chars=120)
        left, right = st.columns(2)
        sources = ["demo", "file"] if demo_queries() else ["file"]
        left.radio(
            t("annotate.new.topics"),
            sources,
            format_func=lambda key: t(f"annotate.new.topics.{key}", count=len(demo_queries())),
            key="plan_source",
        )
        left.selectbox(
            t("annotate.new.language"),
            INTERFACE_LANGUAGES,
            format_func=lambda k: t(f"language.{k}"),
            key="plan_language",
            help=t("annotate.new.language.help"),
        )
        right.file_uploader(
            t("annotate.new.file"),
            type=["tsv", "txt", "jsonl", "json"],
            key="plan_file",
            help=t("annotate.new.file.help"),
        )
        left.multiselect(
            t("annotate.new.models"), usable, default=[m for m in usable if m == DEFAULT_MODEL], key="plan_models"
        )
        right.multiselect(
            t("annotate.new.pipelines"),
            [p.key for p in PIPELINES],
            default=[DEFAULT_PIPELINE, "lexical"],
            format_func={p.key: p.name(t.language) for p in PIPELINES}.__getitem__,
            key="plan_pipelines",
        )
        left.number_input(t("annotate.new.k"), 1, MAX_K, DEFAULT_K, step=1, key="plan_k", help=t("annotate.new.k.help"))
        right.text_input(t("annotate.new.raters"), rater, key="plan_raters", help=t("annotate.new.raters.help"))
        right.html(element("p", t("annotate.new.raters.you", name=rater), class_="os-matched"))
        st.radio(
            t("annotate.new.blind"),
            [True, False],
            format_func=lambda blind: t("annotate.new.blind.yes" if blind else "annotate.new.blind.no"),
            key="plan_blind",
        )
        st.text_area(t("annotate.guideline"), t("annotate.guideline.default"), height=190, key="plan_guideline")
        st.html(element("p", t("annotate.new.guideline.language"), class_="os-matched"))
        sent = st.form_submit_button(t("annotate.new.go"), key="plan_go", type="primary")
    if sent:
        # The id is kept until the session is there: sending twice makes one session.
        session_id = st.session_state.setdefault("plan_id", new_session_id())
        try:
            made = _make(page, _plan(page, rater), session_id)
        except OncosearchError as error:
            st.html(error_notice(t, error))
            return
        if made:
            del st.session_state["plan_id"]
            st.query_params.from_dict(write_view(page.view) | {"session": [session_id], "task": ["manage"]})
            st.rerun()


def _plan(page: Page, rater: str) -> SessionPlan:
    state = st.session_state
    names = [rater_name(name) for name in str(state["plan_raters"]).replace(";", ",").split(",") if name.strip()]
    return SessionPlan(
        name=str(state["plan_name"]),
        snapshot=page.snapshot.key,
        topics=tuple(_topics(state["plan_language"])),
        runs=pooled_runs(state["plan_models"], state["plan_pipelines"]),
        k=int(state["plan_k"]),
        owner=rater,
        raters=tuple(dict.fromkeys(names)),
        blind=bool(state["plan_blind"]),
        guideline=_guideline(str(state["plan_guideline"]).strip(), page.language, state["plan_language"]),
        language=state["plan_language"],
    )


def _guideline(written: str, shown: str, language: str) -> str:
    """Return the guideline; one that was left as it was offered is taken in the language of the topics."""
    offered = texts(shown)("annotate.guideline.default")
    return texts(language)("annotate.guideline.default") if written == offered.strip() else written


def _topics(language: str) -> list[ReviewTopic]:
    from oncosearch.workspace import demo_folder, read_topics

    if st.session_state["plan_source"] == "demo":
        found = read_topics(demo_folder() / "topics.tsv")
        language = "de"
    else:
        sent = st.session_state["plan_file"]
        if sent is None:
            raise UsageError("No file of topics was chosen.", code="plan_file")
        try:
            text = sent.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise UsageError(f"{sent.name} is no UTF-8 text ({error.reason}).", code="plan_encoding") from error
        try:
            found = topics_of(text, sent.name)
        except UsageError as error:
            raise UsageError(str(error), code="topics_file", said=str(error)) from error
    return [ReviewTopic(topic.id, LocalText.of({language: topic.query})) for topic in found]


def _make(page: Page, plan: SessionPlan, session_id: str) -> bool:
    t = page.t
    check_plan(plan)
    missing = not_ready(page.workspace, plan.snapshot, plan.runs)
    if missing:
        rows = [
            element(
                "li",
                f"{name}: ",
                element("span", ready.reason, lang="en"),
                " ",
                element("code", ready.command) if ready.command else None,
            )
            for name, ready in missing
        ]
        st.html(notice(t("annotate.new.missing"), element("ul", *rows), kind="warn"))
        return False
    start_session(page.workspace, plan, session_id, search_progress(page))
    return True


def search_progress(page: Page) -> Progress:
    """Return a bar that follows searches, with the time that is left."""
    t = page.t
    bar = st.progress(0.0, text=t("annotate.new.searching", done="0", total="…", left=""))
    began = time.monotonic()

    def progress(stage: str, done: int, total: int) -> None:
        past = time.monotonic() - began
        left = " · " + t("prepare.left", time=duration(past / done * (total - done), t.language)) if past > 1 else ""
        text = t("annotate.new.searching", done=integer(done, t.language), total=integer(total, t.language), left=left)
        bar.progress(done / total, text=text)

    return progress
