"""``diffused``, our own pipeline: dense and lexical scores of all nodes, smoothed over the graph and added.

    S ← (1 − a)·S₀ + a·P·S      (a = 0.5, one or two steps)

P is the adjacency with rows summing to 1: cross-links weigh 1 and hierarchy edges ``HIERARCHY_WEIGHT``. A row whose
weights sum to less than 1 keeps the rest for the node itself, so that a node with hierarchy alone is hardly smoothed
(smoothing over a pure taxonomy made rankings worse) and one without edges not at all. Each smoothed signal is
standardised over all nodes and both are added. ``own`` is what the node's own scores give, ``around`` the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, diags

from oncosearch.graph import Graph
from oncosearch.index.exact import survivors
from oncosearch.retrieve.candidates import Candidates, Doubles, Ints, Mask, Question, Resources, Shares, best_first

CROSS_LINK_WEIGHT = 1.0
HIERARCHY_WEIGHT = 0.02
SMOOTHING = 0.5
_SHOWN_NEIGHBOURS = 8


def transition(graph: Graph) -> Any:
    """Return P as a scipy CSR matrix float32 [nodes, nodes] with rows summing to 1."""
    count = len(graph)
    weights = csr_matrix((count, count), dtype=np.float32)
    for relation, weight in (
        (graph.parents, HIERARCHY_WEIGHT),
        (graph.children, HIERARCHY_WEIGHT),
        (graph.links, CROSS_LINK_WEIGHT),
        (graph.links_back, CROSS_LINK_WEIGHT),
    ):
        values = np.full(len(relation.targets), weight, np.float32)
        # Copied, since scipy sorts in place and the graph's arrays are read-only.
        part = csr_matrix((values, relation.targets.copy(), relation.starts.copy()), shape=(count, count))
        part.sum_duplicates()
        # Two kinds of link between the same two nodes are one neighbour.
        part.data[:] = weight
        weights = weights.maximum(part)
    sums = np.asarray(weights.sum(axis=1)).ravel()
    row_scale = 1 / np.maximum(sums, 1)
    kept = 1 - np.minimum(sums, 1)
    return (diags(row_scale) @ weights + diags(kept)).tocsr().astype(np.float32)


def diffuse(resources: Resources, question: Question, count: int, allowed: Mask | None, steps: int = 1) -> Candidates:
    """Return the ``count`` best nodes by the sum of both smoothed, standardised signals.

    The dense signal of all nodes comes from the scan of the index; the scores of all nodes that can be among the
    best (by the scan's error bound, which smoothing cannot enlarge) are then computed from exact similarities.
    """
    dense, vector = resources.dense, question.vector
    assert dense is not None
    assert vector is not None
    matrix = resources.smoother()
    scan = dense.scan(vector)
    lexical = resources.lexical.scores(question.text)
    words, word_mean, word_spread = _smoothed(matrix, lexical, steps)
    meaning, mean, spread = _smoothed(matrix, scan.scores, steps)
    total = (meaning - mean) / spread + (words - word_mean) / word_spread
    margin = np.float32(scan.errors.max() / spread + 1e-5)
    rows = survivors(total - margin, total + margin, count, allowed)

    # Exact similarities where they can matter: the survivors and all that smoothing draws from.
    needed = rows
    for _ in range(steps):
        needed = np.union1d(needed, matrix[needed].indices)
    exact = scan.scores.astype(np.float64)
    exact[needed] = dense.exact(vector, needed)
    signals = ((exact, mean, spread), (lexical.astype(np.float64), word_mean, word_spread))
    own = np.zeros(len(rows))
    scores = np.zeros(len(rows))
    for signal, centre, width in signals:
        scores += (_smooth_rows(matrix, signal, rows, steps) - centre) / width
        own += (1 - SMOOTHING) * (signal[rows] - centre) / width
    chosen = best_first(rows, scores, count)

    def neighbours(position: int) -> Shares:
        """Return the neighbours that gave most, with their share of the score (first step)."""
        row = matrix[int(rows[chosen[position]])]
        given = sum(
            (SMOOTHING * row.data * (signal[row.indices] - centre) / width for signal, centre, width in signals)
        )
        order = best_first(row.indices.astype(np.int64), np.asarray(given), _SHOWN_NEIGHBOURS)
        me = int(rows[chosen[position]])
        return tuple((int(row.indices[i]), float(given[i])) for i in order if row.indices[i] != me and given[i] > 0)

    nothing = np.full(len(chosen), np.nan)
    minus = np.full(len(chosen), -1, np.int64)
    nodes = rows[chosen]
    return Candidates(
        nodes,
        scores[chosen],
        own[chosen],
        scores[chosen] - own[chosen],
        exact[nodes],
        nothing,
        minus,
        minus,
        neighbours,
        {},
    )


def _smoothed(matrix: Any, signal: Any, steps: int) -> tuple[Any, float, float]:
    smooth = signal
    for _ in range(steps):
        smooth = (1 - np.float32(SMOOTHING)) * signal + np.float32(SMOOTHING) * (matrix @ smooth)
    spread = float(smooth.std(dtype=np.float64))
    return smooth, float(smooth.mean(dtype=np.float64)), spread if spread > 1e-9 else 1.0


def _smooth_rows(matrix: Any, signal: Doubles, rows: Ints, steps: int) -> Doubles:
    """Return the smoothed signal at ``rows`` alone, in float64."""
    if steps == 0:
        return signal[rows]
    part = matrix[rows]
    columns, places = np.unique(part.indices, return_inverse=True)
    below = _smooth_rows(matrix, signal, columns.astype(np.int64), steps - 1)
    local = csr_matrix((part.data.astype(np.float64), places, part.indptr), shape=(len(rows), len(columns)))
    smooth: Doubles = (1 - SMOOTHING) * signal[rows] + SMOOTHING * (local @ below)
    return smooth
