"""The CIViC nightly tables as rows: tab separated, without quoting, so that a quotation mark means nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oncosearch.ingest.given import Given
from oncosearch.ingest.lines import read_lines
from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table and its place."""

    cells: Mapping[str, str]
    place: Place

    def __getitem__(self, column: str) -> str:
        """Return the cell with every run of blanks as one and none at its ends."""
        return " ".join(self.cells[column].split())


@dataclass(frozen=True, slots=True)
class Table:
    """A table: how its file name ends, and the columns that are read from it."""

    name: str
    columns: tuple[str, ...]
    needed: bool = True


GENES = Table("GeneSummaries", ("gene_id", "name", "entrez_id", "description", "last_review_date"))
VARIANT_GROUPS = Table("VariantGroupSummaries", ("variant_group_id", "variant_group", "description"), needed=False)
VARIANTS = Table(
    "VariantSummaries",
    (
        *("variant_id", "gene", "entrez_id", "variant", "summary", "variant_groups", "variant_types"),
        *("hgvs_expressions", "allele_registry_id", "clinvar_ids", "variant_aliases", "last_review_date"),
    ),
)
DRUGS = Table("DrugSummaries", ("drug_name", "drug_id"), needed=False)
EVIDENCE = Table(
    "ClinicalEvidenceSummaries",
    (
        *("evidence_id", "variant_id", "gene", "variant", "disease", "doid", "phenotypes", "drugs"),
        *("drug_interaction_type", "evidence_type", "evidence_direction", "evidence_level", "clinical_significance"),
        *("evidence_statement", "citation_id", "source_type", "asco_abstract_id", "citation", "nct_ids", "rating"),
        *("evidence_status", "variant_origin", "last_review_date"),
    ),
)
ASSERTIONS = Table(
    "AssertionSummaries",
    (
        *("assertion_id", "variant_id", "gene", "variant", "disease", "doid", "phenotypes", "drugs", "assertion_type"),
        *("assertion_direction", "clinical_significance", "acmg_codes", "amp_category", "nccn_guideline"),
        *("nccn_guideline_version", "assertion_summary", "assertion_description", "evidence_item_ids"),
        "last_review_date",
    ),
    needed=False,
)
TABLES = (GENES, VARIANT_GROUPS, VARIANTS, DRUGS, EVIDENCE, ASSERTIONS)


def table_files(given: Given, table: Table) -> list[Path]:
    """Return the files that hold the table, ``.tsv`` or ``.tsv.gz``, by name."""
    return given.files(f"*{table.name}.tsv", f"*{table.name}.tsv.gz")


def read_table(given: Given, table: Table, log: ImportLog) -> list[Row] | None:
    """Return the rows of a table, or None where it is missing, there twice, or has not the columns that are needed.

    A table that is not needed and missing has no rows. A faulty row is recorded and left out.
    """
    files = table_files(given, table)
    if not files:
        found = f"there is no file that ends in {table.name}.tsv or {table.name}.tsv.gz"
        if table.needed:
            log.error("missing_file", given.name, f"{found}; the import needs it.")
            return None
        log.warn("missing_file", given.name, f"{found}; the graph is made without it.")
        return []
    path = files[0]
    if len(files) > 1:
        log.error(
            "several_files",
            given.name,
            f"{', '.join(file.name for file in files)} hold the same table; leave one of them out.",
        )
        return None
    log.read[path.name] = 0
    lines = read_lines(path, log, given.max_bytes)
    place, first = next(lines, (Place(path.name, 1), ""))
    header = first.split("\t")
    missing = [column for column in table.columns if column not in header]
    if missing:
        log.error(
            "missing_column", place, f"the table has no column {', '.join(missing)}; expected a CIViC nightly table."
        )
        return None
    rows = []
    for place, line in lines:
        cells = line.split("\t")
        # Addresses of several assertions stand in cells of their own beyond the last column.
        if len(cells) < len(header) or not all(cell.startswith("https://") for cell in cells[len(header) :]):
            log.error("bad_row", place, f"the row has {len(cells)} cells; expected {len(header)}, one for each column.")
            log.lost_row(path.name)
            continue
        log.read[path.name] += 1
        rows.append(Row(dict(zip(header, cells, strict=False)), place))
    return rows
