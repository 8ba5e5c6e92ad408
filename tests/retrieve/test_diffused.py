import numpy as np
import pytest

from oncosearch.model import Parameters
from oncosearch.retrieve import Question
from oncosearch.retrieve.diffused import HIERARCHY_WEIGHT, SMOOTHING, diffuse, transition
from tests.small import SIX, graph_of, node, resources, unit

VECTORS = [unit(0.6, 0.8), unit(0.8, 0.6), unit(0, 1), unit(1, 0), unit(0.28, 0.96), unit(-1, 0)]
WORDS = np.array([0, 1, 0, 4, 2, 0.0])
ASKED = Question("q", unit(1, 0), Parameters())


def test_rows_sum_to_one_and_what_edges_leave_stays_with_the_node():
    matrix = transition(graph_of(SIX)).toarray()
    assert matrix.sum(axis=1) == pytest.approx(np.ones(6))
    h = HIERARCHY_WEIGHT
    # a: two children; d: two parents and one cross-link, whose weights exceed 1 and are scaled; f: alone.
    assert matrix[0] == pytest.approx([1 - 2 * h, h, h, 0, 0, 0])
    assert matrix[3] == pytest.approx(np.array([0, h, h, 0, 1, 0]) / (1 + 2 * h))
    assert matrix[5] == pytest.approx([0, 0, 0, 0, 0, 1])


def test_scores_are_the_sum_of_both_standardised_smoothed_signals():
    graph = graph_of(SIX)
    found = diffuse(resources(graph, VECTORS, WORDS), ASKED, 6, None)
    matrix = transition(graph).toarray().astype(np.float64)
    expected = np.zeros(6)
    own = np.zeros(6)
    for signal in (np.array([v[0] for v in VECTORS], np.float64), WORDS):
        smooth = (1 - SMOOTHING) * signal + SMOOTHING * matrix @ signal
        expected += (smooth - smooth.mean()) / smooth.std()
        own += (1 - SMOOTHING) * (signal - smooth.mean()) / smooth.std()
    got = np.empty(6)
    got[found.nodes] = found.scores
    assert got == pytest.approx(expected, abs=1e-4)
    got[found.nodes] = found.own
    assert got == pytest.approx(own, abs=1e-4)
    assert found.own + found.around == pytest.approx(found.scores)
    assert found.nodes.tolist() == np.argsort(-expected).tolist()


def test_two_steps_reach_two_links_away():
    chain = graph_of([node("a", links=["b"]), node("b", links=["c"]), node("c")])
    words = np.array([0, 0, 3.0])
    at_hand = resources(chain, [unit(1, 0)] * 3, words)
    one = diffuse(at_hand, ASKED, 3, None, steps=1)
    two = diffuse(at_hand, ASKED, 3, None, steps=2)
    rank_of_a = {steps: found.nodes.tolist().index(0) for steps, found in ((1, one), (2, two))}
    assert rank_of_a[1] == 2
    score = {steps: found.scores[rank_of_a[steps]] for steps, found in ((1, one), (2, two))}
    assert score[2] > score[1]


def test_neighbours_say_who_gave_most():
    graph = graph_of(SIX)
    found = diffuse(resources(graph, VECTORS, WORDS), ASKED, 6, None)
    shares = found.neighbours(found.nodes.tolist().index(graph.index("e")))
    assert graph.ids[shares[0][0]] == "d"
    assert all(share > 0 for _, share in shares)


def test_a_restricted_search_scores_as_the_whole_one():
    graph = graph_of(SIX)
    at_hand = resources(graph, VECTORS, WORDS)
    whole = diffuse(at_hand, ASKED, 6, None)
    allowed = np.zeros(6, bool)
    allowed[[1, 4]] = True
    part = diffuse(at_hand, ASKED, 6, allowed)
    scores = dict(zip(whole.nodes.tolist(), whole.scores, strict=True))
    assert set(part.nodes.tolist()) == {1, 4}
    assert [scores[i] for i in part.nodes.tolist()] == pytest.approx(part.scores.tolist(), abs=1e-5)
