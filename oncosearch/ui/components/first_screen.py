"""What stands around the search field: example questions, and the line that says what is searched."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from oncosearch.model import ArtefactMismatchError
from oncosearch.model.vocabulary import NODE_TYPE_KEYS
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import milliseconds
from oncosearch.ui.state import View, search_address

if TYPE_CHECKING:
    from oncosearch.graph import Graph
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Answer

EXAMPLES = (1, 2, 3)
_EXAMPLE_TYPES = ("therapy", "evidence", "drug", "biomarker", "disease")
_LONGEST_EXAMPLE = 90


def examples(page: Page) -> Markup | None:
    """Return three example questions in the interface language, each a link that asks it.

    Those of the demo graph suit no other: there they are titles, and None where the graph is not prepared yet.
    """
    t = page.t
    if page.snapshot.demo:
        queries = tuple(t(f"example.{number}") for number in EXAMPLES)
    else:
        try:
            queries = titles_to_ask(page.graph(), t.language)
        except ArtefactMismatchError:
            # The first question says that the graph must be prepared, and offers to do it.
            queries = ()
    if not queries:
        return None
    rows = [inner_link(search_address(_asking(page, query)), query) for query in queries]
    return element(
        "section",
        element("h2", t("example.title"), class_="os-h2"),
        element("div", *rows, class_="os-examples"),
        _more_examples(page) if page.snapshot.demo else None,
    )


def titles_to_ask(graph: Graph, language: str) -> tuple[str, ...]:
    """Return the title of the node with most neighbours of each of three types, therapies first."""
    neighbours = np.diff(graph.adjacent.starts)
    found: list[str] = []
    for key in _EXAMPLE_TYPES:
        nodes = np.flatnonzero(graph.types == NODE_TYPE_KEYS.index(key))
        order = nodes[np.argsort(-neighbours[nodes], kind="stable")][:20]
        titles = (graph.title(int(i), language) for i in order)
        short = next((title for title in titles if len(title) <= _LONGEST_EXAMPLE and title not in found), None)
        if short is not None:
            found.append(short)
    return tuple(found[: len(EXAMPLES)])


def _more_examples(page: Page) -> Markup | None:
    t, shown = page.t, {page.t(f"example.{number}") for number in EXAMPLES}
    queries = [query for query in demo_queries() if query not in shown]
    if not queries:
        return None
    links = [element("li", inner_link(search_address(_asking(page, query)), query, lang="de")) for query in queries]
    return element(
        "details",
        element("summary", t.count("example.more", len(queries))),
        element("ul", *links, class_="os-list"),
        class_="os-more",
    )


def _asking(page: Page, query: str) -> View:
    return dataclasses.replace(page.view, query=query, graph=str(page.snapshot.key))


@cache
def demo_queries() -> tuple[str, ...]:
    """Return the questions that come with the demo graph, in their order; none where the file is missing."""
    from oncosearch.workspace import demo_folder, read_topics

    path = demo_folder() / "topics.tsv"
    return tuple(topic.query for topic in read_topics(path)) if path.is_file() else ()


def searched_line(page: Page, answer: Answer | None = None) -> Markup:
    """Return one line: graph, snapshot, number of nodes, pipeline, model; after a search also how long it took."""
    from oncosearch.retrieve import pipeline

    t, snapshot, chosen = page.t, page.snapshot, pipeline(page.view.pipeline)
    pieces = []
    if answer is not None:
        pieces.append(element("b", t.count("search.hits", len(answer.details))))
    pieces += [
        element("span", f"{snapshot.title or snapshot.graph_id} · {snapshot.snapshot_id}"),
        element("span", t.count("count.nodes", snapshot.node_count)),
        element("span", chosen.name(t.language)),
    ]
    if chosen.needs_vectors:
        pieces.append(element("span", t("search.model", model=page.view.model)))
    if answer is None:
        pieces.append(element("span", t("aid.line")))
    elif answer.cached:
        pieces.append(element("span", t("search.cached")))
    else:
        spent = sum(value for name, value in answer.ranking.timings if name != "total")
        pieces.append(element("span", milliseconds(spent, t.language)))
    return element("div", *pieces, class_="os-status")
