"""Small qrels and runs, a slow and plain second way to every figure, and strategies for laws."""

import math

from hypothesis import strategies as st

from oncosearch.model import Qrels, Run

NODES = [f"n{i}" for i in range(12)]


def run_of(tag, **rankings):
    """Return a run of ids in order, scored 1, 1/2, 1/3 …"""
    return Run(tag, {t: tuple((node, 1 / rank) for rank, node in enumerate(ids, 1)) for t, ids in rankings.items()})


def slow_value(name, cutoff, ids, grades):
    """Return the value of a measure for ids in rank order, straight from the definitions."""
    relevant = sum(grade >= 1 for grade in grades.values())
    k = len(ids) if cutoff is None else cutoff
    top = ids[:k]
    hits = [grades.get(node, 0) >= 1 for node in top]
    if name == "P":
        return sum(hits) / k
    if name == "recall":
        return sum(hits) / relevant
    if name == "MRR":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if name == "MAP":
        return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / relevant
    if name == "judged":
        return sum(node in grades for node in top) / max(1, len(top))
    best = sorted(grades.values(), reverse=True)[:cutoff]
    return dcg([grades.get(node, 0) for node in top]) / dcg(best)


def dcg(grades):
    return sum((2 ** max(grade, 0) - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


grades_of_a_topic = st.dictionaries(st.sampled_from(NODES), st.integers(-1, 3), min_size=1, max_size=8).filter(
    lambda grades: max(grades.values()) >= 1
)
# Few scores, so that ties are common.
rankings = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from([0.1, 0.5, 0.9])), max_size=15).map(
    lambda hits: tuple(sorted(hits, key=lambda hit: -hit[1]))
)
judged = st.dictionaries(st.sampled_from("tuvw"), grades_of_a_topic, min_size=1).map(Qrels)


def runs_over(qrels):
    return st.fixed_dictionaries({topic: rankings for topic in qrels.grades}).map(lambda r: Run("a", r))


cases = judged.flatmap(lambda qrels: st.tuples(st.just(qrels), runs_over(qrels)))
pairs_of_runs = judged.flatmap(lambda qrels: st.tuples(st.just(qrels), runs_over(qrels), runs_over(qrels)))
