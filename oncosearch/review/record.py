"""The record of a curated topic as the GRAG paper has it (section 4.7): ``nodes`` and ``ordered_nodes`` as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from oncosearch.model import LocalText, SnapshotKey
from oncosearch.review.session import SessionView
from oncosearch.review.state import UNSURE, ItemState, TopicState

LATER = "later"


@dataclass(frozen=True, slots=True)
class RecordNode:
    """A node of the record. ``status`` is ``unsure``, ``later`` or empty; ``relevance`` is None without a grade.

    ``duplicate_of`` is empty where a duplicate does not say of which node, as in the paper's own record. ``hidden``
    and ``hidden_irrelevant`` are what comes back when ``irrelevant`` or ``later`` is taken off. ``recheck`` is
    ``changed`` where the text has changed since the grade ``previous``. ``unblinded``: given after the grades of
    others could be seen.
    """

    id: str
    original_index: int
    is_duplicate: bool = False
    is_irrelevant: bool = False
    is_manually_added: bool = False
    relevance: int | None = None
    stage: str = ""
    status: str = ""
    duplicate_of: str = ""
    reason: str = ""
    hidden: str = ""
    hidden_irrelevant: bool = False
    recheck: str = ""
    previous: str = ""
    unblinded: bool = False


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """What a rater made of a topic: ``nodes`` by first place, added ones last; ``ordered_nodes`` without duplicates.

    ``reordered`` says whether the order is the rater's or still the first one; ``seen`` whether the rater could see
    the grades of others.
    """

    topic: str
    rater: str
    query: LocalText
    snapshot: SnapshotKey
    session: str
    nodes: tuple[RecordNode, ...]
    ordered_nodes: tuple[str, ...]
    reordered: bool = False
    seen: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """An entry that was not taken: ``where`` it stands in the file, and ``why``."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class RecordReading:
    """What a file holds: the record, None where it is none, and every entry of it that was not taken."""

    record: TopicRecord | None
    refused: tuple[Refused, ...]


def record_of(view: SessionView, state: TopicState) -> TopicRecord:
    """Return the record of a state."""
    nodes = [_node_of(item) for item in state.items]
    return TopicRecord(
        topic=state.topic,
        rater=state.rater,
        query=view.topic(state.topic).query,
        snapshot=view.session.snapshot,
        session=state.session,
        nodes=tuple(sorted(nodes, key=lambda node: (node.is_manually_added, node.original_index, node.id))),
        ordered_nodes=state.ordered_nodes,
        reordered=state.reordered,
        seen=state.seen or bool(state.exposed),
    )


def record_to_dict(record: TopicRecord) -> dict[str, Any]:
    """Return the record as JSON values; the paper's keys are always there, ours only where they say something."""
    return {
        "topic": record.topic,
        "query": dict(record.query),
        "rater": record.rater,
        "graph": record.snapshot.graph_id,
        "snapshot": record.snapshot.snapshot_id,
        "session": record.session,
        "reordered": record.reordered,
        **({"seen": True} if record.seen else {}),
        "nodes": [_node_to_dict(node) for node in record.nodes],
        "ordered_nodes": list(record.ordered_nodes),
    }


def write_record(record: TopicRecord) -> str:
    """Return the record as JSON text."""
    return json.dumps(record_to_dict(record), ensure_ascii=False, indent=1) + "\n"


def _node_to_dict(node: RecordNode) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": node.id,
        "original_index": node.original_index,
        "isDuplicate": node.is_duplicate,
        "isIrrelevant": node.is_irrelevant,
        "isManuallyAdded": node.is_manually_added,
        "relevance": node.relevance,
    }
    ours = {
        "stage": node.stage,
        "status": node.status,
        "duplicateOf": node.duplicate_of,
        "reason": node.reason,
        "hidden": node.hidden,
        "hiddenIrrelevant": node.hidden_irrelevant,
        "recheck": node.recheck,
        "previous": node.previous,
        "unblinded": node.unblinded,
    }
    return out | {key: value for key, value in ours.items() if value}


def _node_of(item: ItemState) -> RecordNode:
    graded = item.beneath.graded
    return RecordNode(
        id=item.node,
        original_index=item.original_index,
        is_duplicate=item.is_duplicate,
        is_irrelevant=item.irrelevant,
        is_manually_added=item.added,
        relevance=int(item.grade) if item.grade and item.grade != UNSURE else None,
        stage=item.stage if item.grade != UNSURE else "",
        status=LATER if item.later else UNSURE if item.grade == UNSURE else "",
        duplicate_of="" if item.duplicate_of == item.node else item.duplicate_of,
        reason=item.reason,
        hidden=graded if item.later or item.irrelevant else "",
        hidden_irrelevant=item.beneath.irrelevant and item.later,
        recheck=item.beneath.recheck,
        previous=item.previous,
        unblinded=item.unblinded,
    )
