"""First grades from an order (stage one of the GRAG paper, section 4.6), until a rater grades by hand (stage two)."""

from __future__ import annotations

from collections.abc import Sequence

# (last place, grade): the first node is highly relevant, the next two moderately, up to the tenth marginally.
PLACES = ((1, 3), (3, 2), (10, 1))


def bootstrapped_grades(grades: Sequence[int | None]) -> list[int | None]:
    """Return a first grade for each place of a rater's order that has no grade of its own; None where it has one.

    Parameters
    ----------
    grades
        The explicit grade of each node in the rater's order, None where there is none. Duplicates, nodes marked as
        irrelevant, unsure or set aside are left out by the caller.

    Notes
    -----
    The paper does not publish its rule; this is ours. Place 1 gives 3, places 2 and 3 give 2, places 4 to 10 give 1,
    what stands lower gives 0. Fixed places and not shares of the pool, because a deeper pool holds more nodes, not
    more relevant ones. The order and the explicit grades must not contradict each other: a first grade is at least
    the highest explicit grade below its place, and at most the lowest above it (-1 counts as 0). Where these two
    cross, the order says nothing and there is no first grade. First grades therefore never rise down the order.
    """
    count = len(grades)
    above: list[int] = []
    lowest = 3
    for grade in grades:
        above.append(lowest)
        if grade is not None:
            lowest = min(lowest, max(grade, 0))
    below = [0] * count
    highest = 0
    for i in range(count - 1, -1, -1):
        below[i] = highest
        if (grade := grades[i]) is not None:
            highest = max(highest, grade)
    out: list[int | None] = []
    for i, grade in enumerate(grades):
        if grade is not None or below[i] > above[i]:
            out.append(None)
        else:
            out.append(min(max(_of_place(i + 1), below[i]), above[i]))
    return out


def _of_place(place: int) -> int:
    return next((grade for last, grade in PLACES if place <= last), 0)
