"""The native format: a folder with ``graph.json`` and ``nodes.jsonl`` (docs/graph-format.md), read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from oncosearch.ingest.header import FORMAT_ID, check_header
from oncosearch.ingest.lines import MAX_FILE_BYTES, MAX_LINE_BYTES, read_lines
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import Node, node_to_dict
from oncosearch.model.snapshot import Snapshot

GRAPH_FILE = "graph.json"
NODES_FILE = "nodes.jsonl"


def is_native(folder: Path) -> bool:
    """Return whether the folder holds a file of the native format."""
    return (folder / GRAPH_FILE).is_file() or (folder / NODES_FILE).is_file()


def read_native(folder: Path, log: ImportLog, max_bytes: int = MAX_FILE_BYTES) -> RawGraph:
    """Return the header and the raw nodes of a folder in the native format; nodes are read as they are asked for."""
    for name in (GRAPH_FILE, NODES_FILE):
        if not (folder / name).is_file():
            log.error("missing_file", name, f"{folder.name} has no {name}; a graph is {GRAPH_FILE} and {NODES_FILE}.")
    return RawGraph(_read_header(folder / GRAPH_FILE, log), _read_nodes(folder / NODES_FILE, log, max_bytes))


def write_native(folder: Path, header: GraphHeader | Snapshot, nodes: Iterable[Node]) -> None:
    """Write a graph in the native format; reading it again gives equal nodes.

    The folder is made where it is missing. Nodes are written in the order given, in UTF-8 without a byte order mark.
    """
    folder.mkdir(parents=True, exist_ok=True)
    graph: dict[str, Any] = {
        "format": FORMAT_ID,
        "graph_id": header.graph_id,
        "snapshot_id": header.snapshot_id,
        "title": header.title,
        "languages": list(header.languages),
        "licence": header.licence,
        "attribution": list(header.attribution),
        "demo": header.demo,
    }
    (folder / GRAPH_FILE).write_text(
        json.dumps(graph, ensure_ascii=False, indent=2) + "\n", encoding="utf-8", newline="\n"
    )
    with (folder / NODES_FILE).open("w", encoding="utf-8", newline="\n") as stream:
        for node in nodes:
            stream.write(json.dumps(node_to_dict(node), ensure_ascii=False) + "\n")


def parse_json(text: str, place: Place, log: ImportLog) -> tuple[bool, Any]:
    """Return whether the text is JSON as we accept it, and its value.

    Refused beside malformed JSON: a key twice in one object, NaN and Infinity, and nesting too deep to be read.
    """
    try:
        return True, json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        log.error("nested_too_deep", place, "the JSON is nested too deep; a node needs four levels.")
    except _RefusedJsonError as error:
        log.error(error.kind, place, str(error))
    except json.JSONDecodeError as error:
        at = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
        log.error("bad_json", place, f"not valid JSON at {at}: {error.msg}.")
    except ValueError as error:
        log.error("bad_json", place, f"not valid JSON: {error}.")
    return False, None


class _RefusedJsonError(ValueError):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _RefusedJsonError("duplicate_key", f"the key {quoted(twice)} stands twice in one object; keep one.")
    return found


def _constant(name: str) -> NoReturn:
    raise _RefusedJsonError("bad_number", f"{name} is no JSON number; write a number or leave the key out.")


def _read_nodes(path: Path, log: ImportLog, max_bytes: int) -> Iterator[RawNode]:
    if not path.is_file():
        return
    log.read[path.name] = 0
    for place, text in read_lines(path, log, max_bytes):
        good, value = parse_json(text, place, log)
        if good:
            log.read[path.name] += 1
            yield RawNode(value, place)
        else:
            log.lost_row(path.name)


def _read_header(path: Path, log: ImportLog) -> GraphHeader | None:
    if not path.is_file():
        return None
    place = Place(path.name, 1)
    if path.stat().st_size > MAX_LINE_BYTES:
        log.error("file_too_large", place, f"{path.name} is over {MAX_LINE_BYTES:,} bytes; it holds the header only.")
        return None
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        log.error("bad_encoding", place, f"byte {error.start + 1} of the file is no UTF-8: save it as UTF-8.")
        return None
    good, value = parse_json(text, place, log)
    return check_header(value, place, log) if good else None
