"""The vector cache: one ``.npy`` per (model, graph snapshot), made incrementally by text hash.

Layout under ``folder`` (one per model and graph): ``<snapshot>/vectors.npy`` float32 [nodes, dimension] in node
order, ``<snapshot>/hashes.npy``, ``<snapshot>/manifest.json``; and ``journal/`` with the rows encoded so far, so that
an interrupted run goes on where it stopped. The manifest is written last: a folder without one does not count.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oncosearch.embed.encoders import Encoder, Vectors
from oncosearch.embed.registry import ModelFacts
from oncosearch.model import ArtefactMismatchError, OncosearchError, Passage, SnapshotKey
from oncosearch.model.names import safe_name

FORMAT = "oncosearch-vectors-1"
_HASH = "S32"
_BATCH = 16


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """How many rows were encoded anew, taken over, and longer than the model's limit (with the first ids)."""

    total: int
    encoded: int
    reused: int
    too_long: int
    too_long_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one snapshot, memory-mapped: float32 [nodes, dimension], rows of length 1, in node order."""

    vectors: Vectors
    folder: Path
    manifest: dict[str, object]


def model_folder(home: Path, graph_id: str, model: str) -> Path:
    """Return the folder of one model and graph."""
    return home / "vectors" / safe_name(graph_id) / model


def open_vectors(home: Path, key: SnapshotKey, facts: ModelFacts, format_id: str, hashes: Sequence[str]) -> VectorSet:
    """Return the vectors of a snapshot.

    Raises
    ------
    ArtefactMismatchError
        If there are none, or they were made from another model, format or texts; both sides are named.
    """
    folder = model_folder(home, key.graph_id, facts.key) / safe_name(key.snapshot_id)
    command = f"python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id} --model {facts.key}"
    if not (folder / "manifest.json").is_file():
        raise ArtefactMismatchError(
            f"{key} has no vectors of model {facts.key!r} yet. Run: {command}",
            code="unembedded",
            model=facts.key,
            command=command,
        )
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    wanted = _manifest(key, facts, format_id, len(hashes))
    different = [name for name, value in wanted.items() if manifest.get(name) != value]
    stored = np.load(folder / "hashes.npy", allow_pickle=False)
    if not different and not np.array_equal(stored, np.array(hashes, _HASH)):
        different = ["texts"]
    if different:
        sides = "; ".join(
            f"{n}: found {manifest.get(n, 'other')!r}, expected {wanted.get(n, 'these')!r}" for n in different
        )
        raise ArtefactMismatchError(
            f"The vectors of {key} with {facts.key!r} do not fit ({sides}). Run: {command}",
            code="unembedded",
            model=facts.key,
            command=command,
        )
    return VectorSet(np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False), folder, manifest)


def embed_passages(
    home: Path,
    key: SnapshotKey,
    passages: Sequence[Passage],
    encoder: Encoder,
    on_progress: Callable[[int, int], None] | None = None,
    hashes: Sequence[str] | None = None,
) -> EmbedReport:
    """Make the vectors of a snapshot and return what was done; only texts without a vector are encoded.

    Parameters
    ----------
    passages
        In node order. Only those without a vector are looked at where ``hashes``, their text hashes, are given.
    on_progress
        Gets (rows that have a vector, rows in all).

    Raises
    ------
    OncosearchError
        If a passage gets a zero or non-finite vector; the error names the node. What was encoded stays.
    """
    facts = encoder.facts
    folder = model_folder(home, key.graph_id, facts.key)
    target = folder / safe_name(key.snapshot_id)
    format_id = passages[0].format_id if len(passages) else ""
    wanted = np.array([p.text_hash for p in passages] if hashes is None else hashes, _HASH)
    journal = _Journal(folder / "journal", facts, format_id)
    missing = np.flatnonzero(~_known(_sources(folder, facts, format_id, journal), wanted))
    _, first = np.unique(wanted[missing], return_index=True)
    new = [(int(i), passages[int(i)]) for i in missing[first]]
    # Texts of similar length side by side, since a batch is as slow as its longest text; the longest first, so that
    # the remaining time is never promised too short.
    new.sort(key=lambda pair: (-len(pair[1].text), pair[0]))
    done = len(wanted) - len(new)
    too_long: list[str] = []
    for start in range(0, len(new), _BATCH):
        batch = [passage for _, passage in new[start : start + _BATCH]]
        too_long += [p.node_id for p in batch if encoder.count_tokens(p.text) > facts.limit]
        journal.append([p.text_hash for p in batch], _encode(encoder, batch))
        done += len(batch)
        if on_progress:
            on_progress(done, len(wanted))
    _write(target, _manifest(key, facts, format_id, len(wanted)), wanted, _sources(folder, facts, format_id, journal))
    journal.clear()
    if on_progress:
        on_progress(len(wanted), len(wanted))
    return EmbedReport(len(wanted), len(new), len(wanted) - len(missing), len(too_long), tuple(too_long[:20]))


def count_encoded(home: Path, graph_id: str, facts: ModelFacts, format_id: str, hashes: Sequence[str]) -> int:
    """Return how many of ``hashes`` have a vector on disk already, finished or in the journal."""
    folder = model_folder(home, graph_id, facts.key)
    sources = _sources(folder, facts, format_id, _Journal(folder / "journal", facts, format_id))
    return int(_known(sources, np.array(hashes, _HASH)).sum())


def _encode(encoder: Encoder, passages: Sequence[Passage]) -> Vectors:
    try:
        return encoder.encode_passages([p.text for p in passages])
    except OncosearchError as error:
        if error.code != "bad_vector":
            raise
        node_id = passages[int(str(error.values["position"]))].node_id
        raise OncosearchError(
            f"Node {node_id!r}: model {encoder.facts.key!r} gave a zero or non-finite vector for its passage. "
            "Look at the node's text, or use another model.",
            code="bad_vector",
            node_id=node_id,
        ) from error


def _manifest(key: SnapshotKey, facts: ModelFacts, format_id: str, rows: int) -> dict[str, object]:
    return {
        "format": FORMAT,
        "graph_id": key.graph_id,
        "snapshot_id": key.snapshot_id,
        "model": facts.key,
        "hub_id": facts.hub_id,
        "revision": facts.revision,
        "dimension": facts.dimension,
        "serialisation": format_id,
        "rows": rows,
    }


Hashes = npt.NDArray[np.bytes_]


@dataclass(frozen=True, slots=True)
class _Source:
    """Rows that are on disk: their hashes in the order of ``vectors``, and the rows in the order of the hashes."""

    hashes: Hashes
    order: npt.NDArray[np.int64]
    vectors: Vectors

    @classmethod
    def of(cls, hashes: Hashes, vectors: Vectors) -> _Source:
        return cls(hashes, np.argsort(hashes, kind="stable"), vectors)

    def rows(self, wanted: Hashes) -> npt.NDArray[np.int64]:
        """Return the row of each wanted hash, −1 where there is none."""
        if len(wanted) == len(self.hashes) and np.array_equal(wanted, self.hashes):
            return np.arange(len(wanted))
        if not len(self.hashes):
            return np.full(len(wanted), -1)
        places = np.searchsorted(self.hashes, wanted, sorter=self.order)
        rows = self.order[np.minimum(places, len(self.order) - 1)]
        return np.where(self.hashes[rows] == wanted, rows, -1)


def _sources(folder: Path, facts: ModelFacts, format_id: str, journal: _Journal) -> list[_Source]:
    """Return everything encoded with this model and format: finished snapshots, then the journal."""
    sources = []
    wanted = _manifest(SnapshotKey("", ""), facts, format_id, 0)
    for manifest_file in sorted(folder.glob("*/manifest.json")):
        manifest = json.loads(manifest_file.read_text(encoding="utf-8"))
        same = ("format", "model", "revision", "dimension", "serialisation")
        if all(manifest.get(n) == wanted[n] for n in same):
            vectors = np.load(manifest_file.parent / "vectors.npy", mmap_mode="r", allow_pickle=False)
            sources.append(_Source.of(np.load(manifest_file.parent / "hashes.npy", allow_pickle=False), vectors))
    return [*sources, *journal.source()]


def matching_rows(hashes: Hashes, wanted: Hashes) -> npt.NDArray[np.int64]:
    """Return, for each wanted text hash, the row that has it in ``hashes``, or −1."""
    return _Source.of(hashes, np.empty((len(hashes), 0), np.float32)).rows(wanted)


def _known(sources: Sequence[_Source], wanted: Hashes) -> npt.NDArray[np.bool_]:
    known = np.zeros(len(wanted), bool)
    for source in sources:
        known |= source.rows(wanted) >= 0
    return known


def _write(target: Path, manifest: dict[str, object], hashes: Hashes, sources: Sequence[_Source]) -> None:
    """Write a snapshot's vectors whole, beside the old ones, then swap."""
    work = target.with_name(target.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    dimension = int(str(manifest["dimension"]))
    out = np.lib.format.open_memmap(work / "vectors.npy", "w+", np.float32, (len(hashes), dimension))
    left = np.ones(len(hashes), bool)
    for source in sources:
        rows = source.rows(hashes)
        _copy_rows(out, np.flatnonzero(left & (rows >= 0)), source.vectors, rows)
        left &= rows < 0
    assert not left.any()
    out.flush()
    del out
    np.save(work / "hashes.npy", hashes, allow_pickle=False)
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


def _copy_rows(out: Vectors, targets: npt.NDArray[np.int64], vectors: Vectors, rows: npt.NDArray[np.int64]) -> None:
    """Copy rows in runs that are contiguous on both sides: an almost unchanged graph is a few long copies."""
    if not len(targets):
        return
    sources = rows[targets]
    breaks = np.flatnonzero((np.diff(targets) != 1) | (np.diff(sources) != 1)) + 1
    for first, after in pairwise([0, *breaks.tolist(), len(targets)]):
        t, s, length = int(targets[first]), int(sources[first]), after - first
        out[t : t + length] = vectors[s : s + length]


class _Journal:
    """Rows encoded so far: two append-only files. A torn last record is cut off at reading."""

    def __init__(self, folder: Path, facts: ModelFacts, format_id: str) -> None:
        self._folder = folder
        self._dimension = facts.dimension
        self._stamp = json.dumps(_manifest(SnapshotKey("", ""), facts, format_id, 0), sort_keys=True)

    def source(self) -> list[_Source]:
        """Return the rows of the journal, if any; one made by another model or format is thrown away."""
        stamp = self._folder / "stamp.json"
        if not stamp.is_file():
            return []
        if stamp.read_text(encoding="utf-8") != self._stamp:
            self.clear()
            return []
        names = (self._folder / "hashes.bin").read_bytes() if (self._folder / "hashes.bin").is_file() else b""
        numbers = self._folder / "vectors.bin"
        size = numbers.stat().st_size // (4 * self._dimension) if numbers.is_file() else 0
        count = min(len(names) // 32, size)
        if count == 0:
            return []
        self._cut(count)
        vectors = np.memmap(numbers, np.float32, "r", shape=(count, self._dimension))
        return [_Source.of(np.frombuffer(names[: 32 * count], _HASH), vectors)]

    def append(self, hashes: Sequence[str], vectors: Vectors) -> None:
        """Add rows; the vectors are written before the hashes that make them count."""
        if not (self._folder / "stamp.json").is_file():
            self._folder.mkdir(parents=True, exist_ok=True)
            (self._folder / "stamp.json").write_text(self._stamp, encoding="utf-8")
        with (self._folder / "vectors.bin").open("ab") as file:
            file.write(np.ascontiguousarray(vectors, np.float32).tobytes())
        with (self._folder / "hashes.bin").open("ab") as file:
            file.write("".join(hashes).encode())

    def clear(self) -> None:
        """Remove the journal."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _cut(self, count: int) -> None:
        for name, size in (("hashes.bin", 32 * count), ("vectors.bin", 4 * self._dimension * count)):
            path = self._folder / name
            if path.stat().st_size != size:
                with path.open("r+b") as file:
                    file.truncate(size)
