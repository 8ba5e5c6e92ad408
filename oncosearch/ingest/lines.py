"""Text files from outside, as numbered lines or whole, with their encoding and size checked.

What a file is, is told from its bytes and never from its name; nothing is ever unpickled.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_LINE_BYTES = 5_000_000
MAX_FILE_BYTES = 2_000_000_000
# A file that must be read whole (JSON, XML) takes several times its size in memory.
MAX_WHOLE_BYTES = 500_000_000
# Of JSON it is the values that take memory, up to 100 times their bytes in the file. A large graph has an object or
# list every 50 bytes, a value every 15; a file of many more is not made to be read.
MAX_CONTAINERS = MAX_WHOLE_BYTES // 50
MAX_VALUES = MAX_WHOLE_BYTES // 15

_UTF8_BOM = b"\xef\xbb\xbf"
_SAVE = "; expected UTF-8: save it as UTF-8."
_NO_TEXT = (
    (b"\xff\xfe\0\0", f"the file is UTF-32{_SAVE}"),
    (b"\0\0\xfe\xff", f"the file is UTF-32{_SAVE}"),
    (b"\xff\xfe", f"the file is UTF-16 (little endian){_SAVE}"),
    (b"\xfe\xff", f"the file is UTF-16 (big endian){_SAVE}"),
    (b"PK\x03\x04", "the file is a ZIP archive (or an Excel file); unpack it, or save the table as CSV."),
    (b"PK\x05\x06", "the file is an empty ZIP archive; expected text."),
    (b"BZh", "the file is packed with bzip2; unpack it."),
    (b"\xfd7zXZ\0", "the file is packed with xz; unpack it."),
    (b"7z\xbc\xaf", "the file is a 7z archive; unpack it."),
)
_PIECE = 1 << 20
_BEGINNING = 1 << 16
_PICKLES = frozenset(bytes([version]) for version in range(2, 7))


def read_lines(
    path: Path, log: ImportLog, max_bytes: int = MAX_FILE_BYTES, *, blank: bool = False
) -> Iterator[tuple[Place, str]]:
    """Yield the lines of a UTF-8 file with their places, without line ends.

    Blank lines are counted and left out, or yielded with ``blank``.

    A byte order mark is accepted, ``.gz`` is unpacked on the way. A line that is too long or no UTF-8 is recorded as
    an error and left out; UTF-16 or a file over ``max_bytes`` (unpacked) ends the reading with an error.
    """
    name = path.name
    if not small_enough(path, log, max_bytes):
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
                if number == 1 and (other := no_text(line)):
                    log.error("bad_encoding", Place(name, 1), other)
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
                if not blank and (not text or text.isspace()):
                    log.blank_lines += 1
                    continue
                yield place, text
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        log.error("bad_encoding", Place(name, number + 1), f"the file cannot be unpacked ({error}): copy it again.")


def read_text(path: Path, log: ImportLog, max_bytes: int = MAX_WHOLE_BYTES) -> str | None:
    """Return the text of a JSON file in UTF-8 without its byte order mark, or None where an error was recorded.

    ``.gz`` is unpacked on the way; at most ``MAX_WHOLE_BYTES`` and ``max_bytes`` (unpacked) are read. A file with over
    ``MAX_CONTAINERS`` opening brackets or ``MAX_VALUES`` commas is refused as soon as they are met.
    """
    max_bytes = min(max_bytes, MAX_WHOLE_BYTES)
    place = Place(path.name, 1)
    if not small_enough(path, log, max_bytes):
        return None
    try:
        with _open(path) as stream:
            data = bytearray()
            containers = values = 0
            while len(data) <= max_bytes and (piece := stream.read(_PIECE)):
                data += piece
                containers += piece.count(b"{") + piece.count(b"[")
                values += piece.count(b",")
                if containers > MAX_CONTAINERS or values > MAX_VALUES:
                    many = f"{containers:,} objects and lists, {values:,} values in its first {len(data):,} bytes"
                    most = f"at most {MAX_CONTAINERS:,} and {MAX_VALUES:,} are read: split the graph."
                    log.error("too_many_values", place, f"the file has {many}; {most}")
                    return None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        log.error("bad_encoding", place, f"the file cannot be unpacked ({error}): copy it again.")
        return None
    if len(data) > max_bytes:
        log.error("file_too_large", place, _too_large("is longer", max_bytes))
        return None
    if other := no_text(bytes(data[:1000])):
        log.error("bad_encoding", place, other)
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        log.error(
            "bad_encoding",
            Place(path.name, line),
            f"byte {error.start + 1} of the file (0x{data[error.start]:02x}) is no UTF-8: save the file as UTF-8.",
        )
        return None


def read_pieces(path: Path, log: ImportLog, max_bytes: int = MAX_FILE_BYTES, size: int = 1 << 20) -> Iterator[str]:
    """Yield a UTF-8 file in pieces of text, for readers that take one after the other (XML).

    What :func:`read_text` refuses ends the reading with an error.
    """
    name = path.name
    if not small_enough(path, log, max_bytes):
        return
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    total, line = 0, 1
    try:
        with _open(path) as stream:
            while data := stream.read(size):
                if total == 0 and (other := no_text(data)):
                    log.error("bad_encoding", Place(name, 1), other)
                    return
                total += len(data)
                if total > max_bytes:
                    log.error("file_too_large", Place(name, line), _too_large("is longer", max_bytes))
                    return
                yield decoder.decode(data)
                line += data.count(b"\n")
            yield decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        line += error.object.count(b"\n", 0, error.start)
        log.error(
            "bad_encoding", Place(name, line), f"there is no UTF-8 here ({error.reason}): save the file as UTF-8."
        )
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        log.error("bad_encoding", Place(name, line), f"the file cannot be unpacked ({error}): copy it again.")


def small_enough(path: Path, log: ImportLog, max_bytes: int) -> bool:
    """Return whether the file has at most ``max_bytes``; record an error otherwise."""
    size = path.stat().st_size
    if size > max_bytes:
        log.error("file_too_large", Place(path.name, 1), _too_large(f"is {size:,} bytes long", max_bytes))
    return size <= max_bytes


def head(path: Path, size: int = 65_536) -> str:
    """Return the beginning of a file as text, for finding out what it holds; empty where it is no UTF-8 text."""
    try:
        with _open(path) as stream:
            data = stream.read(size)
    except (OSError, EOFError, zlib.error):
        return ""
    return "" if no_text(data) else data.decode("utf-8-sig", "ignore")


def why_no_text(path: Path) -> str | None:
    """Return why the beginning of a file is no text that is read here, or None; None too where it cannot be opened."""
    try:
        with _open(path) as stream:
            return no_text(stream.read(1000))
    except (OSError, EOFError, zlib.error):
        return None


def no_text(data: bytes) -> str | None:
    """Return why the bytes at the beginning of a file are no text that is read here, or None."""
    for mark, what in _NO_TEXT:
        if data.startswith(mark):
            return what
    if data.startswith(b"\x80") and data[1:2] in _PICKLES:
        return "the file is a Python pickle, which can run code when it is opened; it is refused. Save it as text."
    begin = data[:1000]
    # A stray NUL in a text is no sign of another encoding: files of graph databases have been seen with one.
    if begin.count(0) * 20 > len(begin):
        return "the file is UTF-16 or binary (NUL bytes at its beginning); expected UTF-8: save it as UTF-8."
    return None


def _open(path: Path) -> io.BufferedIOBase:
    """Return the bytes of a file, unpacked; where it ends its lines with CR alone, as old programs do, with LF."""
    with _unpacked(path) as stream:
        begin = stream.read(_BEGINNING)
    if b"\r" in begin[:-1] and b"\n" not in begin:
        return io.BufferedReader(_CarriageReturns(_unpacked(path)), _PIECE)
    return _unpacked(path)


def _unpacked(path: Path) -> io.BufferedIOBase:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if packed or path.suffix == ".gz" else path.open("rb")


class _CarriageReturns(io.RawIOBase):
    """The bytes of a stream with LF for every CR."""

    def __init__(self, stream: io.BufferedIOBase) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._stream.read(len(view)).replace(b"\r", b"\n")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _skip_line(stream: io.BufferedIOBase, budget: int) -> int:
    """Return how many bytes were passed over to the end of the line, or to just over ``budget``."""
    skipped = 0
    while skipped <= budget:
        part = stream.readline(MAX_LINE_BYTES)
        skipped += len(part)
        if not part or part.endswith(b"\n"):
            break
    return skipped


def _too_large(found: str, max_bytes: int) -> str:
    return f"the file {found}; at most {max_bytes:,} bytes are read: split the graph or raise the limit."
