"""Blocks of a long text: SEOS (semantic-enhanced overlapping segmentation) and fixed splitting, one value for both.

SEOS follows section 3.3 of the CoMeta paper (arXiv 2412.14751) as far as it is told there: a token budget gives the
number of blocks, the breaks are the places of lowest similarity between neighbouring sentences, and no threshold
decides. What the paper leaves open is said where it is decided here. No encoder is known in this room: embeddings come
as an array and token counts from a function.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from oncosearch.model import UsageError
from oncosearch.text.sentences import Sentence, split_sentences

SEGMENTS_ID = "seos-1"
MOST_OVERLAP = 2
# A break this many standard deviations below the mean similarity of its text is a clean one: nothing is carried over.
CLEAN_BREAK = 2.0
_SAME_SIMILARITY = 6
_WORD = re.compile(r"\S+")

Floats = npt.NDArray[np.floating]
CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document: ``text`` is ``whole[start:end]``.

    Parameters
    ----------
    id
        Document, ``#`` and the number of the block, from 1.
    sentences
        First sentence and the one after the last, as positions in ``split_sentences(whole)``.
    tokens
        What the count function says of ``text``.
    overlap
        How many characters at its beginning also stand in the block before.
    previous, next
        Ids of the neighbouring blocks, None at the ends.
    """

    id: str
    document: str
    text: str
    start: int
    end: int
    sentences: tuple[int, int]
    tokens: int
    overlap: int = 0
    previous: str | None = None
    next: str | None = None


def neighbour_similarities(embeddings: Floats, window: int = 1) -> Floats:
    """Return the cosine between each sentence and the next, float64 [sentences − 1].

    Parameters
    ----------
    embeddings
        One row a sentence; rows need not have length 1, a zero row is like nothing (cosine 0).
    window
        With more than 1, the means of up to so many sentences on each side of the gap are compared (TextTiling's
        blocks), which is calmer where sentences are short.
    """
    rows = np.asarray(embeddings, np.float64)
    if rows.ndim != 2:
        raise ValueError(f"embeddings have {rows.ndim} dimensions, expected [sentences, dimension]")
    if window < 1:
        raise ValueError(f"window is {window}, expected 1 or more")
    rows = _unit(rows)
    gaps = range(1, len(rows))
    left = np.array([rows[max(0, g - window) : g].mean(axis=0) for g in gaps]).reshape(-1, rows.shape[1])
    right = np.array([rows[g : g + window].mean(axis=0) for g in gaps]).reshape(-1, rows.shape[1])
    return np.asarray((_unit(left) * _unit(right)).sum(axis=1))


def blocks_needed(sentences: Sequence[Sentence], count_tokens: CountTokens, budget: int) -> int:
    """Return N = ⌈tokens / budget⌉, both without the model's prompt and marks; 0 for no sentences."""
    empty = count_tokens("")
    return math.ceil(sum(max(0, count_tokens(s.text) - empty) for s in sentences) / max(1, budget - empty))


def segment(
    text: str,
    similarities: Floats,
    count_tokens: CountTokens,
    *,
    budget: int = 256,
    limit: int | None = None,
    most_overlap: int = MOST_OVERLAP,
    document: str = "",
    sentences: Sequence[Sentence] | None = None,
) -> tuple[Block, ...]:
    """Return the SEOS blocks of a text in order; together they hold all of it but white space between sentences.

    The number of blocks is N = ⌈tokens / budget⌉, and the breaks are the N − 1 gaps of lowest similarity, the earlier
    of equals (to six decimals). A block beyond ``limit`` is broken again in the same way, at its own lowest gaps; a
    sentence beyond it is cut between words. Only the order of similarities and their distances in units of their own
    spread matter, so adding a constant to all changes nothing.

    Overlap: a break at similarity s carries over ⌈most_overlap · (1 − z / 2)⌉ sentences of the block before, between 0
    and ``most_overlap``, with z = (mean − s) / standard deviation over the text's gaps. So a clean break carries
    nothing, and one that the budget forces into continuous text carries most. Where all similarities are equal nothing
    speaks for a break, and z is 0; with fewer than five gaps none can be so far below the mean as to be clean. The
    block before is never carried over whole, and no more than fits in the limit.

    Parameters
    ----------
    similarities
        One a gap between sentences, as from :func:`neighbour_similarities`.
    count_tokens
        Tokens of a text for the model, with its prompt and marks, as ``Encoder.count_tokens``.
    budget, limit
        Tokens that a block should have on average, and those it may have at most (the model's limit); ``limit`` is the
        budget where it is not given.
    sentences
        Those of ``text``, if they are known already.

    Raises
    ------
    ValueError
        If there is not one similarity a gap, or one of them is not finite.
    UsageError
        If the limit leaves no room for text.
    """
    units = tuple(split_sentences(text) if sentences is None else sentences)
    limit = budget if limit is None else limit
    _check_sizes(budget, limit, most_overlap, count_tokens)
    values = np.asarray(similarities, np.float64).reshape(-1)
    if len(values) != max(0, len(units) - 1):
        raise ValueError(f"{len(values)} similarities for {len(units)} sentences, expected {max(0, len(units) - 1)}")
    if not np.isfinite(values).all():
        raise ValueError("a similarity is not a finite number")
    if not units:
        return ()
    levels = np.round(values - values.min(), _SAME_SIMILARITY) if len(values) else values

    def tokens(first: int, last: int) -> int:
        return count_tokens(text[units[first].start : units[last - 1].end])

    runs: list[tuple[int, int]] = []
    waiting = _parts(levels, 0, len(units), blocks_needed(units, count_tokens, budget))
    while waiting:
        first, last = waiting.pop()
        if last - first == 1 or tokens(first, last) <= limit:
            runs.append((first, last))
        else:
            needed = blocks_needed(units[first:last], count_tokens, budget)
            waiting += _parts(levels, first, last, max(2, needed))
    pieces: list[tuple[int, int, tuple[int, int]]] = []
    for number, (first, last) in enumerate(runs):
        if tokens(first, last) > limit:
            cuts = _windows(text, units[first].start, units[last - 1].end, count_tokens, limit, 0)
            pieces += [(start, end, (first, last)) for start, end in cuts]
            continue
        carried = 0
        if number and most_overlap and len(levels):
            carried = min(_overlap(levels, first - 1, most_overlap), first - runs[number - 1][0] - 1)
        while carried > 0 and tokens(first - carried, last) > limit:
            carried -= 1
        carried = max(0, carried)
        pieces.append((units[first - carried].start, units[last - 1].end, (first - carried, last)))
    return _blocks(text, pieces, count_tokens, document)


def fixed_blocks(
    text: str,
    count_tokens: CountTokens,
    *,
    size: int = 512,
    overlap: int = 0,
    document: str = "",
) -> tuple[Block, ...]:
    """Return blocks of as many whole words as ``size`` tokens hold, each beginning ``overlap`` tokens back.

    The usual splitting that SEOS is compared with. The overlap is at most so many tokens, in whole words; a word that
    is longer than a block is cut.

    Raises
    ------
    UsageError
        If the overlap is negative or not smaller than the room in a block.
    """
    _check_sizes(size, size, overlap, count_tokens)
    if overlap >= size - count_tokens(""):
        raise UsageError(f"overlap {overlap} leaves no room in blocks of {size} tokens")
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    if start >= end:
        return ()
    units = split_sentences(text)
    starts = np.array([s.start for s in units])
    ends = np.array([s.end for s in units])
    pieces = []
    for first, last in _windows(text, start, end, count_tokens, size, overlap):
        touched = (int(np.searchsorted(ends, first, "right")), int(np.searchsorted(starts, last, "left")))
        pieces.append((first, last, touched))
    return _blocks(text, pieces, count_tokens, document)


def _unit(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True) if len(rows) else np.ones((0, 1))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def _check_sizes(budget: int, limit: int, overlap: int, count_tokens: CountTokens) -> None:
    if overlap < 0:
        raise UsageError(f"overlap is {overlap}, expected 0 or more")
    empty = count_tokens("")
    if min(budget, limit) <= empty:
        raise UsageError(f"a block of {min(budget, limit)} tokens holds no text: an empty one has {empty} already")


def _parts(levels: npt.NDArray[np.float64], first: int, last: int, wanted: int) -> list[tuple[int, int]]:
    """Return the ``wanted`` parts between the lowest gaps, the earlier of equals; the first part comes last."""
    order = np.argsort(levels[first : last - 1], kind="stable")[: max(0, wanted - 1)]
    edges = [first, *sorted(first + 1 + int(gap) for gap in order), last]
    return list(pairwise(edges))[::-1]


def _overlap(levels: npt.NDArray[np.float64], gap: int, most: int) -> int:
    spread = float(levels.std())
    below = (float(levels.mean()) - float(levels[gap])) / spread if spread > 10.0**-_SAME_SIMILARITY else 0.0
    return min(most, max(0, math.ceil(most * (1 - below / CLEAN_BREAK))))


def _windows(
    text: str, start: int, end: int, count_tokens: CountTokens, size: int, overlap: int
) -> list[tuple[int, int]]:
    """Return ranges within ``size`` tokens that cover ``text[start:end]``, at ends of words where that is possible."""
    words = [(start + m.start(), start + m.end()) for m in _WORD.finditer(text[start:end])]
    begins, ends = [b for b, _ in words], [e for _, e in words]
    empty = count_tokens("")
    found: list[tuple[int, int]] = []
    begin = done = start
    while done < end:
        following = bisect_right(ends, done)
        stop = _furthest(text, begin, ends, following, count_tokens, size)
        if stop is None and begin < done:
            # No word fits behind what was carried over.
            begin = done
            continue
        if stop is None:
            stop = _furthest(text, begin, range(begin + 1, ends[following] + 1), 0, count_tokens, size)
        if stop is None:
            raise UsageError(f"blocks of {size} tokens have no room for {text[begin]!r}")
        found.append((begin, stop))
        if stop >= end:
            break
        inside = bisect_left(begins, stop)
        done = begins[inside] if text[stop].isspace() else stop
        carried = bisect_right(begins, found[-1][0])
        begin = done
        if overlap:
            back = (b for b in begins[carried:inside] if count_tokens(text[b:stop]) - empty <= overlap)
            begin = next(back, done)
    return found


def _furthest(
    text: str, begin: int, stops: Sequence[int], first: int, count_tokens: CountTokens, size: int
) -> int | None:
    """Return the last of ``stops[first:]`` up to which the text fits, or None if not even the first does."""
    low, high, step = first - 1, len(stops), 1
    # In doubling steps, since a block is short beside the text.
    while low + step < high:
        if count_tokens(text[begin : stops[low + step]]) > size:
            high = low + step
            break
        low += step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if count_tokens(text[begin : stops[middle]]) > size:
            high = middle
        else:
            low = middle
    return None if low < first else stops[low]


def _blocks(
    text: str, pieces: Sequence[tuple[int, int, tuple[int, int]]], count_tokens: CountTokens, document: str
) -> tuple[Block, ...]:
    ids = [f"{document}#{number}" for number in range(1, len(pieces) + 1)]
    made: list[Block] = []
    for i, (start, end, sentences) in enumerate(pieces):
        made.append(
            Block(
                id=ids[i],
                document=document,
                text=text[start:end],
                start=start,
                end=end,
                sentences=sentences,
                tokens=count_tokens(text[start:end]),
                overlap=max(0, made[-1].end - start) if made else 0,
                previous=ids[i - 1] if i else None,
                next=ids[i + 1] if i + 1 < len(ids) else None,
            )
        )
    return tuple(made)
