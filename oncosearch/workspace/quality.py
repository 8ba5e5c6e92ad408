"""The quality of a snapshot: what is odd, where it is, and which nodes may be one and the same.

One pass over the stored nodes, page by page; what is kept of each is a number or a short text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from oncosearch.embed import beyond_limit, model_facts
from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.graph.graph import Indices
from oncosearch.graph.quality import Structure, Titles, pair_count, structure, title_pairs
from oncosearch.index.names import fold_name
from oncosearch.index.pairs import ClosePairs, close_pairs, pair_scores
from oncosearch.model import ArtefactMismatchError, ModelUnavailableError, Node, Snapshot, SnapshotKey, Source
from oncosearch.model.vocabulary import LANGUAGE_KEYS, source_kind
from oncosearch.text import FORMAT_ID
from oncosearch.workspace.requests import Progress
from oncosearch.workspace.workspace import Workspace

PAIR_CHECKS = ("same_title", "near")
NODE_CHECKS = (
    "orphan", "dangling", "no_source", "source_form", "title_missing", "too_long", "hub", "old_evidence",
)  # fmt: skip
CHECKS = (*PAIR_CHECKS, *NODE_CHECKS)

# A node is old whose newest dated source is at least so many years older than the snapshot.
OLD_YEARS = 10
NEAR = 0.98
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

    ``lists`` has a :class:`NodeList` for each of ``NODE_CHECKS`` that could be made; ``same_title`` the first pairs of
    nodes with a title in common. ``years`` are (year, sources); ``undated`` counts the sources without a year.
    ``not_checked`` are (check, reason).
    """

    snapshot: Snapshot
    model: str | None
    structure: Structure
    lists: dict[str, NodeList]
    same_title: ClosePairs
    years: tuple[tuple[int, int], ...]
    undated: int
    not_checked: tuple[tuple[str, str], ...] = ()

    def count(self, check: str) -> int | None:
        """Return how many rows a check has; None where it was not made."""
        if check == "same_title":
            return self.same_title.total
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
    reading = _Reading(graph, snapshot)
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
    pairs = _same_titles(graph)
    not_checked: list[tuple[str, str]] = []
    try:
        if model is None:
            raise ModelUnavailableError("No model was asked for.")
        index, hashes = workspace.vectors(key, model)
        long = beyond_limit(workspace.settings.home, key.graph_id, model_facts(model), FORMAT_ID, hashes)
        lists["too_long"] = NodeList(np.flatnonzero(long).astype(np.int32))
        pairs = ClosePairs(pairs.first, pairs.second, pair_scores(index, pairs.first, pairs.second), pairs.total)
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

    The search is exact. It takes seconds for some thousand nodes and minutes for 200,000.

    Raises
    ------
    ArtefactMismatchError
        If the snapshot has no vectors of the model.
    """
    titles = Titles(workspace.graph(key), fold_name)
    index, _ = workspace.vectors(key, model)
    return close_pairs(
        index, least, PAIRS_KEPT, titles.same, None if progress is None else lambda done, n: progress("near", done, n)
    )


def findings(report: QualityReport, check: str, near: ClosePairs | None = None) -> Iterator[Finding]:
    """Return an iterator over the rows of one check, in their order; nothing for a check that was not made."""
    if check in PAIR_CHECKS:
        pairs = report.same_title if check == "same_title" else near
        if pairs is not None:
            for first, second, score in zip(pairs.first, pairs.second, pairs.scores, strict=True):
                yield Finding(check, int(first), "", int(second), None if np.isnan(score) else float(score))
    elif check in report.lists:
        found = report.lists[check]
        details = found.details or ("",) * len(found)
        for node, detail in zip(found.nodes.tolist(), details, strict=True):
            yield Finding(check, node, detail)


def report_to_dict(
    graph: Graph, report: QualityReport, near: ClosePairs | None = None, language: str = "de", shown: int = 1000
) -> dict[str, Any]:
    """Return the report as JSON values, with at most ``shown`` rows of each check."""
    made = {check: near.total if near else None for check in ("near",)}
    counts = {check: made[check] if check in made else report.count(check) for check in CHECKS}
    return {
        "snapshot": str(report.snapshot.key),
        "content_hash": report.snapshot.content_hash,
        "model": report.model,
        "nodes": report.snapshot.node_count,
        "counts": counts,
        "not_checked": dict(report.not_checked),
        "depths": report.structure.depths.tolist(),
        "degrees": [{"least": a, "most": b, "nodes": n} for a, b, n in report.structure.degrees],
        "years": {str(year): count for year, count in report.years},
        "sources_without_year": report.undated,
        "findings": {
            check: [_row(graph, f, language) for f in islice(findings(report, check, near), shown)] for check in CHECKS
        },
    }


def _row(graph: Graph, finding: Finding, language: str) -> dict[str, Any]:
    row: dict[str, Any] = {"id": graph.ids[finding.node], "title": graph.title(finding.node, language)}
    if finding.detail:
        row["detail"] = finding.detail
    if finding.other is not None:
        row["other"] = {"id": graph.ids[finding.other], "title": graph.title(finding.other, language)}
        row["similarity"] = finding.score
    return row


def source_id_fits(source: Source) -> bool:
    """Return whether an id has the form of its register; where there is none, whether a given address can be used."""
    kind = source_kind(source.kind)
    if kind is None:
        return False
    if kind.id_form is not None:
        return re.fullmatch(kind.id_form, source.id) is not None
    return bool(source.id.strip()) and (source.url is None or source_address(source) is not None)


class _Reading:
    """What one pass over the nodes keeps."""

    def __init__(self, graph: Graph, snapshot: Snapshot) -> None:
        self._graph = graph
        self._newest_old = int(snapshot.created[:4]) - OLD_YEARS if snapshot.created[:4].isdigit() else None
        self._found: dict[str, list[tuple[int, str]]] = {"dangling": [], "source_form": [], "old_evidence": []}
        self.years: Counter[int] = Counter()
        self.undated = 0

    def add(self, node: Node) -> None:
        i = self._graph.index(node.id)
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


def _same_titles(graph: Graph) -> ClosePairs:
    groups = Titles(graph, fold_name).groups()
    kept = np.array(list(islice(title_pairs(groups), PAIRS_KEPT)), np.int64).reshape(-1, 2)
    unknown = np.full(len(kept), np.nan)
    return ClosePairs(kept[:, 0], kept[:, 1], unknown, pair_count(groups, PAIRS_COUNTED))
