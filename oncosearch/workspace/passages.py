"""The passages of a snapshot on disk: one JSON line a node, so that encoding and explaining read them one by one.

The lines do not name the snapshot: those of unchanged nodes are copied as they are from one snapshot to the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from oncosearch.graph import Graph, TextColumn, ancestors, primary_path
from oncosearch.model import ArtefactMismatchError, LocalText, Node, Passage, Snapshot
from oncosearch.text import FORMAT_ID, passage_header, serialise

PASSAGES_FORMAT = "oncosearch-passages-2"
_LINES, _OFFSETS, _HASHES, _MANIFEST = "passages.jsonl", "offsets.npy", "hashes.txt", "passages.json"
_STORED = ("node_id", "text", "spans", "format_id", "text_hash")


def node_passage(graph: Graph, node: Node) -> Passage:
    """Return the passage of a node, its ancestors taken from the graph."""
    i = graph.index(node.id)
    path = primary_path(graph, i)
    above = np.setdiff1d(ancestors(graph, i), path)
    return serialise(
        node,
        snapshot_id=graph.key.snapshot_id,
        primary_path=[_title(graph, a) for a in path],
        other_titles=[_title(graph, int(a)) for a in above],
    )


def _title(graph: Graph, i: int) -> LocalText:
    texts = {"de": graph.titles_de[i], "en": graph.titles_en[i]}
    return LocalText.of({language: text for language, text in texts.items() if text})


class StoredPassages(Sequence[Passage]):
    """The stored passages of a snapshot in node order, read from the file one by one."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / _LINES
        self._offsets = np.load(folder / _OFFSETS, mmap_mode="r", allow_pickle=False).view(np.ndarray)
        self._snapshot_id = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))["snapshot_id"]

    def __len__(self) -> int:
        """Return the number of passages."""
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, i: int) -> Passage: ...
    @overload
    def __getitem__(self, i: slice) -> list[Passage]: ...
    def __getitem__(self, i: int | slice) -> Passage | list[Passage]:
        """Return passage ``i``, or a list of passages for a slice."""
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        with self._file.open("rb") as file:
            file.seek(int(self._offsets[i]))
            row = json.loads(file.readline())
        spans = tuple(tuple(span) for span in row.pop("spans"))
        header = passage_header(self._snapshot_id)
        return Passage(**row, spans=spans, header=header, snapshot_id=self._snapshot_id)


def write_passages(folder: Path, snapshot: Snapshot, passages: Iterable[Passage]) -> None:
    """Write passages in node order, their hashes, and last the manifest that makes them count."""
    (folder / _MANIFEST).unlink(missing_ok=True)
    hashes: list[str] = []
    offsets = [0]
    with (folder / _LINES).open("wb") as file:
        for passage in passages:
            hashes.append(passage.text_hash)
            offsets.append(offsets[-1] + file.write(_line(passage).encode()))
    _finish(folder, snapshot, np.array(offsets, np.int64), hashes)


def patch_passages(
    folder: Path, snapshot: Snapshot, base: Path, origin: npt.NDArray[np.int64], fresh: Sequence[Passage]
) -> None:
    """Write the passages that ``origin`` names: ``i`` is passage i of ``base``, count + j passage j of ``fresh``."""
    (folder / _MANIFEST).unlink(missing_ok=True)
    offsets = np.load(base / _OFFSETS, mmap_mode="r", allow_pickle=False)
    lines = np.memmap(base / _LINES, np.uint8, "r").view(np.ndarray) if offsets[-1] else np.empty(0, np.uint8)
    hashes = [*read_hashes(base), *(passage.text_hash for passage in fresh)]
    made = TextColumn.gathered(TextColumn(lines, offsets), TextColumn.of([_line(p) for p in fresh]), origin)
    made.blob.tofile(folder / _LINES)
    _finish(folder, snapshot, made.offsets, [hashes[i] for i in origin.tolist()])


def read_hashes(folder: Path) -> tuple[str, ...]:
    """Return the text hashes of a snapshot's passages in node order."""
    return tuple((folder / _HASHES).read_text(encoding="ascii").split())


def check_passages(folder: Path, snapshot: Snapshot) -> None:
    """Raise ArtefactMismatchError where the passages were made from something else, OSError where there are none."""
    manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    if manifest != _manifest(snapshot):
        raise ArtefactMismatchError(f"The passages of {snapshot.key} are {manifest}, expected {_manifest(snapshot)}.")


def _line(passage: Passage) -> str:
    return json.dumps({name: getattr(passage, name) for name in _STORED}, ensure_ascii=False) + "\n"


def _finish(folder: Path, snapshot: Snapshot, offsets: npt.NDArray[np.int64], hashes: Sequence[str]) -> None:
    np.save(folder / _OFFSETS, offsets, allow_pickle=False)
    (folder / _HASHES).write_text("\n".join(hashes), encoding="ascii")
    # Renamed when it is whole, since the next run reads whatever bears that name.
    part = folder / "passages.new"
    part.write_text(json.dumps(_manifest(snapshot)), encoding="utf-8")
    part.rename(folder / _MANIFEST)


def _manifest(snapshot: Snapshot) -> dict[str, str]:
    return {
        "format": PASSAGES_FORMAT,
        "serialisation": FORMAT_ID,
        "graph_id": snapshot.graph_id,
        "snapshot_id": snapshot.snapshot_id,
        "content_hash": snapshot.content_hash,
    }
