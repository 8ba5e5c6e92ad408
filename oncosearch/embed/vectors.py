"""The vector cache: one ``.npy`` per (model, graph snapshot), made incrementally by text hash.

Layout under ``folder`` (one per model and graph): ``<snapshot>/vectors.npy`` float32 [nodes, dimension] in node
order, ``<snapshot>/hashes.npy``, ``<snapshot>/manifest.json``; and ``journal/`` with the rows encoded so far, so that
an interrupted run goes on where it stopped. The manifest is written last: a folder without one does not count.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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
) -> EmbedReport:
    """Make the vectors of a snapshot and return what was done; only texts without a vector are encoded.

    ``passages`` are in node order. ``on_progress`` gets (rows that have a vector, rows in all).

    Raises
    ------
    OncosearchError
        If a passage gets a zero or non-finite vector; the error names the node. What was encoded stays.
    """
    facts = encoder.facts
    folder = model_folder(home, key.graph_id, facts.key)
    target = folder / safe_name(key.snapshot_id)
    format_id = passages[0].format_id if passages else ""
    hashes = np.array([p.text_hash for p in passages], _HASH)
    journal = _Journal(folder / "journal", facts, format_id)
    known = _known_rows(folder, facts, format_id, journal)
    missing = [i for i, h in enumerate(hashes.tolist()) if h not in known]
    first_of: dict[bytes, int] = {}
    for i in missing:
        first_of.setdefault(hashes[i].tobytes().rstrip(b"\0"), i)
    # Texts of similar length side by side, since a batch is as slow as its longest text; the longest first, so that
    # the remaining time is never promised too short.
    todo = sorted(first_of.values(), key=lambda i: (-len(passages[i].text), i))
    done = len(passages) - len(missing)
    too_long: list[str] = []
    for batch in _batches(todo):
        too_long += [passages[i].node_id for i in batch if encoder.count_tokens(passages[i].text) > facts.limit]
        journal.append([passages[i].text_hash for i in batch], _encode(encoder, [passages[i] for i in batch]))
        done += len(batch)
        if on_progress:
            on_progress(min(done, len(passages)), len(passages))
    _write(
        target, _manifest(key, facts, format_id, len(passages)), hashes, _known_rows(folder, facts, format_id, journal)
    )
    journal.clear()
    if on_progress:
        on_progress(len(passages), len(passages))
    return EmbedReport(len(passages), len(todo), len(passages) - len(missing), len(too_long), tuple(too_long[:20]))


def count_encoded(home: Path, graph_id: str, facts: ModelFacts, format_id: str, hashes: Sequence[str]) -> int:
    """Return how many of ``hashes`` have a vector on disk already, finished or in the journal."""
    folder = model_folder(home, graph_id, facts.key)
    known = _known_rows(folder, facts, format_id, _Journal(folder / "journal", facts, format_id))
    return sum(h.encode() in known for h in hashes)


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


def _batches(order: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(order), _BATCH):
        yield order[start : start + _BATCH]


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


Rows = dict[bytes, tuple[Vectors, int]]


def _known_rows(folder: Path, facts: ModelFacts, format_id: str, journal: _Journal) -> Rows:
    """Return where the vector of each known text hash lies: {hash: (array, row)}."""
    known: Rows = {}
    for manifest_file in sorted(folder.glob("*/manifest.json")):
        manifest = json.loads(manifest_file.read_text(encoding="utf-8"))
        same = ("format", "model", "revision", "dimension", "serialisation")
        wanted = _manifest(SnapshotKey("", ""), facts, format_id, 0)
        if manifest_file.parent.name == "journal" or any(manifest.get(n) != wanted[n] for n in same):
            continue
        array = np.load(manifest_file.parent / "vectors.npy", mmap_mode="r", allow_pickle=False)
        for row, text_hash in enumerate(np.load(manifest_file.parent / "hashes.npy", allow_pickle=False).tolist()):
            known[text_hash] = (array, row)
    known.update(journal.rows())
    return known


def _write(target: Path, manifest: dict[str, object], hashes: npt.NDArray[np.bytes_], known: Rows) -> None:
    """Write a snapshot's vectors whole, beside the old ones, then swap."""
    work = target.with_name(target.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    dimension = int(str(manifest["dimension"]))
    out = np.lib.format.open_memmap(work / "vectors.npy", "w+", np.float32, (len(hashes), dimension))
    places: dict[int, tuple[Vectors, list[int], list[int]]] = {}
    for i, text_hash in enumerate(hashes.tolist()):
        array, row = known[text_hash]
        _, to, source = places.setdefault(id(array), (array, [], []))
        to.append(i)
        source.append(row)
    for array, to, source in places.values():
        _copy_rows(out, to, array, source)
    out.flush()
    del out
    np.save(work / "hashes.npy", hashes, allow_pickle=False)
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


def _copy_rows(out: Vectors, to: list[int], array: Vectors, source: list[int]) -> None:
    """Copy rows in runs that are contiguous on both sides: an almost unchanged graph is a few long copies."""
    targets, sources = np.array(to), np.array(source)
    breaks = np.flatnonzero((np.diff(targets) != 1) | (np.diff(sources) != 1)) + 1
    for run in np.split(np.arange(len(targets)), breaks):
        if len(run):
            t, s = int(targets[run[0]]), int(sources[run[0]])
            out[t : t + len(run)] = array[s : s + len(run)]


class _Journal:
    """Rows encoded so far: two append-only files. A torn last record is cut off at reading."""

    def __init__(self, folder: Path, facts: ModelFacts, format_id: str) -> None:
        self._folder = folder
        self._dimension = facts.dimension
        self._stamp = json.dumps(_manifest(SnapshotKey("", ""), facts, format_id, 0), sort_keys=True)

    def rows(self) -> Rows:
        """Return the rows of the journal; one made by another model or format is thrown away."""
        stamp = self._folder / "stamp.json"
        if not stamp.is_file():
            return {}
        if stamp.read_text(encoding="utf-8") != self._stamp:
            self.clear()
            return {}
        names = (self._folder / "hashes.bin").read_bytes() if (self._folder / "hashes.bin").is_file() else b""
        numbers = self._folder / "vectors.bin"
        size = numbers.stat().st_size // (4 * self._dimension) if numbers.is_file() else 0
        count = min(len(names) // 32, size)
        if count == 0:
            return {}
        self._cut(count)
        array = np.memmap(numbers, np.float32, "r", shape=(count, self._dimension))
        return {names[32 * i : 32 * i + 32]: (array, i) for i in range(count)}

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
