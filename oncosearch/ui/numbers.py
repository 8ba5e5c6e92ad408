"""Numbers, times and counts as people read them: decimal comma in German, two or three significant digits."""

from __future__ import annotations

import math
from datetime import datetime

_NO_BREAK = "\u00a0"


def decimal(value: float | None, language: str, digits: int = 3) -> str:
    """Return ``value`` with ``digits`` significant digits, an em dash where there is none.

    Below 1 the digits are decimals, so that a column of scores lines up.
    """
    if value is None or not math.isfinite(value):
        return "—"
    whole = 0 if abs(value) < 1 else len(str(int(abs(value))))
    places = max(0, digits - whole)
    text = f"{value:.{places}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    text = text.replace("-", "−")
    return text.replace(".", ",") if language == "de" else text


def percent(share: float, language: str) -> str:
    """Return a share of 1 as whole per cent; what is above nothing and below a half is ``<1 %``."""
    gap = _NO_BREAK if language == "de" else ""
    if 0 < share < 0.005:
        return f"<1{gap}%"
    return f"{round(share * 100)}{gap}%"


def integer(value: int, language: str) -> str:
    """Return a count with its thousands separated (narrow gap in German, comma in English)."""
    return f"{value:,}".replace(",", "\u202f") if language == "de" else f"{value:,}"


def milliseconds(value: float, language: str) -> str:
    """Return a time in ms, or in s from one second up."""
    if value >= 1000:
        return f"{decimal(value / 1000, language, 2)}{_NO_BREAK}s"
    return f"{max(1, round(value))}{_NO_BREAK}ms"


def duration(seconds: float, language: str) -> str:
    """Return a remaining time in words short enough for a progress bar."""
    if seconds < 1:
        return f"<1{_NO_BREAK}s"
    if seconds < 90:
        return f"{round(seconds)}{_NO_BREAK}s"
    if seconds < 5400:
        return f"{round(seconds / 60)}{_NO_BREAK}min"
    return f"{decimal(seconds / 3600, language, 2)}{_NO_BREAK}h"


def moment(iso: str, language: str) -> str:
    """Return an ISO 8601 time as date and minute in this machine's time zone, with the zone's name.

    What cannot be read is returned as it is.
    """
    try:
        read = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    if read.tzinfo is not None:
        read = read.astimezone()
    return f"{read:{'%d.%m.%Y, %H:%M' if language == 'de' else '%d %b %Y, %H:%M'}} {read.tzname() or ''}".rstrip()
