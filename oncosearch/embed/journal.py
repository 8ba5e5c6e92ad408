"""The journal of an embedding run: rows encoded so far, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oncosearch.embed.encoders import Vectors

Hashes = npt.NDArray[np.bytes_]

_HASH_BYTES = 32
HASH = f"S{_HASH_BYTES}"


class Journal:
    """Append-only files of one model and graph; ``stamp`` says what the rows were made with.

    A row counts once its hash is whole in ``hashes.bin``, which is written last. ``long.bin`` holds the hashes of
    texts beyond the model's limit; one of a row that did not get through is true all the same.
    """

    def __init__(self, folder: Path, dimension: int, stamp: str) -> None:
        self._folder = folder
        self._dimension = dimension
        self._row_bytes = 4 * dimension
        self._stamp = stamp

    def rows(self) -> tuple[Hashes, Vectors] | None:
        """Return hashes and vectors of the whole rows, None without any.

        Nothing is changed, since another process may be writing at this moment.
        """
        hashes = self._whole_rows()
        if not len(hashes):
            return None
        shape = (len(hashes), self._dimension)
        try:
            return hashes, np.memmap(self._folder / "vectors.bin", np.float32, "r", shape=shape)
        except FileNotFoundError:
            # The other process has finished in between and cleared its journal.
            return None

    def mend(self) -> None:
        """Cut off what an interrupted run left half written, so that the next rows stand where they belong.

        A journal with another stamp is thrown away.
        """
        if not self._fits():
            self.clear()
            return
        count = len(self._whole_rows())
        long = len(whole_hashes(self._folder / "long.bin"))
        _cut(self._folder / "hashes.bin", _HASH_BYTES * count)
        _cut(self._folder / "vectors.bin", self._row_bytes * count)
        _cut(self._folder / "long.bin", _HASH_BYTES * long)

    def append(self, hashes: Sequence[str], vectors: Vectors, beyond: Sequence[str]) -> None:
        """Add rows, and the hashes of those ``beyond`` the model's limit."""
        if not (self._folder / "stamp.json").is_file():
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / "stamp.json").write_text(self._stamp, encoding="utf-8")
        for name, content in (
            ("long.bin", "".join(beyond).encode()),
            ("vectors.bin", np.ascontiguousarray(vectors, np.float32).tobytes()),
            ("hashes.bin", "".join(hashes).encode()),
        ):
            with (self._folder / name).open("ab") as file:
                file.write(content)

    def clear(self) -> None:
        """Remove the journal."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _fits(self) -> bool:
        stamp = self._folder / "stamp.json"
        return stamp.is_file() and stamp.read_text(encoding="utf-8") == self._stamp

    def _whole_rows(self) -> Hashes:
        if not self._fits():
            return np.empty(0, HASH)
        numbers = self._folder / "vectors.bin"
        rows = numbers.stat().st_size // self._row_bytes if numbers.is_file() else 0
        return whole_hashes(self._folder / "hashes.bin")[:rows]


def whole_hashes(path: Path) -> Hashes:
    """Return the hashes of a file, without a torn last one; none where there is no file."""
    content = path.read_bytes() if path.is_file() else b""
    return np.frombuffer(content[: len(content) // _HASH_BYTES * _HASH_BYTES], HASH)


def _cut(path: Path, size: int) -> None:
    if path.is_file() and path.stat().st_size != size:
        with path.open("r+b") as file:
            file.truncate(size)
