"""Command on the quality of a graph: check."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.terminal import chosen_snapshot, plain, print_json, progress_bars, workspace_of
from oncosearch.graph import Graph
from oncosearch.index.pairs import ClosePairs
from oncosearch.model import UsageError
from oncosearch.model.vocabulary import LANGUAGE_KEYS
from oncosearch.workspace import DEFAULT_MODEL
from oncosearch.workspace.quality import CHECKS, NEAR, Finding, check_graph, findings, near_pairs, report_to_dict
from oncosearch.workspace.quality_export import QUALITY_COLUMNS, finding_rows
from oncosearch.workspace.spreadsheet import csv_bytes

if TYPE_CHECKING:
    from oncosearch.workspace.quality import QualityReport

_SHOWN = 3
_NAMES = {
    "same_title": "pairs with the same title",
    "near": "pairs with similar text",
    "orphan": "nodes without any connection",
    "dangling": "parents or links that lead nowhere",
    "no_source": "nodes without a source",
    "source_form": "source ids of wrong form",
    "title_missing": "titles missing in a language",
    "too_long": "texts cut by the model",
    "hub": "hubs",
    "old_evidence": "nodes with old evidence only",
}


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    check = add("check", "Check a stored graph: duplicates, gaps, sources, structure.", check_quality)
    add_snapshot_options(check)
    check.add_argument(
        "--model", metavar="KEY", default=DEFAULT_MODEL, help="whose vectors are compared (default: %(default)s)"
    )
    check.add_argument("--without-model", action="store_true", help="leave out what needs vectors")
    check.add_argument(
        "--similarity",
        type=float,
        default=NEAR,
        metavar="X",
        help="least cosine of a pair, 0.9 to 1 (default: %(default)s)",
    )
    check.add_argument("--language", choices=LANGUAGE_KEYS, default="de", help="language of titles")
    check.add_argument("--csv", type=Path, metavar="FILE", help="write every finding as CSV")
    check.add_argument("--json", action="store_true", help="print one JSON document")


def check_quality(arguments: argparse.Namespace) -> int:
    """Report what the checks of a snapshot found."""
    if not 0.9 <= arguments.similarity <= 1:
        raise UsageError(f"--similarity is {arguments.similarity}; it must lie between 0.9 and 1.")
    with workspace_of(arguments) as workspace:
        key = chosen_snapshot(workspace, arguments, vectors=False).key
        near: ClosePairs | None = None
        with progress_bars() as progress:
            report = check_graph(workspace, key, None if arguments.without_model else arguments.model, progress)
            if report.model is not None:
                near = near_pairs(workspace, key, report.model, arguments.similarity, progress)
        graph = workspace.graph(key)
        _, decided = workspace.curation.state(key.graph_id)
        if arguments.csv is not None:
            found = (finding for check in CHECKS for finding in findings(report, check, near))
            rows = finding_rows(graph, found, decided, arguments.language)
            arguments.csv.write_bytes(csv_bytes(QUALITY_COLUMNS, rows, arguments.language))
    if arguments.json:
        print_json(report_to_dict(graph, report, near, arguments.language))
    else:
        print("\n".join(_lines(graph, report, near, arguments)))
    return 0


def _lines(
    graph: Graph, report: QualityReport, near: ClosePairs | None, arguments: argparse.Namespace
) -> Iterator[str]:
    yield f"{report.snapshot.key}: {report.snapshot.node_count:,} nodes, model {report.model or 'none'}"
    reasons = dict(report.not_checked)
    for check in CHECKS:
        count = (near.total if near else None) if check == "near" else report.count(check)
        if count is None:
            yield f"{'–':>9}  {_NAMES[check]}: not checked ({plain(reasons[check])})"
            continue
        yield f"{count:>9,}  {_NAMES[check]}"
        for finding in islice(findings(report, check, near), _SHOWN):
            yield f"{'':11}   {_finding_text(graph, finding, arguments.language)}"
    yield "depth: " + " · ".join(f"{depth}: {count:,}" for depth, count in enumerate(report.structure.depths.tolist()))
    yield "neighbours: " + " · ".join(
        f"{low if low == high else f'{low}–{high}'}: {count:,}" for low, high, count in report.structure.degrees
    )
    if report.years:
        yield f"sources dated {report.years[0][0]} to {report.years[-1][0]}; {report.undated:,} without a year"
    if arguments.csv is not None:
        yield f"All findings are in {arguments.csv}."


def _finding_text(graph: Graph, finding: Finding, language: str) -> str:
    first = f"{graph.ids[finding.node]} {graph.title(finding.node, language)}"
    if finding.other is not None:
        score = "" if finding.score is None else f"  ({finding.score:.3f})"
        return plain(f"{first}  =  {graph.ids[finding.other]} {graph.title(finding.other, language)}") + score
    return plain(f"{first}  {finding.detail}")
