"""A ``.npy`` file that grows by rows: what is there never moves, so that adding a hundred rows costs a hundred rows.

numpy pads the header of a ``.npy`` file so that the number of rows can grow in place. The header is brought up to
date by :meth:`GrowingArray.seal`; rows appended before that are on disk already and are counted by file size.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class GrowingArray:
    """An array on disk, [rows, *shape] of one dtype, appended to and read memory-mapped."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, shape: tuple[int, ...] = ()) -> None:
        self.path = path
        self.dtype = np.dtype(dtype)
        self.shape = shape
        self._row_bytes = self.dtype.itemsize * int(np.prod(shape, dtype=np.int64))
        self._start = len(self._header(0))

    def __len__(self) -> int:
        """Return how many whole rows are on disk."""
        if not self.path.is_file():
            return 0
        return max(0, self.path.stat().st_size - self._start) // self._row_bytes

    def read(self, rows: int) -> Array:
        """Return the first ``rows`` rows, memory-mapped and read-only."""
        if rows == 0:
            return np.empty((0, *self.shape), self.dtype)
        mapped: Array = np.memmap(self.path, self.dtype, "r", self._start, (rows, *self.shape)).view(np.ndarray)
        return mapped

    def cut(self, rows: int) -> None:
        """Drop everything after the first ``rows`` rows, such as a torn last one."""
        size = self._start + rows * self._row_bytes
        if self.path.is_file() and self.path.stat().st_size != size:
            with self.path.open("r+b") as file:
                file.truncate(size)

    def append(self, rows: Array) -> None:
        """Add rows at the end."""
        if not self.path.is_file():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(self._header(0))
        with self.path.open("ab") as file:
            file.write(np.ascontiguousarray(rows, self.dtype).tobytes())

    def seal(self) -> None:
        """Write the number of rows into the header, so that ``numpy.load`` reads the whole array."""
        if self.path.is_file():
            with self.path.open("r+b") as file:
                file.write(self._header(len(self)))

    def _header(self, rows: int) -> bytes:
        from io import BytesIO

        out = BytesIO()
        facts = {
            "descr": np.lib.format.dtype_to_descr(self.dtype),
            "fortran_order": False,
            "shape": (rows, *self.shape),
        }
        np.lib.format.write_array_header_1_0(out, facts)
        return out.getvalue()
