"""What a reader says about a file: how many lines it took, and each one that it did not take, with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oncosearch.model import UsageError

_TEXT_SHOWN = 80
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
# Bytes that are no UTF-8 arrive as these, so that one bad line costs one line and not the file.
_UNDECODED = re.compile("[\udc80-\udcff]")

# Every reason in one place: the code is the key of a screen's own wording, the sentence is the command line's.
_WHY = {
    "no_utf8": "not UTF-8 text",
    "columns": "{found} columns; expected {expected}",
    "grade": "grade {grade!r}; expected a whole number from {lowest} to {highest}",
    "grade_not_whole": "grade {grade!r}; expected a whole number",
    "unjudged": "grade -1 means 'pooled but not judged' here; an irrelevant node stands in the flags file",
    "score": "score {score!r}; expected a number",
    "score_not_finite": "score {score} is not finite",
    "rank": "rank {rank!r}; expected a whole number (does an id hold white space?)",
    "escape": "id {id!r} is marked as escaped, but its escapes cannot be read",
    "empty_id": "no id in column {column}",
    "repeated": "topic {topic!r}, node {node!r} stood before, in {before}; the first counts",
    "contradicts": "topic {topic!r}, node {node!r} has grade {grade} here and {other} in {before}; the first counts",
    "repeated_in_run": "topic {topic!r}, node {node!r} stands again, in {before}, at a better place",
    "repeated_id": "{id!r} stood before, in {before}; the first counts",
    "flag": "flag {flag!r}; expected irrelevant or duplicate",
    "flag_without_grade": "topic {topic!r}, node {node!r} is flagged irrelevant and has no line in the qrels",
    "flag_contradicts": "topic {topic!r}, node {node!r} is flagged irrelevant and has grade {grade}; the grade counts",
    "yes_or_no": "column {column} holds {found!r}; expected yes or nothing",
    "other_text": "{column} of {id!r} differs from the one before; the first counts",
    "repeated_rating": "rater {rater!r} graded {item!r} before, in {before}; the first counts",
    "contradicting_rating": "rater {rater!r} gave {item!r} another grade in {before}; the first counts",
    "no_json": "not JSON ({error})",
    "shape": "expected {expected}",
    "quote": "a quoted cell is damaged ({error})",
    "rank_contradicts_scores": "topic {topic!r}: rank {rank} has the lower score; ordered by score, then id",
    "ties": "topic {topic!r}: equal scores stand in another order than by id; ordered by id",
    "rank_order": "topic {topic!r}: the rank column contradicts the scores; ordered by rank, as asked",
    "more_columns": "more than {expected} columns; the rest was left unread",
    "more_tags": "tag {tag!r}; the run is called {first!r}, as in its first line",
    "no_query": "topic {topic!r} is judged and has no query",
    "no_text": "{count} judged nodes have no text, {node!r} the first",
    "record": "{why}",
    "nothing": "no line was taken",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing said about a line: its number (0: the whole file), its text cut to 80, a code and its values."""

    number: int
    text: str
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    where: str = "line"

    @property
    def why(self) -> str:
        """The reason as one English sentence."""
        return _WHY[self.code].format(**self.values)

    def __str__(self) -> str:
        """Return place, reason and text on one line."""
        place = f"{self.where} {self.number}: " if self.number else ""
        return f"{place}{self.why}" + (f": {self.text!r}" if self.text else "")


@dataclass(frozen=True, slots=True)
class ReadReport:
    """What became of a file.

    ``taken`` counts lines that count now; ``skipped`` names every line that does not, in the order of the file;
    ``notes`` are remarks on what was taken. Blank lines and headings are neither.
    """

    path: str
    taken: int
    skipped: tuple[Remark, ...] = ()
    notes: tuple[Remark, ...] = ()

    def lines(self, most: int = 20) -> list[str]:
        """Return the report as lines of plain English, at most ``most`` remarks of either kind."""
        shown = [f"{self.path}: {self.taken:,} taken, {len(self.skipped):,} not taken"]
        for name, remarks in (("not taken", self.skipped), ("note", self.notes)):
            shown.extend(f"   {name}: {remark}" for remark in remarks[:most])
            if len(remarks) > most:
                shown.append(f"   … and {len(remarks) - most:,} more")
        return shown

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON."""

        def plain(remark: Remark) -> dict[str, Any]:
            return {"number": remark.number, "where": remark.where, "text": remark.text, "code": remark.code,
                    "why": remark.why}  # fmt: skip

        return {
            "path": self.path,
            "taken": self.taken,
            "skipped": [plain(remark) for remark in self.skipped],
            "notes": [plain(remark) for remark in self.notes],
        }


class Remarks:
    """Collects remarks while a file is read; ``where`` names what is counted: line, entry, file and line."""

    def __init__(self, path: Path, where: str = "line") -> None:
        self._path = path
        self._where = where
        self._skipped: list[Remark] = []
        self._notes: list[Remark] = []

    def skip(self, number: int, text: str, code: str, **values: object) -> None:
        """Put on record that a line was not taken."""
        self._skipped.append(Remark(number, cut(text), code, values, self._where))

    def note(self, number: int, text: str, code: str, **values: object) -> None:
        """Put on record something about what was taken."""
        self._notes.append(Remark(number, cut(text), code, values, self._where))

    def place(self, number: int) -> str:
        """Return the name of a line."""
        return f"{self._where} {number}"

    def named(self, where: str) -> Remarks:
        """Return a collector into the same record whose lines are called ``where``."""
        other = Remarks(self._path, where)
        other._skipped, other._notes = self._skipped, self._notes
        return other

    def report(self, taken: int) -> ReadReport:
        """Return the report; the file as a whole is remarked on where nothing was taken."""
        if not taken:
            self._notes.append(Remark(0, "", "nothing"))
        return ReadReport(str(self._path), taken, _in_file_order(self._skipped), _in_file_order(self._notes))


def _in_file_order(remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """Return remarks by number; those of several files stay apart, in the order in which the files were read."""
    files = {where: place for place, where in enumerate(dict.fromkeys(remark.where for remark in remarks))}
    return tuple(sorted(remarks, key=lambda remark: (files[remark.where], remark.number)))


def cut(text: str) -> str:
    """Return a text of at most 80 characters for showing."""
    return text if len(text) <= _TEXT_SHOWN else text[: _TEXT_SHOWN - 1] + "…"


def is_undecoded(text: str) -> bool:
    """Return whether a text holds bytes that are no UTF-8."""
    return not text.isascii() and _UNDECODED.search(text) is not None


def file_text(path: Path) -> str:
    """Return the text of a UTF-8 file without a byte order mark; bytes that are none stay, see ``is_undecoded``.

    Raises
    ------
    UsageError
        If the file cannot be read, or is UTF-16 (a mark, or a NUL in every second byte).
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    head = raw[:200]
    wide = len(head) >= 4 and (not any(head[1::2]) or not any(head[::2]))
    if raw.startswith(_WIDE_MARKS) or wide:
        raise UsageError(f"{path} is UTF-16; expected UTF-8. Save it again as UTF-8 (in Excel: CSV UTF-8).")
    return raw.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def file_lines(path: Path) -> list[tuple[int, str]]:
    """Return the numbered lines of a file that are not blank; CR, LF and CRLF end a line, and nothing else does."""
    lines = re.split("\r\n|\n|\r", file_text(path))
    return [(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def write_text(path: Path, text: str) -> None:
    """Write a file in UTF-8 with the line ends that the text has.

    Raises
    ------
    UsageError
        If it holds a character that UTF-8 cannot write (half of a surrogate pair).
    """
    path.write_bytes(utf_8(path, text))


def utf_8(path: Path, text: str) -> bytes:
    """Return what ``write_text`` writes; it refuses the same."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{path} cannot be written: {text[error.start]!r} is half of a character and has no UTF-8 form."
        ) from error
