"""What a pipeline works with and what it gives back: arrays of scored nodes with their provenance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from oncosearch.graph import Graph
from oncosearch.index.exact import ExactIndex, Floats
from oncosearch.model import Parameters

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Shares = tuple[tuple[int, float], ...]


class LexicalScorer(Protocol):
    """Word scores of all nodes in node order."""

    def scores(self, query: str) -> Floats:
        """Return float32 [nodes]; 0 where no word is shared."""


@dataclass(frozen=True, slots=True)
class Resources:
    """What is at hand for one snapshot; ``dense`` is None without vectors.

    ``smoother`` gives the transition matrix of the graph, made once and kept by whoever made it.
    """

    graph: Graph
    lexical: LexicalScorer
    smoother: Callable[[], Any]
    dense: ExactIndex | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """The text, and its vector float32 [dimension] where the pipeline needs one."""

    text: str
    vector: Floats | None
    parameters: Parameters


@dataclass(frozen=True, slots=True)
class Candidates:
    """Scored nodes in the order (−score, node index); all arrays have one entry a node.

    ``own + around = scores`` (float64). ``similarity`` and ``subgraph`` are NaN where the pipeline has none; ``hops``
    and ``seeds`` (node index) are −1 there. ``neighbours`` gives (node index, share) of one candidate by position.
    ``cut`` counts, per seed, the neighbourhood nodes beyond the cap.
    """

    nodes: Ints
    scores: Doubles
    own: Doubles
    around: Doubles
    similarity: Doubles
    subgraph: Doubles
    hops: Ints
    seeds: Ints
    neighbours: Callable[[int], Shares]
    cut: dict[int, int]

    def take(self, positions: Ints) -> Candidates:
        """Return the candidates at ``positions``, in that order."""
        return Candidates(
            self.nodes[positions],
            self.scores[positions],
            self.own[positions],
            self.around[positions],
            self.similarity[positions],
            self.subgraph[positions],
            self.hops[positions],
            self.seeds[positions],
            lambda i: self.neighbours(int(positions[i])),
            self.cut,
        )


def flat(nodes: Ints, scores: Doubles, *, cosine: bool) -> Candidates:
    """Return candidates without any structure: the score is the node's own."""
    nothing = np.full(len(nodes), np.nan)
    return Candidates(
        nodes,
        scores,
        scores,
        np.zeros(len(nodes)),
        scores if cosine else nothing,
        nothing,
        np.full(len(nodes), -1, np.int64),
        np.full(len(nodes), -1, np.int64),
        lambda _: (),
        {},
    )


def best_first(nodes: Ints, scores: Doubles | Floats, count: int, allowed: Mask | None = None) -> Ints:
    """Return the positions of the ``count`` best in the order (−score, node index); ``allowed`` is by node."""
    positions = np.arange(len(nodes)) if allowed is None else np.flatnonzero(allowed[nodes])
    values = scores[positions]
    if count < len(positions):
        worst = np.partition(values, len(values) - count)[len(values) - count]
        positions = positions[values >= worst]
    order = np.lexsort((nodes[positions], -scores[positions]))
    return positions[order][:count]
