"""The open node of the tree as a point of decision: what tells the next steps apart, and therapies with evidence."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.graph.tree import Path
from oncosearch.model import Node
from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.sources import highest_chip, source_list
from oncosearch.ui.components.title_mark import mark_of, title_mark
from oncosearch.ui.components.tree import place_address
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import View, node_address, tree_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.browse import Step, TherapyStep
from oncosearch.workspace.requests import PathStep, SourceCard

THERAPIES_AT_ONCE = 12


def opened_heading(t: Texts, view: View, node: Node, sentence: str) -> Markup:
    """Return the open node: title, type, highest evidence level, the way to its page and its first sentence."""
    levels = sorted(s.evidence_level for s in node.sources if s.evidence_level)
    return element(
        "header",
        element(
            "h1",
            node.title.best(t.language) or node.id,
            " ",
            mark_of(t, node),
            class_="os-h1 os-h1-small",
            id="os-decision",
        ),
        element(
            "div",
            type_chip(node.type, t.language),
            highest_chip(t, levels[0] if levels else None),
            inner_link(node_address(view, node.id), t("browse.node_page"), data_key="node_page"),
            class_="os-tags",
        ),
        element("p", sentence) if sentence else None,
        class_="os-section",
    )


def all_paths(t: Texts, view: View, paths: Sequence[Sequence[PathStep]], cut: bool, node_id: str) -> Markup | None:
    """Return every path of the open node, each step a link into the tree on this very path; None for a root."""
    rows = [_path(t, view, path, node_id, len(paths) > 1) for path in paths if path]
    if not rows:
        return None
    note = element("li", t("paths.cut", count=len(rows))) if cut else None
    return element("ul", *rows, note, class_="os-paths", aria_label=t("paths.label"))


def _path(t: Texts, view: View, path: Sequence[PathStep], node_id: str, several: bool) -> Markup:
    ids = [step.node_id for step in path]
    pieces: list[Markup] = []
    for place, step in enumerate(path):
        if pieces:
            pieces.append(element("span", "›", class_="os-gt", aria_hidden="true"))
        pieces.append(inner_link(tree_address(view, step.node_id, ids[:place]), step.title, class_="os-step"))
        mark = title_mark(t, step.language)
        pieces += [mark] if mark is not None else []
    if several:
        pieces.append(inner_link(tree_address(view, node_id, ids), t("browse.this_path"), class_="os-here"))
    return element("li", *pieces)


def next_steps(t: Texts, view: View, graph: Graph, path: Path, steps: Sequence[Step], total: int) -> Markup | None:
    """Return the children to choose from, each with its type and what tells it apart; None where there are none."""
    if not steps:
        return None
    rows = []
    for step in steps:
        address = place_address(view, graph, (*path, graph.index(step.node.id)))
        rows.append(element("li", *_told(t, step, address), class_="os-choice"))
    cut = None
    if total > len(steps):
        cut = element("p", t("browse.portion", shown=len(steps), total=total), class_="os-matched")
    return element(
        "section", element("h2", t("browse.next"), class_="os-h2"), element("ul", *rows), cut, class_="os-section"
    )


def therapies(t: Texts, view: View, found: Sequence[TherapyStep], total: int, title: str) -> Markup | None:
    """Return therapies with their evidence, the best first, the others one click away; None where there are none."""
    if not found:
        return None
    rows = [_therapy(t, view, therapy) for therapy in found]
    more = None
    if len(rows) > THERAPIES_AT_ONCE:
        more = element(
            "details",
            element("summary", t.count("node.more", len(rows) - THERAPIES_AT_ONCE)),
            element("ul", *rows[THERAPIES_AT_ONCE:]),
            class_="os-more",
        )
    cut = None
    if total > len(found):
        cut = element("p", t("browse.portion_therapies", shown=len(found), total=total), class_="os-matched")
    heading = element("h2", title, class_="os-h2")
    return element("section", heading, element("ul", *rows[:THERAPIES_AT_ONCE]), more, cut, class_="os-section")


def evidence_of(t: Texts, view: View, therapy: TherapyStep) -> Markup:
    """Return the evidence of a therapy in full: its own sources and the nodes that support it."""
    parts = _evidence(t, view, therapy, short=False)
    shown = parts or [element("p", t("browse.no_evidence"), class_="os-matched")]
    return element("section", element("h2", t("browse.evidence"), class_="os-h2"), *shown, class_="os-section")


def _therapy(t: Texts, view: View, therapy: TherapyStep) -> Markup:
    step = therapy.step
    told = _told(t, step, tree_address(view, step.node.id), highest_chip(t, therapy.level))
    evidence = _evidence(t, view, therapy, short=True)
    return element("li", *told, *(evidence or [_no_evidence(t)]), class_="os-choice")


def _no_evidence(t: Texts) -> Markup:
    return element("p", t("browse.no_evidence"), class_="os-matched")


def _told(t: Texts, step: Step, address: str, level: Markup | None = None) -> list[Markup | None]:
    node = step.node
    heading = element(
        "div",
        inner_link(address, node.title.best(t.language) or node.id, data_item=node.id),
        mark_of(t, node),
        type_chip(node.type, t.language),
        level,
        class_="os-head",
    )
    sentence = None
    if step.sentence:
        field = element("span", f"{term_name('field', step.field, t.language)}:", class_="os-field-name")
        sentence = element("p", field, " ", step.sentence)
    required = None
    if step.requires:
        titles = "; ".join(title for _, title in step.requires)
        required = element("p", t("browse.requires", titles=titles), class_="os-requires")
    return [heading, required, sentence]


def _evidence(t: Texts, view: View, therapy: TherapyStep, *, short: bool) -> list[Markup]:
    parts: list[Markup] = []
    own = source_list(t, [SourceCard(s, source_address(s)) for s in therapy.sources], short=short)
    if own is not None:
        parts.append(own)
    for node in therapy.support:
        link = inner_link(node_address(view, node.id), node.title.best(t.language) or node.id)
        sources = source_list(t, [SourceCard(s, source_address(s)) for s in node.sources], short=True)
        parts.append(element("div", element("p", link), sources, class_="os-support"))
    return parts
