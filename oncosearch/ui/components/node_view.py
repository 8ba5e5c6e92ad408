"""A node in full: titles, paths, fields in every language, codes, sources, children and cross-links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.model import Node
from oncosearch.model.vocabulary import link_back_name, term_name
from oncosearch.ui.components.sources import highest_chip, source_list
from oncosearch.ui.components.title_mark import mark_at, mark_of
from oncosearch.ui.markup import TITLE_LIMIT, Markup, clamped, element, inner_link, join, shortened
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import View, node_address, tree_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import SourceCard

SHOWN_AT_ONCE = 15
SHOWN_AT_MOST = 500


@dataclass(frozen=True, slots=True)
class Related:
    """Nodes in one relation to the node: the relation's name in the interface language and their ids."""

    name: str
    node_ids: tuple[str, ...]


def heading(t: Texts, view: View, node: Node) -> Markup:
    """Return title, type, the highest evidence level, the titles in the other languages and the way into the tree."""
    title = node.title.best(t.language) or node.id
    others = [
        element("span", element("span", language, class_="os-lang"), *clamped(text), lang=language)
        for language, text in node.title
        if text != title
    ]
    level = min((s.evidence_level for s in node.sources if s.evidence_level), default=None)
    return element(
        "header",
        element("h1", shortened(title), " ", mark_of(t, node), class_="os-h1"),
        _whole_title(t, title) if len(title) > TITLE_LIMIT else None,
        element("div", type_chip(node.type, t.language), highest_chip(t, level), *others, class_="os-tags"),
        element("div", inner_link(tree_address(view, node.id), t("browse.show"), data_key="tree"), class_="os-actions"),
        class_="os-section",
    )


def _whole_title(t: Texts, title: str) -> Markup:
    return element("details", element("summary", t("node.whole_title")), element("p", title), class_="os-more")


def facts(t: Texts, node: Node) -> Markup | None:
    """Return synonyms and codes as rows, None where there are none."""
    rows: list[Markup] = []
    if node.synonyms:
        synonyms = [
            element(
                "li",
                element("span", s.language, class_="os-lang"),
                s.text,
                f" ({term_name('scope', s.scope, t.language)})",
                lang=s.language,
            )
            for s in node.synonyms
        ]
        rows += [element("dt", t("node.synonyms")), element("dd", element("ul", *synonyms))]
    if node.codes:
        codes = [element("li", f"{code.system} ", element("span", code.code, class_="os-code")) for code in node.codes]
        rows += [element("dt", t("node.codes")), element("dd", element("ul", *codes))]
    rows += [element("dt", t("node.id")), element("dd", element("span", node.id, class_="os-code"))]
    return element("dl", *rows, class_="os-facts")


def fields(t: Texts, node: Node) -> Markup | None:
    """Return every text field with its texts side by side, the interface language first."""
    rows = []
    for key, text in node.fields:
        ordered = sorted(text, key=lambda pair: pair[0] != t.language)
        sides = [
            element("div", element("span", language, class_="os-lang"), content, lang=language)
            for language, content in ordered
        ]
        rows.append(
            element(
                "section",
                element("h3", term_name("field", key, t.language)),
                element("div", *sides, class_="os-two" if len(sides) > 1 else None),
                class_="os-field",
            )
        )
    return element("div", *rows) if rows else None


def sources(t: Texts, node: Node) -> Markup | None:
    """Return the sources with their addresses and evidence levels."""
    found = source_list(t, [SourceCard(s, source_address(s)) for s in node.sources], short=False)
    return None if found is None else _section(t("node.sources"), found)


def relations(graph: Graph, node_id: str, language: str) -> list[Related]:
    """Return the cross-links of a node in both directions, each kind under its own name, in the graph's order."""
    i = graph.index(node_id)
    named: dict[str, list[str]] = {}
    for relation, forward in ((graph.links, True), (graph.links_back, False)):
        for target, kind in zip(relation.of_node(i).tolist(), relation.kinds_of_node(i).tolist(), strict=True):
            key = graph.link_kinds[kind]
            name = term_name("link", key, language) if forward else link_back_name(key, language)
            named.setdefault(name, []).append(graph.ids[target])
    return [Related(name, tuple(dict.fromkeys(ids))) for name, ids in named.items()]


def children(graph: Graph, node_id: str) -> tuple[str, ...]:
    """Return the ids of the children, ascending."""
    return tuple(graph.ids[c] for c in graph.children.of_node(graph.index(node_id)).tolist())


def origins(t: Texts, node: Node) -> Markup | None:
    """Return what the node was made from, each with its licence and attribution; None where it was not merged."""
    if not node.origins:
        return None
    rows = []
    for origin in node.origins:
        parts: list[Markup | str] = [f"{origin.graph} ", element("span", origin.node, class_="os-code")]
        if origin.part:
            kind, _, language = origin.part.partition(".")
            name = term_name("language", language, t.language)
            parts.append(f" ({t(f'origins.part.{kind}', language=name)})")
        if origin.licence:
            parts.append(f" · {origin.licence}")
        lines = [element("div", line, class_="os-matched") for line in origin.attribution]
        rows.append(element("li", *parts, *lines))
    return _section(t("origins.title"), element("ul", *rows, class_="os-list"))


def related_list(t: Texts, view: View, graph: Graph, title: str, groups: Sequence[Related]) -> Markup | None:
    """Return relations as lists of links; long ones open on demand, and what is beyond the limit is said."""
    parts: list[Markup] = []
    for group in groups:
        rows = [_link_row(t, view, graph, node_id) for node_id in group.node_ids[:SHOWN_AT_MOST]]
        listed = _list(t, rows, len(group.node_ids))
        parts += [element("dt", group.name), element("dd", listed)] if group.name else [listed]
    if not parts:
        return None
    return _section(title, element("dl", *parts, class_="os-facts") if groups[0].name else join(parts))


def _list(t: Texts, rows: Sequence[Markup], total: int) -> Markup:
    shown = element("ul", *rows[:SHOWN_AT_ONCE], class_="os-list")
    if len(rows) <= SHOWN_AT_ONCE:
        return shown
    cut = None
    if total > len(rows):
        cut = element("p", t("node.list_cut", shown=len(rows), total=total), class_="os-matched")
    more = element(
        "details",
        element("summary", t.count("node.more", len(rows) - SHOWN_AT_ONCE)),
        element("ul", *rows[SHOWN_AT_ONCE:], class_="os-list"),
        cut,
        class_="os-more",
    )
    return element("div", shown, more)


def _link_row(t: Texts, view: View, graph: Graph, node_id: str) -> Markup:
    i = graph.index(node_id)
    return element(
        "li",
        inner_link(node_address(view, node_id), *clamped(graph.title(i, t.language))),
        " ",
        mark_at(t, graph, i),
        type_chip(graph.type_of(i), t.language),
    )


def _section(title: str, *parts: Markup) -> Markup:
    return element("section", element("h2", title, class_="os-h2"), *parts, class_="os-section")
