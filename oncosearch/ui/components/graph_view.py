"""The neighbourhood as a picture: pyvis builds the network, our own page shows it, with nothing from the network.

The page holds the vis-network script of the installed pyvis package and the data as escaped JSON. It is shown in a
frame of the same origin, so no text from outside may reach it in any other form.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from oncosearch.graph import Graph, neighbourhood
from oncosearch.model.vocabulary import NODE_TYPE_KEYS, term_name
from oncosearch.ui.components.title_mark import shown_title
from oncosearch.ui.markup import (
    Markup,
    clamped,
    element,
    escape,
    inner_link,
    join,
    json_for_script,
    shortened,
    unstacked,
)
from oncosearch.ui.palette import swatch, type_chip
from oncosearch.ui.resources import asset
from oncosearch.ui.texts import Texts

NODE_LIMIT = 300
LABEL_LINE = 22
_VIS = ("templates", "lib", "vis-9.1.2", "vis-network.min.js")


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Nodes around one node, nearest first, as (id, title, type, hop), the edges among them, and what was cut.

    Edges are (from, to, kind); kind None is the hierarchy, from child to parent.
    """

    centre: str
    nodes: tuple[tuple[str, str, str, int], ...]
    edges: tuple[tuple[str, str, str | None], ...]
    cut: int


def neighbours(graph: Graph, node_id: str, hops: int, language: str, limit: int = NODE_LIMIT) -> Neighbours:
    """Return the neighbourhood of a node over hierarchy and cross-links, at most ``limit`` nodes."""
    around = neighbourhood(graph.adjacent, graph.index(node_id), hops, limit)
    indices = [int(i) for i in around.nodes]
    inside = set(indices)
    edges: list[tuple[str, str, str | None]] = []
    for i in indices:
        edges += [(graph.ids[i], graph.ids[p], None) for p in graph.parents.of_node(i).tolist() if p in inside]
        across = zip(graph.links.of_node(i).tolist(), graph.links.kinds_of_node(i).tolist(), strict=True)
        edges += [(graph.ids[i], graph.ids[x], graph.link_kinds[kind]) for x, kind in across if x in inside]
    nodes = tuple(
        (graph.ids[i], shown_title(graph, i, language), graph.type_of(i), int(hop))
        for i, hop in zip(indices, around.hops, strict=True)
    )
    return Neighbours(node_id, nodes, tuple(edges), around.cut)


def network_data(
    t: Texts, picture: Neighbours, hits: Collection[str], address_of: Callable[[str], str]
) -> dict[str, Any]:
    """Return what the page draws, built with pyvis: nodes, edges, addresses by id and the texts of the page."""
    from pyvis.network import Network

    network = Network(directed=True)
    for node_id, title, node_type, hop in picture.nodes:
        look = swatch(node_type)
        hit = node_id in hits
        named = f"{shortened(title)} ({term_name('type', node_type, t.language)})"
        network.add_node(
            node_id,
            label=("★ " if hit else "") + _short(title),
            title=f"{named} · {t('graph.hit')}" if hit else named,
            shape=look.shape,
            color=look.colour,
            size=22 if hop == 0 else 13,
            borderWidth=4 if hit or hop == 0 else 1,
        )
    for start, end, kind in picture.edges:
        name = t("graph.part_of") if kind is None else term_name("link", kind, t.language)
        network.add_edge(start, end, title=name, dashes=kind is not None, arrows="to")
    return {
        "centre": picture.centre,
        "nodes": network.nodes,
        "edges": network.edges,
        "hits": [node_id for node_id, *_ in picture.nodes if node_id in hits],
        "addresses": {node_id: address_of(node_id) for node_id, *_ in picture.nodes},
        "texts": {"hint": t("graph.hint"), "open": t("graph.open")},
    }


def graph_page(t: Texts, data: dict[str, Any], dark: bool) -> str:
    """Return the whole page of the picture; the data goes in last, so that nothing in it is taken for a mark."""
    page = asset("graph.html")
    for mark, content in (
        ("%LANGUAGE%", t.language),
        ("%SCHEME%", "dark" if dark else "light"),
        ("%LABEL%", escape(t("graph.label"))),
        ("%FIT%", escape(t("graph.fit"))),
        ("%SCRIPT%", asset("graph.js")),
    ):
        page = page.replace(mark, content)
    before, _, rest = page.partition("%VIS%")
    middle, _, after = rest.partition("%DATA%")
    return "".join((before, vis_script(), middle, json_for_script(data), after))


@cache
def vis_script() -> str:
    """Return the vis-network script that the installed pyvis carries."""
    return files("pyvis").joinpath(*_VIS).read_text("utf-8").replace("</script", "<\\/script")


def legend(t: Texts, picture: Neighbours) -> Markup:
    """Return the types that occur, each with its colour and its count."""
    counts = {key: sum(1 for _, _, node_type, _ in picture.nodes if node_type == key) for key in NODE_TYPE_KEYS}
    chips = [element("span", type_chip(key, t.language), f" {count}") for key, count in counts.items() if count]
    return element("div", *chips, element("span", t("graph.edges")), class_="os-legend")


def node_list(t: Texts, picture: Neighbours, address_of: Callable[[str], str]) -> Markup:
    """Return the same neighbourhood as a list of links, for keyboards, screen readers and small screens."""
    rows = [
        element("li", inner_link(address_of(node_id), *clamped(title)), " ", type_chip(node_type, t.language))
        for node_id, title, node_type, hop in picture.nodes
        if hop
    ]
    return element(
        "details",
        element("summary", t.count("graph.list", len(rows))),
        element("ul", join(rows), class_="os-list"),
        class_="os-more",
    )


def _short(title: str) -> str:
    # Two short lines instead of one long one: neighbours' labels stay apart.
    title = unstacked(title)
    return "\n".join(textwrap.wrap(title, LABEL_LINE, max_lines=2, placeholder="…")) or title[:LABEL_LINE]
