"""Topics: queries with ids, read from a file; and runs over them, written in the TREC form."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from oncosearch.model import Run, UsageError


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
    topics = list(_rows(path, text))
    seen: set[str] = set()
    for line, topic in topics:
        if topic.id in seen:
            raise UsageError(f"{path}:{line}: topic {topic.id!r} comes twice; every topic needs an id of its own.")
        seen.add(topic.id)
    if not topics:
        raise UsageError(f"{path} holds no topic; expected lines of id<TAB>query, or JSON with _id and text.")
    return [topic for _, topic in topics]


def _rows(path: Path, text: str) -> Iterator[tuple[int, Topic]]:
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


def trec_id(identifier: str) -> str:
    """Return an id for a TREC file, where columns end at white space: white space and ``%`` percent-encoded."""
    return "".join(quote(c) if c.isspace() or c == "%" or not c.isprintable() else c for c in identifier)


def write_trec_run(run: Run, path: Path) -> int:
    """Write a run as ``topic Q0 node rank score tag`` and return the number of lines.

    Scores are written so that they read back as they were. TREC tools order by score alone, and a node that the
    query names stands first whatever its score; where a score would break the order, it is raised to the one below.
    """
    lines = []
    for topic_id, ranking in run.rankings.items():
        written: list[float] = []
        for _, score in reversed(ranking):
            written.append(max(score, written[-1]) if written else score)
        for rank, ((node_id, _), score) in enumerate(zip(ranking, reversed(written), strict=True), 1):
            lines.append(f"{trec_id(topic_id)} Q0 {trec_id(node_id)} {rank} {score!r} {trec_id(run.tag)}\n")
    path.write_text("".join(lines), encoding="utf-8")
    return len(lines)
