"""Adapt-E, the rewrite: a question in everyday words becomes three Boolean expressions, from strict to loose.

The rules here are deterministic and need no language model: concepts of the graph are told by their English names,
other words by a table of everyday words (:mod:`oncosearch.literature.everyday`), German words of Latin making by their
English form, and what is left stays as it is. The strict expression asks for everything, the clinical abstraction for
patient group and intervention (PICO) in wider words, the loose one for any word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from oncosearch.generate import language_of
from oncosearch.index.names import fold_name
from oncosearch.literature.concepts import Concepts, Recognised, correct, of_node, recognise
from oncosearch.literature.everyday import INTENTS, STUDY_KINDS, Entry, entries, told_words
from oncosearch.literature.expression import DateRange, published
from oncosearch.literature.levels import LEVELS, Element, expressions_of
from oncosearch.literature.parsing import parse
from oncosearch.literature.wording import Piece, cognate, date_limit, forms, looks_technical, pieces
from oncosearch.model import Node, UsageError
from oncosearch.text.stopwords import NEGATIONS, STOP_WORDS

MAX_QUESTION = 2000
_COMPARED = re.compile(
    r"\b(?:versus|vs\.?|compared (?:with|to)|instead of|rather than|gegenüber|verglichen mit|im vergleich (?:zu|mit)|"
    r"anstatt|statt)\b",
    re.IGNORECASE,
)
# What joins the parts of German compounds.
_LINKS = ("", "s", "es", "n", "en")
_SHORTEST_PART = 4


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A question as it is searched.

    Parameters
    ----------
    normal
        The question's elements in English, for models that read English only; the question where there are none.
    intent
        ``treatment``, ``diagnosis``, ``prognosis``, ``prevention``, ``cause``, ``harm`` or empty.
    dates, dates_text
        The limit of publication dates and the words that it was read from.
    kinds
        PubMed's publication types that are asked for.
    expressions
        Strict, clinical abstraction and loose, as PubMed reads them.
    by
        ``rules`` or ``model``.
    fallback
        Code of what kept the language model from writing it, empty if nothing did.
    """

    question: str
    language: str
    normal: str
    intent: str
    elements: tuple[Element, ...]
    expressions: tuple[str, str, str]
    dates: DateRange | None = None
    dates_text: str = ""
    kinds: tuple[str, ...] = ()
    by: str = "rules"
    fallback: str = ""

    @property
    def corrections(self) -> tuple[tuple[str, str], ...]:
        """Mistyped words and what they were read as."""
        return tuple((e.text, e.corrected) for e in self.elements if e.corrected)

    def of_role(self, role: str) -> tuple[Element, ...]:
        """Return the elements of one role (PICO), in order."""
        return tuple(e for e in self.elements if e.role == role)


def check_question(question: str) -> str:
    """Return the question on one line; UsageError where it is empty, too long, or holds stop words only."""
    plain = " ".join(question.split())
    if not plain:
        raise UsageError("The question is empty; type what you want to know.", code="empty_query")
    if len(plain) > MAX_QUESTION:
        raise UsageError(
            f"The question has {len(plain):,} characters; at most {MAX_QUESTION:,} are taken. Ask it shorter.",
            code="query_too_long",
            found=len(plain),
            limit=MAX_QUESTION,
        )
    if all(fold_name(p.text) in STOP_WORDS | NEGATIONS for p in pieces(plain)):
        raise UsageError(
            f"{plain[:80]!r} holds no word that could be searched for; name a disease, drug, gene or symptom.",
            code="stop_words_only",
        )
    return plain


def rewrite(question: str, concepts: Concepts | None = None, *, today: date | None = None) -> Rewrite:
    """Return the rewrite of a question in German or English, by rules.

    Parameters
    ----------
    concepts
        Names and nodes of the graph; without them everyday words and the question's own words are used.
    today
        From which "the last 5 years" count; today's date if not given.

    Raises
    ------
    UsageError
        ``empty_query``, ``query_too_long`` or ``stop_words_only``.
    """
    plain = check_question(question)
    language = language_of(plain)
    limit = date_limit(plain, today or datetime.now(UTC).date())
    kinds, kind_places = _study_kinds(plain)
    taken = [place for place in (limit[1] if limit else None, *kind_places) if place is not None]
    words = pieces(plain)
    free = {i for i, p in enumerate(words) if not any(a < p.end and p.start < b for a, b in taken)}
    elements = _elements(plain, words, free, concepts, language)
    elements = _compared(plain, elements)
    return _built(plain, language, elements, limit[0] if limit else None, limit, kinds)


def rewrite_node(node: Node, concepts: Concepts | None = None) -> Rewrite:
    """Return the rewrite that finds evidence for a node of the graph."""
    terms, broader, role = of_node(node, concepts)
    title = node.title.best("en") or node.id
    element = Element(title, 0, 0, role, terms or (title,), (), broader, "graph", (node.id,))
    return _built(title, node.title.best_language("en"), (element,), None, None, ())


def with_expressions(found: Rewrite, edited: Mapping[str, str], *, local: bool = False) -> Rewrite:
    """Return the rewrite with expressions that a person edited, by level; an empty text switches the level off.

    Raises
    ------
    ExpressionError
        With the position of what cannot be read.
    UsageError
        If a level is none of strict, abstraction and loose.
    """
    if unknown := sorted(set(edited) - set(LEVELS)):
        raise UsageError(f"There is no level {unknown[0]!r}; the levels are {', '.join(LEVELS)}.")
    for text in edited.values():
        if text.strip():
            parse(text, local=local)
    texts = tuple(edited.get(level, old).strip() for level, old in zip(LEVELS, found.expressions, strict=True))
    return replace(found, expressions=(texts[0], texts[1], texts[2]))


def _built(
    plain: str,
    language: str,
    elements: tuple[Element, ...],
    dates: DateRange | None,
    limit: tuple[DateRange, tuple[int, int]] | None,
    kinds: tuple[str, ...],
) -> Rewrite:
    intent = next((name for name, p in INTENTS if re.search(rf"\b(?:{p})", plain, re.IGNORECASE)), "")
    first, last = limit[1] if limit else (0, 0)
    return Rewrite(
        question=plain,
        language=language,
        normal=" ".join(dict.fromkeys(e.terms[0] for e in elements if e.origin != "german")) or plain,
        intent=intent,
        elements=elements,
        expressions=expressions_of(elements, dates, kinds),
        dates=dates,
        dates_text=plain[first:last],
        kinds=kinds,
    )


def _study_kinds(question: str) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    kinds: list[str] = []
    places: list[tuple[int, int]] = []
    for pattern, types in STUDY_KINDS:
        if match := re.search(rf"\b(?:{pattern})", question, re.IGNORECASE):
            kinds += types
            places.append(match.span())
    return tuple(kinds), places


def _elements(
    question: str, words: Sequence[Piece], free: set[int], concepts: Concepts | None, language: str
) -> tuple[Element, ...]:
    found: dict[int, tuple[int, Element]] = {}

    def is_free(first: int, last: int) -> bool:
        taken = {i for start, (end, _) in found.items() for i in range(start, end)}
        return all(i in free and i not in taken for i in range(first, last))

    everyday = _everyday(question, words)
    for match in recognise(question, words, concepts) if concepts is not None else ():
        # A longer everyday phrase says more than the graph's name of one of its words.
        longer = any(a <= match.first and match.last <= b and b - a > match.last - match.first for a, b, _ in everyday)
        if not longer and is_free(match.first, match.last):
            found[match.first] = (match.last, _of_graph(question, words, match))
    for first, last, entry in everyday:
        if is_free(first, last):
            text = question[words[first].start : words[last - 1].end]
            found[first] = (
                last,
                Element(
                    text, words[first].start, words[last - 1].end, entry.role, entry.terms, entry.mesh, (), "everyday"
                ),
            )
    open_ = [i for i in range(len(words)) if is_free(i, i + 1) and not _says_nothing(words[i].text)]
    for match in correct(words, open_, concepts) if concepts is not None else ():
        found[match.first] = (match.last, _of_graph(question, words, match))
    for i in open_:
        if i not in found:
            found[i] = (i + 1, _of_word(words[i], language))
    if not found:
        # A story of small words only: then these are what there is.
        for i, piece in enumerate(words):
            if i in free and fold_name(piece.text) not in STOP_WORDS | NEGATIONS:
                found[i] = (i + 1, _of_word(piece, ""))
    if not found:
        found = {i: (i + 1, _of_word(piece, "")) for i, piece in enumerate(words)}
    merged: dict[tuple[str, ...], Element] = {}
    for i in sorted(found):
        merged.setdefault(tuple(map(fold_name, found[i][1].terms)), found[i][1])
    return tuple(merged.values())


def _says_nothing(text: str) -> bool:
    folded = fold_name(text)
    if folded in STOP_WORDS or folded in NEGATIONS or folded in told_words():
        return True
    return len(folded) == 1 or folded.isdecimal()


def _of_graph(question: str, words: Sequence[Piece], match: Recognised) -> Element:
    start, end = words[match.first].start, words[match.last - 1].end
    entry = next((entries()[form] for form in map(fold_name, forms(question[start:end])) if form in entries()), None)
    terms = match.terms or (question[start:end],)
    if entry is not None:
        # What everybody says counts beside the graph's names, which may be a terminology's.
        known = {fold_name(term) for term in terms}
        terms = (*terms, *(term for term in entry.terms if fold_name(term) not in known))
    role = entry.role if entry is not None and match.role == "other" else match.role
    mesh = entry.mesh if entry is not None else ()
    return Element(
        question[start:end], start, end, role, terms, mesh, match.broader, "graph", match.node_ids, match.corrected
    )


def _of_word(piece: Piece, language: str) -> Element:
    terms, origin = (piece.text,), "word"
    if language == "de" and not looks_technical(piece.text):
        english = cognate(piece.text)
        terms, origin = ((english,), "cognate") if english else (terms, "german")
    role = "intervention" if _is_drug(piece.text) else "other"
    return Element(piece.text, piece.start, piece.end, role, terms, origin=origin)


def _is_drug(text: str) -> bool:
    return len(text) >= 7 and text.lower().endswith(
        ("mab", "nib", "platin", "taxel", "rubicin", "ciclib", "parib", "tecan", "zumab", "lisib", "xantrone", "fene")
    )


def _everyday(question: str, words: Sequence[Piece]) -> list[tuple[int, int, Entry]]:
    """Return (first, last, entry) of everyday words, the longest first at each place, compounds in their parts."""
    known = entries()
    found: list[tuple[int, int, Entry]] = []
    at = 0
    while at < len(words):
        for last in range(min(len(words), at + 6), at, -1):
            text = question[words[at].start : words[last - 1].end]
            keys = [fold_name(form) for form in forms(text)]
            if last - at > 1:
                keys.append(" ".join(fold_name(p.text) for p in words[at:last]))
            entry = next((known[key] for key in keys if key in known), None)
            if entry is not None and (len(text) > 2 or text.isupper()):
                found.append((at, last, entry))
                at = last
                break
        else:
            found += [(at, at + 1, entry) for entry in _compound(fold_name(words[at].text))[:1]]
            at += 1
    return found


def _compound(text: str) -> list[Entry]:
    """Return one entry that stands for a German compound of two known words, or nothing: ``Brustkrebsnachsorge``."""
    known = entries()
    for cut in range(len(text) - _SHORTEST_PART, _SHORTEST_PART - 1, -1):
        head = next(
            (known[text[: cut - len(e)]] for e in _LINKS if text[:cut].endswith(e) and text[: cut - len(e)] in known),
            None,
        )
        tail = next((known[form] for form in forms(text[cut:]) if form in known), None)
        if head is not None and tail is not None:
            both = tuple(f"{a} {b}" for a in head.terms[:3] for b in tail.terms[:2])
            role = head.role if head.role == "population" else tail.role
            return [Entry(role, both, head.mesh)]
    return []


def _compared(question: str, elements: tuple[Element, ...]) -> tuple[Element, ...]:
    """Return the elements, the first intervention after "versus", "instead of" … being the comparison."""
    match = _COMPARED.search(question)
    if match is None:
        return elements
    after = next((e for e in elements if e.role == "intervention" and e.start >= match.end()), None)
    before = any(e.role == "intervention" and e.end <= match.start() for e in elements)
    if after is None or not before:
        return elements
    return tuple(replace(e, role="comparison") if e is after else e for e in elements)


def years(start: int | None, end: int | None) -> DateRange | None:
    """Return the range of two years, either of which may be open, or None for none or a range that is no range."""
    if start is None and end is None:
        return None
    try:
        return published(str(start or 1000), str(end or 3000))
    except ValueError:
        return None
