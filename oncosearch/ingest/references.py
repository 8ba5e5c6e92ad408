"""References as public ontologies write them (``NCI:C3325``, ``PMID:1``, ``url:http://…``) as codes and sources."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from oncosearch.ingest.checks import URL_PATTERN
from oncosearch.model.vocabulary import SOURCE_KINDS

# How classifications are named in every graph, so that graphs can be joined by their codes.
CODE_SYSTEMS = {
    "atc": "ATC",
    "gard": "GARD",
    "icd10": "ICD-10",
    "icd10cm": "ICD-10-CM",
    "icd10gm": "ICD-10-GM",
    "icd10who": "ICD-10",
    "icd11": "ICD-11",
    "icd9": "ICD-9",
    "icd9cm": "ICD-9-CM",
    "icdo": "ICD-O-3",
    "icdo3": "ICD-O-3",
    "meddra": "MedDRA",
    "mesh": "MeSH",
    "mim": "OMIM",
    "msh": "MeSH",
    "nci": "NCIt",
    "ncit": "NCIt",
    "oncotree": "OncoTree",
    "omim": "OMIM",
    "ordo": "Orphanet",
    "orpha": "Orphanet",
    "orphanet": "Orphanet",
    "umls": "UMLS",
    "umlscui": "UMLS",
}
# Their ids are written with the prefix wherever they stand alone: DOID:162.
_WITH_PREFIX = frozenset({"CHEBI", "CL", "DOID", "EFO", "GO", "HP", "MONDO", "MP", "PR", "SO", "UBERON"})
_SNOMED = re.compile(r"snomed(ct)?[a-z0-9]*")
_CURIE = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*):(?!//)\s*(.*\S)", re.DOTALL)
_URL = re.compile(URL_PATTERN)
_ADDRESSES = (
    ("pubmed", re.compile(r"https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/pubmed)/([0-9]+)/?")),
    (
        "pmc",
        re.compile(
            r"https?://(?:pmc\.ncbi\.nlm\.nih\.gov|(?:www\.)?ncbi\.nlm\.nih\.gov/pmc)/articles/(PMC[0-9]+)/?", re.I
        ),
    ),
    ("doi", re.compile(r"https?://(?:dx\.)?doi\.org/(10\..+)")),
    ("trial", re.compile(r"https?://(?:www\.)?clinicaltrials\.gov/(?:ct2/show|study)/(NCT[0-9]{8})/?", re.I)),
)
_PREFIXES = {
    "pmid": "pubmed",
    "pubmed": "pubmed",
    "pmc": "pmc",
    "pmcid": "pmc",
    "doi": "doi",
    "nct": "trial",
    "clinicaltrials": "trial",
    "clinicaltrials.gov": "trial",
}
_ID_FORMS = {kind.key: re.compile(kind.id_form) for kind in SOURCE_KINDS if kind.id_form is not None}


def code_system(name: str) -> str:
    """Return the name that a classification has in every graph: ``NCI`` and ``ncit`` are ``NCIt``."""
    key = re.sub(r"[^a-z0-9]", "", name.casefold())
    return "SNOMED CT" if _SNOMED.fullmatch(key) else CODE_SYSTEMS.get(key, name)


def read_code(reference: str) -> dict[str, str] | None:
    """Return the code that a reference ``SYSTEM:code`` names, or None where it has another form."""
    found = _CURIE.fullmatch(reference.strip())
    if found is None:
        return None
    prefix, local = found.groups()
    system = code_system(prefix)
    return {"system": system, "code": f"{prefix}:{local}" if system in _WITH_PREFIX else local}


def read_source(reference: str, *, always: bool = True) -> dict[str, Any] | None:
    """Return the source that a reference names.

    Publications and trials are recognised by prefix or address. Any other address is a web page whose ``http://`` is
    written ``https://`` in the link; anything else is a web source without a link, or None without ``always``.
    """
    text = reference.strip()
    found = _CURIE.fullmatch(text)
    prefix, local = (found[1].casefold(), found[2]) if found else ("", text)
    if prefix in ("url", "http", "https"):
        text = local if prefix == "url" else text
    elif prefix in _PREFIXES:
        source = _typed(_PREFIXES[prefix], local)
        return source or {"kind": "web", "id": text}
    for kind, form in _ADDRESSES:
        if (match := form.fullmatch(text)) and (source := _typed(kind, match[1])):
            return source
    if text.startswith(("http://", "https://")):
        url = "https://" + text.split("://", 1)[1]
        return {"kind": "web", "id": text, **({"url": url} if _URL.fullmatch(url) else {})}
    return {"kind": "web", "id": text} if always and text else None


def unique(values: Iterable[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """Return the values in their order, of those that agree in ``keys`` the first."""
    found: dict[tuple[object, ...], dict[str, Any]] = {}
    for value in values:
        found.setdefault(tuple(value.get(key) for key in keys), value)
    return list(found.values())


def _typed(kind: str, local: str) -> dict[str, str] | None:
    source_id = local
    if kind == "pmc" and source_id.isdigit():
        source_id = f"PMC{source_id}"
    if kind in ("pmc", "trial"):
        source_id = source_id.upper()
    if kind == "trial" and not source_id.startswith("NCT"):
        source_id = f"NCT{source_id}"
    return {"kind": kind, "id": source_id} if _ID_FORMS[kind].fullmatch(source_id) else None
