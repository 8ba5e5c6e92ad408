"""CIViC nightly tables as a graph: genes, variants and evidence in one tree; diseases, drugs and groups beside it.

Tables are read in ``civic_tables``, a row becomes a node in ``civic_nodes``; here lies what refers to what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from oncosearch.ingest.civic_nodes import (
    assertion_node,
    disease_node,
    drug_node,
    evidence_node,
    gene_node,
    root_node,
    split_cell,
    variant_group_node,
    variant_node,
)
from oncosearch.ingest.civic_tables import (
    ASSERTIONS,
    DRUGS,
    EVIDENCE,
    GENES,
    TABLES,
    VARIANT_GROUPS,
    VARIANTS,
    Row,
    read_table,
    table_files,
)
from oncosearch.ingest.given import Given
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import text_hash

_CONTINUES = re.compile(r"\s|[0-9]+$")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


ATTRIBUTION = ("CIViC, Clinical Interpretation of Variants in Cancer (civicdb.org), nightly tables, CC0 1.0.",)


def is_civic(given: Given) -> bool:
    """Return whether there is the evidence table of CIViC."""
    return bool(table_files(given, EVIDENCE))


def read_civic(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of the CIViC nightly tables, each ``.tsv`` or ``.tsv.gz``.

    Every row becomes one node; drug rows of one name become one. The snapshot id is the date of the last review.
    """
    found = {table.name: read_table(given, table, log) for table in TABLES}
    tables = {name: rows for name, rows in found.items() if rows is not None}
    if len(tables) < len(found):
        # Without a whole table every other row would look dangling; the one error that matters stands in the log.
        log.skipped.update(log.read - log.skipped)
        return RawGraph(_header("undated"), ())
    dates = [row["last_review_date"][:10] for t in (GENES, VARIANTS, EVIDENCE, ASSERTIONS) for row in tables[t.name]]
    latest = max((date for date in dates if _DATE.fullmatch(date)), default="undated")
    return RawGraph(_header(latest), list(_nodes(tables, log)))


def split_drugs(cell: str, known: frozenset[str]) -> tuple[str, ...]:
    """Return the drug names of a comma separated cell.

    Names hold commas themselves (``2,4-pyrimidinediamine``), so the longest run of pieces that is a known name is
    taken; of unknown names, a piece that begins with a blank or is a bare number goes on the name before it.
    """
    pieces = cell.split(",") if cell else []
    names: list[str] = []
    start = 0
    while start < len(pieces):
        end = next(
            (end for end in range(len(pieces), start, -1) if ",".join(pieces[start:end]).strip() in known), start + 1
        )
        if end == start + 1 and ",".join(pieces[start:end]).strip() not in known:
            while end < len(pieces) and _CONTINUES.match(pieces[end]):
                end += 1
        name = ",".join(pieces[start:end]).strip()
        if name:
            names.append(name)
        start = end
    return tuple(dict.fromkeys(names))


def name_ids(prefix: str, names: Sequence[str]) -> dict[str, str]:
    """Return an id for each name: readable, and with a hash where two names would read the same."""
    slugs = {name: re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-") for name in names}
    taken = list(slugs.values())
    return {
        name: f"{prefix}{slug}" if slug and taken.count(slug) == 1 else f"{prefix}{slug}-{text_hash(name)[:8]}"
        for name, slug in slugs.items()
    }


def _header(snapshot_id: str) -> GraphHeader:
    return GraphHeader(
        graph_id="civic",
        snapshot_id=snapshot_id,
        title="CIViC",
        languages=("de", "en"),
        licence="CC0-1.0",
        attribution=ATTRIBUTION,
    )


def _nodes(tables: Mapping[str, Sequence[Row]], log: ImportLog) -> Iterator[RawNode]:
    evidence, assertions = tables[EVIDENCE.name], tables[ASSERTIONS.name]
    known_drugs = frozenset(row["drug_name"] for row in tables[DRUGS.name])
    claims = [*evidence, *assertions]
    drugs_of = {row.place: split_drugs(row["drugs"], known_drugs) for row in claims}
    diseases = _diseases(claims, log)
    drugs = _drugs(tables[DRUGS.name], [(name, row) for row in claims for name in drugs_of[row.place]], log)
    start = next((row.place for rows in tables.values() for row in rows), Place("CIViC", 1))
    yield from (RawNode(root_node(key), start, made=True) for key in ("genes", "variant-groups", "diseases", "drugs"))

    genes = {row["entrez_id"]: f"civic:gene:{row['gene_id']}" for row in tables[GENES.name]}
    yield from (RawNode(gene_node(row), row.place) for row in tables[GENES.name])
    groups = {
        row["variant_group"]: f"civic:variant-group:{row['variant_group_id']}" for row in tables[VARIANT_GROUPS.name]
    }
    yield from (RawNode(variant_group_node(row), row.place) for row in tables[VARIANT_GROUPS.name])
    for row in tables[VARIANTS.name]:
        gene = genes.get(row["entrez_id"], f"civic:gene:entrez:{row['entrez_id']}")
        parents = [gene, *(groups[name] for name in split_cell(row["variant_groups"]) if name in groups)]
        yield RawNode(variant_node(row, parents), row.place)
    for disease, (name, doid, place) in diseases.made.items():
        yield RawNode(disease_node(disease, name, doid), place, made=True)
    for drug_id, name, codes, place, made in drugs.nodes:
        yield RawNode(drug_node(drug_id, name, codes), place, made)
    for row in evidence:
        names = drugs_of[row.place]
        _count_gaps(row, names, log)
        targets = _targets(diseases.of(row), [drugs.ids[name] for name in names])
        yield RawNode(evidence_node(row, names, targets), row.place)
    accepted = {row["evidence_id"] for row in evidence}
    for row in assertions:
        names = drugs_of[row.place]
        targets = _targets(diseases.of(row), [drugs.ids[name] for name in names])
        for evidence_id in split_cell(row["evidence_item_ids"]):
            if evidence_id in accepted:
                targets.append((f"civic:evidence:{evidence_id}", "supported_by"))
            else:
                log.warn(
                    "missing_evidence",
                    row.place,
                    f"assertion {row['assertion_id']} rests on evidence item {evidence_id}, which is not in the table; "
                    "that link is left out.",
                )
        yield RawNode(assertion_node(row, names, targets), row.place)


def _targets(disease: str | None, drugs: Sequence[str]) -> list[tuple[str, str]]:
    return [*([(disease, "about_disease")] if disease else []), *((drug, "about_drug") for drug in drugs)]


def _count_gaps(row: Row, drugs: Sequence[str], log: ImportLog) -> None:
    name = f"evidence item {row['evidence_id']}"
    if not row["disease"]:
        log.warn("no_disease", row.place, f"{name} names no disease; it is kept.")
    elif not row["doid"]:
        log.warn(
            "no_doid", row.place, f"{name} names the disease {quoted(row['disease'])} without a DOID; kept by its name."
        )
    if not drugs:
        log.warn("no_drug", row.place, f"{name} names no drug; it is kept.")
    if row["evidence_status"] not in ("accepted", ""):
        log.warn("not_accepted", row.place, f"{name} is {quoted(row['evidence_status'])}, not accepted; it is kept.")


@dataclass(frozen=True, slots=True)
class _Diseases:
    made: Mapping[str, tuple[str, str, Place]]
    by_name: Mapping[str, str]

    def of(self, row: Row) -> str | None:
        if row["doid"]:
            return f"civic:disease:doid:{row['doid']}"
        return self.by_name.get(row["disease"])


def _diseases(claims: Sequence[Row], log: ImportLog) -> _Diseases:
    by_name = name_ids(
        "civic:disease:name:", list(dict.fromkeys(r["disease"] for r in claims if r["disease"] and not r["doid"]))
    )
    made: dict[str, tuple[str, str, Place]] = {}
    found = _Diseases(made, by_name)
    for row in claims:
        disease = found.of(row)
        if disease is None:
            continue
        name = row["disease"] or f"DOID:{row['doid']}"
        first = made.setdefault(disease, (name, row["doid"], row.place))
        if first[0] != name:
            log.warn(
                "two_names",
                row.place,
                f"DOID {row['doid']} is named {quoted(name)} here and {quoted(first[0])} in {first[2]}; kept is that.",
            )
    return found


@dataclass(frozen=True, slots=True)
class _Drugs:
    nodes: Sequence[tuple[str, str, Sequence[str], Place, bool]]
    ids: Mapping[str, str]


def _drugs(rows: Sequence[Row], named: Sequence[tuple[str, Row]], log: ImportLog) -> _Drugs:
    """Return a node for every drug row, those of one name merged, and for every drug that only claims name."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row["drug_name"], []).append(row)
    nodes: list[tuple[str, str, Sequence[str], Place, bool]] = []
    ids: dict[str, str] = {}
    for name, same in by_name.items():
        ids[name] = f"civic:drug:{same[0]['drug_id']}"
        nodes.append((ids[name], name, [row["drug_id"] for row in same], same[0].place, False))
        for row in same[1:]:
            log.merged[row.place.file] += 1
            log.warn(
                "merged_drug",
                row.place,
                f"drug {row['drug_id']} has the name {quoted(name)} of drug {same[0]['drug_id']}; they are one node.",
            )
    others = {name: row.place for name, row in reversed(named) if name not in ids}
    for name, drug_id in name_ids("civic:drug:name:", sorted(others)).items():
        ids[name] = drug_id
        nodes.append((drug_id, name, (), others[name], True))
    return _Drugs(nodes, ids)
