"""Lexical index: BM25 over our own tokens, all languages and synonyms, with weights for fields and parts of words.

A term counts in a node as often as its tokens weigh: token weight (1 for a word, less for a part) times field weight
(:data:`FIELD_WEIGHTS`), summed over the fields before BM25 saturates it (the BM25F way), in whole fifths.
The precomputed score matrix is kept column by column; a query is a weighted sum of a few columns.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oncosearch.index.occurrences import FIELD_WEIGHTS, WEIGHT_UNIT, Occurrences
from oncosearch.model import ArtefactMismatchError, Node, NotFoundError, SnapshotKey
from oncosearch.text import CompoundSplitter, Token, lexical_fields, query_words, tokenise, tokeniser_version

FORMAT = "oncosearch-lexical-2"
K1, B = 1.2, 0.75
REBUILD = "python -m oncosearch index"
_MANIFEST, _TERMS, _COMPOUNDS = "lexical.json", "lexical-terms.txt", "lexical-compounds.txt"
_ARRAYS = {"data": np.float32, "indices": np.int32, "indptr": np.int64}

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """A read-only BM25 index over the nodes of one snapshot, in graph order.

    ``data``, ``indices`` and ``indptr`` are the score matrix by columns (term → nodes); ``terms`` maps a term to its
    column. ``splitter`` is the one the nodes were tokenised with; queries must use it too (:meth:`tokenise`).
    """

    key: SnapshotKey
    content_hash: str
    node_count: int
    terms: Mapping[str, int]
    data: Floats
    indices: NDArray[np.int32]
    indptr: Ints
    splitter: CompoundSplitter

    def tokenise(self, text: str) -> list[Token]:
        """Return the tokens of a text, made as those of the nodes were."""
        return tokenise(text, splitter=self.splitter)

    def document_frequency(self, term: str) -> int:
        """Return in how many nodes the term stands, as a word or as a part of one."""
        column = self.terms.get(term)
        return 0 if column is None else int(self.indptr[column + 1] - self.indptr[column])

    def idf(self, term: str) -> float:
        """Return ln(1 + (N − df + ½) / (df + ½)), the idf inside the scores; positive, highest for an unknown term."""
        found = self.document_frequency(term)
        return math.log(1.0 + (self.node_count - found + 0.5) / (found + 0.5))

    def scores(self, query: str | Sequence[Token]) -> Floats:
        """Return the BM25 score of every node, float32 [N] in graph order, 0 where nothing counts.

        Each query token adds its column times its weight. A generic part of a compound ("Krebs" of "Lungenkrebs")
        adds only where the word itself or a telling part of it stands too (:func:`oncosearch.text.counted`).
        """
        out = np.zeros(self.node_count, dtype=np.float32)
        for word in query_words(self.tokenise(query) if isinstance(query, str) else query):
            telling = [(t, self._column(t.term)) for t in word.telling]
            generic = [(t, self._column(t.term)) for t in word.generic]
            for token, column in telling:
                self._add(out, token, column, None)
            if generic:
                counts = np.zeros(self.node_count, dtype=bool)
                if word.all_generic and all(column is not None for _, column in generic):
                    together = np.zeros(self.node_count, dtype=np.int32)
                    for _, column in generic:
                        together[self._nodes(column)] += 1
                    counts |= together == len(generic)
                for _, column in telling:
                    counts[self._nodes(column)] = True
                for token, column in generic:
                    self._add(out, token, column, counts)
        return out

    def top(self, query: str | Sequence[Token], k: int) -> tuple[Ints, Floats]:
        """Return the indices and scores of the k best nodes with a score above 0, by (−score, index)."""
        return best(self.scores(query), k)

    def save(self, folder: Path) -> None:
        """Write the index into ``folder``: each file by itself and whole, the manifest last."""
        folder.mkdir(parents=True, exist_ok=True)
        manifest = folder / _MANIFEST
        manifest.unlink(missing_ok=True)
        for name in _ARRAYS:
            _write(folder / f"lexical-{name}.npy", getattr(self, name))
        ordered = sorted(self.terms, key=self.terms.__getitem__)
        _write(folder / _TERMS, "\n".join(ordered))
        _write(folder / _COMPOUNDS, "\n".join(self.splitter.to_lines()))
        made_from = _expected(self.key, self.content_hash)
        counts = {"nodes": self.node_count, "terms": len(ordered), "entries": len(self.data)}
        _write(manifest, json.dumps(made_from | {"counts": counts}, ensure_ascii=False, indent=2))

    def _column(self, term: str) -> slice | None:
        column = self.terms.get(term)
        return None if column is None else slice(int(self.indptr[column]), int(self.indptr[column + 1]))

    def _nodes(self, column: slice | None) -> NDArray[np.int32]:
        return self.indices[column] if column is not None else self.indices[:0]

    def _add(self, out: Floats, token: Token, column: slice | None, allowed: NDArray[np.bool_] | None) -> None:
        if column is None:
            return
        nodes, values = self.indices[column], self.data[column]
        if allowed is not None:
            keep = allowed[nodes]
            nodes, values = nodes[keep], values[keep]
        out[nodes] += values * np.float32(token.weight)


def build_lexical_index(nodes: Sequence[Node], *, key: SnapshotKey, content_hash: str) -> LexicalIndex:
    """Return the index over ``nodes`` (graph order), with a compound splitter drawn from their own words."""
    return build_from_occurrences(Occurrences.of(map(lexical_fields, nodes)), key=key, content_hash=content_hash)


def build_from_fields(
    documents: Iterable[Sequence[tuple[str, str]]],
    *,
    key: SnapshotKey,
    content_hash: str,
    splitter: CompoundSplitter | None = None,
) -> LexicalIndex:
    """Return the index over documents given as (field, text) pairs; without a splitter no compound is split."""
    found = Occurrences.of(documents)
    splitter = CompoundSplitter() if splitter is None else splitter
    return build_from_occurrences(found, key=key, content_hash=content_hash, splitter=splitter)


def build_from_occurrences(
    found: Occurrences, *, key: SnapshotKey, content_hash: str, splitter: CompoundSplitter | None = None
) -> LexicalIndex:
    """Return the index over nodes whose words were found; without a splitter, with one drawn from these words."""
    splitter = found.splitter() if splitter is None else splitter
    terms, counts = found.terms(splitter)
    data, indices, indptr = _score_matrix(counts)
    columns = {term: column for column, term in enumerate(terms)}
    return LexicalIndex(key, content_hash, len(found), columns, data, indices, indptr, splitter)


def load_lexical_index(folder: Path, *, key: SnapshotKey, content_hash: str) -> LexicalIndex:
    """Return the index saved in ``folder``, its arrays memory-mapped and read-only.

    Raises
    ------
    NotFoundError
        If there is none.
    ArtefactMismatchError
        If it was made from another snapshot, tokeniser, format or parameters, or is damaged.
    """
    path = folder / _MANIFEST
    if not path.is_file():
        raise NotFoundError(
            f"There is no lexical index in {folder}; build it with `{REBUILD}`.", code="index_missing", path=str(folder)
        )
    manifest = _read_manifest(path)
    expected = _expected(key, content_hash)
    differing = [name for name, value in expected.items() if manifest.get(name) != value]
    if differing:
        found = ", ".join(f"{name} {manifest.get(name)!r}" for name in differing)
        wanted = ", ".join(f"{name} {expected[name]!r}" for name in differing)
        raise _mismatch(folder, found, wanted)
    try:
        arrays = {
            name: np.load(folder / f"lexical-{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in _ARRAYS
        }
        text = (folder / _TERMS).read_bytes().decode("utf-8", "surrogatepass")
        lines = (folder / _COMPOUNDS).read_text("utf-8").split("\n")
        splitter = CompoundSplitter.from_lines(line for line in lines if line)
    except (OSError, EOFError, ValueError) as error:
        raise _mismatch(folder, f"files that cannot be read ({error})", "the files its manifest names") from error
    terms = {term: column for column, term in enumerate(text.split("\n") if text else ())}
    counts = manifest["counts"]
    sound = (
        all(arrays[name].dtype == dtype for name, dtype in _ARRAYS.items())
        and len(terms) == counts["terms"] == len(arrays["indptr"]) - 1
        and len(arrays["data"]) == len(arrays["indices"]) == counts["entries"] == int(arrays["indptr"][-1])
    )
    if not sound:
        raise _mismatch(folder, "files of different sizes", f"{counts['terms']} terms, {counts['entries']} entries")
    return LexicalIndex(key, content_hash, counts["nodes"], terms, splitter=splitter, **arrays)


def best(scores: Floats, k: int) -> tuple[Ints, Floats]:
    """Return indices and scores of the k highest scores above 0, by (−score, index)."""
    found = np.flatnonzero(scores > 0)
    k = min(k, len(found))
    if k <= 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32)
    values = scores[found]
    if k < len(found):
        # Everything at the threshold stays in, so that ties are cut by index and not by the partition.
        keep = values >= np.partition(values, len(values) - k)[len(values) - k]
        found, values = found[keep], values[keep]
    order = np.lexsort((found, -values))[:k]
    return found[order], values[order]


def _score_matrix(counts: Any) -> tuple[Floats, NDArray[np.int32], Ints]:
    """Return the BM25 scores by columns from counts as scipy CSR [nodes × terms].

    score = ln(1 + (N − df + ½) / (df + ½)) · tf / (tf + k1 · (1 − b + b · length / mean length)); Lucene's form, see
    Kamphuis et al., ECIR 2020.
    """
    lengths = np.asarray(counts.sum(axis=1), np.float64).ravel()
    mean = lengths.mean() if len(lengths) else 0.0
    norms = K1 * WEIGHT_UNIT * (1 - B + B * lengths / (mean or 1.0))
    columns = counts.tocsc()
    found = np.diff(columns.indptr)
    idf = np.log1p((counts.shape[0] - found + 0.5) / (found + 0.5))
    scores = columns.data / (columns.data + norms[columns.indices])
    scores *= np.repeat(idf, found)
    return scores.astype(np.float32), columns.indices.astype(np.int32), columns.indptr.astype(np.int64)


def _expected(key: SnapshotKey, content_hash: str) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "tokeniser": tokeniser_version(),
        "graph": key.graph_id,
        "snapshot": key.snapshot_id,
        "content_hash": content_hash,
        "bm25": {"method": "lucene", "k1": K1, "b": B, "fields": dict(FIELD_WEIGHTS)},
    }


def _read_manifest(path: Path) -> dict[str, Any]:
    try:
        manifest = json.loads(path.read_text("utf-8"))
        for name in ("nodes", "terms", "entries"):
            if not isinstance(manifest["counts"][name], int):
                raise TypeError(f"{name} is not a whole number")
    except (ValueError, KeyError, TypeError) as error:
        raise _mismatch(path.parent, f"a manifest that cannot be read ({error!r})", "a manifest of ours") from error
    return dict(manifest)


def _mismatch(folder: Path, found: str, wanted: str) -> ArtefactMismatchError:
    return ArtefactMismatchError(
        f"The lexical index in {folder} has {found}; needed: {wanted}. Rebuild it with `{REBUILD}`.",
        code="index_mismatch",
        path=str(folder),
        found=found,
        expected=wanted,
        command=REBUILD,
    )


def _write(path: Path, content: str | NDArray[Any]) -> None:
    # A reader may have the old file mapped: it keeps it, because the new one takes the name and not the place.
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    with beside.open("wb") as file:
        if isinstance(content, str):
            file.write(content.encode("utf-8", "surrogatepass"))
        else:
            np.save(file, content, allow_pickle=False)
    os.replace(beside, path)
