import numpy as np
import pytest
from scipy import stats

from oncosearch.evaluate import Measure, compare_runs, evaluate
from oncosearch.evaluate.rules import RULES
from oncosearch.evaluate.significance import adjusted, sign_flip_p, signed_rank
from oncosearch.model import Qrels
from tests.evaluate.small import run_of

# Table 6 of the paper: p and q as printed.
PAPER = [
    *[(0.0, 0.0)] * 5,
    (0.010432, 0.026079),
    (0.013442, 0.028804),
    (0.016160, 0.030300),
    (0.030735, 0.051225),
    (0.226617, 0.339926),
    (0.552851, 0.753887),
    (0.714249, 0.798198),
    (0.720351, 0.798198),
    (0.744985, 0.798198),
    (0.986493, 0.986493),
]


def values_of(a, b):
    """Return the evaluation of two runs that have, topic by topic, these ranks of the one relevant node."""
    topics = [f"t{i:02}" for i in range(len(a))]

    def ranked(tag, ranks):
        return run_of(tag, **{t: [*(f"x{i}" for i in range(r - 1)), "a"] for t, r in zip(topics, ranks, strict=True)})

    return evaluate(Qrels({t: {"a": 1} for t in topics}), [ranked("a", a), ranked("b", b)])


def test_adjusted_values_of_the_paper_come_out():
    p, q = zip(*PAPER, strict=True)
    assert adjusted(p).tolist() == pytest.approx(list(q), abs=2e-6)


def test_a_signed_rank_sum_by_hand():
    # |d| ranks 1, 2.5, 2.5, 4; W− = 1, W+ = 9. Of 16 ways to sign, W ≤ 1 holds for two ({} and {1}).
    found = signed_rank(np.array([-0.1, 0.2, 0.2, 0.3, 0.0]))
    assert (found.above, found.below, found.p, found.method) == (9, 1, 2 * 2 / 16, "exact")


@pytest.mark.parametrize("n", [6, 11, 25, 50])
def test_without_ties_p_is_that_of_scipy(n):
    differences = np.random.default_rng(n).normal(0.3, 1, n)
    found = signed_rank(differences)
    assert found.method == "exact"
    assert found.p == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_with_ties_p_is_that_of_all_signs(seed):
    differences = np.random.default_rng(seed).choice([-0.2, -0.1, 0.1, 0.2, 0.3], 8)
    expected = stats.wilcoxon(differences, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue
    assert signed_rank(differences).p == pytest.approx(expected, abs=1e-12)


def test_above_fifty_differences_p_is_the_normal_approximation():
    differences = np.random.default_rng(5).choice([-0.2, -0.1, 0, 0.1, 0.2, 0.3], 90)
    found = signed_rank(differences)
    assert found.method == "normal"
    assert found.p == pytest.approx(stats.wilcoxon(differences, method="asymptotic").pvalue, rel=1e-9)


@pytest.mark.parametrize(("n", "method"), [(50, "exact"), (51, "normal")])
def test_fifty_differences_are_the_last_to_be_counted_out(n, method):
    assert signed_rank(np.random.default_rng(1).normal(0.2, 1, n)).method == method


def test_thirteen_differences_are_the_last_of_which_all_signs_are_tried():
    assert sign_flip_p(np.ones((13, 1)), RULES)[0] == 2 / 2**13
    drawn = sign_flip_p(np.ones((14, 1)), RULES)[0]
    assert drawn * 10_000 == pytest.approx(round(drawn * 10_000), abs=1e-9)
    assert drawn != 2 / 2**14


def test_what_only_rounding_tells_apart_is_equal():
    assert signed_rank(np.array([0.1 + 0.2, 0.3]) - np.array([0.3, 0.3])).above == 0
    found = signed_rank(np.array([0.1 + 0.2, -0.3, 0.1]))
    assert (found.above, found.below) == (2.5 + 1, 2.5)


@pytest.mark.parametrize("n", [3, 9, 13])
def test_few_differences_are_permuted_exactly(n):
    differences = np.random.default_rng(n).choice([-0.2, 0.1, 0.3, 0.45], n)
    expected = stats.permutation_test(
        (differences, np.zeros(n)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    ).pvalue
    with_zeros = np.random.default_rng(0).permutation(np.concatenate((differences, np.zeros(7))))
    assert sign_flip_p(with_zeros[:, None], RULES)[0] == pytest.approx(expected, abs=1e-12)


def test_many_differences_are_permuted_by_drawing():
    differences = np.random.default_rng(0).normal(0.4, 1, 30)
    expected = stats.permutation_test(
        (differences, np.zeros(30)),
        lambda a, b, axis: np.mean(a - b, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=1,
    ).pvalue
    columns = np.column_stack((differences, np.ones(30), np.zeros(30)))
    drawn, certain, nothing = sign_flip_p(columns, RULES)
    assert drawn == pytest.approx(expected, abs=0.01)
    assert certain == 1 / 10_000
    assert nothing == 1
    assert sign_flip_p(columns, RULES)[0] == drawn


def test_drawn_signs_do_not_depend_on_the_order_of_topics():
    random = np.random.default_rng(2)
    differences = random.normal(0.3, 1, 40)
    first, second = sign_flip_p(np.column_stack((differences, random.permutation(differences))), RULES)
    assert first == second


def test_significance_is_that_of_q():
    topics = [f"t{i:02}" for i in range(11)]
    late = {"a": range(0), "b": range(6), "c": range(6, 11)}
    runs = [
        run_of(tag, **{t: [f"x{j}" for j in range(1 + i if i in where else 0)] + ["a"] for i, t in enumerate(topics)})
        for tag, where in late.items()
    ]
    pair = compare_runs(evaluate(Qrels({t: {"a": 1} for t in topics}), runs)).of("a", "b")
    assert pair.p == 2 / 2**6
    assert pair.q == pytest.approx(3 * pair.p)
    assert pair.verdict == "no"


def test_identical_runs_say_no_difference():
    (pair,) = compare_runs(values_of([1, 2, 3], [1, 2, 3])).pairs
    assert (pair.verdict, pair.p, pair.q, pair.effect, pair.permutation_p) == ("no_difference", None, None, None, None)
    assert (pair.wins, pair.ties, pair.losses, pair.difference.mean) == (0, 3, 0, 0)


def test_under_six_differing_topics_no_significance_is_possible():
    (pair,) = compare_runs(values_of([1] * 20, [2, 3, 4, 5, 6] + [1] * 15)).pairs
    assert (pair.verdict, pair.p, pair.differing) == ("too_few", 2 / 2**5, 5)
    (pair,) = compare_runs(values_of([1] * 20, [2, 3, 4, 5, 6, 7] + [1] * 14)).pairs
    assert (pair.verdict, pair.p, pair.effect) == ("yes", 2 / 2**6, 1)
    assert (pair.wins, pair.ties, pair.losses, pair.permutation_p) == (6, 14, 0, 2 / 2**6)


def test_adjustment_is_over_all_pairs_and_the_order_by_p():
    topics = [f"t{i}" for i in range(8)]
    qrels = Qrels({t: {"a": 1} for t in topics})
    worse = {t: [*(f"x{j}" for j in range(i + 1)), "a"] for i, t in enumerate(topics)}
    best = {t: ["a"] for t in topics}
    found = compare_runs(evaluate(qrels, [run_of("a", **best), run_of("b", **worse), run_of("c", **best)]))
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a", "b"), ("b", "c"), ("a", "c")]
    p = 2 / 2**8
    assert [pair.p for pair in found.pairs] == [p, p, None]
    # The identical pair stays in the family of three.
    assert found.pairs[0].q == pytest.approx(p * 3 / 2)
    assert found.pairs[2].verdict == "no_difference"
    assert found.of("c", "b").effect == -1
    assert (found.measure, found.topics) == (Measure("nDCG", 10), 8)


def test_the_interval_of_a_difference_holds_it():
    (pair,) = compare_runs(values_of([1, 2, 1, 4, 2, 1, 1], [2, 2, 3, 1, 5, 2, 1])).pairs
    assert pair.difference.lower < pair.difference.mean < pair.difference.upper


def test_one_run_has_no_pairs():
    assert compare_runs(evaluate(Qrels({"t": {"a": 1}}), [run_of("a", t=["a"])])).pairs == ()
