"""Tables of separated values (comma, semicolon, tab, bar) as rows with places; a quoted cell may hold line ends."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from oncosearch.ingest.lines import MAX_FILE_BYTES, head, read_lines
from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog

DELIMITERS = (",", ";", "\t", "|")
# A quoted cell that does not end within so many lines has lost its quotation mark.
MAX_LINES_OF_ROW = 200


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row: its cells by column, without blanks at their ends, and the place where it begins."""

    cells: Mapping[str, str]
    place: Place

    def __getitem__(self, column: str) -> str:
        """Return the cell of the column, empty where the table has no such column."""
        return self.cells.get(column, "")


@dataclass(frozen=True, slots=True)
class Separated:
    """A table: its columns and its rows, read as they are asked for."""

    columns: tuple[str, ...]
    rows: Iterator[TableRow]


def columns_of(path: Path) -> tuple[str, ...]:
    """Return the columns that the first line of a file names; empty where it is no text."""
    first = next((line for line in head(path).splitlines() if line.strip()), "")
    return _cells(first, _delimiter(first), True) if first else ()


def read_separated(
    path: Path,
    log: ImportLog,
    max_bytes: int = MAX_FILE_BYTES,
    *,
    delimiter: str | None = None,
    quoting: bool = True,
) -> Separated | None:
    """Return the table of a file, or None where an error was recorded.

    Parameters
    ----------
    delimiter
        None takes that of ``DELIMITERS`` which the first line has most often.
    quoting
        False reads quotation marks as ordinary letters.

    Rows with too few or too many cells are left out and listed.
    """
    log.read[path.name] += 0
    lines = read_lines(path, log, max_bytes, blank=quoting)
    errors = log.errors
    place, first = next(((place, text) for place, text in lines if text.strip()), (Place(path.name, 1), ""))
    if not first:
        if log.errors == errors:
            log.error("missing_column", place, "the table is empty; expected a line with column names.")
        return None
    mark = delimiter or _delimiter(first)
    columns = _cells(first, mark, quoting)
    named = [column for column in columns if column]
    if len(set(named)) < len(named):
        twice = next(column for column in named if named.count(column) > 1)
        log.error("duplicate_column", place, f"the column {twice!r} stands twice; rename one.")
        return None
    return Separated(columns, _rows(lines, path.name, columns, mark, quoting, log))


def _rows(
    lines: Iterator[tuple[Place, str]], name: str, columns: tuple[str, ...], mark: str, quoting: bool, log: ImportLog
) -> Iterator[TableRow]:
    for place, text in _joined(lines, mark, quoting, log):
        if not text or text.isspace():
            log.blank_lines += 1
            continue
        try:
            cells = _cells(text, mark, quoting)
        except csv.Error as error:
            log.skip_row("bad_row", place, f"the row cannot be read ({error}).")
            continue
        if len(cells) < len(columns) or any(cells[len(columns) :]):
            log.skip_row(
                "bad_row", place, f"the row has {len(cells)} cells; expected {len(columns)}, one for each column."
            )
            continue
        log.read[name] += 1
        yield TableRow(dict(zip(columns, cells, strict=False)), place)


def _joined(
    lines: Iterator[tuple[Place, str]], mark: str, quoting: bool, log: ImportLog
) -> Iterator[tuple[Place, str]]:
    """Yield the texts of rows: a line, or the lines over which a quoted cell goes."""
    if not quoting:
        yield from lines
        return
    closed = _closed_row(mark)
    waiting: deque[tuple[Place, str]] = deque()
    while True:
        entry = waiting.popleft() if waiting else next(lines, None)
        if entry is None:
            return
        place, text = entry
        if '"' not in text or closed.fullmatch(text):
            yield entry
            continue
        parts = [entry]
        while len(parts) < MAX_LINES_OF_ROW:
            following = waiting.popleft() if waiting else next(lines, None)
            if following is None:
                break
            parts.append(following)
            if '"' in following[1] and closed.fullmatch(joined := "\n".join(part for _, part in parts)):
                yield place, joined
                break
        else:
            following = None
        if following is None:
            log.skip_row("bad_row", place, "the quotation marks of a cell do not match; the row is left out.")
            waiting.extendleft(reversed(parts[1:]))


def _closed_row(mark: str) -> re.Pattern[str]:
    m = re.escape(mark)
    cell = rf'(?:"(?:[^"]|"")*+" *+|[^"{m}][^{m}]*+|)'
    return re.compile(f"{cell}(?:{m}{cell})*+", re.DOTALL)


def _cells(text: str, mark: str, quoting: bool) -> tuple[str, ...]:
    if not quoting or '"' not in text:
        return tuple(cell.strip() for cell in text.split(mark))
    (cells,) = csv.reader([text], delimiter=mark)
    return tuple(cell.strip() for cell in cells)


def _delimiter(first: str) -> str:
    return max(DELIMITERS, key=first.count)
