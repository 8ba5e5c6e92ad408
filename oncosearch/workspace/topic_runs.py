"""Columns over a whole topic set: worked off in the background, kept, stopped at any moment without losing a topic."""

from __future__ import annotations

import hashlib
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Lock, Thread

from oncosearch.evaluate import ranked as in_run
from oncosearch.model import OncosearchError, Run, SnapshotKey
from oncosearch.workspace.columns import Column
from oncosearch.workspace.recent import Recent
from oncosearch.workspace.topics import Topic
from oncosearch.workspace.workspace import Workspace

_log = logging.getLogger(__name__)
# How deep a ranking goes: enough for every cutoff that is shown, and for MAP as in the runs of the command line.
DEPTH = 100
_KEPT = 24

Scored = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class TopicSet:
    """Topics by name; ``id`` follows from their content, so that results fit exactly these."""

    name: str
    topics: tuple[Topic, ...]

    @property
    def id(self) -> str:
        """Return the hash of the topics."""
        text = "\n".join(f"{topic.id}\t{topic.query}" for topic in self.topics)
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]

    def with_query(self, query: str) -> Topic | None:
        """Return the topic that asks ``query``, or None; case and spacing do not matter."""
        wanted = " ".join(query.split()).casefold()
        return next((t for t in self.topics if " ".join(t.query.split()).casefold() == wanted), None)


@dataclass(slots=True)
class ColumnRun:
    """What one column has answered so far: rankings by topic id, and why a topic could not be searched for."""

    rankings: dict[str, Scored]
    refused: dict[str, str]

    @property
    def done(self) -> int:
        """Return how many topics are worked off."""
        return len(self.rankings)


class KeptRuns:
    """The runs of columns, kept for all sessions of a process: nothing is searched for twice. Safe between threads."""

    def __init__(self) -> None:
        self._runs: Recent[tuple[SnapshotKey, int, str, str], ColumnRun] = Recent(_KEPT)
        self._lock = Lock()

    def run(self, workspace: Workspace, key: SnapshotKey, column: Column, topics: TopicSet) -> ColumnRun:
        """Return the run of a column, empty where nothing is worked off yet; one a state of decided duplicates."""
        number, _ = workspace.curation.state(key.graph_id)
        name = (key, number, str(column), topics.id)
        with self._lock:
            return self._runs.get(name) or self._runs.keep(name, ColumnRun({}, {}))


class TopicJob:
    """Works off topics for several columns in a thread of its own.

    ``done`` of ``total`` searches are made; ``error`` is why it ended early, None where it did not. Topics that are
    worked off stay in ``runs`` also after :meth:`stop`, and another job goes on from there.
    """

    def __init__(
        self,
        workspace: Workspace,
        key: SnapshotKey,
        columns: Sequence[Column],
        topics: TopicSet,
        kept: KeptRuns,
        *,
        search: Callable[[Workspace, SnapshotKey, Column, str], Scored] | None = None,
    ) -> None:
        self.columns, self.topics = tuple(columns), topics
        self.runs = tuple(kept.run(workspace, key, column, topics) for column in columns)
        self.error: Exception | None = None
        self._workspace, self._key = workspace, key
        self._search = search or ranked
        self._stopping = Event()
        self._began = time.monotonic()
        self._first = self.done
        self._thread = Thread(target=self._work, name="oncosearch-topics", daemon=True)

    @property
    def done(self) -> int:
        """Return how many searches are made."""
        return sum(run.done for run in self.runs)

    @property
    def total(self) -> int:
        """Return how many searches there are."""
        return len(self.topics.topics) * len(self.runs)

    @property
    def running(self) -> bool:
        """Return whether it is at work."""
        return self._thread.is_alive()

    @property
    def finished(self) -> bool:
        """Return whether every search is made."""
        return self.done >= self.total

    @property
    def seconds_left(self) -> float | None:
        """Return the seconds that the rest will take at the speed so far, None while that is not known."""
        made, spent = self.done - self._first, time.monotonic() - self._began
        return (self.total - self.done) * spent / made if made and spent > 0.5 else None

    def start(self) -> TopicJob:
        """Start to work and return the job itself."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop after the search that is at work; returns at once."""
        self._stopping.set()

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, at most ``seconds``."""
        self._thread.join(seconds)

    def _work(self) -> None:
        # Topic by topic over all columns, so that a comparison can be read before the end.
        for topic in self.topics.topics:
            for column, run in zip(self.columns, self.runs, strict=True):
                if self._stopping.is_set():
                    return
                if topic.id in run.rankings:
                    continue
                try:
                    found = self._search(self._workspace, self._key, column, topic.query)
                except OncosearchError as error:
                    if error.code not in _WITHOUT_HITS:
                        self.error = error
                        return
                    run.refused[topic.id] = error.code
                    found = ()
                except Exception as error:
                    # A thread has nobody to raise it to: the page that shows the job says it.
                    _log.exception("Topic %s of %s could not be searched for", topic.id, column)
                    self.error = error
                    return
                run.rankings[topic.id] = found


# A topic that cannot be searched for has no hits; it does not end the others.
_WITHOUT_HITS = {"empty_query", "stop_words_only", "query_too_long"}


def ranked(workspace: Workspace, key: SnapshotKey, column: Column, query: str) -> Scored:
    """Return (node id, score) of the best hits of a column for a question; nothing is put on record."""
    asked = workspace.asked(column.request(" ".join(query.split()), key, DEPTH))
    # Interned, since the same ids come back in most rankings.
    return in_run([(sys.intern(hit.node_id), hit.score) for hit in asked.rank(DEPTH).hits])


def as_run(tag: str, key: SnapshotKey, column: Column, run: ColumnRun, topics: TopicSet) -> Run:
    """Return what a column answered as a run, in the order of the topics; topics not worked off yet are left out."""
    rankings = {t.id: run.rankings[t.id] for t in topics.topics if t.id in run.rankings}
    return Run(tag, rankings, key.graph_id, key.snapshot_id, column.model, column.pipeline, dict(column.used()))
