"""A program that embeds and dies by SIGKILL at a named point.

``python -m tests.embed.killed HOME POINT``: ``encode:N`` dies in the N-th batch, ``append:N`` after the N-th write of
the vector files, ``torn:N`` in the middle of it, ``rows`` before the snapshot counts, ``slow`` never: it takes its time
and prints how many rows are acknowledged.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from oncosearch.embed import embed_passages
from oncosearch.embed.growing import GrowingArray
from tests.embed.fakes import KEY, FakeEncoder, passages

COUNT = 70


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Encoder(FakeEncoder):
    def __init__(self, deadly: int, seconds: float) -> None:
        super().__init__()
        self.deadly, self.seconds, self.batches = deadly, seconds, 0

    def encode_passages(self, texts):
        self.batches += 1
        if self.batches == self.deadly:
            die()
        time.sleep(self.seconds)
        return super().encode_passages(texts)


def _die_after_append(number: int, *, torn: bool) -> None:
    append, calls = GrowingArray.append, []

    def deadly(self, rows):
        # Files of hashes that are too long stay empty here and are no write.
        calls.extend([1] if len(rows) else [])
        append(self, rows)
        if len(calls) == number and len(rows):
            if torn:
                os.truncate(self.path, self.path.stat().st_size - self.dtype.itemsize // 2)
            die()

    GrowingArray.append = deadly


def main(home: str, point: str) -> None:
    kind, _, number = point.partition(":")
    if kind in {"append", "torn"}:
        _die_after_append(int(number), torn=kind == "torn")
    if kind == "rows":
        Path.rename = lambda *_: die()
    encoder = Encoder(int(number) if kind == "encode" else 0, 0.05 if kind == "slow" else 0.0)
    embed_passages(Path(home), KEY, passages(COUNT), encoder, lambda done, total: print(done, flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])
