"""The native format: a folder with ``graph.json`` and ``nodes.jsonl`` (docs/graph-format.md), read and written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from oncosearch.ingest.given import Given
from oncosearch.ingest.header import FORMAT_ID, check_header
from oncosearch.ingest.lines import MAX_LINE_BYTES, read_lines
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import Node, node_to_dict
from oncosearch.model.snapshot import Snapshot

GRAPH_FILE = "graph.json"
NODES_FILE = "nodes.jsonl"


def is_native(given: Given) -> bool:
    """Return whether there is a file of the native format."""
    return bool(given.files(GRAPH_FILE, NODES_FILE))


def read_native(given: Given, log: ImportLog) -> RawGraph:
    """Return the header and the raw nodes of a graph in the native format; nodes are read as they are asked for."""
    files = {path.name: path for path in given.files(GRAPH_FILE, NODES_FILE)}
    for name in (GRAPH_FILE, NODES_FILE):
        if name not in files:
            log.error("missing_file", name, f"{given.name} has no {name}; a graph is {GRAPH_FILE} and {NODES_FILE}.")
    return RawGraph(_read_header(files.get(GRAPH_FILE), log), _read_nodes(files.get(NODES_FILE), log, given.max_bytes))


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


Convert = Callable[[dict[str, Any]], Any]


def parse_json(text: str, place: Place, log: ImportLog, convert: Convert | None = None) -> tuple[bool, Any]:
    """Return whether the text is JSON as we accept it, and its value.

    Refused beside malformed JSON: a key twice in one object, NaN and Infinity, and nesting too deep to be read.
    ``convert`` turns every object into another value.
    """
    try:
        return True, json_decoder(convert).decode(text)
    except RecursionError:
        log.error("nested_too_deep", place, "the JSON is nested too deep to be read; no graph needs that.")
    except RefusedJsonError as error:
        log.error(error.kind, place, str(error))
    except json.JSONDecodeError as error:
        at = f"column {error.colno}" if error.lineno == 1 else f"line {error.lineno} column {error.colno}"
        log.error("bad_json", place, f"not valid JSON at {at}: {error.msg}.")
    except ValueError as error:
        log.error("bad_json", place, f"not valid JSON: {error}.")
    return False, None


def json_decoder(convert: Convert | None = None) -> json.JSONDecoder:
    """Return a decoder that raises :class:`RefusedJsonError` for what is JSON and not accepted."""
    if convert is None:
        return _DECODER
    return json.JSONDecoder(object_pairs_hook=lambda pairs: convert(_object(pairs)), parse_constant=_constant)


class RefusedJsonError(ValueError):
    """JSON that is well-formed and not accepted; ``kind`` is that of the problem."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise RefusedJsonError("duplicate_key", f"the key {quoted(twice)} stands twice in one object; keep one.")
    return found


def _constant(name: str) -> NoReturn:
    raise RefusedJsonError("bad_number", f"{name} is no JSON number; write a number or leave the key out.")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def _read_nodes(path: Path | None, log: ImportLog, max_bytes: int) -> Iterator[RawNode]:
    if path is None:
        return
    log.read[path.name] = 0
    for place, text in read_lines(path, log, max_bytes):
        good, value = parse_json(text, place, log)
        if good:
            log.read[path.name] += 1
            yield RawNode(value, place)
        else:
            log.lost_row(path.name)


def _read_header(path: Path | None, log: ImportLog) -> GraphHeader | None:
    if path is None:
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
