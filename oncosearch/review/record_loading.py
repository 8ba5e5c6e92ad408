"""Loading the record of a curated topic into a session, as one event of its rater."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from oncosearch.model import SnapshotKey
from oncosearch.review.acting import save
from oncosearch.review.events import new_event
from oncosearch.review.folding import reaches
from oncosearch.review.reading import topic_state
from oncosearch.review.record import LATER, RecordNode, Refused, TopicRecord
from oncosearch.review.session import session_view
from oncosearch.review.state import BOOTSTRAPPED, EXPLICIT, UNSURE, TopicState
from oncosearch.store import ReviewStore


def load_record(
    store: ReviewStore, session_id: str, rater: str, record: TopicRecord, *, known: Collection[str]
) -> tuple[TopicState, tuple[Refused, ...]]:
    """Return the rater's state once the record is in it, and every entry that was not taken; undo takes it back whole.

    A grade, a mark as duplicate or a reason of the record replaces the rater's; where it has none, the rater's stays.

    Parameters
    ----------
    known
        The node ids of the session's snapshot: what was added by hand must be among them. A node that was not added
        must be in the pool.

    Raises
    ------
    UsageError
        If the rater may not write now.
    """
    view = session_view(store, session_id)
    now = topic_state(store, session_id, rater, record.topic)
    if record.snapshot not in (view.session.snapshot, SnapshotKey("", "")):
        return now, (
            Refused("snapshot", f"the record is of {record.snapshot}, the session of {view.session.snapshot}"),
        )
    refused: list[Refused] = []
    taken = _taken(now, record, known, refused)
    ids = {node.id for node in taken} | {item.node for item in now.items}
    places = _places(now, taken, refused)
    marks = _marks(now, taken, ids, refused)
    there = {item.node for item in now.items}
    items = []
    for node in taken:
        raw = _judged(node)
        if node.id not in there:
            raw |= {"added": True, "original_index": -1}
        elif node.id in places:
            raw |= {"added": False, "original_index": places[node.id]}
        if node.id in marks:
            raw["duplicate_of"] = marks[node.id]
        if raw:
            items.append({"node": node.id} | raw)
    value = {
        "source": "record",
        "items": items,
        "order": [node for node in record.ordered_nodes if node in ids],
        "reordered": record.reordered,
        "gone": [],
        "exposed": [node.id for node in taken] if record.seen else [],
    }
    state = save(store, new_event(view, rater, record.topic, "load", value=value))
    for node in taken:
        item = state.item(node.id)
        if node.stage == BOOTSTRAPPED and item.grade != str(node.relevance):
            gives = f"{item.grade} by hand stands" if item.stage == EXPLICIT else f"that gives {item.grade or 'none'}"
            why = f"{node.relevance} is said to come from the order, but {gives}"
            refused.append(Refused(f"nodes: {node.id}.relevance", why))
    return state, tuple(refused)


def _taken(now: TopicState, record: TopicRecord, known: Collection[str], refused: list[Refused]) -> list[RecordNode]:
    there = {item.node: item for item in now.items}
    out = []
    for node in record.nodes:
        if (item := there.get(node.id)) is None and not (node.is_manually_added and node.id in known):
            why = "is not in the graph" if node.is_manually_added else "is not in the pool of this session"
            refused.append(Refused(f"nodes: {node.id}", why))
            continue
        if item is not None and item.added != node.is_manually_added:
            why = "was added in this session" if item.added else "is in the pool of this session and keeps its place"
            refused.append(Refused(f"nodes: {node.id}.isManuallyAdded", why))
        out.append(node)
    return out


def _places(now: TopicState, taken: Sequence[RecordNode], refused: list[Refused]) -> dict[str, int]:
    """Return the first places of the record where they are whole: one for each node of the pool, none twice."""
    own = {item.node: item.original_index for item in now.items if not item.added}
    given = {node.id: node.original_index for node in taken if node.id in own and not node.is_manually_added}
    if given.keys() == own.keys() and len(set(given.values())) == len(given):
        return given
    if any(own[node] != place for node, place in given.items()):
        why = "the record does not have every node of the pool, so the first places of this session stay"
        refused.append(Refused("original_index", why))
    return {}


def _marks(
    now: TopicState, taken: Sequence[RecordNode], ids: Collection[str], refused: list[Refused]
) -> dict[str, str]:
    """Return {node: original} of the duplicates, without a mark after which no node that is the same would remain."""
    wanted = [node for node in taken if node.is_duplicate]
    marked = {item.node: item.duplicate_of for item in now.items if item.is_duplicate}
    for node in wanted:
        marked.pop(node.id, None)
    out: dict[str, str] = {}
    for node in wanted:
        original = node.duplicate_of or node.id
        if original not in ids:
            refused.append(Refused(f"nodes: {node.id}.duplicateOf", f"{original} was not taken"))
            original = node.id
        out[node.id] = ""
        if len(marked) + 1 >= len(ids):
            refused.append(Refused(f"nodes: {node.id}.isDuplicate", "every other node is a duplicate; one must remain"))
        elif original != node.id and reaches(marked, original, node.id):
            refused.append(Refused(f"nodes: {node.id}.duplicateOf", f"{original} is marked as a duplicate of it"))
        else:
            marked[node.id] = out[node.id] = original
    return out


def _judged(node: RecordNode) -> dict[str, Any]:
    """Return what the record says of a node; where it says nothing, what the rater said before stays."""
    out: dict[str, Any] = {"reason": node.reason} if node.reason else {}
    by_hand = node.relevance is not None and node.stage == EXPLICIT
    if by_hand or node.status or node.is_irrelevant or node.recheck or node.previous:
        graded = node.hidden or (UNSURE if node.status == UNSURE else "")
        if by_hand and not node.is_irrelevant:
            graded = str(node.relevance)
        out |= {
            "graded": graded,
            "irrelevant": node.is_irrelevant or node.hidden_irrelevant,
            "later": node.status == LATER,
            "recheck": node.recheck,
            "previous": node.previous,
            "unblinded": node.unblinded,
        }
    elif node.unblinded:
        out["unblinded"] = True
    return out
