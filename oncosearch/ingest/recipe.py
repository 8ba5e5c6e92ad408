"""Recipes (TOML): which graphs become one, by which codes and names their nodes are joined, which titles are added."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from oncosearch.ingest.checks import LANGUAGE
from oncosearch.ingest.mapping import GraphFacts, Section, load_mapping
from oncosearch.ingest.report import quoted
from oncosearch.model.vocabulary import NODE_TYPE_KEYS

PARENTS = ("all", "alone")


@dataclass(frozen=True, slots=True)
class RecipeSource:
    """A graph of a recipe.

    With ``parents`` = ``alone`` its hierarchy counts only for nodes that no other source has: a flat list, say.
    """

    name: str
    paths: tuple[str, ...]
    format: str | None = None
    mapping: str | None = None
    language: str | None = None
    parents: str = "all"


@dataclass(frozen=True, slots=True)
class Rule:
    """What two nodes must share: a code of one of ``systems``, which count as one, or with ``names`` a name.

    Only nodes of one type, which is among ``types``, are compared, and none of ``apart``. With ``widest`` a node whose
    codes name a node and others below it means the one above.
    """

    types: tuple[str, ...]
    systems: tuple[str, ...] = ()
    names: bool = False
    widest: bool = False
    apart: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """What the rule goes by, for messages."""
        return "name" if self.names else "/".join(self.systems)


@dataclass(frozen=True, slots=True)
class TitleRule:
    """Titles in ``language`` for nodes of other sources from nodes of ``source`` that they share a code with.

    ``strip`` are patterns whose matches are taken out of the title; one that ``unless`` matches is not taken. ``link``
    is the kind of the cross-link to the node that gave the title, empty for none.
    """

    rule: Rule
    source: str
    language: str
    strip: tuple[re.Pattern[str], ...] = ()
    unless: re.Pattern[str] | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How several graphs become one; the order of the sources decides whose text and whose id is kept."""

    graph: GraphFacts
    sources: tuple[RecipeSource, ...]
    joins: tuple[Rule, ...] = ()
    titles: tuple[TitleRule, ...] = ()


def load_recipe(path: Path) -> Recipe:
    """Return the recipe of a file.

    Raises
    ------
    UsageError
        If the file is missing, cannot be read or has a fault, named with its place.
    """
    section = Section(load_mapping(path, "recipe"), path.name, "Recipe")
    graph = GraphFacts.of(section.section("graph"), default_id="merged")
    sources = tuple(_source(part) for part in section.sections("sources"))
    names = [source.name for source in sources]
    if not sources:
        raise section.fault("there are no sources", "at least one table [[sources]]")
    for name in names:
        if names.count(name) > 1:
            raise section.fault(f"two sources are named {quoted(name)}", "names that differ")
    apart = frozenset(section.texts("apart"))
    joins = []
    for part in section.sections("joins"):
        rule = _rule(part)
        joins.append(replace(rule, apart=rule.apart | apart))
        part.done()
    titles = tuple(_titles(part, names) for part in section.sections("titles"))
    section.done()
    return Recipe(graph, sources, tuple(joins), titles)


def _source(section: Section) -> RecipeSource:
    source = RecipeSource(
        name=section.text("name"),
        paths=section.texts("path"),
        format=section.text("format", "") or None,
        mapping=section.text("mapping", "") or None,
        language=section.text("language", "") or None,
        parents=section.text("parents", "all", PARENTS),
    )
    section.done()
    if not source.paths:
        raise section.fault("path is missing", "a file or folder, or a list of them")
    return source


def _rule(section: Section) -> Rule:
    rule = Rule(
        types=section.texts("types"),
        systems=section.texts("codes"),
        names=section.flag("names", False),
        widest=section.flag("widest", False),
        apart=frozenset(section.texts("apart")),
    )
    if rule.names == bool(rule.systems):
        raise section.fault("names and codes are both given or both missing", 'either names = true or codes = ["…"]')
    if not rule.types:
        raise section.fault("types is missing", f"some of {', '.join(NODE_TYPE_KEYS)}")
    for node_type in rule.types:
        if node_type not in NODE_TYPE_KEYS:
            raise section.fault(f"types has {quoted(node_type)}", f"some of {', '.join(NODE_TYPE_KEYS)}")
    return rule


def _titles(section: Section, sources: list[str]) -> TitleRule:
    found = TitleRule(
        rule=_rule(section),
        source=section.text("from", None, sources),
        language=section.text("language"),
        strip=tuple(_pattern(section, text) for text in section.texts("strip")),
        unless=_pattern(section, unless) if (unless := section.text("unless", "")) else None,
        link=section.text("link", ""),
    )
    section.done()
    if not LANGUAGE.fullmatch(found.language):
        raise section.fault(f"language is {quoted(found.language)}", "a code such as de or en")
    return found


def _pattern(section: Section, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise section.fault(f"the pattern {quoted(text)} is faulty ({error})", "a regular expression") from error
