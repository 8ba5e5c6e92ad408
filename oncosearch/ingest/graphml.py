"""GraphML, read by networkx once the text is one that it accepts; nothing in the file is lost silently."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.lines import head
from oncosearch.ingest.ontology import main_field
from oncosearch.ingest.picking import chosen, detected, graph_name, no_graph, only_file
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.ingest.xmlfile import read_xml
from oncosearch.model.vocabulary import LINK_KINDS, NODE_TYPES, TEXT_FIELD_KEYS

LANGUAGE = "de"

_NS = "{http://graphml.graphdrawing.org/xmlns}"
_TITLES = ("title", "name", "label", "displayname", "preflabel", "titel", "bezeichnung")
_TYPES = ("type", "typ", "category", "labels", "kind")
_TEXTS = ("description", "definition", "beschreibung", "text", "comment", "summary")
_SYNONYMS = ("synonyms", "synonym", "synonyme", "aliases", "altlabel")
_LINK_NAMES = ("label", "relationship", "relation", "type", "kind", "name", "predicate")
# Names of edges that are hierarchy: from the child to its parent, and the other way round.
_UP = frozenset({"is_a", "isa", "subclassof", "subclass_of", "parent", "has_parent", "child_of", "broader"})
_DOWN = frozenset({"parent_of", "has_child", "narrower", "superclass_of", "has_subclass"})
_TYPE_KEYS = {name.casefold(): kind.key for kind in NODE_TYPES for name in (kind.key, kind.de, kind.en)}
_FIELD_KEYS = {key.casefold(): key for key in TEXT_FIELD_KEYS}
_LINK_KEYS = {name.casefold(): kind.key for kind in LINK_KINDS for name in (kind.key, kind.de, kind.en)}


@dataclass(slots=True)
class _Places:
    """Where nodes and edges begin; kept apart from the tree, which goes to networkx."""

    file: str
    lines: dict[int, int] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)

    def start(self, element: Element, line: int) -> None:
        # Values are too many to keep the line of each; only one without a key is told of.
        keyless = element.tag in (f"{_NS}data", f"{_NS}key") and not {"key", "id"} & element.attrib.keys()
        if keyless or element.tag in (f"{_NS}node", f"{_NS}edge", f"{_NS}hyperedge", f"{_NS}graph"):
            self.lines[id(element)] = line

    def of(self, element: Element) -> Place:
        return Place(self.file, self.lines.get(id(element), 1))


def is_graphml(given: Given) -> bool:
    """Return whether a file begins like GraphML."""
    return bool(detected(given, _looks, "*.graphml", "*.xml"))


def read_graphml(given: Given, log: ImportLog) -> RawGraph:
    """Return the nodes of a GraphML file. Texts are German unless another language is given."""
    file = only_file(given, chosen(given, _looks, "*.graphml"), "GraphML file", log)
    if file is None:
        return no_graph(log)
    places = _Places(file.name)
    root = read_xml(file, log, given.max_bytes, places.start)
    if root is None:
        return no_graph(log)
    graphs = root.findall(f"{_NS}graph")
    if root.tag != f"{_NS}graphml" or not graphs:
        log.error("unknown_format", f"{file.name}:1", f"the root is {quoted(root.tag)}; expected graphml with a graph.")
        return no_graph(log)
    for other in graphs[1:]:
        log.warn("other_graph", places.of(other), f"graph {quoted(other.get('id'))} is left out; the first is read.")
        root.remove(other)
    above = _mend(root, graphs[0], places, log)
    graph = _parse(root, graphs[0], file.name, log)
    root.clear()
    if graph is None:
        return no_graph(log)
    language = given.language or LANGUAGE
    name = re.sub(r"(\.graphml|\.xml)?(\.gz)?$", "", file.name)
    log.warn("no_licence", f"{file.name}:1", "GraphML names no licence; find it out before you pass the graph on.")
    header = GraphHeader(
        graph_id=graph_name(name, "graphml"),
        snapshot_id=content_id([file]),
        title=name,
        languages=(language,),
        attribution=(f"{file.name}, GraphML.",),
    )
    return RawGraph(header, _rows(graph, above, places, language, log), lenient=True)


def _looks(path: Path) -> bool:
    return re.search(r"<graphml\b", head(path, 4096)) is not None


def _mend(root: Element, graph: Element, places: _Places, log: ImportLog) -> dict[str, str]:
    """Make the tree one that networkx reads without loss; return the outer node of each node in a nested graph.

    Values stay texts (``01`` is no number), keys that are used are declared, and what networkx would merge, invent or
    refuse is left out here, with its line.
    """
    declared: dict[str, Element] = {}
    # networkx would turn undirected edges round as it likes; here they lead from source to target, as written.
    graph.set("edgedefault", "directed")
    for key in root.findall(f"{_NS}key"):
        if key.get("id") is None:
            log.warn("no_key", places.of(key), "a key is declared without an id; the declaration is left out.")
            root.remove(key)
            continue
        declared[key.get("id", "")] = key
        key.set("attr.name", key.get("attr.name") or key.get("yfiles.type") or key.get("id") or "")
        key.set("attr.type", "string")
    above: dict[str, str] = {}
    waiting: list[tuple[Element, str | None]] = [(graph, None)]
    edges: list[tuple[Element, Element]] = []
    while waiting:
        parent, outer = waiting.pop()
        for element in list(parent):
            if element.tag == f"{_NS}node":
                node_id = element.get("id")
                place = places.of(element)
                if node_id is None or node_id in places.nodes:
                    kind = "empty_id" if node_id is None else "duplicate_id"
                    said = "has no id" if node_id is None else f"{quoted(node_id)} stands already in the file"
                    log.skip_row(kind, place, f"the node {said}; it is left out.")
                    parent.remove(element)
                    continue
                places.nodes[node_id] = place.line
                if outer is not None:
                    above[node_id] = outer
                for inner in element.findall(f"{_NS}graph"):
                    element.set("yfiles.foldertype", "group")
                    waiting.append((inner, node_id))
                _attributes_as_data(element, ("id", "yfiles.foldertype"))
            elif element.tag == f"{_NS}edge":
                edges.append((parent, element))
                element.attrib.pop("directed", None)
                _attributes_as_data(element, ("id", "source", "target"))
            elif element.tag == f"{_NS}hyperedge":
                log.skip("hyperedge", places.of(element), "an edge between more than two nodes is left out.")
                parent.remove(element)
    for parent, edge in edges:
        ends = [edge.get("source"), edge.get("target")]
        for end in ends:
            if end not in places.nodes:
                log.warn("dangling_link", places.of(edge), f"an edge names {quoted(end)}, which is no node; left out.")
        if any(end not in places.nodes for end in ends):
            parent.remove(edge)
    for element in list(root.iter()):
        for data in element.findall(f"{_NS}data"):
            if data.get("key") is None:
                log.warn("no_key", places.of(data), f"the value {quoted(data.text)} names no key; it is left out.")
                element.remove(data)
    for data in root.iter(f"{_NS}data"):
        key_id = data.get("key", "")
        if key_id not in declared:
            declared[key_id] = key = Element(f"{_NS}key", {"id": key_id, "attr.name": key_id, "attr.type": "string"})
            root.insert(0, key)
            log.warn("undeclared_key", f"{places.file}:1", f"values have the key {quoted(key_id)}, declared nowhere.")
    return above


def _attributes_as_data(element: Element, known: tuple[str, ...]) -> None:
    """Turn attributes that some programs write beside the format, such as ``label``, into values."""
    present = {data.get("key") for data in element.findall(f"{_NS}data")}
    for name in [name for name in element.attrib if name not in known and not name.startswith("{")]:
        value = element.attrib.pop(name)
        if name not in present:
            SubElement(element, f"{_NS}data", {"key": name}).text = value


def _parse(root: Element, graph: Element, file: str, log: ImportLog) -> Any:
    from networkx import NetworkXException  # type: ignore[import-untyped]
    from networkx.readwrite.graphml import GraphMLReader  # type: ignore[import-untyped]

    reader = GraphMLReader(node_type=str, force_multigraph=True)
    with warnings.catch_warnings():
        # Ports of nodes: where on its border an edge of a drawing begins.
        warnings.simplefilter("ignore")
        try:
            return reader.make_graph(graph, *reader.find_graphml_keys(root))
        except (NetworkXException, AttributeError, KeyError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())[:200]
            log.error("bad_graphml", f"{file}:1", f"networkx cannot read the graph ({type(error).__name__}: {reason}).")
            return None


def _rows(graph: Any, above: Mapping[str, str], places: _Places, language: str, log: ImportLog) -> Iterator[RawNode]:
    log.read[places.file] += 0
    parents: dict[str, list[str]] = {child: [parent] for child, parent in above.items()}
    links: dict[str, list[dict[str, str]]] = {}
    for source, target, said in graph.edges(data=True):
        data = {**graph.graph["edge_default"], **said}
        name = next((str(data[key]) for key in data if key.casefold() in _LINK_NAMES and str(data[key]).strip()), "")
        plain = re.sub(r"[\s-]+", "_", name.strip().lstrip(":")).casefold()
        if plain in _UP:
            parents.setdefault(source, []).append(target)
        elif plain in _DOWN:
            parents.setdefault(target, []).append(source)
        else:
            kind = (
                _LINK_KEYS.get(plain.replace("_", " "), _LINK_KEYS.get(plain))
                or name.strip().lstrip(":")
                or "related_to"
            )
            link = {"target": target, "kind": kind}
            if link not in (found := links.setdefault(source, [])):
                found.append(link)
    for node_id, data in graph.nodes(data=True):
        place = Place(places.file, places.nodes.get(node_id, 1))
        log.read[places.file] += 1
        said = {**graph.graph["node_default"], **data}
        values = {str(key): str(value) for key, value in said.items() if str(value).strip()}
        node = _node(node_id, values, language, place, log)
        node["parents"] = list(dict.fromkeys(parents.get(node_id, ())))
        node["links"] = links.get(node_id, [])
        yield RawNode(node, place)


def _node(node_id: str, values: dict[str, str], language: str, place: Place, log: ImportLog) -> dict[str, Any]:
    def take(names: tuple[str, ...]) -> str:
        for name in names:
            for key in values:
                if key.casefold() == name:
                    return values.pop(key).strip()
        return ""

    said = next((key for name in _TYPES for key in values if key.casefold() == name), None)
    node_type = _TYPE_KEYS.get(values[said].strip().lstrip(":").casefold()) if said is not None else None
    if node_type is not None and said is not None:
        del values[said]
    else:
        log.warn("no_type", place, f"node {quoted(node_id)} names no type that is known here; it is a group.")
        node_type = "group"
    title = take(_TITLES)
    if not title:
        log.warn("no_label", place, f"node {quoted(node_id)} has no title or name; its id stands for it.")
    main = main_field(node_type)
    texts: dict[str, list[str]] = {}
    synonyms = [text.strip() for text in re.split(r"[|;\n]", take(_SYNONYMS)) if text.strip()]
    if text := take(_TEXTS):
        texts[main] = [text]
    for key in [key for key in values if key.casefold() in _FIELD_KEYS]:
        texts.setdefault(_FIELD_KEYS[key.casefold()], []).append(values.pop(key).strip())
    # What has no place of its own is kept as text under its name.
    texts.setdefault(main, []).extend(f"{key}: {value}" for key, value in values.items())
    return {
        "id": node_id,
        "type": node_type,
        "title": {language: title or node_id},
        "synonyms": [{"text": text, "language": language, "scope": "exact"} for text in synonyms],
        "fields": {key: {language: "\n".join(lines)} for key, lines in texts.items() if lines},
    }
