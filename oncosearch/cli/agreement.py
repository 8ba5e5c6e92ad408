"""Command on the grades of several raters: agreement."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import plain, print_json
from oncosearch.model import UsageError

if TYPE_CHECKING:
    from oncosearch.review.agreement import Agreement, Coefficient, ScaleAgreement

_REMARKS_SHOWN = 20
_PAIRS_SHOWN = 50
_COLUMNS = ("common", "raw", "kappa", "linear", "quadratic", "AC1")


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    agreement = add("agreement", "Say how far raters agree: kappa, AC1 and alpha.", show_agreement)
    agreement.add_argument(
        "ratings", type=Path, metavar="RATINGS.csv", help="CSV: rater, item, grade; or item and a column for each rater"
    )
    agreement.add_argument(
        "--threshold", type=_finite, default=1, metavar="X", help="from this grade on an item is relevant (default: 1)"
    )
    agreement.add_argument(
        "--any-scale", action="store_true", help="take the labels that were given in place of -1, 0, 1, 2, 3"
    )
    agreement.add_argument("--json", action="store_true", help="print one JSON document, with every pair")


def show_agreement(arguments: argparse.Namespace) -> int:
    """Print the agreement of the raters of a file."""
    from oncosearch.evaluate.exchange import read_ratings
    from oncosearch.review.agreement import GRADE_LABELS, agreement

    ratings, report = read_ratings(arguments.ratings)
    if report.skipped:
        for line in report.lines(_REMARKS_SHOWN):
            print(plain(line), file=sys.stderr)
    if not ratings:
        raise UsageError(f"{arguments.ratings} holds no rating; expected rows of rater, item, grade.")
    if not arguments.any_scale:
        _check_scale(ratings, GRADE_LABELS)
    labels = None if arguments.any_scale else GRADE_LABELS
    found = agreement(ratings, labels=labels, threshold=arguments.threshold)
    if arguments.json:
        print_json({"agreement": found.to_dict(), "read": report.to_dict()})
    else:
        print("\n".join(_lines(found)))
    return 0


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not finite; expected a number such as 1")
    return value


def _check_scale(ratings: Mapping[str, Mapping[str, int | None]], labels: Sequence[int]) -> None:
    for item, grades in ratings.items():
        for rater, grade in grades.items():
            if grade is not None and grade not in labels:
                raise UsageError(
                    f"Rater {rater!r} gave {item!r} the grade {grade}; expected one of {', '.join(map(str, labels))}. "
                    "Grades of another scale are taken with --any-scale."
                )


def _lines(found: Agreement) -> Iterator[str]:
    yield f"{len(found.raters):,} raters, {found.items:,} items, {found.ratings:,} grades, {found.missing:,} missing"
    yield from _scale("Grades", found.graded)
    yield from _scale(f"Relevant or not (grade ≥ {found.threshold:g})", found.binary)


def _scale(name: str, scale: ScaleAgreement) -> Iterator[str]:
    labels = ", ".join(f"{label:g}" for label in scale.labels)
    yield f"\n{name}: labels {labels}; {scale.common:,} items with two grades or more"
    for level in ("nominal", "ordinal", "interval"):
        alpha: Coefficient = getattr(scale, f"alpha_{level}")
        yield f"   Krippendorff's alpha, {level}: {alpha}"
    yield f"   mean of Cohen's kappa over {scale.defined:,} of {len(scale.pairs):,} pairs: {scale.mean_kappa}"
    rows: list[tuple[str, ...]] = [("pair", *_COLUMNS, "")]
    for pair in scale.pairs[:_PAIRS_SHOWN]:
        values = (pair.raw, pair.kappa, pair.kappa_linear, pair.kappa_quadratic, pair.ac1)
        cells = ["–" if value.value is None else f"{value.value:.4f}" for value in values]
        why = f"  kappa undefined: {pair.kappa.why}" if pair.kappa.undefined else ""
        rows.append((plain(f"{pair.a} – {pair.b}"), f"{pair.common:,}", *cells, why))
    width = max(len(row[0]) for row in rows)
    for first, *others, why in rows:
        yield f"   {first.ljust(width)}" + "".join(cell.rjust(11) for cell in others) + why
    if len(scale.pairs) > _PAIRS_SHOWN:
        yield f"   … and {len(scale.pairs) - _PAIRS_SHOWN:,} pairs more; --json has them all"
