"""An answer without a model: the sentences of the passages that hold most of the question's words, as they stand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oncosearch.generate.quoting import EvidencePassage
from oncosearch.model import UsageError
from oncosearch.text import tokenise, words
from oncosearch.text.sentences import split_sentences

_FEWEST_WORDS = 4
# From so many words on a sentence no longer gains by its length.
_LONG = 40
_RANK_DISCOUNT = 0.03
_LIKENESS_PENALTY = 0.6
Closeness = Callable[[str, Sequence[str]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class ExtractedSentence:
    """A sentence of a passage, ``passage.text[start:end]``.

    ``number`` counts passages from 1; ``score`` lies in 0 to 1; ``matched`` are the question's words in it.
    """

    text: str
    number: int
    passage: EvidencePassage
    start: int
    end: int
    score: float
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExtractiveAnswer:
    """The best sentences, best first; ``code`` is ``no_match`` where no sentence has a word of the question."""

    sentences: tuple[ExtractedSentence, ...]
    code: str = ""

    @property
    def text(self) -> str:
        """The sentences, each with the number of its passage."""
        return "\n".join(f"{' '.join(s.text.split())} [{s.number}]" for s in self.sentences)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    number: int
    start: int
    end: int
    terms: dict[str, float]
    words: dict[str, str]
    length: int


def extractive_answer(
    question: str,
    passages: Sequence[EvidencePassage],
    language: str = "",
    *,
    count: int = 5,
    also: Sequence[str] = (),
    closeness: Closeness | None = None,
) -> ExtractiveAnswer:
    """Return the sentences that answer best, each once, without a language model.

    A sentence's score is the share of the question's words in it, rare ones counting more; what repeats a sentence
    chosen before counts less, and passages in front count a little more.

    Parameters
    ----------
    question
        In the user's words.
    passages
        Best first.
    language
        If given, passages known to be in another language come after all others of equal score.
    count
        Most sentences.
    also
        Further words for what is asked, such as the English names of a German question's concepts.
    closeness
        Returns how near in meaning each sentence is to the question, 0 to 1; counts half then.

    Raises
    ------
    UsageError
        If ``closeness`` returns another number of values than there are sentences.
    """
    candidates = _candidates(passages)
    asked = _weights([question, *also])
    if not candidates or (not asked and closeness is None):
        return ExtractiveAnswer((), "no_match")
    scores = _scores(candidates, asked)
    if closeness is not None:
        near = list(closeness(question, [c.text for c in candidates]))
        if len(near) != len(candidates):
            raise UsageError(f"closeness returned {len(near)} values for {len(candidates)} sentences.")
        bounded = [min(1.0, max(0.0, float(value))) if math.isfinite(value) else 0.0 for value in near]
        scores = [(score + value) / 2 for score, value in zip(scores, bounded, strict=True)]
    scores = [score / (1 + _RANK_DISCOUNT * (c.number - 1)) for score, c in zip(scores, candidates, strict=True)]
    chosen = _choose(candidates, scores, passages, language, count)
    found = tuple(
        ExtractedSentence(
            c.text,
            c.number,
            passages[c.number - 1],
            c.start,
            c.end,
            scores[i],
            tuple(dict.fromkeys(c.words[term] for term in c.terms if term in asked)),
        )
        for i, c in ((i, candidates[i]) for i in chosen)
    )
    return ExtractiveAnswer(found, "" if found else "no_match")


def _candidates(passages: Sequence[EvidencePassage]) -> list[_Candidate]:
    found: list[_Candidate] = []
    seen: set[tuple[str, ...]] = set()
    for number, passage in enumerate(passages, 1):
        for sentence in split_sentences(passage.text):
            spoken = tuple(word.lower() for word in words(sentence.text))
            if len(spoken) < _FEWEST_WORDS or spoken in seen:
                continue
            seen.add(spoken)
            terms: dict[str, float] = {}
            written: dict[str, str] = {}
            for token in tokenise(sentence.text):
                terms[token.term] = max(token.weight, terms.get(token.term, 0.0))
                written.setdefault(token.term, sentence.text[token.start : token.end])
            found.append(_Candidate(sentence.text, number, sentence.start, sentence.end, terms, written, len(spoken)))
    return found


def _weights(texts: Sequence[str]) -> dict[str, float]:
    asked: dict[str, float] = {}
    for text in texts:
        for token in tokenise(text):
            asked[token.term] = max(token.weight, asked.get(token.term, 0.0))
    return asked


def _scores(candidates: Sequence[_Candidate], asked: dict[str, float]) -> list[float]:
    """Return each sentence's share of what any sentence could give of the question, 0 to 1."""
    held = Counter(term for c in candidates for term in c.terms if term in asked)
    rarity = {t: math.log(1 + (len(candidates) - n + 0.5) / (n + 0.5)) * asked[t] for t, n in sorted(held.items())}
    whole = math.fsum(rarity.values())
    if whole <= 0:
        return [0.0] * len(candidates)
    return [
        math.fsum(rarity[term] * weight for term, weight in c.terms.items() if term in rarity)
        / whole
        / max(1.0, c.length / _LONG)
        for c in candidates
    ]


def _choose(
    candidates: Sequence[_Candidate],
    scores: Sequence[float],
    passages: Sequence[EvidencePassage],
    language: str,
    count: int,
) -> list[int]:
    """Return the indices chosen one after the other, each the best for what it adds."""
    open_ = [i for i, score in enumerate(scores) if score > 0]
    likeness = dict.fromkeys(open_, 0.0)
    chosen: list[int] = []

    def key(i: int) -> tuple[float, bool, int, int]:
        other = bool(language) and passages[candidates[i].number - 1].language not in {"", language}
        return (-scores[i] * (1 - _LIKENESS_PENALTY * likeness[i]), other, candidates[i].number, candidates[i].start)

    while open_ and len(chosen) < count:
        best = min(open_, key=key)
        open_.remove(best)
        chosen.append(best)
        for i in open_:
            likeness[i] = max(likeness[i], _likeness(candidates[best], candidates[i]))
    return chosen


def _likeness(one: _Candidate, other: _Candidate) -> float:
    union = len(one.terms.keys() | other.terms.keys())
    return len(one.terms.keys() & other.terms.keys()) / union if union else 0.0
