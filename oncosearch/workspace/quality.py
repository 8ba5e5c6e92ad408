"""The quality of a snapshot: what is odd, where it is, and which nodes may be one and the same.

One pass over the stored nodes, page by page; what is kept of each is a number or a short text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from oncosearch.embed import beyond_limit, model_facts
from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.graph.graph import Indices
from oncosearch.graph.quality import Structure, Titles, structure, title_pairs
from oncosearch.index.names import fold_name
from oncosearch.index.pairs import ClosePairs, close_pairs, pair_scores
from oncosearch.model import ArtefactMismatchError, ModelUnavailableError, Node, Snapshot, SnapshotKey, Source
from oncosearch.model.vocabulary import LANGUAGE_KEYS, source_kind
from oncosearch.text import FORMAT_ID
from oncosearch.workspace.requests import Progress
from oncosearch.workspace.workspace import Workspace

PAIR_CHECKS = ("same_title", "other_source", "near")
TITLE_CHECKS = ("same_title", "other_source")
NODE_CHECKS = (
    "orphan", "dangling", "no_source", "source_form", "title_missing", "too_long", "hub", "old_evidence",
)  # fmt: skip
CHECKS = (*PAIR_CHECKS, *NODE_CHECKS)

# A node is old whose newest dated source is at least so many years older than the snapshot.
OLD_YEARS = 10
NEAR = 0.98
NEAR_RANGE = (0.9, 1.0)
# Two equal vectors in float32 may have a product a little below 1.
_ROUNDING = 1e-6
PAIRS_KEPT, PAIRS_COUNTED = 20_000, 1_000_000
_STEP = 1000


@dataclass(frozen=True, slots=True)
class NodeList:
    """What one check found: node indices, and a word on each (a language, a number, a source id); may be empty."""

    nodes: Indices
    details: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.nodes)


@dataclass(frozen=True, slots=True)
class QualityReport:
    """What the checks found in one snapshot.

    ``lists`` has a :class:`NodeList` for each of ``NODE_CHECKS`` that could be made; ``pairs`` for each of
    ``TITLE_CHECKS`` the first pairs of nodes with a title in common: those of evidence from different sources apart.
    ``years`` are (year, sources); ``undated`` counts the sources without a year. ``not_checked`` are (check, reason).
    """

    snapshot: Snapshot
    model: str | None
    structure: Structure
    lists: dict[str, NodeList]
    pairs: dict[str, ClosePairs]
    years: tuple[tuple[int, int], ...]
    undated: int
    not_checked: tuple[tuple[str, str], ...] = ()

    def count(self, check: str) -> int | None:
        """Return how many rows a check has; None where it was not made."""
        if check in self.pairs:
            return self.pairs[check].total
        found = self.lists.get(check)
        return None if found is None else len(found)


@dataclass(frozen=True, slots=True)
class Finding:
    """One row: a node, or a pair of nodes, with what is said of it; ``score`` is a pair's cosine where known."""

    check: str
    node: int
    detail: str = ""
    other: int | None = None
    score: float | None = None


def check_graph(
    workspace: Workspace, key: SnapshotKey, model: str | None, progress: Progress | None = None
) -> QualityReport:
    """Return the report of a prepared snapshot. Near duplicates are found by :func:`near_pairs`, on demand.

    Parameters
    ----------
    model
        Its vectors say which texts were cut and how alike two nodes of one title are; without them this is left out.

    Raises
    ------
    ArtefactMismatchError
        If the snapshot is not prepared (``unprepared``).
    """
    graph, snapshot = workspace.graph(key), workspace.store.snapshot(key)
    groups = Titles(graph, fold_name).groups()
    reading = _Reading(graph, snapshot, {i for group in groups for i in group if graph.type_of(i) == "evidence"})
    for done, node in enumerate(workspace.store.iter_nodes(key), 1):
        reading.add(node)
        if progress and (done % _STEP == 0 or done == snapshot.node_count):
            progress("check", done, snapshot.node_count)
    shape = structure(graph)
    lists = {
        "orphan": NodeList(shape.orphans),
        "no_source": NodeList(np.flatnonzero(graph.source_mask == 0).astype(np.int32)),
        "title_missing": _titles_missing(graph, snapshot),
        "hub": NodeList(shape.hubs, tuple(map(str, shape.hub_degrees.tolist()))),
        **reading.lists(),
    }
    pairs = _title_pairs(groups, reading.cited)
    not_checked: list[tuple[str, str]] = []
    try:
        if model is None:
            raise ModelUnavailableError("No model was asked for.")
        index, hashes = workspace.vectors(key, model)
        long = beyond_limit(workspace.settings.home, key.graph_id, model_facts(model), FORMAT_ID, hashes)
        lists["too_long"] = NodeList(np.flatnonzero(long).astype(np.int32))
        pairs = {
            check: replace(found, scores=pair_scores(index, found.first, found.second))
            for check, found in pairs.items()
        }
    except (ArtefactMismatchError, ModelUnavailableError) as error:
        model = None
        not_checked = [(check, str(error)) for check in ("near", "too_long")]
    return QualityReport(
        snapshot, model, shape, lists, pairs, tuple(sorted(reading.years.items())), reading.undated, tuple(not_checked)
    )


def near_pairs(
    workspace: Workspace, key: SnapshotKey, model: str, least: float = NEAR, progress: Progress | None = None
) -> ClosePairs:
    """Return the pairs of nodes with different titles whose vectors have a cosine of at least ``least``.

    The search is exact. It takes seconds for some thousand nodes and minutes for 200,000, longer the lower ``least``.

    Raises
    ------
    ArtefactMismatchError
        If the snapshot has no vectors of the model.
    """
    titles = Titles(workspace.graph(key), fold_name)
    index, _ = workspace.vectors(key, model)
    return close_pairs(
        index,
        min(least, 1 - _ROUNDING),
        PAIRS_KEPT,
        titles.same,
        None if progress is None else lambda done, n: progress("near", done, n),
    )


def findings(report: QualityReport, check: str, near: ClosePairs | None = None) -> Iterator[Finding]:
    """Return an iterator over the rows of one check, in their order; nothing for a check that was not made."""
    if check in PAIR_CHECKS:
        pairs = near if check == "near" else report.pairs[check]
        if pairs is not None:
            for first, second, score in zip(pairs.first, pairs.second, pairs.scores, strict=True):
                yield Finding(check, int(first), "", int(second), None if np.isnan(score) else float(score))
    elif check in report.lists:
        found = report.lists[check]
        details = found.details or ("",) * len(found)
        for node, detail in zip(found.nodes.tolist(), details, strict=True):
            yield Finding(check, node, detail)


def counted(report: QualityReport, check: str, near: ClosePairs | None = None) -> int | None:
    """Return how many rows a check has, of which the first are listed; None where it was not made."""
    if check == "near":
        return None if near is None else near.total
    return report.count(check)


def of_types(graph: Graph, found: Iterable[Finding], types: Collection[str]) -> Iterator[Finding]:
    """Return an iterator over the rows with a node of one of ``types``, over all where there are none."""
    return (f for f in found if not types or _types(graph, f) & set(types))


def type_counts(graph: Graph, found: Iterable[Finding]) -> dict[str, int]:
    """Return how many rows have a node of each type, most first; a pair of two types counts for both."""
    counts = Counter(key for f in found for key in _types(graph, f))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _types(graph: Graph, finding: Finding) -> set[str]:
    return {graph.type_of(i) for i in (finding.node, finding.other) if i is not None}


def report_to_dict(
    graph: Graph,
    report: QualityReport,
    near: ClosePairs | None = None,
    language: str = "de",
    shown: int = 1000,
    types: Collection[str] = (),
) -> dict[str, Any]:
    """Return the report as JSON values, with at most ``shown`` rows of each check: those of ``types``, or all.

    ``counts`` are of all types; where ``types`` are named, ``counts_of_types`` are of the listed rows of these.
    """
    rows = {check: list(of_types(graph, findings(report, check, near), types)) for check in CHECKS}
    counts = {check: counted(report, check, near) for check in CHECKS}
    chosen = {"types": list(types), "counts_of_types": {c: None if counts[c] is None else len(rows[c]) for c in CHECKS}}
    return {
        "snapshot": str(report.snapshot.key),
        "content_hash": report.snapshot.content_hash,
        "model": report.model,
        "nodes": report.snapshot.node_count,
        "counts": counts,
        **(chosen if types else {}),
        "not_checked": dict(report.not_checked),
        "depths": report.structure.depths.tolist(),
        "degrees": [{"least": a, "most": b, "nodes": n} for a, b, n in report.structure.degrees],
        "years": {str(year): count for year, count in report.years},
        "sources_without_year": report.undated,
        "findings": {check: [_row(graph, f, language) for f in found[:shown]] for check, found in rows.items()},
    }


def _row(graph: Graph, finding: Finding, language: str) -> dict[str, Any]:
    row: dict[str, Any] = _named(graph, finding.node, language)
    if finding.detail:
        row["detail"] = finding.detail
    if finding.other is not None:
        row["other"] = _named(graph, finding.other, language)
        row["similarity"] = finding.score
    return row


def _named(graph: Graph, i: int, language: str) -> dict[str, Any]:
    return {
        "id": graph.ids[i],
        "title": graph.title(i, language),
        "title_language": graph.title_language(i, language),
        "type": graph.type_of(i),
    }


def source_id_fits(source: Source) -> bool:
    """Return whether an id has the form of its register; where there is none, whether a given address can be used."""
    kind = source_kind(source.kind)
    if kind is None:
        return False
    if kind.id_form is not None:
        return re.fullmatch(kind.id_form, source.id) is not None
    return bool(source.id.strip()) and (source.url is None or source_address(source) is not None)


class _Reading:
    """What one pass over the nodes keeps; ``cited`` are the sources of the nodes of ``compared``."""

    def __init__(self, graph: Graph, snapshot: Snapshot, compared: Collection[int] = ()) -> None:
        self._graph = graph
        self._compared = compared
        self.cited: dict[int, frozenset[tuple[str, str]]] = {}
        self._newest_old = int(snapshot.created[:4]) - OLD_YEARS if snapshot.created[:4].isdigit() else None
        self._found: dict[str, list[tuple[int, str]]] = {"dangling": [], "source_form": [], "old_evidence": []}
        self.years: Counter[int] = Counter()
        self.undated = 0

    def add(self, node: Node) -> None:
        i = self._graph.index(node.id)
        if i in self._compared:
            self.cited[i] = frozenset((source.kind, source.id) for source in node.sources)
        for target in (*node.parents, *(link.target for link in node.links)):
            if self._graph.ids.find(target) is None:
                self._found["dangling"].append((i, target))
        for source in node.sources:
            if not source_id_fits(source):
                self._found["source_form"].append((i, f"{source.kind} {source.id}"))
        years = [source.year for source in node.sources if source.year is not None]
        self.years.update(years)
        self.undated += len(node.sources) - len(years)
        if years and self._newest_old is not None and max(years) <= self._newest_old:
            self._found["old_evidence"].append((i, str(max(years))))

    def lists(self) -> dict[str, NodeList]:
        rows = self._found
        rows["old_evidence"].sort(key=lambda row: (row[1], row[0]))
        return {
            check: NodeList(np.array([i for i, _ in found], np.int32), tuple(detail for _, detail in found))
            for check, found in rows.items()
        }


def _titles_missing(graph: Graph, snapshot: Snapshot) -> NodeList:
    nodes, details = [np.empty(0, np.int32)], []
    for place, language in enumerate(LANGUAGE_KEYS):
        if language in snapshot.languages:
            missing = np.flatnonzero((graph.language_mask >> place) & 1 == 0).astype(np.int32)
            nodes.append(missing)
            details += [language] * len(missing)
    return NodeList(np.concatenate(nodes), tuple(details))


def _title_pairs(
    groups: tuple[tuple[int, ...], ...], cited: Mapping[int, frozenset[tuple[str, str]]]
) -> dict[str, ClosePairs]:
    """Return the pairs with a title in common; ``cited`` has the sources of evidence."""
    kept: dict[str, list[tuple[int, int]]] = {check: [] for check in TITLE_CHECKS}
    totals: Counter[str] = Counter()
    nothing: frozenset[tuple[str, str]] = frozenset()
    for one, other in islice(title_pairs(groups), PAIRS_COUNTED):
        mine, theirs = cited.get(one, nothing), cited.get(other, nothing)
        check = "other_source" if mine and theirs and mine.isdisjoint(theirs) else "same_title"
        totals[check] += 1
        if totals[check] <= PAIRS_KEPT:
            kept[check].append((one, other))
    out = {}
    for check, rows in kept.items():
        pairs = np.array(rows, np.int64).reshape(-1, 2)
        out[check] = ClosePairs(pairs[:, 0], pairs[:, 1], np.full(len(pairs), np.nan), totals[check])
    return out
