"""Passages of documents for a question, in two stages: recall by embeddings, then re-ranking.

Documents are pairs of id and text, so an abstract, a full text and an imported file go the same way. Blocks are cut by
SEOS (:mod:`oncosearch.text.segments`) with the sentence embeddings of the encoder that also recalls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oncosearch.embed import Encoder
from oncosearch.index.lexical import LexicalIndex, build_from_occurrences
from oncosearch.index.occurrences import Occurrences
from oncosearch.literature.rerank import Reranker
from oncosearch.model import SnapshotKey, UsageError
from oncosearch.text.normalise import fold, stem
from oncosearch.text.segments import MOST_OVERLAP, Block, blocks_needed, neighbour_similarities, segment
from oncosearch.text.sentences import Sentence, split_sentences
from oncosearch.text.stopwords import NEGATIONS

BUDGET = 256
RECALL = 50
COUNT = 10
SEMANTIC_WEIGHT = 0.5
# Two passages with this share of their terms in common, and the same numbers and negations, say the same.
SAME_TERMS = 0.9
_NEGATIONS = frozenset(stem(fold(word)) for word in NEGATIONS)
_KEY = SnapshotKey("literature", "passages")
_BATCH = 64

Progress = Callable[[int, int], None]
Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage for a question with all that its place came from.

    Parameters
    ----------
    score
        What the passages are ordered by: ``cross``, or where there is no cross-encoder the blend of ``cosine``
        (0 to 1 between the least and the best recalled) and ``lexical`` (as a share of the best recalled).
    recall_rank
        Its rank by ``cosine`` alone, from 1, before re-ranking.
    duplicates
        Ids of blocks that were left out because they say the same.
    """

    block: Block
    rank: int
    score: float
    recall_rank: int
    cosine: float
    lexical: float
    cross: float | None = None
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PassageIndex:
    """Blocks with a vector each (float32, length 1) and their words; ``numbers`` are their positions by id."""

    blocks: tuple[Block, ...]
    vectors: Vectors
    lexical: LexicalIndex
    numbers: Mapping[str, int]

    def context(self, block: Block) -> str:
        """Return the block with those before and after it, as one text without what they share."""
        around = [block.previous, block.id, block.next]
        found = [self.blocks[self.numbers[i]] for i in around if i is not None]
        out = found[0].text
        for other in found[1:]:
            rest = other.text[other.overlap :].lstrip()
            out = f"{out} {rest}" if rest else out
        return out


def cut_documents(
    documents: Iterable[tuple[str, str]],
    encoder: Encoder,
    *,
    budget: int = BUDGET,
    most_overlap: int = MOST_OVERLAP,
    window: int = 1,
    progress: Progress | None = None,
) -> tuple[Block, ...]:
    """Return the SEOS blocks of (id, text) pairs, in the order given, none beyond the encoder's limit.

    Parameters
    ----------
    budget
        Tokens of a block on average; cut at the encoder's limit.
    window
        Sentences on each side of a gap that are compared (:func:`oncosearch.text.neighbour_similarities`).
    progress
        Called with sentences encoded and sentences in all.

    Raises
    ------
    UsageError
        If two documents have one id, or the budget leaves no room for text.
    """
    pairs = list(documents)
    if len({key for key, _ in pairs}) < len(pairs):
        raise UsageError("Two documents have the same id; ids of blocks are made from them.", code="duplicate_document")
    limit = encoder.facts.limit
    budget = min(budget, limit)
    split = [split_sentences(text) for _, text in pairs]
    # Encoding costs most: what stays whole has no breaks to find.
    broken = [_is_broken(text, units, encoder, budget) for (_, text), units in zip(pairs, split, strict=True)]
    texts = [s.text for units, wanted in zip(split, broken, strict=True) if wanted for s in units]
    rows = _encoded(texts, encoder, progress)
    blocks: list[Block] = []
    place = 0
    for (key, text), units, wanted in zip(pairs, split, broken, strict=True):
        similarities: npt.NDArray[np.floating] = np.zeros(max(0, len(units) - 1))
        if wanted:
            similarities = neighbour_similarities(rows[place : place + len(units)], window)
            place += len(units)
        blocks += segment(
            text,
            similarities,
            encoder.count_tokens,
            budget=budget,
            limit=limit,
            most_overlap=most_overlap,
            document=key,
            sentences=units,
        )
    return tuple(blocks)


def index_passages(blocks: Sequence[Block], encoder: Encoder, *, progress: Progress | None = None) -> PassageIndex:
    """Return blocks of any segmentation ready to be searched: each encoded as a passage, with an index of words."""
    words = Occurrences.of([("Text", block.text)] for block in blocks)
    lexical = build_from_occurrences(words, key=_KEY, content_hash="")
    vectors = _encoded([block.text for block in blocks], encoder, progress)
    return PassageIndex(tuple(blocks), vectors, lexical, {block.id: i for i, block in enumerate(blocks)})


def find_passages(
    index: PassageIndex,
    query: str,
    encoder: Encoder,
    *,
    recall: int = RECALL,
    count: int = COUNT,
    reranker: Reranker | None = None,
    semantic_weight: float = SEMANTIC_WEIGHT,
) -> tuple[RankedPassage, ...]:
    """Return at most ``count`` passages for a question, best first, equal scores in the order of the index.

    First the ``recall`` blocks of highest cosine; these are then ordered by the cross-encoder, or without one by
    ``semantic_weight`` · cosine + (1 − ``semantic_weight``) · BM25, both brought to 0–1 over the recalled. Last, a
    passage that says the same as a better one is folded into it: more than half of the shorter is the same place of
    the same document, or the texts share nine tenths of their terms with
    all their numbers and negations.

    Raises
    ------
    UsageError
        If the question is empty, or a size is not positive.
    """
    if not query.strip():
        raise UsageError("The question is empty; type a few words.", code="empty_query")
    if recall < 1 or count < 1 or not 0 <= semantic_weight <= 1:
        raise UsageError(
            f"recall {recall}, count {count} and semantic weight {semantic_weight} are given; expected sizes of at "
            "least 1 and a weight from 0 to 1."
        )
    if not index.blocks:
        return ()
    vector = np.asarray(encoder.encode_queries([query])[0], np.float64)
    cosines = (index.vectors.astype(np.float64) @ vector).astype(np.float32)
    positions = np.arange(len(cosines))
    recalled = np.lexsort((positions, -cosines))[:recall]
    lexical = index.lexical.scores(query)[recalled]
    near = cosines[recalled]
    cross = None if reranker is None else reranker.score(query, [index.blocks[i].text for i in recalled])
    scores = cross if cross is not None else _blend(near, lexical, semantic_weight)
    order = np.lexsort((recalled, -scores))
    kept, folded = _distinct(index, recalled[order], count)
    place = {int(number): i for i, number in enumerate(recalled)}
    return tuple(
        RankedPassage(
            block=index.blocks[number],
            rank=rank,
            score=float(scores[place[number]]),
            recall_rank=place[number] + 1,
            cosine=float(near[place[number]]),
            lexical=float(lexical[place[number]]),
            cross=None if cross is None else float(cross[place[number]]),
            duplicates=tuple(index.blocks[i].id for i in folded[number]),
        )
        for rank, number in enumerate(kept, 1)
    )


def _is_broken(text: str, units: Sequence[Sentence], encoder: Encoder, budget: int) -> bool:
    if len(units) < 2:
        return False
    whole = text[units[0].start : units[-1].end]
    return blocks_needed(units, encoder.count_tokens, budget) > 1 or encoder.count_tokens(whole) > encoder.facts.limit


def _encoded(texts: Sequence[str], encoder: Encoder, progress: Progress | None) -> Vectors:
    rows = [np.empty((0, encoder.facts.dimension), np.float32)]
    for start in range(0, len(texts), _BATCH):
        rows.append(encoder.encode_passages(texts[start : start + _BATCH]))
        if progress is not None:
            progress(min(start + _BATCH, len(texts)), len(texts))
    return np.concatenate(rows)


def _blend(cosines: Vectors, lexical: Vectors, weight: float) -> Vectors:
    spread = float(np.ptp(cosines))
    near = (cosines - cosines.min()) / spread if spread > 0 else np.ones_like(cosines)
    best = float(lexical.max())
    words = lexical / best if best > 0 else lexical
    return np.asarray(weight * near + (1 - weight) * words, np.float32)


def _distinct(
    index: PassageIndex, ordered: npt.NDArray[np.int64], count: int
) -> tuple[list[int], dict[int, list[int]]]:
    """Return the first ``count`` distinct blocks, and for each of them the ones that were folded into it."""
    kept: list[int] = []
    folded: dict[int, list[int]] = {}
    terms = {int(i): {t.term for t in index.lexical.tokenise(index.blocks[i].text) if not t.part} for i in ordered}
    for number in map(int, ordered):
        block = index.blocks[number]
        same = next((k for k in kept if _same(block, index.blocks[k], terms[number], terms[k])), None)
        if same is not None:
            folded[same].append(number)
        elif len(kept) < count:
            kept.append(number)
            folded[number] = []
    return kept, folded


def _same(one: Block, other: Block, terms: set[str], others: set[str]) -> bool:
    if one.document == other.document:
        shared = min(one.end, other.end) - max(one.start, other.start)
        if 2 * shared > min(len(one.text), len(other.text)):
            return True
    if not terms or not others or len(terms & others) < SAME_TERMS * len(terms | others):
        return one.text == other.text
    return _telling(terms) == _telling(others)


def _telling(terms: set[str]) -> set[str]:
    """Return the terms of which one alone makes another finding: numbers, names with numbers, negations."""
    return {term for term in terms if term in _NEGATIONS or any(c.isdigit() for c in term)}
