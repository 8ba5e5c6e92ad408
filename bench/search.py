"""Speed of searching a large graph, as JSON lines: ``python -m bench.search --nodes 200000 --dim 1024``.

Every time is compared with plain numpy on the same data in the same process: ``V @ q`` over float32 and
``argpartition``, measured in turn with what is compared, so that a slow moment of the machine hits both. A short pause
stands before each measurement: numpy's idle threads go on spinning for some 30 ms, on cores that the next one needs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.synthetic import KEY, clustered_vectors, dag, queries, words
from oncosearch.embed import embed_passages, open_vectors
from oncosearch.embed.registry import ModelFacts
from oncosearch.index.exact import make_codes, open_index
from oncosearch.model import Parameters, Passage, SnapshotKey
from oncosearch.retrieve import Question, Resources, pipeline
from oncosearch.retrieve.diffused import transition

TOP = 50
PAUSE = 0.1


class _Known:
    """An encoder that looks vectors up, so that only the work beside encoding is measured."""

    def __init__(self, facts: ModelFacts, vectors: Any) -> None:
        self.facts = facts
        self._vectors = vectors
        self.seconds = 0.0

    def encode_queries(self, texts: Any) -> Any:
        return self.encode_passages(texts)

    def encode_passages(self, texts: Any) -> Any:
        start = time.perf_counter()
        found = np.array(self._vectors[[int(text) for text in texts]])
        self.seconds += time.perf_counter() - start
        return found

    def count_tokens(self, text: str) -> int:
        return 1


def main() -> None:
    """Run the benchmark and print its lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=1024)
    parser.add_argument("--repeats", type=int, default=15)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.nodes, arguments.dim, arguments.repeats, Path(folder))


def run(nodes: int, dim: int, repeats: int, home: Path) -> None:
    """Print one JSON line for each measured thing."""
    rng = np.random.default_rng(7)
    pool = np.lib.format.open_memmap(home / "pool.npy", "w+", np.float32, (nodes + 100, dim))
    clustered_vectors(pool, rng)
    facts = ModelFacts("bench", "bench", "1", dim, 512, "mean", True, "none")
    encoder = _Known(facts, pool)
    say("set-up", nodes=nodes, dim=dim, repeats=repeats, top=TOP)

    first = texts(range(nodes))
    embed_passages(home, KEY, first, encoder)
    found = open_vectors(home, KEY, facts, "1", [p.text_hash for p in first])
    make_codes(found.folder, found.vectors)

    opening = [clock(lambda: open_index(found.folder, found.vectors, found.rows)) for _ in range(3)]
    index = open_index(found.folder, found.vectors, found.rows)
    matrix = np.array(found.vectors[found.rows])
    graph, lexical = dag(nodes, rng), words(nodes, rng)
    smoother = transition(graph)
    resources = Resources(graph, lexical, lambda: smoother, index)
    asked = queries(matrix, rng, repeats)
    text = "wort3x wort40x wort500x wort1200x"

    def plain(q: Any) -> Any:
        scores = matrix @ q  # noqa: F821 (deleted below, to free memory)
        best = np.argpartition(-scores, TOP)[:TOP]
        return best[np.lexsort((best, -scores[best]))]

    def whole(key: str) -> Callable[[Any], Any]:
        chosen = pipeline(key)
        return lambda q: chosen.run(resources, Question(text, q, Parameters()), TOP, None)

    same = sum(bool(np.array_equal(index.top(q, TOP)[0], plain(q))) for q in asked)
    compare("exact top-50", lambda q: index.top(q, TOP), plain, asked, same_ids=f"{same}/{len(asked)}")
    for key in ("grag", "hybrid", "diffused", "dense"):
        compare(f"pipeline {key}", whole(key), plain, asked)
    resident = sum(getattr(index.codes, part).nbytes for part in ("codes", "scales", "rests", "lengths"))
    say(
        "open index",
        seconds=round(statistics.median(opening), 3),
        resident_bytes=resident,
        float32_bytes=matrix.nbytes,
        resident_ratio=round(resident / matrix.nbytes, 3),
    )
    del matrix

    changed = set(rng.choice(nodes, 100, replace=False).tolist())
    second = texts([i if i not in changed else nodes + n for n, i in enumerate_changed(nodes, changed)])
    encoder.seconds = 0.0
    start = time.perf_counter()
    report = embed_passages(home, SnapshotKey("bench", "2"), second, encoder, hashes=[p.text_hash for p in second])
    made = open_vectors(home, SnapshotKey("bench", "2"), facts, "1", [p.text_hash for p in second])
    make_codes(made.folder, made.vectors)
    again = open_index(made.folder, made.vectors, made.rows)
    seconds = time.perf_counter() - start - encoder.seconds
    assert len(again) == nodes
    say("re-index after 100 changes", encoded=report.encoded, reused=report.reused, seconds=round(seconds, 3))


def enumerate_changed(nodes: int, changed: set[int]) -> list[tuple[int, int]]:
    """Return, for each node, (how many changed nodes came before it, the node)."""
    before, out = 0, []
    for i in range(nodes):
        out.append((before, i))
        before += i in changed
    return out


def texts(rows: Any) -> list[Passage]:
    """Return passages whose text is the row of the pool to take as their vector."""
    return [Passage(f"n{i:07d}", "", str(row), (), "1", "1", f"{row:032d}") for i, row in enumerate(rows)]


def compare(name: str, ours: Callable[[Any], Any], plain: Callable[[Any], Any], asked: Any, **more: object) -> None:
    """Print the medians of both and of their ratio, measured in turn."""
    ours(asked[0])
    plain(asked[0])
    pairs = [(settled(lambda q=q: ours(q)), settled(lambda q=q: plain(q))) for q in asked]
    say(
        name,
        ms=round(1000 * statistics.median(a for a, _ in pairs), 2),
        numpy_ms=round(1000 * statistics.median(b for _, b in pairs), 2),
        ratio=round(statistics.median(a / b for a, b in pairs), 3),
        **more,
    )


def settled(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes once the threads of what ran before are at rest."""
    time.sleep(PAUSE)
    return clock(work)


def clock(work: Callable[[], object]) -> float:
    """Return the seconds that ``work`` takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def say(name: str, **values: object) -> None:
    """Print one line of the report."""
    print(json.dumps({"what": name, **values}), flush=True)


if __name__ == "__main__":
    main()
