"""Look and keys of the annotation page."""

from __future__ import annotations

import streamlit as st

from oncosearch.ui import resources


def look() -> None:
    """Put the style and the constant script of the page in place."""
    st.html(f"<style>{resources.asset('annotate.css')}</style>")
    st.html(f"<script>{resources.asset('annotate.js')}</script>", unsafe_allow_javascript=True)


def say_drawn(turn: int, *, finder: bool = False) -> None:
    """Tell the script that the page of ``turn`` is drawn: the next key may act; ``finder`` gets the cursor."""
    script = f"window.oncosearchAnnotate && window.oncosearchAnnotate.drawn({int(turn)}, {str(finder).lower()})"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
