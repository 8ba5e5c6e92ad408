"""CSV that no spreadsheet runs, and that comes back as it was."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe_cell(text: str) -> str:
    """Return ``text`` so that a spreadsheet shows it and never runs it: a leading apostrophe where it could.

    A text that looks as if it had been made safe gets one more, so that ``plain_cell`` gives every text back.
    """
    return f"'{text}" if _runs(text.lstrip("'")) else text


def plain_cell(cell: str) -> str:
    """Return the text that ``safe_cell`` made a cell of; an apostrophe before anything else stays."""
    return cell[1:] if cell.startswith("'") and _runs(cell.lstrip("'")) else cell


def _runs(text: str) -> bool:
    return text.startswith(_FORMULA_STARTS) or text.lstrip(" \u00a0\ufeff").startswith(_FORMULA_STARTS)


def csv_delimiter(language: str) -> str:
    """Return what stands between cells where a spreadsheet in that language expects it."""
    return ";" if language == "de" else ","


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]], language: str) -> str:
    """Return rows of cells that are safe already as CSV with a byte order mark; semicolons in German."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=csv_delimiter(language), lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows(rows)
    return "\ufeff" + out.getvalue()


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[str]], language: str) -> bytes:
    """Return ``csv_text`` in UTF-8; half a character becomes a question mark."""
    return csv_text(header, rows, language).encode("utf-8", "replace")
