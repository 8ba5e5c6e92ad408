"""The record of a curated topic as the GRAG paper has it (section 4.7): ``nodes`` and ``ordered_nodes`` as JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oncosearch.model import LocalText, SnapshotKey
from oncosearch.review.acting import save, start
from oncosearch.review.events import new_event
from oncosearch.review.session import SessionView, session_view
from oncosearch.review.state import BOOTSTRAPPED, EXPLICIT, UNSURE, TopicState
from oncosearch.store import ReviewStore

LATER = "later"


@dataclass(frozen=True, slots=True)
class RecordNode:
    """A node of the record. ``status`` is ``unsure``, ``later`` or empty; ``relevance`` is None without a grade.

    ``duplicate_of`` is empty where a duplicate does not say of which node, as in the paper's own record.
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


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """What a rater made of a topic: ``nodes`` by first place, added ones last; ``ordered_nodes`` without duplicates.

    ``reordered`` says whether the order is the rater's or still the first one.
    """

    topic: str
    rater: str
    query: LocalText
    snapshot: SnapshotKey
    session: str
    nodes: tuple[RecordNode, ...]
    ordered_nodes: tuple[str, ...]
    reordered: bool = False


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
    nodes = [
        RecordNode(
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
        )
        for item in state.items
    ]
    return TopicRecord(
        topic=state.topic,
        rater=state.rater,
        query=view.topic(state.topic).query,
        snapshot=view.session.snapshot,
        session=state.session,
        nodes=tuple(sorted(nodes, key=lambda node: (node.is_manually_added, node.original_index, node.id))),
        ordered_nodes=state.ordered_nodes,
        reordered=state.reordered,
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
        "nodes": [_node_to_dict(node) for node in record.nodes],
        "ordered_nodes": list(record.ordered_nodes),
    }


def write_record(record: TopicRecord) -> str:
    """Return the record as JSON text."""
    return json.dumps(record_to_dict(record), ensure_ascii=False, indent=1) + "\n"


def read_record(text: str) -> RecordReading:
    """Return the record of JSON text in the form of :func:`write_record`, and every entry that was not taken.

    Of a record from elsewhere only ``nodes`` with their ``id`` are needed: a missing ``original_index`` is the place
    in the list, a missing ``ordered_nodes`` the nodes that are no duplicates. An ``ordered_nodes`` of objects with
    an ``id`` is read as their ids. Nothing is guessed where an entry contradicts itself: it is refused and named.
    """
    try:
        raw = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        return RecordReading(None, (Refused("", f"no JSON: {error}"),))
    if not isinstance(raw, dict) or not isinstance(raw.get("nodes"), list):
        return RecordReading(None, (Refused("", "expected an object with a list of nodes"),))
    return _Reader().read(raw)


def load_record(
    store: ReviewStore, session_id: str, rater: str, record: TopicRecord, *, known: Collection[str]
) -> tuple[TopicState, tuple[Refused, ...]]:
    """Return the rater's state once the record is in it, and every entry that was not taken; undo takes it back whole.

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
    now = start(store, session_id, rater, record.topic)
    there = {item.node for item in now.items}
    refused: list[Refused] = []
    if record.snapshot not in (view.session.snapshot, SnapshotKey("", "")):
        refused.append(
            Refused("snapshot", f"the record is of {record.snapshot}, the session of {view.session.snapshot}")
        )
        return now, tuple(refused)
    taken = []
    for node in record.nodes:
        if node.id in there or (node.is_manually_added and node.id in known):
            taken.append(node)
        else:
            why = "is not in the graph" if node.is_manually_added else "is not in the pool of this session"
            refused.append(Refused(f"nodes: {node.id}", why))
    ids = {node.id for node in taken} | there
    items = []
    for node in taken:
        if node.duplicate_of and node.duplicate_of not in ids:
            refused.append(Refused(f"nodes: {node.id}.duplicateOf", f"{node.duplicate_of} was not taken"))
            items.append(_loadable(node) | {"duplicate_of": node.id})
        else:
            items.append(_loadable(node))
    value = {
        "source": "record",
        "items": items,
        "order": [node for node in record.ordered_nodes if node in ids],
        "reordered": record.reordered,
        "gone": [],
    }
    state = save(store, new_event(view, rater, record.topic, "load", value=value))
    for node in taken:
        if node.stage == BOOTSTRAPPED and state.item(node.id).grade != str(node.relevance):
            why = f"{node.relevance} is said to come from the order, which gives {state.item(node.id).grade or 'none'}"
            refused.append(Refused(f"nodes: {node.id}.relevance", why))
    return state, tuple(refused)


_TOP_KEYS = ("topic", "query", "rater", "graph", "snapshot", "session", "reordered", "nodes", "ordered_nodes")
_NODE_KEYS = {
    "id": str,
    "original_index": int,
    "isDuplicate": bool,
    "isIrrelevant": bool,
    "isManuallyAdded": bool,
    "relevance": int,
    "stage": str,
    "status": str,
    "duplicateOf": str,
    "reason": str,
}


class _Reader:
    """Reads one record and gathers what it does not take."""

    def __init__(self) -> None:
        self.refused: list[Refused] = []

    def read(self, raw: Mapping[str, Any]) -> RecordReading:
        self.refused += [Refused(key, "is not known") for key in raw if key not in _TOP_KEYS]
        texts = {key: self._text(raw, key) for key in ("topic", "rater", "graph", "snapshot", "session")}
        nodes = self._nodes(raw["nodes"])
        given = raw.get("ordered_nodes")
        ordered = self._ordered(given, nodes)
        first = [node.id for node in nodes if not node.is_duplicate]
        reordered = raw.get("reordered", ordered != first)
        if not isinstance(reordered, bool):
            self.refused.append(Refused("reordered", "expected true or false"))
            reordered = ordered != first
        record = TopicRecord(
            topic=texts["topic"],
            rater=texts["rater"],
            query=self._query(raw.get("query", "")),
            snapshot=SnapshotKey(texts["graph"], texts["snapshot"]),
            session=texts["session"],
            nodes=tuple(nodes),
            ordered_nodes=tuple(ordered),
            reordered=reordered,
        )
        return RecordReading(record, tuple(self.refused))

    def _text(self, raw: Mapping[str, Any], key: str) -> str:
        value = raw.get(key, "")
        if isinstance(value, str):
            return value
        self.refused.append(Refused(key, "expected a text"))
        return ""

    def _query(self, raw: Any) -> LocalText:
        if isinstance(raw, str):
            return LocalText.of({"de": raw}) if raw else LocalText()
        if isinstance(raw, dict) and all(isinstance(text, str) for text in raw.values()):
            return LocalText.of(raw)
        self.refused.append(Refused("query", "expected a text, or one for each language"))
        return LocalText()

    def _nodes(self, raw: Sequence[Any]) -> list[RecordNode]:
        out: dict[str, RecordNode] = {}
        places: dict[int, str] = {}
        for i, entry in enumerate(raw):
            where = f"nodes[{i}]"
            why = _fault(entry)
            if not why:
                node = _node_from_dict(entry, i)
                if node.id in out:
                    why = f"the id {node.id!r} comes twice"
                elif not node.is_manually_added and node.original_index in places:
                    why = f"the original_index {node.original_index} belongs to {places[node.original_index]!r} already"
            if why:
                self.refused.append(Refused(where, why))
                continue
            self.refused += [Refused(f"{where}.{key}", "is not known") for key in entry if key not in _NODE_KEYS]
            out[node.id] = node
            places.setdefault(node.original_index, node.id)
        return list(out.values())

    def _ordered(self, raw: Any, nodes: Sequence[RecordNode]) -> list[str]:
        kept = [node.id for node in nodes if not node.is_duplicate]
        if raw is None:
            return kept
        if not isinstance(raw, list):
            self.refused.append(Refused("ordered_nodes", "expected a list"))
            return kept
        out: dict[str, None] = {}
        for i, entry in enumerate(raw):
            node = entry.get("id") if isinstance(entry, dict) else entry
            if node not in kept:
                why = "is marked as a duplicate" if node in [n.id for n in nodes] else "is not among the nodes taken"
            elif node in out:
                why = "comes twice"
            else:
                out[node] = None
                continue
            self.refused.append(Refused(f"ordered_nodes[{i}]", f"{node!r} {why}"))
        # Without a place in the list a node stands at the end, as it was first.
        return [*out, *(node for node in kept if node not in out)]


def _fault(entry: Any) -> str:
    if not isinstance(entry, dict):
        return "expected an object"
    if not isinstance(entry.get("id"), str) or not entry["id"]:
        return "it has no id that is a text"
    for key, kind in _NODE_KEYS.items():
        value = entry.get(key)
        wrong = not isinstance(value, kind) or (kind is int and isinstance(value, bool))
        if wrong and not (value is None and key != "id"):
            return f"{key} is {value!r}; expected {kind.__name__}"
    index, added = entry.get("original_index"), bool(entry.get("isManuallyAdded"))
    relevance = entry.get("relevance")
    if index is not None and (index < -1 or added != (index == -1)):
        return f"original_index is {index}, but isManuallyAdded is {added}; -1 and true belong together"
    if relevance is not None and relevance not in (3, 2, 1, 0, -1):
        return f"relevance is {relevance}; expected 3, 2, 1, 0, -1 or null"
    if entry.get("isIrrelevant") and relevance not in (-1, None):
        return f"isIrrelevant is true, but relevance is {relevance}; expected -1"
    if entry.get("stage") not in (None, "", EXPLICIT, BOOTSTRAPPED):
        return f"stage is {entry['stage']!r}; expected {EXPLICIT} or {BOOTSTRAPPED}"
    if entry.get("status") not in (None, "", UNSURE, LATER):
        return f"status is {entry['status']!r}; expected {UNSURE} or {LATER}"
    if entry.get("status") and entry.get("isIrrelevant"):
        return f"status is {entry['status']!r}, but isIrrelevant is true"
    if entry.get("status") and relevance is not None:
        return f"status is {entry['status']!r}, but relevance is {relevance}; expected null"
    if entry.get("duplicateOf") and not entry.get("isDuplicate"):
        return "duplicateOf names a node, but isDuplicate is false"
    if entry.get("duplicateOf") == entry["id"]:
        return "duplicateOf names the node itself"
    return ""


def _node_from_dict(entry: Mapping[str, Any], place: int) -> RecordNode:
    added = bool(entry.get("isManuallyAdded"))
    irrelevant = bool(entry.get("isIrrelevant"))
    relevance = -1 if irrelevant else entry.get("relevance")
    index = entry.get("original_index")
    return RecordNode(
        id=entry["id"],
        original_index=(-1 if added else place) if index is None else index,
        is_duplicate=bool(entry.get("isDuplicate")),
        is_irrelevant=irrelevant,
        is_manually_added=added,
        relevance=relevance,
        stage=(entry.get("stage") or EXPLICIT) if relevance is not None else "",
        status=entry.get("status") or "",
        duplicate_of=entry.get("duplicateOf") or "",
        reason=entry.get("reason") or "",
    )


def _node_to_dict(node: RecordNode) -> dict[str, Any]:
    out: dict[str, Any] = {
        "id": node.id,
        "original_index": node.original_index,
        "isDuplicate": node.is_duplicate,
        "isIrrelevant": node.is_irrelevant,
        "isManuallyAdded": node.is_manually_added,
        "relevance": node.relevance,
    }
    ours = {"stage": node.stage, "status": node.status, "duplicateOf": node.duplicate_of, "reason": node.reason}
    return out | {key: value for key, value in ours.items() if value}


def _loadable(node: RecordNode) -> dict[str, Any]:
    graded = UNSURE if node.status == UNSURE else ""
    if node.relevance is not None and node.stage == EXPLICIT and not node.is_irrelevant:
        graded = str(node.relevance)
    return {
        "node": node.id,
        "original_index": node.original_index,
        "graded": graded,
        "irrelevant": node.is_irrelevant,
        "duplicate_of": (node.duplicate_of or node.id) if node.is_duplicate else "",
        "added": node.is_manually_added,
        "later": node.status == LATER,
        "reason": node.reason,
        "recheck": "",
        "previous": "",
    }
