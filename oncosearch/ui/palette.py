"""The one palette of the node types, for cards, heatmap, graph and print alike.

Twelve colours that keep apart for readers with red, green or blue deficiency (CIE76 distance at least 13 in each
simulation) and stand out from both page backgrounds by at least 3 : 1. A shape goes with each in the graph, and the
type's word stands beside it everywhere: nothing is told by colour alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from oncosearch.model.vocabulary import NODE_TYPE_KEYS, term_name
from oncosearch.ui.markup import Markup, element

PAGE_LIGHT = "#ffffff"
PAGE_DARK = "#10191e"


@dataclass(frozen=True, slots=True)
class Swatch:
    """Colour (hex) and graph shape (a vis-network shape whose label stands outside) of a node type."""

    colour: str
    shape: str


SWATCHES: dict[str, Swatch] = {
    "group": Swatch("#659aa0", "square"),
    "disease": Swatch("#1161cf", "dot"),
    "diagnosis": Swatch("#3d96f9", "triangle"),
    "staging": Swatch("#959650", "triangleDown"),
    "biomarker": Swatch("#a0458e", "diamond"),
    "therapy": Swatch("#43713c", "hexagon"),
    "drug": Swatch("#6d9c1c", "dot"),
    "contraindication": Swatch("#c1316b", "triangleDown"),
    "procedure": Swatch("#8d62bc", "square"),
    "supportive_care": Swatch("#c57a71", "hexagon"),
    "document": Swatch("#9c89c7", "triangle"),
    "evidence": Swatch("#955a12", "star"),
}
assert tuple(SWATCHES) == NODE_TYPE_KEYS, "every node type has its colour, in vocabulary order"

# Sequential scales of the heatmap, from nothing to all. The number stands in every cell, in the text colour, which
# keeps a contrast of at least 4.5 : 1 on all of them.
HEAT_LIGHT = ("#f3f7f8", "#d7eaed", "#a9d3da", "#7bbcc7", "#62aebb")
HEAT_DARK = ("#17242b", "#1b3a44", "#1f515d", "#226370", "#24707e")


def swatch(node_type: str) -> Swatch:
    """Return colour and shape of a node type; an unknown one looks like a group."""
    return SWATCHES.get(node_type, SWATCHES["group"])


def type_chip(node_type: str, language: str) -> Markup:
    """Return the type as a coloured mark and its word."""
    mark = element("i", class_="os-mark", style=f"background:{swatch(node_type).colour}", aria_hidden="true")
    return element("span", mark, term_name("type", node_type, language), class_="os-type")
