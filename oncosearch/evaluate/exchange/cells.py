"""Separated cells, read record by record: a damaged one costs its own lines, and each of them is reported."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from oncosearch.evaluate.exchange.report import Remarks, is_undecoded
from oncosearch.model import UsageError

_DELIMITERS = (";", "\t", ",")
# What Excel takes for a setting and does not show.
_NAMED_DELIMITER = re.compile('[\r\n]*"?sep=([;\t,])"?(?:[\r\n]|$)', re.IGNORECASE)
_QUOTED = re.compile('"(?:[^"]|"")*"')
# The csv module refuses cells above 131,072 characters unless told otherwise; this is what every platform can hold.
_LARGEST_CELL = 2**31 - 1


def header_delimiter(text: str) -> tuple[str, bool]:
    """Return the delimiter of the first line, and whether that line is ``sep=;`` and so names it, and no more.

    Else it is whichever of semicolon, tab and comma stands most often between the cells of that line.
    """
    if named := _NAMED_DELIMITER.match(text):
        return named[1], True
    first = re.split("[\r\n]", text.lstrip("\r\n"), maxsplit=1)[0]
    return max(_DELIMITERS, key=_QUOTED.sub("", first).count), False


def records(text: str, delimiter: str, remarks: Remarks) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the first line and the cells of each record that is not blank.

    Lines of a damaged record, and lines that are no UTF-8, are put on record instead.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    lines: list[str] = []
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            lines = lines or re.split("\r\n|\n|\r", text)
            for number in range(first, reader.line_num + 1):
                remarks.skip(number, lines[number - 1], "quote", error=str(error))
            continue
        if any(map(is_undecoded, cells)):
            shown = delimiter.join(cells).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            remarks.skip(first, shown, "no_utf8")
        elif any(cells):
            yield first, cells


def columns_of(header: Sequence[str], needed: Sequence[str], known: Sequence[str], what: str) -> dict[str, int]:
    """Return the places of known columns by name; case and blanks around a name do not count.

    Raises
    ------
    UsageError
        If a needed column is missing, or a known one stands twice.
    """
    names = [name.strip().casefold() for name in header]
    for name in known:
        if names.count(name) > 1:
            raise UsageError(f"{what} has two columns {name!r}; expected one.")
    missing = [name for name in needed if name not in names]
    if missing:
        found = ", ".join(header) or "nothing"
        raise UsageError(f"{what} has no column {' and no column '.join(missing)}; its first line is: {found[:200]}")
    return {name: names.index(name) for name in known if name in names}
