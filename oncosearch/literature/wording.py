"""Words of a question: pieces with places, forms to look up, truncation, German cognates, limits of date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from oncosearch.index.names import fold_name
from oncosearch.literature.expression import DateRange, published

_PIECE = re.compile(r"[^\W_]+")
_ENDINGS = ("en", "es", "er", "em", "s", "e", "n", "'s")
_SHORTEST_STEM = 5
# Longest first; what is left of a word must have _SHORTEST_STEM letters.
_ENDINGS_LISTED = """
    ization isation izations isations ational ations ation ically ical ities ity ments ment ness ings ing ions ion ies
    ives ive ics ic als al ers es ed s y ly ance ence ances ences ant ent able ible
"""
_ENGLISH_ENDINGS = tuple(sorted(_ENDINGS_LISTED.split(), key=lambda e: (-len(e), e)))
# German ending → English one: what both took from Latin and Greek.
_COGNATES = (
    ("therapien", "therapies"),
    ("therapie", "therapy"),
    ("ektomie", "ectomy"),
    ("skopie", "scopy"),
    ("graphie", "graphy"),
    ("grafie", "graphy"),
    ("logie", "logy"),
    ("pathie", "pathy"),
    ("karzinom", "carcinoma"),
    ("karzinome", "carcinomas"),
    ("ome", "omas"),
    ("om", "oma"),
    ("aemie", "emia"),
    ("itaet", "ity"),
    ("ismus", "ism"),
    ("ose", "osis"),
    ("yse", "ysis"),
    ("ase", "ase"),
    ("itis", "itis"),
    ("ionen", "ions"),
    ("ion", "ion"),
    ("itor", "itor"),
    ("itoren", "itors"),
    ("mab", "mab"),
    ("nib", "nib"),
    ("platin", "platin"),
    ("taxel", "taxel"),
    ("rubicin", "rubicin"),
    ("ciclib", "ciclib"),
    ("parib", "parib"),
    ("fen", "fen"),
)
_YEAR = r"((?:19|20)\d\d)"
_NUMBERS = {
    name: number
    for number, names in enumerate(
        (
            "one ein eines einem",
            "two zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
        ),
        1,
    )
    for name in names.split()
}
_COUNT = rf"(\d{{1,2}}|{'|'.join(_NUMBERS)})"
_LIMITS: tuple[tuple[str, str], ...] = (
    ("range", rf"(?:between|from|zwischen|von|aus)\s+{_YEAR}\s*(?:and|und|to|until|till|bis|-|–)\s*{_YEAR}"),
    ("since", rf"(?:since|from|seit|ab)\s+{_YEAR}(?!\s*(?:and|und|to|bis|-|–)\s*\d)(?:\s+(?:on|onwards?|an))?"),
    ("after", rf"(?:after|nach|later than|newer than)\s+{_YEAR}"),
    ("before", rf"(?:before|vor|older than)\s+{_YEAR}"),
    ("until", rf"(?:until|till|up to|bis)\s+{_YEAR}"),
    ("in", rf"(?:published|veröffentlicht|erschienen|publiziert)\s+(?:in|im Jahr)?\s*{_YEAR}"),
    ("last", rf"(?:last|past|previous|letzten?|vergangenen?)\s+{_COUNT}\s+(?:years?|jahren?)"),
)
_LITERATURE = re.compile(
    r"stud(?:y|ies)|trials?|evidence|research|papers?|literature|publish|publications?|articles?|reviews?|guidelines?|"
    r"data|studien?|evidenz|forschung|literatur|veröffentlich|publi[kz]|artikel|leitlinien?|daten|erschienen",
    re.IGNORECASE,
)
_STORY = re.compile(
    r"\b(?:i|my|me|he|she|his|her|mother|mom|mum|father|dad|wife|husband|sister|brother|has|had|have|was|were|ich|mein\w*|"
    r"er|sie|ihr\w*|sein\w*|mutter|vater|frau|mann|schwester|bruder|hat|hatte|habe|wurde|war|leide\w*)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word without joints, with its place in the question."""

    text: str
    start: int
    end: int


def pieces(text: str) -> tuple[Piece, ...]:
    """Return the words of a text in order, hyphenated ones in parts."""
    return tuple(Piece(m[0], m.start(), m.end()) for m in _PIECE.finditer(text))


def forms(text: str) -> Iterator[str]:
    """Yield a name as it stands and without a German or English ending, each once."""
    seen = {text}
    yield text
    for ending in _ENDINGS:
        if text.lower().endswith(ending) and len(text) - len(ending) >= 4:
            shorter = text[: -len(ending)]
            if shorter not in seen:
                seen.add(shorter)
                yield shorter


def truncated(word: str, *, far: bool) -> str:
    """Return a word as a search for its forms: ``technologists`` becomes ``technologist*``.

    Parameters
    ----------
    far
        Without its derivational ending too: ``mammographic`` becomes ``mammograph*``.
    """
    low = word.lower()
    if not low.isascii() or not low.isalpha() or len(low) <= _SHORTEST_STEM:
        return low
    for ending in _ENGLISH_ENDINGS if far else ("s",):
        if low.endswith(ending) and not low.endswith(("ss", "is", "us")) and len(low) - len(ending) >= _SHORTEST_STEM:
            return f"{low[: -len(ending)]}*"
    return f"{low}*" if far or low[-1] != "s" else low


def cognate(word: str) -> str | None:
    """Return the English form of a German word of Latin or Greek making, or None: ``Prostatektomie``, ``Melanom``."""
    low = fold_name(word)
    for form in forms(low):
        for german, english in _COGNATES:
            if form.endswith(german) and len(form) >= len(german) + 3:
                head = form[: -len(german)].replace("ae", "e").replace("oe", "e")
                return f"{_latin(head)}{english}"
    return None


def _latin(text: str) -> str:
    text = re.sub(r"z(?=[eiy])", "c", text)
    return re.sub(r"k(?=[aourl]|t)", "c", text)


def looks_technical(word: str) -> bool:
    """Return whether a word reads the same in German and English: a gene, a code, an abbreviation."""
    return any(c.isdigit() for c in word) or (len(word) >= 2 and sum(c.isupper() for c in word) >= 2)


def date_limit(question: str, today: date) -> tuple[DateRange, tuple[int, int]] | None:
    """Return the limit of publication dates that a question asks for, with its place, or None.

    A year in a story ("she has had it since 2015") is no limit: where the sentence tells of a person, it must also
    name studies, evidence or the like.
    """
    for sentence in _SENTENCE.finditer(question):
        if _STORY.search(sentence[0]) and not _LITERATURE.search(sentence[0]):
            continue
        for kind, pattern in _LIMITS:
            match = re.compile(rf"\b{pattern}\b", re.IGNORECASE).search(sentence[0])
            if match is not None and (found := _range(kind, match.groups(), today)) is not None:
                return found, (sentence.start() + match.start(), sentence.start() + match.end())
    return None


def _range(kind: str, values: tuple[str, ...], today: date) -> DateRange | None:
    if kind == "last":
        count = int(values[0]) if values[0].isdecimal() else _NUMBERS[values[0].lower()]
        return published(str(today.year - count), "3000") if count else None
    first = int(values[0])
    if kind == "range":
        return published(*sorted(values))
    if kind in {"since", "after"}:
        return published(str(first + (kind == "after")))
    if kind in {"before", "until"}:
        return published("1000", str(first - (kind == "before")))
    return published(str(first), str(first))
