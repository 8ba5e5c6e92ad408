"""Documents as MongoDB holds them: values at paths with dots, ids of every kind kept apart, Extended JSON read."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.lines import head, read_lines, read_text
from oncosearch.ingest.mapped import Losses, Record, mapped_nodes
from oncosearch.ingest.mapped_spec import Table
from oncosearch.ingest.native import RefusedJsonError, json_decoder, parse_json
from oncosearch.ingest.raw import Place, RawGraph
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.ingest.tables import mapped_files, needed_spec

# What stands before an id that is no text; a text that begins so gets a mark as well.
_MARKED = re.compile(r"(number|oid|date|bool|uuid|binary|json|string|[a-z0-9_]+64|timestamp|regex):")
_NOTHING = frozenset({"MinKey", "MaxKey"})


def read_extjson(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of Extended JSON dumps: a document a line, a list of documents, or documents one after another.

    Raises
    ------
    UsageError
        If there is no mapping file or it has a fault.
    """
    spec = needed_spec(given, "file")
    files = mapped_files(spec, given, log)
    source = _Dumps(files, given.max_bytes, spec.plain_ids)
    header = spec.graph.header(lambda: content_id(path for _, path in sorted(files.items())), spec.languages)
    return RawGraph(header, mapped_nodes(spec, source, log), lenient=True)


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A document; with ``plain`` every value is an id as it is written, and what is told apart is the user's care."""

    document: Any
    plain: bool = False

    def texts(self, path: str, lost: Losses) -> Sequence[str]:
        """Return the texts at the path; numbers, dates and ids as they are written."""
        return self._written(path, plain_text, lost)

    def ids(self, path: str, lost: Losses) -> Sequence[str]:
        """Return the values at the path as ids."""
        return self._written(path, plain_text if self.plain else id_text, lost)

    def each(self, path: str, lost: Losses) -> Sequence[Record]:
        """Return the objects at the path; another value there is recorded as lost."""
        found = []
        for value in values_at(self.document, path):
            if isinstance(value, Mapping):
                found.append(DocumentRecord(value, self.plain))
            elif value is not None:
                lost.warn("no_object", f"{path} holds {quoted(value)} where an object should stand; it is left out.")
        return found

    def _written(self, path: str, write: Callable[[Any], str | None], lost: Losses) -> list[str]:
        found = []
        for value in values_at(self.document, path):
            if text := write(value):
                found.append(text)
            elif value is not None and not isinstance(value, str):
                what = "bytes" if isinstance(value, bytes) else quoted(value)
                lost.warn("no_text", f"{path} holds {what} where a text should stand; it is left out.")
        return found


def values_at(document: Any, path: str) -> Iterator[Any]:
    """Yield the values at a path with dots; lists on the way and at its end are gone through.

    A number in the path counts in a list from 0. A key that has dots itself is found as well.
    """
    parts = path.split(".")
    stack = [(document, 0)]
    while stack:
        value, at = stack.pop()
        if isinstance(value, list):
            if at < len(parts) and parts[at].isdigit() and len(parts[at]) < 10:
                index = int(parts[at])
                stack += [(value[index], at + 1)] if index < len(value) else []
            else:
                stack += [(item, at) for item in reversed(value)]
        elif at == len(parts):
            yield value
        elif isinstance(value, Mapping):
            whole = ".".join(parts[at:])
            if whole in value:
                stack.append((value[whole], len(parts)))
            elif parts[at] in value:
                stack.append((value[parts[at]], at + 1))


def id_text(value: Any) -> str | None:
    """Return the value as a node id, or None where it is none.

    A text stays as it is. Any other value has its kind before it, so that 1 and "1" are two ids; numbers that are
    equal are one id, as they are in MongoDB.
    """
    if value is None:
        return None
    if isinstance(value, str):
        return f"string:{value}" if _MARKED.match(value) else value
    if isinstance(value, bool):
        return f"bool:{plain_text(value)}"
    if isinstance(value, int | float):
        return f"number:{_number(value)}"
    if isinstance(value, datetime):
        return f"date:{plain_text(value)}"
    if isinstance(value, Mapping):
        return f"json:{json.dumps(_id_parts(value), ensure_ascii=False, separators=(',', ':'))}"
    name = type(value).__name__
    if name == "DBRef":
        return id_text(value.id)
    if name == "Decimal128":
        return f"number:{_number(value)}"
    if name == "ObjectId":
        return f"oid:{value}"
    if isinstance(value, bytes):
        return f"binary:{value.hex()}"
    return None if name in _NOTHING else f"{name.lower()}:{value}"


def _id_parts(value: Any) -> Any:
    """Return an object as the list of its keys and parts, a list inside it as list, any other part as its id."""
    if isinstance(value, list):
        return [_id_parts(part) if isinstance(part, list) else id_text(part) for part in value]
    return [[key, _id_parts(part) if isinstance(part, list) else id_text(part)] for key, part in value.items()]


def plain_text(value: Any) -> str | None:
    """Return a value as text without blanks at its ends; None for objects, empty texts and nothing."""
    if isinstance(value, str):
        return value.strip() or None
    if value is None or isinstance(value, Mapping | bytes) or type(value).__name__ in _NOTHING:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    name = type(value).__name__
    if name == "DBRef":
        return plain_text(value.id)
    return _number(value) if name == "Decimal128" else str(value)


def _number(value: Any) -> str:
    """Return a number in the one form that all equal numbers share."""
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value.is_integer() else repr(value)
    try:
        exact = Decimal(str(value))
        return _number(int(exact) if exact == exact.to_integral_value() else float(exact))
    except (InvalidOperation, ValueError, OverflowError):
        return str(value)


@dataclass(frozen=True, slots=True)
class _Dumps:
    files: dict[str, Path]
    max_bytes: int
    plain: bool

    def rows(self, table: Table, log: ImportLog) -> Iterator[tuple[Place, Record]]:
        if table.name not in self.files:
            return
        for place, document in read_documents(self.files[table.name], log, self.max_bytes):
            yield place, DocumentRecord(document, self.plain)


def read_documents(path: Path, log: ImportLog, max_bytes: int) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the documents of an Extended JSON dump with their lines, counted as read.

    A faulty line of a dump with a document a line is left out and listed; any other faulty file is an error.
    """
    log.read[path.name] += 0
    found = _by_line(path, log, max_bytes) if _has_document_lines(path) else _by_parsing(path, log, max_bytes)
    for place, value in found:
        if isinstance(value, dict):
            log.read[path.name] += 1
            yield place, value
        else:
            log.skip_row("no_document", place, f"{quoted(value)} stands where a document (an object) should.")


def _has_document_lines(path: Path) -> bool:
    """Return whether the first line is a whole document, or too long to tell."""
    text = head(path).lstrip()
    first, ended, _ = text.partition("\n")
    if not first.startswith("{"):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return not ended and len(first) > 1000
    return True


def _by_line(path: Path, log: ImportLog, max_bytes: int) -> Iterator[tuple[Place, Any]]:
    for place, text in read_lines(path, log, max_bytes):
        faults = ImportLog()
        good, value = parse_json(text, place, faults, extended_value)
        if good:
            yield place, value
        else:
            fault = faults.groups()[0].examples[0]
            log.skip_row(fault.kind, place, f"{fault.message} The document is left out.")


def _by_parsing(path: Path, log: ImportLog, max_bytes: int) -> Iterator[tuple[Place, Any]]:
    """Yield the documents of a text one by one, so that never all of them are there at once."""
    text = read_text(path, log, max_bytes)
    if text is None:
        return
    decoder = json_decoder(extended_value)
    blank = re.compile(r"[\s,]*")
    line, counted = 1, 0
    start = blank.match(text)
    at = start.end() if start else 0
    in_list = text.startswith("[", at)
    at += in_list
    while True:
        at = _end(blank.match(text, at), at)
        line += text.count("\n", counted, at)
        counted = at
        if at >= len(text) or (in_list and text[at] == "]"):
            break
        place = Place(path.name, line)
        try:
            value, at = decoder.raw_decode(text, at)
        except RecursionError:
            log.error("nested_too_deep", place, "the JSON is nested too deep to be read; no graph needs that.")
            return
        except RefusedJsonError as error:
            log.error(error.kind, place, str(error))
            return
        except JSONDecodeError as error:
            log.error("bad_json", Place(path.name, error.lineno), f"not valid JSON: {error.msg}.")
            return
        yield place, value
    rest = text[at + 1 :] if in_list else ""
    if in_list and (at >= len(text) or rest.strip()):
        log.error("bad_json", Place(path.name, line), "the list of documents does not end, or more follows it.")


def _end(match: re.Match[str] | None, at: int) -> int:
    return match.end() if match else at


def extended_value(found: dict[str, Any]) -> Any:
    """Return the value that an object of Extended JSON stands for, or the object itself.

    Raises
    ------
    RefusedJsonError
        If it is written as such a value and is none.
    """
    if not any(key.startswith("$") for key in found):
        return found
    from bson import json_util
    from bson.errors import BSONError

    try:
        return json_util.object_hook(found, json_util.JSONOptions(tz_aware=True, tzinfo=UTC))
    except (BSONError, TypeError, ValueError, KeyError, OverflowError, AttributeError, ArithmeticError) as error:
        key = next(key for key in found if key.startswith("$"))
        raise RefusedJsonError("bad_value", f"{quoted(key)} holds no such value ({type(error).__name__}).") from error
