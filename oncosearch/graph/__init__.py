"""The immutable in-memory graph, its walks and its files."""

from oncosearch.graph.columns import TextColumn
from oncosearch.graph.files import open_graph, save_graph
from oncosearch.graph.graph import Graph, Relation, build_graph
from oncosearch.graph.patch import Patch, patched_graph
from oncosearch.graph.walks import (
    Neighbourhood,
    ancestors,
    below,
    descendants,
    neighbourhood,
    paths_to_roots,
    primary_path,
)

__all__ = [
    "Graph",
    "Neighbourhood",
    "Patch",
    "Relation",
    "TextColumn",
    "ancestors",
    "below",
    "build_graph",
    "descendants",
    "neighbourhood",
    "open_graph",
    "patched_graph",
    "paths_to_roots",
    "primary_path",
    "save_graph",
]
