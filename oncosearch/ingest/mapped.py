"""Rows and documents as nodes by a mapping file, whatever they are read from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from oncosearch.ingest.checks import URL_PATTERN
from oncosearch.ingest.mapped_spec import (
    Choice,
    CodeSpec,
    EdgeTable,
    LinkSpec,
    MappedSpec,
    NodeTable,
    SourceSpec,
    Table,
    Values,
)
from oncosearch.ingest.raw import Place, RawNode
from oncosearch.ingest.references import read_source
from oncosearch.ingest.report import ImportLog, quoted

_HOLE = re.compile(r"\{([^{}]+)\}")
_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")
_URL = re.compile(URL_PATTERN)


@dataclass(frozen=True, slots=True)
class Losses:
    """Records what of a row or document becomes nothing, with its place."""

    place: Place
    log: ImportLog

    def warn(self, kind: str, message: str) -> None:
        """Record a part that is left out."""
        self.log.warn(kind, self.place, message)


class Record(Protocol):
    """A row or a document; values that are there and cannot be read are recorded as lost."""

    def texts(self, path: str, lost: Losses) -> Sequence[str]:
        """Return the texts at a column or path, without blanks at their ends and without empty ones."""

    def ids(self, path: str, lost: Losses) -> Sequence[str]:
        """Return the values at a column or path as node ids: two values of the source are two ids."""

    def each(self, path: str, lost: Losses) -> Sequence[Record]:
        """Return the objects at a path, as records of their own."""


class Rows(Protocol):
    """Where tables are read."""

    def rows(self, table: Table, log: ImportLog) -> Iterator[tuple[Place, Record]]:
        """Yield the rows of a table with their places, in an order that is the same each time, counted as read."""


def mapped_nodes(spec: MappedSpec, source: Rows, log: ImportLog) -> Iterator[RawNode]:
    """Yield the nodes of the mapped tables.

    Edges and child lists are held as ids while nodes are read; rows and documents are let go one by one.
    """
    edges = _Edges(spec, source, log)
    start = Place(spec.nodes[0].table.name, 1)
    for group in spec.groups:
        data = {"id": group.id, "type": group.type, "title": dict(group.title), "parents": list(group.parents)}
        yield RawNode(data, start, made=True)
    for table in spec.nodes:
        for place, record in source.rows(table.table, log):
            yield RawNode(_node(table, record, edges, Losses(place, log)), place)
    edges.count_rest()


class _Edges:
    """Parents and links that stand elsewhere than in the node itself, by the node that they belong to."""

    def __init__(self, spec: MappedSpec, source: Rows, log: ImportLog) -> None:
        self._log = log
        self._parents: dict[str, list[tuple[str, Place | None]]] = {}
        self._links: dict[str, list[tuple[str, str, Place]]] = {}
        for table in spec.parents:
            for place, node, other, _ in self._pairs(table, source):
                self._parents.setdefault(node, []).append((other, place))
        for table in spec.links:
            for place, node, other, kind in self._pairs(table, source):
                self._links.setdefault(node, []).append((other, kind, place))
        for nodes in spec.nodes:
            if nodes.children:
                # A pass of its own; what else is faulty is recorded in the pass that makes the nodes.
                quiet = ImportLog()
                for place, record in source.rows(nodes.table, quiet):
                    lost = Losses(place, log)
                    for parent in _ids(Values(nodes.id), record, Losses(place, quiet))[:1]:
                        for child in (child for values in nodes.children for child in _ids(values, record, lost)):
                            self._parents.setdefault(child, []).append((parent, None))

    def parents_of(self, node_id: str) -> list[str]:
        return [parent for parent, _ in self._parents.pop(node_id, ())]

    def links_of(self, node_id: str) -> list[tuple[str, str]]:
        return [(target, kind) for target, kind, _ in self._links.pop(node_id, ())]

    def count_rest(self) -> None:
        """Record the edges of nodes that were not met: their rows became nothing."""
        rest = [(place, node) for node, edges in self._parents.items() for _, place in edges]
        rest += [(place, node) for node, links in self._links.items() for _, _, place in links]
        met: set[Place] = set()
        for place, node in rest:
            message = f"{quoted(node)} is named there and is no node of this graph; the edge is left out."
            if place is None:
                self._log.warn("dangling_child", "children", message)
            elif place not in met:
                met.add(place)
                self._log.skip("dangling_edge", place, message)
                self._log.merged[place.file] -= 1
                self._log.skipped[place.file] += 1

    def _pairs(self, table: EdgeTable, source: Rows) -> Iterator[tuple[Place, str, str, str]]:
        for place, record in source.rows(table.table, self._log):
            lost = Losses(place, self._log)
            nodes, others = _ids(table.node, record, lost), _ids(table.other, record, lost)
            kind = _word(table.kind, lost, record) if table.kind else ""
            if not nodes or not others or kind is None:
                self._log.skip("no_edge", place, "the row names no two ends, or no kind of link; it is left out.")
                self._log.skipped[place.file] += 1
                continue
            self._log.merged[place.file] += 1
            yield from ((place, node, other, kind) for node in nodes for other in others)


def _node(table: NodeTable, record: Record, edges: _Edges, lost: Losses) -> dict[str, Any]:
    ids = _ids(Values(table.id), record, lost)
    node_id = ids[0] if ids else ""
    parents = [parent for values in table.parents for parent in _ids(values, record, lost)]
    links = [
        link
        for spec in table.links
        for part in _each(record, spec.each, lost)
        for link in _links(spec, part, record, lost)
    ]
    links += [{"target": target, "kind": kind} for target, kind in edges.links_of(node_id)]
    title = {language: text for language, values in table.title.items() if (text := _first_line(values, record, lost))}
    fields = {name: texts for name, spec in table.fields.items() if (texts := _field(spec, record, lost))}
    return {
        "id": node_id,
        "type": _word(table.type, lost, record) or "",
        "title": title,
        "synonyms": [
            {"text": text, "language": spec.language, "scope": spec.scope}
            for spec in table.synonyms
            for text in dict.fromkeys(" ".join(text.split()) for text in _texts(spec.values, record, lost))
            if text not in title.values()
        ],
        "fields": fields,
        "codes": [code for spec in table.codes for code in _codes(spec, record, lost)],
        "sources": [
            source
            for spec in table.sources
            for part in _each(record, spec.each, lost)
            for source in _sources(spec, part, lost)
        ],
        "parents": [*parents, *edges.parents_of(node_id)] or list(table.below),
        "links": links,
    }


def _links(spec: LinkSpec, part: Record, record: Record, lost: Losses) -> Iterator[dict[str, str]]:
    targets = _ids(spec.target, part, lost)
    kind = _word(spec.kind, lost, part, record)
    if kind:
        yield from ({"target": target, "kind": kind} for target in targets)
    else:
        for target in targets:
            lost.warn("no_link_kind", f"a link to {quoted(target)} names no kind; it is left out.")
    if spec.each is not None and not targets:
        lost.warn("no_target", f"an entry of {spec.each} has no link target; it is left out.")


def _codes(spec: CodeSpec, record: Record, lost: Losses) -> Iterator[dict[str, str]]:
    codes = dict.fromkeys(_texts(spec.values, record, lost))
    if system := _word(spec.system, lost, record):
        yield from ({"system": system, "code": code} for code in codes)
    else:
        for code in codes:
            lost.warn("no_code_system", f"the code {quoted(code)} names no classification; it is left out.")


def _sources(spec: SourceSpec, record: Record, lost: Losses) -> Iterator[dict[str, Any]]:
    ids = _texts(spec.id, record, lost)
    more = {key: texts[0] for key, path in spec.more.items() if (texts := _texts(Values(path), record, lost))}
    if not ids:
        if spec.each is not None or more:
            said = f"an entry of {spec.each}" if spec.each is not None else f"a source with {', '.join(more)}"
            lost.warn("no_source_id", f"{said} has no id; it is left out.")
        return
    extra: dict[str, Any] = {key: more[key] for key in ("title", "evidence_level") if key in more}
    if "year" in more:
        if year := _YEAR.search(more["year"]):
            extra["year"] = int(year[0])
        else:
            lost.warn("bad_year", f"year of a source is {quoted(more['year'])}; it is left out.")
    if "url" in more:
        url = re.sub("^http://", "https://", more["url"])
        if _URL.fullmatch(url):
            extra["url"] = url
        else:
            lost.warn("not_https", f"address {quoted(more['url'])} is not accepted; it is left out.")
    kind = _word(spec.kind, lost, record) if spec.kind else None
    for text in ids:
        found = {"kind": kind, "id": text} if kind else read_source(text)
        if found is not None:
            yield {**found, **extra}


def _field(spec: Mapping[str, Sequence[Values]], record: Record, lost: Losses) -> dict[str, str]:
    joined = {
        language: "\n".join(text for part in values for text in _texts(part, record, lost))
        for language, values in spec.items()
    }
    return {language: text for language, text in joined.items() if text}


def _first_line(values: Sequence[Values], record: Record, lost: Losses) -> str:
    return next((" ".join(text.split()) for part in values for text in _texts(part, record, lost)), "")


def _each(record: Record, path: str | None, lost: Losses) -> Sequence[Record]:
    return (record,) if path is None else record.each(path, lost)


def _word(choice: Choice | None, lost: Losses, *records: Record) -> str | None:
    """Return the word of a choice, looked for in the records in their order."""
    if choice is None:
        return None
    if choice.value is not None or choice.source is None:
        return choice.value
    word = next((text for record in records for text in record.texts(choice.source, lost)), None)
    if word is None:
        return choice.default
    return choice.words.get(word, choice.default if choice.default is not None else word)


def _texts(values: Values, record: Record, lost: Losses) -> list[str]:
    return _filled(values, record.texts, lost)


def _ids(values: Values, record: Record, lost: Losses) -> list[str]:
    return _filled(values, record.ids, lost)


def _filled(values: Values, read: Callable[[str, Losses], Sequence[str]], lost: Losses) -> list[str]:
    """Return the values, in their text where there is one; as many as the longest of its holes has."""
    holes = _HOLE.findall(values.source)
    if not holes:
        return _split(read(values.source, lost), values.split)
    found = {hole: _split(read(hole, lost), values.split) for hole in dict.fromkeys(holes)}
    many = max(map(len, found.values()))
    if any(len(texts) not in (1, many) for texts in found.values()):
        counts = ", ".join(f"{len(texts)} of {hole}" for hole, texts in found.items())
        lost.warn("uneven_values", f"{quoted(values.source)} cannot be filled: there are {counts}; it is left out.")
        return []
    return [
        _HOLE.sub(lambda hole, i=i: found[hole[1]][i if len(found[hole[1]]) > 1 else 0], values.source)  # type: ignore[misc]
        for i in range(many)
    ]


def _split(texts: Sequence[str], mark: str | None) -> list[str]:
    if mark is None:
        return list(texts)
    return [part for text in texts for piece in text.split(mark) if (part := piece.strip())]
