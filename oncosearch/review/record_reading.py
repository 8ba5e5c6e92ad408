"""Reading the record of a curated topic: what contradicts itself is named and not taken, the rest is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from oncosearch.model import GRADES, LocalText, SnapshotKey
from oncosearch.review.qrels import CHANGED
from oncosearch.review.record import LATER, RecordNode, RecordReading, Refused, TopicRecord
from oncosearch.review.state import BOOTSTRAPPED, EXPLICIT, UNSURE

_BROKEN = "holds half of a surrogate pair, which is no text"


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
    except RecursionError:
        return RecordReading(None, (Refused("", "no record: it is nested too deeply"),))
    if not isinstance(raw, dict) or not isinstance(raw.get("nodes"), list):
        return RecordReading(None, (Refused("", "expected an object with a list of nodes"),))
    return _Reader().read(raw)


_TOP_KEYS = ("topic", "query", "rater", "graph", "snapshot", "session", "reordered", "seen", "nodes", "ordered_nodes")
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
    "hidden": str,
    "hiddenIrrelevant": bool,
    "recheck": str,
    "previous": str,
    "unblinded": bool,
}


class _Reader:
    """Reads one record and gathers what it does not take."""

    def __init__(self) -> None:
        self.refused: list[Refused] = []

    def read(self, raw: Mapping[str, Any]) -> RecordReading:
        self.refused += [Refused(_shown(key), "is not known") for key in raw if key not in _TOP_KEYS]
        texts = {key: self._text(raw, key) for key in ("topic", "rater", "graph", "snapshot", "session")}
        nodes = self._nodes(raw["nodes"])
        given = raw.get("ordered_nodes")
        ordered = self._ordered(given, nodes)
        first = [node.id for node in nodes if not node.is_duplicate]
        reordered = self._truth(raw, "reordered", ordered != first)
        record = TopicRecord(
            topic=texts["topic"],
            rater=texts["rater"],
            query=self._query(raw.get("query", "")),
            snapshot=SnapshotKey(texts["graph"], texts["snapshot"]),
            session=texts["session"],
            nodes=tuple(nodes),
            ordered_nodes=tuple(ordered),
            reordered=reordered,
            seen=self._truth(raw, "seen", False),
        )
        return RecordReading(record, tuple(self.refused))

    def _text(self, raw: Mapping[str, Any], key: str) -> str:
        value = raw.get(key, "")
        if isinstance(value, str) and not _broken(value):
            return value
        self.refused.append(Refused(key, _BROKEN if isinstance(value, str) else "expected a text"))
        return ""

    def _truth(self, raw: Mapping[str, Any], key: str, otherwise: bool) -> bool:
        value = raw.get(key, otherwise)
        if isinstance(value, bool):
            return value
        self.refused.append(Refused(key, "expected true or false"))
        return otherwise

    def _query(self, raw: Any) -> LocalText:
        given = {"de": raw} if isinstance(raw, str) else raw
        if isinstance(given, dict) and all(isinstance(text, str) for text in given.values()):
            if not any(_broken(text) for pair in given.items() for text in pair):
                return LocalText.of({language: text for language, text in given.items() if text or raw is given})
            self.refused.append(Refused("query", _BROKEN))
            return LocalText()
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
            self.refused += [
                Refused(f"{where}.{_shown(key)}", "is not known") for key in entry if key not in _NODE_KEYS
            ]
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
        if isinstance(value, str) and _broken(value):
            return f"{key} {_BROKEN}"
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
    for key in ("hidden", "previous"):
        if entry.get(key) not in (None, "", *GRADES):
            return f"{key} is {entry[key]!r}; expected one of {', '.join(GRADES)}"
    if entry.get("recheck") not in (None, "", CHANGED):
        return f"recheck is {entry['recheck']!r}; expected {CHANGED}"
    if entry.get("hidden") and not (entry.get("isIrrelevant") or entry.get("status") == LATER):
        return "hidden has a grade, but nothing hides it"
    if entry.get("hiddenIrrelevant") and entry.get("status") != LATER:
        return "hiddenIrrelevant is true, but nothing hides it"
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
        hidden=entry.get("hidden") or "",
        hidden_irrelevant=bool(entry.get("hiddenIrrelevant")),
        recheck=entry.get("recheck") or "",
        previous=entry.get("previous") or "",
        unblinded=bool(entry.get("unblinded")),
    )


def _broken(text: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in text)


def _shown(key: str) -> str:
    return key.encode("utf-8", "backslashreplace").decode()
