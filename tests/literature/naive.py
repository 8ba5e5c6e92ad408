"""A matcher of expressions that looks at every article: what the word index must agree with."""

from __future__ import annotations

import re
import unicodedata

from oncosearch.literature.article import Article
from oncosearch.literature.expression import And, DateRange, Expression, Not, Or, Term
from oncosearch.literature.fts import LANGUAGE_NAMES, STOP_WORDS

GREEK = {"α": "alpha", "β": "beta", "µ": "mu"}


def matches(expression: Expression, article: Article) -> bool:
    """Return whether an article matches."""
    if isinstance(expression, And):
        return all(matches(part, article) for part in expression.parts)
    if isinstance(expression, Or):
        return any(matches(part, article) for part in expression.parts)
    if isinstance(expression, Not):
        return matches(expression.base, article) and not matches(expression.excluded, article)
    if isinstance(expression, DateRange):
        first, last = expression.days
        return article.date is not None and first <= article.date.first_day <= last
    return _term(expression, article)


def tokens(text: str) -> list[str]:
    """Return the words of a text without case, accents and Greek letters."""
    text = unicodedata.normalize("NFKD", "".join(GREEK.get(c, c) for c in text))
    return re.findall(r"[^\W_]+", "".join(c for c in text if not unicodedata.combining(c)).lower())


def _term(term: Term, article: Article) -> bool:
    star = term.text.endswith("*")
    if term.field in {"mh", "majr", "pt", "la", "ta"}:
        wanted = [tokens(part) for part in term.text.rstrip("*").split("/")]
        return any(_begins(name, wanted) if star else name == wanted for name in _names(term.field, article))
    if term.field == "pmid":
        return any(tokens(w) == [article.pmid] for w in term.text.split())
    texts = [tokens(text) for text in _texts(term.field, article)]
    if term.field == "au":
        wanted = tokens(term.text)
        return any(_run(text, wanted, star or len(wanted) > 1) for text in texts)
    if term.phrase:
        return any(_run(text, tokens(term.text), star) for text in texts)
    words = term.text.split()
    counted = [w for w in words if w not in STOP_WORDS] or words
    return all(any(_run(text, tokens(w), w.endswith("*")) for text in texts) for w in counted)


def _run(text: list[str], wanted: list[str], star: bool) -> bool:
    for at in range(len(text) - len(wanted) + 1):
        part = text[at : at + len(wanted)]
        if part == wanted or (star and part[:-1] == wanted[:-1] and part[-1].startswith(wanted[-1])):
            return True
    return False


def _begins(name: list[list[str]], wanted: list[list[str]]) -> bool:
    return "/".join(" ".join(part) for part in name).startswith("/".join(" ".join(part) for part in wanted))


def _names(field: str, article: Article) -> list[list[list[str]]]:
    if field in {"mh", "majr"}:
        headings = [h for h in article.mesh if field == "mh" or h.major]
        return [
            name for h in headings for name in ([tokens(h.name)], *([tokens(h.name), tokens(q)] for q in h.qualifiers))
        ]
    flat = {
        "pt": article.publication_types,
        "la": [name for code in article.languages for name in (code, LANGUAGE_NAMES.get(code, code))],
        "ta": [article.journal, article.journal_short],
    }
    return [[tokens(text)] for text in flat[field]]


def _texts(field: str, article: Article) -> list[str]:
    title = [article.title, article.vernacular_title]
    abstract = [text for s in article.abstract for text in (s.label, s.text)]
    mesh = [text for h in article.mesh for text in (h.name, *h.qualifiers)]
    languages = [name for code in article.languages for name in (code, LANGUAGE_NAMES.get(code, code))]
    other = [*article.authors, article.journal, article.journal_short, article.book, *article.publication_types]
    words = {
        "ti": title,
        "ab": abstract,
        "ot": [*article.keywords],
        "tiab": [*title, *abstract, *article.keywords],
        "tw": [*title, *abstract, *article.keywords, *mesh],
        "au": [*article.authors],
    }
    return words.get(field, [*words["tw"], *other, *languages, article.pmid])
