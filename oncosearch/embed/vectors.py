"""The vector cache: one growing ``.npy`` per (model, graph), filled incrementally by text hash.

Layout under ``<home>/vectors/<graph>/<model>/``: ``vectors.npy`` float32 [rows, dimension] and ``hashes.npy``, row by
row in the order of encoding; ``long.npy``, hashes of the texts beyond the model's limit; ``stamp.json``, what they
were made with; and ``<snapshot>/rows.npy`` int32 [nodes], which row belongs to each node, with ``manifest.json``. A
row is written before its hash, which makes it count, so an interrupted run goes on where it stopped; and an old
snapshot keeps its vectors when a new one adds some.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oncosearch.embed.encoders import Encoder, Vectors
from oncosearch.embed.growing import GrowingArray
from oncosearch.embed.registry import ModelFacts, model_facts
from oncosearch.model import ArtefactMismatchError, OncosearchError, Passage, SnapshotKey
from oncosearch.model.names import safe_name
from oncosearch.text import FORMAT_ID

FORMAT = "oncosearch-vectors-1"
Hashes = npt.NDArray[np.bytes_]
_HASH = "S32"
_BATCH = 16
_SHOWN_TOO_LONG = 20
_CHECKED_WHOLE = 64 * 2**20
_SAMPLED = 512
_BLOCK = 4096


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """How many nodes there are, how many texts were encoded anew, and how many nodes had their vector before.

    ``too_long`` counts the nodes whose text is longer than the model's limit, whether encoded now or before;
    ``too_long_ids`` are the first of them in node order.
    """

    total: int
    encoded: int
    reused: int
    too_long: int
    too_long_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VectorSet:
    """The vectors of one snapshot.

    ``vectors`` float32 [rows, dimension], memory-mapped, rows of length 1; node i has the row ``rows[i]``.
    ``folder`` is that of the model and graph.
    """

    vectors: Vectors
    rows: npt.NDArray[np.int32]
    folder: Path


def model_folder(home: Path, graph_id: str, model: str) -> Path:
    """Return the folder of one model and graph."""
    return home / "vectors" / safe_name(graph_id) / model


def open_vectors(
    home: Path, key: SnapshotKey, facts: ModelFacts, format_id: str, hashes: Sequence[str], *, thorough: bool = False
) -> VectorSet:
    """Return the vectors of a snapshot.

    Their checksum is compared where it costs little, or where ``thorough`` asks for it; large sets are sampled.

    Raises
    ------
    ArtefactMismatchError
        If there are none, or they were made from another model, format or texts; both sides are named.
    """
    pool = _Pool(model_folder(home, key.graph_id, facts.key), facts, format_id)
    folder = pool.folder / safe_name(key.snapshot_id)
    command = f"python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id} --model {facts.key}"

    def refused(what: str) -> ArtefactMismatchError:
        return ArtefactMismatchError(f"{what} Run: {command}", code="unembedded", model=facts.key, command=command)

    if not (folder / "manifest.json").is_file():
        raise refused(f"{key} has no vectors of model {facts.key!r} yet.")
    manifest = _read_object(folder / "manifest.json")
    wanted = _manifest(key, pool.stamp, hashes)
    different = [name for name, value in wanted.items() if manifest.get(name) != value]
    if different:
        sides = "; ".join(f"{n}: found {manifest.get(n)!r}, expected {wanted[n]!r}" for n in different)
        raise refused(f"The vectors of {key} with {facts.key!r} do not fit ({sides}).")
    try:
        rows = np.load(folder / "rows.npy", allow_pickle=False)
    except (OSError, EOFError, ValueError):
        raise refused(f"The vectors of {key} with {facts.key!r} are damaged: their row table cannot be read.") from None
    if rows.max(initial=-1) >= len(pool):
        counts = f"found {len(pool)} rows, expected at least {int(rows.max()) + 1}"
        raise refused(f"The vectors of {key} with {facts.key!r} are damaged: {counts}.")
    mixed = zlib.crc32(rows.tobytes()) != manifest.get("rows_crc32")
    if mixed or pool.sound_rows(thorough=thorough) < len(pool):
        raise refused(f"The vectors of {key} with {facts.key!r} are damaged: their checksum is wrong.")
    return VectorSet(pool.vectors.read(len(pool)), rows, pool.folder)


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
        Gets (nodes that have a vector, nodes in all).

    Raises
    ------
    OncosearchError
        If a passage gets a zero or non-finite vector; the error names the node. What was encoded stays.
    """
    facts = encoder.facts
    texts = [p.text_hash for p in passages] if hashes is None else hashes
    wanted = np.array(texts, _HASH)
    pool = _Pool(
        model_folder(home, key.graph_id, facts.key), facts, passages[0].format_id if len(passages) else FORMAT_ID
    )
    pool.make_ready()
    missing = np.flatnonzero(pool.rows(wanted) < 0)
    _, first = np.unique(wanted[missing], return_index=True)
    new = [passages[int(i)] for i in np.sort(missing[first])]
    # Texts of similar length side by side, since a batch is as slow as its longest text; the longest first, so that
    # the remaining time is never promised too short.
    new.sort(key=lambda passage: -len(passage.text))
    done = len(wanted) - len(new)
    if on_progress and new:
        on_progress(done, len(wanted))
    for start in range(0, len(new), _BATCH):
        batch = new[start : start + _BATCH]
        beyond = [p.text_hash for p in batch if encoder.count_tokens(p.text) > facts.limit]
        pool.append([p.text_hash for p in batch], _encode(encoder, batch), beyond)
        done += len(batch)
        if on_progress:
            on_progress(done, len(wanted))
    pool.seal()
    _write_rows(pool.folder / safe_name(key.snapshot_id), _manifest(key, pool.stamp, texts), pool.rows(wanted))
    if on_progress:
        on_progress(len(wanted), len(wanted))
    return _report(pool, wanted, passages, len(new), len(wanted) - len(missing))


def embedded_already(
    home: Path,
    key: SnapshotKey,
    facts: ModelFacts,
    format_id: str,
    passages: Sequence[Passage],
    hashes: Sequence[str],
) -> EmbedReport | None:
    """Return the report of a snapshot that has all its vectors, or None; no model needs to be loaded for it."""
    try:
        open_vectors(home, key, facts, format_id, hashes, thorough=True)
    except ArtefactMismatchError:
        return None
    pool = _Pool(model_folder(home, key.graph_id, facts.key), facts, format_id)
    return _report(pool, np.array(hashes, _HASH), passages, 0, len(hashes))


def count_encoded(home: Path, graph_id: str, facts: ModelFacts, format_id: str, hashes: Sequence[str]) -> int:
    """Return how many of ``hashes`` have a vector on disk already."""
    pool = _Pool(model_folder(home, graph_id, facts.key), facts, format_id)
    return int((pool.rows(np.array(hashes, _HASH)) >= 0).sum()) if pool.fits() else 0


def looks_embedded(home: Path, key: SnapshotKey, model: str) -> bool:
    """Return whether a snapshot has vectors of a model at all, without looking into them."""
    return (model_folder(home, key.graph_id, model) / safe_name(key.snapshot_id) / "manifest.json").is_file()


def beyond_limit(
    home: Path, graph_id: str, facts: ModelFacts, format_id: str, hashes: Sequence[str]
) -> npt.NDArray[np.bool_]:
    """Return bool [hashes]: which texts were cut at the model's limit when they were encoded."""
    pool = _Pool(model_folder(home, graph_id, facts.key), facts, format_id)
    found: npt.NDArray[np.bool_] = np.isin(np.array(hashes, _HASH), pool.long.read(len(pool.long)))
    return found


def missing_texts(
    home: Path, graph_id: str, facts: ModelFacts, format_id: str, hashes: Sequence[str]
) -> npt.NDArray[np.int64]:
    """Return, ascending, the positions in ``hashes`` that would be encoded: each text without a vector once."""
    wanted = np.array(hashes, _HASH)
    pool = _Pool(model_folder(home, graph_id, facts.key), facts, format_id)
    missing = np.flatnonzero(pool.rows(wanted) < 0) if pool.fits() else np.arange(len(wanted))
    _, first = np.unique(wanted[missing], return_index=True)
    return np.sort(missing[first])


def unused_rows(home: Path, graph_id: str, model: str, snapshot_ids: Sequence[str]) -> tuple[int, int, int]:
    """Return how many rows of a pool no snapshot of ``snapshot_ids`` uses, how many it has, and the unused bytes."""
    facts = model_facts(model)
    pool = _Pool(model_folder(home, graph_id, model), facts, FORMAT_ID)
    used = np.zeros(len(pool), bool)
    for snapshot_id in snapshot_ids:
        rows = pool.folder / safe_name(snapshot_id) / "rows.npy"
        if rows.is_file():
            named = np.load(rows, allow_pickle=False)
            used[named[(named >= 0) & (named < len(used))]] = True
    unused = int((~used).sum())
    return unused, len(pool), unused * 4 * facts.dimension


def _report(pool: _Pool, wanted: Hashes, passages: Sequence[Passage], encoded: int, reused: int) -> EmbedReport:
    too_long = np.flatnonzero(np.isin(wanted, pool.long.read(len(pool.long))))
    ids = tuple(passages[int(i)].node_id for i in too_long[:_SHOWN_TOO_LONG])
    return EmbedReport(len(wanted), encoded, reused, len(too_long), ids)


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


def _manifest(key: SnapshotKey, stamp: dict[str, object], hashes: Sequence[str]) -> dict[str, object]:
    texts = hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:32]
    names = {"graph_id": key.graph_id, "snapshot_id": key.snapshot_id, "nodes": len(hashes), "texts": texts}
    return {**stamp, **names}


def _read_object(path: Path) -> dict[str, object]:
    """Return the JSON object of a file; empty where there is none or it cannot be read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write_rows(folder: Path, manifest: dict[str, object], rows: npt.NDArray[np.int64]) -> None:
    """Write a snapshot's rows; the manifest, which makes them count, last."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").unlink(missing_ok=True)
    small = rows.astype(np.int32)
    np.save(folder / "rows.npy", small, allow_pickle=False)
    manifest = {**manifest, "rows_crc32": zlib.crc32(small.tobytes())}
    part = folder / "manifest.json.part"
    part.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    part.rename(folder / "manifest.json")


class _Pool:
    """All rows of one model and graph, with the hashes of their texts."""

    def __init__(self, folder: Path, facts: ModelFacts, format_id: str) -> None:
        self.folder = folder
        self.stamp: dict[str, object] = {
            "format": FORMAT,
            "model": facts.key,
            "hub_id": facts.hub_id,
            "revision": facts.revision,
            "dimension": facts.dimension,
            "serialisation": format_id,
        }
        self.vectors = GrowingArray(folder / "vectors.npy", np.float32, (facts.dimension,))
        self._hashes = GrowingArray(folder / "hashes.npy", _HASH)
        self.long = GrowingArray(folder / "long.npy", _HASH)

    def __len__(self) -> int:
        return min(len(self.vectors), len(self._hashes))

    def fits(self) -> bool:
        """Whether what is on disk was made with this model, revision and serialisation."""
        return _read_object(self.folder / "stamp.json") == self.stamp

    def make_ready(self) -> None:
        """Make the pool ready for writing: rows made with something else or damaged go, a torn last row is cut off."""
        if not self.fits():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            (self.folder / "stamp.json").write_text(json.dumps(self.stamp, indent=1), encoding="utf-8")
        rows = self.sound_rows()
        if rows < len(self._hashes):
            # What was derived from damaged rows is made again too.
            for derived in ("codes", "scales", "rests", "lengths"):
                (self.folder / f"{derived}.npy").unlink(missing_ok=True)
            sums = (self._sums() or [])[: rows // _BLOCK]
            (self.folder / "sums.json").write_text(json.dumps(sums), encoding="utf-8")
        self.vectors.cut(rows)
        self._hashes.cut(rows)
        self.long.cut(len(self.long))

    def rows(self, wanted: Hashes) -> npt.NDArray[np.int64]:
        """Return the row of each wanted text hash, −1 where there is none."""
        here = self._hashes.read(len(self))
        if not len(here):
            return np.full(len(wanted), -1)
        rows = np.full(len(wanted), -1)
        shared = min(len(here), len(wanted))
        same = here[:shared] == wanted[:shared]
        rows[:shared][same] = np.flatnonzero(same)
        rest = np.flatnonzero(rows < 0)
        if len(rest):
            order = np.argsort(here, kind="stable")
            places = np.minimum(np.searchsorted(here, wanted[rest], sorter=order), len(order) - 1)
            found = order[places]
            rows[rest] = np.where(here[found] == wanted[rest], found, -1)
        return rows

    def append(self, hashes: Sequence[str], vectors: Vectors, beyond: Sequence[str]) -> None:
        """Add rows, and which are ``beyond`` the model's limit; last the hashes that make them count."""
        self.long.append(np.array(beyond, _HASH))
        self.vectors.append(vectors)
        self._hashes.append(np.array(hashes, _HASH))

    def sound_rows(self, *, thorough: bool = True) -> int:
        """Return how many rows from the first on are as they were written.

        Small pools, or any pool where ``thorough``, by checksums of blocks; large ones by the lengths of some rows.
        Rows that have no checksum yet, after an interruption, are taken as they are.
        """
        sums = self._sums()
        if sums is None:
            return 0
        vectors = self.vectors.read(len(self))
        if not thorough and vectors.nbytes > _CHECKED_WHOLE:
            some = np.asarray(vectors[:: len(vectors) // _SAMPLED], np.float64)
            return 0 if (np.abs(np.linalg.norm(some, axis=1) - 1) > 1e-3).any() else len(vectors)
        for number, (rows, expected) in enumerate(sums):
            start = number * _BLOCK
            if start + rows > len(vectors) or zlib.crc32(vectors[start : start + rows].tobytes()) != expected:
                return start
        return len(vectors)

    def _sums(self) -> list[list[int]] | None:
        """Return (rows, CRC-32) of each block of rows, in order; None where they are lost or unreadable.

        A pool that was never finished has none yet, and nothing is lost.
        """
        try:
            found = json.loads((self.folder / "sums.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            found = []
        except (OSError, ValueError):
            return None
        if not isinstance(found, list) or not all(isinstance(b, list) and len(b) == 2 for b in found):
            return None
        finished = any(self.folder.glob("*/manifest.json"))
        return None if finished and len(self) and not found else found

    def seal(self) -> None:
        """Bring checksums and headers up to date; only blocks that have grown are read."""
        sums = [block for block in self._sums() or [] if block[0] == _BLOCK]
        vectors = self.vectors.read(len(self))
        for start in range(len(sums) * _BLOCK, len(vectors), _BLOCK):
            block = vectors[start : start + _BLOCK]
            sums.append([len(block), zlib.crc32(block.tobytes())])
        part = self.folder / "sums.json.part"
        part.write_text(json.dumps(sums), encoding="utf-8")
        part.rename(self.folder / "sums.json")
        self.vectors.seal()
        self._hashes.seal()
        self.long.seal()
