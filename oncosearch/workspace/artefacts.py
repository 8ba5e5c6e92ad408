"""What is made from a stored snapshot before it can be searched: graph files, passages, names, word index.

All of it lies under ``<home>/graphs/<graph>/<snapshot>/`` and can be thrown away: it is made again from the store.
"""

from __future__ import annotations

import json
import shutil
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from oncosearch.graph import Graph, Patch, below, build_graph, open_graph, patched_graph, save_graph
from oncosearch.index.lexical import LexicalIndex, build_from_occurrences, load_lexical_index
from oncosearch.index.names import NameIndex, open_names, save_names
from oncosearch.index.occurrences import Occurrences, check_occurrences, load_occurrences
from oncosearch.model import ArtefactMismatchError, Node, NotFoundError, Snapshot, SnapshotDiff, SnapshotKey
from oncosearch.model.names import safe_name
from oncosearch.store import Store
from oncosearch.text import lexical_fields
from oncosearch.workspace.passages import (
    check_passages,
    node_passage,
    patch_passages,
    read_hashes,
    write_passages,
)
from oncosearch.workspace.requests import Progress

_SUMS, _OCCURRENCES = "sums.json", "occurrences"
_BATCH = 1000
# Beyond this share of changed nodes, reading all of them is about as fast.
_MOST_FRESH = 0.3


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


def make_artefacts(home: Path, store: Store, snapshot: Snapshot, progress: Progress, *, rebuild: bool = False) -> None:
    """Make the files of a snapshot; those that fit already are left as they are.

    They are made beside the old ones, which serve until the new ones are whole. Where most nodes are those of an
    earlier snapshot, its files are patched: only the other nodes are read from the store, and the files come out the
    same.

    Parameters
    ----------
    rebuild
        Whether to make them anew from all nodes, even where they fit.
    """
    folder = snapshot_folder(home, snapshot.key)
    if not rebuild and artefacts_fit(home, snapshot):
        return
    work = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    base = None if rebuild else prepared_before(home, store, snapshot)
    diff = None if base is None else store.diff(base.snapshot.key, snapshot.key)
    if base is None or diff is None or len(diff.added) + len(diff.changed) > _MOST_FRESH * snapshot.node_count:
        _make(work, store, snapshot, progress)
    else:
        _patch(work, store, snapshot, progress, base, diff)
    _write_sums(work)
    _take_over(work, folder)


def _take_over(work: Path, folder: Path) -> None:
    old = folder.with_name(f".{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    work.rename(folder)
    # Whoever has mapped the old files keeps them until they are closed.
    shutil.rmtree(old, ignore_errors=True)


def prepared_before(home: Path, store: Store, snapshot: Snapshot) -> Artefacts | None:
    """Return the files of the newest earlier snapshot of the same graph that is prepared, or None."""
    stored = store.snapshots(snapshot.graph_id)
    earlier = stored[: [s.key for s in stored].index(snapshot.key)]
    for before in reversed(earlier):
        try:
            found = open_artefacts(home, before)
            check_occurrences(found.folder / _OCCURRENCES)
        except ArtefactMismatchError:
            continue
        return found
    return None


def _make(folder: Path, store: Store, snapshot: Snapshot, progress: Progress) -> None:
    key, total = snapshot.key, snapshot.node_count

    def nodes(stage: str) -> Iterator[Node]:
        for done, node in enumerate(store.iter_nodes(key), 1):
            yield node
            if done % 1000 == 0 or done == total:
                progress(stage, done, total)

    graph = build_graph(key, snapshot.content_hash, nodes("graph"))
    save_graph(graph, folder / "graph")
    write_passages(folder, snapshot, (node_passage(graph, node) for node in nodes("passages")))
    save_names(NameIndex.of(nodes("names")), folder / "names", key, snapshot.content_hash)
    _save_words(folder, snapshot, Occurrences.of(map(lexical_fields, nodes("lexical"))))


def _patch(
    folder: Path, store: Store, snapshot: Snapshot, progress: Progress, base: Artefacts, diff: SnapshotDiff
) -> None:
    key, total, old = snapshot.key, snapshot.node_count, base.graph
    patch = Patch.of(old.ids, _nodes(store, key, (*diff.added, *diff.changed)), diff.removed)
    graph = patched_graph(old, key, snapshot.content_hash, patch)
    save_graph(graph, folder / "graph")
    progress("graph", total, total)

    # A passage bears the titles above it: it is new where its node is, or where one above has another title or place.
    below_these = [int(i) for i, node in zip(patch.places, patch.fresh, strict=True) if _stands_anew(old, graph, node)]
    stale = np.setdiff1d(below(graph, np.array(below_these, np.int32)), patch.places)
    origin = patch.origin.copy()
    origin[stale] = len(old) + len(patch.fresh) + np.arange(len(stale))
    under = _nodes(store, key, [graph.ids[int(i)] for i in stale])
    patch_passages(folder, snapshot, base.folder, origin, [node_passage(graph, n) for n in (*patch.fresh, *under)])
    progress("passages", total, total)

    save_names(base.names.patched(patch), folder / "names", key, snapshot.content_hash)
    progress("names", total, total)
    fresh = Occurrences.of(map(lexical_fields, patch.fresh))
    _save_words(folder, snapshot, load_occurrences(base.folder / _OCCURRENCES).patched(patch.origin, fresh))
    progress("lexical", total, total)


def _nodes(store: Store, key: SnapshotKey, ids: Sequence[str]) -> Iterator[Node]:
    for start in range(0, len(ids), _BATCH):
        yield from store.nodes(key, ids[start : start + _BATCH])


def _stands_anew(old: Graph, new: Graph, node: Node) -> bool:
    """Return whether a changed node changes the passages below it: by its titles, or by what it stands under."""
    before, now = old.ids.find(node.id), new.index(node.id)
    if before is None:
        return True
    titles = [(graph.titles_de[i], graph.titles_en[i]) for graph, i in ((old, before), (new, now))]
    above = [[graph.ids[int(p)] for p in graph.parents.of_node(i)] for graph, i in ((old, before), (new, now))]
    return titles[0] != titles[1] or above[0] != above[1]


def _save_words(folder: Path, snapshot: Snapshot, found: Occurrences) -> None:
    found.save(folder / _OCCURRENCES)
    build_from_occurrences(found, key=snapshot.key, content_hash=snapshot.content_hash).save(folder / "lexical")


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
        check_passages(folder, snapshot)
        return Artefacts(
            snapshot,
            folder,
            open_graph(folder / "graph", key, snapshot.content_hash),
            open_names(folder / "names", key, snapshot.content_hash),
            load_lexical_index(folder / "lexical", key=key, content_hash=snapshot.content_hash),
            read_hashes(folder),
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
    state = file.stat()
    return _sum_of(file, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4096)
def _sum_of(file: Path, *state: int) -> int:
    """Return the checksum of a file in a certain state, so that one process reads what it does not write but once."""
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
