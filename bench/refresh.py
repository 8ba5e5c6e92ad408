"""Refreshing a large graph after a few changes: ``python -m bench.refresh --nodes 200000 --changed 1000``.

Both snapshots are prepared by the same function as always (graph files, passages, names, word index, vectors), with an
encoder whose own seconds are taken out. ``share`` is what refreshing took beyond encoding, as a part of what the first,
full preparation took beyond encoding; the goal is at most 0.05. ``cpu_share`` is the same in processor seconds, which
other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from oncosearch.embed import model_facts
from oncosearch.model import LocalText, Node, Snapshot, SnapshotKey, Synonym, content_hash, node_hash
from oncosearch.settings import Settings
from oncosearch.store import open_store
from oncosearch.workspace import DEFAULT_MODEL, Workspace

GOAL = 0.05
_WORDS, _TEXT_WORDS = 20_000, 40


class _Encoder:
    """Gives every text a vector of its own and counts the seconds that this takes."""

    def __init__(self) -> None:
        self.facts = model_facts(DEFAULT_MODEL)
        self.seconds = self.cpu = 0.0
        self.texts = 0

    def encode_passages(self, texts: Sequence[str]) -> Any:
        start, cpu = time.perf_counter(), time.process_time()
        rows = np.stack([np.random.default_rng(len(t)).normal(size=self.facts.dimension) for t in texts])
        rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        self.seconds += time.perf_counter() - start
        self.cpu += time.process_time() - cpu
        self.texts += len(texts)
        return rows

    encode_queries = encode_passages

    def count_tokens(self, text: str) -> int:
        return 1


class _Bench(Workspace):
    known: _Encoder

    def encoder(self, model: str) -> Any:
        return self.known


def main() -> None:
    """Run the benchmark and print its lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=200_000)
    parser.add_argument("--changed", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.nodes, arguments.changed, Path(folder))


def run(count: int, changed: int, home: Path) -> float:
    """Print one JSON line for each measured thing and return the share."""
    rng = np.random.default_rng(7)
    settings = Settings(home=home, audit=False)
    workspace = _Bench(settings, open_store(settings))
    workspace.known = _Encoder()
    say("set-up", nodes=count, changed=changed)
    nodes = list(graph_nodes(count, rng))
    first = snapshot_of(nodes, "1")
    for i in rng.choice(count, changed, replace=False).tolist():
        fields = tuple((key, LocalText.of({"de": f"{text.best('de')} geändert"})) for key, text in nodes[i].fields)
        nodes[i] = replace(nodes[i], fields=fields)
    second = snapshot_of(nodes, "2")
    took = {}
    for snapshot, what in ((first, "full"), (second, "refresh")):
        given = graph_nodes(count, np.random.default_rng(7)) if what == "full" else iter(nodes)
        start = time.perf_counter()
        workspace.store.write_snapshot(snapshot, given)
        imported = time.perf_counter() - start
        took[what] = _prepare(workspace, snapshot.key, what, imported)
    share, cpu_share = (took["refresh"][i] / took["full"][i] for i in (0, 1))
    say("share", share=round(share, 4), cpu_share=round(cpu_share, 4), goal=GOAL, reached=share <= GOAL)
    workspace.close()
    return share


def _prepare(workspace: _Bench, key: SnapshotKey, what: str, imported: float) -> tuple[float, float]:
    """Return the seconds of the clock and of the processor that preparing took beyond encoding."""
    stages: dict[str, float] = {}
    last = [time.perf_counter()]

    def progress(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        stages[stage] = stages.get(stage, 0.0) + now - last[0]
        last[0] = now

    encoder = workspace.known
    encoder.seconds, encoder.cpu, encoder.texts = 0.0, 0.0, 0
    start, cpu = time.perf_counter(), time.process_time()
    workspace.prepare(key, DEFAULT_MODEL, progress)
    seconds = time.perf_counter() - start
    beyond, cpu_beyond = seconds - encoder.seconds, time.process_time() - cpu - encoder.cpu
    say(
        what,
        beyond_encoding=round(beyond, 2),
        cpu_beyond_encoding=round(cpu_beyond, 2),
        encoded=encoder.texts,
        import_seconds=round(imported, 2),
        # What passes between two reports counts for the later one.
        stages={stage: round(took, 2) for stage, took in stages.items()},
    )
    return beyond, cpu_beyond


def graph_nodes(count: int, rng: np.random.Generator) -> Iterator[Node]:
    """Return nodes in the order of their ids: one or two earlier ones as parents, texts of Zipf words."""
    for i in range(count):
        above = sorted({int(i * rng.random() ** 1.3) for _ in range(1 + (rng.random() < 0.15))}) if i else []
        words = [_word(int(n)) for n in np.minimum(rng.zipf(1.3, size=_TEXT_WORDS), _WORDS)]
        yield Node(
            f"n{i:07d}",
            "disease",
            LocalText.of({"de": " ".join(words[:3]) + f" {i}"}),
            synonyms=(Synonym(" ".join(words[3:5])),),
            fields=(("Diagnosis", LocalText.of({"de": " ".join(words[5:])})),),
            parents=tuple(f"n{p:07d}" for p in above),
        )


_SYLLABLES = ("lun", "gen", "ma", "kar", "zi", "nom", "the", "ra", "pie", "sta", "di", "um", "mu", "ta", "ti", "on")


def _word(number: int) -> str:
    # Made of syllables, so that words look like words to the tokeniser and its splitter.
    out = ""
    number += 17
    while number:
        number, rest = divmod(number, len(_SYLLABLES))
        out += _SYLLABLES[rest]
    return out.capitalize()


def snapshot_of(nodes: Sequence[Node], snapshot_id: str) -> Snapshot:
    """Return the snapshot that ``nodes`` make."""
    digest = content_hash({node.id: node_hash(node) for node in nodes})
    return Snapshot("bench", snapshot_id, f"2026-01-0{snapshot_id}T00:00:00Z", digest, len(nodes))


def say(name: str, **values: object) -> None:
    """Print one line of the report."""
    print(json.dumps({"what": name, **values}), flush=True)


if __name__ == "__main__":
    main()
