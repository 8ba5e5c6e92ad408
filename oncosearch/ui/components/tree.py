"""The hierarchy as a tree of links: only opened levels are there, long ones in portions."""

from __future__ import annotations

from oncosearch.graph import Graph
from oncosearch.graph.tree import AROUND, PORTION, Level, Path, child_count, levels, via_of
from oncosearch.ui.components.title_mark import mark_at
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import OPEN_ANCHOR, View, tree_address
from oncosearch.ui.texts import Texts


def tree(t: Texts, view: View, graph: Graph, path: Path) -> Markup:
    """Return the tree opened along ``path``; the end of the path is the open node."""
    opened = levels(graph, path, t.language, view.start)
    inner: Markup | None = None
    for depth in range(len(opened) - 1, -1, -1):
        inner = _level(t, view, graph, opened[depth], path[:depth], path[-1] if path else None, inner)
    return element("nav", inner, class_="os-tree", aria_label=t("browse.tree"))


def place_address(view: View, graph: Graph, path: Path, start: int = 0) -> str:
    """Return the address of the tree opened at the end of ``path``, over just this path."""
    if not path:
        return tree_address(view, None, (), start)
    return tree_address(view, graph.ids[path[-1]], via_of(graph, path), start)


def _level(
    t: Texts, view: View, graph: Graph, level: Level, above: Path, current: int | None, inner: Markup | None
) -> Markup:
    rows: list[Markup | None] = [_before(t, view, graph, level, above)]
    for i in level.items:
        here = (*above, i)
        below = inner if i == level.open else None
        rows.append(element("li", _row(t, view, graph, here, i == level.open, i == current), below))
    rows.append(_after(t, view, graph, level, above))
    return element("ul", *rows)


def _row(t: Texts, view: View, graph: Graph, path: Path, is_open: bool, is_current: bool) -> Markup:
    i = path[-1]
    count = child_count(graph, i)
    # The open node closes when it is chosen again: its parent is then the open one.
    address = place_address(view, graph, path[:-1] if is_current and count else path)
    mark = element("span", ("▾" if is_open else "▸") if count else "·", class_="os-fold", aria_hidden="true")
    link = inner_link(
        address,
        mark,
        element("span", graph.title(i, t.language)),
        mark_at(t, graph, i),
        class_="os-twig",
        data_item=graph.ids[i],
        aria_expanded=("true" if is_open else "false") if count else None,
        aria_current="true" if is_current else None,
        id=OPEN_ANCHOR if is_current else None,
    )
    number = None
    if count:
        number = element("span", integer(count, t.language), class_="os-number", title=t.count("browse.below", count))
    chips = element("span", type_chip(graph.type_of(i), t.language), number, class_="os-twig-chips")
    return element("div", link, chips, class_="os-twig-row")


def _before(t: Texts, view: View, graph: Graph, level: Level, above: Path) -> Markup | None:
    if not level.first:
        return None
    return _more(t.count("browse.before", level.first), place_address(view, graph, above, max(0, level.first - 1)))


def _after(t: Texts, view: View, graph: Graph, level: Level, above: Path) -> Markup | None:
    if not level.after:
        return None
    start = level.first + (PORTION if level.open is None else 2 * AROUND + 1)
    return _more(t.count("browse.after", level.after), place_address(view, graph, above, min(start, level.total - 1)))


def _more(text: str, address: str) -> Markup:
    return element("li", inner_link(address, text, class_="os-twig os-portion"))
