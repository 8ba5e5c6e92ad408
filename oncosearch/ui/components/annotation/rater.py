"""Who rates: the name is asked once and kept by the browser, so that a new tab or another day knows it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import streamlit as st

from oncosearch.model import UsageError
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.markup import element, json_for_script
from oncosearch.workspace.annotating import MAX_NAME, rater_name

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

COOKIE = "oncosearch_rater"
_YEAR = 365 * 24 * 3600


def current_rater() -> str | None:
    """Return the name given in this session of the browser, else the one it kept from an earlier one, else None."""
    if "rater" not in st.session_state:
        try:
            st.session_state["rater"] = rater_name(unquote(st.context.cookies.get(COOKIE, "")))
        except UsageError:
            return None
    return st.session_state["rater"] or None


def keep_rater(name: str) -> None:
    """Let the browser keep the name; an empty one is forgotten."""
    value = f"{COOKIE}=${{encodeURIComponent({json_for_script(name)})}}"
    script = f"document.cookie = `{value}; max-age={_YEAR if name else 0}; path=/; SameSite=Strict`"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def ask_name(page: Page) -> None:
    """Draw the one question that stands before everything else."""
    t = page.t
    st.title(t("annotate.heading"), anchor=False)
    st.html(element("p", t("annotate.name.about"), class_="os-lead"))
    with st.form("annot_who", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(t("annotate.name.field"), key="annot_name", max_chars=MAX_NAME, autocomplete="name")
        st.form_submit_button(t("annotate.name.go"), key="annot_name_go", type="primary", on_click=_named)
    if (error := st.session_state.pop("annot_name_error", None)) is not None:
        st.html(error_notice(t, error))


def name_line(page: Page, rater: str) -> None:
    """Draw whose grades these are, and the way to another name."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="annot_who_line"):
        st.html(element("span", page.t("annotate.name.is", name=rater), class_="os-matched"), width="content")
        st.button(page.t("annotate.name.change"), key="annot_name_change", type="tertiary", on_click=_forget)


def _named() -> None:
    try:
        st.session_state["rater"] = rater_name(str(st.session_state["annot_name"]))
    except UsageError as error:
        st.session_state["annot_name_error"] = error


def _forget() -> None:
    st.session_state["rater"] = ""
