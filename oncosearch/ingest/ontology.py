"""What OBO, OBO graphs and OWL have in common: a class with its labels and relations, and how it becomes a node."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.picking import graph_name
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.references import read_code, read_source, unique
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model.vocabulary import SCOPE_KEYS

LANGUAGE = "en"

# What the classes of well-known ontologies are; of others nothing is said but that they group what is below them.
_TYPES = {
    **dict.fromkeys(("DOID", "EFO", "MONDO", "MPATH", "NCIT", "OGMS", "ORPHANET", "ORDO"), "disease"),
    **dict.fromkeys(("ATC", "CHEBI", "DRON", "RXNORM"), "drug"),
    **dict.fromkeys(("ENSEMBL", "HGNC", "NCBIGENE", "PR", "SO"), "biomarker"),
    "HP": "diagnosis",
    "MAXO": "procedure",
}
_FIELDS = {
    "biomarker": "Biomarkers",
    "contraindication": "Contraindications",
    "document": "Evidence",
    "drug": "Therapy",
    "evidence": "Evidence",
    "procedure": "Therapy",
    "staging": "Staging",
    "supportive_care": "Therapy",
    "therapy": "Therapy",
}
_KNOWN = {
    "doid": ("Disease Ontology", "CC0-1.0", "Disease Ontology (disease-ontology.org), CC0 1.0."),
}
_OBO_ADDRESS = re.compile(r"https?://purl\.obolibrary\.org/obo/")
_COMPACT = re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z][A-Za-z0-9]*)_([^#/?]+)")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(slots=True)
class OntologyClass:
    """A class as a file states it. Languages are None where the file names none; references are texts as written.

    ``logical`` says that there is a logical definition, which is not read.
    """

    id: str
    place: Place
    labels: list[tuple[str | None, str]] = field(default_factory=list)
    definitions: list[tuple[str | None, str]] = field(default_factory=list)
    synonyms: list[tuple[str | None, str, str]] = field(default_factory=list)
    xrefs: list[str] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    alternatives: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    relations: list[tuple[str, str]] = field(default_factory=list)
    replaced_by: list[str] = field(default_factory=list)
    obsolete: bool = False
    logical: bool = False


@dataclass(slots=True)
class Ontology:
    """An ontology's own description: id and version as written, ``relations`` from the id of a relation to its name."""

    id: str = ""
    version: str = ""
    title: str = ""
    licence: str = ""
    relations: dict[str, str] = field(default_factory=dict)


def main_field(node_type: str) -> str:
    """Return the text field that holds what a node of this type is."""
    return _FIELDS.get(node_type, "Diagnosis")


def compact_id(iri: str) -> str:
    """Return ``DOID:162`` for the address of an OBO class, other addresses as they are."""
    found = _COMPACT.fullmatch(iri)
    return f"{found[1]}:{found[2]}" if found else iri


def ontology_graph(
    ontology: Ontology, classes: Sequence[OntologyClass], given: Given, file: Path, log: ImportLog
) -> RawGraph:
    """Return the classes as a graph: obsolete ones left out and listed, other relations as cross-links."""
    language = given.language or LANGUAGE
    spoken = {lang or language for cls in classes for lang, _ in cls.labels}
    languages = tuple(sorted(spoken or {language}, key=lambda lang: (lang not in ("de", "en"), lang)))
    return RawGraph(
        _header(ontology, languages, file, log), _rows(ontology, classes, language, file.name, log), lenient=True
    )


def _header(ontology: Ontology, languages: tuple[str, ...], file: Path, log: ImportLog) -> GraphHeader:
    path = re.sub(r"\.(json|obo|owl)$", "", _OBO_ADDRESS.sub("", ontology.id))
    name = path.rstrip("/#").rpartition("/")[2]
    known = _KNOWN.get(path.partition("/")[0].casefold())
    date = _DATE.search(ontology.version)
    version = date[0] if date else re.sub(r"^https?://\S*/", "", ontology.version)
    title, licence, attribution = known or (
        ontology.title or name or file.name,
        ontology.licence,
        f"{ontology.title or path or file.name}, {version or 'no version named'}.",
    )
    if not licence:
        log.warn("no_licence", f"{file.name}:1", "the ontology names no licence; find it out before you pass it on.")
    return GraphHeader(
        graph_id=graph_name(name, "ontology"),
        snapshot_id=graph_name(version, "") or content_id([file]),
        title=title if not known or name.casefold() == path.casefold() else f"{title}: {name}",
        languages=languages,
        licence=licence,
        attribution=(attribution,),
    )


def _rows(
    ontology: Ontology, classes: Sequence[OntologyClass], language: str, file: str, log: ImportLog
) -> Iterator[RawNode]:
    log.read[file] += 0
    kinds = {relation: _kind(name or relation) for relation, name in ontology.relations.items()}
    for cls in classes:
        name = cls.labels[0][1] if cls.labels else cls.id
        if cls.obsolete:
            instead = f"; replaced by {', '.join(cls.replaced_by)}" if cls.replaced_by else ""
            log.skip_row("obsolete", cls.place, f"{quoted(cls.id)} ({quoted(name)}) is obsolete{instead}.")
            continue
        log.read[file] += 1
        if cls.logical:
            log.warn("logical_definition", cls.place, f"the logical definition of {quoted(cls.id)} is not read.")
        yield RawNode(_node(cls, kinds, language, log), cls.place)


def _node(cls: OntologyClass, kinds: Mapping[str, str], language: str, log: ImportLog) -> dict[str, Any]:
    node_type = _TYPES.get(cls.id.partition(":")[0].upper(), "group")
    if node_type == "group":
        log.warn("no_type", cls.place, f"what {quoted(cls.id)} is cannot be told from its prefix; it is a group.")
    title: dict[str, str] = {}
    synonyms = []
    for lang, text in cls.labels:
        if title.setdefault(lang or language, text) != text:
            log.warn(
                "two_labels",
                cls.place,
                f"{quoted(cls.id)} is labelled {quoted(title[lang or language])} and {quoted(text)}; "
                "the first is its title, the other a synonym.",
            )
            synonyms.append({"text": text, "language": lang or language, "scope": "exact"})
    synonyms += [{"text": text, "language": lang or language, "scope": scope} for lang, text, scope in cls.synonyms]
    text_of: dict[str, str] = {}
    for lang, text in cls.definitions:
        key = lang or language
        text_of[key] = f"{text_of[key]}\n{text}" if key in text_of else text
    own = [code for name in (cls.id, *sorted(cls.alternatives)) if (code := read_code(name))]
    sources = [source for name in cls.references if (source := read_source(name))]
    codes = []
    for xref in cls.xrefs:
        source = read_source(xref, always=False)
        code = None if source else read_code(xref)
        if source:
            sources.append(source)
        elif code:
            codes.append(code)
        else:
            log.warn("bad_xref", cls.place, f"reference {quoted(xref)} of {quoted(cls.id)} has no SYSTEM:code form.")
    links = [{"target": target, "kind": kinds.get(name) or _kind(name)} for name, target in cls.relations]
    return {
        "id": cls.id,
        "type": node_type,
        "title": title,
        # Sorted, because each format has an order of its own for what the ontology leaves unordered.
        "synonyms": sorted(unique(synonyms, "text", "language", "scope"), key=_synonym_order),
        "fields": {main_field(node_type): text_of} if text_of else {},
        "codes": unique([*own, *sorted(codes, key=lambda code: (code["system"], code["code"]))], "system", "code"),
        "sources": sorted(unique(sources, "kind", "id"), key=lambda source: (source["kind"], source["id"])),
        "parents": sorted(set(cls.parents)),
        "links": sorted(unique(links, "target", "kind"), key=lambda link: (link["kind"], link["target"])),
    }


def _synonym_order(synonym: Mapping[str, str]) -> tuple[int, str, str]:
    return SCOPE_KEYS.index(synonym["scope"]), synonym["text"], synonym["language"]


def _kind(name: str) -> str:
    """Return the kind of link that a relation's name makes: ``located in`` is ``located_in``."""
    local = compact_id(name).rpartition("#")[2].rpartition("/")[2]
    return re.sub(r"\s+", "_", local.strip()) or "related_to"
