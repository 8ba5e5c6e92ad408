"""Nodes, snapshots and other values to store."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.model import (
    Code,
    Filters,
    Judgement,
    Link,
    LocalText,
    Node,
    Parameters,
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


def judgement(**changes: str) -> Judgement:
    values = {
        "rater": "anna",
        "topic_id": "01",
        "query": NASTY,
        "node_id": "$where",
        "grade": "3",
        "graph_id": "demo",
        "snapshot_id": "2026.Q1",
        "time": "2026-01-02T10:00:00Z",
        "reason": NASTY,
    }
    return Judgement(**values | changes, flags=("isDuplicate", "$x.y"))


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
