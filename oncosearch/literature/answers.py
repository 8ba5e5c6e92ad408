"""Answers of a source on disk, each with its date. They hold questions, so only their owner may read them."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MAGIC = b"oncosearch answer 1\n"


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer and when it came."""

    asked: str
    body: bytes


class AnswerCache:
    """A folder of answers, found by what was asked; one that cannot be read or is damaged counts as not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, question: Sequence[tuple[str, str]], days: float) -> Kept | None:
        """Return the answer to a question, or None if there is none or it is older than ``days``."""
        path = self._path(question)
        try:
            if time.time() - path.stat().st_mtime > days * 86400:
                return None
            content = path.read_bytes()
        except OSError:
            return None
        if not content.startswith(_MAGIC):
            return None
        head, _, body = content[len(_MAGIC) :].partition(b"\n")
        try:
            facts = json.loads(head)
            if facts["sha256"] == hashlib.sha256(body).hexdigest():
                return Kept(str(facts["asked"]), body)
        except (ValueError, TypeError, KeyError):
            pass
        return None

    def put(self, question: Sequence[tuple[str, str]], asked: str, body: bytes) -> None:
        """Keep an answer; it is whole on disk or not there."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        facts = {"asked": asked, "sha256": hashlib.sha256(body).hexdigest()}
        handle, name = tempfile.mkstemp(dir=self.folder, prefix="new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + json.dumps(facts).encode() + b"\n" + body)
            os.replace(name, self._path(question))
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def forget(self, days: float = 0.0) -> int:
        """Delete the answers older than ``days`` and return their number."""
        old = [p for p in self.folder.glob("*") if time.time() - p.stat().st_mtime >= days * 86400]
        for path in old:
            path.unlink(missing_ok=True)
        return len(old)

    def _path(self, question: Sequence[tuple[str, str]]) -> Path:
        return self.folder / hashlib.sha256(json.dumps(list(question)).encode()).hexdigest()
