"""Qrels and runs as JSON: everything that the values hold, and nothing rounded, flattened or renamed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from oncosearch.evaluate.exchange.collection import Collection, put
from oncosearch.evaluate.exchange.report import ReadReport, Remarks, cut, file_text, is_undecoded, write_text
from oncosearch.evaluate.exchange.trec import GRADE_SCALE, add_grade
from oncosearch.model import Qrels, Run, UsageError

QRELS_FORMAT = "oncosearch-qrels"
RUN_FORMAT = "oncosearch-run"
VERSION = 1
_RUN_TEXTS = ("graph_id", "snapshot_id", "pipeline", "created")


def write_qrels_json(collection: Collection, path: Path) -> int:
    """Write a collection and return the number of judgements; a topic without judgements is kept too."""
    grades = collection.qrels.grades
    topics = dict.fromkeys([*grades, *collection.queries, *collection.duplicates])
    judgements = [
        {"topic": topic, "node": node, "grade": grade} for topic, own in grades.items() for node, grade in own.items()
    ]
    document = {
        "format": QRELS_FORMAT,
        "version": VERSION,
        "topics": [
            {"id": topic, "query": collection.queries.get(topic, ""), "judged": topic in grades} for topic in topics
        ],
        "nodes": [
            {"id": node, "title": collection.titles.get(node, ""), "text": collection.texts.get(node, "")}
            for node in dict.fromkeys([*collection.titles, *collection.texts])
        ],
        "judgements": judgements,
        "duplicates": [
            {"topic": topic, "node": node} for topic, nodes in collection.duplicates.items() for node in sorted(nodes)
        ],
    }
    _write(path, document)
    return len(judgements)


def read_qrels_json(path: Path, *, scale: range | None = GRADE_SCALE) -> tuple[Collection, ReadReport]:
    """Return the collection of a JSON file and what was not taken; entries are numbered within their list.

    Raises
    ------
    UsageError
        If the file cannot be read, is no JSON in UTF-8, or of another format or version.
    """
    remarks = Remarks(path)
    document = _document(path, QRELS_FORMAT)
    grades: dict[str, dict[str, int]] = {}
    queries: dict[str, str] = {}
    texts: dict[str, dict[str, str]] = {"title": {}, "text": {}}
    duplicates: dict[str, set[str]] = {}
    taken = 0
    for _, _, row in _entries(document, "topics", {"id": str, "query": str, "judged": bool}, remarks, key="id"):
        put(queries, row["id"], row["query"])
        if row["judged"]:
            grades[row["id"]] = {}
    for _, _, row in _entries(document, "nodes", {"id": str, "title": str, "text": str}, remarks, key="id"):
        put(texts["title"], row["id"], row["title"])
        put(texts["text"], row["id"], row["text"])
    lines: dict[tuple[str, str], int] = {}
    own = remarks.named("judgements entry")
    for number, shown, row in _entries(document, "judgements", {"topic": str, "node": str, "grade": int}, remarks):
        if scale is not None and row["grade"] not in scale:
            own.skip(number, shown, "grade", grade=row["grade"], lowest=min(scale), highest=max(scale))
        else:
            taken += add_grade(grades, lines, (row["topic"], row["node"]), row["grade"], number, shown, own)
    for _, _, row in _entries(document, "duplicates", {"topic": str, "node": str}, remarks):
        duplicates.setdefault(row["topic"], set()).add(row["node"])
    flagged = {topic: frozenset(nodes) for topic, nodes in duplicates.items()}
    found = Collection(Qrels(grades), queries, texts["title"], texts["text"], flagged)
    return found, remarks.report(taken)


def write_run_json(run: Run, path: Path) -> int:
    """Write a run with what made it, and return the number of hits.

    Raises
    ------
    UsageError
        If a score is not finite.
    """
    document: dict[str, Any] = {"format": RUN_FORMAT, "version": VERSION}
    document |= {f.name: getattr(run, f.name) for f in fields(run) if f.name != "rankings"}
    document["parameters"] = None if run.parameters is None else dict(run.parameters)
    document["rankings"] = [
        {"topic": topic, "hits": [{"node": node, "score": float(score)} for node, score in ranking]}
        for topic, ranking in run.rankings.items()
    ]
    _write(path, document)
    return sum(map(len, run.rankings.values()))


def read_run_json(path: Path) -> tuple[Run, ReadReport]:
    """Return the run of a JSON file in the order of the file, and what was not taken.

    Raises
    ------
    UsageError
        If the file cannot be read, is no JSON in UTF-8, or of another format or version.
    """
    remarks = Remarks(path)
    document = _document(path, RUN_FORMAT)
    rankings: dict[str, tuple[tuple[str, float], ...]] = {}
    for _, _, row in _entries(document, "rankings", {"topic": str, "hits": list}, remarks, key="topic"):
        rankings[row["topic"]] = tuple(_hits(row, remarks.named(f"topic {row['topic']!r}, hit")))
    texts = {name: document.get(name, "") for name in ("tag", *_RUN_TEXTS)}
    model, parameters = document.get("model"), document.get("parameters")
    if (
        not all(isinstance(text, str) for text in texts.values())
        or not isinstance(model, str | None)
        or not isinstance(parameters, dict | None)
        or not all(_is(value, (int, float)) and _is_finite(value) for value in (parameters or {}).values())
    ):
        raise UsageError(
            f"{path} does not say what made the run; expected texts, a model and finite numbers as parameters."
        )
    run = Run(rankings=rankings, model=model, parameters=parameters, **texts)
    return run, remarks.report(sum(map(len, rankings.values())))


def _hits(row: Mapping[str, Any], remarks: Remarks) -> Iterator[tuple[str, float]]:
    seen: dict[str, int] = {}
    for number, shown, hit in _shaped(row["hits"], {"node": str, "score": (int, float)}, remarks):
        if not _is_finite(hit["score"]):
            remarks.skip(number, shown, "score_not_finite", score=cut(str(hit["score"])))
        elif hit["node"] in seen:
            before = remarks.place(seen[hit["node"]])
            remarks.skip(number, shown, "repeated_in_run", topic=row["topic"], node=hit["node"], before=before)
        else:
            seen[hit["node"]] = number
            yield hit["node"], float(hit["score"])


def _entries(
    document: Mapping[str, Any], name: str, shape: Mapping[str, Any], remarks: Remarks, *, key: str | None = None
) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield number, text and entry of a list of the document; ``key`` is the field that no two entries share."""
    own = remarks.named(f"{name} entry")
    seen: dict[str, int] = {}
    for number, shown, row in _shaped(document.get(name, []), shape, own):
        if key and row[key] in seen:
            own.skip(number, shown, "repeated_id", id=row[key], before=own.place(seen[row[key]]))
            continue
        if key:
            seen[row[key]] = number
        yield number, shown, row


def _shaped(rows: object, shape: Mapping[str, Any], remarks: Remarks) -> Iterator[tuple[int, str, dict[str, Any]]]:
    expected = f"an object with {', '.join(shape)}"
    for number, row in enumerate(rows if isinstance(rows, list) else [rows], 1):
        shown = json.dumps(row, ensure_ascii=False)
        if isinstance(row, dict) and all(_is(row.get(name), kind) for name, kind in shape.items()):
            yield number, shown, row
        else:
            remarks.skip(number, shown, "shape", expected=expected)


def _is(value: object, kind: Any) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        # A whole number with more digits than a float can hold.
        return False


def _document(path: Path, kind: str) -> dict[str, Any]:
    text = file_text(path)
    if is_undecoded(text):
        raise UsageError(f"{path} is no UTF-8 text; expected JSON in UTF-8.")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON ({error}).") from error
    found = (document.get("format"), document.get("version")) if isinstance(document, dict) else (None, None)
    if found != (kind, VERSION):
        raise UsageError(f"{path} has format {found[0]!r}, version {found[1]!r}; expected {kind!r}, version {VERSION}.")
    return dict(document)


def _write(path: Path, document: Mapping[str, Any]) -> None:
    try:
        text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    except ValueError as error:
        raise UsageError(f"{path} cannot be written: a score is not finite, and JSON has no form for it.") from error
    write_text(path, text + "\n")
