"""Browse: the hierarchy as a tree, and at the open node what tells the next steps apart, down to therapies."""

import dataclasses

import streamlit as st

from oncosearch.graph.tree import levels, tree_path
from oncosearch.model import NotFoundError
from oncosearch.ui.components.decision import all_paths, evidence_of, next_steps, opened_heading, therapies
from oncosearch.ui.components.jump import jump
from oncosearch.ui.components.states import notice
from oncosearch.ui.components.tree import tree
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.page import Page, begin_page, end_page, focus_field, remember_tree, reveal, show
from oncosearch.ui.state import search_address, tree_address
from oncosearch.workspace.browse import steps, therapies_at, therapy_steps


def way_back(page: Page) -> None:
    """Show the way to the top of the tree, and to the search that the tree was opened from."""
    t, view = page.t, page.view
    links = []
    if view.query:
        links.append(inner_link(search_address(view), f"← {t('node.back', query=view.query)}", data_key="back"))
    if view.node is not None:
        links.append(inner_link(tree_address(view, None), t("browse.top"), data_key="top"))
        links.append(element("a", f"↓ {t('browse.here')}", href="#os-decision", class_="os-phone"))
    if links:
        show(element("div", *links, class_="os-actions"))


def whole_tree(page: Page) -> None:
    """Show the tree at its roots, and how it is used."""
    st.title(page.t("browse.heading"), anchor=False)
    show(element("p", page.t("browse.about"), class_="os-lead"))
    jump(page, into_tree=True)
    show(tree(page.t, page.view, page.graph(), ()))
    focus_field()


def opened_node(page: Page, node_id: str) -> None:
    """Show the tree opened at a node, beside what can be decided there."""
    t, view, key, graph = page.t, page.view, page.snapshot.key, page.graph()
    path = tree_path(graph, node_id, view.via)
    node = page.workspace.node(key, node_id)
    last = levels(graph, path, t.language, view.start)[-1]
    below = [graph.ids[i] for i in last.items] if last.open is None else []
    at_hand = therapies_at(graph, path[-1])
    children = [child for child in page.workspace.nodes(key, below) if child.id not in at_hand]
    found = therapy_steps(page.workspace, key, at_hand, t.language)
    way_back(page)
    left, right = st.columns([5, 6], gap="large")
    with left:
        jump(page, into_tree=True, labelled=False)
        show(tree(t, view, graph, path))
    with right:
        show(opened_heading(t, view, node, steps(graph, [node], t.language)[0].sentence))
        ways, cut = page.workspace.paths(key, node_id, t.language)
        without_therapies = last.total - len(set(at_hand) & {graph.ids[i] for i in graph.children.of_node(path[-1])})
        for part in (
            all_paths(t, view, ways, cut, node_id),
            evidence_of(t, view, therapy_steps(page.workspace, key, [node_id], t.language)[0])
            if node.type == "therapy"
            else None,
            next_steps(t, view, graph, path, steps(graph, children, t.language), without_therapies),
            therapies(t, view, found, len(at_hand), t.count("browse.therapies", len(at_hand))),
        ):
            if part is not None:
                show(part)
        if not children and not found and node.type != "therapy":
            show(element("p", t("browse.end"), class_="os-matched"))
    reveal()


page = begin_page("browse")
with page.guarded():
    remember_tree(page)
    if page.view.node is None:
        whole_tree(page)
    else:
        try:
            opened_node(page, page.view.node)
        except NotFoundError:
            show(notice(page.t("node.missing.title", node=page.view.node), page.t("node.missing.advice"), kind="warn"))
            page = dataclasses.replace(page, view=dataclasses.replace(page.view, node=None, via=(), start=0))
            jump(page, into_tree=True)
            show(tree(page.t, page.view, page.graph(), ()))
end_page(page)
