"""Checks of ``graph.json``."""

from __future__ import annotations

import re

from oncosearch.ingest.checks import JSON_NAMES, LANGUAGE, NodeChecker
from oncosearch.ingest.raw import GraphHeader, Place
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model.vocabulary import LANGUAGE_KEYS

FORMAT_ID = "oncosearch-graph/1"
GRAPH_KEYS = ("format", "graph_id", "snapshot_id", "title", "languages", "licence", "attribution", "demo")
# Graph and snapshot ids stand in file names, addresses and ``graph@snapshot``.
NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"

_NAME = re.compile(NAME_PATTERN)


def check_header(data: object, place: Place, log: ImportLog) -> GraphHeader | None:
    """Return the header of a ``graph.json``, or None where an error was recorded."""
    checker = NodeChecker(log)
    before = log.errors
    if not isinstance(data, dict):
        log.error("wrong_type", place, f"the file holds {quoted(data)}; expected {JSON_NAMES[dict]}.")
        return None
    checker.check_keys(place, data, GRAPH_KEYS, "the graph")
    if data.get("format", FORMAT_ID) != FORMAT_ID:
        log.error("unknown_format", place, f"format is {quoted(data['format'])}; this version reads {FORMAT_ID!r}.")
    for key in ("graph_id", "snapshot_id"):
        if checker.check_required(place, data, key, "the graph") and (fault := name_fault(data[key])):
            log.error("bad_id", place, f"{key} is {quoted(data[key])}; {fault}.")
    for key in ("title", "licence"):
        if data.get(key, "") != "":
            checker.check_text(place, data[key], key)
    for key in ("languages", "attribution"):
        for item in checker.check_list(place, data, key):
            if (
                checker.check_text(place, item, f"an entry of {key}")
                and key == "languages"
                and not LANGUAGE.fullmatch(item)
            ):
                log.error("bad_language", place, f"{quoted(item)} is no language code; expected one such as de or en.")
    if data.get("languages") == []:
        log.error("missing_key", place, 'languages is empty; expected at least one, such as ["de"].')
    if not isinstance(data.get("demo", False), bool):
        log.error("wrong_type", place, f"demo is {quoted(data['demo'])}; expected {JSON_NAMES[bool]}.")
    if log.errors > before:
        return None
    for language in data.get("languages", ()):
        if language not in LANGUAGE_KEYS:
            log.warn("unlisted_language", place, f"language {language!r} has no screens or stemming of its own.")
    return GraphHeader(
        graph_id=data["graph_id"],
        snapshot_id=data["snapshot_id"],
        title=data.get("title", ""),
        languages=tuple(data.get("languages", LANGUAGE_KEYS)),
        licence=data.get("licence", ""),
        attribution=tuple(data.get("attribution", ())),
        demo=data.get("demo", False),
    )


def name_fault(name: str) -> str | None:
    """Return what is wrong with a graph or snapshot id, or None."""
    if _NAME.fullmatch(name):
        return None
    return "expected 1 to 64 letters, digits, '.', '_' or '-', beginning with a letter or digit"
