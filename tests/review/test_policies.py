"""How the grades of several raters become one."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import UsageError
from oncosearch.review import Policy, combined

GRADES = st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from([-1, 0, 1, 2, 3]), max_size=7)
MEAN, MAJORITY, ADJUDICATED = Policy("mean"), Policy("majority"), Policy("adjudicated")


def by_rater(grades: list[int]) -> dict[str, int]:
    return {f"r{i}": grade for i, grade in enumerate(grades)}


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([3], 3),
        ([3, 0], 1),
        ([3, 2], 2),
        ([2, 2, 1], 2),
        ([1, 1, 0], 1),
        ([1, 0, 0], 0),
        ([1, 0], 0),
        ([-1, -1], -1),
        ([-1, 0], 0),
        ([-1, 1], 0),
        ([-1, 3], 1),
        ([-1, 3, 3], 2),
        ([], None),
    ],
)
def test_mean(grades: list[int], expected: int | None) -> None:
    assert combined(MEAN, by_rater(grades)) == expected


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([3, 3, 0], 3),
        ([3, 0], 0),
        ([2, 1, 0], 0),
        ([2, 2, 1, 1, 3], 1),
        ([-1, 0], -1),
        ([3, 3, 2, 2, 2], 2),
        ([], None),
    ],
)
def test_majority(grades: list[int], expected: int | None) -> None:
    assert combined(MAJORITY, by_rater(grades)) == expected


def test_adjudicated() -> None:
    assert combined(ADJUDICATED, by_rater([3, 0]), "2") == 2
    assert combined(ADJUDICATED, {}, "-1") == -1
    assert combined(ADJUDICATED, by_rater([3, 3])) == 3
    assert combined(ADJUDICATED, by_rater([3])) == 3
    assert combined(ADJUDICATED, by_rater([3, 2])) is None
    assert combined(ADJUDICATED, by_rater([3, 3]), unsure=True) is None
    assert combined(MEAN, by_rater([3, 3]), "0") == 3


def test_one_rater() -> None:
    assert combined(Policy.parse("rater:r1"), by_rater([3, 0])) == 0
    assert combined(Policy.parse("rater:nobody"), by_rater([3, 0])) is None


@pytest.mark.parametrize("text", ["mean", "majority", "adjudicated", "rater:Müller: B.", "rater: "])
def test_a_policy_prints_and_parses(text: str) -> None:
    assert str(Policy.parse(text)) == text


@pytest.mark.parametrize("text", ["", "median", "rater:", "rater", "mean:", "Mean"])
def test_an_unknown_policy_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="rater:NAME"):
        Policy.parse(text)


@given(GRADES)
def test_laws(grades: dict[str, int]) -> None:
    mean, majority, agreed = (combined(policy, grades) for policy in (MEAN, MAJORITY, ADJUDICATED))
    renamed = {f"x{rater}": grade for rater, grade in reversed(grades.items())}
    assert [combined(policy, renamed) for policy in (MEAN, MAJORITY, ADJUDICATED)] == [mean, majority, agreed]
    if not grades:
        assert (mean, majority, agreed) == (None, None, None)
        return
    values = list(grades.values())
    assert min(values) <= mean <= max(*values, 0)
    assert majority in values
    if len(set(values)) == 1:
        assert mean == majority == agreed == values[0]
    else:
        assert agreed is None
        exact = Fraction(sum(max(value, 0) for value in values), len(values))
        assert -Fraction(1, 2) < exact - mean <= Fraction(1, 2)
