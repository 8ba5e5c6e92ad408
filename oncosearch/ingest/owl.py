"""OWL in RDF/XML, as ontology editors and ROBOT write it: classes with their annotations, read one by one."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from oncosearch.ingest.checks import LANGUAGE
from oncosearch.ingest.given import Given
from oncosearch.ingest.lines import head
from oncosearch.ingest.ontology import Ontology, OntologyClass, compact_id, ontology_graph
from oncosearch.ingest.picking import chosen, detected, no_graph, only_file
from oncosearch.ingest.raw import Place, RawGraph
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.ingest.xmlfile import read_xml

_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_RDFS = "{http://www.w3.org/2000/01/rdf-schema#}"
_OWL = "{http://www.w3.org/2002/07/owl#}"
_OBO = "{http://purl.obolibrary.org/obo/}"
_IN_OWL = "{http://www.geneontology.org/formats/oboInOwl#}"
_SKOS = "{http://www.w3.org/2004/02/skos/core#}"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"

_CLASSES = (f"{_OWL}Class", f"{_RDFS}Class")
_RELATIONS = (f"{_OWL}ObjectProperty", f"{_OWL}AnnotationProperty", f"{_OWL}DatatypeProperty")
_LABELS = (f"{_RDFS}label", f"{_SKOS}prefLabel")
_DEFINITIONS = (f"{_OBO}IAO_0000115", f"{_SKOS}definition")
_SCOPES = {
    f"{_IN_OWL}hasExactSynonym": "exact",
    f"{_IN_OWL}hasNarrowSynonym": "narrow",
    f"{_IN_OWL}hasBroadSynonym": "broad",
    f"{_IN_OWL}hasRelatedSynonym": "related",
    f"{_SKOS}altLabel": "exact",
}
_LOGICAL = (f"{_OWL}equivalentClass", f"{_OWL}unionOf", f"{_OWL}intersectionOf")
_BEGINS = re.compile(r"<rdf:RDF\b")
_OWL_ADDRESS = "http://www.w3.org/2002/07/owl#"


def is_owl(given: Given) -> bool:
    """Return whether a file begins like an ontology in RDF/XML."""
    return bool(detected(given, _looks, "*.owl", "*.rdf", "*.xml"))


def read_owl(given: Given, log: ImportLog) -> RawGraph:
    """Return the named classes of an ontology in RDF/XML.

    A text is in the language that its ``xml:lang`` names, else in English or the language given.
    """
    file = only_file(given, chosen(given, _looks, "*.owl", "*.rdf"), "OWL file", log)
    if file is None:
        return no_graph(log)
    found = _Found(file.name, log)
    root = read_xml(file, log, given.max_bytes, lambda _element, _line: None, found.take)
    if root is None:
        return no_graph(log)
    if root.tag != f"{_RDF}RDF":
        log.error("unknown_format", f"{file.name}:1", f"the root is {quoted(root.tag)}; expected rdf:RDF.")
        return no_graph(log)
    found.annotate()
    return ontology_graph(found.ontology, list(found.classes.values()), given, file, log)


def _looks(path: Path) -> bool:
    text = head(path)
    return _BEGINS.search(text) is not None and _OWL_ADDRESS in text


class _Found:
    """What the children of the root say, one after the other."""

    def __init__(self, file: str, log: ImportLog) -> None:
        self.ontology = Ontology()
        self.classes: dict[str, OntologyClass] = {}
        self._file, self._log = file, log
        self._references: list[tuple[str, list[str]]] = []

    def take(self, element: Element, line: int) -> None:
        """Read one child of the root."""
        place = Place(self._file, line)
        if element.tag == f"{_OWL}Ontology":
            self._header(element)
        elif element.tag == f"{_OWL}Axiom":
            self._axiom(element)
        elif about := _about(element):
            kinds = {element.tag, *(_iri(child, curly=True) for child in element.findall(f"{_RDF}type"))}
            if kinds & set(_CLASSES):
                self._class(about, element, place)
                self._log.reached(len(self.classes))
            elif kinds & set(_RELATIONS):
                label = element.find(f"{_RDFS}label")
                self.ontology.relations[compact_id(about)] = _text(label)

    def annotate(self) -> None:
        """Add the references that axioms give for definitions, synonyms and classes."""
        for class_id, references in self._references:
            if (found := self.classes.get(class_id)) is not None:
                found.references += references

    def _header(self, element: Element) -> None:
        self.ontology.id = element.get(f"{_RDF}about", "")
        for child in element:
            local = child.tag.rpartition("}")[2]
            value = _text(child) or _iri(child)
            if child.tag == f"{_OWL}versionIRI" or (child.tag == f"{_OWL}versionInfo" and not self.ontology.version):
                self.ontology.version = value
            elif local in ("license", "rights"):
                self.ontology.licence = self.ontology.licence or value
            elif local == "title":
                self.ontology.title = self.ontology.title or value

    def _axiom(self, element: Element) -> None:
        source, about = element.find(f"{_OWL}annotatedSource"), element.find(f"{_OWL}annotatedProperty")
        if source is None or about is None:
            return
        kind = _iri(about, curly=True)
        references = [_text(ref) or _iri(ref) for ref in element.findall(f"{_IN_OWL}hasDbXref")]
        if references and (kind in _DEFINITIONS or kind in _SCOPES):
            self._references.append((compact_id(_iri(source)), references))

    def _class(self, about: str, element: Element, place: Place) -> None:
        class_id = compact_id(about)
        found = self.classes.get(class_id)
        if found is None:
            found = self.classes[class_id] = OntologyClass(class_id, place)
        else:
            # RDF may state a class in several places: they are one class, and one row.
            self._log.warn("stated_twice", place, f"{quoted(class_id)} stands already in {found.place}; it is joined.")
        for child in element:
            self._property(found, child, place)

    def _property(self, found: OntologyClass, child: Element, place: Place) -> None:
        tag, text, iri = child.tag, _text(child), _iri(child)
        language = self._language(child, place)
        if tag == f"{_RDFS}subClassOf":
            self._super(found, child, iri)
        elif tag in _LOGICAL:
            found.logical = True
        elif tag in _LABELS and text:
            if (language, text) not in found.labels:
                found.labels.append((language, text))
        elif tag in _DEFINITIONS and text:
            found.definitions.append((language, text))
        elif tag in _SCOPES and text:
            found.synonyms.append((language, text, _SCOPES[tag]))
        elif tag == f"{_IN_OWL}hasDbXref" and (text or iri):
            found.xrefs.append(text or iri)
        elif tag == f"{_IN_OWL}hasAlternativeId" and (text or iri):
            found.alternatives.append(compact_id(text or iri))
        elif tag == f"{_OBO}IAO_0100001" and (text or iri):
            found.replaced_by.append(compact_id(text or iri))
        elif tag == f"{_OWL}deprecated":
            found.obsolete = text.casefold() in ("true", "1")

    def _super(self, found: OntologyClass, child: Element, iri: str) -> None:
        if iri:
            if iri != f"{_OWL_ADDRESS}Thing":
                found.parents.append(compact_id(iri))
            return
        named = child.find(f"{_OWL}Class")
        restriction = child.find(f"{_OWL}Restriction")
        if named is not None and (about := _about(named)):
            found.parents.append(compact_id(about))
            return
        relation = None if restriction is None else restriction.find(f"{_OWL}onProperty")
        target = None if restriction is None else restriction.find(f"{_OWL}someValuesFrom")
        if relation is not None and target is not None and _iri(relation) and _iri(target):
            found.relations.append((compact_id(_iri(relation)), compact_id(_iri(target))))
        else:
            found.logical = True

    def _language(self, child: Element, place: Place) -> str | None:
        language = child.get(_LANGUAGE)
        if not language:
            return None
        if not LANGUAGE.fullmatch(language):
            self._log.warn("bad_language", place, f"xml:lang is {quoted(language)}, which is no language code.")
            return None
        return language


def _text(element: Element | None) -> str:
    return "" if element is None or element.text is None else element.text.strip()


def _about(element: Element) -> str:
    name = element.get(f"{_RDF}ID")
    return f"#{name}" if name else element.get(f"{_RDF}about", "")


def _iri(element: Element, *, curly: bool = False) -> str:
    """Return the address an element points at; ``curly`` in the form of a tag, ``{namespace}name``."""
    iri = element.get(f"{_RDF}resource", "")
    if not curly:
        return iri
    cut = max(iri.rfind("#"), iri.rfind("/")) + 1
    return f"{{{iri[:cut]}}}{iri[cut:]}"
