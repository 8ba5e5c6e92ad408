"""Assembly: raw rows of any format, checked, as a snapshot with its nodes; or the refusal with everything found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain
from typing import Any

from oncosearch.ingest.checks import NodeChecker
from oncosearch.ingest.mend import LenientChecker, drop_dangling, without_self
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph
from oncosearch.ingest.report import ROWS_BETWEEN_CALLS, GraphRefusedError, ImportLog, ImportReport, TableCount, quoted
from oncosearch.ingest.structure import check_structure, cut_cycles
from oncosearch.model import Link, LocalText, Node, Snapshot, content_hash, node_hash
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS


@dataclass(frozen=True, slots=True)
class Assembled:
    """A graph that passed its checks. ``nodes`` keep the order of the files."""

    snapshot: Snapshot
    nodes: tuple[Node, ...]
    report: ImportReport


def assemble(
    raw: RawGraph,
    log: ImportLog,
    *,
    format: str,
    language: str = "de",
    break_cycles: bool = False,
    on_read: Callable[[int], None] | None = None,
) -> Assembled:
    """Return the graph of the raw rows.

    With ``break_cycles`` the edges that close a cycle are taken out and listed, instead of an error. ``on_read`` is
    called now and then with the number of rows met so far.

    Raises
    ------
    GraphRefusedError
        If any error was recorded by the reader or by the checks; its ``report`` holds all of them.
    """
    header = raw.header
    checker = (LenientChecker if raw.lenient else NodeChecker)(
        log, header.languages if header else LANGUAGE_KEYS, language
    )
    nodes: list[Node] = []
    faulty: list[Node] = []
    places: dict[str, Place] = {}
    kept: Counter[str] = Counter()
    made = 0
    for number, row in enumerate(raw.rows, 1):
        if on_read is not None and number % ROWS_BETWEEN_CALLS == 0:
            on_read(number)
        if raw.lenient or break_cycles:
            row = without_self(row, log)
        node = checker.check(row)
        node_id = row.data.get("id") if isinstance(row.data, dict) else None
        first = row.place
        if isinstance(node_id, str) and (node is not None or not raw.lenient):
            first = places.setdefault(node_id, row.place)
        if first is not row.place:
            record = log.skip if raw.lenient else log.error
            record("duplicate_id", row.place, f"id {quoted(node_id)} stands already in {first}; ids must differ.")
            node = None
        elif node is None and isinstance(node_id, str):
            faulty.append(_relations(node_id, row.data))
        if node is not None:
            nodes.append(node)
        if row.made:
            made += node is not None
        else:
            (log.skipped if node is None else kept)[row.place.file] += 1
    if raw.lenient:
        nodes, faulty = drop_dangling(nodes, places, log), []
        places = {node.id: places[node.id] for node in nodes}
    cut: tuple[tuple[str, str], ...] = ()
    if break_cycles:
        nodes, cut = cut_cycles(nodes, places, log)
    check_structure(chain(nodes, faulty), places, log)
    if not places and log.errors == 0:
        log.error("empty_graph", next(iter(log.read), "nodes"), "there is no node; expected at least one.")
    for name, read in log.read.items():
        if read != kept[name] + log.merged[name] + log.skipped[name]:
            log.error(
                "count_mismatch", name, f"{read:,} rows went in, {kept[name]:,} came out as nodes; please report it."
            )
    digest = content_hash(_hashes(nodes, on_read))
    if header is not None and not header.snapshot_id:
        header = replace(header, snapshot_id=f"content-{digest[:12]}")
    report = _report(header, nodes, kept, made, log, format, cut)
    if header is None or log.errors:
        raise GraphRefusedError(report)
    return Assembled(_snapshot(header, nodes, digest, report), tuple(nodes), report)


def _hashes(nodes: Sequence[Node], on_read: Callable[[int], None] | None) -> dict[str, str]:
    out: dict[str, str] = {}
    for number, node in enumerate(nodes, 1):
        out[node.id] = node_hash(node)
        if on_read is not None and number % ROWS_BETWEEN_CALLS == 0:
            on_read(number)
    return out


def _relations(node_id: str, data: Mapping[str, Any]) -> Node:
    """Return a stand-in for a faulty node, so that a cycle through it or a dangling parent of it is found as well."""
    parents = data.get("parents")
    links = data.get("links")
    return Node(
        node_id,
        "",
        LocalText(),
        parents=tuple(p for p in parents if isinstance(p, str)) if isinstance(parents, list) else (),
        links=tuple(
            Link(link["target"], str(link.get("kind")))
            for link in (links if isinstance(links, list) else ())
            if isinstance(link, dict) and isinstance(link.get("target"), str)
        ),
    )


def _snapshot(header: GraphHeader, nodes: Sequence[Node], digest: str, report: ImportReport) -> Snapshot:
    return Snapshot(
        graph_id=header.graph_id,
        snapshot_id=header.snapshot_id,
        created=datetime.now(UTC).isoformat(timespec="microseconds"),
        content_hash=digest,
        node_count=len(nodes),
        title=header.title,
        languages=header.languages,
        licence=header.licence,
        attribution=header.attribution,
        parent_count=report.parents,
        link_count=report.links,
        source_count=report.sources,
        demo=header.demo,
    )


def _report(
    header: GraphHeader | None,
    nodes: Sequence[Node],
    kept: Counter[str],
    made: int,
    log: ImportLog,
    format: str,
    cut: tuple[tuple[str, str], ...],
) -> ImportReport:
    types = Counter(node.type for node in nodes)
    return ImportReport(
        format=format,
        graph_id=header.graph_id if header else "",
        snapshot_id=header.snapshot_id if header else "",
        tables=tuple(
            TableCount(name, read, kept[name], log.merged[name], log.skipped[name]) for name, read in log.read.items()
        ),
        made=made,
        nodes=len(nodes),
        parents=sum(len(node.parents) for node in nodes),
        links=sum(len(node.links) for node in nodes),
        sources=sum(len(node.sources) for node in nodes),
        roots=sum(not node.parents for node in nodes),
        by_type=tuple((key, types[key]) for key in NODE_TYPE_KEYS if types[key]),
        blank_lines=log.blank_lines,
        problems=log.groups(),
        cut=cut,
    )
