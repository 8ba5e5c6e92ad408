"""Sentences of clinical German and English with their character ranges, without guessing the language.

A full stop ends a sentence unless what stands before it or after it says otherwise: an abbreviation ("z. B."),
an initial ("S. aureus"), an ordinal ("am 3. Mai"), a decimal, a small letter behind it. Headings, points of lists and
blank lines end one without any mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from oncosearch.text.abbreviations import (
    AFTER_ORDINAL,
    BEFORE_LETTER,
    BEFORE_ORDINAL,
    HEADINGS,
    MAYBE_LAST,
    MONTHS,
    NEVER_LAST,
    STARTERS,
    UNITS,
)

SPLITTER_ID = "sentences-de-en-1"

_QUOTES = "\"'“”„‚‘’«»‹›"
_CLOSING = "\"'“”‘’«»‹›)\\]"
_CITED = r"\[\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\]"
# A note number stuck to a word's full stop ("shown.12,13 The").
_NOTE = r"(?<=[^\W\d_]{3}\.)\d{1,3}(?:[,–-]\d{1,3})*(?=\s+[^\W\d_a-zäöü])"
# "observed.The next": publishers lose the space.
_GLUED = r"(?<=[^\W\d_]{2}[.!?])(?=[A-ZÄÖÜ][a-zäöü]+[ ,])"
_MARK = re.compile(rf"(?P<mark>\.{{3,}}|…|[.!?]+)(?:{_CITED}|{_NOTE})?[{_CLOSING}]*(?:\s+{_CITED})?(?=\s|$)|{_GLUED}")
_BEFORE = re.compile(r"(?:[^\W\d_]{1,3}\.\s?)*[^\s(\[{/" + _QUOTES + r"]*$")
_WORD_BEFORE = re.compile(r"([^\s()\[\]" + _QUOTES + r"]+)\s+[(\[" + _QUOTES + r"]*$")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_OPENING = re.compile(rf"[\s(\[{_QUOTES}]*")
_LOWER_START = re.compile(
    r"(?:p\d{2}\b|[a-z]{1,3}RNA|[a-z]{1,2}DNA|pH\b|[a-z]{1,2}-?[A-Z]|miR-|nab-|von\s[A-Z]|del\(|t\(\d)"
)
_POINT = re.compile(r"(?:[-–—•*▪◦·‣o]|\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})\)|\d{1,2}\.)\s+(?=\S)")
_NUMBERED = re.compile(r"\d{1,2}(?:\.\d{1,2})+\.?\s+[A-ZÄÖÜ]|\d{1,2}\.?\s+[A-ZÄÖÜ]|#{1,6}\s")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_DATE_GOES_ON = re.compile(r"\d{1,2}\.|(?:19|20)\d\d\b")
_LOOK_BACK, _LONGEST_BRACKET, _LONGEST_HEADING, _LONGEST_WRAPPED = 48, 400, 80, 160


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its text, which is ``whole[start:end]``, without white space around it."""

    text: str
    start: int
    end: int


def split_sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of a text in order; between two of them there is nothing but white space.

    Any text is accepted; one of white space alone has none. The language need not be named: both lists of
    abbreviations hold everywhere.
    """
    found: list[Sentence] = []
    for start, end in _lines(text):
        begin = start
        for stop in (*_ends(text, start, end), end):
            piece = text[begin:stop]
            inner = piece.strip()
            if inner:
                first = begin + len(piece) - len(piece.lstrip())
                found.append(Sentence(inner, first, first + len(inner)))
            begin = stop
    return tuple(found)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges that no sentence crosses: paragraphs, headings, points of lists.

    Lines are joined as wrapped ones unless they are long: then each is a paragraph.
    """
    start = 0
    for match in (*_BLANK.finditer(text), None):
        end = len(text) if match is None else match.start()
        yield from _lines_of(text, start, end)
        if match is not None:
            start = match.end()


def _lines_of(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    line = begin = start
    while (stop := text.find("\n", line, end)) != -1:
        following = text[stop + 1 : min(end, stop + 1 + _LOOK_BACK)].lstrip(" \t")
        next_line = text.find("\n", stop + 1, end)
        paragraphs = max(stop - line, (end if next_line == -1 else next_line) - stop) > _LONGEST_WRAPPED
        if paragraphs or _POINT.match(following) or _is_heading(text[line:stop].strip(), following):
            yield begin, stop
            begin = stop + 1
        line = stop + 1
    yield begin, end


def _is_heading(line: str, following: str) -> bool:
    if not line or len(line) > _LONGEST_HEADING or not following or following[0].islower():
        return False
    if line.endswith(":"):
        return True
    if line[-1] in ".!?,;" or line[0].islower():
        return False
    letters = [c for c in line if c.isalpha()]
    if len(letters) > 3 and all(c.isupper() for c in letters):
        return True
    words = _WORD.findall(line)
    if words and len(words) <= 4 and words[0].lower() in HEADINGS and (len(words) == 1 or "&" in line):
        return True
    return len(words) <= 8 and _NUMBERED.match(line) is not None


def _ends(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences end within a range, its own end excepted."""
    closed = _brackets(text, start, end)
    label = _POINT.match(text, start + len(text[start:end]) - len(text[start:end].lstrip()), end)
    first = label.end() if label else start
    begin = start
    for stop, dot in _candidates(text, first, end):
        while closed and closed[0][1] <= dot:
            closed.pop(0)
        if closed and closed[0][0] < dot and text[begin : closed[0][0]].strip():
            continue
        if _is_end(text, begin, dot, stop, end):
            yield stop
            begin = stop


def _candidates(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield (end of sentence, place of its mark) for every place that may end one."""
    for match in _MARK.finditer(text[start:end]):
        stop = start + match.end()
        if stop < end:
            yield stop, start + (match.start() if match["mark"] else match.end() - 1)


def _brackets(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of outermost round brackets that close within a sentence's length."""
    found: list[tuple[int, int]] = []
    opened: list[int] = []
    for match in re.finditer(r"[()]", text[start:end]):
        place = start + match.start()
        if match[0] == "(":
            opened.append(place)
        elif opened:
            begin = opened.pop()
            if place - begin <= _LONGEST_BRACKET:
                while found and found[-1][0] > begin:
                    found.pop()
                found.append((begin, place))
    return found


def _is_end(text: str, begin: int, dot: int, stop: int, end: int) -> bool:
    opening = _OPENING.match(text, stop, end)
    place = opening.end() if opening else stop
    if place >= end:
        return True
    ahead = text[place : place + _LOOK_BACK]
    word = _WORD.match(ahead)
    following = word[0].lower() if word else ""
    lower = ahead[0].islower() and not _LOWER_START.match(ahead) and not "α" <= ahead[0] <= "ω"
    mark = text[dot]
    if mark != "." or text.startswith("...", dot):
        return not lower
    if lower:
        return False
    behind = text[max(begin, dot - _LOOK_BACK) : dot]
    found = _BEFORE.search(behind)
    token = found[0] if found else ""
    if "(" in text[stop:place] and _last_piece(token) in UNITS:
        # "18.9 mo. (95% CI …)"
        return False
    return _stop_ends(token, behind[: len(behind) - len(token)], following, ahead)


def _stop_ends(token: str, before: str, following: str, ahead: str) -> bool:
    """Return whether the full stop after ``token`` ends a sentence, given what stands before and after it."""
    short = "".join(token.split()).lower()
    last = _last_piece(token)
    starts = following in STARTERS and ahead[0].isupper()
    previous = _WORD_BEFORE.search(f"{before} ")
    earlier = previous[1].lower() if previous else ""
    if short.isdecimal():
        return _number_ends(last, earlier, following, starts, ahead)
    if len(last) > 1 and token.isupper() and "." not in token:
        return True
    if last in UNITS and earlier[-1:].isdecimal():
        return True
    if short in NEVER_LAST or last in NEVER_LAST:
        return last == "no" and not following[:1].isdecimal()
    if short in MAYBE_LAST or (last in MAYBE_LAST and "." not in short):
        return starts
    if len(last) == 1 and last.isalpha():
        if "." not in short and earlier in BEFORE_LETTER:
            return True
        return starts and not ("." in short and len(short) == 3)
    return True


def _last_piece(token: str) -> str:
    return re.split(r"[.-]", "".join(token.split()).lower())[-1]


def _number_ends(number: str, earlier: str, following: str, starts: bool, ahead: str) -> bool:
    if len(number) > 3:
        return True
    if not earlier or following in MONTHS or following in AFTER_ORDINAL:
        return False
    if len(number) <= 2 and _DATE_GOES_ON.match(ahead):
        return False
    return starts or earlier not in BEFORE_ORDINAL
