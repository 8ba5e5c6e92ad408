"""Elements of a question and the three Boolean expressions made from them: strict, clinical abstraction, loose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from oncosearch.index.names import fold_name
from oncosearch.literature.expression import (
    DateRange,
    Expression,
    Term,
    all_of,
    any_of,
    has_word,
    phrase,
    to_text,
    word,
)
from oncosearch.literature.wording import pieces, truncated
from oncosearch.text.stopwords import STOP_WORDS

LEVELS = ("strict", "abstraction", "loose")
_MOST_LOOSE = 60
_ANY_CANCER = frozenset({"cancer", "neoplasm", "tumour", "tumor"})


@dataclass(frozen=True, slots=True)
class Element:
    """A part of the question and what is searched for it.

    Parameters
    ----------
    text, start, end
        As typed, ``question[start:end]``; a node given instead of words has no place (0, 0).
    role
        ``population``, ``intervention``, ``comparison``, ``outcome`` or ``other``.
    terms, mesh, broader
        English names, MeSH headings, and names of wider concepts.
    origin
        ``graph``, ``everyday``, ``cognate`` (a German word of Latin making), ``word`` (as it stands), ``german`` (as it
        stands, in German: no English form is known) or ``model``.
    """

    text: str
    start: int
    end: int
    role: str
    terms: tuple[str, ...]
    mesh: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    origin: str = "word"
    node_ids: tuple[str, ...] = ()
    corrected: str = ""


def expressions_of(
    elements: Sequence[Element], dates: DateRange | None = None, kinds: Sequence[str] = ()
) -> tuple[str, str, str]:
    """Return strict, abstraction and loose for elements, of which there is at least one."""
    limits: list[Expression] = []
    if kinds:
        limits.append(any_of(*(phrase(kind, "pt") for kind in kinds)))
    if dates is not None:
        limits.append(dates)
    english = _telling([e for e in elements if e.origin != "german"] or list(elements))
    strict = [_named(e) for e in english]
    loose = any_of(*_each_word(elements)[:_MOST_LOOSE])
    return (
        to_text(all_of(*_once([*strict, *limits]))),
        to_text(all_of(*_once([*_abstracted(english), *limits]))),
        to_text(all_of(loose, *_once(limits[-1:] if dates is not None else []))),
    )


def _telling(elements: Sequence[Element]) -> Sequence[Element]:
    """Return the elements without a bare "cancer" where another one names the patient group."""
    kept = [e for e in elements if e.terms[0].lower() not in _ANY_CANCER]
    return kept if any(e.role == "population" for e in kept) else elements


def _abstracted(elements: Sequence[Element]) -> list[Expression]:
    """Return what the abstraction asks for: patient group and intervention in wider words, or some of the rest."""
    groups: list[Expression] = []
    for role in ("population", "intervention"):
        members = [e for e in elements if e.role == role or (role == "intervention" and e.role == "comparison")]
        if members:
            groups.append(any_of(*_once(part for e in members for part in _wider(e))))
    rest = [e for e in elements if e.role in {"outcome", "other"}]
    if len(groups) < 2 and rest:
        groups.append(any_of(*_once(part for e in rest for part in _wider(e))))
    return groups


def _named(element: Element) -> Expression:
    """Return an element by its names: phrases in title and abstract, and headings."""
    parts: list[Expression] = []
    for term in element.terms:
        if has_word(term):
            single = [p.text for p in pieces(term)] == [term]
            parts.append(Term(truncated(term, far=False), "tiab") if single else phrase(term, "tiab"))
    parts += [phrase(heading, "mh") for heading in element.mesh]
    if element.corrected:
        parts.append(word(element.text, "tiab"))
    return any_of(*_once(parts))


def _wider(element: Element) -> list[Expression]:
    """Return an element in wider words: the words of its names in any order and form, and the wider concepts."""
    parts: list[Expression] = []
    for term in (*element.terms, *element.broader):
        if texts := _searchable(term):
            parts.append(Term(" ".join(texts), "tiab"))
    # A single letter or digit is no word to widen, but may be all that was asked.
    return [*parts, *(phrase(heading, "mh") for heading in element.mesh)] or [_named(element)]


def _each_word(elements: Sequence[Element]) -> list[Expression]:
    parts: list[Expression] = [Term(text) for e in elements for term in e.terms for text in _searchable(term)]
    return _once(parts) or [word(e.text) for e in elements]


def _searchable(term: str) -> list[str]:
    kept = [
        p.text for p in pieces(term) if fold_name(p.text) not in STOP_WORDS and (len(p.text) > 1 or p.text.isupper())
    ]
    return [truncated(text, far=True) for text in kept]


def _once(parts: Iterable[Expression]) -> list[Expression]:
    return list(dict.fromkeys(parts))
