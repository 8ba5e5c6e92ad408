"""The lists of the quality page: what the checks found, row by row, with the way to each node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from oncosearch.graph import Graph
from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.title_mark import mark_at
from oncosearch.ui.markup import Child, Markup, element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import View, node_address, quality_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.quality import CHECKS, PAIR_CHECKS, Finding, QualityReport

ROWS_AT_ONCE, PAIRS_AT_ONCE = 50, 5
_WITH_DETAIL = frozenset({"dangling", "source_form", "title_missing", "hub", "old_evidence"})


def overview(t: Texts, view: View, report: QualityReport, near: int | None, decided: int) -> Markup:
    """Return every check with what it looks for and how many rows it has, as links to its list."""
    rows = [_overview_row(t, view, report, check, near) for check in CHECKS]
    name: Child = t("quality.decided.name")
    if decided:
        name = inner_link(quality_address(view, "decided"), name)
    rows.append(_row(t, view, "decided", name, integer(decided, t.language)))
    heads = [element("th", t(f"quality.head.{name}"), scope="col") for name in ("check", "count", "about")]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="os-table")
    return element("div", table, class_="os-quality os-overview")


def _overview_row(t: Texts, view: View, report: QualityReport, check: str, near: int | None) -> Markup:
    count = near if check == "near" else report.count(check)
    name: Child = t(f"quality.{check}.name")
    if check in dict(report.not_checked):
        return _row(t, view, check, name, inner_link(quality_address(view, check), t("quality.not_checked")))
    if count is None:
        return _row(t, view, check, name, inner_link(quality_address(view, check), t("quality.near.find")))
    if count:
        name = inner_link(quality_address(view, check), name)
    return _row(t, view, check, name, integer(count, t.language))


def _row(t: Texts, view: View, check: str, name: Child, count: Child) -> Markup:
    return element(
        "tr",
        element("td", name),
        element("td", count, class_="os-count"),
        element("td", t(f"quality.{check}.about"), class_="os-matched"),
        aria_current="true" if view.check == check else None,
    )


def portions(t: Texts, view: View, total: int, at_once: int) -> Markup | None:
    """Return which rows are shown, with links to the ones before and after; None where all fit."""
    if total <= at_once:
        return None
    last = min(total, view.start + at_once)
    numbers = {"first": view.start + 1, "last": last, "total": total}
    said = t("quality.portion", **{name: integer(value, t.language) for name, value in numbers.items()})
    links: list[Child] = []
    if view.start:
        before = max(0, view.start - at_once)
        links.append(inner_link(quality_address(view, view.check, before, view.only), f"← {t('quality.before')}"))
    if last < total:
        links.append(inner_link(quality_address(view, view.check, last, view.only), f"{t('quality.after')} →"))
    return element("nav", element("span", said), *links, class_="os-actions", aria_label=t("quality.portions"))


def node_table(t: Texts, view: View, graph: Graph, check: str, rows: Iterable[Finding]) -> Markup:
    """Return rows of nodes as a table."""
    names = ["title", "type", "id"] + (["detail"] if check in _WITH_DETAIL else [])
    heads = [
        element("th", t(f"quality.{check}.detail" if name == "detail" else f"quality.head.{name}"), scope="col")
        for name in names
    ]
    body = [
        element(
            "tr",
            element(
                "td",
                inner_link(node_address(view, graph.ids[f.node]), graph.title(f.node, t.language)),
                mark_at(t, graph, f.node),
            ),
            element("td", type_chip(graph.type_of(f.node), t.language)),
            element("td", element("span", graph.ids[f.node], class_="os-code")),
            element("td", _detail(t, check, f.detail)) if check in _WITH_DETAIL else None,
        )
        for f in rows
    ]
    table = element("table", element("thead", element("tr", *heads)), element("tbody", *body), class_="os-table")
    return element("div", table, class_="os-quality")


def _detail(t: Texts, check: str, detail: str) -> str:
    if check == "title_missing":
        return term_name("language", detail, t.language)
    return integer(int(detail), t.language) if check == "hub" else detail


def rows_at_once(check: str) -> int:
    """Return how many rows of a list stand on the page at once."""
    return PAIRS_AT_ONCE if check in (*PAIR_CHECKS, "decided") else ROWS_AT_ONCE


def by_type(t: Texts, view: View, counts: Mapping[str, int]) -> Markup:
    """Return how many rows there are of each type, as links that show these alone, and one that shows all."""
    links: list[Child] = []
    for key, count in counts.items():
        chosen = key == view.only
        link = inner_link(
            quality_address(view, view.check, only=None if chosen else key),
            type_chip(key, t.language),
            f" {integer(count, t.language)}",
            aria_current="true" if chosen else None,
        )
        links.append(link)
    if view.only is not None:
        links.append(inner_link(quality_address(view, view.check), t("quality.only.all")))
    return element("nav", *links, class_="os-legend os-only", aria_label=t("quality.only"))
