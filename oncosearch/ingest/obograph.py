"""OBO graphs in JSON: the same ontologies as in OBO, read into the same classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given
from oncosearch.ingest.jsontext import JsonPlaces, as_object, as_text, objects, read_json, texts
from oncosearch.ingest.lines import head
from oncosearch.ingest.ontology import Ontology, OntologyClass, compact_id, ontology_graph
from oncosearch.ingest.picking import chosen, detected, no_graph, only_file
from oncosearch.ingest.raw import Place, RawGraph
from oncosearch.ingest.report import ImportLog, quoted

_BEGINS = re.compile(r'\s*\{\s*(?:"@context"\s*:[^{}]*(?:\{[^{}]*\}\s*,?)?[^{}]*)?"graphs"\s*:\s*\[')
_IS_A = ("is_a", "http://www.w3.org/2000/01/rdf-schema#subClassOf")
_SCOPES = {
    "hasExactSynonym": "exact",
    "hasNarrowSynonym": "narrow",
    "hasBroadSynonym": "broad",
    "hasRelatedSynonym": "related",
}
_ALTERNATIVE = "hasAlternativeId"
_REPLACED = "IAO_0100001"
_LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


def is_obograph(given: Given) -> bool:
    """Return whether a file begins like an OBO graph."""
    return bool(detected(given, _looks, "*.json"))


def read_obograph(given: Given, log: ImportLog) -> RawGraph:
    """Return the classes of an OBO graph. Texts are English unless another language is given."""
    file = only_file(given, chosen(given, _looks, "*.json"), "OBO graph in JSON", log)
    document = None if file is None else read_json(file, "id", given, log)
    if file is None or document is None:
        return no_graph(log)
    graphs = as_object(document[0]).get("graphs")
    if not isinstance(graphs, list):
        log.error("missing_key", f"{file.name}:1", 'the file has no list "graphs"; expected an OBO graph.')
        return no_graph(log)
    ontology = Ontology()
    classes: list[OntologyClass] = []
    for graph in graphs:
        if isinstance(graph, dict):
            _read_graph(graph, file.name, document[1], ontology, classes, log)
    return ontology_graph(ontology, classes, given, file, log)


def _looks(path: Path) -> bool:
    return _BEGINS.match(head(path)) is not None


def _read_graph(
    graph: Mapping[str, Any],
    file: str,
    places: JsonPlaces,
    ontology: Ontology,
    classes: list[OntologyClass],
    log: ImportLog,
) -> None:
    meta = as_object(graph.get("meta"))
    ontology.id = ontology.id or as_text(graph.get("id"))
    ontology.version = ontology.version or as_text(meta.get("version"))
    for predicate, value in _properties(meta):
        if predicate.endswith(("license", "rights")):
            ontology.licence = ontology.licence or value
        elif predicate.endswith("title"):
            ontology.title = ontology.title or value
    by_id: dict[str, OntologyClass] = {}
    for node in objects(graph, "nodes"):
        address = as_text(node.get("id"))
        place = places.next(address)
        if node.get("type", "CLASS") == "CLASS":
            found = _class(node, compact_id(address), place)
            by_id.setdefault(found.id, found)
            classes.append(found)
            log.reached(len(classes))
        elif node.get("type") == "PROPERTY":
            ontology.relations[compact_id(address)] = as_text(node.get("lbl"))
    for edge in objects(graph, "edges"):
        sub, predicate, obj = (as_text(edge.get(key)) for key in ("sub", "pred", "obj"))
        child = by_id.get(compact_id(sub))
        if child is None:
            if compact_id(sub) not in ontology.relations:
                log.skip("bad_edge", f"{file}:1", f"an edge begins at {quoted(sub)}, which is no class of the graph.")
        elif predicate in _IS_A:
            child.parents.append(compact_id(obj))
        else:
            child.relations.append((compact_id(predicate), compact_id(obj)))
    for axiom in objects(graph, "logicalDefinitionAxioms"):
        if (defined := by_id.get(compact_id(as_text(axiom.get("definedClassId"))))) is not None:
            defined.logical = True


def _class(node: Mapping[str, Any], node_id: str, place: Place) -> OntologyClass:
    meta = as_object(node.get("meta"))
    found = OntologyClass(node_id, place)
    if label := as_text(node.get("lbl")):
        found.labels.append((None, label))
    definition = as_object(meta.get("definition"))
    if text := as_text(definition.get("val")):
        found.definitions.append((None, text))
    found.references += texts(definition.get("xrefs"))
    for synonym in objects(meta, "synonyms"):
        scope = _SCOPES.get(as_text(synonym.get("pred")).rpartition("#")[2], "related")
        found.synonyms.append((None, as_text(synonym.get("val")), scope))
        found.references += texts(synonym.get("xrefs"))
    found.xrefs = [as_text(xref.get("val")) for xref in objects(meta, "xrefs")]
    found.obsolete = meta.get("deprecated") is True
    for predicate, value in _properties(meta):
        if predicate.endswith(_ALTERNATIVE):
            found.alternatives.append(compact_id(value))
        elif predicate.endswith(_REPLACED):
            found.replaced_by.append(compact_id(value))
        elif predicate == _LABEL:
            found.labels.append((None, value))
    return found


def _properties(meta: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for entry in objects(meta, "basicPropertyValues"):
        yield as_text(entry.get("pred")), as_text(entry.get("val"))
