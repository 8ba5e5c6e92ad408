"""What an import was given: files, folders or the address of a database, and the options for reading them."""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oncosearch.ingest.lines import MAX_FILE_BYTES
from oncosearch.model import UsageError

Paths = Path | str | Sequence[Path | str]

_ADDRESSES = ("mongodb://", "mongodb+srv://")
_FROM_ENVIRONMENT = "env:"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Given:
    """What a reader is to read.

    ``paths`` are files and folders, ``addresses`` those of databases; ``language`` is None where the user named none,
    ``mapping`` is the mapping file of the formats that take one.
    """

    paths: tuple[Path, ...] = ()
    addresses: tuple[str, ...] = ()
    max_bytes: int = MAX_FILE_BYTES
    language: str | None = None
    mapping: Path | None = None

    def files(self, *patterns: str) -> list[Path]:
        """Return the files given and those in the folders given whose names fit a pattern, sorted in each folder.

        Raises
        ------
        UsageError
            If two of them have the same name: places in the report could not be told apart.
        """
        found: list[Path] = []
        for path in self.paths:
            inside = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
            found += [p for p in inside if any(fnmatch.fnmatchcase(p.name, pattern) for pattern in patterns or ("*",))]
        unique = list(dict.fromkeys(path.absolute() for path in found))
        names = [path.name for path in unique]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f"Two files are named {name}; rename one, or import them one after the other.")
        return unique

    @property
    def name(self) -> str:
        """The first path, as it is named in messages."""
        return self.paths[0].name if self.paths else "the database"


def given(
    paths: Paths, *, max_bytes: int = MAX_FILE_BYTES, language: str | None = None, mapping: Path | str | None = None
) -> Given:
    """Return what was given; an entry ``env:NAME`` stands for the address in the environment variable ``NAME``.

    Raises
    ------
    UsageError
        If a path or the mapping file does not exist or is a pipe, or nothing was given.
    """
    entries = [paths] if isinstance(paths, Path | str) else list(paths)
    files: list[Path] = []
    addresses: list[str] = []
    for entry in entries:
        text = str(entry)
        if text.startswith(_FROM_ENVIRONMENT):
            variable = text.removeprefix(_FROM_ENVIRONMENT)
            text = os.environ.get(variable, "")
            if not text.startswith(_ADDRESSES):
                raise UsageError(f"The environment variable {variable} holds no address that begins with mongodb://.")
        if text.startswith(_ADDRESSES):
            addresses.append(text)
            continue
        path = Path(entry)
        if not path.exists():
            raise UsageError(f"{path} does not exist; expected a file or folder.")
        # Opening a pipe waits for a writer, and what is read to tell the format is gone afterwards.
        if not path.is_file() and not path.is_dir():
            raise UsageError(f"{path} is neither a file nor a folder; a pipe cannot be read: save it as a file.")
        files.append(path)
    if mapping is not None and not Path(mapping).is_file():
        found = "is no file; a pipe cannot be read: save it as a file" if Path(mapping).exists() else "does not exist"
        raise UsageError(f"The mapping file {mapping} {found}.")
    if not files and not addresses:
        raise UsageError("Nothing was given to import; expected a file, a folder or an address.")
    return Given(tuple(files), tuple(addresses), max_bytes, language, None if mapping is None else Path(mapping))


def content_id(files: Iterable[Path]) -> str:
    """Return a snapshot id that follows from names and bytes of the files: other content, another id."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode("utf-8", "surrogatepass") + b"\0")
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        digest.update(b"\0")
    return f"content-{digest.hexdigest()[:12]}"
