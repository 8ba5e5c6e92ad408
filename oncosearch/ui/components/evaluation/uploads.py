"""Files that are brought: which of them belong together, and what is wrong with one that could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from oncosearch.model import OncosearchError, UsageError
from oncosearch.workspace.evaluation_files import FLAGS

# What a reader answers for a file that has not the form it expects.
_FORMLESS = frozenset({"file_unread", "qrels_empty", "run_empty", "ratings_empty", "topics_file", "usage", "error"})
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Brought(Protocol):
    """A file as a field of the page gives it."""

    name: str

    def getvalue(self) -> bytes:
        """Return its content."""


File = TypeVar("File", bound=Brought)


def explained(error: OncosearchError, kind: str, file: Brought) -> OncosearchError:
    """Return what is wrong with a file in words of the page: empty, no UTF-8 text, or not of the expected form.

    ``kind`` is what was expected: ``qrels``, ``runs``, ``topics``, ``ratings``, or ``trec`` for TREC judgements only.
    """
    if error.code not in _FORMLESS:
        return error
    content = file.getvalue()
    archive = kind == "qrels" and file.name.casefold().endswith(".zip")
    if not content.strip():
        code = "upload_empty"
    elif not archive and not _is_utf_8(content):
        code = "upload_utf16" if content.startswith(_WIDE_MARKS) else "upload_encoding"
    else:
        code = f"upload_form_{kind}"
    return UsageError(str(error), code=code, name=file.name)


def belonging(files: Sequence[File]) -> list[list[File]]:
    """Return files in groups that are read as one: judgements with their flags file, and all records together."""
    records = [file for file in files if file.name.casefold().endswith(".json")]
    flags = {file.name: file for file in files if file.name.endswith(FLAGS)}
    mains = [file for file in files if file not in records and file.name not in flags]
    groups = []
    for main in mains:
        stem = main.name.rpartition(".")[0] or main.name
        own = flags.pop(main.name + FLAGS, None) or flags.pop(stem + FLAGS, None)
        if own is None and len(mains) == 1 and len(flags) == 1:
            own = flags.popitem()[1]
        groups.append([main, own] if own is not None else [main])
    groups += [[file] for file in flags.values()]
    if records:
        groups.append(records)
    return sorted(groups, key=lambda group: max(files.index(file) for file in group))


def _is_utf_8(content: bytes) -> bool:
    if b"\0" in content:
        return False
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return True
