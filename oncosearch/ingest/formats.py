"""The formats that can be read, in one table, and the two verbs: read a graph, import a graph into a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from oncosearch.ingest.assemble import Assembled, assemble
from oncosearch.ingest.civic import is_civic, read_civic
from oncosearch.ingest.header import name_fault
from oncosearch.ingest.lines import MAX_FILE_BYTES
from oncosearch.ingest.native import is_native, read_native
from oncosearch.ingest.raw import RawGraph
from oncosearch.ingest.report import ImportLog, ImportReport, quoted
from oncosearch.model import Node, Snapshot, SnapshotDiff, SnapshotKey, UsageError
from oncosearch.model.vocabulary import Term

Reader = Callable[[Path, ImportLog, int], RawGraph]


@dataclass(frozen=True, slots=True)
class Format(Term):
    """A format: ``marks`` says which files show it, ``detect`` looks for them, ``read`` yields raw rows."""

    marks: str
    detect: Callable[[Path], bool]
    read: Reader


FORMATS: tuple[Format, ...] = (
    Format("native", "oncosearch-Graph", "oncosearch graph", "graph.json and nodes.jsonl", is_native, read_native),
    Format("civic", "CIViC-Tabellen", "CIViC nightly tables", "*ClinicalEvidenceSummaries.tsv", is_civic, read_civic),
)


class GraphWriter(Protocol):
    """What an import needs of a store; the store's own protocol has it."""

    def write_snapshot(
        self, snapshot: Snapshot, nodes: Iterable[Node], on_progress: Callable[[int], None] | None = None
    ) -> None:
        """Write a snapshot and its nodes, all or nothing."""

    def snapshots(self, graph_id: str | None = None) -> Sequence[Snapshot]:
        """Return the snapshots, of one graph or of all, newest last."""

    def diff(self, old: SnapshotKey, new: SnapshotKey) -> SnapshotDiff:
        """Return what was added, changed and removed."""


def read_graph(
    path: Path,
    *,
    format: str | None = None,
    graph_id: str | None = None,
    snapshot_id: str | None = None,
    language: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
) -> Assembled:
    """Return the checked graph of a folder, with its snapshot and the report of the import; nothing is stored.

    Parameters
    ----------
    format
        A key of ``FORMATS``; None finds it from the files.
    graph_id, snapshot_id
        Put in place of what the files say.
    language
        The language of synonyms that name none; None means ``de``.
    max_bytes
        The most a single file may hold, unpacked.

    Raises
    ------
    UsageError
        If the folder is missing, or its format unknown.
    GraphRefusedError
        If the files have errors; its ``report`` holds all of them with their lines.
    """
    for name, value in (("graph id", graph_id), ("snapshot id", snapshot_id)):
        if value is not None and (fault := name_fault(value)):
            raise UsageError(f"The {name} is {quoted(value)}; {fault}.")
    found = find_format(path, format)
    log = ImportLog()
    raw = found.read(path, log, max_bytes)
    if raw.header is not None:
        header = replace(
            raw.header, graph_id=graph_id or raw.header.graph_id, snapshot_id=snapshot_id or raw.header.snapshot_id
        )
        raw = replace(raw, header=header)
    return assemble(raw, log, format=found.key, language=language or "de")


def find_format(path: Path, key: str | None = None) -> Format:
    """Return the format with this key, or the one that the folder's files show.

    Raises
    ------
    UsageError
        If the folder is missing, the key unknown, or no format recognised.
    """
    listing = "; ".join(f"{f.key} ({f.marks})" for f in FORMATS)
    if key is not None and key not in {f.key for f in FORMATS}:
        raise UsageError(f"The format {quoted(key)} is not known. Formats are: {listing}.")
    if not path.is_dir():
        state = "is a file" if path.is_file() else "does not exist"
        raise UsageError(f"{path} {state}; expected a folder in one of the formats: {listing}.")
    for candidate in FORMATS:
        if candidate.key == key or (key is None and candidate.detect(path)):
            return candidate
    raise UsageError(f"{path} holds no graph in a known format. Formats are: {listing}. Name one with --format.")


def import_graph(
    path: Path,
    store: GraphWriter,
    *,
    format: str | None = None,
    graph_id: str | None = None,
    snapshot_id: str | None = None,
    language: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[ImportReport, SnapshotDiff | None]:
    """Return the report of an import into the store, and what changed since the snapshot before it.

    The difference is None for the first snapshot of a graph. ``on_progress`` is called with the number of nodes
    written so far. The other arguments and the errors are those of :func:`read_graph` and of the store; a refused
    import leaves the store as it was.
    """
    graph = read_graph(
        path, format=format, graph_id=graph_id, snapshot_id=snapshot_id, language=language, max_bytes=max_bytes
    )
    key = graph.snapshot.key
    earlier = [snapshot.key for snapshot in store.snapshots(key.graph_id)]
    if key in earlier:
        earlier = earlier[: earlier.index(key)]
    store.write_snapshot(graph.snapshot, graph.nodes, on_progress)
    return graph.report, store.diff(earlier[-1], key) if earlier else None
