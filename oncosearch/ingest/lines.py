"""Text files from outside as numbered lines, with their encoding and size checked."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path

from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog

MAX_LINE_BYTES = 5_000_000
MAX_FILE_BYTES = 2_000_000_000

_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = {b"\xff\xfe": "UTF-16 (little endian)", b"\xfe\xff": "UTF-16 (big endian)"}


def read_lines(path: Path, log: ImportLog, max_bytes: int = MAX_FILE_BYTES) -> Iterator[tuple[Place, str]]:
    """Yield the lines of a UTF-8 file with their places, without line ends; blank lines are counted and left out.

    A byte order mark is accepted, ``.gz`` is unpacked on the way. A line that is too long or no UTF-8 is recorded as
    an error and left out; UTF-16 or a file over ``max_bytes`` (unpacked) ends the reading with an error.
    """
    name = path.name
    if path.stat().st_size > max_bytes:
        log.error("file_too_large", f"{name}:1", _too_large(f"is {path.stat().st_size:,} bytes long", max_bytes))
        return
    total = 0
    number = 0
    try:
        with _open(path) as stream:
            while line := stream.readline(MAX_LINE_BYTES + 2):
                number += 1
                size = len(line.rstrip(b"\r\n"))
                total += len(line)
                if size > MAX_LINE_BYTES and not line.endswith(b"\n"):
                    rest = _skip_line(stream, max_bytes - total)
                    size += rest
                    total += rest
                if total > max_bytes:
                    log.error("file_too_large", Place(name, number), _too_large("is longer", max_bytes))
                    return
                if number == 1 and (other := _other_encoding(line)):
                    log.error("bad_encoding", Place(name, 1), f"the file is {other}; expected UTF-8: save it as UTF-8.")
                    return
                place = Place(name, number)
                if size > MAX_LINE_BYTES:
                    log.error(
                        "line_too_long",
                        place,
                        f"the line is {size:,} bytes long; at most {MAX_LINE_BYTES:,} are read: shorten the node.",
                    )
                    log.lost_row(name)
                    continue
                if number == 1:
                    line = line.removeprefix(_UTF8_BOM)
                try:
                    text = line.decode("utf-8")
                except UnicodeDecodeError as error:
                    log.error(
                        "bad_encoding",
                        place,
                        f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is no UTF-8 "
                        f"({error.reason}): save the file as UTF-8.",
                    )
                    log.lost_row(name)
                    continue
                text = text.rstrip("\r\n")
                if not text or text.isspace():
                    log.blank_lines += 1
                    continue
                yield place, text
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        log.error("bad_encoding", Place(name, number + 1), f"the file cannot be unpacked ({error}): copy it again.")


def _open(path: Path) -> BufferedIOBase:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _skip_line(stream: BufferedIOBase, budget: int) -> int:
    """Return how many bytes were passed over to the end of the line, or to just over ``budget``."""
    skipped = 0
    while skipped <= budget:
        part = stream.readline(MAX_LINE_BYTES)
        skipped += len(part)
        if not part or part.endswith(b"\n"):
            break
    return skipped


def _other_encoding(line: bytes) -> str | None:
    found = _OTHER_BOMS.get(line[:2])
    if found is not None:
        return found
    return "UTF-16 or binary (NUL bytes in its first line)" if b"\0" in line[:1000] else None


def _too_large(found: str, max_bytes: int) -> str:
    return f"the file {found}; at most {max_bytes:,} bytes are read: split the graph or raise the limit."
