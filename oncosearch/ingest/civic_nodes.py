"""CIViC rows as nodes in the native form: texts, codes and sources in English, and in German from fixed words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Protocol

from oncosearch.ingest import civic_terms as terms

# Today's host; the tables name a retired one.
HOST = "https://civicdb.org/links"
ROOTS = {
    "genes": ("Gene", "Genes"),
    "variant-groups": ("Variantengruppen", "Variant groups"),
    "diseases": ("Erkrankungen", "Diseases"),
    "drugs": ("Wirkstoffe", "Drugs"),
}

_YEAR = re.compile(r"(?:^|, )((?:19|20)[0-9]{2}),")
_TRIAL = re.compile(r"NCT[0-9]{8}")
_EMPTY = frozenset({"", "N/A", "NONE FOUND", "UNREGISTERED"})


class Cells(Protocol):
    """A row: its cells by column."""

    def __getitem__(self, column: str) -> str:
        """Return the cell of the column."""


def split_cell(cell: str) -> list[str]:
    """Return the entries of a comma separated cell, without blanks, repetitions and marks of absence."""
    entries = (entry.strip() for entry in cell.split(","))
    return list(dict.fromkeys(entry for entry in entries if entry.upper() not in _EMPTY))


def root_node(key: str) -> dict[str, Any]:
    """Return the group root ``civic:KEY``."""
    german, english = ROOTS[key]
    return {"id": f"civic:{key}", "type": "group", "title": {"de": german, "en": english}, "parents": []}


def gene_node(row: Cells) -> dict[str, Any]:
    """Return the node of a gene; its symbol is the title in both languages."""
    name = row["name"]
    return {
        "id": f"civic:gene:{row['gene_id']}",
        "type": "biomarker",
        "title": {"de": name, "en": name},
        "fields": _field("Biomarkers", row["description"]),
        "codes": _codes("Entrez", [row["entrez_id"]]),
        "sources": [_page("genes", row["gene_id"], "gene")],
        "parents": ["civic:genes"],
    }


def variant_group_node(row: Cells) -> dict[str, Any]:
    """Return the node of a variant group."""
    return {
        "id": f"civic:variant-group:{row['variant_group_id']}",
        "type": "group",
        "title": {"en": row["variant_group"]},
        "fields": _field("Biomarkers", row["description"]),
        "parents": ["civic:variant-groups"],
    }


def variant_node(row: Cells, parents: Sequence[str]) -> dict[str, Any]:
    """Return the node of a variant, with its aliases as synonyms and its HGVS expressions as codes."""
    kinds = ", ".join(kind.replace("_", " ") for kind in split_cell(row["variant_types"]))
    text = "\n".join(part for part in (row["summary"], f"Variant type: {kinds}." if kinds else "") if part)
    return {
        "id": f"civic:variant:{row['variant_id']}",
        "type": "biomarker",
        "title": _both(f"{row['gene']} {row['variant']}", _german_variant(row)),
        "synonyms": [
            {"text": alias, "language": "en", "scope": "exact"} for alias in split_cell(row["variant_aliases"])
        ],
        "fields": _field("Biomarkers", text),
        "codes": [
            *_codes("HGVS", split_cell(row["hgvs_expressions"])),
            *_codes("ClinGen", split_cell(row["allele_registry_id"])),
            *_codes("ClinVar", split_cell(row["clinvar_ids"])),
        ],
        "sources": [_page("variants", row["variant_id"], "variant")],
        "parents": list(parents),
    }


def disease_node(node_id: str, name: str, doid: str) -> dict[str, Any]:
    """Return the node of a disease, with its DOID as code where there is one."""
    return {
        "id": node_id,
        "type": "disease",
        "title": _both(name, terms.DISEASES.get(name)),
        "codes": _codes("DOID", [f"DOID:{doid}"] if doid else []),
        "parents": ["civic:diseases"],
    }


def drug_node(node_id: str, name: str, codes: Sequence[str]) -> dict[str, Any]:
    """Return the node of a drug, with its CIViC numbers as codes."""
    return {
        "id": node_id,
        "type": "drug",
        "title": _both(name, terms.drug_name(name)),
        "codes": _codes("CIViC drug", codes),
        "parents": ["civic:drugs"],
    }


def evidence_node(row: Cells, drugs: Sequence[str], targets: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the node of an evidence item: its statement, its grading in words, and its publication as source."""
    level, rating = row["evidence_level"], row["rating"]
    english = _facts(
        ("Type", row["evidence_type"]),
        ("Direction", row["evidence_direction"]),
        ("Significance", row["clinical_significance"]),
        ("Level", _level(level, 0)),
        ("Rating", f"{rating} of 5" if rating else ""),
        ("Variant origin", row["variant_origin"]),
        ("Drug interaction", row["drug_interaction_type"]),
        ("Phenotypes", ", ".join(split_cell(row["phenotypes"]))),
        ("Status", "" if row["evidence_status"] == "accepted" else row["evidence_status"]),
    )
    german = _facts(
        ("Art", terms.EVIDENCE_TYPES.get(row["evidence_type"], "")),
        ("Richtung", terms.DIRECTIONS.get(row["evidence_direction"], "")),
        ("Bedeutung", terms.SIGNIFICANCES.get(row["clinical_significance"], "")),
        ("Evidenzgrad", _level(level, 1)),
        ("Bewertung", f"{rating} von 5" if rating else ""),
        ("Herkunft der Variante", terms.ORIGINS.get(row["variant_origin"], "")),
        ("Kombination der Wirkstoffe", terms.INTERACTIONS.get(row["drug_interaction_type"], "")),
    )
    return {
        "id": f"civic:evidence:{row['evidence_id']}",
        "type": "evidence",
        "title": _claim_title(
            row, drugs, row["evidence_type"], row["evidence_direction"], row["drug_interaction_type"]
        ),
        "fields": _field("Evidence", f"{row['evidence_statement']}\n{english}".strip(), german),
        "sources": [
            _publication(row),
            *({"kind": "trial", "id": trial} for trial in dict.fromkeys(_TRIAL.findall(row["nct_ids"]))),
            _page("evidence_items", row["evidence_id"], "evidence item"),
        ],
        "parents": [f"civic:variant:{row['variant_id']}"],
        "links": [{"target": target, "kind": kind} for target, kind in targets],
    }


def assertion_node(row: Cells, drugs: Sequence[str], targets: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return the node of an assertion: a summary over several evidence items, linked to them."""
    guideline = f"{row['nccn_guideline']} {row['nccn_guideline_version']}".strip()
    english = _facts(
        ("Type", row["assertion_type"]),
        ("Direction", row["assertion_direction"]),
        ("Significance", row["clinical_significance"]),
        ("AMP/ASCO/CAP category", row["amp_category"]),
        ("ACMG codes", ", ".join(split_cell(row["acmg_codes"]))),
        ("NCCN guideline", guideline),
        ("Phenotypes", ", ".join(split_cell(row["phenotypes"]))),
    )
    german = _facts(
        ("Art", terms.EVIDENCE_TYPES.get(row["assertion_type"], "")),
        ("Richtung", terms.DIRECTIONS.get(row["assertion_direction"], "")),
        ("Bedeutung", terms.SIGNIFICANCES.get(row["clinical_significance"], "")),
        ("AMP/ASCO/CAP-Kategorie", row["amp_category"]),
        ("NCCN-Leitlinie", guideline),
    )
    text = "\n".join(part for part in (row["assertion_summary"], row["assertion_description"], english) if part)
    page = _page("assertions", row["assertion_id"], "assertion")
    if row["amp_category"]:
        page["evidence_level"] = row["amp_category"]
    return {
        "id": f"civic:assertion:{row['assertion_id']}",
        "type": "evidence",
        "title": _claim_title(row, drugs, row["assertion_type"], row["assertion_direction"], "", prefix=True),
        "fields": _field("Evidence", text, german),
        "sources": [page],
        "parents": [f"civic:variant:{row['variant_id']}"],
        "links": [{"target": target, "kind": kind} for target, kind in targets],
    }


def _claim_title(
    row: Cells, drugs: Sequence[str], kind: str, direction: str, interaction: str, *, prefix: bool = False
) -> dict[str, str]:
    """Return the title of a claim, such as ``EGFR T790M – Osimertinib: Sensitivity/Response (Lung …)``.

    A claim that evidence does not support says so in its title. The German one is made where the variant and the
    significance have German words; a disease without one is left out of it.
    """
    denied = direction == "Does Not Support"
    significance = row["clinical_significance"] if row["clinical_significance"] not in ("", "N/A") else ""
    joint = terms.JOINTS.get(interaction, ", ")
    head = f"{row['gene']} {row['variant']}" + (f" – {joint.join(drugs)}" if drugs else "")
    english = f"{head}: {significance or kind}" + (" not supported" if denied else "")
    english += f" ({row['disease']})" if row["disease"] else ""
    variant = _german_variant(row)
    claim = terms.SIGNIFICANCES.get(significance) if significance else terms.EVIDENCE_TYPES.get(kind)
    if variant is None or claim is None:
        return {"en": f"Assertion: {english}" if prefix else english}
    named = joint.join(terms.drug_name(drug) or drug for drug in drugs)
    german = variant + (f" – {named}" if drugs else "") + f": {claim}" + (" nicht gestützt" if denied else "")
    disease = terms.DISEASES.get(row["disease"])
    german += f" ({disease})" if disease else ""
    return {
        "de": f"Bewertung: {german}" if prefix else german,
        "en": f"Assertion: {english}" if prefix else english,
    }


def _publication(row: Cells) -> dict[str, Any]:
    """Return the publication: a PubMed id, or a meeting abstract, for which no address follows from the table."""
    if row["source_type"] == "PubMed":
        source: dict[str, Any] = {"kind": "pubmed", "id": row["citation_id"]}
    else:
        source = {"kind": "web", "id": f"{row['source_type']} {row['citation_id']}".strip()}
    if row["citation"]:
        source["title"] = row["citation"]
    if year := _YEAR.search(row["citation"]):
        source["year"] = int(year.group(1))
    if row["evidence_level"]:
        source["evidence_level"] = row["evidence_level"]
    return source


def _page(path: str, number: str, what: str) -> dict[str, Any]:
    return {
        "kind": "web",
        "id": f"civic:{path}/{number}",
        "title": f"CIViC {what} {number}",
        "url": f"{HOST}/{path}/{number}",
    }


def _german_variant(row: Cells) -> str | None:
    variant = terms.variant_name(row["variant"])
    return None if variant is None else f"{row['gene']} {variant}"


def _level(level: str, language: int) -> str:
    return f"{level} ({terms.LEVELS[level][language]})" if level in terms.LEVELS else level


def _facts(*pairs: tuple[str, str]) -> str:
    return " ".join(f"{name}: {value}." for name, value in pairs if value not in ("", "N/A"))


def _both(english: str, german: str | None) -> dict[str, str]:
    return {"en": english} if german is None else {"de": german, "en": english}


def _field(name: str, english: str, german: str = "") -> dict[str, dict[str, str]]:
    texts = {language: text for language, text in (("de", german), ("en", english)) if text}
    return {name: texts} if texts else {}


def _codes(system: str, codes: Sequence[str]) -> list[dict[str, str]]:
    return [{"system": system, "code": code} for code in codes if code]
