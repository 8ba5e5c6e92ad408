"""Nodes, snapshots and other values to store."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from oncosearch.model import (
    Code,
    Filters,
    Found,
    Link,
    LocalText,
    Node,
    NodeFlags,
    Parameters,
    Pool,
    PoolEntry,
    PublishedQrels,
    Qrels,
    ReviewEvent,
    Run,
    SearchRecord,
    Snapshot,
    SnapshotKey,
    Source,
    Synonym,
    content_hash,
    node_hash,
)

NASTY = '</script><img src=x onerror=alert(1)> {{ $where =HYPERLINK("a") Müller ß 🧬 e\u0301 \' ; DROP TABLE members'


def plain_node(node_id: str, title: str = "Titel", parents: tuple[str, ...] = ()) -> Node:
    return Node(id=node_id, type="disease", title=LocalText.of({"de": title}), parents=parents)


def many_nodes(count: int, mark: str = "") -> list[Node]:
    return [plain_node(f"n{i:05d}", f"Titel {i}{mark}", (f"n{i // 2:05d}",) if i else ()) for i in range(count)]


def nasty_nodes() -> list[Node]:
    full = Node(
        id="$where",
        type="$gt.x",
        title=LocalText.of({"de": NASTY, "en": "", "$lang.x": NASTY, "zh": "肿瘤"}),
        synonyms=(Synonym(NASTY, "$a.b", "narrow"), Synonym("", "de", "exact")),
        fields=(
            ("Diagnosis", LocalText.of({"de": NASTY})),
            ("Therapy", LocalText()),
            ("$set", LocalText.of({"$in": NASTY})),
            ("a.b", LocalText.of({"de": "Punkt im Namen"})),
        ),
        codes=(Code("ICD-10-GM", "C50.9"), Code("$ne", "")),
        sources=(
            Source("pubmed", "123", "Titel", 2024, None, "1a"),
            Source("web", "x", url="https://example.org/?a=1&b=$c"),
        ),
        parents=("01", "1", "https://example.org/onto#C50.9"),
        links=(Link("😀", "treats"), Link("01", "$or")),
    )
    ids = (
        "01",
        "1",
        "001",
        "https://example.org/onto#C50.9",
        "Müller",
        "Mu\u0308ller",
        "😀",
        "\uffff",
        "{}",
        " ",
        "a\nb",
    )
    return [full, *(plain_node(node_id, NASTY) for node_id in ids)]


def snapshot_of(
    nodes: Sequence[Node], snapshot_id: str = "2026.Q1", graph_id: str = "demo", created: str = "2026-01-01T00:00:00Z"
) -> Snapshot:
    return Snapshot(
        graph_id=graph_id,
        snapshot_id=snapshot_id,
        created=created,
        content_hash=content_hash({node.id: node_hash(node) for node in nodes}),
        node_count=len(nodes),
        title="Demo $where",
        languages=("de", "en"),
        licence="CC BY 4.0",
        attribution=("first line", "</script>"),
        parent_count=sum(len(node.parents) for node in nodes),
        link_count=sum(len(node.links) for node in nodes),
        source_count=3,
        demo=True,
    )


def event(event_id: str | None = None, **changes: Any) -> ReviewEvent:
    """Return an event with an id of its own, of a rater who grades a node."""
    values = {
        "session": "s1",
        "rater": "anna",
        "time": "2026-01-02T10:00:00Z",
        "action": "grade",
        "graph_id": "demo",
        "snapshot_id": "2026.Q1",
        "topic": "01",
        "node": "$where",
        "pool": "abc",
        "value": "3",
        "reason": NASTY,
    }
    return ReviewEvent(id=event_id or uuid.uuid4().hex, **values | changes)


def search(record_id: str, user: str = "local", query: str = NASTY) -> SearchRecord:
    return SearchRecord(
        id=record_id,
        time="2026-01-02T10:00:00Z",
        user=user,
        query=query,
        snapshot=SnapshotKey("demo", "2026.Q1"),
        content_hash="abc",
        model=None,
        model_revision=None,
        format_id="1",
        pipeline="grag",
        parameters=Parameters(alpha=1, lam=0.1 + 0.2, hops=0, seeds=7, cap=9),
        filters=Filters(types=("drug", "$x.y"), languages=("de",)),
        top=10,
        hits=(("01", 0.1 + 0.2), ("1", -1e-17), ("$where", 1.0)),
    )


def run(tag: str = "grag", created: str = "2026-01-03T00:00:00Z") -> Run:
    return Run(
        tag=tag,
        rankings={"q.2": (("01", 2 / 3), ("1", 0.25)), "$q1": (), "1": (("😀", 1e-300),)},
        graph_id="demo",
        snapshot_id="2026.Q1",
        model="e5-small",
        pipeline="grag",
        parameters={"alpha": 0.6, "$lambda.x": 3},
        created=created,
    )


def pool(topic: str = "$q.1", k: int = 3) -> Pool:
    found = (Found("e5 · grag", 1, 0.1 + 0.2), Found("$lexical.x", 3, -1e-17))
    return Pool(topic, SnapshotKey("demo", "2026.Q1"), k, (PoolEntry("$where", found), PoolEntry("01")))


def qrels(**changes: Any) -> PublishedQrels:
    values = {
        "name": "Qrels $x.y",
        "qrels": Qrels({"$q.1": {"$where": 3, "01": -1, "😀": 0}, "q2": {}}),
        "snapshot": SnapshotKey("demo", "2026.Q1"),
        "policy": "rater:$ne.x",
        "session": "s1",
        "flags": {"$q.1": {"01": NodeFlags(irrelevant=True), "1": NodeFlags("$where", added=True)}},
        "queries": {"$q.1": LocalText.of({"de": NASTY, "$en.x": ""})},
        "created": "2026-01-04T00:00:00Z",
        "author": "anna",
    }
    return PublishedQrels(**values | changes)
