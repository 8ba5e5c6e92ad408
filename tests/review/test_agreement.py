"""Agreement of raters: published figures, hand-worked ones, another library's, laws, and what has no value."""

import csv
import json
import math
import time

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from oncosearch.model import UsageError
from oncosearch.review.agreement import (
    LEVELS,
    WEIGHTS,
    Coefficient,
    agreement,
    cohens_kappa,
    gwets_ac1,
    krippendorffs_alpha,
    raw_agreement,
)
from tests.paths import SHARED_DATA

_ = None
# Four observers, twelve units: the worked example of Krippendorff (2011), with his figures.
OBSERVERS = {
    "A": (1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _),
    "B": (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3),
    "C": (_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _),
    "D": (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _),
}


def by_item(columns):
    names = list(columns)
    return {item: dict(zip(names, row, strict=True)) for item, row in enumerate(zip(*columns.values(), strict=True))}


def spread(table):
    """Return two lists of grades from {(first, second): how often}."""
    pairs = [pair for pair, count in table.items() for _ in range(count)]
    return [a for a, _ in pairs], [b for _, b in pairs]


# Published figures


@pytest.mark.skipif(SHARED_DATA is None, reason="the published judgements are not beside this checkout")
@pytest.mark.parametrize(
    ("pair", "common", "kappa", "binary"),
    [("1", 112, 0.2818089774, 0.4897494305), ("2", 116, 0.2731070496, 0.5514458642)],
)
def test_the_published_kappas_come_out(pair, common, kappa, binary):
    folder = SHARED_DATA / "agreement"
    with (folder / "Human-Judgments.csv").open(encoding="utf-8-sig", newline="") as file:
        # Ids begin anew with every part of the file; a judgement is a row.
        rows = dict(enumerate(csv.DictReader(file, delimiter=";")))
    ratings = {row: {"a": r[f"rating{pair}a"], "b": r[f"rating{pair}b"]} for row, r in rows.items()}
    # Their scale goes from 1 to 5, and 4 and 5 are what they call agreement.
    found = agreement(ratings, labels=None, threshold=4)
    (graded,), (relevant,) = found.graded.pairs, found.binary.pairs
    assert (graded.common, relevant.common) == (common, common)
    assert graded.kappa.value == pytest.approx(kappa, abs=1e-9)
    assert relevant.kappa.value == pytest.approx(binary, abs=1e-9)
    with (folder / "all_kappas.csv").open(encoding="utf-8", newline="") as file:
        published = {row[""]: row for row in csv.DictReader(file)}["human_scale"]
    assert graded.kappa.value == pytest.approx(float(published["max" if pair == "1" else "min"]), abs=1e-12)


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example(level, alpha):
    assert krippendorffs_alpha(by_item(OBSERVERS), level=level).value == pytest.approx(alpha, abs=5e-4)


# Hand-worked figures


def test_kappa_by_hand():
    # First rater 5, 3, 2 times 3, 2, 1; second rater 4, 3, 3 times: p = 0.7, e = (20 + 9 + 6) / 100.
    a, b = spread({(3, 3): 3, (3, 2): 1, (3, 1): 1, (2, 3): 1, (2, 2): 2, (2, 1): 0, (1, 2): 0, (1, 1): 2})
    assert cohens_kappa(a, b).value == pytest.approx((0.7 - 0.35) / (1 - 0.35))
    # Observed |x − y| 1 + 2 + 1; by chance (5·3 + 5·3·2 + 3·4 + 3·3 + 2·4·2 + 2·3) / 10.
    assert cohens_kappa(a, b, weights="linear").value == pytest.approx(1 - 4 / 8.8)
    # Observed (x − y)² 1 + 4 + 1; by chance (5·3 + 5·3·4 + 3·4 + 3·3 + 2·4·4 + 2·3) / 10.
    assert cohens_kappa(a, b, weights="quadratic").value == pytest.approx(1 - 6 / 13.4)


def test_ac1_by_hand_where_kappa_is_misled_by_a_rare_label():
    a, b = spread({(1, 1): 118, (1, 0): 5, (0, 1): 2})
    assert raw_agreement(a, b).value == pytest.approx(118 / 125)
    # π = (123 + 120) / 250 = 0.972; e = 2 · 0.972 · 0.028 = 0.054432.
    assert gwets_ac1(a, b).value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))
    # e = (123 · 120 + 2 · 5) / 125² = 0.94528.
    assert cohens_kappa(a, b).value == pytest.approx((0.944 - 0.94528) / (1 - 0.94528))


def test_ac1_knows_labels_that_nobody_gave():
    a, b = [3, 3, 0, 0], [3, 0, 0, 0]
    # π = 3/8 and 5/8: e = 2 · 15/64 / (q − 1).
    assert gwets_ac1(a, b).value == pytest.approx((0.75 - 30 / 64) / (1 - 30 / 64))
    assert gwets_ac1(a, b, labels=(-1, 0, 1, 2, 3)).value == pytest.approx((0.75 - 7.5 / 64) / (1 - 7.5 / 64))


def test_weights_follow_the_grades_and_not_the_places_of_those_that_occur():
    a, b = [3, 3, 0, -1], [3, 0, 0, 3]
    # Observed |x − y|: 3 + 4. By chance, each of a against all of b: (6 + 6 + 6 + 10) / 4.
    assert cohens_kappa(a, b, weights="linear").value == pytest.approx(1 - 7 / 7)


# Another library's figures


@given(
    arrays.arrays(np.float64, st.tuples(st.integers(2, 5), st.integers(2, 12)), elements=st.integers(-1, 4).map(float)),
    st.sampled_from(LEVELS),
)
def test_alpha_is_that_of_krippendorff(grades, level):
    grades[grades == 4] = np.nan
    pairable = grades[:, (~np.isnan(grades)).sum(axis=0) > 1]
    assume(len(set(pairable[~np.isnan(pairable)])) > 1)
    ratings = {item: {str(rater): g for rater, g in enumerate(row)} for item, row in enumerate(grades.T.tolist())}
    expected = krippendorff.alpha(grades, level_of_measurement=level)
    assert krippendorffs_alpha(ratings, level=level).value == pytest.approx(expected, abs=1e-9)


# Laws

columns = st.integers(1, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.sampled_from([-1, 0, 1, 2, 3, None]), min_size=n, max_size=n)] * 2)
)


@given(columns)
def test_values_have_their_range_and_there_is_no_nan(pair):
    for found in (*(cohens_kappa(*pair, weights=w) for w in WEIGHTS), gwets_ac1(*pair), raw_agreement(*pair)):
        assert (found.value is None) == bool(found.undefined)
        assert found.value is None or (math.isfinite(found.value) and found.value <= 1)


@given(columns)
def test_who_is_first_changes_nothing(pair):
    for weights in WEIGHTS:
        forth, back = cohens_kappa(*pair, weights=weights), cohens_kappa(*pair[::-1], weights=weights)
        assert forth.undefined == back.undefined
        assert forth.value == pytest.approx(back.value)
    assert gwets_ac1(*pair).value == pytest.approx(gwets_ac1(*pair[::-1]).value)


@given(st.lists(st.integers(-1, 3), min_size=2).filter(lambda grades: len(set(grades)) > 1))
def test_raters_of_one_mind_have_one(grades):
    for found in (*(cohens_kappa(grades, grades, weights=w) for w in WEIGHTS), gwets_ac1(grades, grades)):
        assert found.value == pytest.approx(1)
    ratings = {item: {"a": grade, "b": grade} for item, grade in enumerate(grades)}
    assert all(krippendorffs_alpha(ratings, level=level).value == pytest.approx(1) for level in LEVELS)


@given(st.dictionaries(st.integers(), st.dictionaries(st.sampled_from("abcd"), st.integers(-1, 3)), max_size=12))
def test_the_report_says_the_same_as_the_functions(ratings):
    report = agreement(ratings)
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["items"] == len(ratings)
    for pair in report.graded.pairs:
        a = [grades.get(pair.a) for grades in ratings.values()]
        b = [grades.get(pair.b) for grades in ratings.values()]
        assert pair.kappa == cohens_kappa(a, b)
        assert pair.kappa_linear.value == pytest.approx(cohens_kappa(a, b, weights="linear").value)
        assert pair.kappa_quadratic.value == pytest.approx(cohens_kappa(a, b, weights="quadratic").value)
        assert pair.raw == raw_agreement(a, b)
        assert pair.ac1.value == pytest.approx(gwets_ac1(a, b, labels=(-1, 0, 1, 2, 3)).value)
        assert pair.common == sum(x is not None and y is not None for x, y in zip(a, b, strict=True))
    assert report.graded.alpha_ordinal.value == pytest.approx(krippendorffs_alpha(ratings, level="ordinal").value)


# What has no value


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([1, 1, 1], [1, 1, 1], "one_label"),
        ([1, None, 2], [None, 1, None], "no_common"),
        ([None, "unsure", ""], [1, 2, 3], "no_grades"),
        ([1, 2], [math.nan, None], "no_grades"),
        ([], [], "no_grades"),
    ],
)
def test_undefined_with_the_reason(a, b, reason):
    undefined = Coefficient(None, reason)
    assert [cohens_kappa(a, b, weights=w) for w in WEIGHTS] == [undefined] * 3
    assert gwets_ac1(a, b) == undefined
    assert str(undefined).startswith("undefined (")
    ratings = by_item({"a": a, "b": b})
    alpha = krippendorffs_alpha(ratings)
    assert alpha == Coefficient(None, reason if reason == "one_label" else "no_pairs")
    for scale in (agreement(ratings).graded, agreement(ratings).binary):
        assert all(pair.kappa == pair.ac1 == undefined for pair in scale.pairs)
        assert (scale.alpha_interval, scale.mean_kappa.value, scale.defined) == (alpha, None, 0)


def test_ac1_of_one_label_is_undefined_also_where_others_could_be_given():
    assert gwets_ac1([2, 2], [2, 2], labels=(-1, 0, 1, 2, 3)) == Coefficient(None, "one_label")


def test_one_label_each_but_not_the_same_is_no_agreement_at_all():
    assert cohens_kappa([3, 3], [0, 0]).value == 0
    assert raw_agreement([3, 3], [0, 0]).value == 0


def test_a_pair_without_common_items_does_not_touch_the_others():
    found = agreement({1: {"a": 3, "b": 3}, 2: {"a": 0, "b": 0}, 3: {"c": 1}, 4: {"c": "unsure", "a": None}})
    assert [(p.a, p.b, p.common, p.kappa.undefined) for p in found.graded.pairs] == [
        ("a", "b", 2, ""),
        ("a", "c", 0, "no_common"),
        ("b", "c", 0, "no_common"),
    ]
    assert (found.graded.mean_kappa.value, found.graded.defined) == (1, 1)
    assert (found.items, found.ratings, found.missing) == (4, 5, 7)
    assert (found.graded.common, found.graded.values) == (2, 4)


def test_one_rater_alone_agrees_with_nobody():
    found = agreement({1: {"a": 3}, 2: {"a": 0}})
    assert found.graded.pairs == ()
    assert found.graded.alpha_ordinal == found.graded.mean_kappa == Coefficient(None, "no_pairs")
    assert agreement({}).raters == ()


def test_minus_one_and_zero_are_two_grades_and_both_not_relevant():
    found = agreement({1: {"a": -1, "b": 0}, 2: {"a": 1, "b": 3}, 3: {"a": 0, "b": -1}})
    assert found.graded.pairs[0].raw.value == 0
    assert found.binary.pairs[0].raw.value == found.binary.pairs[0].kappa.value == 1
    assert found.binary.labels == (0, 1)


@pytest.mark.parametrize("grade", [4, 0.5, "-2", "good", math.inf])
def test_a_grade_outside_the_scale_is_refused(grade):
    with pytest.raises(UsageError, match="grade"):
        agreement({1: {"a": grade, "b": 1}})


def test_who_gave_a_grade_outside_the_scale_to_what_is_said():
    with pytest.raises(UsageError, match=r"Rater 'b' gave 'y' the grade 5; expected one of -1, 0, 1, 2, 3\."):
        agreement({"x": {"a": 1, "b": 2}, "z": {}, "y": {"c": None, "b": 5}, "w": {"a": 7}})


@pytest.mark.parametrize("threshold", [math.nan, math.inf, -math.inf])
def test_a_threshold_is_finite(threshold):
    with pytest.raises(UsageError, match="expected a finite number"):
        agreement({1: {"a": 1, "b": 1}}, threshold=threshold)


def test_weights_and_levels_that_there_are_not_are_named():
    with pytest.raises(UsageError, match="no weights 'cubic'; expected one of unweighted, linear, quadratic"):
        cohens_kappa([1, 2], [1, 2], weights="cubic")
    with pytest.raises(UsageError, match="no level of measurement 'ratio'; expected one of nominal"):
        krippendorffs_alpha({1: {"a": 1, "b": 2}}, level="ratio")


@pytest.mark.parametrize("unit", [1e200, 1.7e308 / 3, 1e-200, -1e200])
def test_the_unit_of_the_grades_does_not_matter(unit):
    a, b = [1, 2, 3, 1], [1, 3, 3, 2]
    far = [[unit * grade for grade in grades] for grades in (a, b)]
    for weights in WEIGHTS:
        assert cohens_kappa(*far, weights=weights).value == pytest.approx(cohens_kappa(a, b, weights=weights).value)
    for level in LEVELS:
        found = [krippendorffs_alpha(by_item({"a": x, "b": y}), level=level).value for x, y in (far, (a, b))]
        assert found[0] == pytest.approx(found[1])


def test_raters_may_be_names_and_numbers():
    assert agreement({1: {"a": 1, 3: 1}, 2: {"a": 0, 3: 0}}).raters == (3, "a")


def test_without_a_mean_kappa_each_reason_counts():
    found = agreement({1: {"a": 1, "b": 1}, 2: {"c": 2}})
    assert {pair.kappa.undefined for pair in found.graded.pairs} == {"one_label", "no_common"}
    assert found.graded.mean_kappa == Coefficient(None, "no_kappa")
    assert "each pair for a reason of its own" in str(found.graded.mean_kappa)


def test_grades_of_different_items_cannot_be_compared():
    with pytest.raises(UsageError, match="2 grades against 1"):
        cohens_kappa([1, 2], [1])


@pytest.mark.parametrize(("raters", "items"), [(2, 25_000), (20, 2_500), (100, 500)])
def test_fifty_thousand_ratings_take_less_than_a_second(raters, items):
    grades = np.random.default_rng(42).integers(-1, 4, (items, raters)).tolist()
    ratings = {item: {f"r{rater}": grade for rater, grade in enumerate(row)} for item, row in enumerate(grades)}
    start = time.process_time()
    found = agreement(ratings)
    # Processor time, so that a busy machine does not count.
    assert time.process_time() - start < 1
    assert found.ratings == 50_000
    assert abs(found.graded.alpha_ordinal.value) < 0.05
