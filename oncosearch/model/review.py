"""Values of an annotation session: events, pools, and qrels as they are published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oncosearch.model.codec import canonical_json, text_hash
from oncosearch.model.judgement import Qrels
from oncosearch.model.node import LocalText
from oncosearch.model.snapshot import SnapshotKey

CREATED = "create"


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """One thing that somebody did in an annotation session. Events are only ever added.

    ``id`` is made by who writes it, before it is written: the same event again changes nothing. ``rater`` is who
    acted, ``time`` UTC in ISO 8601. ``topic`` is empty for events of the session itself. ``pool`` is the content hash
    of the pool that was shown. ``value`` is plain JSON, its form depends on ``action``.
    """

    id: str
    session: str
    rater: str
    time: str
    action: str
    graph_id: str
    snapshot_id: str
    topic: str = ""
    node: str = ""
    pool: str = ""
    value: Any = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """Where a run had a node: rank from 1, and the score that it gave."""

    run: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """A node of a pool with the runs that brought it in, by name; none where it was carried over."""

    node: str
    found: tuple[Found, ...] = ()


@dataclass(frozen=True, slots=True)
class Pool:
    """What raters judge for a topic: the nodes that a run has among its first ``k``, by node id."""

    topic: str
    snapshot: SnapshotKey
    k: int
    entries: tuple[PoolEntry, ...]

    @property
    def id(self) -> str:
        """Return the content hash of the pool."""
        return text_hash(canonical_json(self.to_dict()))

    @property
    def nodes(self) -> tuple[str, ...]:
        """Return the node ids, sorted."""
        return tuple(entry.node for entry in self.entries)

    def to_dict(self) -> dict[str, Any]:
        """Return the pool as JSON values."""
        return {
            "topic": self.topic,
            "graph_id": self.snapshot.graph_id,
            "snapshot_id": self.snapshot.snapshot_id,
            "k": self.k,
            "entries": [
                {
                    "node": entry.node,
                    "found": [{"run": f.run, "rank": f.rank, "score": float(f.score)} for f in entry.found],
                }
                for entry in self.entries
            ],
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Pool:
        """Return the pool of values in the form of :meth:`to_dict`; other keys are ignored."""
        return cls(
            raw["topic"],
            SnapshotKey(raw["graph_id"], raw["snapshot_id"]),
            raw["k"],
            tuple(
                PoolEntry(e["node"], tuple(Found(f["run"], f["rank"], f["score"]) for f in e["found"]))
                for e in raw["entries"]
            ),
        )


@dataclass(frozen=True, slots=True)
class NodeFlags:
    """What was said of a node besides its grade; ``duplicate_of`` is empty where it is no duplicate."""

    duplicate_of: str = ""
    irrelevant: bool = False
    added: bool = False


@dataclass(frozen=True, slots=True)
class PublishedHead:
    """What is known of published qrels without reading them."""

    id: str
    name: str
    snapshot: SnapshotKey
    policy: str
    session: str
    created: str
    author: str
    topics: int
    judgements: int


@dataclass(frozen=True, slots=True)
class PublishedQrels:
    """Qrels with everything they were made from. Once published they never change.

    ``policy`` says how several raters became one grade. ``flags`` has the nodes of a topic that carry one.
    Name, author and time are not part of the content: the same grades again have the same id.
    """

    name: str
    qrels: Qrels
    snapshot: SnapshotKey
    policy: str
    session: str = ""
    flags: Mapping[str, Mapping[str, NodeFlags]] = field(default_factory=dict)
    queries: Mapping[str, LocalText] = field(default_factory=dict)
    created: str = ""
    author: str = ""

    @property
    def id(self) -> str:
        """Return the hash of the content: grades, flags, queries, snapshot, policy and session."""
        content = {
            "topics": self.topics_to_list(),
            "graph_id": self.snapshot.graph_id,
            "snapshot_id": self.snapshot.snapshot_id,
            "policy": self.policy,
            "session": self.session,
        }
        return text_hash(canonical_json(content))

    @property
    def duplicates(self) -> dict[str, frozenset[str]]:
        """Return {topic: nodes marked as a duplicate of another}, for topics that have some."""
        found = {
            topic: frozenset(node for node, flag in flags.items() if flag.duplicate_of)
            for topic, flags in self.flags.items()
        }
        return {topic: nodes for topic, nodes in found.items() if nodes}

    @property
    def head(self) -> PublishedHead:
        """Return what lists show."""
        return PublishedHead(
            self.id,
            self.name,
            self.snapshot,
            self.policy,
            self.session,
            self.created,
            self.author,
            len(self.qrels.grades),
            sum(len(grades) for grades in self.qrels.grades.values()),
        )

    def topics_to_list(self) -> list[dict[str, Any]]:
        """Return one JSON object for each topic, by topic id; ids stand in values, never in keys."""
        topics = sorted({*self.qrels.grades, *self.flags, *self.queries})
        return [
            {
                "topic": topic,
                "judged": topic in self.qrels.grades,
                "query": [{"language": lang, "text": text} for lang, text in self.queries.get(topic, LocalText())],
                "grades": [
                    {"node": node, "grade": grade} for node, grade in sorted(self.qrels.grades.get(topic, {}).items())
                ],
                "flags": [
                    {
                        "node": node,
                        "duplicate_of": flag.duplicate_of,
                        "irrelevant": flag.irrelevant,
                        "added": flag.added,
                    }
                    for node, flag in sorted(self.flags.get(topic, {}).items())
                ],
            }
            for topic in topics
        ]

    @classmethod
    def of_topics(cls, head: PublishedHead, topics: list[Mapping[str, Any]]) -> PublishedQrels:
        """Return the qrels of a head and of topics in the form of :meth:`topics_to_list`."""
        return cls(
            name=head.name,
            qrels=Qrels(
                {t["topic"]: {g["node"]: g["grade"] for g in t["grades"]} for t in topics if t["judged"]},
            ),
            snapshot=head.snapshot,
            policy=head.policy,
            session=head.session,
            flags={
                t["topic"]: {f["node"]: NodeFlags(f["duplicate_of"], f["irrelevant"], f["added"]) for f in t["flags"]}
                for t in topics
                if t["flags"]
            },
            queries={
                t["topic"]: LocalText.of({part["language"]: part["text"] for part in t["query"]})
                for t in topics
                if t["query"]
            },
            created=head.created,
            author=head.author,
        )
