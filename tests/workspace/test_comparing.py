import pytest

from oncosearch.model import Filters
from oncosearch.workspace.columns import Column
from oncosearch.workspace.comparing import answer_columns, judge, pairs

QUERY = "Osimertinib bei EGFR Exon 19 Deletion"
COLUMNS = (Column.of("grag", "e5-small"), Column.of("lexical", None), Column.of("dense", "qwen34b"))


@pytest.fixture(scope="module")
def answers(demo):
    key = demo.default_snapshot().key
    return answer_columns(demo, COLUMNS, f"  {QUERY} ", key, top=10, filters=Filters(), language="de")


def test_every_column_answers_or_says_why_not(answers):
    assert [a.letter for a in answers] == ["A", "B", "C"]
    assert [a.readiness.state for a in answers] == ["ready", "ready", "model_unavailable"]
    assert [len(a.shown) for a in answers] == [10, 10, 0]
    assert answers[2].readiness.command
    for answer in answers[:2]:
        assert tuple(h.node_id for h in answer.ranking.hits[:10]) == answer.shown
        assert answer.rank_of(answer.ranking.hits[14].node_id) == 15


def test_pairs_are_of_columns_that_answer(answers):
    (pair,) = pairs(answers, 10)
    assert (pair.a, pair.b) == (0, 1)
    assert pair.likeness.common == len(set(answers[0].shown) & set(answers[1].shown))
    assert pair.likeness.overlap == pair.likeness.common / 10


def test_a_refused_question_is_said_in_every_column(demo):
    key = demo.default_snapshot().key
    found = answer_columns(demo, COLUMNS[:2], "und der die", key, top=5, filters=Filters(), language="de")
    assert [a.error.code for a in found] == ["stop_words_only"] * 2
    assert pairs(found, 5) == ()


def test_measures_and_what_was_missed(answers):
    grag = answers[0]
    first, last, below = grag.shown[0], grag.shown[-1], grag.ranking.hits[20].node_id
    found = judge(grag, {first: 3, below: 2, "unheard-of": 1, last: 0})
    values = {str(measure): value for measure, value in found.values}
    assert values["P@5"] == pytest.approx(0.2)
    assert values["recall@10"] == pytest.approx(1 / 3)
    assert [(m.node_id, m.grade, m.rank) for m in found.missed] == [(below, 2, 21), ("unheard-of", 1, None)]
    without = judge(grag, {first: 3, below: 2}, duplicates=[below])
    assert without.missed == ()


def test_nothing_relevant_and_no_answer_are_not_measured(answers):
    assert judge(answers[0], {answers[0].shown[0]: 0}) is None
    assert judge(answers[2], {"a": 3}) is None
