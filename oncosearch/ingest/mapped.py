"""Rows and documents as nodes by a mapping file, whatever they are read from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from oncosearch.ingest.checks import URL_PATTERN
from oncosearch.ingest.mapped_spec import Choice, EdgeTable, MappedSpec, NodeTable, SourceSpec, Table, Values
from oncosearch.ingest.raw import Place, RawNode
from oncosearch.ingest.references import read_source
from oncosearch.ingest.report import ImportLog, quoted

_HOLE = re.compile(r"\{([^{}]+)\}")
_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])")
_URL = re.compile(URL_PATTERN)


class Record(Protocol):
    """A row or a document."""

    def texts(self, path: str) -> Sequence[str]:
        """Return the texts at a column or path, without blanks at their ends and without empty ones."""

    def ids(self, path: str) -> Sequence[str]:
        """Return the values at a column or path as node ids: two values of the source are two ids."""

    def each(self, path: str) -> Sequence[Record]:
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
            yield RawNode(_node(table, record, edges, place, log), place)
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
                # A pass of its own; what is faulty is recorded in the pass that makes the nodes.
                for _, record in source.rows(nodes.table, ImportLog()):
                    for parent in _ids(Values(nodes.id), record)[:1]:
                        for child in (child for values in nodes.children for child in _ids(values, record)):
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
            nodes, others = _ids(table.node, record), _ids(table.other, record)
            kind = _word(table.kind, record) if table.kind else ""
            if not nodes or not others or kind is None:
                self._log.skip("no_edge", place, "the row names no two ends, or no kind of link; it is left out.")
                self._log.skipped[place.file] += 1
                continue
            self._log.merged[place.file] += 1
            yield from ((place, node, other, kind) for node in nodes for other in others)


def _node(table: NodeTable, record: Record, edges: _Edges, place: Place, log: ImportLog) -> dict[str, Any]:
    ids = _ids(Values(table.id), record)
    node_id = ids[0] if ids else ""
    parents = [parent for values in table.parents for parent in _ids(values, record)] + edges.parents_of(node_id)
    links = [
        {"target": target, "kind": kind}
        for spec in table.links
        for part in _each(record, spec.each)
        if (kind := _word(spec.kind, part, record))
        for target in _ids(spec.target, part)
    ]
    links += [{"target": target, "kind": kind} for target, kind in edges.links_of(node_id)]
    title = {language: text for language, values in table.title.items() if (text := _first_line(values, record))}
    fields = {name: texts for name, spec in table.fields.items() if (texts := _field(spec, record))}
    return {
        "id": node_id,
        "type": _word(table.type, record) or "",
        "title": title,
        "synonyms": [
            {"text": text, "language": spec.language, "scope": spec.scope}
            for spec in table.synonyms
            for text in dict.fromkeys(" ".join(text.split()) for text in _texts(spec.values, record))
            if text not in title.values()
        ],
        "fields": fields,
        "codes": [
            {"system": system, "code": code}
            for spec in table.codes
            if (system := _word(spec.system, record))
            for code in dict.fromkeys(_texts(spec.values, record))
        ],
        "sources": [
            source
            for spec in table.sources
            for part in _each(record, spec.each)
            for source in _sources(spec, part, place, log)
        ],
        "parents": parents or list(table.below),
        "links": links,
    }


def _sources(spec: SourceSpec, record: Record, place: Place, log: ImportLog) -> Iterator[dict[str, Any]]:
    more = {key: texts[0] for key, path in spec.more.items() if (texts := _texts(Values(path), record))}
    extra: dict[str, Any] = {key: more[key] for key in ("title", "evidence_level") if key in more}
    if "year" in more:
        if year := _YEAR.search(more["year"]):
            extra["year"] = int(year[0])
        else:
            log.warn("bad_year", place, f"year of a source is {quoted(more['year'])}; it is left out.")
    if "url" in more:
        url = re.sub("^http://", "https://", more["url"])
        if _URL.fullmatch(url):
            extra["url"] = url
        else:
            log.warn("not_https", place, f"address {quoted(more['url'])} is not accepted; it is left out.")
    kind = _word(spec.kind, record) if spec.kind else None
    for text in _texts(spec.id, record):
        found = {"kind": kind, "id": text} if kind else read_source(text)
        if found is not None:
            yield {**found, **extra}


def _field(spec: Mapping[str, Sequence[Values]], record: Record) -> dict[str, str]:
    joined = {
        language: "\n".join(text for part in values for text in _texts(part, record))
        for language, values in spec.items()
    }
    return {language: text for language, text in joined.items() if text}


def _first_line(values: Sequence[Values], record: Record) -> str:
    return next((" ".join(text.split()) for part in values for text in _texts(part, record)), "")


def _each(record: Record, path: str | None) -> Sequence[Record]:
    return (record,) if path is None else record.each(path)


def _word(choice: Choice | None, *records: Record) -> str | None:
    """Return the word of a choice, looked for in the records in their order."""
    if choice is None:
        return None
    if choice.value is not None or choice.source is None:
        return choice.value
    word = next((text for record in records for text in record.texts(choice.source)), None)
    if word is None:
        return choice.default
    return choice.words.get(word, choice.default if choice.default is not None else word)


def _texts(values: Values, record: Record) -> list[str]:
    return _filled(values, record.texts)


def _ids(values: Values, record: Record) -> list[str]:
    return _filled(values, record.ids)


def _filled(values: Values, read: Any) -> list[str]:
    """Return the values, in their text where there is one; as many as the longest of its holes has."""
    holes = _HOLE.findall(values.source)
    if not holes:
        return _split(read(values.source), values.split)
    found = {hole: _split(read(hole), values.split) for hole in dict.fromkeys(holes)}
    many = max(map(len, found.values()))
    if any(len(texts) not in (1, many) for texts in found.values()):
        return []
    return [
        _HOLE.sub(lambda hole, i=i: found[hole[1]][i if len(found[hole[1]]) > 1 else 0], values.source)  # type: ignore[misc]
        for i in range(many)
    ]


def _split(texts: Sequence[str], mark: str | None) -> list[str]:
    if mark is None:
        return list(texts)
    return [part for text in texts for piece in text.split(mark) if (part := piece.strip())]
