"""Two nodes side by side, and what a curator says of them. Nothing is merged: a decision is kept beside the graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import DecidedPairs, Node, OncosearchError
from oncosearch.model.duplicates import DIFFERENT, DUPLICATE, UNDECIDED
from oncosearch.ui.components.breadcrumbs import paths
from oncosearch.ui.components.node_view import facts, fields, sources
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.components.title_mark import mark_of
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import decimal, moment
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import node_address
from oncosearch.workspace.deciding import decide

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.quality import Finding

_BUTTONS = ((DUPLICATE, "quality.mark.duplicate"), (DIFFERENT, "quality.mark.different"))


def pair_list(page: Page, found: Sequence[Finding], decided: DecidedPairs) -> None:
    """Draw pairs one below the other, each with both nodes side by side and the buttons."""
    graph = page.graph()
    ids = [(graph.ids[f.node], graph.ids[f.other]) for f in found if f.other is not None]
    nodes = page.workspace.nodes(page.snapshot.key, [node_id for pair in ids for node_id in pair])
    # The message of a refused decision stands where it was made.
    refused = st.session_state.pop("quality_refused", None)
    for place, finding in enumerate(found):
        first, second = nodes[2 * place], nodes[2 * place + 1]
        with st.container(border=True):
            st.html(_pair(page, first, second, finding.score))
            if refused is not None and refused[0] == (first.id, second.id):
                st.html(error_notice(page.t, refused[1]))
            _decision(page, first.id, second.id, decided)


def _pair(page: Page, first: Node, second: Node, score: float | None) -> Markup:
    t = page.t
    parts = ", ".join(t(f"quality.part.{name}") for name in differences(first, second))
    said = [t("quality.differs", parts=parts) if parts else t("quality.same")]
    if score is not None:
        said.append(t("quality.similarity", score=decimal(score, t.language)))
    sides = element("div", _side(page, first), _side(page, second), class_="os-two")
    return element("div", sides, element("p", " · ".join(said), class_="os-matched"), class_="os-pair")


def _side(page: Page, node: Node) -> Markup:
    t, view = page.t, page.view
    title = node.title.best(t.language) or node.id
    others = [
        element("div", element("span", language, class_="os-lang"), text, lang=language)
        for language, text in node.title
        if text != title
    ]
    above, cut = page.workspace.paths(page.snapshot.key, node.id, t.language)
    whole = [facts(t, node), fields(t, node), sources(t, node)]
    return element(
        "div",
        element("h3", inner_link(node_address(view, node.id), title), mark_of(t, node), class_="os-title"),
        element("p", type_chip(node.type, t.language), element("span", node.id, class_="os-code"), class_="os-tags"),
        *others,
        paths(t, above, cut, view, shown=2),
        element("details", element("summary", t("quality.whole")), *whole, class_="os-more"),
    )


def differences(node: Node, other: Node) -> list[str]:
    """Return the parts in which two nodes differ, in a fixed order."""
    pairs = {
        "title": (node.title, other.title),
        "type": (node.type, other.type),
        "synonyms": (set(node.synonyms), set(other.synonyms)),
        "codes": (set(node.codes), set(other.codes)),
        "fields": (node.fields, other.fields),
        "sources": (set(node.sources), set(other.sources)),
        "parents": (set(node.parents), set(other.parents)),
        "links": (set(node.links), set(other.links)),
    }
    return [name for name, (mine, theirs) in pairs.items() if mine != theirs]


def _decision(page: Page, first: str, second: str, decided: DecidedPairs) -> None:
    t = page.t
    low, high = sorted((first, second))
    event = decided.by_pair.get((low, high))
    verdict = UNDECIDED if event is None else event.verdict
    with st.container(horizontal=True, vertical_alignment="center"):
        for value, text in _BUTTONS:
            st.button(
                ("● " if value == verdict else "○ ") + t(text),
                key=f"pair_{value}_{low}_{high}",
                type="primary" if value == verdict else "secondary",
                on_click=_mark,
                args=(page, low, high, value, verdict),
            )
        if event is not None:
            st.button(
                t("quality.mark.undecided"),
                key=f"pair_undecided_{low}_{high}",
                type="tertiary",
                on_click=_mark,
                args=(page, low, high, UNDECIDED, verdict),
            )
            said = t("quality.marked", user=event.user, time=moment(event.time, t.language))
            st.html(element("span", said, class_="os-matched"), width="content")


def _mark(page: Page, first: str, second: str, verdict: str, before: str) -> None:
    if verdict == before:
        return
    try:
        decide(page.workspace, page.snapshot.key, first, second, verdict)
    except OncosearchError as error:
        st.session_state["quality_refused"] = (first, second), error
    # What was folded before may stand apart now, and the other way round.
    st.session_state.pop("answer", None)
