"""What a rater's events make of a topic: a pure function of the events, so the state can always be derived again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from oncosearch.model import ReviewEvent
from oncosearch.review.actions import CONTENT, FINISH, REOPEN, START, UNDO
from oncosearch.review.bootstrap import bootstrapped_grades
from oncosearch.review.events import fault
from oncosearch.review.state import BOOTSTRAPPED, EXPLICIT, UNSURE, Beneath, ItemState, TopicState

# What an event settles of its node, so that a session that is carried over later fills in only the rest.
_SETTLES = {"grade": "grade", "later": "grade", "irrelevant": "grade", "duplicate": "duplicate"}
_FILLED = {
    "grade": ("graded", "irrelevant", "later", "unblinded"),
    "duplicate": ("duplicate_of",),
    "reason": ("reason",),
}


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
    exposed: frozenset[str]
    reordered: bool = False
    seen: bool = False
    finished: bool = False
    gone: dict[str, str] = field(default_factory=dict)
    # Nodes whose place in the order was given after the grades of others could be seen.
    order_unblinded: frozenset[str] = frozenset()
    settled: set[tuple[str, str]] = field(default_factory=set)

    def saw(self, node: str) -> bool:
        """Return whether the rater could have seen what others say of the node."""
        return self.seen or node in self.exposed


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
    skipped = tuple(event.id for event in lane if fault(event))
    sound = [event for event in lane if event.id not in skipped] if skipped else lane
    for event in sound:
        if event.action == START:
            first = event.value
    exposed = frozenset(node for e in sound if e.action == "load" for node in e.value.get("exposed", ()))
    undone, last = _undone(sound)
    now = _played(sound, first, exposed, undone)
    items = _items(now)
    for length, concerned in _exposures(sound):
        # Whatever made the grade another one than it was then, undo and taking off a mark included.
        earlier = _items(_played(sound[:length], first, exposed, _undone(sound[:length])[0]))
        then = {item.node: (item.grade, item.stage) for item in earlier}
        items = tuple(
            replace(item, unblinded=True)
            if item.grade
            and (concerned is None or item.node in concerned)
            and then.get(item.node) != (item.grade, item.stage)
            else item
            for item in items
        )
    return TopicState(
        session=session,
        rater=rater,
        topic=topic,
        items=items,
        started=any(event.action == START for event in sound),
        finished=now.finished,
        seen=now.seen,
        reordered=now.reordered,
        last_action=last,
        actions=len(lane),
        gone=tuple(now.gone.items()),
        exposed=tuple(sorted(exposed)),
        skipped=skipped,
    )


def _played(
    lane: Sequence[ReviewEvent], first: Sequence[str], exposed: frozenset[str], undone: Collection[str]
) -> _Folding:
    now = _Folding({node: _Item(i) for i, node in enumerate(first)}, list(first), exposed)
    for event in lane:
        if event.action in CONTENT:
            if event.id not in undone:
                _APPLY[event.action](now, event)
                _settle(now, event)
        elif event.action == FINISH:
            now.finished = now.seen = True
        elif event.action == REOPEN:
            now.finished = False
    return now


def _exposures(lane: Sequence[ReviewEvent]) -> list[tuple[int, Collection[str] | None]]:
    """Return after how many events others' grades could be seen, and of which nodes (None: of all)."""
    out: list[tuple[int, Collection[str] | None]] = []
    finished = next((i for i, event in enumerate(lane) if event.action == FINISH), None)
    if finished is not None:
        out.append((finished, None))
    for i, event in enumerate(lane, 1):
        if event.action == "load" and (nodes := event.value.get("exposed")):
            out.append((i, frozenset(nodes)))
    return out


def _settle(now: _Folding, event: ReviewEvent) -> None:
    if event.action == "unmark":
        now.settled.add((event.node, "duplicate" if event.value == "duplicate" else "grade"))
    elif event.action in _SETTLES:
        now.settled.add((event.node, _SETTLES[event.action]))
    elif event.action == "reorder":
        now.settled.add(("", "order"))
    if event.reason or event.action == "reason":
        now.settled.add((event.node, "reason"))


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
        item.graded, item.irrelevant, item.later = event.value, False, False
        item.unblinded = now.saw(event.node)
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
        item.irrelevant, item.later = True, False
        item.unblinded = now.saw(event.node)
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
    now.order_unblinded = frozenset(node for node in now.items if now.saw(node))


def _reason(now: _Folding, event: ReviewEvent) -> None:
    if (item := now.items.get(event.node)) is not None:
        item.reason = event.reason


def _load(now: _Folding, event: ReviewEvent) -> None:
    fills = event.value.get("fills", False)
    marks: dict[str, str] = {}
    for raw in event.value["items"]:
        node = raw["node"]
        said = {name: value for name, value in raw.items() if name != "node"}
        if fills:
            # What the rater has said here already is newer than what is carried over.
            for part, names in _FILLED.items():
                if (node, part) in now.settled:
                    said = {name: value for name, value in said.items() if name not in names}
        if (item := now.items.get(node)) is None:
            item = now.items[node] = _Item(-1, added=True)
            now.order.append(node)
        if "duplicate_of" in said:
            item.duplicate_of = ""
            marks[node] = said.pop("duplicate_of")
        for name, value in said.items():
            setattr(item, name, value)
        if "graded" in said:
            item.unblinded = now.seen or said.get("unblinded", False)
    for node, other in marks.items():
        if other == node or not reaches({n: i.duplicate_of for n, i in now.items.items()}, other, node):
            now.items[node].duplicate_of = other
    now.gone.update(dict(event.value.get("gone", ())))
    if (order := event.value.get("order")) and not (fills and ("", "order") in now.settled):
        now.order = in_order(now.order, order)
        now.reordered = now.reordered or event.value.get("reordered", False)
        if now.seen:
            now.order_unblinded = frozenset(now.items)


def reaches(duplicate_of: Mapping[str, str], node: str, other: str) -> bool:
    """Return whether ``node`` is ``other`` or, along the chain of originals, a duplicate of it."""
    passed = {""}
    while node not in passed and node != other:
        passed.add(node)
        node = duplicate_of.get(node, "")
    return node == other


_APPLY: dict[str, Callable[[_Folding, ReviewEvent], None]] = {
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
    if item.later:
        return ""
    return "-1" if item.irrelevant else item.graded


def _waiting(item: _Item) -> str:
    return "" if item.graded or item.irrelevant else item.recheck


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
            and not _waiting(item)
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
                recheck=_waiting(item),
                previous=item.previous,
                unblinded=item.unblinded or (stage == BOOTSTRAPPED and node in now.order_unblinded),
                beneath=Beneath(item.graded, item.irrelevant, item.recheck),
            )
        )
    return tuple(out)
