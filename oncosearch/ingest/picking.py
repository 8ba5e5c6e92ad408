"""Which of the files given a reader reads, and what a graph is called whose files do not say it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from oncosearch.ingest.given import Given
from oncosearch.ingest.raw import RawGraph
from oncosearch.ingest.report import ImportLog

Looks = Callable[[Path], bool]


def detected(given: Given, looks: Looks, *patterns: str) -> list[Path]:
    """Return the files that look right: of those in folders only such whose names fit a pattern (``.gz`` or not)."""
    return [path for path in (*_outright(given), *_inside(given, patterns)) if looks(path)]


def chosen(given: Given, looks: Looks, *patterns: str) -> list[Path]:
    """Return the files to read in a format that was named or found.

    A file given outright is always one of them. In folders they are those that look right; where none does, all whose
    names fit, so that reading them says what is wrong.
    """
    inside = _inside(given, patterns)
    outright = _outright(given)
    right = [path for path in inside if looks(path)]
    return list(dict.fromkeys([*outright, *(right or ([] if outright else inside))]))


def only_file(given: Given, files: Sequence[Path], what: str, log: ImportLog) -> Path | None:
    """Return the one file that there must be, or None where there is none or several, which is recorded."""
    if not files:
        log.error("missing_file", given.name, f"{given.name} holds no {what}.")
    elif len(files) > 1:
        names = ", ".join(path.name for path in files)
        log.error("several_files", given.name, f"each of {names} is a graph of its own; name the file to import.")
    return files[0] if len(files) == 1 else None


def no_graph(log: ImportLog) -> RawGraph:
    """Return what a reader gives where it has recorded why there is no graph."""
    log.skipped.update(log.read - log.skipped)
    return RawGraph(None, ())


def graph_name(text: str, default: str) -> str:
    """Return a graph or snapshot id made from a text, ``default`` where nothing of it can stand in one."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-._")[:64].rstrip("-._") or default


def _outright(given: Given) -> list[Path]:
    return [path.absolute() for path in given.paths if path.is_file()]


def _inside(given: Given, patterns: Sequence[str]) -> list[Path]:
    outright = set(_outright(given))
    found = given.files(*(pattern + tail for pattern in patterns for tail in ("", ".gz")))
    return [path for path in found if path not in outright]
