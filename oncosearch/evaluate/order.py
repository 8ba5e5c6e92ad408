"""The order of a run: by score, equal scores by id; and what keeps a named node first all the same."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter

Hit = tuple[str, float]


def in_order(ranking: Sequence[Hit], *, descending: bool = False) -> list[Hit]:
    """Return a ranking with hits of one score in the order of their ids, in every form that a run has.

    The order of a ``Run`` is its rank order, in which a node that the query names stands first whatever its score;
    it is kept, but for neighbours of equal score, whose order says nothing.
    """
    if all(above[1] != below[1] for above, below in pairwise(ranking)):
        return list(ranking)
    tied = groupby(ranking, key=itemgetter(1))
    return [hit for _, group in tied for hit in sorted(group, key=itemgetter(0), reverse=descending)]


def ranked(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits of a search as a ranking of a run.

    A search puts a named node first also where the next one has the same score. In a run equal scores say nothing
    about the order, so such a node gets a score just above.
    """
    found: list[Hit] = []
    for place in range(len(hits) - 1, -1, -1):
        node, score = hits[place]
        if found and score == hits[place + 1][1] and node > hits[place + 1][0]:
            score = just_above(max(found[-1][1], score))
        found.append((node, score))
    return tuple(found[::-1])


def just_above(score: float) -> float:
    """Return a score that is greater by one step of single precision, in which some tools read."""
    import numpy as np

    with np.errstate(over="ignore"):
        step = float(np.nextafter(np.float32(score), np.float32(np.inf)))
    above = step if math.isfinite(step) else math.nextafter(score, math.inf)
    return min(above, sys.float_info.max)
