"""Topics: queries with ids, read from a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from oncosearch.model import UsageError


@dataclass(frozen=True, slots=True)
class Topic:
    """A query with an id."""

    id: str
    query: str


def read_topics(path: Path) -> list[Topic]:
    """Return the topics of a file: TSV ``id<TAB>query`` or JSON lines with ``_id`` and ``text``.

    Raises
    ------
    UsageError
        If the file cannot be read, a line is neither, an id comes twice, or there is no topic; the line is named.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no UTF-8 text ({error.reason} at byte {error.start}).") from error
    return topics_of(text, str(path))


def topics_of(text: str, name: str) -> list[Topic]:
    """Return the topics of a text, as :func:`read_topics`; ``name`` is what errors call it."""
    topics = list(_rows(name, text.removeprefix("\ufeff")))
    seen: set[str] = set()
    for line, topic in topics:
        if topic.id in seen:
            raise UsageError(f"{name}:{line}: topic {topic.id!r} comes twice; every topic needs an id of its own.")
        seen.add(topic.id)
    if not topics:
        raise UsageError(f"{name} holds no topic; expected lines of id<TAB>query, or JSON with _id and text.")
    return [topic for _, topic in topics]


def _rows(path: str, text: str) -> Iterator[tuple[int, Topic]]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        if line.lstrip().startswith("{"):
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{where}: not a JSON object ({error}).") from error
            topic_id, query = row.get("_id"), row.get("text")
        else:
            topic_id, _, query = line.partition("\t")
        if not isinstance(topic_id, str) or not isinstance(query, str) or not topic_id.strip() or not query.strip():
            raise UsageError(f"{where}: expected id<TAB>query, or JSON with _id and text; found {line[:80]!r}.")
        yield number, Topic(topic_id.strip(), query.strip())
