"""Laws that hold for all qrels and runs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.evaluate import DEFAULT_MEASURES, Measure, Rules, compare_runs, evaluate
from oncosearch.model import Qrels, Run
from tests.evaluate.small import NODES, cases, grades_of_a_topic, judged, pairs_of_runs, slow_value

# A loaded machine is no broken law.
patiently = settings(deadline=None)
MEASURES = (*DEFAULT_MEASURES, Measure("nDCG"), Measure("MAP", 3), Measure("MRR", 3))


def in_order(hits):
    """Return ids by (−score, id), each once."""
    return list(dict.fromkeys(node for node, _ in sorted(hits, key=lambda hit: (-hit[1], hit[0]))))


@patiently
@given(cases)
def test_values_are_those_of_the_definitions(case):
    qrels, run = case
    found = evaluate(qrels, [run], MEASURES)
    for m, measure in enumerate(MEASURES):
        for t, topic in enumerate(found.topics):
            expected = slow_value(measure.name, measure.cutoff, in_order(run.rankings[topic]), qrels.grades[topic])
            assert found.values[0, m, t] == pytest.approx(expected, abs=1e-12), (measure, topic)


@patiently
@given(cases)
def test_values_and_intervals_lie_between_0_and_1(case):
    qrels, run = case
    found = evaluate(qrels, [run], MEASURES)
    for array in (found.values, found.means, found.lower, found.upper):
        kept = array[~np.isnan(array)]
        assert ((kept >= 0) & (kept <= 1)).all()
    assert np.isnan(found.lower).all() == (len(found.topics) < 2)
    if len(found.topics) > 1:
        assert (found.lower <= found.upper).all()


@patiently
@given(judged, st.integers(1, 30))
def test_a_perfect_ranking_is_worth_1(qrels, k):
    best = {
        topic: tuple((node, float(grade)) for node, grade in sorted(grades.items(), key=lambda pair: -pair[1]))
        for topic, grades in qrels.grades.items()
    }
    found = evaluate(qrels, [Run("best", best)], [Measure("nDCG", k), Measure("nDCG"), Measure("MRR"), Measure("MAP")])
    assert (found.values == 1).all()
    assert (evaluate(qrels, [Run("best", best)], [Measure("recall", 8), Measure("judged", k)]).values == 1).all()


@patiently
@given(pairs_of_runs, st.permutations(NODES), st.permutations("tuvw"))
def test_renaming_nodes_and_topics_changes_nothing(case, nodes, topics):
    qrels, a, b = case
    node = dict(zip(NODES, nodes, strict=True))
    topic = dict(zip("tuvw", topics, strict=True))

    def spread(ranking):
        # With distinct scores no tie is left that ids could decide.
        return tuple((n, score - i / 1000) for i, (n, score) in enumerate(ranking))

    runs = [Run(tag, {t: spread(r) for t, r in run.rankings.items()}) for tag, run in (("a", a), ("b", b))]
    renamed_runs = [
        Run(run.tag, {topic[t]: tuple((node[n], s) for n, s in r) for t, r in run.rankings.items()}) for run in runs
    ]
    renamed = Qrels({topic[t]: {node[n]: g for n, g in grades.items()} for t, grades in qrels.grades.items()})
    before, after = evaluate(qrels, runs), evaluate(renamed, renamed_runs)
    for t in before.topics:
        values = after.values[:, :, after.topics.index(topic[t])]
        assert np.array_equal(before.values[:, :, before.topics.index(t)], values)
    for name in ("means", "lower", "upper"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), abs=1e-12, nan_ok=True)
    (p,), (q,) = compare_runs(before).pairs, compare_runs(after).pairs
    assert (p.p, p.permutation_p, p.verdict) == (q.p, q.permutation_p, q.verdict)


@patiently
@given(cases, st.randoms(use_true_random=False))
def test_reordering_equal_scores_changes_nothing(case, random):
    qrels, run = case
    mixed = {
        topic: tuple(sorted(random.sample(ranking, len(ranking)), key=lambda hit: -hit[1]))
        for topic, ranking in run.rankings.items()
    }
    assert np.array_equal(evaluate(qrels, [run], MEASURES).values, evaluate(qrels, [Run("a", mixed)], MEASURES).values)


@patiently
@given(grades_of_a_topic, st.permutations(NODES))
def test_a_constant_scorer_gains_nothing_from_the_order_it_gives(grades, order):
    qrels = Qrels({"t": grades})
    constant, by_id = (Run("c", {"t": tuple((node, 0.5) for node in nodes)}) for nodes in (order, sorted(NODES)))
    assert np.array_equal(evaluate(qrels, [constant]).values, evaluate(qrels, [by_id]).values)


@patiently
@given(cases, st.sets(st.sampled_from(NODES)))
def test_duplicates_are_as_if_they_had_never_been_found_or_judged(case, marked):
    qrels, run = case
    without = Qrels({t: {n: g for n, g in grades.items() if n not in marked} for t, grades in qrels.grades.items()})
    if not any(g >= 1 for grades in without.grades.values() for g in grades.values()):
        return
    clean = Run("a", {t: tuple(hit for hit in r if hit[0] not in marked) for t, r in run.rankings.items()})
    found = evaluate(qrels, [run], MEASURES, duplicates=dict.fromkeys(qrels.grades, marked))
    assert np.array_equal(found.values, evaluate(without, [clean], MEASURES).values)


@patiently
@given(cases)
def test_the_gain_of_a_grade_is_2_to_it_minus_1(case):
    # So that nDCG with our gain rests on trec_eval's figures, which take the grade itself.
    qrels, run = case
    gains = Qrels({t: {n: 2 ** max(g, 0) - 1 for n, g in grades.items()} for t, grades in qrels.grades.items()})
    measures = [Measure("nDCG", k) for k in (1, 3, 10)]
    ours, theirs = evaluate(qrels, [run], measures), evaluate(gains, [run], measures, rules=Rules(gain="linear"))
    assert ours.values == pytest.approx(theirs.values, abs=1e-12)


@patiently
@given(pairs_of_runs)
def test_pairs_are_the_same_from_either_side(case):
    qrels, a, b = case
    runs = Run("a", a.rankings), Run("b", b.rankings)
    (one,) = compare_runs(evaluate(qrels, runs)).pairs
    (other,) = compare_runs(evaluate(qrels, runs[::-1])).pairs
    assert (one.p, one.permutation_p, one.verdict) == (other.p, other.permutation_p, other.verdict)
    assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
    assert one.difference.mean == pytest.approx(-other.difference.mean, abs=1e-12)
    if one.difference.lower is not None:
        ends = one.difference.lower, one.difference.upper
        assert ends == pytest.approx((-other.difference.upper, -other.difference.lower), abs=1e-12)
    assert one.wins + one.ties + one.losses == len(qrels.grades)
    if one.effect is not None:
        assert -1 <= one.effect <= 1
        assert one.effect == pytest.approx(-other.effect)
