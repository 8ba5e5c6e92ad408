"""Exact top-k by inner product: a scan of int8 codes with a proven error bound, then exact scores of the survivors.

Every row v is stored as v = s·c + r with c int8, s a float32 scale and r the rest. A query is split alike,
q = t·d + p. The integer product c·d is exact on every machine. By Cauchy and Schwarz

    |q·v − s·t·(c·d)| = |q·r + p·(s·c)| ≤ ‖q‖·‖r‖ + ‖p‖·‖s·c‖

so a row whose upper bound lies below the k-th best lower bound cannot be among the k best. The rest is scored from
the float32 vectors, summed in float64 and rounded to float32, which makes equal vectors equal in score whatever
stands beside them. Order is (−score, index).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.embed.growing import GrowingArray

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]

# Below this size the float32 product is as fast, and nothing needs to be kept twice.
SMALL = 20_000
_BLOCK = 16_384
# Covers the rounding of float32 scales, norms and products in the bound (relative error under 2⁻²⁰ each).
_SLACK = np.float32(2e-6)


@dataclass(frozen=True, slots=True)
class Codes:
    """int8 [rows, dimension] codes with float32 [rows] scales, rest lengths ‖r‖ and code lengths ‖s·c‖ (rounded up)."""

    codes: npt.NDArray[np.int8]
    scales: Floats
    rests: Floats
    lengths: Floats

    @classmethod
    def of(cls, vectors: Floats) -> Codes:
        """Return the codes of ``vectors``."""
        blocks = [_coded(vectors[start : start + _BLOCK]) for start in range(0, max(1, len(vectors)), _BLOCK)]
        return cls(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))


def _coded(vectors: Floats) -> tuple[npt.NDArray[np.int8], Floats, Floats, Floats]:
    scale = np.abs(vectors).max(axis=1, initial=0).astype(np.float32) / np.float32(127)
    scale[scale == 0] = 1
    codes = np.rint(vectors / scale[:, None])
    coded = codes * scale[:, None]
    return codes.astype(np.int8), scale, _length_up(vectors - coded), _length_up(coded)


def _length_up(rows: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return np.asarray(np.nextafter((lengths * (1 + 1e-6)).astype(np.float32), np.float32(np.inf)), np.float32)


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan of all rows: float32 [rows] approximate scores and the largest possible error of each."""

    scores: Floats
    errors: Floats


class ExactIndex:
    """Exact inner-product search over the vectors of nodes, which may be memory-mapped.

    Parameters
    ----------
    vectors
        float32 [rows, dimension], rows of length 1.
    codes
        Codes of the same rows; None scans the float32 vectors themselves.
    rows
        int32 [nodes], the row of each node; None where node i has row i.
    """

    def __init__(self, vectors: Floats, codes: Codes | None, rows: npt.NDArray[np.int32] | None = None) -> None:
        straight = rows is None or (len(rows) == len(vectors) and bool((rows == np.arange(len(rows))).all()))
        self.rows = None if straight else rows
        self._vectors = vectors
        self.codes = codes
        self._tensor = None
        if codes is not None and _integer_product_is_exact():
            import torch

            self._tensor = torch.from_numpy(codes.codes)

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self._vectors) if self.rows is None else len(self.rows)

    def take(self, nodes: Indices) -> Floats:
        """Return the vectors of ``nodes``, float32 [nodes, dimension]."""
        return np.asarray(self._vectors[nodes if self.rows is None else self.rows[nodes]], np.float32)

    def scan(self, query: Floats) -> Scan:
        """Return approximate scores of all nodes for ``query`` float32 [dimension], with their error bounds."""
        scan = self._scan_rows(query)
        return scan if self.rows is None else Scan(scan.scores[self.rows], scan.errors[self.rows])

    def _scan_rows(self, query: Floats) -> Scan:
        if self.codes is None or self._tensor is None:
            scores = np.asarray(self._vectors @ query, dtype=np.float32)
            # Error of a float32 dot product of two unit vectors: at most about dimension · 2⁻²⁴.
            return Scan(scores, np.full(len(scores), 2 * len(query) * 2.0**-24, np.float32))
        import torch

        step = np.float32(max(float(np.abs(query).max()), 1e-30) / 127)
        digits = np.rint(query / step)
        # unsqueeze, not numpy's newaxis: with a stride of 0 the product returns silently without a result.
        column = torch.from_numpy(digits.astype(np.int8)).unsqueeze(1)
        products = torch._int_mm(self._tensor, column).numpy()[:, 0]
        scores = products.astype(np.float32)
        scores *= self.codes.scales * step
        rest = query.astype(np.float64) - digits.astype(np.float64) * float(step)
        errors = self.codes.rests * np.float32(np.linalg.norm(query.astype(np.float64)) * (1 + 1e-6))
        errors += self.codes.lengths * np.float32(np.linalg.norm(rest) * (1 + 1e-6) + 1e-9)
        errors += _SLACK
        return Scan(scores, errors)

    def exact(self, query: Floats, nodes: Indices) -> Floats:
        """Return the exact scores of ``nodes``: products summed in float64, rounded to float32."""
        out = np.empty(len(nodes), np.float32)
        wide = query.astype(np.float64)
        for start in range(0, len(nodes), _BLOCK):
            block = self.take(nodes[start : start + _BLOCK]).astype(np.float64)
            out[start : start + len(block)] = np.einsum("ij,j->i", block, wide)
        return out

    def top(self, query: Floats, count: int, allowed: npt.NDArray[np.bool_] | None = None) -> tuple[Indices, Floats]:
        """Return the ``count`` best nodes and their exact scores, in the order (−score, index).

        ``allowed`` bool [nodes] restricts them.
        """
        return self.top_of_scan(self.scan(query), query, count, allowed)

    def top_of_scan(
        self, scan: Scan, query: Floats, count: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Indices, Floats]:
        """Return the same as :meth:`top` from a scan made before."""
        rows = survivors(scan.scores - scan.errors, scan.scores + scan.errors, count, allowed)
        if len(rows) > 4 * count + 64:
            # A float32 product narrows the field before the wider one.
            narrow = np.asarray(self.take(rows) @ query, dtype=np.float32)
            margin = np.float32(2 * len(query) * 2.0**-24)
            rows = rows[survivors(narrow - margin, narrow + margin, count, None)]
        scores = self.exact(query, rows)
        order = np.lexsort((rows, -scores))[:count]
        return rows[order], scores[order]


def survivors(low: Floats, high: Floats, count: int, allowed: npt.NDArray[np.bool_] | None) -> Indices:
    """Return, ascending, the rows that can be among the ``count`` best, given bounds of each score."""
    if allowed is not None:
        low = np.where(allowed, low, np.float32(-np.inf))
    if count >= len(low):
        kept = np.arange(len(low))
    else:
        worst = np.partition(low, len(low) - count)[len(low) - count]
        kept = np.flatnonzero(high >= worst)
    return kept if allowed is None else kept[allowed[kept]]


@lru_cache(maxsize=1)
def _integer_product_is_exact() -> bool:
    """Whether torch is there and its int8 product is exact on this processor, tried at the extremes."""
    try:
        import torch

        left = np.full((64, 64), 127, np.int8)
        left[::2] = -127
        right = np.full((64, 1), -127, np.int8)
        found = torch._int_mm(torch.from_numpy(left), torch.from_numpy(right[:, 0]).unsqueeze(1)).numpy()
    except (ImportError, AttributeError, RuntimeError):
        return False
    return bool(np.array_equal(found, left.astype(np.int32) @ right.astype(np.int32)))


def make_codes(folder: Path, vectors: Floats) -> None:
    """Bring the codes in ``folder`` up to the rows of ``vectors``; rows that have codes already keep them."""
    parts: tuple[GrowingArray, ...] = _parts(folder, vectors.shape[1])
    done = min(len(vectors), *(len(part) for part in parts))
    for part in parts:
        part.cut(done)
    for start in range(done, len(vectors), _BLOCK):
        coded: tuple[npt.NDArray[Any], ...] = _coded(vectors[start : start + _BLOCK])
        for part, rows in zip(parts, coded, strict=True):
            part.append(rows)
    for part in parts:
        part.seal()


def open_index(folder: Path, vectors: Floats, rows: npt.NDArray[np.int32] | None = None) -> ExactIndex:
    """Return the index over ``vectors``, with the codes of ``folder`` in memory where they cover all rows."""
    parts = _parts(folder, vectors.shape[1])
    if not len(vectors) or min(len(part) for part in parts) < len(vectors):
        return ExactIndex(vectors, None, rows)
    return ExactIndex(vectors, Codes(*(np.array(part.read(len(vectors))) for part in parts)), rows)


def _parts(folder: Path, dimension: int) -> tuple[GrowingArray, GrowingArray, GrowingArray, GrowingArray]:
    return (
        GrowingArray(folder / "codes.npy", np.int8, (dimension,)),
        GrowingArray(folder / "scales.npy", np.float32),
        GrowingArray(folder / "rests.npy", np.float32),
        GrowingArray(folder / "lengths.npy", np.float32),
    )
