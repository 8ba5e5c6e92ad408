"""What the owner of a session asks for: done, and what became of it kept for the page to say."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from oncosearch.model import OncosearchError


def done(act: Callable[[], object], said: str) -> None:
    """Do what the owner asked for and remember what to say: that it is saved, or why not."""
    try:
        act()
    except OncosearchError as error:
        st.session_state["manage_error"] = error
    else:
        st.session_state["manage_said"] = said
