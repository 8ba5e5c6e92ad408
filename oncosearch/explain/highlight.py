"""Which words matched, and where: segments of text for a screen to mark, never markup."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from oncosearch.model import Node
from oncosearch.text import Token, counted, lexical_fields, tokenise

Segments = list[tuple[str, bool]]
Tokenise = Callable[[str], list[Token]]
ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Match:
    """A word of a node that a query met.

    ``word`` is the word as it stands in the node; ``whole`` is False where only parts of words met ("Lunge" in
    "Lungenkrebs"). For ``Synonyms``, ``synonym`` is the synonym it stands in and ``scope`` and ``language`` are its.
    """

    field: str
    word: str
    whole: bool = True
    synonym: str | None = None
    scope: str | None = None
    language: str | None = None


def matched_terms(
    query_tokens: Sequence[Token], fields: Sequence[tuple[str, str]], tokenise: Tokenise = tokenise
) -> frozenset[str]:
    """Return the query terms that count against a node given by its (field, text) pairs."""
    present = {token.term for _, text in fields for token in tokenise(text)}
    return frozenset(token.term for token in counted(query_tokens, present))


def highlight(
    text: str,
    query_tokens: Sequence[Token],
    tokenise: Tokenise = tokenise,
    *,
    terms: Container[str] | None = None,
) -> Segments:
    """Return the text in segments (text, whether it matched); joined they are the text.

    A word is marked whole, also where only a part of it matched. Neighbouring segments differ in their mark.

    Parameters
    ----------
    terms
        The terms that count for the whole node (:func:`matched_terms`). Without it this text alone decides whether
        a generic part ("Krebs" of "Lungenkrebs") counts.
    """
    tokens = tokenise(text)
    if terms is None:
        terms = _counted_here(query_tokens, tokens)
    return _segments(text, _ranges(tokens, terms))


def matches(query_tokens: Sequence[Token], node: Node, tokenise: Tokenise = tokenise) -> tuple[Match, ...]:
    """Return the matched words of a node in field order, each once per field (or synonym)."""
    fields = lexical_fields(node)
    terms = matched_terms(query_tokens, fields, tokenise)
    found: dict[tuple[str, ...], Match] = {}

    def note(field: str, text: str, synonym: str | None, scope: str | None, language: str | None) -> None:
        for word, whole in _words(text, tokenise(text), terms, query_tokens):
            match = Match(field, word, whole, synonym, scope, language)
            found.setdefault((field, word.casefold(), synonym or "", scope or ""), match)

    for field, text in fields:
        if field == "Synonyms":
            for synonym in node.synonyms:
                if synonym.text == text:
                    note(field, text, text, synonym.scope, synonym.language)
        else:
            note(field, text, None, None, None)
    return tuple(found.values())


def snippet(
    text: str,
    query_tokens: Sequence[Token],
    tokenise: Tokenise = tokenise,
    *,
    width: int = 240,
    terms: Container[str] | None = None,
    idf: Callable[[str], float] | None = None,
) -> Segments:
    """Return the stretch of about ``width`` characters that says most about the query, as :func:`highlight` would.

    The stretch with the highest sum of weight · idf over its distinct matched terms is taken, of equal ones the first;
    without any match the beginning. It is cut between words; what is cut off is shown as an unmarked ``…``.
    """
    if len(text) <= width:
        return highlight(text, query_tokens, tokenise, terms=terms)
    tokens = tokenise(text)
    terms = _counted_here(query_tokens, tokens) if terms is None else terms
    hits = [token for token in tokens if token.term in terms]
    start, end = _window(text, _best_start(hits, width, idf), width)
    inside = [(max(a, start) - start, min(b, end) - start) for a, b in _ranges(hits, terms) if a < end and b > start]
    segments = _segments(text[start:end], inside)
    if start > 0:
        segments.insert(0, (ELLIPSIS, False))
    if end < len(text):
        segments.append((ELLIPSIS, False))
    return segments


def _counted_here(query_tokens: Sequence[Token], tokens: Sequence[Token]) -> frozenset[str]:
    return frozenset(t.term for t in counted(query_tokens, {t.term for t in tokens}))


def _ranges(tokens: Sequence[Token], terms: Container[str]) -> list[tuple[int, int]]:
    """Return the ranges of matched words, in order and without overlap."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted({(t.start, t.end) for t in tokens if t.term in terms}):
        if ranges and start < ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def _segments(text: str, ranges: Sequence[tuple[int, int]]) -> Segments:
    segments: Segments = []
    place = 0
    for start, end in ranges:
        for piece, marked in ((text[place:start], False), (text[start:end], True)):
            if not piece:
                continue
            if segments and segments[-1][1] == marked:
                segments[-1] = (segments[-1][0] + piece, marked)
            else:
                segments.append((piece, marked))
        place = end
    if place < len(text):
        segments.append((text[place:], False))
    return segments


def _words(
    text: str, tokens: Sequence[Token], terms: Container[str], query_tokens: Sequence[Token]
) -> Iterator[tuple[str, bool]]:
    asked_whole = {token.term for token in query_tokens if not token.part}
    whole: dict[tuple[int, int], bool] = {}
    for token in tokens:
        if token.term in terms:
            place = (token.start, token.end)
            whole[place] = whole.get(place, False) or (not token.part and token.term in asked_whole)
    for (start, end), is_whole in sorted(whole.items()):
        yield text[start:end], is_whole


def _best_start(hits: Sequence[Token], width: int, idf: Callable[[str], float] | None) -> int:
    best_value, best_place = 0.0, 0
    for first, token in enumerate(hits):
        if first and hits[first - 1].start == token.start:
            continue
        worth: dict[str, float] = {}
        last = token.end
        for other in hits[first:]:
            if other.end - token.start > width:
                break
            last = other.end
            value = other.weight * (idf(other.term) if idf is not None else 1.0)
            worth[other.term] = max(value, worth.get(other.term, 0.0))
        value = sum(worth.values())
        if value > best_value:
            # The matched words stand in the middle of the stretch, not at its edge.
            best_value, best_place = value, max(0, token.start - (width - (last - token.start)) // 2)
    return best_place


def _window(text: str, start: int, width: int) -> tuple[int, int]:
    start = max(0, min(start, len(text) - width))
    end = min(len(text), start + width)
    if start > 0:
        space = text.find(" ", start, start + 30)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(start, end - 30), end)
        end = space if space > start else end
    return start, end
