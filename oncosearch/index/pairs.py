"""All pairs of nodes whose vectors are close, found exactly.

For unit vectors ‖a − b‖² = 2 − 2·a·b. An orthogonal projection P shortens no less than it should: with the rest
r = a − P·a, ‖a − b‖² ≥ ‖P·a − P·b‖² + (‖r_a‖ − ‖r_b‖)². So a pair may be thrown away on its first principal
components and the length of the rest alone; what is left is scored in full, in float64. With ‖z‖² written into two
further columns, one matrix product gives −½·distance² of a whole block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oncosearch.index.exact import ExactIndex, Floats, Indices

_COMPONENTS = 64
_ROWS, _COLUMNS, _READ = 1024, 8192, 8192
# Rounding of the projected product: a few times components · 2⁻²⁴, with room.
_SLACK = 1e-4

Doubles = npt.NDArray[np.float64]
Skip = Callable[[Indices, Indices], npt.NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class ClosePairs:
    """Pairs ``first`` < ``second`` with their cosines ``scores``, in the order (−score, first, second).

    ``total`` counts all there are, of which those beyond the limit were left out.
    """

    first: Indices
    second: Indices
    scores: Doubles
    total: int


def close_pairs(
    index: ExactIndex,
    least: float,
    limit: int,
    skip: Skip | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ClosePairs:
    """Return the ``limit`` closest pairs of nodes with a cosine of at least ``least``.

    Parameters
    ----------
    index
        The vectors, rows of length 1; they are read in blocks.
    skip
        Says of given pairs which are not wanted; they are not counted.
    progress
        Gets (nodes done, nodes in all).
    """
    count = len(index)
    left, right = _projected(index)
    found = ClosePairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), 0)
    for top in range(0, count, _ROWS):
        block = left[top : top + _ROWS]
        firsts, seconds = [], []
        # Below the diagonal every pair would come a second time.
        for start in range(top, count, _COLUMNS):
            close = block @ right[start : start + _COLUMNS].T >= np.float32(least - 1 - _SLACK)
            # Ten times as fast as asking for rows and columns.
            rows, columns = np.divmod(np.flatnonzero(close), close.shape[1])
            above = columns + start > rows + top
            firsts.append(rows[above] + top)
            seconds.append(columns[above] + start)
        found = _joined(index, found, np.concatenate(firsts), np.concatenate(seconds), least, limit, skip)
        if progress:
            progress(min(count, top + _ROWS), count)
    return found


def _joined(
    index: ExactIndex, found: ClosePairs, first: Indices, second: Indices, least: float, limit: int, skip: Skip | None
) -> ClosePairs:
    """Return ``found`` with those of the candidate pairs that are close enough."""
    scores = pair_scores(index, first, second)
    kept = scores >= least
    if skip is not None:
        kept[kept] = ~skip(first[kept], second[kept])
    first, second, scores = (
        np.concatenate((found.first, first[kept])),
        np.concatenate((found.second, second[kept])),
        np.concatenate((found.scores, scores[kept])),
    )
    order = np.lexsort((second, first, -scores))[:limit]
    return ClosePairs(first[order], second[order], scores[order], found.total + int(kept.sum()))


def pair_scores(index: ExactIndex, first: Indices, second: Indices) -> Doubles:
    """Return the cosines of pairs of nodes, summed in float64."""
    out = np.empty(len(first))
    for start in range(0, len(first), _READ):
        one, other = (index.take(nodes[start : start + _READ]).astype(np.float64) for nodes in (first, second))
        out[start : start + len(one)] = np.einsum("ij,ij->i", one, other)
    return out


def _projected(index: ExactIndex) -> tuple[Floats, Floats]:
    """Return float32 [nodes, k + 3] twice: the product of a row of each is −½ of a lower bound of the distance²."""
    count = len(index)
    blocks = [np.arange(start, min(start + _READ, count)) for start in range(0, count, _READ)]
    if not blocks:
        return np.empty((0, 0), np.float32), np.empty((0, 0), np.float32)
    dimension = index.take(blocks[0][:1]).shape[1]
    mean, spread = np.zeros(dimension), np.zeros((dimension, dimension))
    for block in blocks:
        vectors = index.take(block)
        mean += vectors.sum(axis=0, dtype=np.float64)
        spread += vectors.T @ vectors
    mean /= count
    axes = np.linalg.eigh(spread / count - np.outer(mean, mean))[1][:, -min(_COMPONENTS, dimension) :]
    left = np.empty((count, axes.shape[1] + 3), np.float32)
    right = np.empty_like(left)
    for block in blocks:
        centred = index.take(block).astype(np.float64) - mean
        short = centred @ axes
        rest = np.sqrt(np.maximum(0, (centred**2).sum(axis=1) - (short**2).sum(axis=1)))
        point = np.column_stack((short, rest))
        half = -(point**2).sum(axis=1) / 2
        left[block] = np.column_stack((point, half, np.ones(len(block))))
        right[block] = np.column_stack((point, np.ones(len(block)), half))
    return left, right
