"""Qrels, runs and ratings as CSV: what Excel opens with a double click, never runs, and saves again.

Read: UTF-8 with or without a byte order mark; comma, semicolon or tab, as the first line has it (or a line ``sep=;``
before it says); columns by name in any order, others are left alone. Written: byte order mark, CRLF, semicolons for
German; text that a spreadsheet would take for a formula has an apostrophe before it, which reading takes off again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from oncosearch.evaluate.exchange.cells import columns_of, header_delimiter, records
from oncosearch.evaluate.exchange.collection import Collection, put
from oncosearch.evaluate.exchange.report import ReadReport, Remarks, file_text, write_text
from oncosearch.evaluate.exchange.trec import (
    GRADE_SCALE,
    RankBy,
    RunLines,
    add_grade,
    run_score,
    whole_grade,
    written_hits,
)
from oncosearch.model import Qrels, Run, UsageError
from oncosearch.model.spreadsheet import csv_text, plain_cell, safe_cell

_QRELS_COLUMNS = ("topic", "query", "node", "title", "text", "grade", "duplicate")
_RUN_COLUMNS = ("topic", "rank", "node", "score", "tag")
_YES = {"yes": True, "ja": True, "true": True, "1": True, "no": False, "nein": False, "false": False, "0": False}
# The last two are what pandas writes for a missing value.
_NO_GRADE = ("", "unsure", "nan", "<na>")
# A whole number as pandas writes it once a column has a gap.
_WHOLE_AS_FLOAT = re.compile(r"([+-]?[0-9]+)[.,]0+")


def write_qrels_csv(collection: Collection, path: Path, *, language: str = "en") -> int:
    """Write one row a judgement, −1 as −1, and return the number of rows.

    A duplicate without a grade has a row with an empty grade. Queries and texts of topics and nodes that have no row
    are not in the file.
    """
    rows = []
    for topic, node, grade in _judged(collection):
        duplicate = node in collection.duplicates.get(topic, ())
        query, title, text = collection.queries, collection.titles, collection.texts
        texts = (topic, query.get(topic, ""), node, title.get(node, ""), text.get(node, ""))
        rows.append([*map(safe_cell, texts), "" if grade is None else str(grade), "yes" if duplicate else ""])
    write_text(path, csv_text(_QRELS_COLUMNS, rows, language))
    return len(rows)


def _judged(collection: Collection) -> Iterator[tuple[str, str, int | None]]:
    grades = collection.qrels.grades
    for topic in dict.fromkeys([*grades, *collection.duplicates]):
        for node, grade in grades.get(topic, {}).items():
            yield topic, node, grade
        for node in sorted(collection.duplicates.get(topic, frozenset()) - grades.get(topic, {}).keys()):
            yield topic, node, None


def read_qrels_csv(path: Path, *, scale: range | None = GRADE_SCALE) -> tuple[Collection, ReadReport]:
    """Return the collection of a CSV file with columns topic, node, grade, and what was not taken.

    Columns query, title, text and duplicate (yes or empty) are read where there are any.

    Raises
    ------
    UsageError
        If the file cannot be read, is UTF-16, or a needed column is missing.
    """
    remarks = Remarks(path)
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    lines: dict[tuple[str, str], int] = {}
    duplicates: dict[str, set[str]] = defaultdict(set)
    texts: dict[str, dict[str, str]] = {"query": {}, "title": {}, "text": {}}
    taken = 0
    for number, shown, row in _rows(_table(path, remarks), ("topic", "node", "grade"), _QRELS_COLUMNS, remarks):
        topic, node, given = row["topic"], row["node"], row["grade"].strip()
        flag = _YES.get(row.get("duplicate", "").strip().casefold() or "no")
        if flag is None:
            remarks.skip(number, shown, "yes_or_no", column="duplicate", found=row["duplicate"])
            continue
        if not (flag and not given):
            grade = whole_grade(given, number, shown, remarks, scale)
            if grade is None or not add_grade(grades, lines, (topic, node), grade, number, shown, remarks):
                continue
        taken += 1
        if flag:
            duplicates[topic].add(node)
        for column, key in (("query", topic), ("title", node), ("text", node)):
            if not put(texts[column], key, row.get(column, "")):
                remarks.note(number, shown, "other_text", column=column, id=key)
    flagged = {topic: frozenset(nodes) for topic, nodes in duplicates.items()}
    found = Collection(Qrels(dict(grades)), texts["query"], texts["title"], texts["text"], flagged)
    return found, remarks.report(taken)


def write_run_csv(run: Run, path: Path, *, language: str = "en") -> int:
    """Write one row a hit and return their number; scores as in a TREC run, with a decimal comma for German."""
    rows = []
    for topic, ranking in run.rankings.items():
        for rank, (node, score) in enumerate(written_hits(topic, ranking), 1):
            number = repr(score).replace(".", ",") if language == "de" else repr(score)
            rows.append([safe_cell(topic), str(rank), safe_cell(node), number, safe_cell(run.tag)])
    write_text(path, csv_text(_RUN_COLUMNS, rows, language))
    return len(rows)


def read_run_csv(path: Path, *, order: RankBy = "score") -> tuple[Run, ReadReport]:
    """Return the run of a CSV file with columns topic, node, score, and what was not taken.

    Order and repeated nodes as in ``read_run``; without a column rank there is nothing that could contradict. The
    column tag is optional. A decimal comma is read where commas do not stand between cells.

    Raises
    ------
    UsageError
        If the file cannot be read, is UTF-16, or a needed column is missing.
    """
    remarks = Remarks(path)
    lines = RunLines(order, remarks)
    needed = ("topic", "node", "score") if order == "score" else ("topic", "node", "score", "rank")
    table = _table(path, remarks)
    for number, shown, row in _rows(table, needed, _RUN_COLUMNS, remarks):
        given = row["score"].strip()
        # Between commas a quoted "1,234" may as well be a thousand: it is put on record as it stands.
        number_text = given if table.delimiter == "," else given.replace(",", ".")
        score = run_score(number_text, number, shown, remarks)
        if score is not None:
            rank = row["rank"].strip() if "rank" in row else None
            lines.add(row["topic"], row["node"], rank, score, row.get("tag", path.stem), number, shown)
    return lines.run(path.stem)


def read_ratings(path: Path) -> tuple[dict[str, dict[str, int | None]], ReadReport]:
    """Return grades by item and rater from a CSV file, and what was not taken.

    Long: columns item, rater, grade; with a column topic beside item, an item is both. Wide: a column item (and
    topic), and one column for each rater. An empty grade, ``unsure`` and ``NaN`` are missing values and come back as
    None; ``3.0`` is 3. Blanks around the name of a rater do not count. Topic and item are joined with a tab; tabs and
    backslashes of their own are escaped, so that no two items become one.

    Raises
    ------
    UsageError
        If the file cannot be read, is UTF-16, or has neither form.
    """
    remarks = Remarks(path)
    found: dict[str, dict[str, int | None]] = {}
    places: dict[tuple[str, str], int] = {}
    for number, shown, item, rater, text in _ratings(path, remarks):
        given = text.strip()
        if whole := _WHOLE_AS_FLOAT.fullmatch(given):
            given = whole[1]
        grade = None if given.casefold() in _NO_GRADE else whole_grade(given, number, shown, remarks, None)
        if grade is None and given.casefold() not in _NO_GRADE:
            continue
        grades = found.setdefault(item, {})
        if rater in grades:
            before = remarks.place(places[item, rater])
            code = "repeated_rating" if grades[rater] == grade else "contradicting_rating"
            remarks.skip(number, shown, code, item=item, rater=rater, before=before)
            continue
        places[item, rater] = number
        grades[rater] = grade
    return found, remarks.report(len(places))


def _ratings(path: Path, remarks: Remarks) -> Iterator[tuple[int, str, str, str, str]]:
    """Yield number, text, item, rater and grade of each cell that holds a rating."""
    table = _table(path, remarks)
    header = table.header
    names = [name.strip().casefold() for name in header]
    long = "grade" in names or "rater" in names
    needed = ("item", "rater", "grade") if long else ("item",)
    place = columns_of(header, needed, (*needed, "topic"), str(path))
    columns = [] if long else [(i, plain_cell(name).strip()) for i, name in enumerate(header)]
    raters = [(i, name) for i, name in columns if i not in place.values()]
    named = [name for _, name in raters if name]
    if not long and (len(set(named)) < len(named) or len(named) < 2):
        raise UsageError(
            f"{path} has the columns {', '.join(header)[:200]}; expected item, rater, grade, or item and a column for "
            "each of two or more raters."
        )
    for number, shown, cells in table.rows:
        item = plain_cell(cells[place["item"]])
        if not item:
            remarks.skip(number, shown, "empty_id", column="item")
            continue
        if "topic" in place:
            item = "\t".join(map(_without_tabs, (plain_cell(cells[place["topic"]]), item)))
        given = [(plain_cell(cells[place["rater"]]).strip(), cells[place["grade"]])] if long else []
        given += [(rater, cells[i]) for i, rater in raters if rater or cells[i].strip()]
        for rater, grade in given:
            if rater:
                yield number, shown, item, rater, plain_cell(grade)
            else:
                remarks.skip(number, shown, "empty_id", column="rater")


def _without_tabs(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t")


def _rows(
    table: _Table, needed: tuple[str, ...], known: tuple[str, ...], remarks: Remarks
) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield number, text and cells by column of each row that has all its cells and both ids."""
    place = columns_of(table.header, needed, known, table.path)
    for number, shown, cells in table.rows:
        row = {name: plain_cell(cells[i]) for name, i in place.items()}
        empty = [name for name in ("topic", "node") if not row[name]]
        if empty:
            remarks.skip(number, shown, "empty_id", column=empty[0])
            continue
        yield number, shown, row


class _Table(NamedTuple):
    """A table as its first line has it; ``rows`` are number, text and cells of those that have all their cells."""

    path: str
    delimiter: str
    header: list[str]
    rows: Iterator[tuple[int, str, list[str]]]


def _table(path: Path, remarks: Remarks) -> _Table:
    text = file_text(path)
    delimiter, named = header_delimiter(text)
    found = records(text, delimiter, remarks)
    if named:
        next(found)
    _, header = next(found, (0, []))

    def rows() -> Iterator[tuple[int, str, list[str]]]:
        for number, cells in found:
            shown = delimiter.join(cells)
            if len(cells) < len(header) or any(cells[len(header) :]):
                remarks.skip(number, shown, "columns", found=len(cells), expected=len(header))
            else:
                yield number, shown, cells

    return _Table(str(path), delimiter, header, rows())
