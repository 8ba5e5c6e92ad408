"""What is made from a stored snapshot before it can be searched: graph files, passages, names, word index.

All of it lies under ``<home>/graphs/<graph>/<snapshot>/`` and can be thrown away: it is made again from the store.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np

from oncosearch.graph import Graph, ancestors, build_graph, open_graph, primary_path, save_graph
from oncosearch.index.lexical import LexicalIndex, build_from_fields, load_lexical_index
from oncosearch.index.names import NameIndex, open_names, save_names
from oncosearch.model import ArtefactMismatchError, LocalText, Node, NotFoundError, Passage, Snapshot, SnapshotKey
from oncosearch.model.names import safe_name
from oncosearch.store import Store
from oncosearch.text import FORMAT_ID, CompoundSplitter, lexical_fields, serialise
from oncosearch.workspace.requests import Progress

PASSAGES_FORMAT = "oncosearch-passages-1"
_SUMS = "sums.json"


@dataclass(frozen=True, slots=True)
class Artefacts:
    """The opened files of one snapshot; ``hashes`` are the passages' text hashes in node order."""

    snapshot: Snapshot
    folder: Path
    graph: Graph
    names: NameIndex
    lexical: LexicalIndex
    hashes: tuple[str, ...]


def snapshot_folder(home: Path, key: SnapshotKey) -> Path:
    """Return the folder of one snapshot's files."""
    return home / "graphs" / safe_name(key.graph_id) / safe_name(key.snapshot_id)


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


def make_artefacts(home: Path, store: Store, snapshot: Snapshot, progress: Progress) -> None:
    """Make the files of a snapshot; those that fit already are left as they are."""
    key, folder = snapshot.key, snapshot_folder(home, snapshot.key)
    if artefacts_fit(home, snapshot):
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _SUMS).unlink(missing_ok=True)
    total = snapshot.node_count

    def nodes(stage: str) -> Iterator[Node]:
        for done, node in enumerate(store.iter_nodes(key), 1):
            yield node
            if done % 1000 == 0 or done == total:
                progress(stage, done, total)

    graph = build_graph(key, snapshot.content_hash, nodes("graph"))
    save_graph(graph, folder / "graph")
    _write_passages(folder, snapshot, (node_passage(graph, node) for node in nodes("passages")))
    save_names(NameIndex.of(nodes("names")), folder / "names", key, snapshot.content_hash)
    texts = [lexical_fields(node) for node in nodes("lexical")]
    splitter = CompoundSplitter.from_texts(text for fields in texts for _, text in fields)
    lexical = build_from_fields(texts, key=key, content_hash=snapshot.content_hash, splitter=splitter)
    lexical.save(folder / "lexical")
    _write_sums(folder)


def looks_prepared(home: Path, key: SnapshotKey) -> bool:
    """Return whether the files of a snapshot are there at all, without looking into them."""
    return (snapshot_folder(home, key) / _SUMS).is_file()


def artefacts_fit(home: Path, snapshot: Snapshot) -> bool:
    """Return whether the files of a snapshot are there and were made from its content by this version."""
    try:
        open_artefacts(home, snapshot)
    except ArtefactMismatchError:
        return False
    return True


def open_artefacts(home: Path, snapshot: Snapshot) -> Artefacts:
    """Return the opened files of a snapshot.

    Raises
    ------
    ArtefactMismatchError
        With code ``unprepared`` where they are missing, or made from something else.
    """
    key, folder = snapshot.key, snapshot_folder(home, snapshot.key)
    try:
        _check_sums(folder)
        manifest = json.loads((folder / "passages.json").read_text(encoding="utf-8"))
        if manifest != _passages_manifest(snapshot):
            raise ArtefactMismatchError(
                f"The passages of {key} are {manifest}, expected {_passages_manifest(snapshot)}."
            )
        return Artefacts(
            snapshot,
            folder,
            open_graph(folder / "graph", key, snapshot.content_hash),
            open_names(folder / "names", key, snapshot.content_hash),
            load_lexical_index(folder / "lexical", key=key, content_hash=snapshot.content_hash),
            tuple((folder / "hashes.txt").read_text(encoding="ascii").split()),
        )
    except (ArtefactMismatchError, NotFoundError, OSError, EOFError, ValueError) as error:
        command = f"python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id}"
        reason = "no index yet" if isinstance(error, FileNotFoundError) else error
        raise ArtefactMismatchError(
            f"{key} is not prepared for searching ({reason}). Run: {command}",
            code="unprepared",
            graph=str(key),
            command=command,
        ) from error


def _sums(folder: Path) -> dict[str, int]:
    files = sorted(f for f in folder.rglob("*") if f.is_file() and f.name != _SUMS)
    return {f.relative_to(folder).as_posix(): _sum(f) for f in files}


def _sum(file: Path) -> int:
    total = 0
    with file.open("rb") as opened:
        while block := opened.read(1 << 20):
            total = zlib.crc32(block, total)
    return total


def _write_sums(folder: Path) -> None:
    """Write a checksum of every file; this file comes last and makes the others count."""
    part = folder / f"{_SUMS}.part"
    part.unlink(missing_ok=True)
    part.write_text(json.dumps(_sums(folder), indent=1), encoding="utf-8")
    part.rename(folder / _SUMS)


def _check_sums(folder: Path) -> None:
    expected = json.loads((folder / _SUMS).read_text(encoding="utf-8"))
    found = _sums(folder)
    damaged = sorted(name for name in expected if found.get(name) != expected[name])
    if damaged:
        raise ArtefactMismatchError(f"damaged or missing: {', '.join(damaged[:3])}")


class StoredPassages(Sequence[Passage]):
    """The stored passages of a snapshot in node order, read from the file one by one."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "passages.jsonl"
        self._offsets = np.load(folder / "offsets.npy", mmap_mode="r", allow_pickle=False)

    def __len__(self) -> int:
        """Return the number of passages."""
        return len(self._offsets)

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
        return Passage(**{**row, "spans": tuple(tuple(span) for span in row["spans"])})


def _write_passages(folder: Path, snapshot: Snapshot, passages: Iterable[Passage]) -> None:
    """Write passages, their hashes, and last the manifest that makes them count."""
    (folder / "passages.json").unlink(missing_ok=True)
    hashes: list[str] = []
    offsets: list[int] = []
    with (folder / "passages.jsonl").open("wb") as file:
        for p in passages:
            hashes.append(p.text_hash)
            offsets.append(file.tell())
            row = {name: getattr(p, name) for name in Passage.__slots__}
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    np.save(folder / "offsets.npy", np.array(offsets, np.int64), allow_pickle=False)
    (folder / "hashes.txt").write_text("\n".join(hashes), encoding="ascii")
    # Renamed when it is whole, since the next run reads whatever bears that name.
    (folder / "passages.new").write_text(json.dumps(_passages_manifest(snapshot)), encoding="utf-8")
    (folder / "passages.new").rename(folder / "passages.json")


def _passages_manifest(snapshot: Snapshot) -> dict[str, str]:
    return {
        "format": PASSAGES_FORMAT,
        "serialisation": FORMAT_ID,
        "graph_id": snapshot.graph_id,
        "snapshot_id": snapshot.snapshot_id,
        "content_hash": snapshot.content_hash,
    }
