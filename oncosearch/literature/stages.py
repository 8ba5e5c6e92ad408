"""The values of the pipeline: what was asked, each stage with its time, and each article with where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from oncosearch.literature.article import Article
from oncosearch.literature.evidence import document_class, evidence_level
from oncosearch.literature.levels import LEVELS
from oncosearch.literature.passages import BUDGET, COUNT, RECALL, RankedPassage
from oncosearch.literature.rewrite import Rewrite
from oncosearch.model import UsageError

ENOUGH = 20
FUSION_K = 60
CANDIDATES = 100
ARTICLES = 20
DEPTHS = ("adaptive", "abstract", "full")
# Stages that can be switched off; the other way round, what is in no list here always runs.
SWITCHES = (*LEVELS, "dense", "passages")


@dataclass(frozen=True, slots=True)
class Plan:
    """How a question is searched.

    Parameters
    ----------
    enough
        Articles with which the descent from strict to loose stops.
    candidates
        The longest list that any search gives to fusion, and how many candidates a live source is asked for.
    fusion_k
        The constant of reciprocal rank fusion.
    articles
        How many articles are read after fusion.
    off
        Stages of :data:`SWITCHES` that are left out.
    depth
        ``adaptive``: full text of reviews, abstracts of the others; ``abstract`` or ``full`` for all.
    edited
        Expressions by level that take the place of the rewrite's.
    dense_question
        ``typed`` or ``rewritten``: what the dense encoder is given.
    budget, recall, passages
        Tokens of a block, blocks recalled, passages kept.
    """

    enough: int = ENOUGH
    candidates: int = CANDIDATES
    fusion_k: int = FUSION_K
    articles: int = ARTICLES
    off: frozenset[str] = frozenset()
    depth: str = "adaptive"
    edited: Mapping[str, str] = field(default_factory=dict)
    dense_question: str = "typed"
    budget: int = BUDGET
    recall: int = RECALL
    passages: int = COUNT

    def check(self) -> None:
        """Raise UsageError where a value is out of its range."""
        ranges = (
            ("enough", 1, 1000),
            ("candidates", 1, 1000),
            ("fusion_k", 1, 1000),
            ("articles", 1, 200),
            ("budget", 16, 8192),
            ("recall", 1, 1000),
            ("passages", 1, 100),
        )
        for name, low, high in ranges:
            value = getattr(self, name)
            if not low <= value <= high:
                raise UsageError(
                    f"{name} is {value}; it must lie between {low} and {high}.", code="parameter_range", name=name
                )
        if unknown := sorted(self.off - set(SWITCHES)):
            raise UsageError(f"There is no stage {unknown[0]!r} to switch off; there are {', '.join(SWITCHES)}.")
        if self.depth not in DEPTHS:
            raise UsageError(f"The depth is {self.depth!r}; expected {', '.join(DEPTHS)}.")
        if self.dense_question not in {"typed", "rewritten"}:
            raise UsageError(f"dense_question is {self.dense_question!r}; expected typed or rewritten.")


@dataclass(frozen=True, slots=True)
class Stage:
    """What one stage did.

    Parameters
    ----------
    key
        ``rewrite``, ``strict``, ``abstraction``, ``loose``, ``pool``, ``dense``, ``fusion``, ``metadata``, ``depth``
        or ``passages``.
    state
        ``done``, ``off`` (switched off), ``enough`` (not needed any more), ``empty`` (nothing to do) or
        ``unavailable`` (``note`` says why).
    expression, hits, capped, understood, warnings, asked
        Of a Boolean search: what was run, how many articles match, and what the source said of it.
    taken
        How many articles the stage gave on that none before it had.
    note
        A code: ``all_articles`` or ``candidates`` (what the dense search looked through), or that of an error.
    """

    key: str
    state: str = "done"
    ms: float = 0.0
    expression: str = ""
    hits: int | None = None
    taken: int = 0
    capped: bool = False
    understood: str = ""
    warnings: tuple[str, ...] = ()
    asked: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class FoundArticle:
    """An article with its place and where it came from.

    Parameters
    ----------
    origins
        (stage, rank) of every list that held it; a level's rank counts from 1 over all levels together.
    read
        ``full`` or ``abstract`` where its text was cut into passages, ``""`` where it was not read.
    """

    article: Article
    rank: int
    score: float
    origins: tuple[tuple[str, int], ...]
    read: str = ""

    @property
    def document_class(self) -> str:
        """D1, D2 or D3."""
        return document_class(self.article)

    @property
    def evidence(self) -> str:
        """The key of its level of evidence."""
        return evidence_level(self.article)


@dataclass(frozen=True, slots=True)
class Literature:
    """What was found for a question, with every stage. ``destination`` is where the question went, or empty."""

    question: str
    source: str
    destination: str
    rewrite: Rewrite
    plan: Plan
    stages: tuple[Stage, ...]
    articles: tuple[FoundArticle, ...]
    passages: tuple[RankedPassage, ...]
    model: str = ""

    def article(self, pmid: str) -> FoundArticle:
        """Return the article of a PMID; KeyError where it is not among those found."""
        return next((f for f in self.articles if f.article.pmid == pmid), None) or _missing(pmid)


def _missing(pmid: str) -> FoundArticle:
    raise KeyError(pmid)
