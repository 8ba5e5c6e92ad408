"""How the grades of several raters become one: the rules of qrels, each a value that prints and parses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from oncosearch.model import UsageError

ONE, MEAN, MAJORITY, ADJUDICATED = "rater", "mean", "majority", "adjudicated"


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule. ``rater`` is the name for the rule of one rater, else empty."""

    kind: str
    rater: str = ""

    def __str__(self) -> str:
        """Return the form that :meth:`parse` reads."""
        return f"{ONE}:{self.rater}" if self.kind == ONE else self.kind

    @classmethod
    def parse(cls, text: str) -> Policy:
        """Return the policy of ``mean``, ``majority``, ``adjudicated`` or ``rater:NAME``.

        Raises
        ------
        UsageError
            If it is none of them.
        """
        kind, colon, rater = text.partition(":")
        if kind == ONE and rater:
            return cls(kind, rater)
        if kind in (MEAN, MAJORITY, ADJUDICATED) and not colon:
            return cls(kind)
        raise UsageError(
            f"The policy is {text!r}; expected mean, majority, adjudicated or rater:NAME.",
            code="review_policy",
            found=text,
        )


def combined(policy: Policy, grades: Mapping[str, int], final: str = "", unsure: bool = False) -> int | None:
    """Return the grade of a node from the grades of its raters, None where the policy gives none.

    Parameters
    ----------
    grades
        By rater, from 3 to -1.
    final
        The owner's final grade, empty where there is none.
    unsure
        Whether a rater is unsure of the node.

    Notes
    -----
    ``rater:NAME``
        The grade of that rater.
    ``mean``
        The mean of max(grade, 0), as -1 counts 0 gain and is no distance below 0, rounded to the nearest grade, an
        exact half to the lower one. -1 only where every rater gave it.
    ``majority``
        The grade that most raters gave; of several given equally often, the lowest.
    ``adjudicated``
        The final grade; without one, the grade on which all raters agree, if none is unsure.
    """
    if policy.kind == ONE:
        return grades.get(policy.rater)
    if policy.kind == ADJUDICATED and final:
        return int(final)
    if not grades:
        return None
    values = list(grades.values())
    if policy.kind == MEAN:
        if set(values) == {-1}:
            return -1
        total, count = sum(max(value, 0) for value in values), len(values)
        # ceil(total / count - 1/2) in whole numbers.
        return -((count - 2 * total) // (2 * count))
    if policy.kind == MAJORITY:
        often = Counter(values)
        return min(value for value, times in often.items() if times == max(often.values()))
    return values[0] if len(set(values)) == 1 and not unsure else None
