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

import numpy as np
import numpy.typing as npt

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
    def of(cls, vectors: Floats, earlier: tuple[Codes, Indices] | None = None) -> Codes:
        """Return the codes of ``vectors``.

        Parameters
        ----------
        earlier
            Codes made before and, for each row, which of their rows has the same vector (−1: none).
        """
        rows, dimension = vectors.shape
        made = cls(
            np.empty((rows, dimension), np.int8),
            np.empty(rows, np.float32),
            np.empty(rows, np.float32),
            np.empty(rows, np.float32),
        )
        new = np.arange(rows)
        if earlier is not None:
            known = np.flatnonzero(earlier[1] >= 0)
            made.copy_rows(known, earlier[0], earlier[1][known])
            new = np.flatnonzero(earlier[1] < 0)
        for start in range(0, len(new), _BLOCK):
            block = new[start : start + _BLOCK]
            made.set_rows(block, vectors[block])
        return made

    def copy_rows(self, to: Indices, other: Codes, rows: Indices) -> None:
        """Take over ``rows`` of other codes, made from the same vectors."""
        self.codes[to] = other.codes[rows]
        self.scales[to] = other.scales[rows]
        self.rests[to] = other.rests[rows]
        self.lengths[to] = other.lengths[rows]

    def set_rows(self, rows: Indices, vectors: Floats) -> None:
        """Write the codes of ``vectors`` into ``rows``."""
        scale = np.abs(vectors).max(axis=1).astype(np.float32) / np.float32(127)
        scale[scale == 0] = 1
        codes = np.rint(vectors / scale[:, None])
        coded = codes * scale[:, None]
        self.codes[rows] = codes.astype(np.int8)
        self.scales[rows] = scale
        self.rests[rows] = _length_up(vectors - coded)
        self.lengths[rows] = _length_up(coded)


def _length_up(rows: Floats) -> Floats:
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    return np.asarray(np.nextafter((lengths * (1 + 1e-6)).astype(np.float32), np.float32(np.inf)), np.float32)


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan of all rows: float32 [rows] approximate scores and the largest possible error of each."""

    scores: Floats
    errors: Floats


class ExactIndex:
    """Exact inner-product search over float32 vectors, which may be memory-mapped.

    Parameters
    ----------
    vectors
        float32 [rows, dimension], rows of length 1.
    codes
        Codes of the same rows; None scans the float32 vectors themselves.
    """

    def __init__(self, vectors: Floats, codes: Codes | None) -> None:
        self.vectors = vectors
        self._codes = codes
        self._tensor = None
        if codes is not None and _integer_product_is_exact():
            import torch

            self._tensor = torch.from_numpy(codes.codes)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.vectors)

    def scan(self, query: Floats) -> Scan:
        """Return approximate scores of all rows for ``query`` float32 [dimension], with their error bounds."""
        if self._codes is None or self._tensor is None:
            scores = np.asarray(self.vectors @ query, dtype=np.float32)
            # Error of a float32 dot product of two unit vectors: at most about dimension · 2⁻²⁴.
            return Scan(scores, np.full(len(scores), 2 * len(query) * 2.0**-24, np.float32))
        import torch

        step = np.float32(max(float(np.abs(query).max()), 1e-30) / 127)
        digits = np.rint(query / step)
        # unsqueeze, not numpy's newaxis: with a stride of 0 the product returns silently without a result.
        column = torch.from_numpy(digits.astype(np.int8)).unsqueeze(1)
        products = torch._int_mm(self._tensor, column).numpy()[:, 0]
        scores = products.astype(np.float32)
        scores *= self._codes.scales * step
        rest = query.astype(np.float64) - digits.astype(np.float64) * float(step)
        errors = self._codes.rests * np.float32(np.linalg.norm(query.astype(np.float64)) * (1 + 1e-6))
        errors += self._codes.lengths * np.float32(np.linalg.norm(rest) * (1 + 1e-6) + 1e-9)
        errors += _SLACK
        return Scan(scores, errors)

    def exact(self, query: Floats, rows: Indices) -> Floats:
        """Return the exact scores of ``rows``: products summed in float64, rounded to float32."""
        out = np.empty(len(rows), np.float32)
        wide = query.astype(np.float64)
        for start in range(0, len(rows), _BLOCK):
            block = np.asarray(self.vectors[rows[start : start + _BLOCK]], np.float64)
            out[start : start + len(block)] = np.einsum("ij,j->i", block, wide)
        return out

    def top(self, query: Floats, count: int, allowed: npt.NDArray[np.bool_] | None = None) -> tuple[Indices, Floats]:
        """Return the ``count`` best rows and their exact scores, in the order (−score, index).

        ``allowed`` bool [rows] restricts the rows.
        """
        return self.top_of_scan(self.scan(query), query, count, allowed)

    def top_of_scan(
        self, scan: Scan, query: Floats, count: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Indices, Floats]:
        """Return the same as :meth:`top` from a scan made before."""
        rows = survivors(scan.scores - scan.errors, scan.scores + scan.errors, count, allowed)
        if len(rows) > 4 * count + 64:
            # A float32 product narrows the field before the wider one.
            narrow = np.asarray(self.vectors[rows] @ query, dtype=np.float32)
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


_PARTS = ("codes", "scales", "rests", "lengths")


def save_codes(codes: Codes, folder: Path) -> None:
    """Write the codes beside the vectors they were made from; ``codes.npy``, which makes them count, last."""
    for name in reversed(_PARTS):
        part = folder / f"{name}.npy.part"
        with part.open("wb") as file:
            np.save(file, getattr(codes, name), allow_pickle=False)
        part.rename(folder / f"{name}.npy")


def open_codes(folder: Path) -> Codes | None:
    """Return the codes of ``folder``, in memory, or None where there are none."""
    if not (folder / "codes.npy").is_file():
        return None
    return Codes(*(np.load(folder / f"{name}.npy", allow_pickle=False) for name in _PARTS))


def open_index(folder: Path, vectors: Floats) -> ExactIndex:
    """Return the index over ``vectors``, with the codes of ``folder`` where there are any."""
    return ExactIndex(vectors, open_codes(folder))
