"""Command on the quality of a graph: check."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.terminal import chosen_snapshot, plain, print_json, progress_bars, short, workspace_of
from oncosearch.graph import Graph
from oncosearch.index.pairs import ClosePairs
from oncosearch.model import UsageError
from oncosearch.model.spreadsheet import csv_bytes
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS
from oncosearch.workspace import DEFAULT_MODEL
from oncosearch.workspace.quality import (
    CHECKS,
    NEAR,
    NEAR_RANGE,
    Finding,
    check_graph,
    counted,
    findings,
    near_pairs,
    of_types,
    report_to_dict,
)
from oncosearch.workspace.quality_export import QUALITY_COLUMNS, finding_rows
from oncosearch.workspace.titles import with_language

if TYPE_CHECKING:
    from oncosearch.workspace.quality import QualityReport

_SHOWN = 3
_NAMES = {
    "same_title": "pairs with the same title",
    "other_source": "pairs of evidence with the same title and no source in common",
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
    check.add_argument(
        "--type",
        action="append",
        default=[],
        choices=NODE_TYPE_KEYS,
        metavar="TYPE",
        help="only rows with a node of this type; may be given several times",
    )
    check.add_argument("--language", choices=LANGUAGE_KEYS, default="de", help="language of titles")
    check.add_argument("--csv", type=Path, metavar="FILE", help="write every finding as CSV")
    check.add_argument("--json", action="store_true", help="print one JSON document")


def check_quality(arguments: argparse.Namespace) -> int:
    """Report what the checks of a snapshot found."""
    if not NEAR_RANGE[0] <= arguments.similarity <= NEAR_RANGE[1]:
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
            found = of_types(graph, (f for c in CHECKS for f in findings(report, c, near)), arguments.type)
            rows = finding_rows(graph, found, decided, arguments.language)
            arguments.csv.write_bytes(csv_bytes(QUALITY_COLUMNS, rows, arguments.language))
    if arguments.json:
        print_json(report_to_dict(graph, report, near, arguments.language, types=arguments.type))
    else:
        print("\n".join(_lines(graph, report, near, arguments)))
    return 0


def _lines(
    graph: Graph, report: QualityReport, near: ClosePairs | None, arguments: argparse.Namespace
) -> Iterator[str]:
    yield f"{report.snapshot.key}: {report.snapshot.node_count:,} nodes, model {report.model or 'none'}"
    reasons = dict(report.not_checked)
    types, replaced = arguments.type, False
    if types:
        yield f"only rows with a node of type {', '.join(types)}, of those that are listed"
    for check in CHECKS:
        count = counted(report, check, near)
        if count is None:
            yield f"{'–':>9}  {_NAMES[check]}: not checked ({plain(reasons[check])})"
            continue
        rows = list(of_types(graph, findings(report, check, near), types))
        of_all = f" (of {count:,})" if types else ""
        yield f"{len(rows) if types else count:>9,}  {_NAMES[check]}{of_all}"
        for finding in rows[:_SHOWN]:
            said = _finding_text(graph, finding, arguments.language)
            replaced = replaced or "\N{REPLACEMENT CHARACTER}" in said
            yield f"{'':11}   {said}"
    yield "depth: " + " · ".join(f"{depth}: {count:,}" for depth, count in enumerate(report.structure.depths.tolist()))
    yield "neighbours: " + " · ".join(
        f"{low if low == high else f'{low}–{high}'}: {count:,}" for low, high, count in report.structure.degrees
    )
    if report.years:
        yield f"sources dated {report.years[0][0]} to {report.years[-1][0]}; {report.undated:,} without a year"
    if replaced:
        yield "Control and direction characters are shown as \N{REPLACEMENT CHARACTER} here; CSV and JSON keep them."
    if arguments.csv is not None:
        yield f"{'These' if types else 'All'} findings are in {plain(str(arguments.csv))}."


def _finding_text(graph: Graph, finding: Finding, language: str) -> str:
    first = _node_text(graph, finding.node, language)
    if finding.other is not None:
        score = "" if finding.score is None else f"  ({finding.score:.3f})"
        return f"{first}  =  {_node_text(graph, finding.other, language)}{score}"
    return f"{first}  {short(finding.detail)}".rstrip()


def _node_text(graph: Graph, i: int, language: str) -> str:
    mark = with_language("", graph.title_language(i, language), language)
    return f"{short(graph.ids[i])} {short(graph.title(i, language))}{mark}"
