"""What moved between rankings that stand side by side, and marks by which a node is known in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

UP, DOWN, SAME, NEW, MISSING = "up", "down", "same", "new", "missing"
MOVES = (UP, DOWN, SAME, NEW, MISSING)


@dataclass(frozen=True, slots=True)
class Move:
    """A node seen from one ranking to the next.

    ``kind`` is one of ``MOVES``; ``old`` and ``new`` are ranks from 1, None where the node is not among those shown.
    """

    node_id: str
    kind: str
    old: int | None
    new: int | None

    @property
    def steps(self) -> int:
        """Return by how many ranks the node went up (above 0) or down (below 0); 0 where it came or went."""
        return self.old - self.new if self.old is not None and self.new is not None else 0


def moves(before: Sequence[str], after: Sequence[str]) -> tuple[Move, ...]:
    """Return a move for every node of either ranking: those of ``after`` in its order, then the missing."""
    old = {node: rank for rank, node in enumerate(before, 1)}
    new = {node: rank for rank, node in enumerate(after, 1)}
    found = [Move(node, _kind(old.get(node), rank), old.get(node), rank) for node, rank in new.items()]
    gone = [Move(node, MISSING, rank, None) for node, rank in old.items() if node not in new]
    return (*found, *gone)


def _kind(old: int | None, new: int) -> str:
    if old is None:
        return NEW
    return SAME if old == new else UP if new < old else DOWN


@dataclass(frozen=True, slots=True)
class Mark:
    """How a node is known in every column: letters, and the number of its colour, None where it stands in one only."""

    letters: str
    colour: int | None


def marks(rankings: Sequence[Sequence[str]]) -> dict[str, Mark]:
    """Return a mark for every node of the rankings.

    Nodes that stand in several rankings come first, those highest up by Σ 1/rank before the others, then by id: they
    get letters and a colour each. A node that stands in one ranking alone gets letters only.
    """
    weight: dict[str, float] = {}
    counted: dict[str, int] = {}
    for ranking in rankings:
        for rank, node in enumerate(ranking, 1):
            weight[node] = weight.get(node, 0.0) + 1 / rank
            counted[node] = counted.get(node, 0) + 1
    order = sorted(weight, key=lambda node: (counted[node] == 1, -weight[node], node))
    shared = sum(1 for count in counted.values() if count > 1)
    return {node: Mark(_letters(i), i if i < shared else None) for i, node in enumerate(order)}


def _letters(number: int) -> str:
    """Return a, b, … z, aa, ab, …."""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        name = chr(ord("a") + rest) + name
    return name
