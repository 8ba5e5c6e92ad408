"""Files of articles into the local source: the format is told from the content, and every record is accounted for."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from oncosearch.literature.article import Article, Document
from oncosearch.literature.jsonlines import read_json_lines, read_pubmedqa
from oncosearch.literature.local import Added, LocalSource
from oncosearch.literature.nbib import read_nbib
from oncosearch.literature.pubmed_xml import read_articles
from oncosearch.literature.records import Deletion, Records, Skipped, UnreadableError

MAX_BYTES = 2_000_000_000
_MAX_WHOLE_BYTES = 500_000_000
_MAX_LINE = 5_000_000
_SKIPPED_KEPT = 1000

OnRecord = Callable[[str, int], None]


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file: ``records`` = the numbers of ``added`` + ``skipped``; with ``error`` nothing was kept.

    ``format`` is ``pubmed_xml``, ``nbib``, ``json_lines`` or ``pubmedqa``; ``skipped_records`` are the first thousand.
    """

    file: str
    format: str
    records: int = 0
    added: Added = field(default_factory=Added)
    retracted: int = 0
    skipped: int = 0
    skipped_records: tuple[Skipped, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What became of every file, and how many articles and full texts there are now."""

    files: tuple[FileReport, ...]
    articles: int
    full_texts: int

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """The files of which nothing was kept."""
        return tuple(f for f in self.files if f.error)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return asdict(self)


def import_articles(
    files: Sequence[Path], source: LocalSource, *, max_bytes: int = MAX_BYTES, on_record: OnRecord | None = None
) -> ImportReport:
    """Import files into the source and return the report; of a file that cannot be read to its end nothing is kept.

    Parameters
    ----------
    max_bytes
        The largest file, unpacked.
    on_record
        Called with the name of the file and the number of records so far, now and then.
    """
    reports = [_import(path, source, max_bytes, on_record) for path in files]
    if any(report.added.added + report.added.replaced > 1000 for report in reports):
        source.optimise()
    return ImportReport(tuple(reports), source.count(), source.count_full_texts())


def _import(path: Path, source: LocalSource, max_bytes: int, on_record: OnRecord | None) -> FileReport:
    skipped: list[Skipped] = []
    counted: Counter[str] = Counter()
    kind = ""

    def kept(records: Records) -> Iterator[Article | Document | Deletion]:
        for record in records:
            counted["records"] += 1
            if on_record is not None and counted["records"] % 500 == 0:
                on_record(path.name, counted["records"])
            if isinstance(record, Article) and not record.text:
                record = Skipped(f"record {counted['records']}", record.pmid, "neither title nor abstract")
            if isinstance(record, Skipped):
                counted["skipped"] += 1
                skipped.extend([record] if len(skipped) < _SKIPPED_KEPT else [])
                continue
            counted["retracted"] += isinstance(record, Article) and record.retracted
            yield record

    try:
        with opened(path, max_bytes) as stream:
            kind, records = read_records(stream)
            added = source.add(kept(records))
    except (UnreadableError, OSError) as error:
        problem = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        return FileReport(path.name, kind, error=problem)
    return FileReport(
        path.name, kind, counted["records"], added, counted["retracted"], counted["skipped"], tuple(skipped)
    )


@contextmanager
def opened(path: Path, max_bytes: int = MAX_BYTES) -> Iterator[IO[bytes]]:
    """Lend the bytes of a file, unpacked if it is packed with gzip; more than ``max_bytes`` are an error.

    Raises
    ------
    UnreadableError
        If the packed bytes are damaged or there are too many.
    """
    try:
        with path.open("rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
        with (
            gzip.open(path, "rb") if packed else path.open("rb") as stream,
            io.BufferedReader(_Limited(stream, max_bytes)) as limited,
        ):
            yield limited
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableError(f"The packed file is damaged: {error}.") from error


def read_records(stream: IO[bytes]) -> tuple[str, Records]:
    """Return the format of a file and its records.

    Raises
    ------
    UnreadableError
        If it is none of the formats; the records raise it where they break off.
    """
    assert isinstance(stream, io.BufferedReader)
    head = stream.peek(4096)[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<"):
        return "pubmed_xml", read_articles(stream)
    if head.startswith((b"{", b"[")):
        return _json(stream)
    if head.startswith(b"PMID"):
        return "nbib", read_nbib(_lines(stream))
    raise UnreadableError(
        "The file is none of the formats that are read: PubMed XML (.xml, .xml.gz), .nbib, JSON lines, or the file of "
        "PubMedQA."
    )


def _json(stream: io.BufferedReader) -> tuple[str, Records]:
    lines = _lines(stream)
    first = ""
    for first in lines:
        if first.strip():
            break
    try:
        found = json.loads(first)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and {"pmid", "pmcid"} & set(found):
        return "json_lines", read_json_lines(_after(first, lines))
    parts, size = [first], len(first)
    for line in lines:
        size += len(line)
        if size > _MAX_WHOLE_BYTES:
            raise UnreadableError("The JSON is too large to be read whole; write it as JSON lines, an article a line.")
        parts.append(line)
    try:
        whole = json.loads("".join(parts))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"The JSON is broken: {error}.") from error
    if isinstance(whole, dict) and any(isinstance(v, dict) and "QUESTION" in v for v in whole.values()):
        return "pubmedqa", read_pubmedqa(whole)
    if isinstance(whole, list):
        return "json_lines", read_json_lines(json.dumps(entry) for entry in whole)
    raise UnreadableError("The JSON holds no articles: each needs a pmid, one object a line.")


def _after(first: str, lines: Iterable[str]) -> Iterator[str]:
    yield first
    yield from lines


def _lines(stream: io.BufferedReader) -> Iterator[str]:
    # utf-8-sig: programs on Windows put a mark before the first line.
    text = io.TextIOWrapper(stream, encoding="utf-8-sig")
    number = 0
    try:
        while line := text.readline(_MAX_LINE):
            number += 1
            if len(line) == _MAX_LINE:
                raise UnreadableError(f"Line {number} has more than {_MAX_LINE:,} characters.")
            yield line
    except UnicodeDecodeError as error:
        raise UnreadableError(f"After line {number} the file is not valid UTF-8; save it as UTF-8.") from error


class _Limited(io.RawIOBase):
    def __init__(self, stream: Any, limit: int) -> None:
        self._stream = stream
        self._limit = limit
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found: bytes = self._stream.read(len(buffer))
        self._read += len(found)
        if self._read > self._limit:
            raise UnreadableError(f"The file has more than {self._limit:,} bytes (unpacked), the most that are read.")
        buffer[: len(found)] = found
        return len(found)
