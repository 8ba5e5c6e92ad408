"""Sources with their evidence level and, where there is a safe one, their address."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.model.vocabulary import term_name
from oncosearch.ui.markup import Markup, element, outer_link
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import SourceCard

SHORT_TITLE = 70


def source_name(card: SourceCard, language: str, limit: int | None = None) -> str:
    """Return kind, id or title, and year of a source."""
    source = card.source
    kind = term_name("source", source.kind, language)
    named = source.title if source.kind in {"guideline", "web"} and source.title else source.id
    text = f"{kind} {named}" if not (source.title and named == source.title) else named
    if limit is None and source.title and source.title != named:
        text += f": {source.title}"
    if source.year and str(source.year) not in text:
        text += f" ({source.year})"
    return text if limit is None or len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def source_link(card: SourceCard, language: str, limit: int | None = None) -> Markup:
    """Return the source as a link where it has an https address, else as text."""
    name = source_name(card, language, limit)
    if card.address is None or not card.address.startswith("https://"):
        return element("span", name)
    return outer_link(card.address, name, title=card.source.title)


def level_chip(t: Texts, level: str | None) -> Markup | None:
    """Return the evidence level of a source as a chip, None where there is none."""
    return _chip(t("evidence.level", level=level), t("evidence.about")) if level else None


def highest_chip(t: Texts, level: str | None) -> Markup | None:
    """Return the highest level among a node's sources as a chip, None where no source has one."""
    return _chip(t("evidence.highest", level=level), t("evidence.highest.about")) if level else None


def _chip(text: str, about: str) -> Markup:
    return element("span", text, class_="os-level", title=about)


def source_list(t: Texts, cards: Sequence[SourceCard], *, short: bool) -> Markup | None:
    """Return all sources in a row (``short``) or one under another with their titles and levels."""
    if not cards:
        return None
    rows = []
    for card in cards:
        level = level_chip(t, card.source.evidence_level)
        gap = " " if level is not None else None
        rows.append(element("li", source_link(card, t.language, SHORT_TITLE if short else None), gap, level))
    return element("ul", *rows, class_="os-sources" if short else "os-list", aria_label=t("sources.label"))
