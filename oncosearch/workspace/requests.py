"""What is asked of a workspace, and what it says of a graph's readiness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from oncosearch.explain import Match
from oncosearch.model import Filters, Hit, Node, Parameters, Ranking, SnapshotKey, Source

DEFAULT_MODEL = "e5-small"
DEFAULT_PIPELINE = "grag"
DEFAULT_TOP = 10


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One question to one snapshot with one model and pipeline; ``model`` is ignored by pipelines without vectors."""

    query: str
    snapshot: SnapshotKey
    model: str = DEFAULT_MODEL
    pipeline: str = DEFAULT_PIPELINE
    parameters: Parameters = field(default_factory=Parameters)
    filters: Filters = field(default_factory=Filters)
    top: int = DEFAULT_TOP


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether a pipeline can search now.

    ``state`` is ``ready``, ``unprepared`` (graph files missing), ``unembedded`` (vectors missing or not of this
    snapshot) or ``model_unavailable``; ``reason`` is an English sentence, ``command`` what to run, ``encoded`` of
    ``total`` passages have a vector already.
    """

    state: str
    reason: str = ""
    command: str = ""
    encoded: int = 0
    total: int = 0


class Progress(Protocol):
    """Called with the stage (``graph``, ``passages``, ``lexical``, ``embed``), steps done and steps in all."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Take one report."""


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of an ancestor path: node id and title; ``language`` is that of the title, empty for an id."""

    node_id: str
    title: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A source with the address built from its id, or None where there is no safe one."""

    source: Source
    address: str | None


@dataclass(frozen=True, slots=True)
class HitDetail:
    """A hit with everything a card shows.

    ``contributions`` are shares by field (sum 1, or all 0); ``snippet`` is text in segments with whether each
    matched, from the field ``snippet_field`` (empty where the node has no text).
    """

    hit: Hit
    node: Node
    title: str
    paths: tuple[tuple[PathStep, ...], ...]
    paths_cut: bool
    contributions: dict[str, float]
    matched: tuple[Match, ...]
    snippet: tuple[tuple[str, bool], ...]
    snippet_field: str
    sources: tuple[SourceCard, ...]
    evidence_level: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A ranking with the details of its hits; ``cached`` says that the same input was answered before."""

    ranking: Ranking
    details: tuple[HitDetail, ...]
    cached: bool = False
