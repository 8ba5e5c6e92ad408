"""What an import found: problems by line, counts in and out, and the error that refuses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oncosearch.ingest.raw import Place
from oncosearch.model import ImportRefusedError

Severity = Literal["error", "skipped", "warning"]
ROWS_BETWEEN_CALLS = 1000
_ORDER: tuple[Severity, ...] = ("error", "skipped", "warning")

# A file of 200,000 faulty lines must not fill the memory: every problem is counted, this many of a kind are kept.
KEPT_PER_KIND = 1000
EXAMPLES_SHOWN = 5
# Ids and values from outside are quoted in messages up to this length.
QUOTE_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding: ``kind`` is a stable key, ``where`` is ``file:line``; ``skipped`` is a row that was left out."""

    severity: Severity
    kind: str
    where: str
    message: str

    def __str__(self) -> str:
        """Return one line: where, what."""
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class ProblemGroup:
    """All problems of one kind: how many, and the first of them in the order of the files."""

    severity: Severity
    kind: str
    count: int
    examples: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class TableCount:
    """The balance of one file: rows ``read`` = rows ``kept`` as a node + ``merged`` into another + ``skipped``."""

    name: str
    read: int
    kept: int
    merged: int = 0
    skipped: int = 0

    @property
    def balanced(self) -> bool:
        """Whether every row read is accounted for."""
        return self.read == self.kept + self.merged + self.skipped


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import read, made and found.

    ``made`` counts nodes that no row stands for (group roots, diseases named in another table);
    ``nodes = sum of kept + made``. ``problems`` are errors first, then rows left out, then warnings, each kind once.
    ``cut`` holds the (parent, child) pairs that were taken out to break cycles.
    """

    format: str
    graph_id: str
    snapshot_id: str
    tables: tuple[TableCount, ...]
    made: int
    nodes: int
    parents: int
    links: int
    sources: int
    roots: int
    by_type: tuple[tuple[str, int], ...]
    blank_lines: int
    problems: tuple[ProblemGroup, ...]
    cut: tuple[tuple[str, str], ...] = ()

    @property
    def read(self) -> int:
        """Rows read, over all files."""
        return sum(t.read for t in self.tables)

    @property
    def skipped(self) -> int:
        """Rows that became no node, over all files."""
        return sum(t.skipped for t in self.tables)

    @property
    def merged(self) -> int:
        """Rows that were merged into the node of another row, over all files."""
        return sum(t.merged for t in self.tables)

    @property
    def errors(self) -> int:
        """How many errors were found."""
        return sum(g.count for g in self.problems if g.severity == "error")

    @property
    def warnings(self) -> int:
        """How many warnings were found."""
        return sum(g.count for g in self.problems if g.severity == "warning")

    @property
    def balanced(self) -> bool:
        """Whether count in = count out: every row accounted for and every node explained."""
        return all(t.balanced for t in self.tables) and self.nodes == sum(t.kept for t in self.tables) + self.made

    def count(self, kind: str) -> int:
        """Return how many problems of ``kind`` were found."""
        return sum(g.count for g in self.problems if g.kind == kind)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values.

        ``errors`` and ``warnings`` are kind → count and examples; ``skipped`` lists the rows left out, at most
        ``KEPT_PER_KIND`` of a kind, and ``skipped_rows`` counts them all.
        """
        return {
            "format": self.format,
            "graph_id": self.graph_id,
            "snapshot_id": self.snapshot_id,
            "read": self.read,
            "nodes": self.nodes,
            "made": self.made,
            "merged": self.merged,
            "skipped_rows": self.skipped,
            "balanced": self.balanced,
            "tables": [
                {"name": t.name, "read": t.read, "kept": t.kept, "merged": t.merged, "skipped": t.skipped}
                for t in self.tables
            ],
            "parents": self.parents,
            "links": self.links,
            "sources": self.sources,
            "roots": self.roots,
            "by_type": dict(self.by_type),
            "blank_lines": self.blank_lines,
            "skipped": [
                {"line": p.where, "what": p.kind, "why": p.message}
                for g in self.problems
                if g.severity == "skipped"
                for p in g.examples
            ],
            "cut": [{"parent": parent, "child": child} for parent, child in self.cut],
            "errors": self._kinds("error"),
            "warnings": self._kinds("warning"),
        }

    def _kinds(self, severity: Severity) -> dict[str, Any]:
        return {
            g.kind: {
                "count": g.count,
                "examples": [{"where": p.where, "message": p.message} for p in g.examples[:EXAMPLES_SHOWN]],
            }
            for g in self.problems
            if g.severity == severity
        }

    def text(self, examples: int = EXAMPLES_SHOWN) -> str:
        """Return the report for a terminal, with at most ``examples`` lines per kind of problem."""
        key = f"{self.graph_id or '?'}@{self.snapshot_id or '?'}"
        lines = [f"{key} (format {self.format}): {_many(self.errors, 'error')}, {_many(self.warnings, 'warning')}"]
        lines.append(self._balance())
        if len(self.tables) > 1:
            lines += [
                f"  {t.name}: {t.read:,} rows in, {t.kept:,} nodes out"
                + (f", {t.merged:,} merged" if t.merged else "")
                + (f", {t.skipped:,} skipped" if t.skipped else "")
                for t in self.tables
            ]
        lines.append(
            f"{self.parents:,} parent relations, {self.links:,} cross-links, "
            f"{self.sources:,} sources, {self.roots:,} roots"
        )
        if self.by_type:
            lines.append("By type: " + ", ".join(f"{name} {count:,}" for name, count in self.by_type))
        if self.blank_lines:
            lines.append(f"{self.blank_lines:,} blank lines passed over")
        for group in self.problems:
            lines.append(f"{group.severity} {group.kind}: {group.count:,}")
            lines += [f"  {problem}" for problem in group.examples[:examples]]
            if group.count > examples:
                lines.append(f"  … and {group.count - min(examples, len(group.examples)):,} more")
        return "\n".join(lines)

    def _balance(self) -> str:
        parts = [f"{sum(t.kept for t in self.tables):,} nodes"]
        if self.merged:
            parts.append(f"{self.merged:,} merged")
        if self.skipped or not self.balanced:
            parts.append(f"{self.skipped:,} skipped")
        state = "Count in = count out" if self.balanced else "COUNT IN IS NOT COUNT OUT"
        line = f"{state}: {self.read:,} rows in = {' + '.join(parts)}"
        return line + (f"; {self.made:,} more nodes made by the reader" if self.made else "")


class GraphRefusedError(ImportRefusedError):
    """An import that failed its checks; ``report`` holds everything that was found."""

    def __init__(self, report: ImportReport) -> None:
        first = next((g.examples[0] for g in report.problems if g.severity == "error"), None)
        super().__init__(
            f"Import refused with {_many(report.errors, 'error')}, nothing was stored. First: {first}",
            code="import_refused",
            errors=report.errors,
            first=str(first),
        )
        self.report = report


class ImportLog:
    """Collects problems and row counts while files are read, and says how far the reading is."""

    def __init__(self, on_read: Callable[[int], None] | None = None) -> None:
        self._on_read = on_read
        self._counts: Counter[tuple[Severity, str]] = Counter()
        self._kept: dict[tuple[Severity, str], list[Problem]] = {}
        self.read: Counter[str] = Counter()
        self.merged: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.blank_lines = 0
        self.errors = 0

    def reached(self, rows: int) -> None:
        """Say how many rows have been read, for readers that read all of them before the first is checked."""
        if self._on_read is not None and rows % ROWS_BETWEEN_CALLS == 0:
            self._on_read(rows)

    def error(self, kind: str, where: object, message: str) -> None:
        """Record an error; the import will be refused."""
        self.errors += 1
        self._add("error", kind, where, message)

    def warn(self, kind: str, where: object, message: str) -> None:
        """Record a warning; the import goes on."""
        self._add("warning", kind, where, message)

    def skip(self, kind: str, where: object, message: str) -> None:
        """Record a row that was left out, with the reason; its count is the caller's (see :meth:`skip_row`)."""
        self._add("skipped", kind, where, message)

    def skip_row(self, kind: str, place: Place, message: str) -> None:
        """Record and count a row that was read and is left out; the import goes on."""
        self.skip(kind, place, message)
        self.lost_row(place.file)

    def lost_row(self, file: str) -> None:
        """Count a row that was read and can become no node."""
        self.read[file] += 1
        self.skipped[file] += 1

    def groups(self) -> tuple[ProblemGroup, ...]:
        """Return the problems by kind: errors, rows left out, warnings; kinds in the order of their appearance."""
        keys = sorted(self._counts, key=lambda key: _ORDER.index(key[0]))
        return tuple(ProblemGroup(*key, self._counts[key], tuple(self._kept[key])) for key in keys)

    def _add(self, severity: Severity, kind: str, where: object, message: str) -> None:
        key = (severity, kind)
        self._counts[key] += 1
        kept = self._kept.setdefault(key, [])
        if len(kept) < KEPT_PER_KIND:
            kept.append(Problem(severity, kind, str(where), message))


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def quoted(value: object) -> str:
    """Return a value from outside for a message: quoted, escaped, cut to a readable length."""
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return repr(value)
    return repr(value) if len(value) <= QUOTE_LENGTH else repr(value[:QUOTE_LENGTH]) + "…"
