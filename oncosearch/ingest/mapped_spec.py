"""What a mapping file says of nodes and edges: where each part of a node stands in a table row or a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oncosearch.ingest.checks import LANGUAGE
from oncosearch.ingest.mapping import GraphFacts, Section
from oncosearch.ingest.report import quoted
from oncosearch.model.vocabulary import NODE_TYPE_KEYS, SCOPE_KEYS, SOURCE_KIND_KEYS, TEXT_FIELD_KEYS


@dataclass(frozen=True, slots=True)
class Values:
    """Where values stand: a column, a path with dots, or a text with ``{column}`` in it; ``split`` cuts each up."""

    source: str
    split: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """A fixed ``value``, or the word that stands at ``source``, translated by ``words`` and else ``default``."""

    value: str | None = None
    source: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None


@dataclass(frozen=True, slots=True)
class SynonymSpec:
    """Other names."""

    values: Values
    language: str
    scope: str


@dataclass(frozen=True, slots=True)
class CodeSpec:
    """Codes of one classification."""

    values: Values
    system: Choice


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """Sources; with ``each`` one for every object of the list there, and the paths begin in that object."""

    id: Values
    kind: Choice | None
    each: str | None
    more: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LinkSpec:
    """Cross-links; ``each`` as for sources."""

    target: Values
    kind: Choice
    each: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """Where rows come from: the pattern of a file name, or a collection."""

    name: str
    delimiter: str | None = None
    quoting: bool = True


@dataclass(frozen=True, slots=True)
class NodeTable:
    """A table of nodes."""

    table: Table
    id: str
    type: Choice
    title: Mapping[str, tuple[Values, ...]]
    synonyms: tuple[SynonymSpec, ...]
    codes: tuple[CodeSpec, ...]
    fields: Mapping[str, Mapping[str, tuple[Values, ...]]]
    sources: tuple[SourceSpec, ...]
    parents: tuple[Values, ...]
    children: tuple[Values, ...]
    links: tuple[LinkSpec, ...]
    below: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EdgeTable:
    """A table of edges; ``node`` is the child or the source, ``other`` the parent or the target."""

    table: Table
    node: Values
    other: Values
    kind: Choice | None


@dataclass(frozen=True, slots=True)
class Group:
    """A node that no row stands for."""

    id: str
    type: str
    title: Mapping[str, str]
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MappedSpec:
    """A whole mapping file."""

    graph: GraphFacts
    plain_ids: bool
    groups: tuple[Group, ...]
    nodes: tuple[NodeTable, ...]
    parents: tuple[EdgeTable, ...]
    links: tuple[EdgeTable, ...]
    languages: tuple[str, ...]


def mapped_spec(section: Section, where: str, language: str | None) -> MappedSpec:
    """Return what a mapping file says.

    Parameters
    ----------
    where
        What a table is called there: ``file`` or ``collection``.
    language
        Of texts for which the mapping file names none; None takes that of the mapping file, else ``de``.

    Raises
    ------
    UsageError
        If a key is unknown, a needed one missing, or a value of another form than expected.
    """
    section.text("format")
    language = language or section.text("language", "de")
    section.take("language")
    if not LANGUAGE.fullmatch(language):
        raise section.fault(f"language is {quoted(language)}", "a code such as de or en")
    graph = GraphFacts.of(section.section("graph"), "graph")
    plain_ids = section.flag("plain_ids", False)
    groups = tuple(_group(part, language) for part in section.sections("groups"))
    nodes = tuple(_node_table(part, where, language) for part in section.sections("nodes"))
    parents = tuple(_edge_table(part, where, "child", "parent", False) for part in section.sections("parents"))
    links = tuple(_edge_table(part, where, "source", "target", True) for part in section.sections("links"))
    section.done()
    if not nodes:
        raise section.fault("there is no [[nodes]]", "at least one, with id and title")
    found = [key for node in nodes for texts in (node.title, *node.fields.values()) for key in texts]
    found += [synonym.language for node in nodes for synonym in node.synonyms]
    return MappedSpec(graph, plain_ids, groups, nodes, parents, links, tuple(dict.fromkeys(found)))


def _node_table(section: Section, where: str, language: str) -> NodeTable:
    found = NodeTable(
        table=_table(section, where),
        id=section.text("id"),
        type=_choice(section, "type", NODE_TYPE_KEYS),
        title=_local(section, "title", language),
        synonyms=tuple(_synonym(part, language) for part in _parts(section, "synonyms")),
        codes=tuple(_code(part) for part in section.sections("codes")),
        fields=_fields(section.section("fields"), language),
        sources=tuple(_source(part) for part in _parts(section, "sources")),
        parents=_many(section, "parents"),
        children=_many(section, "children"),
        links=tuple(_link(part) for part in section.sections("links")),
        below=section.texts("below"),
    )
    section.done()
    if not found.title:
        raise section.fault("there is no title", 'one, such as title.de = "name"')
    return found


def _edge_table(section: Section, where: str, node: str, other: str, typed: bool) -> EdgeTable:
    found = EdgeTable(
        table=_table(section, where),
        node=_values(section, node),
        other=_values(section, other),
        kind=_choice(section, "kind") if typed else None,
    )
    section.done()
    return found


def _table(section: Section, where: str) -> Table:
    name = section.text(where)
    if where == "collection":
        return Table(name)
    delimiter = section.text("delimiter", "") or None
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise section.fault(f"delimiter is {quoted(delimiter)}", "one character")
    return Table(name, delimiter, section.flag("quoting", True))


def _group(section: Section, language: str) -> Group:
    node_id = section.text("id")
    title = section.take("title")
    texts = {language: title} if isinstance(title, str) else title
    if not isinstance(texts, dict) or not texts or not all(isinstance(text, str) for text in texts.values()):
        raise section.fault(f"title is {quoted(title)}", 'a text, or title.de = "…"')
    found = Group(node_id, section.text("type", "group", NODE_TYPE_KEYS), texts, section.texts("parents"))
    section.done()
    return found


def _synonym(section: Section, language: str) -> SynonymSpec:
    found = SynonymSpec(
        _values_here(section), section.text("language", language), section.text("scope", "exact", SCOPE_KEYS)
    )
    section.done()
    return found


def _code(section: Section) -> CodeSpec:
    found = CodeSpec(_values_here(section), _choice(section, "system"))
    section.done()
    return found


def _source(section: Section) -> SourceSpec:
    each = section.text("each", "") or None
    key = "id" if "id" in section else "from"
    found = SourceSpec(
        id=Values(section.text(key), section.text("split", "") or None),
        kind=_choice(section, "kind", SOURCE_KIND_KEYS) if "kind" in section else None,
        each=each,
        more={k: section.text(k) for k in ("title", "year", "url", "evidence_level") if k in section},
    )
    section.done()
    return found


def _link(section: Section) -> LinkSpec:
    found = LinkSpec(
        Values(section.text("target"), section.text("split", "") or None),
        _choice(section, "kind"),
        section.text("each", "") or None,
    )
    section.done()
    return found


def _choice(section: Section, key: str, words: tuple[str, ...] | None = None) -> Choice:
    if not isinstance(value := section.take(key), dict):
        if not isinstance(value, str) or not value or (words is not None and value not in words):
            expected = f"one of {', '.join(words)}" if words else "a text"
            raise section.fault(f"{key} is {quoted(value)}", f'{expected}, or {{ from = "…", map = {{ … }} }}')
        return Choice(value=value)
    part = Section(value, f"{section.where}, {key}")
    default = part.text("default", "", words) if "default" in part else None
    found = Choice(None, part.text("from"), part.section("map").words(words), default)
    part.done()
    return found


def _local(section: Section, key: str, language: str) -> dict[str, tuple[Values, ...]]:
    value = section.take(key)
    if value is None:
        return {}
    texts = value if isinstance(value, dict) and "from" not in value else {language: value}
    part = Section(texts, f"{section.where}, {key}")
    for code in texts:
        if not LANGUAGE.fullmatch(code):
            raise part.fault(f"{quoted(code)}", "a language code such as de or en")
    return {code: _many(part, code) for code in texts}


def _fields(section: Section, language: str) -> dict[str, dict[str, tuple[Values, ...]]]:
    found = {}
    for name in section.rest():
        if name not in TEXT_FIELD_KEYS:
            raise section.fault(f"there is the field {quoted(name)}", f"one of {', '.join(TEXT_FIELD_KEYS)}")
        found[name] = _local(section, name, language)
    return found


def _many(section: Section, key: str) -> tuple[Values, ...]:
    value = section.take(key)
    found = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(_values_of(item, section, key) for item in found)


def _values(section: Section, key: str) -> Values:
    return _values_of(section.take(key), section, key)


def _values_of(value: Any, section: Section, key: str) -> Values:
    if isinstance(value, str) and value:
        return Values(value)
    if isinstance(value, dict):
        part = Section(value, f"{section.where}, {key}")
        found = _values_here(part)
        part.done()
        return found
    raise section.fault(f"{key} is {quoted(value)}", 'a column or path in quotes, or { from = "…", split = "|" }')


def _values_here(section: Section) -> Values:
    return Values(section.text("from"), section.text("split", "") or None)


def _parts(section: Section, key: str) -> list[Section]:
    """Return the tables under the key; a text stands for ``{ from = text }``."""
    value = section.take(key)
    found = value if isinstance(value, list) else [] if value is None else [value]
    return [
        Section({"from": item} if isinstance(item, str) else item, f"{section.where}, {key} {number}")
        for number, item in enumerate(found, 1)
        if isinstance(item, str | dict) or _refuse(section, key, item)
    ]


def _refuse(section: Section, key: str, value: Any) -> bool:
    raise section.fault(f"{key} holds {quoted(value)}", "texts or tables")
