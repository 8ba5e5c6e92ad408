"""The field that jumps to a node: what fits is listed while one types."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import node_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

SUGGESTIONS = 8


@st.fragment
def jump(page: Page, *, labelled: bool = True) -> None:
    """Draw the field and, below it, links to the nodes of which a title, synonym or code fits."""
    t = page.t
    with st.container(key="focus_jump"):
        text = st.text_input(
            t("jump.field"),
            key="jump_text",
            placeholder=t("jump.placeholder" if labelled else "jump.field"),
            type="search",
            live="250ms",
            label_visibility="visible" if labelled else "collapsed",
        )
    typed = (text or "").strip()
    if not typed:
        return
    found = page.workspace.suggest(page.snapshot.key, typed, page.language, SUGGESTIONS)
    if not found:
        st.html(element("p", t("jump.none", text=typed), class_="os-matched"))
        return
    graph = page.graph()
    rows = [
        element(
            "li",
            inner_link(node_address(page.view, node_id), title),
            " ",
            type_chip(graph.type_of(graph.index(node_id)), t.language),
        )
        for node_id, title in found
    ]
    st.html(element("ul", *rows, class_="os-list", aria_label=t("jump.found")))
