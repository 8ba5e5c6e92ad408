"""Articles and expressions as SQLite FTS5 reads them: the columns of the word index, and the match of an expression."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from oncosearch.literature.article import Article
from oncosearch.literature.expression import And, DateRange, Expression, Not, Or, Term

INDEX_VERSION = 1
TOKENISER = "unicode61 remove_diacritics 2"
# Column → its weight in BM25. Those of weight 0 only filter.
COLUMNS: dict[str, float] = {
    "title": 3.0,
    "abstract": 1.0,
    "keywords": 2.0,
    "mesh_words": 1.5,
    "other": 0.5,
    "mesh": 2.0,
    "majr": 2.0,
    "types": 0.0,
    "languages": 0.0,
    "journals": 0.0,
    "authors": 1.0,
    "dates": 0.0,
    "pmid": 1.0,
}
# Fields whose words are looked up one by one → the columns; PubMed's [tiab] holds the authors' keywords too.
_WORDS = {
    "all": "title abstract keywords mesh_words other pmid",
    "tw": "title abstract keywords mesh_words",
    "tiab": "title abstract keywords",
    "ti": "title",
    "ab": "abstract",
    "ot": "keywords",
}
# Fields whose names are whole: each name is one token of its column.
_NAMES = {"mh": "mesh", "majr": "majr", "pt": "types", "la": "languages", "ta": "journals"}

# Private characters, which FTS5 takes for letters: within a name, before a qualifier, between texts of a column.
_WITHIN, _QUALIFIER, _BETWEEN = "\ue000", "\ue001", "\ue002"
_GREEK = {
    ord(letter): unicodedata.name(letter).split()[-1].lower()
    for start in (0x391, 0x3B1)
    for letter in map(chr, range(start, start + 25))
    if letter != "\u03a2"
}
_NO_TEXT = re.compile("[\x00-\x1f\ue000-\ue0ff]")
_WORD = re.compile(r"[^\W_]+")
_FIRST_YEAR, _LAST_YEAR = 1500, 2199

# Words that PubMed leaves out of a search, unless they stand in a phrase.
_STOP_WORDS = """
    a about again all almost also although always among an and another any are as at be because been before being
    between both but by can could did do does done due during each either enough especially etc for found from
    further had has have having here how however i if in into is it its itself just kg km made mainly make may mg
    might ml mm most mostly must nearly neither no nor obtained of often on our overall perhaps pmid quite rather
    really regarding seem seen several should show showed shown shows significantly since so some such than that the
    their theirs them then there therefore these they this those through thus to upon various very was we were what
    when which while with within without would
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Codes as MEDLINE (three letters) and others (two) write them → the English name that can be searched as well.
LANGUAGE_NAMES = {
    code: name
    for name, codes in {
        "arabic": "ara ar",
        "chinese": "chi zho zh",
        "czech": "cze ces cs",
        "danish": "dan da",
        "dutch": "dut nld nl",
        "english": "eng en",
        "finnish": "fin fi",
        "french": "fre fra fr",
        "german": "ger deu de",
        "greek": "gre ell el",
        "hebrew": "heb he",
        "hungarian": "hun hu",
        "italian": "ita it",
        "japanese": "jpn ja",
        "korean": "kor ko",
        "norwegian": "nor no",
        "persian": "per fas fa",
        "polish": "pol pl",
        "portuguese": "por pt",
        "romanian": "rum ron ro",
        "russian": "rus ru",
        "spanish": "spa es",
        "swedish": "swe sv",
        "turkish": "tur tr",
        "ukrainian": "ukr uk",
    }.items()
    for code in codes.split()
}


def columns_of(article: Article) -> tuple[str, ...]:
    """Return the texts of an article in the order of ``COLUMNS``."""
    languages = [text for code in article.languages for text in _language(code)]
    title = [article.title]
    if article.vernacular_title and article.vernacular_title != article.title:
        title.append(article.vernacular_title)
    mesh_words = [name for heading in article.mesh for name in (heading.name, *heading.qualifiers)]
    other = [*article.authors, article.journal, article.journal_short, article.book, *article.publication_types]
    found = {
        "title": _joined(title),
        "abstract": _joined([part for s in article.abstract for part in (s.label, s.text) if part]),
        "keywords": _joined(article.keywords),
        "mesh_words": _joined(mesh_words),
        "other": _joined([*other, *languages]),
        "mesh": " ".join(_mesh_names(article, major=False)),
        "majr": " ".join(_mesh_names(article, major=True)),
        "types": " ".join(map(_name, article.publication_types)),
        "languages": " ".join(map(_name, languages)),
        "journals": " ".join(map(_name, filter(None, (article.journal, article.journal_short)))),
        "authors": _joined(article.authors),
        "dates": " ".join(_date_tokens(article.date.first_day)) if article.date else "",
        "pmid": article.pmid,
    }
    return tuple(found[column] for column in COLUMNS)


def match_of(expression: Expression) -> str:
    """Return the FTS5 query of an expression whose fields can all be searched here."""
    if isinstance(expression, Term):
        return _term(expression)
    if isinstance(expression, DateRange):
        return _dates(expression)
    if isinstance(expression, Not):
        return f"({match_of(expression.base)}) NOT ({match_of(expression.excluded)})"
    joint = " AND " if isinstance(expression, And) else " OR "
    assert isinstance(expression, And | Or)
    return joint.join(f"({match_of(part)})" for part in expression.parts)


def searchable(text: str) -> str:
    """Return the text as it is indexed and searched: one form of each character, Greek letters by name (α → alpha)."""
    if text.isascii():
        return _NO_TEXT.sub(" ", text)
    sound = text.encode("utf-8", "replace").decode("utf-8")
    return _NO_TEXT.sub(" ", unicodedata.normalize("NFKC", sound)).translate(_GREEK)


def counted_words(term: Term) -> list[str]:
    """Return the words of a term that count: without PubMed's stop words, if any other is there."""
    words = term.text.split()
    kept = [w for w in words if w.lower() not in STOP_WORDS]
    return kept or words


def _term(term: Term) -> str:
    if column := _NAMES.get(term.field):
        stem = term.text.rstrip("*")
        return f"{column} : {_quoted(_mesh_name(stem), star=term.text != stem)}"
    if term.field == "au":
        # As in PubMed, initials that are given stand for all that begin so.
        stem = term.text.rstrip("*")
        return f"authors : {_quoted(searchable(stem), star=term.text != stem or len(stem.split()) > 1)}"
    if term.field == "pmid":
        return "(" + " OR ".join(f"pmid : {_quoted(searchable(w), star=False)}" for w in term.text.split()) + ")"
    columns = f"{{{_WORDS[term.field]}}}"
    if term.phrase:
        stem = term.text.rstrip("*")
        return f"{columns} : {_quoted(searchable(stem), star=term.text != stem)}"
    words = (_quoted(searchable(w.rstrip("*")), star=w.endswith("*")) for w in counted_words(term))
    return " AND ".join(f"{columns} : {w}" for w in words)


def _quoted(text: str, *, star: bool) -> str:
    quoted = text.replace('"', '""')
    return f'"{quoted}" *' if star else f'"{quoted}"'


def _dates(dates: DateRange) -> str:
    first, last = dates.days
    tokens = list(_range_tokens(max(first, _FIRST_YEAR * 10000 + 101), min(last, _LAST_YEAR * 10000 + 1231)))
    # A range outside every calendar matches nothing.
    return "(" + " OR ".join(f'dates : "{token}"' for token in tokens or ["none"]) + ")"


def _date_tokens(day: int) -> tuple[str, ...]:
    year, month = day // 10000, day // 100
    return f"d{year // 10}", f"y{year}", f"m{month}", f"x{day}"


def _range_tokens(first: int, last: int) -> Iterator[str]:
    """Yield the decades, years, months and days that together make the range."""
    year, last_year = first // 10000, last // 10000
    while year <= last_year:
        if year % 10 == 0 and first <= year * 10000 + 101 and last >= (year + 9) * 10000 + 1231:
            yield f"d{year // 10}"
            year += 10
            continue
        if first <= year * 10000 + 101 and last >= year * 10000 + 1231:
            yield f"y{year}"
        else:
            yield from _month_tokens(year, first, last)
        year += 1


def _month_tokens(year: int, first: int, last: int) -> Iterator[str]:
    for month in range(year * 100 + 1, year * 100 + 13):
        days = range(max(first, month * 100 + 1), min(last, month * 100 + 31) + 1)
        if len(days) == 31 or (days and days[0] == month * 100 + 1 and last > month * 100 + 31):
            yield f"m{month}"
        else:
            yield from (f"x{day}" for day in days)


def _mesh_names(article: Article, *, major: bool) -> Iterator[str]:
    for heading in article.mesh:
        if heading.major or not major:
            name = _name(heading.name)
            yield name
            yield from (f"{name}{_QUALIFIER}{_name(qualifier)}" for qualifier in heading.qualifiers)


def _mesh_name(text: str) -> str:
    return _QUALIFIER.join(map(_name, text.split("/")))


@lru_cache(maxsize=1 << 15)
def _name(text: str) -> str:
    """Return a whole name as one token."""
    return _WITHIN.join(_WORD.findall(searchable(text).lower()))


def _language(code: str) -> tuple[str, ...]:
    name = LANGUAGE_NAMES.get(code.lower())
    return (code, name) if name else (code,)


def _joined(texts: list[str] | tuple[str, ...]) -> str:
    # The token between keeps phrases from running from one text into the next.
    return f" {_BETWEEN} ".join(map(searchable, texts))
