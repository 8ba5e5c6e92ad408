"""OncoTree as JSON: the nested tree (``children`` by code) or the flat list of its interface (``parent`` as code)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.jsontext import JsonPlaces, as_list, as_object, read_json
from oncosearch.ingest.lines import head
from oncosearch.ingest.picking import chosen, detected, no_graph, only_file
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.references import code_system
from oncosearch.ingest.report import ImportLog, quoted

ATTRIBUTION = ("OncoTree, Memorial Sloan Kettering Cancer Center (oncotree.mskcc.org), CC BY 4.0.",)
LANGUAGE = "en"

_KEYS = ('"mainType"', '"externalReferences"', '"tissue"')
_DATE = re.compile(r"([0-9]{4})[_-]([0-9]{2})[_-]([0-9]{2})")
_EARLIER = (("history", "Earlier code"), ("revocations", "Revoked code"), ("precursors", "Merged code"))


def is_oncotree(given: Given) -> bool:
    """Return whether a file begins like OncoTree."""
    return bool(detected(given, _looks, "*.json"))


def read_oncotree(given: Given, log: ImportLog) -> RawGraph:
    """Return the tumour types of OncoTree. Texts are English unless another language is given."""
    file = only_file(given, chosen(given, _looks, "*.json"), "OncoTree file in JSON", log)
    document = None if file is None else read_json(file, "code", given, log)
    if file is None or document is None:
        return no_graph(log)
    tree, places = document
    if not isinstance(tree, dict | list):
        log.error("wrong_type", f"{file.name}:1", f"the file holds {quoted(tree)}; expected a tree of tumour types.")
        return no_graph(log)
    language = given.language or LANGUAGE
    date = _DATE.search(file.name)
    header = GraphHeader(
        graph_id="oncotree",
        snapshot_id="-".join(date.groups()) if date else content_id([file]),
        title="OncoTree",
        languages=(language,),
        licence="CC-BY-4.0",
        attribution=ATTRIBUTION,
    )
    return RawGraph(header, _rows(tree, file.name, places, language, log), lenient=True)


def _looks(path: Path) -> bool:
    text = head(path)
    return all(key in text for key in _KEYS)


def _rows(
    tree: dict[str, Any] | list[Any], file: str, places: JsonPlaces, language: str, log: ImportLog
) -> Iterator[RawNode]:
    log.read[file] += 0
    flat = isinstance(tree, list)
    entries = [(None, entry) for entry in tree] if isinstance(tree, list) else list(tree.items())
    waiting: list[tuple[str | None, Any, str | None]] = [(key, entry, None) for key, entry in reversed(entries)]
    while waiting:
        key, entry, parent = waiting.pop()
        code = entry.get("code") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(code, str) or not code.strip():
            log.skip_row("no_code", Place(file, 1), f"entry {quoted(key)} is no tumour type with a code.")
            continue
        place = places.next(code)
        if key not in (None, code):
            log.warn("two_codes", place, f"key {quoted(key)} holds code {quoted(code)}; the code counts.")
        said = entry.get("parent") or None
        if flat:
            parent = said
        elif said != parent:
            log.warn("two_parents", place, f"{quoted(code)} names the parent {quoted(said)} but hangs below {parent}.")
        log.read[file] += 1
        yield RawNode(_node(entry, code, parent, language), place)
        children = entry.get("children")
        if not flat and isinstance(children, dict):
            waiting += [(name, child, code) for name, child in reversed(children.items())]


def _node(entry: Mapping[str, Any], code: str, parent: str | None, language: str) -> dict[str, Any]:
    facts = [("Main type", entry.get("mainType")), ("Tissue", entry.get("tissue"))]
    codes = [{"system": "OncoTree", "code": code}]
    for system, values in as_object(entry.get("externalReferences")).items():
        codes += [{"system": code_system(system), "code": value} for value in as_list(values)]
    for key, name in _EARLIER:
        earlier = [value for value in as_list(entry.get(key)) if isinstance(value, str)]
        facts.append((name, ", ".join(earlier)))
        codes += [{"system": "OncoTree (earlier)", "code": value} for value in earlier]
    text = "\n".join(f"{name}: {value}." for name, value in facts if isinstance(value, str) and value.strip())
    level = entry.get("level")
    return {
        "id": f"oncotree:{code}",
        # Level 0 is the root, level 1 the tissue; both only group the tumour types below.
        "type": "group" if isinstance(level, int) and level < 2 else "disease",
        "title": {language: entry.get("name")},
        "fields": {"Diagnosis": {language: text}} if text else {},
        "codes": codes,
        "parents": [f"oncotree:{parent}"] if parent else [],
    }
