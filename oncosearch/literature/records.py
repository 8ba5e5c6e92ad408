"""What readers of articles yield beside articles, and what every format writes in its own way: dates, ids, labels."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

from oncosearch.literature.article import Article, Document, PublicationDate, Section
from oncosearch.model import OncosearchError


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that was not taken: where it stands (``line 12``, ``record 3``), its id if it has one, and why."""

    place: str
    pmid: str
    reason: str


@dataclass(frozen=True, slots=True)
class Deletion:
    """The wish of an update file that an article be taken out."""

    pmid: str


Record = Article | Document | Deletion | Skipped
Records = Iterator[Record]


class UnreadableError(OncosearchError):
    """A file or answer that cannot be read to its end; what was read of it is not kept."""

    code = "articles_unreadable"


_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_abbr) if name}
_SEASONS = {"winter": 1, "spring": 4, "summer": 7, "fall": 10, "autumn": 10}
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_PMID = re.compile(r"[1-9]\d{0,14}")
_PMCID = re.compile(r"(?:PMC)?0*([1-9]\d{0,11})(?:\.\d+)?", re.IGNORECASE)
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]])\s)([A-Z](?:[A-Z0-9/&,'() -]{1,60})[A-Z)]):\s")
_SPACES = re.compile(r"\s+")
_SUPERSCRIPT = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_SUPERSCRIPTS = frozenset("0123456789+-−=()n")


def superscript(text: str | None) -> str:
    """Return a raised text in raised characters (10⁶ is not 106), or as it is where there are none for it."""
    text = text or ""
    return text.translate(_SUPERSCRIPT) if set(text) <= _SUPERSCRIPTS else text


def tidy(text: str | None) -> str:
    """Return the text with every run of white space as one space."""
    return _SPACES.sub(" ", text).strip() if text else ""


def is_pmid(text: str) -> bool:
    """Return whether the text has the form of a PMID: digits that do not begin with 0."""
    return _PMID.fullmatch(text) is not None


def plain_pmcid(text: str | None) -> str | None:
    """Return ``PMC`` and the number, however it was written (``12``, ``pmc12``, ``PMC12.1``); None if it is none."""
    match = _PMCID.fullmatch((text or "").strip())
    return f"PMC{match[1]}" if match else None


def date_of(year: str | None, month: str | None = None, day: str | None = None) -> PublicationDate | None:
    """Return the date of its parts; months are ``3``, ``03``, ``Mar``, ``March`` or a season; the rest is dropped."""
    text = tidy(year)
    if not re.fullmatch(r"\d{4}", text) or int(text) == 0:
        return None
    name = tidy(month).lower()
    number = int(name) if re.fullmatch(r"\d{1,2}", name) else _MONTHS.get(name[:3], _SEASONS.get(name, 0))
    if not 1 <= number <= 12:
        return PublicationDate(int(text))
    day_text = tidy(day)
    if not re.fullmatch(r"\d{1,2}", day_text):
        return PublicationDate(int(text), number)
    in_month = 1 <= int(day_text) <= calendar.monthrange(int(text), number)[1]
    return PublicationDate(int(text), number, int(day_text) if in_month else None)


def date_in(text: str | None) -> PublicationDate | None:
    """Return the first date in a text such as ``2011 Mar 9``, ``1998 Dec-1999 Jan``, ``2000 Spring`` or ``2011-03``."""
    text = tidy(text)
    match = _YEAR.search(text)
    if match is None:
        return None
    parts = [part for part in re.split(r"[\s/.,-]+", text[match.end() :]) if part]
    return date_of(match[0], *parts[:2])


def sections_of(text: str) -> tuple[Section, ...]:
    """Return the sections of an abstract whose labels stand in the text in capitals: ``METHODS: …``."""
    text = tidy(text)
    found = list(_LABEL.finditer(text))
    if not found:
        return (Section("", text),) if text else ()
    sections = [Section("", text[: found[0].start()].strip())] if found[0].start() else []
    for match, after in zip(found, [*found[1:], None], strict=True):
        end = after.start() if after else len(text)
        sections.append(Section(match[1], text[match.end() : end].strip()))
    return tuple(section for section in sections if section.text)
