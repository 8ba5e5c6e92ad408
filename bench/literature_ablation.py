"""The ablation of CoMeta's document retrieval on PubMedQA: ``python -m bench.literature_ablation ori_pqal.json``.

The 1,000 articles are imported as a local source. Asked are 60 questions on cancer (``tests/data/pubmedqa_cancer.json``
says by which rule), each in its standard form (the data set's question) and in a narrative form written for this
project. Four methods:

- Boolean: what was typed, its words all required, as PubMed reads a line of plain words;
- Adapt-E: the rules' rewrite, from strict to loose;
- dense: the question as typed against title and abstract;
- hybrid: reciprocal rank fusion of the last two, k = 60.

Hit@10 is the share of questions whose own article is among the first ten; a zero hit is a question for which a method
finds no article at all. Intervals are 95 % percentiles of 1000 bootstrap samples of questions.

In PubMedQA the question is the title of its article, so standard questions are found by almost anything. Therefore
everything is told twice: with the articles as imported, and with their titles left out.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from oncosearch.embed import load_encoder
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.rules import RULES
from oncosearch.literature.article import Article
from oncosearch.literature.dense import ArticleVectors, OfRegistry, rank_articles
from oncosearch.literature.jsonlines import read_pubmedqa
from oncosearch.literature.local import LocalSource
from oncosearch.literature.pipeline import descend, fuse
from oncosearch.literature.rewrite import rewrite
from oncosearch.literature.stages import Plan
from oncosearch.settings import Settings

CHOSEN = Path(__file__).resolve().parent.parent / "tests" / "data" / "pubmedqa_cancer.json"
FORMS = ("standard", "narrative")
CUTOFF = 10
# Of the paper's table of CHSDR on PubMedQA: Hit@10 (%) and questions without hits of 60; None where it gives none.
PAPER = {
    "Boolean": ((41.67, 0.00), (22, 55)),
    "Adapt-E": ((48.33, 8.33), (0, 0)),
    "dense": ((10.00, 3.33), None),
    "hybrid": ((46.67, 10.00), None),
}
Ranker = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in both forms, and the PMID of its article."""

    pmid: str
    standard: str
    narrative: str


def main() -> None:
    """Run the ablation and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="ori_pqal.json of PubMedQA")
    parser.add_argument("--model", default="e5-small", help="embedding model; none leaves dense and hybrid out")
    parser.add_argument("--home", type=Path, help="where vectors are kept between runs")
    arguments = parser.parse_args()
    entries = json.loads(arguments.data.read_text("utf-8"))
    encoder = None if arguments.model == "none" else load_encoder(arguments.model, Settings.from_environment())
    for titles in (True, False):
        print(f"\nArticles {'as imported' if titles else 'without their titles'}; model {arguments.model}\n")
        with collection(entries, titles=titles) as source:
            vectors = None if encoder is None else ArticleVectors(OfRegistry(encoder), arguments.home)
            print("\n".join(report(asked_of(entries), rankers(source, vectors))))


def asked_of(entries: dict[str, Any]) -> list[Asked]:
    """Return the chosen questions; their standard forms come from the data set."""
    chosen = json.loads(CHOSEN.read_text("utf-8"))["questions"]
    return [Asked(c["pmid"], entries[c["pmid"]]["QUESTION"], c["narrative"]) for c in chosen]


@contextmanager
def collection(entries: dict[str, Any], *, titles: bool) -> Iterator[LocalSource]:
    """Lend a local source of the articles, with or without their titles."""
    with tempfile.TemporaryDirectory() as folder, LocalSource.open(Path(folder)) as source:
        articles = [a for a in read_pubmedqa(entries) if isinstance(a, Article)]
        source.add(articles if titles else [replace(a, title="") for a in articles])
        yield source


def rankers(source: LocalSource, vectors: ArticleVectors | None) -> dict[str, Ranker]:
    """Return the methods by name; each gives PMIDs, best first."""
    plan = Plan()

    def boolean(question: str) -> list[str]:
        # Marks that are operators of the syntax say nothing in plain words.
        plain = " ".join("".join(c if c.isalnum() or c.isspace() else " " for c in question).split())
        return list(source.search(plain.lower(), count=plan.candidates).ids)

    def adapted(question: str) -> list[str]:
        lists, _ = descend(source, rewrite(question), plan)
        return [pmid for ids in lists.values() for pmid in ids]

    found: dict[str, Ranker] = {"Boolean": boolean, "Adapt-E": adapted}
    if vectors is not None:
        articles = list(source.articles())

        def dense(question: str) -> list[str]:
            return [pmid for pmid, _ in rank_articles(question, articles, vectors, plan.candidates)]

        def hybrid(question: str) -> list[str]:
            return [pmid for pmid, _ in fuse((adapted(question), dense(question)), plan.fusion_k)]

        found |= {"dense": dense, "hybrid": hybrid}
    return found


def report(asked: Sequence[Asked], methods: dict[str, Ranker]) -> list[str]:
    """Return the lines of both tables in Markdown, with the paper's figures beside ours."""
    hits: list[list[float]] = []
    zeros: dict[str, list[int]] = {}
    for name, ranked in methods.items():
        for form in FORMS:
            lists = [(question.pmid, ranked(getattr(question, form))) for question in asked]
            hits.append([float(pmid in ids[:CUTOFF]) for pmid, ids in lists])
            zeros.setdefault(name, []).append(sum(not ids for _, ids in lists))
    values = np.array(hits, np.float64)
    lower, upper = bootstrap_intervals(values, RULES)
    lines = [
        f"| Hit@{CUTOFF} (%), n = {len(asked)} | standard | narrative | paper, standard | paper, narrative |",
        "|---|---|---|---|---|",
    ]
    for i, name in enumerate(methods):
        cells = [
            f"{100 * values[row].mean():.1f} [{100 * lower[row]:.1f}–{100 * upper[row]:.1f}]"
            for row in (2 * i, 2 * i + 1)
        ]
        lines.append(f"| {name} | {' | '.join(cells)} | {PAPER[name][0][0]:.1f} | {PAPER[name][0][1]:.1f} |")
    lines += [
        "",
        "| Questions without a hit | standard | narrative | paper, standard | paper, narrative |",
        "|---|---|---|---|---|",
    ]
    for name, counts in zeros.items():
        paper = PAPER[name][1]
        told = (f"{paper[0]}/60", f"{paper[1]}/60") if paper else ("–", "–")
        lines.append(f"| {name} | {counts[0]}/{len(asked)} | {counts[1]}/{len(asked)} | {told[0]} | {told[1]} |")
    return lines


if __name__ == "__main__":
    main()
