"""Asking the workspace once for a view: page runs that change no question reuse the answer of this session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError
from oncosearch.ui.components.preparation import preparation, readiness_of
from oncosearch.ui.components.states import error_notice

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Answer


def answer_of(page: Page) -> Answer | None:
    """Return the answer to the view's question; None where the page already says why there is none."""
    held = _held(page)
    if held is not None:
        return held
    readiness = readiness_of(page)
    if readiness.state != "ready":
        preparation(page, readiness)
        return None
    try:
        with st.spinner(page.t("search.running")):
            answer = page.workspace.search(page.view.request(page.snapshot.key), page.language)
    except OncosearchError as error:
        st.html(error_notice(page.t, error))
        return None
    st.session_state["answer"] = (_key(page), answer)
    return answer


def marked_hits(page: Page) -> frozenset[str]:
    """Return the hits of the question that the view carries, to mark them; none where it cannot be answered now.

    Marking is no search of its own: it is not recorded.
    """
    if not page.view.query:
        return frozenset()
    answer = _held(page)
    if answer is None:
        try:
            if readiness_of(page).state != "ready":
                return frozenset()
            answer = page.workspace.search(page.view.request(page.snapshot.key), page.language, record=False)
        except OncosearchError:
            # The node page stands without the marks; the search page says what is wrong with the question.
            return frozenset()
    return frozenset(hit.node_id for hit in answer.ranking.hits)


def _key(page: Page) -> str:
    return repr((page.view.request(page.snapshot.key), page.language))


def _held(page: Page) -> Answer | None:
    key, answer = st.session_state.get("answer", (None, None))
    return answer if key == _key(page) else None
