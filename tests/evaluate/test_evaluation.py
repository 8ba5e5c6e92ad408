import time

import numpy as np
import pytest

from oncosearch.evaluate import DEFAULT_MEASURES, TREC_RULES, Estimate, Measure, compare_runs, evaluate
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.rankings import Removed
from oncosearch.evaluate.rules import RULES, Rules
from oncosearch.model import Qrels, Run, UsageError
from tests.evaluate.small import run_of

P2 = [Measure("P", 2)]


def test_ranks_close_up_after_duplicates_and_repeated_ids():
    qrels = Qrels({"t": {"a": 1, "b": 1, "c": 2}})
    run = run_of("r", t=["a", "a", "twin", "b", "c"])
    assert evaluate(qrels, [run], P2).means[0, 0] == 0.5
    found = evaluate(qrels, [run], P2, duplicates={"t": {"twin"}, "u": {"a"}})
    assert found.means[0, 0] == 1
    assert found.removed == {"r": Removed(duplicates=1, repeated=1)}


def test_a_repeated_id_counts_at_its_first_place():
    qrels = Qrels({"t": {"a": 1, "b": 1}})
    once, twice = run_of("r", t=["x", "a", "b"]), run_of("r", t=["x", "a", "a", "b", "x"])
    assert np.array_equal(evaluate(qrels, [once]).values, evaluate(qrels, [twice]).values)


def test_the_grade_of_a_duplicate_does_not_count():
    qrels = Qrels({"t": {"a": 1, "twin": 1}, "u": {"twin": 3}})
    found = evaluate(qrels, [run_of("r", t=["a"])], [Measure("recall", 5)], duplicates={"t": ["twin"], "u": ["twin"]})
    assert found.means[0, 0] == 1
    assert found.duplicate_grades == 2
    assert found.left_out == {"u": "no_relevant"}


def test_topics_without_a_relevant_node_are_left_out_and_counted():
    qrels = Qrels({"t": {"a": 1}, "none": {"a": 0, "b": -1}, "empty": {}})
    found = evaluate(qrels, [run_of("r", t=["a"], none=["a"])], [Measure("MRR")])
    assert found.topics == ("t",)
    assert found.left_out == {"empty": "no_relevant", "none": "no_relevant"}
    assert found.means[0, 0] == 1


def test_a_judged_topic_that_a_run_lacks_counts_zero():
    qrels = Qrels({"t": {"a": 1}, "u": {"a": 1}})
    found = evaluate(qrels, [run_of("half", t=["a"]), run_of("whole", t=["a"], u=["a"]), Run("nothing", {})])
    assert found.of("half", "MRR").tolist() == [1, 0]
    assert found.missing == {"half": ("u",), "whole": (), "nothing": ("t", "u")}
    assert found.means[:, found.column("MRR")].tolist() == [0.5, 1, 0]


def test_topics_that_nobody_judged_are_not_looked_at():
    qrels = Qrels({"t": {"a": 1}})
    found = evaluate(qrels, [run_of("r", t=["a"], other=["x"], more=["y"])])
    assert found.not_judged == {"r": 2}
    assert found.topics == ("t",)


def test_equal_scores_stand_in_the_order_of_ids():
    qrels = Qrels({"t": {"b": 1}})
    run = Run("r", {"t": (("c", 0.5), ("b", 0.5), ("a", 0.5), ("0", 0.1))})
    assert evaluate(qrels, [run]).of("r", "MRR").tolist() == [1 / 2]
    c = Qrels({"t": {"c": 1}})
    assert evaluate(c, [run]).of("r", "MRR").tolist() == [1 / 3]
    assert evaluate(c, [run], rules=TREC_RULES).of("r", "MRR").tolist() == [1]


def test_a_node_that_the_query_names_keeps_its_first_place():
    run = Run("r", {"t": (("named", 0.2), ("a", 0.9), ("b", 0.1))})
    assert evaluate(Qrels({"t": {"named": 1}}), [run]).of("r", "MRR").tolist() == [1]


def test_the_interval_is_the_percentile_bootstrap_of_the_definition():
    values = np.sort(np.random.default_rng(1).random(25))
    drawn = np.random.default_rng(42).integers(0, 25, (1000, 25))
    expected = np.percentile(values[drawn].mean(axis=1), [2.5, 97.5])
    lower, upper = bootstrap_intervals(values[None, ::-1], RULES)
    assert [lower[0], upper[0]] == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("shift", [0.02, -0.02, 0.0])
def test_the_interval_of_the_negated_values_is_the_mirror(shift):
    values = np.random.default_rng(1).normal(0, 0.1, (1, 40)) + shift
    values = np.concatenate((values, values - values.mean(), [[0.1, -0.1] * 20], [[0.0] * 40]))
    (lower, upper), (low, high) = bootstrap_intervals(values, RULES), bootstrap_intervals(-values, RULES)
    assert lower.tolist() == pytest.approx((-high).tolist(), abs=1e-12)
    assert upper.tolist() == pytest.approx((-low).tolist(), abs=1e-12)
    assert (lower[:3] < upper[:3]).all()
    assert -0.1 < lower[2] < 0 < upper[2] < 0.1


def test_the_interval_covers_the_mean_about_as_often_as_it_says():
    random = np.random.default_rng(3)
    lower, upper = bootstrap_intervals(random.random((400, 60)), Rules(resamples=400))
    assert 0.91 <= ((lower <= 0.5) & (upper >= 0.5)).mean() <= 0.98


def test_seed_and_resamples_are_those_of_the_rules():
    values = np.random.default_rng(1).random((1, 30))
    assert bootstrap_intervals(values, RULES) == bootstrap_intervals(values, Rules(seed=42, resamples=1000))
    assert bootstrap_intervals(values, RULES) != bootstrap_intervals(values, Rules(seed=43))


def test_one_topic_has_no_interval():
    found = evaluate(Qrels({"t": {"a": 1}}), [run_of("r", t=["a"])])
    assert found.estimate("r", "MRR") == Estimate(1.0, None, None)


@pytest.mark.parametrize(
    ("qrels", "runs", "measures", "code"),
    [
        ({"t": {"a": 1}}, [], P2, "no_run"),
        ({"t": {"a": 1}}, [run_of("r"), run_of("r")], P2, "run_twice"),
        ({"t": {"a": 1}}, [run_of("r")], [], "no_measure"),
        ({"t": {"a": 0}}, [run_of("r", t=["a"])], P2, "nothing_relevant"),
        ({}, [run_of("r")], P2, "nothing_relevant"),
        ({"t": {"a": 1}}, [run_of("r", T1=["a"])], P2, "topics_apart"),
        ({"t": {"a": 1.5}}, [run_of("r", t=["a"])], P2, "usage"),
        ({"t": {"a": 99}}, [run_of("r", t=["a"])], P2, "usage"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(qrels, runs, measures, code):
    with pytest.raises(UsageError) as error:
        evaluate(Qrels(qrels), runs, measures)
    assert error.value.code == code


def test_what_a_grade_may_be_is_said():
    with pytest.raises(UsageError, match="the grade 99; expected a whole number from -100 to 30"):
        evaluate(Qrels({"t": {"a": 99}}), [run_of("r", t=["a"])], P2)


def test_a_measure_that_was_not_measured_is_named():
    found = evaluate(Qrels({"t": {"a": 1}}), [run_of("r", t=["a"])], P2)
    with pytest.raises(UsageError, match=r"nDCG@10 was not measured; measured were P@2"):
        compare_runs(found)


def test_a_thousand_topics_of_a_thousand_hits_take_a_moment():
    topics = [f"t{i:04}" for i in range(1000)]
    ranking = tuple((f"n{i}", 1 - i / 1000) for i in range(1000))
    random = np.random.default_rng(0)
    qrels = Qrels({t: {f"n{i}": int(i) % 4 for i in random.choice(2000, 50, replace=False)} for t in topics})
    runs = [Run(f"r{i}", dict.fromkeys(topics, ranking[i:])) for i in range(2)]
    start = time.process_time()
    evaluate(qrels, runs)
    # Twenty runs are to take seconds; two took 0.5 s of one core when this was written.
    assert time.process_time() - start < 4


def test_twenty_runs_are_compared_in_a_moment():
    random = np.random.default_rng(0)
    qrels = Qrels({f"t{i}": {f"n{j}": 1 + j % 3 for j in range(5)} for i in range(1000)})
    orders = [tuple((f"n{j}", 1 - r / 20) for r, j in enumerate(random.permutation(20))) for _ in range(50)]
    runs = [Run(f"r{i}", {t: orders[random.integers(50)] for t in qrels.grades}) for i in range(20)]
    start = time.process_time()
    found = compare_runs(evaluate(qrels, runs, DEFAULT_MEASURES))
    assert len(found.pairs) == 190
    assert time.process_time() - start < 15
