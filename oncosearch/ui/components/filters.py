"""Filters as rows of links with counts: each one adds or removes a value, and each result has its own address."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from oncosearch.model import Filters, Ranking
from oncosearch.model.vocabulary import term_name
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import integer
from oncosearch.ui.palette import swatch
from oncosearch.ui.state import View, search_address
from oncosearch.ui.texts import Texts

FACETS = ("types", "groups", "source_kinds", "languages")
SHOWN_AT_ONCE = 8
_TABLES = {"types": "type", "source_kinds": "source", "languages": "language"}


def toggled(view: View, facet: str, value: str) -> View:
    """Return the view with ``value`` of ``facet`` added, or removed where it was set."""
    chosen: tuple[str, ...] = getattr(view.filters, facet)
    changed = tuple(v for v in chosen if v != value) if value in chosen else (*chosen, value)
    return dataclasses.replace(view, filters=dataclasses.replace(view.filters, **{facet: changed}))


def cleared(view: View) -> View:
    """Return the view without filters."""
    return dataclasses.replace(view, filters=Filters())


def filters_in_words(t: Texts, view: View, title_of: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return the filters that are set as (facet, values) in the interface language."""
    return [
        (t(f"filters.{facet}"), ", ".join(_name(facet, value, t.language, title_of) for value in chosen))
        for facet in FACETS
        if (chosen := getattr(view.filters, facet))
    ]


def _name(facet: str, value: str, language: str, title_of: Callable[[str], str]) -> str:
    return title_of(value) if facet == "groups" else term_name(_TABLES[facet], value, language)


def filter_panel(t: Texts, view: View, ranking: Ranking, title_of: Callable[[str], str]) -> Markup | None:
    """Return the filters with their counts, None where there is nothing to choose from."""
    counts = {facet: dict(values) for facet, values in ranking.facets}
    rows = [row for facet in FACETS if (row := _row(t, view, facet, counts.get(facet, {}), title_of)) is not None]
    if not rows:
        return None
    set_values = sum(len(getattr(view.filters, facet)) for facet in FACETS)
    note = element("small", t.count("filters.active", set_values)) if set_values else None
    clear = (
        element("p", inner_link(search_address(cleared(view)), t("filters.clear"), data_key="clear"))
        if set_values
        else None
    )
    return element(
        "details",
        element("summary", t("filters.title"), note),
        element("div", *rows, clear, class_="os-facets"),
        class_="os-panel os-filters",
        open=bool(set_values),
    )


def _row(t: Texts, view: View, facet: str, counts: Mapping[str, int], title_of: Callable[[str], str]) -> Markup | None:
    chosen: tuple[str, ...] = getattr(view.filters, facet)
    values = [*counts, *(v for v in chosen if v not in counts)]
    if facet == "groups":
        # There may be many groups: those chosen stand first, so that none of them is folded away.
        values.sort(key=lambda value: value not in chosen)
    if not values:
        return None
    chips: list[Markup] = []
    for value in values:
        name = _name(facet, value, t.language, title_of)
        mark = (
            element("i", class_="os-mark", style=f"background:{swatch(value).colour}", aria_hidden="true")
            if facet == "types"
            else None
        )
        tick = "✓ " if value in chosen else ""
        chips.append(
            inner_link(
                search_address(toggled(view, facet, value)),
                mark,
                f"{tick}{name}",
                element("span", integer(counts.get(value, 0), t.language)),
                aria_current="true" if value in chosen else None,
            )
        )
    label = t(f"filters.{facet}")
    return element(
        "div",
        element("span", label),
        _chips(t, chips, SHOWN_AT_ONCE if facet == "groups" else len(chips)),
        class_="os-facet",
        role="group",
        aria_label=label,
    )


def _chips(t: Texts, chips: list[Markup], shown: int) -> Markup:
    if len(chips) <= shown + 2:
        return element("div", *chips, class_="os-chips")
    rest = chips[shown:]
    more = element(
        "details",
        element("summary", t.count("node.more", len(rest))),
        element("div", *rest, class_="os-chips"),
        class_="os-more",
    )
    return element("div", element("div", *chips[:shown], class_="os-chips"), more)
