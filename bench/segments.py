"""SEOS against fixed splitting on articles of PubMedQA: ``python -m bench.segments ori_pqal.json --articles 40``.

Taken are articles on cancer (a MeSH heading of ``CANCER``), in the order of their hash by the seed. An abstract hardly
fills one block of 512 tokens, so ten of them, drawn at random, make one document of the length of a full text: their
sections in order, then their conclusion. The title stays out, for it is the question. Of each way of splitting all
blocks of all documents are ranked for each question. Accuracy is the share of questions whose first passage holds the
conclusion of the question's own article whole (PubMedQA's long answer, written by the authors); "same article" is the
share whose first passage holds any of that article's sentences. Longer blocks have it easier to hold a conclusion, so
the mean length of blocks stands beside it. Intervals are percentiles of 1000 bootstrap samples of questions.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oncosearch.embed import Encoder, load_encoder
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.rules import RULES
from oncosearch.literature.passages import PassageIndex, cut_documents, find_passages, index_passages
from oncosearch.settings import Settings
from oncosearch.text import Block, fixed_blocks

CANCER = re.compile(r"neoplasm|carcinoma|lymphoma|leukemi|sarcoma|melanoma|glioma|adenoma", re.IGNORECASE)
PER_DOCUMENT = 10
METHODS = ("BM25", "embedding", "two-stage")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the places of its article and of the article's conclusion in a document."""

    question: str
    document: str
    article: tuple[int, int]
    conclusion: tuple[int, int]


class Kept:
    """An encoder that encodes no text twice."""

    def __init__(self, encoder: Encoder) -> None:
        self.facts = encoder.facts
        self.encode_queries, self.count_tokens = encoder.encode_queries, encoder.count_tokens
        self._encoder = encoder
        self._rows: dict[str, Any] = {}

    def encode_passages(self, texts: Sequence[str]) -> Any:
        """Return one vector a text."""
        new = list(dict.fromkeys(t for t in texts if t not in self._rows))
        self._rows |= dict(zip(new, self._encoder.encode_passages(new), strict=True))
        return np.array([self._rows[t] for t in texts], np.float32).reshape(len(texts), -1)


def main() -> None:
    """Run the comparison and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="ori_pqal.json of PubMedQA")
    parser.add_argument("--articles", type=int, default=40)
    parser.add_argument("--model", default="e5-small")
    arguments = parser.parse_args()
    documents, asked = collection(json.loads(arguments.data.read_text("utf-8")), arguments.articles)
    print("\n".join(report(documents, asked, Kept(load_encoder(arguments.model, Settings.from_environment())))))


def collection(articles: dict[str, Any], count: int) -> tuple[list[tuple[str, str]], list[Asked]]:
    """Return documents of joined articles, and a question for each article."""
    on_cancer = [k for k, v in articles.items() if any(CANCER.search(m) for m in v["MESHES"])]
    chosen = sorted(on_cancer, key=lambda k: hashlib.sha256(f"{RULES.seed} {k}".encode()).digest())[:count]
    documents: list[tuple[str, str]] = []
    asked: list[Asked] = []
    for first in range(0, len(chosen), PER_DOCUMENT):
        name, text = f"d{first // PER_DOCUMENT + 1}", ""
        for key in chosen[first : first + PER_DOCUMENT]:
            article = articles[key]
            begin = len(text)
            text += "\n".join(article["CONTEXTS"]) + "\n"
            conclusion = (len(text), len(text) + len(article["LONG_ANSWER"].rstrip()))
            text += article["LONG_ANSWER"] + "\n\n"
            asked.append(Asked(article["QUESTION"], name, (begin, len(text) - 2), conclusion))
        documents.append((name, text))
    return documents, asked


def splittings(encoder: Encoder) -> Iterator[tuple[str, Callable[[list[tuple[str, str]]], list[Block]]]]:
    """Yield the name and the function of each way of splitting."""

    def fixed(size: int, overlap: int) -> Callable[[list[tuple[str, str]]], list[Block]]:
        return lambda documents: [
            block
            for key, text in documents
            for block in fixed_blocks(text, encoder.count_tokens, size=size, overlap=overlap, document=key)
        ]

    def seos(budget: int) -> Callable[[list[tuple[str, str]]], list[Block]]:
        return lambda documents: list(cut_documents(documents, encoder, budget=budget))

    for overlap in (0, 32, 128):
        yield f"512 (overlap {overlap})", fixed(512, overlap)
    yield "SEOS, budget 512", seos(512)
    yield "256 (overlap 0)", fixed(256, 0)
    yield "SEOS, budget 256", seos(256)


def report(documents: list[tuple[str, str]], asked: list[Asked], encoder: Encoder) -> list[str]:
    """Return the lines of the tables in Markdown."""
    names: list[str] = []
    sizes: list[tuple[int, float, int]] = []
    holds: list[Any] = []
    same: list[Any] = []
    for name, split in splittings(encoder):
        start = time.perf_counter()
        blocks = split(documents)
        index = index_passages(blocks, encoder)
        first = [[top(index, question.question, encoder, method) for question in asked] for method in METHODS]
        names.append(name)
        sizes.append((len(blocks), float(np.mean([b.tokens for b in blocks])), max(b.tokens for b in blocks)))
        holds.append([[_holds(b, a) for b, a in zip(row, asked, strict=True)] for row in first])
        same.append([[_same(b, a) for b, a in zip(row, asked, strict=True)] for row in first])
        print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return [
        f"Model {encoder.facts.key}, {len(asked)} questions, {len(documents)} documents of up to {PER_DOCUMENT} "
        f"articles, {sum(encoder.count_tokens(text) for _, text in documents)} tokens.",
        "",
        *_table("The first passage holds the conclusion (%)", names, sizes, np.array(holds, np.float64)),
        "",
        *_table("The first passage is of the same article (%)", names, sizes, np.array(same, np.float64)),
    ]


def top(index: PassageIndex, question: str, encoder: Encoder, method: str) -> Block:
    """Return the first passage by one of ``METHODS``; with BM25 the first block where no word is shared."""
    if method == "BM25":
        return index.blocks[int(np.argmax(index.lexical.scores(question)))]
    if method == "embedding":
        return find_passages(index, question, encoder, count=1, recall=1)[0].block
    return find_passages(index, question, encoder, count=1)[0].block


def _holds(block: Block, asked: Asked) -> bool:
    start, end = asked.conclusion
    return block.document == asked.document and block.start <= start and end <= block.end


def _same(block: Block, asked: Asked) -> bool:
    start, end = asked.article
    return block.document == asked.document and block.start < end and start < block.end


def _table(title: str, names: list[str], sizes: list[tuple[int, float, int]], values: Any) -> list[str]:
    """Return a Markdown table of means with intervals; ``values`` are splittings × methods × questions."""
    lines = [
        f"| {title} | {' | '.join(METHODS)} | blocks | tokens, mean and most |",
        "|---|" + "---|" * (len(METHODS) + 2),
    ]
    lower, upper = bootstrap_intervals(values.reshape(-1, values.shape[2]), RULES)
    lower, upper = lower.reshape(values.shape[:2]), upper.reshape(values.shape[:2])
    for i, name in enumerate(names):
        cells = [
            f"{100 * values[i, m].mean():.0f} [{100 * lower[i, m]:.0f}–{100 * upper[i, m]:.0f}]"
            for m in range(len(METHODS))
        ]
        lines.append(f"| {name} | {' | '.join(cells)} | {sizes[i][0]} | {sizes[i][1]:.0f}, {sizes[i][2]} |")
    pairs = [(a, b) for a, name in enumerate(names) if name.startswith("SEOS") for b in range(len(names))]
    pairs = [(a, b) for a, b in pairs if not names[b].startswith("SEOS")]
    differences = np.array([values[a] - values[b] for a, b in pairs])
    lower, upper = bootstrap_intervals(differences.reshape(-1, values.shape[2]), RULES)
    lower, upper = lower.reshape(len(pairs), -1), upper.reshape(len(pairs), -1)
    for i, (a, b) in enumerate(pairs):
        cells = [
            f"{100 * differences[i, m].mean():+.0f} [{100 * lower[i, m]:+.0f} to {100 * upper[i, m]:+.0f}]"
            for m in range(len(METHODS))
        ]
        lines.append(f"| {names[a]} − {names[b]} | {' | '.join(cells)} | | |")
    return lines


if __name__ == "__main__":
    main()
