"""Whether an answer rests on its passages, sentence by sentence, as far as citations, words and numbers can tell.

What is compared are words: a sentence that passes may still be wrong, and one that fails may be right in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from oncosearch.generate.languages import language_of
from oncosearch.generate.prompts import ABSTAINS
from oncosearch.generate.quoting import EvidencePassage
from oncosearch.text import tokenise, words
from oncosearch.text.normalise import fold
from oncosearch.text.sentences import split_sentences
from oncosearch.text.stopwords import NEGATIONS

Status = Literal[
    "supported", "weak", "negation", "number", "uncited", "no_such_passage", "languages", "abstains", "nothing_said"
]
MINIMUM = 0.5
_WIDEST_RANGE = 200
_NUMBER = r"[0-9]{1,6}"
_CITATION = re.compile(
    r"[\[【]\s*(?:\^|(?:Passagen?|Passages?|Quellen?|Sources?|Nr\.?)\s*)?"
    rf"({_NUMBER}(?:(?:\s*(?:[,;&–—-]|und|and)\s*|\s+){_NUMBER})*)\s*[\]】]",
    re.IGNORECASE,
)
_ONE = re.compile(rf"({_NUMBER})(?:\s*[–—-]\s*({_NUMBER}))?")
_LEADING = re.compile(rf"(?:\s*{_CITATION.pattern})+\s*[.,;]?\s*", re.IGNORECASE)
_MARKUP = re.compile(r"[*_`#>]+|^\s*(?:[-–•]|\d{1,2}[.)])\s+")
_FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_CLAUSE = re.compile(
    r"[;:,](?!\d)|\b(?:but|however|although|though|whereas|while|aber|jedoch|sondern|obwohl|während)\b", re.IGNORECASE
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of an answer, ``answer[start:end]``, and what speaks for it.

    Parameters
    ----------
    text, start, end
        The sentence with its citations.
    cited
        Numbers that it cites, in order, each once.
    missing
        Those of them that no passage has.
    status
        ``supported``; ``weak`` (too few of its words stand in the cited passages); ``negation`` (the sentence nearest
        to it is negated where it is not, or the other way round); ``number`` (a figure that no cited passage has);
        ``uncited``; ``no_such_passage``; ``languages`` (the passages are in the other language: figures were compared,
        words cannot be); ``abstains`` (says that the passages hold no answer); ``nothing_said`` (no word in it).
    overlap
        Share of its content words that stand in the cited passages; None where there are none to compare.
    absent
        Content words and figures that do not, as they are written.
    """

    text: str
    start: int
    end: int
    cited: tuple[int, ...]
    missing: tuple[int, ...]
    status: Status
    overlap: float | None
    absent: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether there is nothing against it: supported, abstaining or without a word."""
        return self.status in {"supported", "abstains", "nothing_said"}


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with its sentences in order."""

    text: str
    sentences: tuple[CheckedSentence, ...]

    @property
    def unsupported(self) -> tuple[CheckedSentence, ...]:
        """The sentences that something speaks against."""
        return tuple(s for s in self.sentences if not s.passed and s.status != "languages")

    @property
    def uncompared(self) -> tuple[CheckedSentence, ...]:
        """The sentences whose passages are in the other language: nothing speaks against them, and nothing for them."""
        return tuple(s for s in self.sentences if s.status == "languages")

    @property
    def all_supported(self) -> bool:
        """Whether there are sentences and every one passed."""
        return bool(self.sentences) and all(s.passed for s in self.sentences)

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers of passages that the answer cites, ascending."""
        return tuple(sorted({n for s in self.sentences for n in s.cited if n not in s.missing}))


def check_citations(answer: str, passages: Sequence[EvidencePassage], *, minimum: float = MINIMUM) -> CheckedAnswer:
    """Return an answer's sentences, each with what it cites and whether the cited passages carry its words.

    Parameters
    ----------
    answer
        As the model wrote it.
    passages
        As numbered in the prompt, from 1.
    minimum
        Least ``overlap`` of a supported sentence.
    """
    compared = _Passages(passages)
    checked = tuple(
        _checked(answer[start:end], start, end, compared, minimum) for start, end in _sentence_ranges(answer)
    )
    return CheckedAnswer(answer, checked)


def cited_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers that a text cites, in order, each once: ``[1]``, ``[1, 3]``, ``[2–4]``, ``[Passage 5]``."""
    found: dict[int, None] = {}
    for citation in _CITATION.finditer(text):
        for one in _ONE.finditer(citation[1]):
            first, last = int(one[1]), int(one[2] or one[1])
            whole = range(first, last + 1) if 0 <= last - first <= _WIDEST_RANGE else (first, last)
            found.update(dict.fromkeys(whole))
    return tuple(found)


def without_citations(text: str) -> str:
    """Return a text without its citations."""
    return _CITATION.sub(" ", text)


class _Passages:
    """The passages as sets of terms, made when first asked for."""

    def __init__(self, passages: Sequence[EvidencePassage]) -> None:
        self._passages = passages
        self._terms: dict[int, frozenset[str]] = {}
        self._figures: dict[int, frozenset[str]] = {}
        self._sentences: dict[int, tuple[tuple[frozenset[str], frozenset[bool]], ...]] = {}

    def has(self, number: int) -> bool:
        return 1 <= number <= len(self._passages)

    def language(self, number: int) -> str:
        passage = self._passages[number - 1]
        return passage.language or language_of(passage.text)

    def terms(self, number: int) -> frozenset[str]:
        if number not in self._terms:
            text = self._passages[number - 1].text
            self._terms[number] = frozenset(token.term for token in tokenise(text))
            self._figures[number] = frozenset(form for figure in _FIGURE.findall(text) for form in _forms(figure))
        return self._terms[number]

    def figures(self, number: int) -> frozenset[str]:
        self.terms(number)
        return self._figures[number]

    def sentences(self, number: int) -> tuple[tuple[frozenset[str], frozenset[bool]], ...]:
        """Return (terms, whether its clauses are negated) of each sentence of a passage."""
        if number not in self._sentences:
            self._sentences[number] = tuple(
                (frozenset(token.term for token in tokenise(s.text)), _negations(s.text))
                for s in split_sentences(self._passages[number - 1].text)
            )
        return self._sentences[number]


def _sentence_ranges(answer: str) -> Iterator[tuple[int, int]]:
    """Yield the ranges of sentences; citations behind a full stop belong to the sentence before it."""
    held: tuple[int, int] | None = None
    for sentence in split_sentences(answer):
        start, end = sentence.start, sentence.end
        if held is not None and "\n" not in answer[held[1] : start]:
            leading = _LEADING.match(answer, start, end)
            if leading:
                moved = answer[: leading.end()].rstrip()
                held = (held[0], len(moved))
                start = leading.end()
        if start >= end:
            continue
        if held is not None:
            yield held
        held = (start, end)
    if held is not None:
        yield held


def _checked(text: str, start: int, end: int, passages: _Passages, minimum: float) -> CheckedSentence:
    cited = cited_numbers(text)
    missing = tuple(number for number in cited if not passages.has(number))
    there = [number for number in cited if passages.has(number)]
    said = _MARKUP.sub(" ", without_citations(text)).strip()
    content = {token.term: said[token.start : token.end] for token in tokenise(said) if not token.part}
    known = frozenset[str]().union(*(passages.terms(number) for number in there))
    figures = frozenset[str]().union(*(passages.figures(number) for number in there))
    wrong_figures = [f for f in _FIGURE.findall(said) if not _forms(f) & figures]
    spoken = {term: word for term, word in content.items() if not _FIGURE.fullmatch(word)}
    absent = [word for term, word in spoken.items() if term not in known]
    overlap = 1 - len(absent) / len(spoken) if spoken and there else None

    def result(status: Status, *, compared: bool = True) -> CheckedSentence:
        unmet = tuple(dict.fromkeys([*wrong_figures, *absent])) if compared and there else ()
        return CheckedSentence(text, start, end, cited, missing, status, overlap if compared else None, unmet)

    if not any(char.isalnum() for char in said):
        return result("nothing_said", compared=False)
    if _says_nothing_found(said):
        return result("abstains", compared=False)
    if missing:
        return result("no_such_passage")
    if not cited:
        return result("uncited")
    if wrong_figures:
        return result("number")
    if _other_language(said, there, passages):
        return result("languages", compared=False)
    if overlap is None or overlap < minimum:
        return result("weak")
    if _turned_round(said, frozenset(spoken), there, passages, minimum):
        return result("negation")
    return result("supported")


def _other_language(said: str, there: Sequence[int], passages: _Passages) -> bool:
    language = language_of(said)
    return bool(language) and all(passages.language(n) not in {language, ""} for n in there)


def _turned_round(said: str, spoken: frozenset[str], there: Sequence[int], passages: _Passages, minimum: float) -> bool:
    """Return whether the passages' sentences nearest in words are negated where this is not, or the reverse."""
    plain = {term for term in spoken if term not in NEGATIONS}
    if not plain:
        return False
    near = [(len(plain & terms) / len(plain), negated) for n in there for terms, negated in passages.sentences(n)]
    best = max((share for share, _ in near), default=0.0)
    if best < minimum:
        return False
    nearest = frozenset[bool]().union(*(negated for share, negated in near if share == best))
    return _negations(said).isdisjoint(nearest)


def _negations(text: str) -> frozenset[bool]:
    """Return whether the clauses of a sentence are negated: both, where one is and another is not."""
    return frozenset(any(fold(word) in NEGATIONS for word in words(clause)) for clause in _CLAUSE.split(text))


def _says_nothing_found(said: str) -> bool:
    plain = " ".join(said.rstrip(".").split()).casefold()
    return any(plain == sentence.rstrip(".").casefold() for sentence in ABSTAINS.values())


def _forms(figure: str) -> frozenset[str]:
    """Return the ways to read a figure: ``1,000`` is a thousand in English and one in German."""
    plain = figure.replace(",", ".")
    if _THOUSANDS.fullmatch(figure):
        return frozenset({plain, plain.replace(".", "")})
    return frozenset({plain.rstrip("0").rstrip(".") if plain.count(".") == 1 else plain})
