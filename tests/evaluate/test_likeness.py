"""Likeness of rankings: worked by hand, against scipy, and by its laws."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from oncosearch.evaluate.likeness import Likeness, kendall_tau, likeness, overlap, rank_biased_overlap

rankings = st.lists(st.sampled_from("abcdefghijkl"), unique=True, max_size=12).map(tuple)


def naive_rbo(s, l, p):  # noqa: E741
    """Equation 32 of Webber, Moffat and Zobel, written down term by term."""
    s, l = sorted((s, l), key=len)  # noqa: E741
    n, m = len(s), len(l)

    def common(d):
        return len(set(s[: min(d, n)]) & set(l[:d]))

    first = sum(common(d) / d * p**d for d in range(1, m + 1))
    second = sum(common(n) * (d - n) / (n * d) * p**d for d in range(n + 1, m + 1))
    return (1 - p) / p * (first + second) + ((common(m) - common(n)) / m + common(n) / n) * p**m


@pytest.mark.parametrize(
    ("a", "b", "k", "expected"),
    [
        ("abcd", "abxy", 4, 0.5),
        ("abcd", "abxy", 2, 1.0),
        ("abcd", "xyzw", 4, 0.0),
        ("ab", "ab", 10, 1.0),
        ("ab", "abcd", 4, 0.5),
        ("", "ab", 3, 0.0),
        ("", "", 3, None),
    ],
)
def test_overlap_by_hand(a, b, k, expected):
    assert overlap(a, b, k) == expected


def test_rank_biased_overlap_by_hand():
    # X = 1, 1, 3 at depths 1, 2, 3: (0.1/0.9)·(0.9 + 0.81/2 + 0.729) + 0.729
    assert rank_biased_overlap("abc", "acb") == pytest.approx(0.1 / 0.9 * (0.9 + 0.405 + 0.729) + 0.729)
    # Swapped at the top, p = 0.5: X = 0, 2; 1·(0 + 1·0.25) + 0.25
    assert rank_biased_overlap("ab", "ba", 0.5) == pytest.approx(0.5)
    # Uneven, p = 0.5: S = a, L = ba; X_1 = 0, X_2 = 1, X_s = 0: (0 + 1/2·1/4) + (1/2)·1/4
    assert rank_biased_overlap("a", "ba", 0.5) == pytest.approx(0.25)
    assert rank_biased_overlap("abc", "xyz") == 0
    assert rank_biased_overlap("", "a") == 0
    assert rank_biased_overlap("", "") is None


def test_the_first_ten_ranks_carry_what_is_said():
    # Weight of the first d ranks (equation 21 of the paper).
    p, d = 0.9, 10
    series = sum(p**i / i for i in range(1, d))
    weight = 1 - p ** (d - 1) + (1 - p) / p * d * (math.log(1 / (1 - p)) - series)
    assert round(weight, 2) == 0.86


@given(rankings, rankings, st.sampled_from([0.5, 0.9, 0.98]))
def test_rank_biased_overlap_is_the_published_form(a, b, p):
    found = rank_biased_overlap(a, b, p)
    if a and b:
        assert found == pytest.approx(naive_rbo(a, b, p), abs=1e-12)
        assert 0 <= found <= 1


@given(rankings, rankings)
def test_both_orders_give_the_same(a, b):
    for k in (1, 3, 12):
        assert likeness(a, b, k) == likeness(b, a, k)


@given(rankings.filter(lambda r: len(r) > 1))
def test_a_ranking_is_like_itself_and_unlike_its_reverse(ranking):
    assert likeness(ranking, ranking, 12) == Likeness(12, len(ranking), 1.0, pytest.approx(1), 1.0)
    assert kendall_tau(ranking, ranking[::-1]) == -1


@given(rankings, rankings)
def test_renaming_changes_nothing(a, b):
    def renamed(ranking):
        return tuple(f"https://example.org/{chr(219 - ord(node))}" for node in ranking)

    assert likeness(a, b, 5) == likeness(renamed(a), renamed(b), 5)


def test_tau_by_hand():
    # Three pairs, one of them turned round: (2 − 1) / 3
    assert kendall_tau("abc", "acb") == pytest.approx(1 / 3)
    # a, b, c, x: c is tied with x nowhere; a–b, a–c, b–c, a–x, b–x agree but c–x is turned round: (5 − 1) / 6
    assert kendall_tau("abc", "abx") == pytest.approx(4 / 6)
    # Nothing in common, two each: of six pairs four are discordant, and each ranking ties one: −4 / 5
    assert kendall_tau("ab", "xy") == pytest.approx(-4 / 5)
    assert kendall_tau("a", "a") is None
    assert kendall_tau("", "abc") is None


@given(rankings, rankings)
def test_tau_is_that_of_scipy(a, b):
    nodes = sorted({*a, *b})
    ranks = [[ranking.index(n) if n in ranking else len(ranking) for n in nodes] for ranking in (a, b)]
    expected = kendalltau(*ranks).statistic if len(nodes) > 1 else math.nan
    found = kendall_tau(a, b)
    assert math.isnan(expected) if found is None else found == pytest.approx(expected)


def test_moving_a_node_away_from_the_top_costs_more():
    best = "abcdefgh"
    swapped = [best[:i] + best[i + 1] + best[i] + best[i + 2 :] for i in range(7)]
    values = [rank_biased_overlap(best, other) for other in swapped]
    assert all(lower < higher for lower, higher in pairwise(values))


def test_a_node_cannot_stand_twice():
    for measure in (rank_biased_overlap, kendall_tau):
        with pytest.raises(ValueError, match="twice"):
            measure("aba", "abc")
    with pytest.raises(ValueError, match="at least 1"):
        overlap("a", "b", 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rank_biased_overlap("a", "b", 1.0)
