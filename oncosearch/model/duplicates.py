"""A curator's word on pairs of nodes: whether two of them are one, as events of which the last one counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from oncosearch.model.errors import UsageError

DUPLICATE, DIFFERENT, UNDECIDED = "duplicate", "different", "undecided"
VERDICTS = (DUPLICATE, DIFFERENT, UNDECIDED)


@dataclass(frozen=True, slots=True)
class PairDecision:
    """One event: what a curator says of two nodes of a graph. Events are only ever added.

    ``first`` is the smaller id. ``verdict`` is one of ``VERDICTS``; ``undecided`` takes an earlier decision back.
    ``time`` is UTC in ISO 8601; ``snapshot_id`` is what the curator saw, the decision is for the graph.
    """

    graph_id: str
    snapshot_id: str
    first: str
    second: str
    verdict: str
    user: str
    time: str
    reason: str = ""

    def __post_init__(self) -> None:
        """Refuse a verdict that is not known and a pair that is not in order."""
        if self.verdict not in VERDICTS:
            raise UsageError(f"The verdict is {self.verdict!r}; expected one of {', '.join(VERDICTS)}.")
        if self.first >= self.second:
            raise UsageError(f"{self.first!r} and {self.second!r} are no pair of two nodes with the smaller id first.")


@dataclass(frozen=True, slots=True)
class DecidedPairs:
    """The decisions in force.

    ``by_pair`` has the last event of each pair that is decided. ``groups`` gives each node that is a duplicate of
    another the smallest id among those that are one with it, directly or over others; ``apart`` gives the nodes from
    which a node is to be kept apart.
    """

    by_pair: Mapping[tuple[str, str], PairDecision] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    apart: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, decisions: Iterable[PairDecision]) -> DecidedPairs:
        """Return what is in force after ``decisions``, which come in order of arrival."""
        last: dict[tuple[str, str], PairDecision] = {}
        for decision in decisions:
            pair = decision.first, decision.second
            last.pop(pair, None)
            if decision.verdict != UNDECIDED:
                last[pair] = decision
        above: dict[str, str] = {}
        apart: dict[str, set[str]] = {}
        for (first, second), decision in last.items():
            if decision.verdict == DUPLICATE:
                low, high = sorted((_top(above, first), _top(above, second)))
                above[high] = low
            else:
                apart.setdefault(first, set()).add(second)
                apart.setdefault(second, set()).add(first)
        members = {node for pair, decision in last.items() if decision.verdict == DUPLICATE for node in pair}
        return cls(
            last,
            {node: _top(above, node) for node in sorted(members)},
            {node: frozenset(others) for node, others in apart.items()},
        )

    def __bool__(self) -> bool:
        """Whether anything is decided."""
        return bool(self.by_pair)

    def verdict(self, one: str, other: str) -> str:
        """Return what is decided of a pair itself, in either order."""
        found = self.by_pair.get((min(one, other), max(one, other)))
        return UNDECIDED if found is None else found.verdict


def _top(above: dict[str, str], node: str) -> str:
    while (higher := above.get(node, node)) != node:
        node = higher
    return node
