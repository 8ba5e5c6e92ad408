"""Node and edge tables (CSV, TSV) with a mapping file (``format = "tables"``) that says which column is what."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.mapped import Losses, Record, mapped_nodes
from oncosearch.ingest.mapped_spec import MappedSpec, Table, mapped_spec
from oncosearch.ingest.mapping import Section, load_mapping
from oncosearch.ingest.raw import Place, RawGraph
from oncosearch.ingest.report import ImportLog
from oncosearch.ingest.separated import TableRow, read_separated
from oncosearch.model import UsageError


def read_tables(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of node and edge tables.

    Raises
    ------
    UsageError
        If there is no mapping file, it has a fault, or it names a column that no table has.
    """
    spec = needed_spec(given, "file")
    files = mapped_files(spec, given, log)
    source = _Tables(files, given.max_bytes)
    header = spec.graph.header(lambda: content_id(path for _, path in sorted(files.items())), spec.languages)
    return RawGraph(header, mapped_nodes(spec, source, log), lenient=True)


def needs_mapping(given: Given) -> bool:
    """Return False: such files are told by their mapping file alone."""
    return False


def needed_spec(given: Given, where: str) -> MappedSpec:
    """Return the mapping that a format cannot be read without."""
    if given.mapping is None:
        raise UsageError("This format needs a mapping file; name it with --mapping FILE.toml (docs/formats.md).")
    return mapped_spec(Section(load_mapping(given.mapping), given.mapping.name), where, given.language)


def mapped_files(spec: MappedSpec, given: Given, log: ImportLog) -> dict[str, Path]:
    """Return the file of every table of the mapping, by the pattern that names it; a missing one is an error."""
    files = given.files()
    found: dict[str, Path] = {}
    tables = [part.table.name for part in spec.nodes]
    tables += [part.table.name for part in (*spec.parents, *spec.links)]
    for name in dict.fromkeys(tables):
        fitting = [path for path in files if fnmatch.fnmatchcase(path.name, name) and path != given.mapping]
        if len(fitting) == 1:
            found[name] = fitting[0]
        elif fitting:
            names = ", ".join(path.name for path in fitting)
            log.error("several_files", given.name, f"{names} fit the name {name!r} of the mapping file; expected one.")
        else:
            log.error("missing_file", given.name, f"there is no file {name}, which the mapping file names.")
    return found


@dataclass(frozen=True, slots=True)
class _TableRecord:
    row: TableRow

    def texts(self, path: str, lost: Losses) -> Sequence[str]:
        try:
            cell = self.row.cells[path]
        except KeyError:
            columns = ", ".join(self.row.cells)
            raise UsageError(
                f"The mapping file names the column {path!r}, which {self.row.place.file} has not; it has {columns}."
            ) from None
        return (cell,) if cell else ()

    def ids(self, path: str, lost: Losses) -> Sequence[str]:
        return self.texts(path, lost)

    def each(self, path: str, lost: Losses) -> Sequence[Record]:
        raise UsageError("The mapping file says each, which is for documents; a row of a table has no list in it.")


@dataclass(frozen=True, slots=True)
class _Tables:
    files: dict[str, Path]
    max_bytes: int

    def rows(self, table: Table, log: ImportLog) -> Iterator[tuple[Place, Record]]:
        if table.name not in self.files:
            return
        found = read_separated(
            self.files[table.name], log, self.max_bytes, delimiter=table.delimiter, quoting=table.quoting
        )
        if found is not None:
            for row in found.rows:
                yield row.place, _TableRecord(row)
