"""A column of texts as two arrays, so that 200,000 titles are two memory-mapped files and no Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Texts in UTF-8: text i is ``blob[offsets[i]:offsets[i + 1]]``; uint8 [bytes] and int64 [count + 1]."""

    blob: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextColumn:
        """Return the column of ``texts`` in their order."""
        encoded = [text.encode("utf-8") for text in texts]
        offsets = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(e) for e in encoded], out=offsets[1:])
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> str:
        """Return text ``i``; IndexError outside 0 … len − 1."""
        if not 0 <= i < len(self):
            raise IndexError(i)
        return bytes(self.blob[self.offsets[i] : self.offsets[i + 1]]).decode("utf-8")

    def __iter__(self) -> Iterator[str]:
        """Iterate over all texts."""
        data = self.blob.tobytes()
        bounds = self.offsets.tolist()
        for start, end in pairwise(bounds):
            yield data[start:end].decode("utf-8")

    def lower_bound(self, text: str) -> int:
        """Return how many texts of a column sorted by code point come before ``text`` (binary search)."""
        low, high = 0, len(self)
        wanted = text.encode("utf-8", "surrogatepass")
        while low < high:
            middle = (low + high) // 2
            if bytes(self.blob[self.offsets[middle] : self.offsets[middle + 1]]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, text: str) -> int | None:
        """Return the position of ``text`` in a column sorted by code point, or None (binary search)."""
        place = self.lower_bound(text)
        return place if place < len(self) and self[place].encode() == text.encode("utf-8", "surrogatepass") else None

    @classmethod
    def gathered(cls, old: TextColumn, fresh: TextColumn, origin: npt.NDArray[np.int64]) -> TextColumn:
        """Return the texts that ``origin`` names: ``i`` is text i of ``old``, ``len(old) + j`` text j of ``fresh``.

        Neighbours stay neighbours mostly, so they are copied in runs and not one by one.
        """
        split = int(old.offsets[-1])
        starts = np.concatenate((old.offsets[:-1], fresh.offsets[:-1] + split))[origin]
        ends = np.concatenate((old.offsets[1:], fresh.offsets[1:] + split))[origin]
        offsets = np.zeros(len(origin) + 1, np.int64)
        np.cumsum(ends - starts, out=offsets[1:])
        blob = np.empty(offsets[-1], np.uint8)
        breaks = np.flatnonzero((starts[1:] != ends[:-1]) | (starts[1:] == split)) + 1
        for first, last in pairwise([0, *breaks.tolist(), len(origin)]):
            if first < last:
                start, end = int(starts[first]), int(ends[last - 1])
                source, shift = (old.blob, 0) if start < split else (fresh.blob, split)
                blob[offsets[first] : offsets[last]] = source[start - shift : end - shift]
        return cls(blob, offsets)
