"""What a figure was computed by: ties, gain, what counts as relevant, resamples and seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of an evaluation; printed with its tables.

    ``ties``: nodes of one score stand in the order of their ids, ascending, or descending as trec_eval has it.
    ``gain``: 2^grade − 1, or the grade itself as trec_eval has it; grades below 1 gain nothing.
    ``positive``: the lowest grade that counts as relevant. ``alpha``: the rate of false discoveries allowed.
    """

    ties: Literal["ascending", "descending"] = "ascending"
    gain: Literal["exponential", "linear"] = "exponential"
    positive: int = 1
    confidence: float = 0.95
    resamples: int = 1000
    permutations: int = 9999
    seed: int = 42
    alpha: float = 0.05


RULES = Rules()
# trec_eval breaks ties by document number, descending, and takes the grade itself as the gain.
TREC_RULES = Rules(ties="descending", gain="linear")
