"""Folders in the form of BEIR: corpus.jsonl, queries.jsonl and qrels/SPLIT.tsv.

As in a TREC file, the qrels carry max(grade, 0), and the flags file beside them the grades of −1 and the duplicates.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from oncosearch.evaluate.exchange.cells import columns_of, records
from oncosearch.evaluate.exchange.collection import Collection, put
from oncosearch.evaluate.exchange.report import ReadReport, Remarks, file_lines, file_text, is_undecoded, write_text
from oncosearch.evaluate.exchange.trec import (
    GRADE_SCALE,
    add_grade,
    apply_flags,
    flags_path,
    judged_grade,
    read_duplicates,
    write_with_flags,
)
from oncosearch.model import Qrels

CORPUS = "corpus.jsonl"
QUERIES = "queries.jsonl"
_COLUMNS = ("query-id", "corpus-id", "score")


def qrels_path(folder: Path, split: str = "test") -> Path:
    """Return the path of the qrels of a split."""
    return folder / "qrels" / f"{split}.tsv"


def write_beir(collection: Collection, folder: Path, *, split: str = "test") -> int:
    """Write the three files and the flags file, make folders that are missing, and return the number of judgements.

    Every judged node and topic has its line in corpus and queries, with an empty text where there is none: tools look
    all of them up.
    """
    grades = collection.qrels.grades
    path = qrels_path(folder, split)
    path.parent.mkdir(parents=True, exist_ok=True)
    nodes = (
        {"_id": node, "title": collection.titles.get(node, ""), "text": collection.texts.get(node, "")}
        for node in collection.nodes()
    )
    _write_lines(folder / CORPUS, nodes)
    topics = dict.fromkeys([*collection.queries, *grades, *collection.duplicates])
    _write_lines(folder / QUERIES, ({"_id": topic, "text": collection.queries.get(topic, "")} for topic in topics))
    rows = [_COLUMNS]
    rows += [(topic, node, str(max(grade, 0))) for topic, own in grades.items() for node, grade in own.items()]
    text = "".join("\t".join(map(_cell, row)) + "\n" for row in rows)
    write_with_flags(text, collection.qrels, path, duplicates=collection.duplicates)
    return len(rows) - 1


def read_beir(folder: Path, *, split: str = "test", scale: range | None = GRADE_SCALE) -> tuple[Collection, ReadReport]:
    """Return the collection of a BEIR folder, and what was not taken of its files, each named.

    ``taken`` counts the lines of all three. Grades of −1 are read as in ``read_qrels``. Judged topics without a query
    and judged nodes without a text are remarked on.

    Raises
    ------
    UsageError
        If one of the files cannot be read, is UTF-16, or the qrels lack a column.
    """
    remarks = Remarks(folder)
    titles: dict[str, str] = {}
    texts: dict[str, str] = {}
    queries: dict[str, str] = {}
    nodes = topics = 0
    for nodes, (node, row) in enumerate(_lines(folder / CORPUS, ("title", "text"), remarks), 1):  # noqa: B007
        put(titles, node, row["title"])
        put(texts, node, row["text"])
    for topics, (topic, row) in enumerate(_lines(folder / QUERIES, ("text",), remarks), 1):  # noqa: B007
        put(queries, topic, row["text"])
    path = qrels_path(folder, split)
    grades = _grades(path, remarks.named(f"{path.name} line"), scale)
    if flags_path(path).is_file():
        apply_flags(path, grades, remarks.named(f"{flags_path(path).name} line"))
    for topic in grades:
        if topic not in queries:
            remarks.note(0, "", "no_query", topic=topic)
    bare = [node for own in grades.values() for node in own if node not in texts and node not in titles]
    if bare:
        remarks.note(0, "", "no_text", count=len(set(bare)), node=bare[0])
    found = Collection(Qrels(grades), queries, titles, texts, read_duplicates(path))
    return found, remarks.report(nodes + topics + sum(map(len, grades.values())))


def _grades(path: Path, remarks: Remarks, scale: range | None) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    lines: dict[tuple[str, str], int] = {}
    rows = records(file_text(path), "\t", remarks)
    _, header = next(rows, (0, []))
    place = columns_of(header, _COLUMNS, _COLUMNS, str(path))
    for number, cells in rows:
        shown = "\t".join(cells)
        if len(cells) != len(header):
            remarks.skip(number, shown, "columns", found=len(cells), expected=len(header))
            continue
        topic, node, given = (cells[place[name]] for name in _COLUMNS)
        grade = judged_grade(given.strip(), number, shown, remarks, scale)
        if grade is not None:
            add_grade(grades, lines, (topic, node), grade, number, shown, remarks)
    return dict(grades)


def _lines(path: Path, names: tuple[str, ...], remarks: Remarks) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield id and texts of each line that is an object with an ``_id`` of its own and texts under ``names``."""
    own = remarks.named(f"{path.name} line")
    seen: dict[str, int] = {}
    for number, line in file_lines(path):
        if is_undecoded(line):
            own.skip(number, line.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), "no_utf8")
            continue
        try:
            row: Any = json.loads(line)
        except (ValueError, RecursionError) as error:
            own.skip(number, line, "no_json", error=str(error))
            continue
        key = row.get("_id") if isinstance(row, dict) else None
        texts = {name: row.get(name, "") for name in names} if isinstance(row, dict) else {}
        if not isinstance(key, str) or not all(isinstance(text, str) for text in texts.values()):
            own.skip(number, line, "shape", expected=f"an object with texts under {', '.join(('_id', *names))}")
        elif key in seen:
            own.skip(number, line, "repeated_id", id=key, before=own.place(seen[key]))
        else:
            seen[key] = number
            yield key, texts


def _write_lines(path: Path, rows: Iterator[dict[str, str]]) -> None:
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in '"\t\r\n\ufeff') else text
