"""The mark beside a title that stands in another language because there is none in the reader's."""

from __future__ import annotations

from oncosearch.graph import Graph
from oncosearch.model import Node
from oncosearch.model.vocabulary import term_name
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.texts import Texts
from oncosearch.workspace.titles import shown_title, with_language

__all__ = ["mark_at", "mark_of", "shown_title", "title_mark", "with_language"]


def title_mark(t: Texts, language: str) -> Markup | None:
    """Return a small ``en`` with its meaning, None where ``language`` is the reader's or empty (an id)."""
    if not language or language == t.language:
        return None
    meaning = t("title.fallback", language=term_name("language", language, t.language))
    return element("span", language, class_="os-lang os-title-lang", title=meaning, role="img", aria_label=meaning)


def mark_of(t: Texts, node: Node) -> Markup | None:
    """Return the mark for the title that a node is shown with."""
    return title_mark(t, node.title.best_language(t.language))


def mark_at(t: Texts, graph: Graph, i: int) -> Markup | None:
    """Return the mark for the title that node ``i`` is shown with."""
    return title_mark(t, graph.title_language(i, t.language))
