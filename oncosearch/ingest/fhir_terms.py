"""What FHIR's addresses and words are called here: classifications, relations of maps, types of concepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

LANGUAGE = "de"

# Addresses of classifications, with the language of their displays where it is always the same.
_SYSTEMS = {
    "http://snomed.info/sct": ("SNOMED CT", "en"),
    "http://loinc.org": ("LOINC", "en"),
    "http://fhir.de/CodeSystem/bfarm/icd-10-gm": ("ICD-10-GM", "de"),
    "http://fhir.de/CodeSystem/bfarm/atc": ("ATC", "de"),
    "http://fhir.de/CodeSystem/bfarm/ops": ("OPS", "de"),
    "http://hl7.org/fhir/sid/icd-10": ("ICD-10", None),
    "http://terminology.hl7.org/CodeSystem/icd-o-3": ("ICD-O-3", None),
    "urn:oid:2.16.840.1.113883.6.43.1": ("ICD-O-3", None),
    "http://www.whocc.no/atc": ("ATC", "en"),
    "http://www.nlm.nih.gov/research/umls/rxnorm": ("RxNorm", "en"),
    "http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl": ("NCIt", "en"),
}
_LINKS = {
    None: "related_to",
    "relatedto": "related_to",
    "related-to": "related_to",
    "inexact": "related_to",
    "subsumes": "narrower",
    "specializes": "wider",
    "equal": "equivalent",
    "source-is-narrower-than-target": "wider",
    "source-is-broader-than-target": "narrower",
}
# A word in the name of a code system, and what its concepts are then.
_TYPES = (
    (r"tnm|uicc|grading|stadium|staging|stage", "staging"),
    (r"zielgebiet|operation|\bops\b|prozedur|procedure|bestrahlung|applikation", "procedure"),
    (r"nebenwirkung|ctcae|leistungszustand|ecog|karnofsky|diagnos|morpholog|topograph|icd", "diagnosis"),
    (r"substanz|wirkstoff|\batc\b|drug|arznei|medication", "drug"),
    (r"therap|protokoll|treatment", "therapy"),
    (r"genetisch|marker|rezeptor|receptor|variant", "biomarker"),
    (r"snomed|loinc", "diagnosis"),
)


def known_system(address: str) -> str | None:
    """Return the name that the classification of an address has in every graph, or None."""
    found = _SYSTEMS.get(address.partition("|")[0].rstrip("/"))
    return None if found is None else found[0]


def system_language(address: str) -> str | None:
    """Return the language of a classification's displays where it is always the same, or None."""
    found = _SYSTEMS.get(address.partition("|")[0].rstrip("/"))
    return None if found is None else found[1]


def concept_id(system: str, code: str) -> str:
    """Return the id of a concept's node."""
    return f"{system}:{code}"


def link_kind(relation: object) -> str:
    """Return the kind of cross-link that a row of a map makes: R4's equivalence or R5's relationship."""
    return _LINKS.get(relation, relation) if relation is None or isinstance(relation, str) else "related_to"  # type: ignore[return-value]


def node_type(name: str, resource: Mapping[str, Any]) -> str:
    """Return what the concepts of a code system are, told from its names; ``group`` where they say nothing."""
    words = " ".join(str(resource.get(key) or "") for key in ("id", "name", "title", "url"))
    text = f"{name} {words}".casefold()
    return next((kind for pattern, kind in _TYPES if re.search(pattern, text)), "group")
