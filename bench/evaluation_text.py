"""Rows and Markdown of the demo's figures: differences with interval and two tests, grids, numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.evaluate import RULES, Estimate
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.significance import adjusted, sign_flip_p, signed_rank

Floats = npt.NDArray[np.float64]
Figures = dict[str, Any]


def compared(series: Sequence[tuple[str, str, str, Floats]]) -> list[Figures]:
    """Return differences A − B by topic with interval and both tests, adjusted over these alone."""
    values = np.stack([differences for *_, differences in series])
    lower, upper = bootstrap_intervals(values, RULES)
    p = [signed_rank(differences).p for differences in values]
    flipped = sign_flip_p(values.T, RULES)
    columns = {
        "mean": values.mean(axis=1), "lower": lower, "upper": upper, "p": p, "q": adjusted(p),
        "permutation_p": flipped, "permutation_q": adjusted(flipped),
    }  # fmt: skip
    rows = []
    for number, (a, b, measure, differences) in enumerate(series):
        row: Figures = {"a": a, "b": b, "measure": measure, "topics": int(differences.size)}
        row |= {name: round(float(column[number]), 6) for name, column in columns.items()}
        row["wins"], row["losses"] = int((differences > 1e-12).sum()), int((differences < -1e-12).sum())
        says = [columns[q][number] < RULES.alpha for q in ("q", "permutation_q")]
        says.append(lower[number] > 0 or upper[number] < 0)
        row["holds"] = "yes" if all(says) else "undecided" if any(says) else "no"
        rows.append(row)
    return rows


def difference_lines(rows: Sequence[Figures]) -> Iterator[str]:
    """Yield a table of them, with what its columns mean."""
    yield from grid(
        ("A", "B", "Measure", "A − B", "Wins/ties/losses", "p", "q", "Permutation p", "Permutation q", "Holds"),
        [
            (
                *(row["a"], row["b"], row["measure"], difference(row)),
                f"{row['wins']}/{row['topics'] - row['wins'] - row['losses']}/{row['losses']}",
                *(_p(row[name]) for name in ("p", "q", "permutation_p", "permutation_q")),
                row["holds"],
            )
            for row in rows
        ],
    )
    yield (
        f"n = {rows[0]['topics']} topics. p: two-sided Wilcoxon signed-rank test; permutation: signs of the "
        f"differences flipped; q: adjusted by Benjamini and Hochberg over the {len(rows)} comparisons of this table. "
        "Holds: the interval leaves out 0, and both q are below 0.05; undecided: only some of this."
    )
    yield ""


def difference(row: Figures) -> str:
    """Return a difference with its interval in words."""
    return f"{_signed(row['mean'])} [{_signed(row['lower'])}; {_signed(row['upper'])}]"


def grid(headings: Sequence[str], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield a table."""
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def estimate_text(found: Estimate) -> str:
    """Return a mean with its interval."""
    return f"{found.mean:.3f} [{found.lower:.3f}–{found.upper:.3f}]"


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"
