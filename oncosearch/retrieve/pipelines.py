"""The table of pipelines, and the one place where each is composed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from oncosearch.model import UsageError
from oncosearch.model.vocabulary import Term
from oncosearch.retrieve.candidates import Candidates, Ints, Mask, Question, Resources, best_first, flat
from oncosearch.retrieve.diffused import diffuse
from oncosearch.retrieve.grag import blend

Runner = Callable[[Resources, Question, int, Mask | None], Candidates]

# Reciprocal rank fusion: the constant of Cormack, Clarke and Büttcher (SIGIR 2009), and how deep each list goes.
RRF_CONSTANT = 60
RRF_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Pipeline(Term):
    """A named way to rank.

    ``uses`` are the parameters that it reads; ``run`` takes (resources, question, how many, allowed nodes) and
    returns candidates.
    """

    about_de: str
    about_en: str
    needs_vectors: bool
    uses: tuple[str, ...]
    run: Runner

    def about(self, language: str) -> str:
        """Return the description in ``language``."""
        return self.about_de if language == "de" else self.about_en


def run_dense(resources: Resources, question: Question, count: int, allowed: Mask | None) -> Candidates:
    """Return the nodes nearest by cosine (the GRAG paper's baseline)."""
    assert resources.dense is not None
    assert question.vector is not None
    nodes, scores = resources.dense.top(question.vector, count, allowed)
    return flat(nodes, scores.astype(np.float64), cosine=True)


def run_lexical(resources: Resources, question: Question, count: int, allowed: Mask | None) -> Candidates:
    """Return the nodes that share words with the question, by BM25."""
    scores = resources.lexical.scores(question.text)
    sharing = np.flatnonzero(scores > 0)
    chosen = best_first(sharing, scores[sharing], count, allowed)
    return flat(sharing[chosen], scores[sharing[chosen]].astype(np.float64), cosine=False)


def run_grag(resources: Resources, question: Question, count: int, allowed: Mask | None) -> Candidates:
    """Return the GRAG ranking: seeds are the nodes nearest by cosine, over all nodes, exactly."""
    assert resources.dense is not None
    assert question.vector is not None
    seeds, _ = resources.dense.top(question.vector, question.parameters.seeds)
    return _restricted(blend(resources, question, seeds), count, allowed)


def run_hybrid(resources: Resources, question: Question, count: int, allowed: Mask | None) -> Candidates:
    """Return the GRAG ranking with seeds by reciprocal rank fusion of dense and lexical."""
    depth = max(RRF_DEPTH, question.parameters.seeds)
    lists = [run_dense(resources, question, depth, None).nodes, run_lexical(resources, question, depth, None).nodes]
    seeds = fuse(lists)[: question.parameters.seeds]
    return _restricted(blend(resources, question, seeds), count, allowed)


def run_diffused(resources: Resources, question: Question, count: int, allowed: Mask | None) -> Candidates:
    """Return the ranking by both signals smoothed over the graph; see :mod:`oncosearch.retrieve.diffused`."""
    return diffuse(resources, question, count, allowed)


def fuse(lists: list[Ints]) -> Ints:
    """Return the nodes of several rankings by reciprocal rank fusion, score(i) = Σ 1 / (60 + rank(i))."""
    nodes = np.unique(np.concatenate(lists))
    scores = np.zeros(len(nodes))
    for ranking in lists:
        scores[np.searchsorted(nodes, ranking)] += 1 / (RRF_CONSTANT + 1 + np.arange(len(ranking)))
    return nodes[best_first(nodes, scores, len(nodes))]


def _restricted(found: Candidates, count: int, allowed: Mask | None) -> Candidates:
    positions = np.arange(len(found.nodes)) if allowed is None else np.flatnonzero(allowed[found.nodes])
    return found.take(positions[:count])


PIPELINES: tuple[Pipeline, ...] = (
    Pipeline(
        "grag",
        "Graphsuche (GRAG)",
        "Graph search (GRAG)",
        "Inhaltlich nächste Knoten und ihre Umgebung im Graphen; beide Anteile zählen.",
        "The nodes nearest in meaning and their surroundings in the graph; both shares count.",
        True,
        ("alpha", "lambda", "hops", "seeds", "cap"),
        run_grag,
    ),
    Pipeline(
        "hybrid",
        "Graphsuche mit Wortsuche",
        "Graph search with word search",
        "Wie die Graphsuche, doch die Ausgangsknoten kommen aus Bedeutung und Wortlaut zugleich.",
        "As graph search, but the starting nodes come from meaning and wording together.",
        True,
        ("alpha", "lambda", "hops", "seeds", "cap"),
        run_hybrid,
    ),
    Pipeline(
        "diffused",
        "Geglättete Suche",
        "Diffused search",
        "Bedeutung und Wortlaut aller Knoten, über die Querverweise des Graphen geglättet und addiert.",
        "Meaning and wording of all nodes, smoothed over the cross-links of the graph and added.",
        True,
        (),
        run_diffused,
    ),
    Pipeline(
        "dense",
        "Bedeutungssuche",
        "Search by meaning",
        "Nur die inhaltliche Nähe von Frage und Knoten (Kosinus), ohne den Graphen.",
        "Only the closeness in meaning of question and node (cosine), without the graph.",
        True,
        (),
        run_dense,
    ),
    Pipeline(
        "lexical",
        "Wortsuche",
        "Word search",
        "Nur gemeinsame Wörter und Wortteile (BM25), in allen Sprachen und Synonymen; braucht kein Modell.",
        "Only shared words and parts of words (BM25), in all languages and synonyms; needs no model.",
        False,
        (),
        run_lexical,
    ),
)
PIPELINE_KEYS = tuple(p.key for p in PIPELINES)


def pipeline(key: str) -> Pipeline:
    """Return the pipeline ``key``; UsageError lists the keys where there is no such pipeline."""
    for found in PIPELINES:
        if found.key == key:
            return found
    raise UsageError(
        f"There is no pipeline {key!r}; the pipelines are: {', '.join(PIPELINE_KEYS)}.",
        code="unknown_pipeline",
        pipeline=key,
    )
