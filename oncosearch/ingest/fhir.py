"""FHIR R4: CodeSystems as hierarchies and ConceptMaps as cross-links between them, all files given as one graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oncosearch.ingest.checks import LANGUAGE as LANGUAGE_FORM
from oncosearch.ingest.fhir_terms import LANGUAGE, concept_id, known_system, link_kind, node_type, system_language
from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.jsontext import JsonPlaces, objects, read_json
from oncosearch.ingest.lines import head
from oncosearch.ingest.ontology import main_field
from oncosearch.ingest.picking import chosen, detected, graph_name, no_graph
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted

_READ = ("CodeSystem", "ConceptMap")


@dataclass(slots=True)
class _System:
    """A CodeSystem: ``name`` begins the ids of its concepts."""

    name: str
    resource: Mapping[str, Any]
    file: str
    places: JsonPlaces
    language: str
    type: str
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)


def is_fhir(given: Given) -> bool:
    """Return whether a file begins like a FHIR resource that is read here."""
    return bool(detected(given, _looks, "*.json"))


def read_fhir(given: Given, log: ImportLog) -> RawGraph:
    """Return the concepts of all CodeSystems, joined by the rows of all ConceptMaps.

    Displays are in the language that a CodeSystem names, else German or the language given.
    """
    files = chosen(given, _looks, "*.json")
    if not files:
        log.error("missing_file", given.name, f"{given.name} holds no CodeSystem and no ConceptMap of FHIR in JSON.")
    resources = []
    for path in files:
        document = read_json(path, "code", given, log)
        if document is not None:
            resources += [(path.name, document[1], found) for found in _resources(document[0], path.name, log)]
    if log.errors or not files:
        return no_graph(log)
    graph = _Graph(given.language or LANGUAGE, log)
    for file, places, resource in resources:
        if resource["resourceType"] == "CodeSystem":
            graph.add_system(resource, file, places)
    rows = list(graph.concepts())
    for file, places, resource in resources:
        if resource["resourceType"] == "ConceptMap":
            graph.add_map(resource, file, places)
    rows += graph.made
    return RawGraph(_header([r for _, _, r in resources], rows, files, log), rows, lenient=True)


def _looks(path: Path) -> bool:
    text = head(path)
    return '"resourceType"' in text and any(f'"{kind}"' in text for kind in (*_READ, "Bundle"))


def _resources(document: object, file: str, log: ImportLog) -> list[dict[str, Any]]:
    kind = document.get("resourceType") if isinstance(document, dict) else None
    if isinstance(document, dict) and kind == "Bundle":
        inside = [entry.get("resource") for entry in objects(document, "entry")]
        return [found for resource in inside for found in _resources(resource, file, log)]
    if isinstance(document, dict) and kind in _READ:
        return [document]
    log.skip("other_resource", Place(file, 1), f"resource {quoted(kind)} is left out; read are {', '.join(_READ)}.")
    return []


def _header(resources: list[dict[str, Any]], rows: list[RawNode], files: list[Path], log: ImportLog) -> GraphHeader:
    systems = [resource for resource in resources if resource["resourceType"] == "CodeSystem"]
    versions = [resource["version"] for resource in systems if isinstance(resource.get("version"), str)]
    licences = list(dict.fromkeys(r["copyright"] for r in resources if isinstance(r.get("copyright"), str)))
    if not licences:
        log.warn("no_licence", f"{files[0].name}:1", "no file names a copyright; find it out before you pass it on.")
    publishers = [f"{_name(resource)}, {resource.get('publisher') or 'no publisher named'}." for resource in resources]
    spoken = {language for row in rows for language in row.data["title"]}
    one = systems[0] if len(systems) == 1 else None
    # A version names the content of one file only; of several that carry the same, any may have changed.
    version = graph_name(versions[0], "") if one is not None and versions else ""
    return GraphHeader(
        graph_id=graph_name(str(one.get("id") or ""), "fhir") if one is not None else "fhir",
        snapshot_id=version or content_id(files),
        title=_name(one) if one is not None else "FHIR",
        languages=tuple(sorted(spoken, key=lambda lang: (lang not in ("de", "en"), lang))) or (LANGUAGE,),
        licence="; ".join(licences),
        attribution=tuple(dict.fromkeys(publishers)),
    )


class _Graph:
    """CodeSystems by address, and the nodes that only maps name."""

    def __init__(self, language: str, log: ImportLog) -> None:
        self._language, self._log = language, log
        self._systems: dict[str, _System] = {}
        self._groups: list[RawNode] = []
        self._made: dict[str, RawNode] = {}

    @property
    def made(self) -> list[RawNode]:
        """Nodes that no concept stands for: those that only maps name."""
        return list(self._made.values())

    def add_system(self, resource: Mapping[str, Any], file: str, places: JsonPlaces) -> None:
        """Take a CodeSystem in; one whose address was seen already is left out and listed."""
        address = str(resource.get("url") or resource.get("id") or file)
        if address in self._systems:
            first = self._systems[address].file
            self._log.skip("duplicate_system", Place(file, 1), f"{quoted(address)} stands already in {first}.")
            return
        name = str(resource.get("id") or resource.get("name") or address)
        if any(system.name == name for system in self._systems.values()):
            name = address
        language = resource.get("language")
        if not isinstance(language, str) or not LANGUAGE_FORM.fullmatch(language):
            language = self._language
        type_ = node_type(name, resource)
        self._systems[address] = _System(name, resource, file, places, language.partition("-")[0], type_)

    def concepts(self) -> Iterator[RawNode]:
        """Yield a group for each CodeSystem and a node for each concept, in the order of the files."""
        for address, system in self._systems.items():
            self._log.read[system.file] += 0
            content = system.resource.get("content")
            if content not in (None, "complete"):
                self._log.warn("incomplete", Place(system.file, 1), f"{quoted(address)} has content {quoted(content)}.")
            text = system.resource.get("description")
            group = {
                "id": f"fhir:{system.name}",
                "type": "group",
                "title": {system.language: _name(system.resource)},
                "fields": {"Diagnosis": {system.language: text}} if isinstance(text, str) and text.strip() else {},
            }
            yield RawNode(group, Place(system.file, 1), made=True)
            before = self._log.read[system.file]
            yield from self._concepts(address, system)
            count, read = system.resource.get("count"), self._log.read[system.file] - before
            if isinstance(count, int) and count != read:
                self._log.warn(
                    "other_count",
                    Place(system.file, 1),
                    f"{quoted(address)} says it has {count:,} concepts, not {read:,}.",
                )

    def _concepts(self, address: str, system: _System) -> Iterator[RawNode]:
        waiting: list[tuple[dict[str, Any], str | None]] = [
            (concept, None) for concept in reversed(objects(system.resource, "concept"))
        ]
        children: dict[str, list[str]] = {}
        rows = []
        while waiting:
            concept, above = waiting.pop()
            code = concept.get("code")
            if not isinstance(code, str) or not code.strip():
                self._log.skip_row("no_code", Place(system.file, 1), f"a concept of {quoted(address)} has no code.")
                continue
            place = system.places.next(code)
            waiting += [(child, code) for child in reversed(objects(concept, "concept"))]
            properties = [(str(p.get("code")), _value(p)) for p in objects(concept, "property")]
            if any(
                (key == "inactive" and value is True)
                or (key == "status" and value in ("retired", "deprecated", "inactive"))
                for key, value in properties
            ):
                self._log.skip_row("obsolete", place, f"concept {quoted(code)} is no longer in use.")
                continue
            self._log.read[system.file] += 1
            above_all = [above] if above is not None else []
            above_all += [value for key, value in properties if key == "parent" and isinstance(value, str)]
            for key, value in properties:
                if key == "child" and isinstance(value, str):
                    children.setdefault(value, []).append(code)
            node = self._node(address, system, concept, code, above_all)
            system.nodes.setdefault(code, node)
            rows.append(RawNode(node, place))
        for row in rows:
            code = row.data["codes"][0]["code"]
            parents = row.data["parents"] + [concept_id(system.name, above) for above in children.get(code, ())]
            row.data["parents"] = list(dict.fromkeys(parents)) or [f"fhir:{system.name}"]
            yield row

    def _node(
        self, address: str, system: _System, concept: Mapping[str, Any], code: str, above: list[str]
    ) -> dict[str, Any]:
        language = system.language
        title = {language: concept.get("display") or code}
        synonyms = []
        for designation in objects(concept, "designation"):
            value = designation.get("value")
            spoken = designation.get("language")
            spoken = spoken.partition("-")[0] if isinstance(spoken, str) else language
            if isinstance(value, str) and title.setdefault(spoken, value) != value:
                synonyms.append({"text": value, "language": spoken, "scope": "exact"})
        text = concept.get("definition")
        return {
            "id": concept_id(system.name, code),
            "type": system.type,
            "title": title,
            "synonyms": synonyms,
            "fields": {main_field(system.type): {language: text}} if isinstance(text, str) and text.strip() else {},
            "codes": [{"system": known_system(address) or system.name, "code": code}],
            "parents": [concept_id(system.name, code) for code in above],
            "links": [],
        }

    def add_map(self, resource: Mapping[str, Any], file: str, places: JsonPlaces) -> None:
        """Turn each row of a ConceptMap into a cross-link; it is counted as merged into the node it begins at."""
        for group in objects(resource, "group"):
            source, target = str(group.get("source") or ""), str(group.get("target") or "")
            for element in objects(group, "element"):
                code = element.get("code")
                place = places.next(code)
                for row in objects(element, "target"):
                    self._add_row(source, element, target, row, place)

    def _add_row(
        self, source: str, element: Mapping[str, Any], target: str, row: Mapping[str, Any], place: Place
    ) -> None:
        code, other = element.get("code"), row.get("code")
        how = row.get("equivalence") or row.get("relationship")
        if not isinstance(code, str) or not isinstance(other, str) or how in ("unmatched", "disjoint"):
            reason = row.get("comment") or "it names no code on one of its sides"
            self._log.skip_row("unmatched", place, f"the row of {quoted(code)} ({quoted(how)}) is no link: {reason}.")
            return
        start = self._node_of(source, code, element.get("display"), place)
        end = self._node_of(target, other, row.get("display"), place)
        kind = link_kind(how)
        if {"target": end["id"], "kind": kind} not in start["links"]:
            start["links"].append({"target": end["id"], "kind": kind})
        if how in ("equivalent", "equal"):
            start["codes"] += [found for found in end["codes"] if found not in start["codes"]]
        self._log.read[place.file] += 1
        self._log.merged[place.file] += 1

    def _node_of(self, address: str, code: str, display: object, place: Place) -> dict[str, Any]:
        system = self._systems.get(address)
        if system is not None and code in system.nodes:
            return system.nodes[code]
        if system is not None:
            self._log.warn("unknown_concept", place, f"{quoted(address)} has no concept {quoted(code)}; it is made.")
        name = system.name if system is not None else known_system(address) or address
        node_id = concept_id(name, code)
        if node_id not in self._made:
            language = system.language if system is not None else system_language(address) or self._language
            data = {
                "id": node_id,
                "type": system.type if system is not None else node_type(name, {}),
                "title": {language: display if isinstance(display, str) and display.strip() else code},
                "codes": [{"system": known_system(address) or name, "code": code}],
                "parents": [f"fhir:{name}"] if system is not None else [],
                "links": [],
            }
            self._made[node_id] = RawNode(data, place, made=True)
        return self._made[node_id].data  # type: ignore[no-any-return]


def _name(resource: Mapping[str, Any]) -> str:
    return str(resource.get("title") or resource.get("name") or resource.get("id") or resource.get("url") or "FHIR")


def _value(entry: Mapping[str, Any]) -> object:
    return next((value for key, value in entry.items() if key.startswith("value")), None)
