"""Node: everything known of one node, its sources, its neighbours and the picture of its neighbourhood."""

import dataclasses

import streamlit as st

from oncosearch.model import NotFoundError
from oncosearch.ui.asking import marked_hits
from oncosearch.ui.components import node_view
from oncosearch.ui.components.breadcrumbs import paths
from oncosearch.ui.components.graph_view import graph_page, legend, neighbours, network_data, node_list
from oncosearch.ui.components.jump import jump
from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.page import Page, begin_page, end_page, focus_field, reveal, show
from oncosearch.ui.state import REACHES, address_of, node_address, search_address


def way_back(page: Page) -> None:
    """Show the link to the search that the node was opened from."""
    if page.view.query:
        text = f"← {page.t('node.back', query=page.view.query)}"
        show(inner_link(search_address(page.view), text, data_key="back"))


def roots(page: Page) -> None:
    """Show where to begin when no node is named: the jump field and the roots of the graph."""
    st.title(page.t("node.heading"), anchor=False)
    jump(page)
    graph = page.graph()
    ids = tuple(graph.ids[int(i)] for i in graph.roots()[: node_view.SHOWN_AT_MOST])
    listed = node_view.related_list(page.t, page.view, graph, page.t("node.roots"), [node_view.Related("", ids)])
    if listed is not None:
        show(listed)
    focus_field()


def neighbourhood(page: Page, node_id: str) -> None:
    """Show the neighbourhood with its switch, its legend and what was cut."""
    t, view = page.t, page.view
    picture = neighbours(page.graph(), node_id, view.reach, t.language)
    switch = [
        inner_link(
            address_of(dataclasses.replace(view, reach=reach), "/node") + "#os-neighbourhood",
            t(f"graph.reach.{reach}"),
            aria_current="true" if reach == view.reach else None,
        )
        for reach in REACHES
    ]
    show(element("h2", t("graph.title"), class_="os-h2", id="os-neighbourhood"))
    show(
        element(
            "div",
            element("nav", *switch, class_="os-switch", aria_label=t("graph.reach.label")),
            element("span", t("graph.shown", nodes=len(picture.nodes), edges=len(picture.edges)), class_="os-matched"),
            class_="os-actions",
        )
    )
    if picture.cut:
        show(notice("", t("graph.cut", cut=picture.cut, shown=len(picture.nodes))))
    data = network_data(t, picture, marked_hits(page), lambda other: node_address(view, other))
    st.iframe(graph_page(t, data, page.dark), height=560, alt=t("graph.label"))
    show(legend(t, picture))
    show(node_list(t, picture, lambda other: node_address(view, other)))


def whole_node(page: Page, node_id: str) -> None:
    """Show one node in full."""
    t, view, key = page.t, page.view, page.snapshot.key
    node, graph = page.workspace.node(key, node_id), page.graph()
    back, field = st.columns([3, 2], vertical_alignment="center")
    with back:
        way_back(page)
    with field:
        jump(page, labelled=False)
    all_paths, cut = page.workspace.paths(key, node_id, t.language)
    below = node_view.Related("", node_view.children(graph, node_id))
    for part in (
        node_view.heading(t, view, node),
        paths(t, all_paths, cut, view, shown=10),
        node_view.fields(t, node),
        node_view.sources(t, node),
        node_view.facts(t, node),
        node_view.origins(t, node),
        node_view.related_list(t, view, graph, t("node.links"), node_view.relations(graph, node_id, t.language)),
        node_view.related_list(t, view, graph, t.count("node.children", len(below.node_ids)), [below])
        if below.node_ids
        else None,
    ):
        if part is not None:
            show(part)
    neighbourhood(page, node_id)
    reveal()


page = begin_page("node")
with page.guarded():
    if page.view.node is None:
        roots(page)
    else:
        try:
            whole_node(page, page.view.node)
        except NotFoundError:
            show(notice(page.t("node.missing.title", node=page.view.node), page.t("node.missing.advice"), kind="warn"))
            way_back(page)
            jump(page)
end_page(page)
