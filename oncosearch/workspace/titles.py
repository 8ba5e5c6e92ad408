"""Titles for places that take text alone: one in another language than the reader's says so."""

from __future__ import annotations

from oncosearch.graph import Graph


def shown_title(graph: Graph, i: int, language: str) -> str:
    """Return the title of node ``i``, with ``[en]`` behind it where it is in another language than ``language``."""
    return with_language(graph.title(i, language), graph.title_language(i, language), language)


def with_language(title: str, written_in: str, language: str) -> str:
    """Return a title with the language it is written in, where that is named and not the reader's."""
    return title if written_in in ("", language) else f"{title} [{written_in}]"
