"""What a rater sees of a topic: the open card with its text and sources, and the list of all cards with their grades.

Nothing here knows a score, a model or another rater's grade, unless it is handed over after the topic is finished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.model import Node
from oncosearch.model.vocabulary import term_name
from oncosearch.review import Found, ItemState, Progress, TopicState
from oncosearch.ui.components.sources import highest_chip, source_list
from oncosearch.ui.components.title_mark import mark_at, mark_of
from oncosearch.ui.markup import Markup, clamped, element, join
from oncosearch.ui.numbers import integer
from oncosearch.ui.palette import swatch, type_chip
from oncosearch.ui.state import View, node_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import PathStep, SourceCard

PATHS_SHOWN, NAMES_SHOWN, LIST_TITLE = 2, 8, 90
GRADES_BY_KEY = {"3": "3", "2": "2", "1": "1", "0": "0", "minus": "-1"}


def grade_words(t: Texts, grade: str) -> str:
    """Return a grade with what it means."""
    key = {"-1": "minus"}.get(grade, grade)
    word = t(f"annotate.grade.{key}")
    return word if grade == "unsure" else f"{shown_grade(grade)} · {word}"


def shown_grade(grade: str) -> str:
    """Return a grade as it is written: a minus instead of a hyphen."""
    return {"-1": "−1", "unsure": "?"}.get(grade, grade)


def grade_badge(t: Texts, item: ItemState) -> Markup:
    """Return where a card stands: its grade, a first grade from the order, or that it waits."""
    if item.is_duplicate:
        return _badge("=", t("annotate.badge.duplicate"))
    if item.grade:
        first = item.stage == "bootstrapped"
        meaning = grade_words(t, item.grade)
        if first:
            meaning = t("annotate.badge.first", grade=meaning)
        return _badge(shown_grade(item.grade), meaning, "os-grade-first" if first else "os-grade-set")
    if item.later:
        return _badge("…", t("annotate.badge.later"))
    return _badge("\u00a0", t("annotate.badge.open"))


def _badge(text: str, meaning: str, kind: str = "") -> Markup:
    return element("span", text, class_=f"os-grade {kind}".rstrip(), title=meaning, role="img", aria_label=meaning)


def pool_list(t: Texts, graph: Graph, items: Sequence[ItemState], current: str) -> Markup:
    """Return all cards of a topic in their order, each with its grade; a row opens its card."""
    rows = []
    for place, item in enumerate(items):
        at = graph.ids.find(item.node)
        title: tuple[Markup | str, ...]
        if at is None:
            title, mark, colour = (item.node,), None, swatch("group").colour
        else:
            title = clamped(graph.title(at, t.language), LIST_TITLE)
            mark, colour = mark_at(t, graph, at), swatch(graph.type_of(at)).colour
        named = element("span", *title, class_="os-gone" if item.is_duplicate else None)
        rows.append(
            element(
                "li",
                element(
                    "button",
                    element("span", str(place + 1), class_="os-number"),
                    element(
                        "span",
                        element("i", class_="os-mark", style=f"background:{colour}", aria_hidden="true"),
                        " ",
                        named,
                        mark,
                        f" ({t('annotate.added')})" if item.added else None,
                    ),
                    grade_badge(t, item),
                    type="button",
                    data_place=place,
                    aria_current="true" if item.node == current else None,
                ),
            )
        )
    return element("ol", *rows, class_="os-pool", aria_label=t("annotate.list"))


def card(
    t: Texts, view: View, node: Node, item: ItemState, paths: Sequence[Sequence[PathStep]], titles: Mapping[str, str]
) -> Markup:
    """Return a card: title, type, place in the graph, names, texts in the reader's language, sources, what is marked.

    Parameters
    ----------
    titles
        Titles of other nodes that the card names, by id.
    """
    levels = sorted(s.evidence_level for s in node.sources if s.evidence_level)
    title = node.title.best(t.language) or node.id
    other = [element("span", element("span", k, class_="os-lang"), v, lang=k) for k, v in node.title if v != title]
    return element(
        "article",
        element("h2", *clamped(title), mark_of(t, node)),
        element(
            "div",
            type_chip(node.type, t.language),
            highest_chip(t, levels[0] if levels else None),
            *other,
            class_="os-tags",
        ),
        *_flags(t, item, titles),
        _paths(paths),
        _names(t, node),
        _texts(t, node),
        source_list(t, [SourceCard(s, source_address(s)) for s in node.sources], short=False),
        element(
            "div",
            element("a", t("annotate.open_node"), href=node_address(view, node.id), target="_blank", rel="noopener"),
            class_="os-actions",
        ),
        class_="os-annot-card",
        data_node=node.id,
        aria_label=title,
    )


def _flags(t: Texts, item: ItemState, titles: Mapping[str, str]) -> list[Markup]:
    said = []
    if item.is_duplicate:
        said.append(t("annotate.flag.duplicate", title=titles.get(item.duplicate_of, item.duplicate_of)))
    if item.irrelevant:
        said.append(t("annotate.flag.irrelevant"))
    if item.added:
        said.append(t("annotate.flag.added"))
    if item.recheck:
        grade = grade_words(t, item.previous) if item.previous else "—"
        said.append(t("annotate.flag.changed", grade=grade))
    return [element("p", text, class_="os-annot-flag") for text in said]


def _paths(paths: Sequence[Sequence[PathStep]]) -> Markup | None:
    rows = [" › ".join(step.title for step in path) for path in paths if path]
    if not rows:
        return None
    more = element("li", f"+{len(rows) - PATHS_SHOWN}") if len(rows) > PATHS_SHOWN else None
    return element("ul", *(element("li", row) for row in rows[:PATHS_SHOWN]), more, class_="os-paths")


def _names(t: Texts, node: Node) -> Markup | None:
    names = [
        f"{s.text} ({term_name('scope', s.scope, t.language)})" if s.scope != "exact" else s.text for s in node.synonyms
    ]
    names += [f"{code.system} {code.code}" for code in node.codes]
    if not names:
        return None
    more = f" · +{len(names) - NAMES_SHOWN}" if len(names) > NAMES_SHOWN else ""
    return element("p", " · ".join(names[:NAMES_SHOWN]) + more, class_="os-matched")


def _texts(t: Texts, node: Node) -> Markup | None:
    rows = []
    for key, text in node.fields:
        written = text.best_language(t.language)
        mark = element("span", written, class_="os-lang") if written != t.language else None
        rows += [
            element("dt", term_name("field", key, t.language)),
            element("dd", mark, text.best(t.language), lang=written),
        ]
    return element("dl", *rows) if rows else None


def after_finish(
    t: Texts,
    item: ItemState,
    found: Sequence[Found] | None,
    others: Mapping[str, str] | None,
) -> Markup:
    """Return the rater's own word, and what was hidden until the topic was finished: searches and others' grades."""
    parts: list[Markup] = []
    if item.grade or item.reason:
        own = t("annotate.own", grade=grade_words(t, item.grade) if item.grade else "—")
        parts.append(element("p", element("b", own), f" {quoted(t, item.reason)}" if item.reason else None))
    if found is not None:
        rows = [element("li", t("annotate.found_at", run=f.run, rank=f.rank)) for f in found]
        said = element("ul", *rows, class_="os-list") if rows else element("p", t("annotate.found_by_none"))
        parts += [element("h3", t("annotate.found"), class_="os-h2"), said]
    if others is not None:
        shown = [
            element("div", element("b", rater), grade_words(t, grade) if grade else "—")
            for rater, grade in others.items()
        ]
        parts.append(element("h3", t("annotate.others"), class_="os-h2"))
        parts.append(element("div", *shown, class_="os-sides") if shown else element("p", t("annotate.others.none")))
    return element("section", *parts, class_="os-section")


def quoted(t: Texts, text: str) -> str:
    """Return a text between the quotation marks of the language."""
    return f"„{text}“" if t.language == "de" else f"“{text}”"


def gauge(t: Texts, label: str, done: int, total: int) -> Markup:
    """Return how far something is, as words and a bar."""
    share = 100 * done / total if total else 0.0
    bar = element(
        "span", element("i", class_="os-own", style=f"width:{share:.1f}%"), class_="os-bar", aria_hidden="true"
    )
    counted = t("annotate.of", done=integer(done, t.language), total=integer(total, t.language))
    return element("span", element("span", f"{label} {counted}"), bar, class_="os-gauge")


def remaining(t: Texts, progress: Progress) -> str:
    """Return what is left of a topic in words; empty where nothing is."""
    parts = [
        t.count(f"annotate.left.{name}", count)
        for name, count in (("open", progress.open), ("later", progress.later), ("unsure", progress.unsure))
        if count
    ]
    return ", ".join(parts)


def topic_summary(t: Texts, state: TopicState) -> Markup:
    """Return how many cards got which grade."""
    counted: dict[str, int] = {}
    for item in state.items:
        if not item.is_duplicate and item.grade:
            counted[item.grade] = counted.get(item.grade, 0) + 1
    words = [
        f"{grade_words(t, grade).replace(' · ', ' ')}: {counted[grade]}"
        for grade in ("3", "2", "1", "0", "-1", "unsure")
        if grade in counted
    ]
    return element("p", join(words, " · "), class_="os-matched")
