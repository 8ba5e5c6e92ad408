"""Every name of every node (titles, synonyms, codes) as a sorted column: exact look-up and typeahead."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oncosearch.graph import Patch, TextColumn
from oncosearch.model import ArtefactMismatchError, Node, SnapshotKey
from oncosearch.text.normalise import fold

FORMAT = "oncosearch-names-2"
# The kinds below are numbered in this order. Only the first three name a node exactly; the other synonyms are wider
# or narrower than it and serve suggestions alone.
KINDS = ("title", "synonym", "code", "synonym.narrow", "synonym.broad", "synonym.related")
_EXACT = 3


def fold_name(text: str) -> str:
    """Return ``text`` as it is compared: folded as the tokeniser folds words, with single spaces."""
    return fold(" ".join(text.split()))


@dataclass(frozen=True, slots=True)
class NameMatch:
    """A node and the folded name that fits; ``kind`` is one of :data:`KINDS`."""

    node: int
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class NameIndex:
    """``names`` folded and sorted by code point, with the ``nodes`` int32 and ``kinds`` uint8 they belong to."""

    names: TextColumn
    nodes: npt.NDArray[np.int32]
    kinds: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> NameIndex:
        """Return the names of ``nodes``, which come in graph order."""
        ordered = _rows(enumerate(nodes))
        return cls(
            TextColumn.of([name for name, _, _ in ordered]),
            np.array([i for _, i, _ in ordered], np.int32),
            np.array([kind for _, _, kind in ordered], np.uint8),
        )

    def patched(self, patch: Patch) -> NameIndex:
        """Return what :meth:`of` returns for all nodes of the snapshot that ``patch`` leads to."""
        ordered = _rows(zip(patch.places.tolist(), patch.fresh, strict=True))
        nodes = patch.moved[self.nodes]
        kept = np.flatnonzero(nodes >= 0)
        nodes, kinds = nodes[kept], self.kinds[kept]
        order = nodes.astype(np.int64) * len(KINDS) + kinds
        before = []
        for name, i, kind in ordered:
            # The rows of this very name: nothing stands between it and itself with one more, smallest character.
            first, last = np.searchsorted(kept, [self.names.lower_bound(name), self.names.lower_bound(name + "\0")])
            before.append(first + np.searchsorted(order[first:last], i * len(KINDS) + kind))
        fresh = len(self.names) + np.arange(len(ordered))
        return NameIndex(
            TextColumn.gathered(
                self.names, TextColumn.of([name for name, _, _ in ordered]), np.insert(kept, before, fresh)
            ),
            np.insert(nodes, before, [i for _, i, _ in ordered]),
            np.insert(kinds, before, [kind for _, _, kind in ordered]),
        )

    def exact(self, text: str) -> list[tuple[int, str]]:
        """Return the nodes that ``text`` names exactly, as (index, ``title``/``synonym``/``code``).

        Each node once, titles before synonyms before codes, then by index. Synonyms of exact scope only.
        """
        wanted = fold_name(text)
        start = self.names.find(wanted) if wanted else None
        best: dict[int, int] = {}
        while start is not None and start < len(self.names) and self.names[start] == wanted:
            node, kind = int(self.nodes[start]), int(self.kinds[start])
            start += 1
            if kind >= _EXACT:
                continue
            best[node] = min(kind, best.get(node, kind))
        return [(node, KINDS[kind]) for node, kind in sorted(best.items(), key=lambda p: (p[1], p[0]))]

    def suggest(self, text: str, count: int) -> list[int]:
        """Return up to ``count`` nodes of which a name begins with, has a word beginning with, or contains ``text``."""
        return [found.node for found in self.matches(text, count)]

    def matches(self, text: str, count: int) -> list[NameMatch]:
        """Return up to ``count`` nodes with the name that fits ``text`` best, each node once.

        A name that begins with ``text`` comes before one of which a word does, and that before one that contains it;
        then shorter names, then titles before synonyms before codes, then by index. Synonyms of every scope count.
        """
        wanted = fold_name(text).encode("utf-8", "replace")
        if not wanted:
            return []
        blob = self.names.blob.tobytes()
        found: list[tuple[int, int, int, int, int]] = []
        at = blob.find(wanted)
        while at >= 0 and len(found) < 4000:
            row = int(np.searchsorted(self.names.offsets, at, side="right")) - 1
            end = int(self.names.offsets[row + 1])
            start = int(self.names.offsets[row])
            if at + len(wanted) <= end:
                place = 0 if at == start else (1 if blob[at - 1 : at] in (b" ", b"-", b"(") else 2)
                found.append((place, end - start, int(self.kinds[row]), int(self.nodes[row]), row))
            at = blob.find(wanted, at + 1)
        best: dict[int, NameMatch] = {}
        for _, _, kind, node, row in sorted(found):
            if node not in best:
                if len(best) == count:
                    break
                best[node] = NameMatch(node, self.names[row], KINDS[kind])
        return list(best.values())


def _rows(nodes: Iterable[tuple[int, Node]]) -> list[tuple[str, int, int]]:
    """Return (folded name, index, kind) of the nodes, sorted, each once."""
    rows: set[tuple[str, int, int]] = set()
    for i, node in nodes:
        rows.update((fold_name(text), i, 0) for _, text in node.title)
        rows.update((fold_name(s.text), i, _synonym_kind(s.scope)) for s in node.synonyms)
        rows.update((fold_name(c.code), i, 2) for c in node.codes)
    return sorted(row for row in rows if row[0])


def _synonym_kind(scope: str) -> int:
    # A scope that the vocabulary does not have says less than any other.
    name = "synonym" if scope == "exact" else f"synonym.{scope}"
    return KINDS.index(name) if name in KINDS else KINDS.index("synonym.related")


def save_names(index: NameIndex, folder: Path, key: SnapshotKey, content_hash: str) -> None:
    """Write the names into ``folder``, which appears whole or not at all."""
    work = folder.with_name(folder.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    np.save(work / "blob.npy", index.names.blob, allow_pickle=False)
    np.save(work / "offsets.npy", index.names.offsets, allow_pickle=False)
    np.save(work / "nodes.npy", index.nodes, allow_pickle=False)
    np.save(work / "kinds.npy", index.kinds, allow_pickle=False)
    (work / "manifest.json").write_text(json.dumps(_manifest(key, content_hash)), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    work.rename(folder)


def open_names(folder: Path, key: SnapshotKey, content_hash: str) -> NameIndex:
    """Return the names of ``folder``, memory-mapped; ArtefactMismatchError where they are of something else."""
    found = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    if found != _manifest(key, content_hash):
        raise ArtefactMismatchError(
            f"The names are of {found}, expected {_manifest(key, content_hash)}; run: python -m oncosearch index"
        )
    arrays = [
        np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
        for name in ("blob", "offsets", "nodes", "kinds")
    ]
    return NameIndex(TextColumn(arrays[0], arrays[1]), arrays[2], arrays[3])


def _manifest(key: SnapshotKey, content_hash: str) -> dict[str, str]:
    return {
        "format": FORMAT,
        "graph_id": key.graph_id,
        "snapshot_id": key.snapshot_id,
        "content_hash": content_hash,
    }
