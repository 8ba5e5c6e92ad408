"""What a rater's events make of a topic: a pure function of the events, so the state can always be derived again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from oncosearch.model import ReviewEvent
from oncosearch.review.bootstrap import bootstrapped_grades
from oncosearch.review.events import CONTENT, FINISH, REOPEN, START, UNDO

EXPLICIT, BOOTSTRAPPED = "explicit", "bootstrapped"
UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class ItemState:
    """What a rater says of a node.

    ``original_index`` is its place in the first order, from 0; -1 where it was added. ``grade`` is empty where there
    is none; ``stage`` says whether the rater gave it or the order did. ``duplicate_of`` is the node itself where an
    imported record does not say of which node it is a duplicate. ``recheck`` is ``changed`` where the text has
    changed since ``previous`` was given. ``unblinded``: graded after the grades of others could be seen.
    """

    node: str
    original_index: int
    grade: str = ""
    stage: str = ""
    duplicate_of: str = ""
    irrelevant: bool = False
    added: bool = False
    later: bool = False
    reason: str = ""
    recheck: str = ""
    previous: str = ""
    unblinded: bool = False

    @property
    def is_duplicate(self) -> bool:
        """Return whether it is marked as a duplicate of another node."""
        return bool(self.duplicate_of)


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of nodes that are no duplicates; ``open`` have neither a grade by hand nor ``unsure`` nor ``later``."""

    total: int = 0
    graded: int = 0
    unsure: int = 0
    later: int = 0
    duplicates: int = 0

    @property
    def open(self) -> int:
        """Return how many nodes nothing was said of."""
        return self.total - self.graded - self.unsure - self.later

    @property
    def done(self) -> int:
        """Return how many nodes need no further look."""
        return self.graded + self.unsure


@dataclass(frozen=True, slots=True)
class TopicState:
    """What a rater says of a topic.

    ``items`` stand in the present order, duplicates at their place. ``seen`` is true once the topic was finished, also
    after it was opened again. ``last_action`` is what undo would take back; ``actions`` counts the events.
    ``gone`` are nodes judged on an earlier snapshot that this one does not have, with their grade.
    """

    session: str
    rater: str
    topic: str
    items: tuple[ItemState, ...]
    started: bool = False
    finished: bool = False
    seen: bool = False
    reordered: bool = False
    last_action: str = ""
    actions: int = 0
    gone: tuple[tuple[str, str], ...] = ()

    @property
    def ordered_nodes(self) -> tuple[str, ...]:
        """Return the node ids in the present order without duplicates."""
        return tuple(item.node for item in self.items if not item.is_duplicate)

    def item(self, node: str) -> ItemState:
        """Return what is said of a node.

        Raises
        ------
        KeyError
            If the topic does not have it.
        """
        for item in self.items:
            if item.node == node:
                return item
        raise KeyError(node)

    @property
    def progress(self) -> Progress:
        """Return how far the rater is."""
        kept = [item for item in self.items if not item.is_duplicate]
        return Progress(
            total=len(kept),
            graded=sum(item.stage == EXPLICIT and item.grade != UNSURE for item in kept),
            unsure=sum(item.grade == UNSURE for item in kept),
            later=sum(item.later for item in kept),
            duplicates=len(self.items) - len(kept),
        )


@dataclass(slots=True)
class _Item:
    """A node while events are folded: ``graded`` is what the rater chose, whatever hides it at present."""

    original_index: int
    graded: str = ""
    irrelevant: bool = False
    duplicate_of: str = ""
    added: bool = False
    later: bool = False
    reason: str = ""
    recheck: str = ""
    previous: str = ""
    unblinded: bool = False


@dataclass(slots=True)
class _Folding:
    items: dict[str, _Item]
    order: list[str]
    reordered: bool = False
    seen: bool = False
    gone: dict[str, str] = field(default_factory=dict)


def fold_topic(session: str, rater: str, topic: str, events: Iterable[ReviewEvent], first: Sequence[str]) -> TopicState:
    """Return the state of (session, rater, topic) after ``events``.

    Parameters
    ----------
    events
        In order of arrival; those of other sessions, raters and topics are passed over. What an event says of a node
        that is not there (because adding it was undone) is passed over too.
    first
        The order to begin with where the rater has not begun: from then on the kept order holds.
    """
    lane = [e for e in events if (e.session, e.rater, e.topic) == (session, rater, topic)]
    for event in lane:
        if event.action == START:
            first = event.value
    now = _Folding({node: _Item(i) for i, node in enumerate(first)}, list(first))
    undone, last = _undone(lane)
    finished = started = False
    for event in lane:
        if event.action in CONTENT:
            if event.id not in undone:
                _APPLY[event.action](now, event)
        elif event.action == FINISH:
            finished = now.seen = True
        elif event.action == REOPEN:
            finished = False
        started = started or event.action == START
    return TopicState(
        session=session,
        rater=rater,
        topic=topic,
        items=_items(now),
        started=started,
        finished=finished,
        seen=now.seen,
        reordered=now.reordered,
        last_action=last,
        actions=len(lane),
        gone=tuple(now.gone.items()),
    )


def fold_lanes(
    session: str,
    lanes: Mapping[tuple[str, str], Sequence[str]],
    events: Iterable[ReviewEvent],
) -> dict[tuple[str, str], TopicState]:
    """Return the state of each (rater, topic) of ``lanes``, which gives the order to begin with."""
    parted: dict[tuple[str, str], list[ReviewEvent]] = {lane: [] for lane in lanes}
    for event in events:
        if (found := parted.get((event.rater, event.topic))) is not None:
            found.append(event)
    return {lane: fold_topic(session, *lane, parted[lane], first) for lane, first in lanes.items()}


def loadable(item: ItemState) -> dict[str, Any]:
    """Return a node as an event of the action ``load`` has it: a grade that the order gave is left to the order."""
    graded = item.grade if item.stage == EXPLICIT and not item.irrelevant else ""
    names = ("node", "original_index", "irrelevant", "duplicate_of", "added", "later", "reason", "recheck", "previous")
    return {name: getattr(item, name) for name in names} | {"graded": graded}


def total_progress(parts: Iterable[Progress]) -> Progress:
    """Return the sum of the counts."""
    found = list(parts)
    return Progress(
        *(sum(getattr(part, name) for part in found) for name in ("total", "graded", "unsure", "later", "duplicates"))
    )


def in_order(current: Sequence[str], wanted: Sequence[str]) -> list[str]:
    """Return the nodes of ``current`` in the order ``wanted``; a node it does not name stays behind its predecessor.

    So an order made in a window that does not know a node yet moves the others and loses none.
    """
    there = set(current)
    listed = [node for node in dict.fromkeys(wanted) if node in there]
    named = set(listed)
    followers: dict[str | None, list[str]] = {}
    head: str | None = None
    for node in current:
        if node in named:
            head = node
        else:
            followers.setdefault(head, []).append(node)
    out = list(followers.get(None, ()))
    for node in listed:
        out += [node, *followers.get(node, ())]
    return out


def _undone(lane: Sequence[ReviewEvent]) -> tuple[set[str], str]:
    undone: set[str] = set()
    standing: list[str] = []
    for event in lane:
        if event.action in CONTENT:
            standing.append(event.id)
        elif event.action == UNDO and event.value in standing:
            standing.remove(event.value)
            undone.add(event.value)
    return undone, standing[-1] if standing else ""


def _grade(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is not None:
        item.graded, item.irrelevant, item.later, item.recheck = event.value, False, False, ""
        item.unblinded = now.seen
        item.reason = event.reason or item.reason


def _later(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is not None:
        item.later = True
        item.reason = event.reason or item.reason


def _duplicate(now: _Folding, event: ReviewEvent) -> None:
    item = now.items.get(event.node)
    if item is not None and event.value in now.items and event.value != event.node:
        item.duplicate_of = event.value
        item.reason = event.reason or item.reason


def _irrelevant(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is not None:
        item.irrelevant, item.later, item.recheck = True, False, ""
        item.unblinded = now.seen
        item.reason = event.reason or item.reason


def _unmark(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is None:
        return
    if event.value == "duplicate":
        item.duplicate_of = ""
    elif event.value == "irrelevant":
        item.irrelevant = False
    elif event.value == "later":
        item.later = False
    else:
        item.graded, item.irrelevant = "", False


def _add(now: _Folding, event: ReviewEvent) -> None:
    if event.node not in now.items:
        now.items[event.node] = _Item(-1, added=True, reason=event.reason)
        now.order.append(event.node)


def _reorder(now: _Folding, event: ReviewEvent) -> None:
    now.order = in_order(now.order, event.value)
    now.reordered = True


def _reason(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is not None:
        item.reason = event.reason


def _load(now: _Folding, event: ReviewEvent) -> None:
    for raw in event.value["items"]:
        node = raw["node"]
        if node not in now.items:
            now.order.append(node)
        now.items[node] = _Item(**{name: value for name, value in raw.items() if name != "node"}, unblinded=now.seen)
    now.gone.update(dict(event.value["gone"]))
    if event.value["order"]:
        now.order = in_order(now.order, event.value["order"])
        now.reordered = now.reordered or event.value["reordered"]


_APPLY: dict[str, Any] = {
    "grade": _grade,
    "later": _later,
    "duplicate": _duplicate,
    "irrelevant": _irrelevant,
    "unmark": _unmark,
    "add": _add,
    "reorder": _reorder,
    "reason": _reason,
    "load": _load,
}


def _explicit(item: _Item) -> str:
    if item.later or item.recheck:
        return ""
    return "-1" if item.irrelevant else item.graded


def _items(now: _Folding) -> tuple[ItemState, ...]:
    grades = {node: _explicit(item) for node, item in now.items.items()}
    first: dict[str, int | None] = {}
    if now.reordered:
        judged = [
            node
            for node in now.order
            if not (item := now.items[node]).duplicate_of
            and not item.irrelevant
            and not item.later
            and not item.recheck
            and grades[node] != UNSURE
        ]
        explicit = [int(grades[node]) if grades[node] else None for node in judged]
        first = dict(zip(judged, bootstrapped_grades(explicit), strict=True))
    out = []
    for node in now.order:
        item, grade, stage = now.items[node], grades[node], EXPLICIT if grades[node] else ""
        if not grade and (given := first.get(node)) is not None:
            grade, stage = str(given), BOOTSTRAPPED
        out.append(
            ItemState(
                node=node,
                original_index=item.original_index,
                grade=grade,
                stage=stage,
                duplicate_of=item.duplicate_of,
                # What is set aside is open again, whatever stands underneath.
                irrelevant=item.irrelevant and not item.later,
                added=item.added,
                later=item.later,
                reason=item.reason,
                recheck=item.recheck,
                previous=item.previous,
                unblinded=item.unblinded,
            )
        )
    return tuple(out)
