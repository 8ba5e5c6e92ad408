"""What stands around the search field: example questions, and the line that says what is searched."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import TYPE_CHECKING

from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import milliseconds
from oncosearch.ui.state import View, search_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Answer

EXAMPLES = (1, 2, 3)


def examples(page: Page) -> Markup:
    """Return three example questions in the interface language, each a link that asks it."""
    t = page.t
    rows = []
    for number in EXAMPLES:
        query = t(f"example.{number}")
        rows.append(inner_link(search_address(_asking(page, query)), query))
    return element(
        "section",
        element("h2", t("example.title"), class_="os-h2"),
        element("div", *rows, class_="os-examples"),
        _more_examples(page) if page.snapshot.demo else None,
    )


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
