"""Command on runs and qrels: evaluate."""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import plain, typed, write_json
from oncosearch.model import Run, UsageError
from oncosearch.model.vocabulary import LANGUAGE_KEYS

if TYPE_CHECKING:
    from oncosearch.evaluate import Outcome, Table
    from oncosearch.evaluate.exchange import ReadReport

_REMARKS_SHOWN = 5


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    evaluate = add("evaluate", "Measure runs by judgements and compare them.", evaluate_runs)
    evaluate.add_argument(
        "--qrels", type=Path, required=True, metavar="Q", help="judgements in the TREC form; its flags file is read too"
    )
    evaluate.add_argument(
        "--run", dest="runs", type=Path, action="append", required=True, metavar="RUN.trec",
        help="a run in the TREC form; may be given several times",
    )  # fmt: skip
    evaluate.add_argument(
        "--measures", type=typed, metavar="LIST", help='such as "nDCG@10 P@5 MRR" (default: all of the paper)'
    )
    evaluate.add_argument(
        "--trec-eval", action="store_true", help="ties and gain as trec_eval has them, and grades from -100 to 30"
    )
    evaluate.add_argument("--json", type=Path, metavar="FILE", help="write everything, with the values per topic")
    evaluate.add_argument("--csv", type=Path, metavar="FOLDER", help="write each table and the values per topic as CSV")
    evaluate.add_argument("--latex", type=Path, metavar="FILE", help="write the tables as LaTeX")
    evaluate.add_argument(
        "--language", choices=LANGUAGE_KEYS, default="de",
        help="of numbers in CSV and LaTeX: German has decimal commas and semicolons (default: %(default)s)",
    )  # fmt: skip


def evaluate_runs(arguments: argparse.Namespace) -> int:
    """Measure runs, compare each pair, and print the tables."""
    # NumPy and SciPy load here, not with every other command.
    from oncosearch.evaluate import DEFAULT_MEASURES, RULES, TREC_RULES, outcome_of, parse_measures
    from oncosearch.evaluate.exchange import read_duplicates, read_qrels

    _check_targets(arguments)
    shown = DEFAULT_MEASURES if arguments.measures is None else parse_measures(arguments.measures)
    qrels, report = read_qrels(arguments.qrels, scale=None) if arguments.trec_eval else read_qrels(arguments.qrels)
    _remark(report)
    if not report.taken:
        raise UsageError(f"{arguments.qrels} holds no judgement; expected lines of topic, 0, node, grade.")
    runs, reports = _runs(arguments.runs)
    outcome = outcome_of(
        qrels,
        runs,
        shown,
        duplicates=read_duplicates(arguments.qrels),
        rules=TREC_RULES if arguments.trec_eval else RULES,
    )
    _write(arguments, outcome, _sources(arguments, runs, [report, *reports]))
    print("\n\n".join("\n".join(_table_lines(table)) for table in outcome.tables))
    return 0


def _check_targets(arguments: argparse.Namespace) -> None:
    """Refuse files that could not be written, before anything is computed."""
    for option, path in (("--json", arguments.json), ("--latex", arguments.latex)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            what = f"{path} is a folder;" if path.is_dir() else f"{path.parent} is no folder; make it first, or"
            raise UsageError(f"{what} name another file with {option}.")
    if arguments.csv is not None and arguments.csv.exists() and not arguments.csv.is_dir():
        raise UsageError(f"{arguments.csv} is no folder; name another one with --csv.")


def _runs(paths: Sequence[Path]) -> tuple[list[Run], list[ReadReport]]:
    """Return the runs of files, under their tags or, where two have one tag, under the names of their files."""
    from oncosearch.evaluate.exchange import read_run

    runs, reports = [], []
    for place, path in enumerate(paths):
        if any(path.resolve() == other.resolve() for other in paths[:place]):
            raise UsageError(f"{path} is named twice with --run; name each run once.")
        run, report = read_run(path)
        _remark(report)
        if not report.taken:
            raise UsageError(f"{path} holds no hit of a run; expected lines of topic, Q0, node, rank, score, tag.")
        runs.append(run)
        reports.append(report)
    tags = Counter(run.tag for run in runs)
    named = [run if tags[run.tag] == 1 else replace(run, tag=path.stem) for run, path in zip(runs, paths, strict=True)]
    if len({run.tag for run in named}) < len(named):
        named = [replace(run, tag=str(path)) for run, path in zip(runs, paths, strict=True)]
    return named, reports


def _remark(report: ReadReport) -> None:
    """Say on stderr what was not taken of a file, and what is strange about it."""
    if report.skipped or report.notes:
        for line in report.lines(_REMARKS_SHOWN):
            print(plain(line), file=sys.stderr)


def _sources(arguments: argparse.Namespace, runs: Sequence[Run], reports: Sequence[ReadReport]) -> dict[str, Any]:
    """Return which files an evaluation was made from, by content, and what was not taken of them.

    A pipe cannot be read twice; it has no hash.
    """

    def source(path: Path, report: ReadReport) -> dict[str, Any]:
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        return {"sha256": content, **report.to_dict()}

    qrels_report, *run_reports = reports
    return {
        "qrels": source(arguments.qrels, qrels_report),
        "runs": [
            {"run": run.tag, **source(path, report)}
            for run, path, report in zip(runs, arguments.runs, run_reports, strict=True)
        ],
    }


def _write(arguments: argparse.Namespace, outcome: Outcome, sources: dict[str, Any]) -> None:
    from oncosearch.evaluate import to_csv, to_dict, to_latex, topics_to_csv

    tables, evaluation = outcome.tables, outcome.evaluation
    if arguments.json is not None:
        write_json(arguments.json, to_dict(evaluation, outcome.comparisons, sources))
    if arguments.csv is not None:
        arguments.csv.mkdir(parents=True, exist_ok=True)
        for table in tables:
            (arguments.csv / f"{table.key}.csv").write_bytes(to_csv(table, arguments.language))
        (arguments.csv / "topics.csv").write_bytes(topics_to_csv(evaluation, arguments.language))
    if arguments.latex is not None:
        arguments.latex.write_text(to_latex(tables, arguments.language), encoding="utf-8", errors="backslashreplace")


def _table_lines(table: Table) -> Iterator[str]:
    from oncosearch.evaluate import caption, cell_text, heading, note_text

    left = [column.kind in ("name", "verdict") for column in table.columns]
    cells = [[heading(column) for column in table.columns]]
    cells += [[plain(cell_text(c, column)) for c, column in zip(row, table.columns, strict=True)] for row in table.rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    yield caption(table)
    for row in cells:
        columns = zip(row, widths, left, strict=True)
        yield "  ".join(text.ljust(width) if flush else text.rjust(width) for text, width, flush in columns).rstrip()
    yield from (f"   {plain(note_text(note))}" for note in table.notes)
