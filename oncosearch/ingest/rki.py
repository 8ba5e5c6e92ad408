"""The classification tables of the German cancer registries (ZfKD at the Robert Koch-Institut) as a graph, in German.

Tables are told by their columns, the small lists of one form (``code;name``) by their file names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.lines import why_no_text
from oncosearch.ingest.picking import chosen, detected
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.ingest.separated import TableRow, columns_of, read_separated

ATTRIBUTION = (
    "Klassifikationstabellen des Zentrums für Krebsregisterdaten (ZfKD) im Robert Koch-Institut, CC BY 4.0.",
    "ICD-10-GM und ICD-O-3: Bezeichnungen des Bundesinstituts für Arzneimittel und Medizinprodukte (BfArM), "
    "nach dessen Bedingungen.",
)

# Every table with the columns that tell it; those of the lists are the same.
_COLUMNS = {
    "icd10": ("id", "code", "name", "id3", "epi_valide"),
    "topographie": ("id", "code", "name", "id3", "istPaarig"),
    "morphologie": ("code", "dignität", "name", "histologie", "group"),
    "substanz": ("Therapieart", "Substanz", "Code"),
    "protokoll": ("code", "therapieart", "substanz_1"),
}
_LISTS = ("therapieart", "grading", "tnm_t", "tnm_n", "tnm_m", "tnm_uicc")
# Root, title, and for the lists what stands before a code.
_ROOTS = {
    "icd10": ("rki:icd10", "Erkrankungen (ICD-10-GM)"),
    "topographie": ("rki:topographie", "Topographie (ICD-O-3)"),
    "morphologie": ("rki:morphologie", "Morphologie (ICD-O-3)"),
    "substanz": ("rki:therapie", "Systemische Therapie"),
    "protokoll": ("rki:therapie", "Systemische Therapie"),
    "therapieart": ("rki:therapie", "Systemische Therapie"),
    "grading": ("rki:grading", "Grading"),
    "tnm_t": ("rki:tnm_t", "TNM: Primärtumor (T)"),
    "tnm_n": ("rki:tnm_n", "TNM: Lymphknoten (N)"),
    "tnm_m": ("rki:tnm_m", "TNM: Fernmetastasen (M)"),
    "tnm_uicc": ("rki:tnm_uicc", "Stadium nach UICC"),
}
_BEFORE_CODE = {"grading": "G", "tnm_t": "T", "tnm_n": "N", "tnm_m": "M", "tnm_uicc": "Stadium "}
_BEHAVIOURS = {
    "0": "gutartig",
    "1": "unsicheres oder unbekanntes Verhalten",
    "2": "in situ",
    "3": "bösartig, Primärtumor",
    "6": "bösartig, Metastase",
    "9": "bösartig, unsicher ob Primärtumor oder Metastase",
}
_KNOWN = ", ".join(_ROOTS)
# What stands where a name should be.
_NO_NAME = "Kombination nicht in ICDO3 Katalog enthalten, aber zulässig"
_PLACEHOLDER = "manuell wählen"

_Rows = Mapping[str, Sequence[TableRow]]


def is_rki(given: Given) -> bool:
    """Return whether there is one of the tables that their columns tell."""
    return bool(detected(given, lambda path: _table_of(path) in _COLUMNS, "*.csv"))


def read_rki(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of the registry tables that are there; other files are left alone.

    ``rki:icd10:C34.1`` and the like; substances lie below their kind of therapy, protocols too, and are linked to
    their substances. The snapshot id follows the content.
    """
    tables: dict[str, list[TableRow]] = {}
    files: list[Path] = []
    for path in chosen(given, lambda path: bool(_table_of(path) or _named_table(path)), "*.csv"):
        table = _table_of(path) or _named_table(path)
        if table is None:
            reason = why_no_text(path)
            log.error(
                "bad_encoding" if reason else "missing_column",
                Place(path.name, 1),
                reason or f"the columns are those of no registry table: {_KNOWN}.",
            )
            continue
        if table in tables:
            log.error("several_files", path.name, f"two files hold the table {table}; leave one of them out.")
        files.append(path)
        tables[table] = _read(path, table, given, log)
    if not files:
        log.error("missing_file", given.name, "there is no table of the cancer registries; expected icd10.csv, say.")
    header = GraphHeader(
        graph_id="rki",
        snapshot_id=content_id(files),
        title="Klassifikationen der deutschen Krebsregister",
        languages=("de",),
        licence="CC-BY-4.0",
        attribution=ATTRIBUTION,
    )
    return RawGraph(header, _nodes(tables, log), lenient=True)


def _read(path: Path, name: str, given: Given, log: ImportLog) -> list[TableRow]:
    found = read_separated(path, log, given.max_bytes, delimiter=";")
    if found is None:
        return []
    missing = [column for column in _COLUMNS.get(name, ("code", "name")) if column not in found.columns]
    if missing:
        log.error("missing_column", Place(path.name, 1), f"the table {name} has no column {', '.join(missing)}.")
    # Ids and titles are made of cells.
    rows = [TableRow({k: " ".join(cell.split()) for k, cell in row.cells.items()}, row.place) for row in found.rows]
    if missing:
        log.skipped[path.name] += len(rows)
        return []
    return rows


def _table_of(path: Path) -> str | None:
    columns = columns_of(path)
    for table, needed in _COLUMNS.items():
        if set(needed) <= set(columns):
            return table
    name = _named_table(path)
    return name if columns == ("code", "name") and name in _LISTS else None


def _named_table(path: Path) -> str | None:
    """Return the table that a file should hold by its name; its columns are checked when it is read."""
    stem = path.name.split(".")[0].casefold()
    return stem if stem in _ROOTS else None


def _nodes(tables: _Rows, log: ImportLog) -> Iterator[RawNode]:
    start = next((rows[0].place for rows in tables.values() if rows), Place("rki", 1))
    roots = dict(_ROOTS[name] for name in _ROOTS if name in tables)
    for root, title in roots.items():
        yield RawNode(_node(root, "group", title, []), start, made=True)
    yield from _classification(tables.get("icd10", ()), "icd10", "disease", "ICD-10-GM")
    yield from _classification(tables.get("topographie", ()), "topographie", "group", "ICD-O-3")
    yield from _morphologies(tables.get("morphologie", ()), log)
    yield from _kinds(tables, start)
    yield from (_substance(row) for row in tables.get("substanz", ()))
    yield from _protocols(tables, log)
    for name, before in _BEFORE_CODE.items():
        for row in tables.get(name, ()):
            code, text = row["code"], row["name"]
            title = f"{before}{code}" if text in ("", code, f"{before}{code}") else f"{before}{code}: {text}"
            yield RawNode(_node(f"rki:{name}:{code}", "staging", title, [_ROOTS[name][0]]), row.place)


def _classification(rows: Sequence[TableRow], name: str, node_type: str, system: str) -> Iterator[RawNode]:
    """Yield a node for every code; one with more than three characters hangs below that of the first three."""
    codes = {row["id"]: row["code"] for row in rows}
    for row in rows:
        above = row["id3"] if row["id3"] != row["id"] else ""
        parent = f"rki:{name}:{codes.get(above, above)}" if above else f"rki:{name}"
        node = _node(f"rki:{name}:{row['code']}", node_type, row["name"], [parent], [(system, row["code"])])
        if row["istPaarig"] == "1":
            node["fields"] = _field("Diagnosis", "Paariges Organ.")
        yield RawNode(node, row.place)


def _morphologies(rows: Sequence[TableRow], log: ImportLog) -> Iterator[RawNode]:
    """Yield the named morphologies below their histology and its group, both of which are made from the codes."""
    histologies: dict[str, list[TableRow]] = {}
    for row in rows:
        if row["name"]:
            histologies.setdefault(row["histologie"], []).append(row)
        else:
            log.skip("no_name", row.place, f"the morphology {quoted(row['code'])} has no name; it is left out.")
            log.skipped[row.place.file] += 1
    groups: set[str] = set()
    for histology, named in histologies.items():
        first, group = named[0], named[0]["group"]
        if group not in groups:
            groups.add(group)
            title = f"Histologische Gruppe {group}"
            yield RawNode(
                _node(f"rki:morphologiegruppe:{group}", "group", title, ["rki:morphologie"]), first.place, made=True
            )
        texts = {row["dignität"]: row["name"] for row in reversed(named) if row["name"] != _NO_NAME}
        name = texts.get("3") or next(iter(texts.values()), "")
        title = f"Histologie {histology}" + (f" ({name})" if name else "")
        parent = f"rki:histologie:{histology}"
        yield RawNode(
            _node(parent, "group", title, [f"rki:morphologiegruppe:{group}"], [("ICD-O-3", histology)]),
            first.place,
            made=True,
        )
        for row in named:
            behaviour = _BEHAVIOURS.get(row["dignität"], "unbekannt")
            title = row["name"] if row["name"] != _NO_NAME else f"Histologie {histology}, {behaviour}"
            node = _node(f"rki:morphologie:{row['code']}", "disease", title, [parent], [("ICD-O-3", row["code"])])
            text = f"Dignität {row['dignität']}: {behaviour}."
            node["fields"] = _field("Diagnosis", text if title == row["name"] else f"{text} {_NO_NAME}.")
            yield RawNode(node, row.place)


def _kinds(tables: _Rows, start: Place) -> Iterator[RawNode]:
    """Yield the kinds of therapy: those listed, and those that only substances and protocols name."""
    listed = {row["code"]: row["name"] for row in tables.get("therapieart", ())}
    for row in tables.get("therapieart", ()):
        yield RawNode(_node(_kind(row["code"]), "therapy", row["name"], ["rki:therapie"]), row.place)
    for name, column in (("substanz", "Therapieart"), ("protokoll", "therapieart")):
        for row in tables.get(name, ()):
            if (code := row[column]) and code not in listed:
                listed[code] = code
                title = f"Therapieart {code}" if code != "?" else "Therapieart nicht angegeben"
                yield RawNode(_node(_kind(code), "therapy", title, ["rki:therapie"]), row.place, made=True)


def _substance(row: TableRow) -> RawNode:
    codes = [("ATC", row["Code"])] if row["Code"] else []
    return RawNode(_node(_drug(row["Substanz"]), "drug", row["Substanz"], _below(row["Therapieart"]), codes), row.place)


def _protocols(tables: _Rows, log: ImportLog) -> Iterator[RawNode]:
    known = {row["Substanz"] for row in tables.get("substanz", ())}
    for row in tables.get("protokoll", ()):
        named = [cell for column, cell in row.cells.items() if column.startswith("substanz_") and cell]
        substances = [name for name in dict.fromkeys(named) if _PLACEHOLDER not in name]
        node = _node(f"rki:protokoll:{row['code']}", "therapy", row["code"], _below(row["therapieart"]))
        if substances:
            node["fields"] = _field("Therapy", f"Substanzen: {', '.join(substances)}.")
        node["links"] = [{"target": _drug(name), "kind": "uses_drug"} for name in substances if name in known]
        for name in substances:
            if name not in known:
                log.warn(
                    "unknown_substance",
                    row.place,
                    f"protocol {quoted(row['code'])} names the substance {quoted(name)}, which is not in the table of "
                    "substances; it stays in the text and is not linked.",
                )
        if not substances:
            log.warn("no_substance", row.place, f"protocol {quoted(row['code'])} names no substance; it is kept.")
        yield RawNode(node, row.place)


def _kind(code: str) -> str:
    return f"rki:therapieart:{code}"


def _drug(name: str) -> str:
    return f"rki:substanz:{name}"


def _below(kind: str) -> list[str]:
    return [_kind(kind) if kind else "rki:therapie"]


def _node(
    node_id: str, node_type: str, title: str, parents: Sequence[str], codes: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    return {
        "id": node_id,
        "type": node_type,
        "title": {"de": title},
        "parents": list(parents),
        "codes": [{"system": system, "code": code} for system, code in codes],
    }


def _field(name: str, text: str) -> dict[str, dict[str, str]]:
    return {name: {"de": text}}
