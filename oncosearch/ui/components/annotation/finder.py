"""Finding a node while one types: the one a card is a duplicate of, or one that the pool lacks."""

from __future__ import annotations

import streamlit as st

from oncosearch.review import TopicState
from oncosearch.ui.components.annotation.acting import Desk, take
from oncosearch.ui.components.title_mark import mark_at
from oncosearch.ui.markup import Child, element
from oncosearch.ui.palette import type_chip
from oncosearch.workspace.browse import suggestions

FOUND_AT_MOST, CARDS_AT_MOST, LOOKED_AT = 8, 60, 200


def toggle_finder(purpose: str) -> None:
    """Open the field for a purpose (``duplicate`` or ``add``), or close it where it is open for that."""
    state = st.session_state
    state["annot_find"] = None if state.get("annot_find") == purpose else purpose
    state["annot_find_text"] = ""


def finder(desk: Desk, state: TopicState, node: str) -> None:
    """Draw the field and what fits; a button beside each takes it."""
    t = desk.page.t
    purpose = st.session_state.get("annot_find")
    if purpose is None:
        return
    with st.container(border=True, key="annot_finder", gap="small"):
        st.text_input(
            t(f"annotate.find.{purpose}"),
            key="annot_find_text",
            placeholder=t("jump.placeholder"),
            type="search",
            live="250ms",
        )
        rows = _offered(desk, state, node, purpose)
        if not rows:
            st.html(element("p", t("annotate.find.none"), class_="os-matched"))
        there = {item.node for item in state.items}
        box = st.container(height=230, border=False, gap="xxsmall") if len(rows) > 4 else st.container(gap="xxsmall")
        with box:
            for place, (found, row) in enumerate(rows):
                with st.container(horizontal=True, vertical_alignment="center", wrap=False, gap="small"):
                    st.button(
                        t(
                            "annotate.find.there"
                            if purpose == "add" and found in there
                            else f"annotate.find.take.{purpose}"
                        ),
                        key=f"annot_take_{place}",
                        disabled=purpose == "add" and found in there,
                        on_click=_found,
                        args=(desk, purpose, node, found),
                    )
                    st.html(element("div", *row))
        st.button(
            t("annotate.find.close"), key="annot_finder_close", type="tertiary", on_click=toggle_finder, args=(purpose,)
        )


def _offered(desk: Desk, state: TopicState, node: str, purpose: str) -> list[tuple[str, list[Child]]]:
    page, key = desk.page, desk.view.session.snapshot
    t, graph = page.t, page.workspace.graph(key)
    typed = str(st.session_state.get("annot_find_text") or "").strip()
    if typed:
        # A duplicate is one of another card of this topic; any node of the graph can be added.
        there = None if purpose == "add" else {item.node for item in state.items if item.node != node}
        found = suggestions(page.workspace, key, typed, t.language, FOUND_AT_MOST if there is None else LOOKED_AT)
        found = [s for s in found if there is None or s.node_id in there][:FOUND_AT_MOST]
        rows: list[tuple[str, list[Child]]] = []
        for s in found:
            at = graph.index(s.node_id)
            named = None if s.name == s.title else element("div", s.name, class_="os-matched")
            rows.append(
                (s.node_id, [s.title, mark_at(t, graph, at), " ", type_chip(graph.type_of(at), t.language), named])
            )
        return rows
    if purpose == "add":
        return []
    others = [item.node for item in state.items if item.node != node and not item.is_duplicate][:CARDS_AT_MOST]
    return [
        (other, [graph.title(place, t.language), " ", type_chip(graph.type_of(place), t.language)])
        for other in others
        if (place := graph.ids.find(other)) is not None
    ]


def _found(desk: Desk, purpose: str, node: str, found: str) -> None:
    if purpose == "add":
        take(desk, "add", found)
    else:
        take(desk, "duplicate", node, found, onward=True)
    if "annot_refused" not in st.session_state:
        st.session_state["annot_find"] = None
