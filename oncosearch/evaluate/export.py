"""Evaluations as LaTeX, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from oncosearch.evaluate.evaluation import Estimate, Evaluation
from oncosearch.evaluate.significance import Comparison, Comparisons
from oncosearch.evaluate.tables import Cell, Column, Table
from oncosearch.evaluate.wording import caption, cell_text, heading, localised, note_text
from oncosearch.model.spreadsheet import csv_bytes, safe_cell

FORMAT = "oncosearch-evaluation-1"

_LATEX = {
    "\\": r"\textbackslash{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"${c}$" for c in "<>|"},
    '"': "''",
    "−": "$-$",
    "–": "--",
    "…": r"\ldots{}",
    "\u202f": r"\,",
}


def latex_text(text: str) -> str:
    """Return a text so that LaTeX prints it and runs nothing of it."""
    escaped = ("".join(_LATEX.get(c, c if c.isprintable() else " ") for c in part) for part in text.split("-"))
    # Two hyphens in a row would be printed as a dash.
    return "-".join(part or "{}" for part in escaped)


def to_latex(tables: Iterable[Table], language: str = "en") -> str:
    """Return tables as LaTeX (package booktabs) in the paper's form, with their notes under each.

    ``language`` governs the decimal mark.
    """
    return "\n".join(_latex_table(table, language) for table in tables)


def _latex_table(table: Table, language: str) -> str:
    alignment = "".join("l" if column.kind in ("name", "verdict") else "r" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(caption(table))}}}",
        rf"\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        _latex_row(heading(column) for column in table.columns),
        r"\midrule",
        *(
            _latex_row(cell_text(cell, column, language) for cell, column in zip(row, table.columns, strict=True))
            for row in table.rows
        ),
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip\footnotesize",
        "\n".join(latex_text(note_text(note, language)) for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Iterable[str]) -> str:
    # An opening bracket after \\ would be taken for its argument; a row starts in braces.
    first, *others = (latex_text(cell) for cell in cells)
    return " & ".join(["{" + first + "}", *others]) + r" \\"


def to_csv(table: Table, language: str = "en") -> bytes:
    """Return a table as CSV in UTF-8 with a byte order mark; semicolons and decimal commas in German."""
    return csv_bytes(*csv_table(table, language), language)


def csv_table(table: Table, language: str = "en") -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of a table with full precision; each interval in three columns.

    Cells are safe for spreadsheets. German has the decimal comma.
    """
    header = [name for column in table.columns for name in _csv_names(column)]
    rows = [
        [text for cell, column in zip(row, table.columns, strict=True) for text in _csv_cells(cell, column, language)]
        for row in table.rows
    ]
    return header, rows


def _csv_names(column: Column) -> Iterator[str]:
    yield column.key
    if column.kind in ("estimate", "difference"):
        yield f"{column.key} lower"
        yield f"{column.key} upper"


def _csv_cells(cell: Cell, column: Column, language: str) -> Iterator[str]:
    if isinstance(cell, Estimate):
        for value in (cell.mean, cell.lower, cell.upper):
            yield "" if value is None else localised(repr(value), language)
    elif isinstance(cell, float):
        yield localised(repr(cell), language)
    else:
        yield safe_cell(cell) if isinstance(cell, str) else "" if cell is None else str(cell)


def topics_to_csv(evaluation: Evaluation, language: str = "en") -> bytes:
    """Return the values per topic as CSV: one row a topic and run, one column a measure."""
    header = ["topic", "run", *map(str, evaluation.measures)]
    rows = [
        [
            safe_cell(topic),
            safe_cell(run),
            *(localised(repr(value), language) for value in evaluation.values[r, :, t].tolist()),
        ]
        for t, topic in enumerate(evaluation.topics)
        for r, run in enumerate(evaluation.runs)
    ]
    return csv_bytes(header, rows, language)


def to_dict(
    evaluation: Evaluation, comparisons: Comparisons | None = None, sources: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return an evaluation as JSON values: rules, topics, runs with means and values per topic, pairs, and sources.

    ``values`` of a run are by measure, in the order of ``topics``.
    """
    return {
        "format": FORMAT,
        "sources": dict(sources or {}),
        "rules": asdict(evaluation.rules),
        "measures": [str(measure) for measure in evaluation.measures],
        "topics": list(evaluation.topics),
        "left_out": dict(evaluation.left_out),
        "duplicate_grades": evaluation.duplicate_grades,
        "runs": [_run(evaluation, run) for run in evaluation.runs],
        "comparisons": None if comparisons is None else _comparisons(comparisons),
    }


def _run(evaluation: Evaluation, run: str) -> dict[str, Any]:
    return {
        "run": run,
        "means": {str(measure): asdict(evaluation.estimate(run, measure)) for measure in evaluation.measures},
        "missing": list(evaluation.missing[run]),
        "not_judged": evaluation.not_judged[run],
        "removed": asdict(evaluation.removed[run]),
        "values": {str(measure): evaluation.of(run, measure).tolist() for measure in evaluation.measures},
    }


def _comparisons(comparisons: Comparisons) -> dict[str, Any]:
    def pair(one: Comparison) -> dict[str, Any]:
        return {**asdict(one), "differing": one.differing}

    return {
        "measure": str(comparisons.measure),
        "topics": comparisons.topics,
        "pairs": [pair(one) for one in comparisons.pairs],
    }


def to_json(
    evaluation: Evaluation, comparisons: Comparisons | None = None, sources: Mapping[str, Any] | None = None
) -> str:
    """Return ``to_dict`` as an indented JSON document."""
    return json.dumps(to_dict(evaluation, comparisons, sources), ensure_ascii=False, indent=2, allow_nan=False)
