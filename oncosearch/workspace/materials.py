"""Topic sets and judgements that a comparison may use: the demo's, published ones, and files that were brought."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from oncosearch.evaluate.exchange.report import ReadReport
from oncosearch.evaluate.exchange.trec import read_duplicates, read_qrels
from oncosearch.model import NotFoundError, OncosearchError, Qrels, Snapshot, UsageError
from oncosearch.workspace.demo import demo_folder
from oncosearch.workspace.topic_runs import TopicSet
from oncosearch.workspace.topics import Topic, read_topics, topics_of
from oncosearch.workspace.workspace import Workspace

DEMO = "demo"
TOPICS, QRELS = "topics", "qrels"
MAX_TOPICS = 1000
_FILE, _PUBLISHED = "file-", "published-"
_ID = re.compile(r"file-[0-9a-f]{16}", re.ASCII)
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Judgements:
    """Grades with where they come from: ``id`` as it stands in an address, ``name`` as people call them.

    ``origin`` is ``demo``, ``published`` or ``file``; ``policy`` that of published ones.
    """

    id: str
    name: str
    origin: str
    qrels: Qrels
    duplicates: Mapping[str, frozenset[str]] = field(default_factory=dict)
    policy: str = ""
    queries: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def topic_of(self, query: str) -> str | None:
        """Return the topic whose query, in any language, is ``query``; None where they carry none such."""
        wanted = " ".join(query.split()).casefold()
        for topic, texts in self.queries.items():
            if any(" ".join(text.split()).casefold() == wanted for text in texts):
                return topic
        return None

    @property
    def count(self) -> int:
        """Return how many judgements there are."""
        return sum(map(len, self.qrels.grades.values()))


def demo_topics(snapshot: Snapshot) -> TopicSet | None:
    """Return the topics that come with the demo graph; None for any other graph."""
    path = demo_folder() / "topics.tsv"
    return TopicSet(DEMO, tuple(read_topics(path))) if _is_demo(snapshot) and path.is_file() else None


def _is_demo(snapshot: Snapshot) -> bool:
    # Other graphs may be for demonstration too; topics and judgements come with one of them.
    return snapshot.graph_id == _demo_graph_id()


@cache
def _demo_graph_id() -> str:
    return str(json.loads((demo_folder() / "graph.json").read_text("utf-8"))["graph_id"])


def topic_set(workspace: Workspace, snapshot: Snapshot, name: str, language: str) -> TopicSet:
    """Return the topic set that an address names, in ``language`` where it has several.

    ``demo``, the topics of published judgements, or a file that was brought; NotFoundError otherwise.
    """
    if name == DEMO:
        found = demo_topics(snapshot)
        if found is not None:
            return found
        raise NotFoundError(f"{snapshot.key} has no topics of its own.", code="topics_missing", name=name)
    if name.startswith(_PUBLISHED):
        published = workspace.store.qrels(name.removeprefix(_PUBLISHED))
        asked = tuple(Topic(topic, text.best(language)) for topic, text in published.queries.items())
        return TopicSet(published.name, asked)
    path = _kept(workspace.settings.home, TOPICS, name)
    return TopicSet(path.name, _topics(path))


def judgements_at_hand(workspace: Workspace, snapshot: Snapshot) -> list[tuple[str, str, str]]:
    """Return (id, name, origin) of what can be chosen: the demo's, then published ones, the newest first."""
    found = []
    if _demo_qrels(snapshot) is not None:
        found.append((DEMO, DEMO, DEMO))
    heads = [head for head in workspace.store.qrels_heads() if head.snapshot.graph_id == snapshot.graph_id]
    for head in sorted(heads, key=lambda head: head.created, reverse=True):
        found.append(
            (
                f"{_PUBLISHED}{head.id}",
                " · ".join((head.name, head.policy, head.snapshot.snapshot_id, head.created[:10])),
                "published",
            )
        )
    return found


def judgements(workspace: Workspace, snapshot: Snapshot, name: str) -> Judgements:
    """Return the judgements that an address names; NotFoundError where there are none of that name."""
    if name == DEMO:
        path = _demo_qrels(snapshot)
        if path is None:
            raise NotFoundError(f"{snapshot.key} has no judgements of its own.", code="qrels_missing", name=name)
        return Judgements(DEMO, DEMO, DEMO, read_qrels(path)[0], read_duplicates(path))
    if name.startswith(_PUBLISHED):
        found = workspace.store.qrels(name.removeprefix(_PUBLISHED))
        queries = {topic: tuple(text for _, text in texts) for topic, texts in found.queries.items()}
        return Judgements(name, found.name, "published", found.qrels, found.duplicates, found.policy, queries)
    path = _kept(workspace.settings.home, QRELS, name)
    return Judgements(name, path.name, "file", read_qrels(path)[0])


def _demo_qrels(snapshot: Snapshot) -> Path | None:
    """Return the file with the demo's judgements, None where there is none."""
    if not _is_demo(snapshot):
        return None
    path = demo_folder() / "qrels" / "demo.qrels"
    return path if path.is_file() else None


def keep_topics(home: Path, name: str, content: bytes) -> tuple[str, TopicSet]:
    """Keep a topics file under the home and return its id and its topics; UsageError names a line that is none."""
    path = _keep(home, TOPICS, name, content)
    try:
        return path.parent.name, TopicSet(path.name, _topics(path))
    except OncosearchError:
        _drop(path)
        raise


def keep_qrels(home: Path, name: str, content: bytes) -> tuple[str, ReadReport]:
    """Keep a qrels file of the TREC form and return its id and what was not taken; refused where nothing was."""
    path = _keep(home, QRELS, name, content)
    try:
        qrels, report = read_qrels(path)
        if not qrels.grades:
            first = f" The first: {report.skipped[0]}" if report.skipped else ""
            raise UsageError(f"{name} holds no judgement that could be read.{first}", code="qrels_empty", name=name)
    except OncosearchError:
        _drop(path)
        raise
    return path.parent.name, report


def _topics(path: Path) -> tuple[Topic, ...]:
    topics = _read(path)
    if len(topics) > MAX_TOPICS:
        said = f"{path.name} holds {len(topics):,} topics; at most {MAX_TOPICS:,} are compared at once."
        raise UsageError(said, code="topics_file", said=said)
    return topics


def _read(path: Path) -> tuple[Topic, ...]:
    # Whoever reads an error knows the file by its name, not by where it is kept.
    try:
        return tuple(topics_of(path.read_text(encoding="utf-8-sig"), path.name))
    except UnicodeDecodeError as error:
        said = f"{path.name} is no UTF-8 text ({error.reason} at byte {error.start})."
        raise UsageError(said, code="topics_file", said=said) from error
    except UsageError as error:
        raise UsageError(str(error), code="topics_file", said=str(error)) from error


def _keep(home: Path, kind: str, name: str, content: bytes) -> Path:
    folder = home / "brought" / kind / f"{_FILE}{hashlib.sha256(content).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (_UNSAFE.sub("_", Path(name).name).strip("._")[:60] or kind)
    path.write_bytes(content)
    return path


def _drop(path: Path) -> None:
    path.unlink()
    if not any(path.parent.iterdir()):
        path.parent.rmdir()


def _kept(home: Path, kind: str, name: str) -> Path:
    folder = home / "brought" / kind / name
    files = sorted(p for p in folder.iterdir() if p.is_file()) if _ID.fullmatch(name) and folder.is_dir() else []
    if not files:
        raise NotFoundError(f"There is no {kind} file {name!r} here any more; bring it again.", code=f"{kind}_missing")
    return files[0]
