"""Evaluation over a workspace: judgements and runs from wherever they are, measured exactly as on the command line."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from oncosearch.evaluate import Evaluation, Measure, Outcome, evaluate, outcome_of, to_dict
from oncosearch.evaluate.exchange import ReadReport, read_run
from oncosearch.model import LocalText, NodeFlags, NotFoundError, PublishedQrels, Qrels, Run, Snapshot, SnapshotKey
from oncosearch.review import Recheck, carry_qrels, published
from oncosearch.workspace.columns import Column
from oncosearch.workspace.demo import demo_folder
from oncosearch.workspace.evaluation_files import JUDGEMENTS, kept, read_judgements
from oncosearch.workspace.materials import DEMO, demo_topics, judgements, judgements_at_hand
from oncosearch.workspace.topic_runs import TopicSet
from oncosearch.workspace.topic_values import CURVE
from oncosearch.workspace.topics import Topic
from oncosearch.workspace.workspace import Workspace

SHIPPED, STORED = "shipped-", "stored-"
PUBLISHED = "published-"
JUDGED_AT = Measure("judged", 10)
_NO_SNAPSHOT = SnapshotKey("", "")


@dataclass(frozen=True, slots=True)
class Judged:
    """Judgements with everything known of them.

    ``id`` is as it stands in an address; ``origin`` is ``demo``, ``published`` or ``file``. ``content.snapshot`` is
    empty where a file does not say of which snapshot it is. ``report`` says what was not taken of a file.
    """

    id: str
    origin: str
    content: PublishedQrels
    report: ReadReport | None = None

    @property
    def name(self) -> str:
        """Return what people call them."""
        return self.content.name

    @property
    def qrels(self) -> Qrels:
        """Return the grades."""
        return self.content.qrels

    @property
    def snapshot(self) -> SnapshotKey | None:
        """Return the snapshot that was judged, None where that is not known."""
        return None if self.content.snapshot == _NO_SNAPSHOT else self.content.snapshot

    @property
    def count(self) -> int:
        """Return how many judgements there are."""
        return sum(map(len, self.qrels.grades.values()))


def judged_at_hand(workspace: Workspace, snapshot: Snapshot) -> list[tuple[str, str, str]]:
    """Return (id, name, origin) of the judgements that can be chosen, the demo's first, then the newest."""
    return judgements_at_hand(workspace, snapshot)


def judged(workspace: Workspace, snapshot: Snapshot, name: str) -> Judged:
    """Return the judgements that an address names.

    Raises
    ------
    NotFoundError
        If there are none of that name any more.
    """
    if name.startswith(PUBLISHED):
        return Judged(name, "published", published(workspace.store, name.removeprefix(PUBLISHED)))
    if name == DEMO:
        found, topics = judgements(workspace, snapshot, DEMO), demo_topics(snapshot)
        queries = {t.id: t.query for t in topics.topics} if topics is not None else {}
        content = _content(DEMO, found.qrels, _demo_key(snapshot), "project", found.duplicates, queries)
        return Judged(DEMO, DEMO, content)
    paths = kept(workspace.settings.home, JUDGEMENTS, name)
    read, report = read_judgements(paths)
    content = _content(report.path, read.qrels, _NO_SNAPSHOT, "file", read.duplicates, read.queries)
    return Judged(name, "file", content, report)


def _content(
    name: str,
    qrels: Qrels,
    key: SnapshotKey,
    policy: str,
    duplicates: Mapping[str, frozenset[str]],
    queries: Mapping[str, str],
) -> PublishedQrels:
    # Files do not say of which node a node is a duplicate; evaluation only asks whether it is one.
    flags = {topic: {node: NodeFlags(duplicate_of=node) for node in nodes} for topic, nodes in duplicates.items()}
    texts = {topic: LocalText.of({"de": query}) for topic, query in queries.items() if query and topic in qrels.grades}
    return PublishedQrels(name, qrels, key, policy, flags=flags, queries=texts)


def _demo_key(snapshot: Snapshot) -> SnapshotKey:
    key = _demo_snapshot()
    # A store that held an earlier demo has this one under a longer id, see ``import_demo``.
    renamed = snapshot.snapshot_id == f"{key.snapshot_id}-{snapshot.content_hash[:8]}"
    return snapshot.key if renamed else key


@cache
def _demo_snapshot() -> SnapshotKey:
    header = json.loads((demo_folder() / "graph.json").read_text("utf-8"))
    return SnapshotKey(header["graph_id"], header["snapshot_id"])


@dataclass(frozen=True, slots=True)
class Carried:
    """How judgements stand to the snapshot that is searched.

    ``state``: ``same``; ``unknown`` where they do not say what was judged; ``other_graph``; ``gone`` where the judged
    snapshot is not in the store any more, so that nobody can say what changed; ``changed`` where it is. Only then there
    are ``judged``, those that hold for the new snapshot, and ``recheck``, what has to be judged again.
    """

    state: str
    judged: Judged | None = None
    recheck: tuple[Recheck, ...] = ()


def carried(workspace: Workspace, found: Judged, snapshot: Snapshot) -> Carried:
    """Return how judgements stand to ``snapshot``, and what of them carries over to it."""
    key = found.snapshot
    if key is None or key == snapshot.key:
        return Carried("unknown" if key is None else "same")
    if key.graph_id != snapshot.graph_id:
        return Carried("other_graph")
    try:
        old = workspace.store.hashes(key)
    except NotFoundError:
        return Carried("gone")
    content, recheck = carry_qrels(found.content, snapshot.key, old, workspace.store.hashes(snapshot.key))
    return Carried("changed", replace(found, content=content), recheck)


def topics_of(found: Judged, language: str, given: TopicSet | None = None) -> tuple[TopicSet, tuple[str, ...]]:
    """Return the questions of the judged topics, and the topics without one; ``given`` questions go first."""
    known = {topic: query.best(language) for topic, query in found.content.queries.items()}
    known |= {topic.id: topic.query for topic in given.topics} if given is not None else {}
    judged_topics = sorted(found.qrels.grades)
    topics = tuple(Topic(topic, known[topic]) for topic in judged_topics if known.get(topic))
    return TopicSet(found.id, topics), tuple(topic for topic in judged_topics if not known.get(topic))


def shipped_runs(snapshot: Snapshot) -> dict[str, Path]:
    """Return the runs that come with the demo graph, by the id that an address names; none for any other graph."""
    if demo_topics(snapshot) is None:
        return {}
    return {f"{SHIPPED}{path.stem}": path for path in sorted((demo_folder() / "runs").glob("*.trec"))}


def stored_runs(workspace: Workspace) -> list[str]:
    """Return the runs of the store by the id that an address names, the newest first."""
    return [f"{STORED}{run_id}" for run_id in reversed(workspace.store.runs())]


def load_run(workspace: Workspace, snapshot: Snapshot, token: str) -> tuple[Run, dict[str, Any]]:
    """Return a run that was made before, and where it comes from.

    Raises
    ------
    NotFoundError
        If there is no such run any more.
    """
    if token.startswith(STORED):
        run_id = token.removeprefix(STORED)
        return workspace.store.run(run_id), {"stored": run_id}
    path = shipped_runs(snapshot).get(token)
    if path is None:
        raise NotFoundError(f"There is no run {token!r} here.", code="run_missing", run=token)
    run, report = read_run(path)
    source = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), **replace(report, path=path.name).to_dict()}
    # The file does not say it, but these were made with the demo graph.
    key = _demo_key(snapshot)
    return replace(run, graph_id=key.graph_id, snapshot_id=key.snapshot_id), source


def column_tag(column: Column) -> str:
    """Return the name of a column's run: pipeline and model, and the parameters where they are not the usual ones."""
    parts = [column.pipeline] + ([column.model] if column.model else [])
    usual = Column.of(column.pipeline, column.model)
    used = [f"{name}={value}" for name, value in column.used() if (name, value) not in usual.used()]
    return "-".join((*parts, *used))


def of_their_own(runs: Sequence[Run]) -> list[Run]:
    """Return the runs with tags of their own: the second of one name is ``name (2)``, and so on."""
    taken: Counter[str] = Counter()
    named: list[Run] = []
    for run in runs:
        taken[run.tag] += 1
        named.append(run if taken[run.tag] == 1 else replace(run, tag=f"{run.tag} ({taken[run.tag]})"))
    return named


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was measured: judgements, runs, the outcome, and ``judged_share``, judged@10 of each run."""

    judged: Judged
    runs: tuple[Run, ...]
    outcome: Outcome
    sources: Mapping[str, Any]
    judged_share: Mapping[str, float]

    @property
    def evaluation(self) -> Evaluation:
        """Return the values."""
        return self.outcome.evaluation

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values, in the form of ``python -m oncosearch evaluate --json``."""
        return to_dict(self.evaluation, self.outcome.comparisons, self.sources)

    def curves(self, runs: Sequence[str], letters: Sequence[str], measures: Sequence[Measure]) -> Evaluation:
        """Return some of the runs, under letters, by nDCG at every cutoff and by ``measures``."""
        by_tag = {run.tag: run for run in self.runs}
        lettered = [replace(by_tag[tag], tag=letter) for tag, letter in zip(runs, letters, strict=True)]
        wanted = (*measures, *CURVE)
        return evaluate(self.judged.qrels, lettered, wanted, duplicates=self.judged.content.duplicates)


def measured(
    found: Judged, runs: Sequence[Run], shown: Sequence[Measure], sources: Sequence[Mapping[str, Any]]
) -> Measured:
    """Return the runs measured by the judgements; ``sources`` say for each run where it comes from.

    Raises
    ------
    UsageError
        Whatever :func:`oncosearch.evaluate.evaluate` refuses.
    """
    named = of_their_own(runs)
    duplicates = found.content.duplicates
    outcome = outcome_of(found.qrels, named, shown, duplicates=duplicates)
    shares = evaluate(found.qrels, named, [JUDGED_AT], duplicates=duplicates)
    said = {
        "qrels": qrels_source(found),
        "runs": [{"run": run.tag, **source} for run, source in zip(named, sources, strict=True)],
    }
    means = {run.tag: float(shares.estimate(run.tag, JUDGED_AT).mean) for run in named}
    return Measured(found, tuple(named), outcome, said, means)


def qrels_source(found: Judged) -> dict[str, Any]:
    """Return what an export says of the judgements."""
    key = found.snapshot
    source: dict[str, Any] = {
        "name": found.name,
        "origin": found.origin,
        "id": found.content.id,
        "policy": found.content.policy,
        "snapshot": None if key is None else str(key),
        "judgements": found.count,
    }
    return source | (found.report.to_dict() if found.report is not None else {})


def other_snapshots(runs: Sequence[Run], found: Judged) -> Iterator[tuple[str, SnapshotKey]]:
    """Yield runs that were made on another snapshot than the one that was judged, where both are known."""
    for run in runs:
        key = SnapshotKey(run.graph_id, run.snapshot_id)
        if run.snapshot_id and found.snapshot is not None and key != found.snapshot:
            yield run.tag, key
