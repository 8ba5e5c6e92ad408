"""What a merge did: which nodes were joined by what, which stayed apart, every conflict and everything left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any

from oncosearch.ingest.matching import Ambiguous
from oncosearch.ingest.report import EXAMPLES_SHOWN, QUOTE_LENGTH, ImportReport


@dataclass(frozen=True, slots=True)
class MergedSource:
    """A graph that went in, and how many of its nodes were joined with a node of an earlier source."""

    name: str
    graph: str
    snapshot: str
    licence: str
    nodes: int
    joined: int


@dataclass(frozen=True, slots=True)
class Joined:
    """A node of ``source`` that became part of the node ``id``: by which kind of code or name, and which of them."""

    id: str
    source: str
    node: str
    by: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TitleGiven:
    """A title taken from the node ``origin`` by a shared code; ``as_synonym`` where the node had a title already."""

    id: str
    language: str
    text: str
    origin: str
    by: str
    keys: tuple[str, ...]
    as_synonym: bool


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources say different things of one node: ``kept`` is that of the earlier source.

    ``part`` is ``title.de``, ``fields.Diagnosis.en``, …; or ``join NCIt``, where a code of a joined node is that of
    another node too.
    """

    id: str
    part: str
    kept: str
    kept_from: str
    left_out: str
    left_out_from: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A relation or title that was not taken over, or an id that was changed, with the reason.

    ``kind`` is ``cycle``, ``renamed`` or ``title_refused``.
    """

    kind: str
    id: str
    other: str
    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A name in the recipe that no source has, so that it does nothing: misspelt, or gone from a newer release."""

    where: str
    name: str


@dataclass(frozen=True, slots=True)
class MergeReport:
    """The whole of it; ``checks`` is the report of the checks that every graph passes before it is stored."""

    checks: ImportReport
    sources: tuple[MergedSource, ...]
    joined: tuple[Joined, ...]
    apart: tuple[tuple[str, Ambiguous], ...]
    titles: tuple[TitleGiven, ...]
    conflicts: tuple[Conflict, ...]
    left_out: tuple[LeftOut, ...]
    unknown: tuple[Unknown, ...] = ()

    @property
    def balanced(self) -> bool:
        """Whether every node that went in is a node or was joined with one."""
        return sum(s.nodes for s in self.sources) == self.checks.nodes + len(self.joined)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "format": "oncosearch-merge-1",
            "graph_id": self.checks.graph_id,
            "snapshot_id": self.checks.snapshot_id,
            "nodes": self.checks.nodes,
            "balanced": self.balanced,
            "sources": [asdict(s) for s in self.sources],
            "joined": [asdict(j) for j in self.joined],
            "apart": [{"source": source, **asdict(a)} for source, a in self.apart],
            "titles": [asdict(t) for t in self.titles],
            "conflicts": [asdict(c) for c in self.conflicts],
            "left_out": [asdict(x) for x in self.left_out],
            "unknown": [asdict(x) for x in self.unknown],
            "checks": self.checks.to_dict(),
        }

    def text(self, examples: int = EXAMPLES_SHOWN) -> str:
        """Return the report for a terminal, with at most ``examples`` lines of a kind."""
        # The checks count languages without a title; the rows they read are ours and say nothing new.
        checks = replace(self.checks, tables=(), problems=()).text(examples).splitlines()
        lines = [checks[0].partition(" (")[0]]
        state = "Count in = count out" if self.balanced else "COUNT IN IS NOT COUNT OUT"
        total = sum(s.nodes for s in self.sources)
        lines.append(f"{state}: {total:,} nodes in = {self.checks.nodes:,} nodes + {len(self.joined):,} joined")
        lines += [
            f"  {s.name} ({s.graph}@{s.snapshot}, {s.licence or 'no licence named'}): "
            f"{s.nodes:,} nodes, {s.joined:,} joined with an earlier source"
            for s in self.sources
        ]
        lines += checks[2:]
        lines += self._joined(examples)
        lines += _listing(
            f"stayed apart: {len(self.apart):,}",
            [
                f"{a.by} {_cut(', '.join(a.keys))} ({source}): {', '.join(a.left)} | {', '.join(a.right)}"
                for source, a in self.apart
            ],
            examples,
        )
        new = [t for t in self.titles if not t.as_synonym]
        lines += _listing(
            f"titles by code: {len(new):,}, and {len(self.titles) - len(new):,} names as synonyms",
            [f"{t.id}: {_cut(t.text)} ({t.language}, {t.by} {', '.join(t.keys)})" for t in new],
            examples,
        )
        lines += _listing(
            f"conflicts: {len(self.conflicts):,}",
            [
                f"{c.id} {c.part}: kept {_cut(c.kept)!r} ({c.kept_from}), not {_cut(c.left_out)!r} ({c.left_out_from})"
                for c in self.conflicts
            ],
            examples,
        )
        for kind, count in Counter(x.kind for x in self.left_out).items():
            found = [f"{x.id} → {x.other} ({x.source}): {x.why}" for x in self.left_out if x.kind == kind]
            lines += _listing(f"left out, {kind}: {count:,}", found, examples)
        if self.unknown:
            # All of them: the list is as short as the recipe.
            lines.append(f"warning: the recipe names {len(self.unknown):,} ids or codes that no source has")
            lines += [f"  {x.where}: {_cut(x.name)}" for x in self.unknown]
        for group in self.checks.problems:
            lines.append(f"{group.severity} {group.kind}: {group.count:,}")
        return "\n".join(lines)

    def _joined(self, examples: int) -> list[str]:
        lines = []
        for by, count in Counter(j.by for j in self.joined).items():
            found = [f"{j.id} + {j.node} ({_cut(', '.join(j.keys))})" for j in self.joined if j.by == by]
            lines += _listing(f"joined by {by}: {count:,}", found, examples)
        return lines


def _listing(title: str, found: list[str], examples: int) -> list[str]:
    more = [f"  … and {len(found) - examples:,} more"] if len(found) > examples else []
    return [title, *(f"  {line}" for line in found[:examples]), *more]


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= QUOTE_LENGTH else f"{text[: QUOTE_LENGTH - 1]}…"
