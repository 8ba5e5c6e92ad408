import math

import pytest

from oncosearch.evaluate import DEFAULT_MEASURES, Measure, evaluate, parse_measures
from oncosearch.model import Qrels, Run, UsageError
from tests.evaluate.small import run_of

QRELS = Qrels({"t": {"a": 3, "b": 2, "c": 1, "d": 0, "e": -1}})


def value(measure, qrels, run, **more):
    return evaluate(qrels, [run], [Measure.parse(measure)], **more).values[0, 0, 0]


# c, a node without a grade, a, the node graded −1, b: gains 1, 0, 7, 0, 3 against 7, 3, 1.
@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG@1", 1 / 7),
        ("nDCG@3", (1 + 7 / 2) / (7 + 3 / math.log2(3) + 1 / 2)),
        ("nDCG@5", (1 + 7 / 2 + 3 / math.log2(6)) / (7 + 3 / math.log2(3) + 1 / 2)),
        ("nDCG@20", 0.602650),
        ("nDCG", 0.602650),
        ("P@1", 1),
        ("P@3", 2 / 3),
        ("P@5", 3 / 5),
        ("P@10", 3 / 10),
        ("recall@1", 1 / 3),
        ("recall@3", 2 / 3),
        ("recall@10", 1),
        ("MRR", 1),
        ("MAP", (1 / 1 + 2 / 3 + 3 / 5) / 3),
        ("MAP@3", (1 / 1 + 2 / 3) / 3),
        ("judged@3", 2 / 3),
        ("judged@10", 4 / 5),
    ],
)
def test_one_ranking_by_hand(measure, expected):
    assert value(measure, QRELS, run_of("r", t=["c", "x", "a", "e", "b"])) == pytest.approx(expected, abs=1e-6)


def test_a_node_graded_minus_one_gains_nothing_and_costs_no_more_than_one_without_a_grade():
    bad, unknown = run_of("r", t=["e", "a"]), run_of("r", t=["x", "a"])
    for measure in ("nDCG@10", "P@5", "recall@5", "MRR", "MAP"):
        assert value(measure, QRELS, bad) == value(measure, QRELS, unknown)
    assert value("judged@10", QRELS, bad) == 1
    assert value("judged@10", QRELS, unknown) == 0.5


def test_rounding_carries_no_value_above_1():
    # Sums close below 2^38, where equal small gains are rounded up or down with the rank.
    grades, total, grade = [], 0.0, 30
    while grade:
        gain = (2.0**grade - 1) / math.log2(len(grades) + 2)
        if total + gain < 2.0**38 - 0.17135593220338982:
            total += gain
            grades.append(grade)
        else:
            grade -= 1
    # In the best order these four would be 2, 1, 1, 1.
    found = [1, 1, 1, 2]
    ids = [f"n{i:05}" for i in range(len(grades) + 4)]
    qrels = Qrels({"t": dict(zip(ids, grades + found, strict=True))})
    assert value("nDCG", qrels, run_of("r", t=ids)) == 1


def test_the_first_relevant_node_decides_mrr():
    assert value("MRR", QRELS, run_of("r", t=["d", "e", "x", "c", "a"])) == 1 / 4
    assert value("MRR@3", QRELS, run_of("r", t=["d", "e", "x", "c", "a"])) == 0


def test_a_ranking_without_hits_is_worth_nothing():
    found = evaluate(QRELS, [Run("r", {"t": ()})])
    assert not found.values.any()


def test_what_the_issue_names_is_measured_by_default():
    assert [str(m) for m in DEFAULT_MEASURES] == [
        *(f"nDCG@{k}" for k in (1, 3, 5, 10, 20)),
        *(f"P@{k}" for k in (1, 3, 5, 10)),
        *(f"recall@{k}" for k in (1, 3, 5, 10)),
        "MRR",
        "MAP",
        "judged@10",
    ]


@pytest.mark.parametrize("measure", [*DEFAULT_MEASURES, Measure("nDCG"), Measure("MAP", 100), Measure("MRR", 10)])
def test_a_measure_prints_and_parses(measure):
    assert Measure.parse(str(measure)) == measure


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("NDCG@10", "nDCG@10"),
        ("ndcg_cut_10", "nDCG@10"),
        ("P_5", "P@5"),
        ("Recall@5", "recall@5"),
        ("R@5", "recall@5"),
        ("RR", "MRR"),
        ("recip_rank", "MRR"),
        ("AP", "MAP"),
        ("map", "MAP"),
        ("Judged@10", "judged@10"),
        (" MAP ", "MAP"),
    ],
)
def test_other_ways_to_write_a_measure(written, meant):
    assert str(Measure.parse(written)) == meant


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("F1@10", "There is no measure 'F1@10'"),
        ("nDCG@", "There is no measure 'nDCG@'"),
        ("nDCG@x", "There is no measure"),
        ("", "There is no measure"),
        ("P", "Measure 'P' needs a cutoff, such as P@10"),
        ("judged", "needs a cutoff"),
        ("nDCG@0", "does not lie between 1 and 10,000"),
        ("P@99999999", "does not lie between"),
        ("{0}", "There is no measure '{0}'"),
    ],
)
def test_an_unknown_measure_is_named_with_those_that_are_known(written, said):
    with pytest.raises(UsageError) as error:
        Measure.parse(written)
    assert said in str(error.value)
    assert "nDCG, nDCG@k, P@k, recall@k, MRR, MRR@k, MAP, MAP@k, judged@k" in str(error.value)
    assert error.value.code == "unknown_measure"


def test_a_list_of_measures_is_separated_by_spaces_or_commas():
    assert [str(m) for m in parse_measures("nDCG@10, P@5  MRR RR;map")] == ["nDCG@10", "P@5", "MRR", "MAP"]
    with pytest.raises(UsageError, match="names no measure"):
        parse_measures(" , ")
