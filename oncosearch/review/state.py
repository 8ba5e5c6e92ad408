"""What a rater says of a topic and of each of its nodes, as values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

EXPLICIT, BOOTSTRAPPED = "explicit", "bootstrapped"
UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Beneath:
    """What a rater chose for a node by hand, shown or not: it comes back when what hides it is taken off.

    ``recheck`` stands until there is a new grade.
    """

    graded: str = ""
    irrelevant: bool = False
    recheck: str = ""


@dataclass(frozen=True, slots=True)
class ItemState:
    """What a rater says of a node.

    ``original_index`` is its place in the first order, from 0; -1 where it was added. ``grade`` is empty where there
    is none; ``stage`` says whether the rater gave it or the order did. ``duplicate_of`` is the node itself where an
    imported record does not say of which node it is a duplicate. ``recheck`` is ``changed`` where the text has
    changed since ``previous`` was given. ``unblinded``: the grade was given, or became another one, after the grades
    of others could be seen. ``beneath`` is also what ``irrelevant`` and ``later`` hide at present.
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
    beneath: Beneath = Beneath()

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
    ``gone`` are nodes judged on an earlier snapshot that this one does not have, with their grade. ``exposed`` are
    nodes of which the rater could see the grades of others before the session, in one that was carried over or a
    record. ``skipped`` are the ids of events that say nothing that can be read; the others count.
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
    exposed: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

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


def loadable(item: ItemState) -> dict[str, Any]:
    """Return a node as an event of the action ``load`` has it: a grade that the order gave is left to the order."""
    names = ("node", "original_index", "duplicate_of", "added", "later", "reason", "previous", "unblinded")
    beneath = {name: getattr(item.beneath, name) for name in ("graded", "irrelevant", "recheck")}
    return {name: getattr(item, name) for name in names} | beneath


def total_progress(parts: Iterable[Progress]) -> Progress:
    """Return the sum of the counts."""
    found = list(parts)
    return Progress(
        *(sum(getattr(part, name) for part in found) for name in ("total", "graded", "unsure", "later", "duplicates"))
    )
