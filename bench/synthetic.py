"""Synthetic graphs for benchmarks: clustered unit vectors, a DAG with cross-links, and short texts of Zipf words."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oncosearch.graph import Graph, Relation, TextColumn
from oncosearch.index.lexical import LexicalIndex, build_from_fields
from oncosearch.model import SnapshotKey
from oncosearch.model.vocabulary import NODE_TYPE_KEYS

KEY = SnapshotKey("bench", "1")


def clustered_vectors(out: npt.NDArray[np.float32], rng: np.random.Generator, nodes_per_cluster: int = 500) -> None:
    """Fill ``out`` float32 [rows, dimension] with unit vectors around random centres, block by block."""
    rows, dimension = out.shape
    centres = rng.normal(size=(max(1, rows // nodes_per_cluster), dimension)).astype(np.float32)
    for start in range(0, rows, 20_000):
        block = rng.normal(size=(min(20_000, rows - start), dimension)).astype(np.float32)
        block += np.float32(0.8) * centres[rng.integers(len(centres), size=len(block))]
        out[start : start + len(block)] = block / np.linalg.norm(block, axis=1, keepdims=True)


def queries(vectors: npt.NDArray[np.float32], rng: np.random.Generator, count: int) -> npt.NDArray[np.float32]:
    """Return unit vectors near rows of ``vectors``: float32 [count, dimension]."""
    near = np.array(vectors[rng.integers(len(vectors), size=count)])
    near += np.float32(0.5) * rng.normal(size=near.shape).astype(np.float32) / np.float32(np.sqrt(near.shape[1]))
    return np.asarray(near / np.linalg.norm(near, axis=1, keepdims=True), np.float32)


def dag(nodes: int, rng: np.random.Generator) -> Graph:
    """Return a graph in which each node has one or two earlier nodes as parents and every third a cross-link.

    Parents are drawn so that a few nodes become hubs with hundreds of children.
    """
    child = np.arange(1, nodes, dtype=np.int32)
    parent = (child * rng.random(nodes - 1) ** 1.3).astype(np.int32)
    second = rng.random(nodes - 1) < 0.15
    children = np.concatenate((child, child[second]))
    parents = np.concatenate((parent, (child[second] * rng.random(int(second.sum()))).astype(np.int32)))
    up = Relation.of(nodes, children, parents, np.zeros(len(children), np.int32))
    linked = np.flatnonzero(rng.random(nodes) < 1 / 3).astype(np.int32)
    target = rng.integers(nodes, size=len(linked), dtype=np.int32)
    apart = linked != target
    across = Relation.of(nodes, linked[apart], target[apart], np.zeros(int(apart.sum()), np.int32))
    one = np.concatenate((up.sources(), across.sources()))
    other = np.concatenate((up.targets, across.targets))
    both = np.concatenate((one, other)), np.concatenate((other, one))
    names = TextColumn.of([f"n{i:07d}" for i in range(nodes)])
    return Graph(
        key=KEY,
        content_hash="synthetic",
        ids=names,
        types=rng.integers(len(NODE_TYPE_KEYS), size=nodes).astype(np.uint8),
        titles_de=names,
        titles_en=names,
        source_mask=np.zeros(nodes, np.uint8),
        language_mask=np.ones(nodes, np.uint8),
        source_hash=np.zeros(nodes, np.uint64),
        parents=up,
        children=up.reversed(),
        links=across,
        links_back=across.reversed(),
        adjacent=Relation.of(nodes, *both, np.zeros(len(both[0]), np.int32)),
        link_kinds=("related_to",),
    )


def words(nodes: int, rng: np.random.Generator) -> LexicalIndex:
    """Return a word index over texts of eight words each, drawn from 20,000 with Zipf frequencies."""
    ranks = np.minimum(rng.zipf(1.3, size=(nodes, 8)), 20_000)
    documents = ([("Title", " ".join(f"wort{r}x" for r in row))] for row in ranks)
    return build_from_fields(documents, key=KEY, content_hash="synthetic")
