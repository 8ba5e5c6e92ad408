"""Vocabularies as data, each listed once: languages, node types, fields, link and source kinds, scopes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A vocabulary entry: the stable ``key`` and its German and English names."""

    key: str
    de: str
    en: str

    def name(self, language: str) -> str:
        """Return the name in ``language`` (``de`` or anything else, read as English)."""
        return self.de if language == "de" else self.en


@dataclass(frozen=True, slots=True)
class LinkKind(Term):
    """A cross-link kind; ``de_back`` and ``en_back`` name it as seen from its target."""

    de_back: str
    en_back: str

    def back_name(self, language: str) -> str:
        """Return the name of the same link read from its target."""
        return self.de_back if language == "de" else self.en_back


@dataclass(frozen=True, slots=True)
class SourceKind(Term):
    """A source kind; ``pattern`` makes its address from the id (``{id}``), ``id_form`` is a full-match regex."""

    pattern: str | None
    id_form: str | None


LANGUAGES: tuple[Term, ...] = (Term("de", "Deutsch", "German"), Term("en", "Englisch", "English"))

NODE_TYPES: tuple[Term, ...] = (
    Term("group", "Gruppe", "Group"),
    Term("disease", "Erkrankung", "Disease"),
    Term("diagnosis", "Diagnose", "Diagnosis"),
    Term("staging", "Stadium", "Staging"),
    Term("biomarker", "Biomarker", "Biomarker"),
    Term("therapy", "Therapie", "Therapy"),
    Term("drug", "Arzneimittel", "Drug"),
    Term("contraindication", "Gegenanzeige", "Contraindication"),
    Term("procedure", "Verfahren", "Procedure"),
    Term("supportive_care", "Supportivtherapie", "Supportive care"),
    Term("document", "Dokument", "Document"),
    Term("evidence", "Evidenz", "Evidence"),
)

# In the order in which a node is written down; Title, Type, Synonyms and Codes are attributes of every node.
FIELDS: tuple[Term, ...] = (
    Term("Title", "Titel", "Title"),
    Term("Type", "Typ", "Type"),
    Term("Synonyms", "Synonyme", "Synonyms"),
    Term("Diagnosis", "Diagnose", "Diagnosis"),
    Term("Staging", "Stadium", "Staging"),
    Term("Symptoms", "Symptome", "Symptoms"),
    Term("Biomarkers", "Biomarker", "Biomarkers"),
    Term("Therapy", "Therapie", "Therapy"),
    Term("Dosage", "Dosierung", "Dosage"),
    Term("Contraindications", "Gegenanzeigen, Vorsicht", "Contraindications, cautions"),
    Term("Interactions", "Wechselwirkungen", "Interactions"),
    Term("Prognosis", "Prognose", "Prognosis"),
    Term("Follow-up", "Nachsorge", "Follow-up"),
    Term("Evidence", "Evidenz", "Evidence"),
    Term("Codes", "Codes", "Codes"),
)
ATTRIBUTE_FIELDS = frozenset({"Title", "Type", "Synonyms", "Codes"})

LINK_KINDS: tuple[LinkKind, ...] = (
    LinkKind("treats", "behandelt", "treats", "wird behandelt mit", "is treated with"),
    LinkKind("uses_drug", "enthält Wirkstoff", "uses drug", "wird eingesetzt in", "is used in"),
    LinkKind(
        "requires_biomarker", "setzt Biomarker voraus", "requires biomarker", "Voraussetzung für", "is required for"
    ),
    LinkKind(
        "contraindicated_with",
        "Vorsicht oder nicht bei",
        "caution or not with",
        "Vorsicht oder Gegenanzeige für",
        "caution or contraindication for",
    ),
    LinkKind("interacts_with", "Wechselwirkung mit", "interacts with", "Wechselwirkung mit", "interacts with"),
    LinkKind("supportive_care", "Supportivtherapie", "supportive care", "begleitet", "accompanies"),
    LinkKind("supported_by", "belegt durch", "supported by", "belegt", "supports"),
    LinkKind("diagnosed_by", "diagnostiziert durch", "diagnosed by", "dient der Diagnose von", "diagnoses"),
    LinkKind("staged_by", "Stadieneinteilung nach", "staged by", "Stadieneinteilung für", "stages"),
    LinkKind("described_in", "beschrieben in", "described in", "beschreibt", "describes"),
    LinkKind("about_disease", "betrifft Erkrankung", "concerns disease", "behandelt in", "is the subject of"),
    LinkKind("about_drug", "betrifft Wirkstoff", "concerns drug", "behandelt in", "is the subject of"),
    LinkKind("about_biomarker", "betrifft Biomarker", "concerns biomarker", "behandelt in", "is the subject of"),
    LinkKind("related_to", "verwandt mit", "related to", "verwandt mit", "related to"),
)

SOURCE_KINDS: tuple[SourceKind, ...] = (
    SourceKind("pubmed", "PubMed", "PubMed", "https://pubmed.ncbi.nlm.nih.gov/{id}/", r"[1-9][0-9]{0,8}"),
    SourceKind(
        "pmc", "PubMed Central", "PubMed Central", "https://pmc.ncbi.nlm.nih.gov/articles/{id}/", r"PMC[1-9][0-9]{0,8}"
    ),
    SourceKind("doi", "DOI", "DOI", "https://doi.org/{id}", r"10\.[0-9]{4,9}/[^\s<>\"]+"),
    SourceKind("trial", "Studie", "Trial", "https://clinicaltrials.gov/study/{id}", r"NCT[0-9]{8}"),
    SourceKind("guideline", "Leitlinie", "Guideline", None, None),
    SourceKind("web", "Webseite", "Web page", None, None),
)

SYNONYM_SCOPES: tuple[Term, ...] = (
    Term("exact", "genau", "exact"),
    Term("narrow", "enger", "narrower"),
    Term("broad", "weiter", "broader"),
    Term("related", "verwandt", "related"),
)

LANGUAGE_KEYS = tuple(t.key for t in LANGUAGES)
NODE_TYPE_KEYS = tuple(t.key for t in NODE_TYPES)
FIELD_KEYS = tuple(t.key for t in FIELDS)
TEXT_FIELD_KEYS = tuple(k for k in FIELD_KEYS if k not in ATTRIBUTE_FIELDS)
LINK_KIND_KEYS = tuple(t.key for t in LINK_KINDS)
SOURCE_KIND_KEYS = tuple(t.key for t in SOURCE_KINDS)
SCOPE_KEYS = tuple(t.key for t in SYNONYM_SCOPES)

_BY_KEY = {
    table_name: {t.key: t for t in table}
    for table_name, table in (
        ("language", LANGUAGES),
        ("type", NODE_TYPES),
        ("field", FIELDS),
        ("link", LINK_KINDS),
        ("source", SOURCE_KINDS),
        ("scope", SYNONYM_SCOPES),
    )
}


def term_name(table: str, key: str, language: str) -> str:
    """Return the name of ``key`` in ``language``; an unknown key is returned as it is.

    Parameters
    ----------
    table
        One of ``language``, ``type``, ``field``, ``link``, ``source``, ``scope``.
    """
    term = _BY_KEY[table].get(key)
    return key if term is None else term.name(language)


def source_kind(key: str) -> SourceKind | None:
    """Return the source kind ``key`` or None."""
    return next((k for k in SOURCE_KINDS if k.key == key), None)


def link_back_name(key: str, language: str) -> str:
    """Return the name of link kind ``key`` as read from its target; an unknown key is returned as it is."""
    kind = next((k for k in LINK_KINDS if k.key == key), None)
    return key if kind is None else kind.back_name(language)
