"""PubMed's Boolean expressions as values: terms, date ranges and what joins them, printed so that they parse again."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass

MAX_LENGTH = 20_000
MAX_DEPTH = 50
OPERATORS = frozenset({"AND", "OR", "NOT"})
EVERYWHERE = "all"

# Field → the tags that mean it; the first of them is printed. Those in LOCAL_FIELDS can be searched on this machine.
FIELDS: dict[str, tuple[str, ...]] = {
    "all": ("all", "all fields"),
    "tiab": ("tiab", "title/abstract"),
    "ti": ("ti", "title"),
    "ab": ("ab", "abstract"),
    "tw": ("tw", "text word", "text words", "word"),
    "mh": ("mh", "mesh", "mesh terms", "mh:noexp", "mesh:noexp", "mesh terms:noexp"),
    "majr": ("majr", "mesh major topic", "majr:noexp"),
    "pt": ("pt", "publication type", "ptyp"),
    "dp": ("dp", "pdat", "date - publication", "publication date"),
    "la": ("la", "lang", "language"),
    "ot": ("ot", "other term"),
    "au": ("au", "auth", "author"),
    "ta": ("ta", "jour", "journal"),
    "pmid": ("pmid", "uid"),
    **{
        tag: (tag, *names)
        for tag, *names in (
            ("1au", "author - first"),
            ("ad", "affiliation"),
            ("cn", "author - corporate"),
            ("crdt", "date - create"),
            ("doi",),
            ("edat", "date - entry"),
            ("fau", "author - full"),
            ("filter",),
            ("gr", "grants and funding"),
            ("is", "issn"),
            ("lastau", "author - last"),
            ("lid", "location id"),
            ("mhda", "date - mesh"),
            ("nm", "supplementary concept"),
            ("pa", "pharmacological action"),
            ("ps", "subject - personal name"),
            ("rn", "ec/rn number"),
            ("sb", "subset"),
            ("sh", "mesh subheading"),
            ("si", "secondary source id"),
            ("tt", "transliterated title"),
            ("vi", "volume"),
        )
    },
}
LOCAL_FIELDS = frozenset({"all", "tiab", "ti", "ab", "tw", "mh", "majr", "pt", "dp", "la", "ot", "au", "ta", "pmid"})
FIELD_OF_TAG = {tag: field for field, tags in FIELDS.items() for tag in tags}

_SAME_LENGTH = str.maketrans({"“": '"', "”": '"', "„": '"', "\u00a0": " "})
_DATE = re.compile(r"(\d{4})(?:/(\d{1,2})(?:/(\d{1,2}))?)?")
_HAS_WORD = re.compile(r"[^\W_]")
_NOT_IN_WORDS = re.compile(r'[\s()\[\]"*]+')
_NOT_IN_PHRASES = re.compile(r'[\s"“”„*]+')


@dataclass(frozen=True, slots=True)
class Term:
    """Words, all of which must stand in a field, or with ``phrase`` one after the other.

    A word that ends in ``*`` stands for every word that begins so; in a phrase only the last one may. Use
    :func:`word` and :func:`phrase` for texts that may hold anything.
    """

    text: str
    field: str = EVERYWHERE
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class DateRange:
    """Published from the first day of ``start`` to the last of ``end``: ``2015``, ``2015/03`` or ``2015/03/01``."""

    start: str
    end: str

    @property
    def days(self) -> tuple[int, int]:
        """The first and last day, as the numbers yyyymmdd."""
        return _first_day(self.start), _last_day(self.end)


@dataclass(frozen=True, slots=True)
class And:
    """All of the parts (two or more, none of them an ``And``)."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of the parts (two or more, none of them an ``Or``)."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """What matches ``base`` and does not match ``excluded``."""

    base: Expression
    excluded: Expression


Expression = Term | DateRange | And | Or | Not


def word(text: str, field: str = EVERYWHERE) -> Term:
    """Return the words of any text as a term (all must occur, in any order); operators among them become words.

    Raises
    ------
    ValueError
        If the text has no letter and no digit.
    """
    words = [w.lower() if w in OPERATORS else w for w in _NOT_IN_WORDS.sub(" ", text.replace("„", '"')).split()]
    return _checked_term(" ".join(w for w in words if _HAS_WORD.search(w)), field, False)


def phrase(text: str, field: str = EVERYWHERE) -> Term:
    """Return any text as a phrase.

    Raises
    ------
    ValueError
        If the text has no letter and no digit.
    """
    return _checked_term(" ".join(_NOT_IN_PHRASES.sub(" ", text).split()), field, True)


def published(start: str, end: str = "3000") -> DateRange:
    """Return a range of publication dates, each ``2015``, ``2015/03`` or ``2015/03/01``; ``3000`` leaves it open.

    Raises
    ------
    ValueError
        If one is no date, or the end lies before the start.
    """
    found = DateRange(_plain_date(start), _plain_date(end))
    if found.days[0] > found.days[1]:
        raise ValueError(f"the range ends ({end}) before it begins ({start})")
    return found


def all_of(*parts: Expression) -> Expression:
    """Return what matches all of the parts."""
    flat = tuple(q for p in parts for q in (p.parts if isinstance(p, And) else (p,)))
    return flat[0] if len(flat) == 1 else And(flat)


def any_of(*parts: Expression) -> Expression:
    """Return what matches any of the parts."""
    flat = tuple(q for p in parts for q in (p.parts if isinstance(p, Or) else (p,)))
    return flat[0] if len(flat) == 1 else Or(flat)


def but_not(base: Expression, excluded: Expression) -> Expression:
    """Return what matches ``base`` and not ``excluded``."""
    return Not(base, excluded)


def to_text(expression: Expression) -> str:
    """Return the expression as PubMed reads it; parsing the text gives the same expression again.

    Groups stand in parentheses, since PubMed reads operators from left to right without precedence.
    """
    if isinstance(expression, Term):
        tag = "" if expression.field == EVERYWHERE else f"[{FIELDS[expression.field][0]}]"
        return f'"{expression.text}"{tag}' if expression.phrase else f"{expression.text}{tag}"
    if isinstance(expression, DateRange):
        one = expression.start == expression.end
        return f"{expression.start}[dp]" if one else f"{expression.start}:{expression.end}[dp]"
    if isinstance(expression, Not):
        return f"{_group(expression.base)} NOT {_group(expression.excluded)}"
    joint = " AND " if isinstance(expression, And) else " OR "
    return joint.join(_group(part) for part in expression.parts)


def leaves(expression: Expression) -> Iterator[Term | DateRange]:
    """Yield the terms and date ranges from left to right."""
    if isinstance(expression, Term | DateRange):
        yield expression
    else:
        parts = (expression.base, expression.excluded) if isinstance(expression, Not) else expression.parts
        for part in parts:
            yield from leaves(part)


def depth(expression: Expression) -> int:
    """Return how many groups lie in one another; 0 for a term."""
    if isinstance(expression, Term | DateRange):
        return 0
    parts = (expression.base, expression.excluded) if isinstance(expression, Not) else expression.parts
    return 1 + max(depth(part) for part in parts)


def same_length(text: str) -> str:
    """Return the text with typographic quotation marks as plain ones, place by place."""
    return text.translate(_SAME_LENGTH)


def is_date(text: str) -> bool:
    """Return whether the text has the form of a date."""
    return _DATE.fullmatch(text) is not None


def has_word(text: str) -> bool:
    """Return whether the text has a letter or a digit."""
    return _HAS_WORD.search(text) is not None


def _group(expression: Expression) -> str:
    text = to_text(expression)
    return text if isinstance(expression, Term | DateRange) else f"({text})"


def _checked_term(text: str, field: str, is_phrase: bool) -> Term:
    if field not in FIELDS or field == "dp":
        raise ValueError(f"{field!r} is no field for words")
    if not has_word(text):
        raise ValueError("the text has no letter and no digit")
    return Term(text, field, is_phrase)


def _plain_date(text: str) -> str:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no date; expected 2015, 2015/03 or 2015/03/01")
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    if year == 0 or (month is not None and not 1 <= month <= 12):
        raise ValueError(f"{text!r} is no date; months are 01 to 12")
    if day is not None and month is not None and not 1 <= day <= calendar.monthrange(year, month)[1]:
        raise ValueError(f"{text!r} is no date; the month has no such day")
    return "/".join([f"{year:04}"] + [f"{part:02}" for part in (month, day) if part is not None])


def _first_day(text: str) -> int:
    year, month, day = (*map(int, text.split("/")), 0, 0)[:3]
    return year * 10000 + (month or 1) * 100 + (day or 1)


def _last_day(text: str) -> int:
    year, month, day = (*map(int, text.split("/")), 0, 0)[:3]
    month = month or 12
    return year * 10000 + month * 100 + (day or calendar.monthrange(year, month)[1])
