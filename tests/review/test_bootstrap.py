"""First grades from an order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.review import bootstrapped_grades

_ = None


@pytest.mark.parametrize(
    ("explicit", "expected"),
    [
        ([], []),
        ([_] * 12, [3, 2, 2, 1, 1, 1, 1, 1, 1, 1, 0, 0]),
        # The first node is only marginal, so nothing below it is more.
        ([1, _, _, _], [_, 1, 1, 1]),
        # The fourth is highly relevant, so what stands above it is too.
        ([_, _, _, 3, _], [3, 3, 3, _, 1]),
        # Between 2 and 2 there is only 2.
        ([_, 2, _, _, _, 2, _], [3, _, 2, 2, 2, _, 1]),
        # 0 above 3: the order says nothing in between.
        ([_, 0, _, 3, _], [3, _, _, _, 0]),
        ([-1, _, _], [_, 0, 0]),
        ([_, _, -1], [3, 2, _]),
    ],
)
def test_hand_worked(explicit: list, expected: list) -> None:
    assert bootstrapped_grades(explicit) == expected


@given(st.lists(st.sampled_from([_, _, _, -1, 0, 1, 2, 3]), max_size=30))
def test_first_grades_never_rise_down_the_order_and_never_contradict(explicit: list) -> None:
    found = bootstrapped_grades(explicit)
    given_ones = [grade for grade in found if grade is not None]
    assert given_ones == sorted(given_ones, reverse=True)
    for i, grade in enumerate(found):
        if grade is not None:
            assert explicit[i] is None
            assert 0 <= grade <= 3
            assert all(grade <= max(other, 0) for other in explicit[:i] if other is not None)
            assert all(grade >= other for other in explicit[i + 1 :] if other is not None)
        elif explicit[i] is None:
            above = min((max(other, 0) for other in explicit[:i] if other is not None), default=3)
            assert above < max((other for other in explicit[i + 1 :] if other is not None), default=0)
