"""The formats that can be read, in one table, and the two verbs: read a graph, import a graph into a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from oncosearch.ingest.assemble import Assembled, assemble
from oncosearch.ingest.catalogue import is_catalogue, read_catalogue
from oncosearch.ingest.checks import LANGUAGE
from oncosearch.ingest.civic import is_civic, read_civic
from oncosearch.ingest.documents import read_extjson
from oncosearch.ingest.fhir import is_fhir, read_fhir
from oncosearch.ingest.given import Given, Paths, given
from oncosearch.ingest.graphml import is_graphml, read_graphml
from oncosearch.ingest.header import name_fault
from oncosearch.ingest.lines import MAX_FILE_BYTES, why_no_text
from oncosearch.ingest.mapping import mapping_format
from oncosearch.ingest.mongo import is_mongo, read_mongo
from oncosearch.ingest.native import is_native, read_native
from oncosearch.ingest.obo import is_obo, read_obo
from oncosearch.ingest.obograph import is_obograph, read_obograph
from oncosearch.ingest.oncotree import is_oncotree, read_oncotree
from oncosearch.ingest.owl import is_owl, read_owl
from oncosearch.ingest.raw import RawGraph
from oncosearch.ingest.report import ImportLog, ImportReport, quoted
from oncosearch.ingest.rki import is_rki, read_rki
from oncosearch.ingest.tables import needs_mapping, read_tables
from oncosearch.model import Node, Snapshot, SnapshotDiff, SnapshotKey, UsageError
from oncosearch.model.vocabulary import Term

Reader = Callable[[Given, ImportLog], RawGraph]


@dataclass(frozen=True, slots=True)
class Format(Term):
    """A format: ``marks`` says what shows it, ``detect`` looks for that, ``read`` yields raw rows.

    ``detect`` looks at names and beginnings of files only; it is False for formats that need a mapping file, which
    names its format itself.
    """

    marks: str
    detect: Callable[[Given], bool]
    read: Reader


FORMATS: tuple[Format, ...] = (
    Format("native", "oncosearch-Graph", "oncosearch graph", "graph.json and nodes.jsonl", is_native, read_native),
    Format("civic", "CIViC-Tabellen", "CIViC nightly tables", "*ClinicalEvidenceSummaries.tsv", is_civic, read_civic),
    Format("obo", "OBO", "OBO", "*.obo", is_obo, read_obo),
    Format("obograph", "OBO-Graph (JSON)", "OBO graph (JSON)", '*.json with "graphs"', is_obograph, read_obograph),
    Format("owl", "OWL (RDF/XML)", "OWL (RDF/XML)", "*.owl", is_owl, read_owl),
    Format("oncotree", "OncoTree (JSON)", "OncoTree (JSON)", '*.json with "mainType"', is_oncotree, read_oncotree),
    Format("fhir", "FHIR R4", "FHIR R4", "*.json of a CodeSystem or ConceptMap", is_fhir, read_fhir),
    Format("graphml", "GraphML", "GraphML", "*.graphml", is_graphml, read_graphml),
    Format("rki", "Krebsregister-Tabellen", "German cancer registry tables", "icd10.csv and others", is_rki, read_rki),
    Format(
        "catalogue",
        "Geschachtelter Katalog (JSON)",
        "nested catalogue (JSON)",
        '*.json with "childCategories" or "criteria", or --mapping',
        is_catalogue,
        read_catalogue,
    ),
    Format(
        "tables",
        "Knoten- und Kantentabellen",
        "node and edge tables",
        "*.csv or *.tsv with --mapping",
        needs_mapping,
        read_tables,
    ),
    Format(
        "extjson",
        "Extended JSON (MongoDB)",
        "Extended JSON (MongoDB)",
        "*.json with --mapping",
        needs_mapping,
        read_extjson,
    ),
    Format("mongo", "MongoDB", "MongoDB", "mongodb://… with --mapping", is_mongo, read_mongo),
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
    paths: Paths,
    *,
    format: str | None = None,
    graph_id: str | None = None,
    snapshot_id: str | None = None,
    language: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    mapping: Path | str | None = None,
    break_cycles: bool = False,
    on_read: Callable[[int], None] | None = None,
) -> Assembled:
    """Return the checked graph of files and folders, its snapshot and the report of the import; nothing is stored.

    Parameters
    ----------
    paths
        One or several files and folders; for ``mongo`` an address, or ``env:NAME`` for that in a variable.
    format
        A key of ``FORMATS``; None finds it from the mapping file or the content.
    graph_id, snapshot_id
        Put in place of what the files say.
    language
        The language of texts whose language the files do not say; None means that of the format, mostly ``de``.
    max_bytes
        The most a single file may hold, unpacked.
    mapping
        The mapping file of the formats that take one.
    break_cycles
        Take out the edges that close a cycle, and list them, instead of refusing the graph.
    on_read
        Called now and then with the number of rows read so far; it begins anew where all rows were read before they
        are checked, and once more while the content is summed up.

    Raises
    ------
    UsageError
        If a path is missing, or its format unknown.
    GraphRefusedError
        If the files have errors; its ``report`` holds all of them with their lines.
    """
    for name, value in (("graph id", graph_id), ("snapshot id", snapshot_id)):
        if value is not None and (fault := name_fault(value)):
            raise UsageError(f"The {name} is {quoted(value)}; {fault}.")
    if language is not None and not LANGUAGE.fullmatch(language):
        raise UsageError(f"The language is {quoted(language)}; expected a code such as de or en.")
    source = given(paths, max_bytes=max_bytes, language=language, mapping=mapping)
    found = _format_of(source, format)
    log = ImportLog(on_read)
    raw = found.read(source, log)
    if raw.header is not None:
        header = replace(
            raw.header, graph_id=graph_id or raw.header.graph_id, snapshot_id=snapshot_id or raw.header.snapshot_id
        )
        raw = replace(raw, header=header)
    return assemble(raw, log, format=found.key, language=language or "de", break_cycles=break_cycles, on_read=on_read)


def find_format(paths: Paths, key: str | None = None, mapping: Path | str | None = None) -> Format:
    """Return the format with this key, or the one that the mapping file names or the content shows.

    Raises
    ------
    UsageError
        If a path is missing, the key unknown, or not exactly one format recognised.
    """
    return _format_of(given(paths, mapping=mapping), key)


def _format_of(source: Given, key: str | None) -> Format:
    if key is None and source.mapping is not None:
        key = mapping_format(source.mapping)
    listing = "; ".join(f"{f.key} ({f.marks})" for f in FORMATS)
    if key is not None:
        for candidate in FORMATS:
            if candidate.key == key:
                return candidate
        raise UsageError(f"The format {quoted(key)} is not known. Formats are: {listing}.")
    candidates = [f for f in FORMATS if f.detect(source)]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        keys = ", ".join(f.key for f in candidates)
        raise UsageError(f"{source.name} could be one of several formats ({keys}). Name one with --format.")
    for path in source.paths:
        if path.is_file() and (reason := why_no_text(path)):
            raise UsageError(f"{path.name}: {reason}")
    raise UsageError(f"{source.name} holds no graph in a known format. Formats are: {listing}. Name one with --format.")


def import_graph(
    paths: Paths,
    store: GraphWriter,
    *,
    format: str | None = None,
    graph_id: str | None = None,
    snapshot_id: str | None = None,
    language: str | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    mapping: Path | str | None = None,
    break_cycles: bool = False,
    on_read: Callable[[int], None] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[ImportReport, SnapshotDiff | None]:
    """Return the report of an import into the store, and what changed since the snapshot before it.

    The difference is None for the first snapshot of a graph. ``on_progress`` is called with the number of nodes
    written so far. The other arguments and the errors are those of :func:`read_graph` and of the store; a refused
    import leaves the store as it was.
    """
    graph = read_graph(
        paths,
        format=format,
        graph_id=graph_id,
        snapshot_id=snapshot_id,
        language=language,
        max_bytes=max_bytes,
        mapping=mapping,
        break_cycles=break_cycles,
        on_read=on_read,
    )
    return graph.report, store_graph(graph, store, on_progress)


def store_graph(
    graph: Assembled, store: GraphWriter, on_progress: Callable[[int], None] | None = None
) -> SnapshotDiff | None:
    """Write a snapshot and return what changed since the one before it, None for the first of a graph."""
    key = graph.snapshot.key
    earlier = [snapshot.key for snapshot in store.snapshots(key.graph_id)]
    if key in earlier:
        earlier = earlier[: earlier.index(key)]
    store.write_snapshot(graph.snapshot, graph.nodes, on_progress)
    return store.diff(earlier[-1], key) if earlier else None
