"""CSV that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """Return ``text`` so that a spreadsheet shows it and never runs it: a leading apostrophe where it could."""
    first = text.lstrip(" \u00a0\ufeff")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) or first.startswith(_FORMULA_STARTS) else text


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[str]], language: str) -> bytes:
    """Return rows of cells that are safe already as CSV in UTF-8 with a byte order mark; semicolons in German."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if language == "de" else ",", lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return ("\ufeff" + out.getvalue()).encode("utf-8", "replace")
