"""JSON from outside: what has another form than expected reads as empty, and places are found in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given
from oncosearch.ingest.lines import read_text
from oncosearch.ingest.native import parse_json
from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog


class JsonPlaces:
    """Where the values of one key stand: the JSON reader does not say where it found what."""

    def __init__(self, file: str, text: str, key: str) -> None:
        self._file = file
        self._lines: dict[str, list[int]] = {}
        line, end = 1, 0
        for found in re.finditer(rf'"{re.escape(key)}"\s*:\s*"((?:[^"\\]|\\.)*)"', text):
            line += text.count("\n", end, found.start())
            end = found.start()
            value = json.loads(f'"{found[1]}"', strict=False) if "\\" in found[1] else found[1]
            self._lines.setdefault(value, []).append(line)

    def next(self, value: object) -> Place:
        """Return the next place of the value in the order of the file, line 1 where there is none."""
        lines = self._lines.get(value) if isinstance(value, str) else None
        if lines is None:
            return Place(self._file, 1)
        return Place(self._file, lines.pop(0) if len(lines) > 1 else lines[0])


def read_json(path: Path, key: str, given: Given, log: ImportLog) -> tuple[Any, JsonPlaces] | None:
    """Return the value of a JSON file and the places of a key, or None where an error was recorded."""
    text = read_text(path, log, given.max_bytes)
    if text is None:
        return None
    good, value = parse_json(text, Place(path.name, 1), log)
    return (value, JsonPlaces(path.name, text, key)) if good else None


def as_object(value: object) -> dict[str, Any]:
    """Return the value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def objects(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects in the list under a key."""
    return [entry for entry in as_list(value.get(key)) if isinstance(entry, dict)]


def as_list(value: object) -> list[Any]:
    """Return the value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return the value where it is a text, without blanks at its ends, else an empty one."""
    return value.strip() if isinstance(value, str) else ""


def texts(value: object) -> list[str]:
    """Return the texts in a list."""
    return [entry for entry in as_list(value) if isinstance(entry, str)]
