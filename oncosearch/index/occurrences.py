"""Which words stand in which nodes and how much they count there: all that a lexical index is computed from.

Words are kept as they stand in the texts. What they are analysed into (:func:`oncosearch.text.analyse`) depends on the
compounds that the whole graph knows, but only once per distinct word: so a refresh reads the texts of changed nodes
alone, and gets to the last bit what reading all of them would have given.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.model import ArtefactMismatchError
from oncosearch.text import CompoundSplitter, analyse, tokeniser_version, words

FORMAT = "oncosearch-words-1"
FIELD_WEIGHTS: Mapping[str, float] = {"Title": 3.0, "Synonyms": 2.0, "Type": 0.4}
# Field weights are whole numbers of fifths, token weights of tenths: sums of whole numbers are exact in any order.
WEIGHT_UNIT, _TOKEN_UNIT = 5, 10
_ARRAYS = {"data": np.int32, "indices": np.int32, "indptr": np.int64}
_WORDS, _MANIFEST = "words.txt", "words.json"


@dataclass(frozen=True, slots=True)
class Occurrences:
    """Weights of words in nodes as CSR [nodes × words]: rows in graph order, words sorted and each used somewhere.

    ``data`` int32 in fifths: field weights summed over the places where the word stands.
    """

    words: tuple[str, ...]
    data: npt.NDArray[np.int32]
    indices: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.indptr) - 1

    @classmethod
    def of(cls, documents: Iterable[Sequence[tuple[str, str]]]) -> Occurrences:
        """Return the occurrences in documents given as (field, text) pairs."""
        numbers: dict[str, int] = {}
        data: list[npt.NDArray[np.int32]] = []
        indices: list[npt.NDArray[np.int32]] = []
        lengths: list[int] = [0]
        for fields in documents:
            counts: dict[int, int] = {}
            for field, text in fields:
                weight = round(FIELD_WEIGHTS.get(field, 1.0) * WEIGHT_UNIT)
                for word in words(text):
                    number = numbers.setdefault(word, len(numbers))
                    counts[number] = counts.get(number, 0) + weight
            indices.append(np.fromiter(counts.keys(), np.int32, len(counts)))
            data.append(np.fromiter(counts.values(), np.int32, len(counts)))
            lengths.append(len(counts))
        return _in_order(
            list(numbers), _joined(data), _joined(indices), np.cumsum(np.array(lengths, np.int64), dtype=np.int64)
        )

    def patched(self, origin: npt.NDArray[np.int64], fresh: Occurrences) -> Occurrences:
        """Return the rows that ``origin`` names: ``i`` is row i of these, ``len(self) + j`` row j of ``fresh``."""
        from scipy import sparse

        together = sorted({*self.words, *fresh.words})
        number = {word: i for i, word in enumerate(together)}
        parts = []
        for part in (self, fresh):
            renumbered = np.array([number[word] for word in part.words], np.int32)
            columns = renumbered[part.indices] if len(part.indices) else part.indices
            parts.append(sparse.csr_matrix((part.data, columns, part.indptr), shape=(len(part), len(together))))
        rows = sparse.vstack(parts, format="csr")[origin]
        return _in_order(together, rows.data, rows.indices, rows.indptr.astype(np.int64))

    def splitter(self) -> CompoundSplitter:
        """Return the splitter of German compounds that knows the words of these nodes."""
        totals = np.bincount(self.indices, self.data, minlength=len(self.words)).astype(np.int64)
        return CompoundSplitter.from_counts(zip(self.words, np.maximum(1, totals // WEIGHT_UNIT).tolist(), strict=True))

    def terms(self, splitter: CompoundSplitter) -> tuple[tuple[str, ...], Any]:
        """Return all terms, sorted, and how often each counts in each node: scipy CSR int32 [nodes × terms] in fifths.

        A count is rounded to whole fifths, and at least one.
        """
        from scipy import sparse

        numbers: dict[str, int] = {}
        weights: list[int] = []
        columns: list[int] = []
        starts = [0]
        for word in self.words:
            for term, weight, _, _ in analyse(word, splitter):
                columns.append(numbers.setdefault(term, len(numbers)))
                weights.append(round(weight * _TOKEN_UNIT))
            starts.append(len(columns))
        ordered = sorted(numbers)
        renumbered = np.empty(len(ordered), np.int32)
        renumbered[[numbers[term] for term in ordered]] = np.arange(len(ordered))
        columns_in_order = renumbered[columns] if columns else np.empty(0, np.int32)
        shape = (len(self.words), len(ordered))
        analysis = sparse.csr_matrix((np.array(weights, np.int32), columns_in_order, np.array(starts)), shape=shape)
        mine = sparse.csr_matrix((self.data, self.indices, self.indptr), shape=(len(self), len(self.words)))
        counts = mine @ analysis
        counts.sort_indices()
        counts.data = np.maximum(1, np.rint(counts.data / _TOKEN_UNIT)).astype(np.int32)
        return tuple(ordered), counts

    def save(self, folder: Path) -> None:
        """Write the occurrences into ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)
        (folder / _WORDS).write_bytes("\n".join(self.words).encode("utf-8", "surrogatepass"))
        (folder / _MANIFEST).write_text(json.dumps(_made_from()), encoding="utf-8")


def load_occurrences(folder: Path) -> Occurrences:
    """Return the occurrences saved in ``folder``, memory-mapped.

    Raises
    ------
    ArtefactMismatchError
        If they were made by another tokeniser or format, or are not there whole.
    """
    check_occurrences(folder)
    try:
        arrays = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
            for name in _ARRAYS
        }
        text = (folder / _WORDS).read_bytes().decode("utf-8", "surrogatepass")
    except (OSError, EOFError, ValueError) as error:
        raise ArtefactMismatchError(f"The words in {folder} cannot be read ({error}).") from error
    return Occurrences(tuple(text.split("\n")) if text else (), **arrays)


def check_occurrences(folder: Path) -> None:
    """Raise ArtefactMismatchError where the occurrences in ``folder`` were made by another tokeniser or format."""
    try:
        found = json.loads((folder / _MANIFEST).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ArtefactMismatchError(f"The words in {folder} cannot be read ({error}).") from error
    if found != _made_from():
        raise ArtefactMismatchError(f"The words in {folder} are of {found}, expected {_made_from()}.")


def _made_from() -> dict[str, Any]:
    return {"format": FORMAT, "tokeniser": tokeniser_version(), "fields": dict(FIELD_WEIGHTS)}


def _in_order(
    found: Sequence[str], data: npt.NDArray[np.int32], indices: npt.NDArray[np.int32], indptr: npt.NDArray[np.int64]
) -> Occurrences:
    """Return the occurrences with the words sorted, those in no node left out, and each row by word."""
    from scipy import sparse

    used = np.flatnonzero(np.bincount(indices, minlength=len(found)))
    ordered = sorted(used.tolist(), key=found.__getitem__)
    renumbered = np.full(len(found), -1, np.int32)
    renumbered[ordered] = np.arange(len(ordered))
    columns = renumbered[indices] if len(indices) else np.empty(0, np.int32)
    matrix = sparse.csr_matrix((data, columns, indptr), shape=(len(indptr) - 1, len(ordered)))
    matrix.sort_indices()
    return Occurrences(tuple(found[i] for i in ordered), matrix.data, matrix.indices, matrix.indptr.astype(np.int64))


def _joined(parts: Sequence[npt.NDArray[np.int32]]) -> npt.NDArray[np.int32]:
    return np.concatenate(parts) if parts else np.empty(0, np.int32)
