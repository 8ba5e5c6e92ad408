"""The one tokeniser for clinical German and English: lexical search, contributions and highlights all use it.

A term is the folded and stemmed word. Around it: what belongs together stays together (``PD-L1``, ``5-FU``,
``C50.9``, ``p.V600E``, ``HER2/neu``, ``t(9;22)``), a marker keeps its sign (``ER+`` is not ``ER−``; ``HER2-negativ``,
``HER2 negativ`` and ``HER2−`` are the same term ``her2-``), and parts of longer words stand beside the word with less
weight. Everything that changes the terms changes :data:`TOKENISER_ID`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from oncosearch.text.compounds import CompoundSplitter
from oncosearch.text.normalise import MINUS, fold, normalise, stem, stemmer_version
from oncosearch.text.stopwords import NEGATIONS, STOP_WORDS, generic_stems

TOKENISER_ID = "de-en-1"
WHOLE, JOINED_PART, COMPOUND_PART = 1.0, 0.6, 0.4
GENERIC_FACTOR = 0.5
_MAX_ANALYSED = 100

_PIECE = r"[^\W_]+"
_HGVS = r"[A-Za-z0-9*](?:[A-Za-z0-9_*>=]|[-+](?=\d))*"
_SCANNER = re.compile(
    rf"""
    (?P<karyotype>(?<!\w)(?:t|inv|del|dup|der|ins|add|idic|i)
        \(\s*[0-9XYxy][0-9XYxypq.;:,\s]{{0,30}}\)(?:\([0-9pq.;,\s]{{1,40}}\))?)
  | (?P<hgvs>(?<![\w.])[pcgmnr]\.(?=[^\s]{{0,12}}\d)(?:{_HGVS}|\({_HGVS}\)))
  | (?P<dotted>(?<!\w)(?:[^\W\d_]\.){{2,}})
  | (?P<word>{_PIECE}(?:(?:[-{MINUS}/]|::|(?<=\d)[.,+](?=\d)){_PIECE})*)(?:'s(?!\w))?
    """,
    re.VERBOSE,
)
_ENDINGS = ("", "e", "er", "es", "en", "em")
_POLARITY = {f"{word}{ending}": sign for word, sign in (("positiv", "+"), ("negativ", "-")) for ending in _ENDINGS}
_POLARITY |= {"pos": "+", "neg": "-"}
_POLAR_ENDING = re.compile(r"([a-z0-9]{3,}?)(positiv|negativ)(?:e|er|es|en|em)?")
_HYPHENS = re.compile(rf"[-{MINUS}]")
_SMALL_MARKERS = frozenset({"er", "pr", "pgr", "hr", "ar", "her2", "alk", "msi"})
# "ER- und PR-positiv": the hyphen stands for the rest of the next word, it is no sign.
_CUT_BEFORE_WORD = re.compile(r"\s*(?:und|oder|bzw\.?|sowie|bis|and|or|to)\s+(\S+)", re.IGNORECASE)
_CUT_BEFORE_JOINED = re.compile(r"\s*[/,]\s*\w+-\w")
# Adjectives that name another disease when negated; "nicht kleinzellig" is one word whatever its spelling.
_NEGATED_ADJECTIVES = ("kleinzell", "hodgkin", "seminom", "muskelinvasiv", "resektab", "resezierbar", "small", "muscle")
_NON = frozenset({"non", "nicht"})


class Token(NamedTuple):
    """One term of a text. A tuple, not a dataclass, because a large graph has ten million of them.

    ``start`` and ``end`` give the whole word in the original text, also for its parts: tokens with the same range
    come from one word. ``weight`` is 1 for a whole word, less for a part. ``generic`` marks a part that names only a
    kind ("Krebs" in "Lungenkrebs").
    """

    term: str
    start: int
    end: int
    weight: float = WHOLE
    part: bool = False
    generic: bool = False


def tokeniser_version() -> str:
    """Return what the terms depend on: our rules and the version of the stemmer."""
    return f"{TOKENISER_ID}/snowball-{stemmer_version()}"


def tokenise(text: str, *, splitter: CompoundSplitter | None = None) -> list[Token]:
    """Return the tokens of a text in the order of their words, a whole word before its parts.

    Stop words are dropped, negations are kept. Any text is accepted.

    Parameters
    ----------
    text
        German or English, or both.
    splitter
        Splits compounds; without it words are not split (parts of hyphenated words are found all the same).
    """
    tokens: list[Token] = []
    places_text, places = normalise(text)
    for surface, start, end in _words(places_text):
        begin, stop = (start, end) if places is None else (places[start][0], places[end - 1][1])
        tokens.extend(
            Token(term, begin, stop, weight, part, generic)
            for term, weight, part, generic in _analyse(surface, splitter)
        )
    return tokens


def words(text: str) -> Iterator[str]:
    """Return the words of a text in order, stop words too, as :func:`tokenise` sees them; none holds a line break."""
    return (surface for surface, _, _ in _words(normalise(text)[0]))


def is_only_stop_words(text: str) -> bool:
    """Return whether the text has words and all of them are stop words; False for a text without any word."""
    normal, _ = normalise(text)
    return _SCANNER.search(normal) is not None and not tokenise(text)


def _words(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield (surface with its sign, start, end) of each word of a normalised text, merged where two make one."""
    held: tuple[str, int, int] | None = None
    for surface, start, end in _raw_words(text):
        if held is not None and _is_gap(text[held[2] : start]):
            merged = _merge(held[0], surface)
            if merged is not None:
                held = (merged, held[1], end)
                continue
        if held is not None:
            yield held
        held = (surface, start, end)
    if held is not None:
        yield held


def _is_gap(between: str) -> bool:
    return between.isspace() and "\n" not in between


def _merge(left: str, right: str) -> str | None:
    """Return the one surface of "HER2 negativ" or "nicht kleinzellig", or None."""
    low = fold(left)
    word = fold(right)
    if word in _POLARITY:
        joinable = not (left.endswith(("+", MINUS)) or low in STOP_WORDS or low in NEGATIONS or _is_polar(low))
        return left + (MINUS if _POLARITY[word] == "-" else "+") if joinable else None
    if (low == "non" and word[:1].isalpha()) or (low == "nicht" and word.startswith(_NEGATED_ADJECTIVES)):
        return f"{left}-{right}"
    return None


def _is_polar(low: str) -> bool:
    return low in _POLARITY or _HYPHENS.split(low)[-1] in _POLARITY or _POLAR_ENDING.fullmatch(low) is not None


def _raw_words(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _SCANNER.finditer(text):
        start, end = match.span()
        kind = match.lastgroup
        if kind != "word":
            surface = match[0]
            if kind == "karyotype":
                surface = "".join(surface.split())
            elif kind == "hgvs":
                surface = surface.replace("(", "").replace(")", "")
            else:
                surface = surface.replace(".", "")
            yield surface, start, end
            continue
        word = match["word"]
        for first, last in _slash_pieces(word):
            piece = word[first:last]
            begin, stop = start + first, start + last
            if last == len(word):
                sign, width = _sign(piece, text, stop)
                yield piece + sign, begin, stop + width
            else:
                yield piece, begin, stop


def _slash_pieces(word: str) -> list[tuple[int, int]]:
    """Return the ranges of what stays together around slashes: ``HER2/neu`` does, ``Diagnose/Therapie`` does not."""
    if "/" not in word:
        return [(0, len(word))]
    pieces: list[tuple[int, int]] = []
    start = 0
    for segment in word.split("/"):
        end = start + len(segment)
        if pieces and _belong_together(word[pieces[-1][0] : pieces[-1][1]].rsplit("/", 1)[-1], segment):
            pieces[-1] = (pieces[-1][0], end)
        else:
            pieces.append((start, end))
        start = end + 1
    return pieces


def _belong_together(left: str, right: str) -> bool:
    if fold(left) in STOP_WORDS or fold(right) in STOP_WORDS:
        return False
    return any(len(s) <= 3 or any(c.isdigit() for c in s) for s in (left, right))


def _sign(word: str, text: str, end: int) -> tuple[str, int]:
    """Return the sign that stands directly after a word (``+``, the minus sign or nothing) and its width."""
    rest = text[end : end + 60]
    if rest.startswith("+"):
        width = len(rest) - len(rest.lstrip("+"))
        return ("", 0) if rest[width : width + 1].isalnum() else ("+", width)
    if not rest.startswith(("-", MINUS)) or rest[1:2].isalnum():
        return "", 0
    if rest[0] == MINUS:
        return MINUS, 1
    return (MINUS, 1) if _is_marker(word) and not _is_cut(rest[1:]) else ("", 0)


def _is_marker(word: str) -> bool:
    """Return whether a trailing hyphen after this word can mean "negative": ``HER2-`` yes, ``Brust-`` no."""
    last = word.rsplit("/", 1)[-1]
    if last.lower() in _SMALL_MARKERS:
        return True
    capitals = sum(c.isupper() for c in last)
    mixed = any(c.isdigit() for c in last) and any(c.isalpha() for c in last)
    return len(last) <= 8 and (mixed or (capitals >= 2 and last.isupper()))


def _is_cut(rest: str) -> bool:
    following = _CUT_BEFORE_WORD.match(rest)
    if following is not None:
        return not following[1].rstrip(".,;:)").endswith(("-", "+", MINUS))
    return _CUT_BEFORE_JOINED.match(rest) is not None


def analyse(surface: str, splitter: CompoundSplitter | None) -> tuple[tuple[str, float, bool, bool], ...]:
    """Return (term, weight, part, generic) of one word of :func:`words`, the whole first; nothing for a stop word.

    Weights are whole tenths.
    """
    if surface.isdecimal() and surface.isascii():
        # Nothing is in a number but the number, and of all distinct words numbers are the most.
        return ((surface, WHOLE, False, False),)
    base, sign = _take_sign(surface)
    if not sign and fold(base) in STOP_WORDS:
        return ()
    whole = _whole(base) + sign
    parts: dict[str, float] = {}

    def add(term: str, weight: float) -> None:
        if term != whole and term and not (len(term) == 1 and len(base) > 1):
            parts[term] = max(weight, parts.get(term, 0.0))

    if len(surface) <= _MAX_ANALYSED:
        if sign:
            add(_whole(base), COMPOUND_PART)
        for term, weight in _parts_of(base, sign, splitter):
            add(term, weight)
    out = [(whole, WHOLE, False, False)]
    for term, weight in parts.items():
        generic = term in generic_stems()
        out.append((term, weight * GENERIC_FACTOR if generic else weight, True, generic))
    return tuple(out)


_analyse = lru_cache(maxsize=1 << 18)(analyse)


def _take_sign(surface: str) -> tuple[str, str]:
    if len(surface) > 1 and surface[-1] in ("+", MINUS):
        return surface[:-1], "+" if surface[-1] == "+" else "-"
    head, hyphen, tail = surface.replace(MINUS, "-").rpartition("-")
    if hyphen and head and fold(tail) in _POLARITY:
        return surface[: len(head)], _POLARITY[fold(tail)]
    ending = _POLAR_ENDING.fullmatch(fold(surface))
    if ending is not None:
        return ending[1], "+" if ending[2] == "positiv" else "-"
    return surface, ""


def _whole(base: str) -> str:
    """Return the one term of a word: letters only are written together and stemmed, codes keep their joints."""
    return "/".join(_hyphenated([fold(s) for s in _HYPHENS.split(slash)]) for slash in base.split("/"))


def _hyphenated(segments: list[str]) -> str:
    if all(s.isalpha() for s in segments):
        return stem("".join(segments))
    return "-".join([*segments[:-1], stem(segments[-1])]).replace(",", ".")


def _parts_of(base: str, sign: str, splitter: CompoundSplitter | None) -> Iterator[tuple[str, float]]:
    if len(base) > 2 and base[1] == "." and base[0] in "pcgmnr":
        yield fold(base[2:]), JOINED_PART
        return
    if "(" in base:
        head = base[: base.index(")") + 1]
        yield fold(head), JOINED_PART
        return
    slashes = base.split("/")
    for slash in slashes:
        if len(slashes) > 1:
            if sign:
                yield _whole(slash) + sign, JOINED_PART
            yield from _worth(_whole(slash), JOINED_PART)
        clusters = _clusters(_HYPHENS.split(slash))
        for cluster in clusters:
            if len(clusters) > 1:
                yield from _worth(_hyphenated([fold(s) for s in cluster]), JOINED_PART)
            yield from _inside(cluster, splitter)


def _worth(term: str, weight: float) -> Iterator[tuple[str, float]]:
    if term not in STOP_WORDS:
        yield term, weight


def _inside(cluster: list[str], splitter: CompoundSplitter | None) -> Iterator[tuple[str, float]]:
    folded = [fold(s) for s in cluster]
    if len(cluster) > 1:
        closed = "".join(folded)
        if not closed.isalpha() and not closed.isdecimal():
            # "PD-L1" and "PDL1", "HER-2" and "HER2" meet here.
            yield closed, JOINED_PART
        if folded[0] in _NON:
            return
        for segment in folded:
            if len(segment) >= 3 and segment.isalpha():
                yield from _worth(stem(segment), COMPOUND_PART)
    for segment in folded:
        if "::" in segment:
            for gene in segment.split("::"):
                yield from _worth(stem(gene), JOINED_PART)
        elif "." in segment and segment[0].isalpha():
            yield segment.split(".", 1)[0], COMPOUND_PART
        elif splitter is not None and segment.isalpha():
            for part in (*splitter.split(segment), *splitter.inner_words(segment)):
                yield from _worth(stem(part), COMPOUND_PART)


def _clusters(segments: list[str]) -> list[list[str]]:
    """Return hyphenated segments, those together that name one thing: ``PD L1 | Expression``, ``Non Hodgkin | …``."""
    clusters: list[list[str]] = []
    for segment in segments:
        if clusters and _one_name(clusters[-1], segment):
            clusters[-1].append(segment)
        else:
            clusters.append([segment])
    return clusters


def _one_name(cluster: list[str], right: str) -> bool:
    left = cluster[-1]
    if len(cluster) == 1 and fold(left) in _NON:
        return True
    if right.isdecimal() or len(right) == 1:
        return not left.isdecimal() and len(left) <= 5
    if len(cluster) > 1:
        return False
    if left.isdecimal() or len(left) == 1:
        return True
    return len(left) == 2 and left.isalpha() and len(right) <= 3 and any(c.isdigit() for c in right)
