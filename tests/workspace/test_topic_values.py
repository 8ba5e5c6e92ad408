import pytest

from oncosearch.evaluate import Measure
from oncosearch.model import Qrels
from oncosearch.workspace import Topic
from oncosearch.workspace.columns import Column
from oncosearch.workspace.topic_runs import ColumnRun, TopicSet
from oncosearch.workspace.topic_values import evaluate_columns, mean_likeness, topic_rows
from tests.workspace.homes import KEY

TOPICS = TopicSet("own", (Topic("1", "eins"), Topic("2", "zwei"), Topic("3", "drei")))
LANES = (("A", Column.of("lexical", None)), ("C", Column.of("dense", "minilm")))
NDCG = Measure("nDCG", 10)


def run_of(**rankings):
    scored = {topic: tuple((node, -rank) for rank, node in enumerate(nodes)) for topic, nodes in rankings.items()}
    return ColumnRun({topic.removeprefix("t"): hits for topic, hits in scored.items()}, {})


FIRST = run_of(t1="abc", t2="xyz", t3="k")
SECOND = run_of(t1="bac", t2="xyz")
QRELS = Qrels({"1": {"a": 3, "b": 0}, "2": {"x": 1}, "3": {"k": 1}, "unheard": {"a": 1}})


def test_only_topics_that_all_columns_have_are_measured():
    found = evaluate_columns(KEY, LANES, (FIRST, SECOND), TOPICS, QRELS, {})
    assert found.topics == ("1", "2")
    assert found.runs == ("A", "C")
    assert found.of("A", NDCG).tolist() == [1, 1]
    assert found.of("C", NDCG)[0] == pytest.approx(0.6309298)


def test_duplicates_are_taken_out():
    found = evaluate_columns(KEY, LANES, (FIRST, SECOND), TOPICS, QRELS, {"1": frozenset("b")})
    assert found.of("C", NDCG).tolist() == [1, 1]


def test_without_a_relevant_node_there_is_nothing_to_measure():
    assert evaluate_columns(KEY, LANES, (FIRST, SECOND), TOPICS, Qrels({"1": {"a": 0}}), {}) is None
    assert evaluate_columns(KEY, LANES, (FIRST, SECOND), TOPICS, Qrels({"3": {"k": 3}}), {}) is None


def test_rows_by_topic():
    found = evaluate_columns(KEY, LANES, (FIRST, SECOND), TOPICS, QRELS, {})
    rows = topic_rows((FIRST, SECOND), TOPICS, (0, 1), found, NDCG)
    assert [(row.topic_id, row.a, row.likeness and row.likeness.common) for row in rows] == [
        ("1", 1.0, 3),
        ("2", 1.0, 3),
        ("3", None, None),
    ]
    assert rows[0].difference == pytest.approx(0.6309298 - 1)
    turned = topic_rows((FIRST, SECOND), TOPICS, (1, 0), found, NDCG)
    assert turned[0].difference == -rows[0].difference
    assert all(row.a is None for row in topic_rows((FIRST, SECOND), TOPICS, (0, 1), None, NDCG))


def test_the_mean_of_likeness_is_over_common_topics():
    found, topics = mean_likeness((FIRST, SECOND), TOPICS, (0, 1))
    assert topics == 2
    assert found.overlap == 1
    assert found.tau == pytest.approx((1 / 3 + 1) / 2)
    assert mean_likeness((FIRST, run_of()), TOPICS, (0, 1)) is None
