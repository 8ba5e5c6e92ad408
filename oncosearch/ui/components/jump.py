"""The field that jumps to a node: what fits is listed while one types, with the name that does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.title_mark import mark_at
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import node_address, tree_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.browse import Suggestion, suggestions

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

SUGGESTIONS = 8


@st.fragment
def jump(page: Page, *, labelled: bool = True, into_tree: bool = False) -> None:
    """Draw the field and, below it, links to the nodes (or their places in the tree) of which a name or code fits."""
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
    address = tree_address if into_tree else node_address
    list_what_fits(page, text, lambda node_id: address(page.view, node_id))


def list_what_fits(page: Page, text: str | None, address: Callable[[str], str]) -> None:
    """Draw the nodes that a typed text fits, as links to ``address`` of each, or that there is none."""
    t, typed = page.t, (text or "").strip()
    if not typed:
        return
    found = suggestions(page.workspace, page.snapshot.key, typed, page.language, SUGGESTIONS)
    if not found:
        st.html(element("p", t("jump.none", text=typed), class_="os-matched"))
        return
    graph = page.graph()
    rows = [
        element("li", *suggestion_row(t, s, address(s.node_id), graph.type_of(i), mark_at(t, graph, i)))
        for s in found
        for i in (graph.index(s.node_id),)
    ]
    st.html(element("ul", *rows, class_="os-list os-suggestions", aria_label=t("jump.found")))


def suggestion_row(
    t: Texts, suggestion: Suggestion, address: str, node_type: str, mark: Markup | None = None
) -> list[Markup | str]:
    """Return a suggestion: the title as a link, its mark, the type, and the name that fits with its kind and scope."""
    beside = [" ", *([mark] if mark is not None else []), type_chip(node_type, t.language)]
    if suggestion.kind == "title" and suggestion.name == suggestion.title:
        return [inner_link(address, *_marked(suggestion)), *beside]
    return [
        inner_link(address, suggestion.title),
        *beside,
        element("div", f"{_what(t, suggestion)}: ", *_marked(suggestion), class_="os-matched"),
    ]


def _what(t: Texts, suggestion: Suggestion) -> str:
    if suggestion.kind == "synonym":
        return t("jump.synonym", scope=term_name("scope", suggestion.scope or "exact", t.language))
    if suggestion.kind == "code":
        return t("jump.code", system=suggestion.language)
    return t("jump.title", language=term_name("language", suggestion.language, t.language))


def _marked(suggestion: Suggestion) -> list[Markup | str]:
    name, start, end = suggestion.name, suggestion.start, suggestion.end
    return [name[:start], element("mark", name[start:end]), name[end:]] if end > start else [name]
