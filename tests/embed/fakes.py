"""An encoder that takes no time: its vectors follow from the text alone, and it remembers what it was asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from oncosearch.embed import ModelFacts, embed_passages, model_facts, open_vectors
from oncosearch.embed.encoders import Vectors, normalised
from oncosearch.model import Passage, SnapshotKey
from oncosearch.model.codec import text_hash
from oncosearch.text import FORMAT_ID

KEY = SnapshotKey("demo", "2026.Q1")
LATER = SnapshotKey("demo", "2026.Q2")
FACTS: ModelFacts = replace(model_facts("e5-small"), key="fake", hub_id="test/fake", dimension=8, limit=4)


class FakeEncoder:
    """Texts named in ``broken`` get the row given there."""

    def __init__(self, broken: dict[str, Sequence[float]] | None = None, facts: ModelFacts = FACTS) -> None:
        self.facts = facts
        self.broken = broken or {}
        self.encoded: list[str] = []

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode_passages([f"query: {text}" for text in texts])

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        self.encoded += texts
        rows = [self.broken.get(t) or np.frombuffer(hashlib.sha256(t.encode()).digest(), "u4") for t in texts]
        return normalised(np.array(rows, np.float64).reshape(-1, 8), texts, self.facts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


def passage(node_id: str, text: str, format_id: str = FORMAT_ID) -> Passage:
    return Passage(node_id, "", text, (), format_id, KEY.snapshot_id, text_hash(text))


def passages(count: int, changed: Sequence[int] = ()) -> list[Passage]:
    """Return passages of different lengths, all within the limit of the fake model."""
    texts = [f"{'x' * (i % 7 + 1)} {i}{' neu' if i in changed else ''}" for i in range(count)]
    return [passage(f"n{i:03d}", text) for i, text in enumerate(texts)]


def vectors_of(home, wanted: list[Passage], key: SnapshotKey = KEY, facts: ModelFacts = FACTS) -> Vectors:
    """Return the stored vectors in node order."""
    found = open_vectors(home, key, facts, FORMAT_ID, [p.text_hash for p in wanted])
    return np.array(found.vectors[found.rows])


def uninterrupted(home, wanted: list[Passage]) -> Vectors:
    embed_passages(home, KEY, wanted, FakeEncoder())
    return vectors_of(home, wanted)
