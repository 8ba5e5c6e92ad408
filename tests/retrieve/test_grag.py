"""Every part of score(i) = α·q·v_i + (1 − α)·λ^hop(i, s)·q·g_s, worked by hand on six nodes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.model import Parameters, UsageError
from oncosearch.retrieve import Question
from oncosearch.retrieve.grag import blend
from oncosearch.retrieve.pipelines import fuse, run_dense, run_grag, run_hybrid
from tests.small import SIX, graph_of, node, resources, unit

# v_a … v_f in the plane; the question is the first axis, so q·v is the first coordinate.
VECTORS = [unit(0.6, 0.8), unit(0.8, 0.6), unit(0, 1), unit(1, 0), unit(0.28, 0.96), unit(-1, 0)]
AXIS = unit(1, 0)


def ranked(found, graph):
    return [graph.ids[int(i)] for i in found.nodes]


def by_id(found, graph, values):
    return {graph.ids[int(i)]: float(v) for i, v in zip(found.nodes, values, strict=True)}


def question(**parameters):
    return Question("q", AXIS, Parameters(**parameters))


def test_one_seed_one_hop_every_part():
    graph = graph_of(SIX)
    found = blend(resources(graph, VECTORS), question(hops=1, seeds=1), np.array([graph.index("d")]))
    # The neighbourhood of d within one hop is d, b, c, e: the sum of their vectors is (2.08, 2.56).
    pooled = 2.08 / math.hypot(2.08, 2.56)
    assert set(ranked(found, graph)) == {"b", "c", "d", "e"}
    scores = by_id(found, graph, found.scores)
    assert scores["d"] == pytest.approx(0.6 * 1.0 + 0.4 * pooled)
    assert scores["b"] == pytest.approx(0.6 * 0.8 + 0.4 * 0.75 * pooled)
    assert scores["c"] == pytest.approx(0.6 * 0.0 + 0.4 * 0.75 * pooled)
    assert scores["e"] == pytest.approx(0.6 * 0.28 + 0.4 * 0.75 * pooled)
    assert ranked(found, graph) == ["d", "b", "e", "c"]
    assert np.allclose(found.own + found.around, found.scores)
    assert by_id(found, graph, found.similarity)["b"] == pytest.approx(0.8)
    assert by_id(found, graph, found.subgraph) == pytest.approx(dict.fromkeys("bcde", pooled))
    assert by_id(found, graph, found.hops) == {"d": 0, "b": 1, "c": 1, "e": 1}


def test_hop_counts_the_short_way_round_a_diamond():
    graph = graph_of(SIX)
    found = blend(resources(graph, VECTORS), question(hops=2, seeds=1), np.array([graph.index("d")]))
    assert by_id(found, graph, found.hops) == {"d": 0, "b": 1, "c": 1, "e": 1, "a": 2}


def test_of_two_seeds_the_better_score_counts_and_its_seed_is_kept():
    graph = graph_of(SIX)
    found = blend(resources(graph, VECTORS), question(hops=1, seeds=2), np.array([graph.index("d"), graph.index("a")]))
    # Around a: a, b, c with sum (1.4, 2.4); b is one hop from both seeds, and d's pooled similarity is the higher.
    pooled_a = 1.4 / math.hypot(1.4, 2.4)
    pooled_d = 2.08 / math.hypot(2.08, 2.56)
    assert pooled_d > pooled_a
    seeds = {k: graph.ids[int(v)] for k, v in by_id(found, graph, found.seeds).items()}
    assert seeds == {"a": "a", "b": "d", "c": "d", "d": "d", "e": "d"}
    assert by_id(found, graph, found.scores)["a"] == pytest.approx(0.6 * 0.6 + 0.4 * pooled_a)
    assert by_id(found, graph, found.scores)["b"] == pytest.approx(0.6 * 0.8 + 0.4 * 0.75 * pooled_d)


def test_without_hops_only_seeds_are_found_and_a_seed_is_its_own_surroundings():
    graph = graph_of(SIX)
    found = run_grag(resources(graph, VECTORS), question(hops=0, seeds=3), 10, None)
    assert ranked(found, graph) == ["d", "b", "a"]
    assert found.scores == pytest.approx([1.0, 0.8, 0.6])


def test_alpha_one_is_dense_up_to_the_number_of_seeds():
    graph = graph_of(SIX)
    at_hand = resources(graph, VECTORS)
    for seeds in (1, 2, 4):
        for hops in (0, 1, 2):
            grag = run_grag(at_hand, question(alpha=1.0, hops=hops, seeds=seeds), 6, None)
            dense = run_dense(at_hand, question(), 6, None)
            assert grag.nodes[:seeds].tolist() == dense.nodes[:seeds].tolist()
            assert grag.scores[:seeds].tolist() == dense.scores[:seeds].tolist()


def test_lambda_zero_leaves_the_surroundings_to_the_seed_alone():
    graph = graph_of(SIX)
    found = blend(resources(graph, VECTORS), question(lam=0.0, hops=1, seeds=1), np.array([graph.index("d")]))
    around = by_id(found, graph, found.around)
    assert around["d"] > 0
    assert around["b"] == around["c"] == around["e"] == 0


def test_a_hub_over_the_cap_is_cut_nearest_first_and_reported():
    hub = [node("hub"), *(node(f"n{i:03d}", ["hub"]) for i in range(300))]
    graph = graph_of(hub)
    vectors = [unit(1, 0)] + [unit(0.5, 1)] * 300
    found = blend(resources(graph, vectors), question(hops=1, cap=256), np.array([graph.index("hub")]))
    assert len(found.nodes) == 256
    assert found.cut == {graph.index("hub"): 301 - 256}
    assert "n254" in ranked(found, graph)
    assert "n255" not in ranked(found, graph)


def test_equal_scores_stand_in_the_order_of_ids():
    graph = graph_of([node("hub"), node("z", ["hub"]), node("y", ["hub"]), node("x", ["hub"])])
    found = blend(resources(graph, [unit(1, 0)] + [unit(1, 1)] * 3), question(hops=1), np.array([0]))
    assert ranked(found, graph) == ["hub", "x", "y", "z"]


def test_neighbours_are_the_hits_own_by_similarity():
    graph = graph_of(SIX)
    found = blend(resources(graph, VECTORS), question(hops=1, seeds=1), np.array([graph.index("d")]))
    shares = found.neighbours(ranked(found, graph).index("d"))
    assert [graph.ids[i] for i, _ in shares] == ["b", "e", "c"]
    assert [share for _, share in shares] == pytest.approx([0.8, 0.28, 0.0], abs=1e-7)


def test_fusion_of_two_rankings_by_hand():
    # 1/61 + 1/62 for node 1, 1/62 + 1/63 … : node 1 first and second, node 2 second only, node 3 third and first.
    fused = fuse([np.array([1, 2, 3]), np.array([3, 1])])
    scores = {1: 1 / 61 + 1 / 62, 2: 1 / 62, 3: 1 / 63 + 1 / 61}
    assert fused.tolist() == sorted(scores, key=lambda n: -scores[n]) == [1, 3, 2]


def test_hybrid_takes_seeds_that_only_words_find():
    graph = graph_of(SIX)
    words = np.zeros(6)
    words[graph.index("f")] = 9
    at_hand = resources(graph, VECTORS, words)
    asked = question(hops=0, seeds=2)
    assert "f" not in ranked(run_grag(at_hand, asked, 10, None), graph)
    assert "f" in ranked(run_hybrid(at_hand, asked, 10, None), graph)


@pytest.mark.parametrize(
    ("name", "value"),
    [("alpha", 1.1), ("alpha", -0.1), ("lam", 2), ("hops", 4), ("hops", -1), ("seeds", 0), ("alpha", math.nan)],
)
def test_parameters_out_of_range_are_refused(name, value):
    with pytest.raises(UsageError, match="must lie between"):
        Parameters(**{name: value})


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_renamed_ids_change_nothing(data):
    count = data.draw(st.integers(2, 9))
    parents = [data.draw(st.lists(st.integers(0, i - 1), unique=True, max_size=2)) if i else [] for i in range(count)]
    links = [data.draw(st.lists(st.integers(0, count - 1), unique=True, max_size=2)) for _ in range(count)]
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    vectors = rng.normal(size=(count, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    names = data.draw(st.permutations([f"id{i}" for i in range(count)]))
    asked = Question("q", vectors[0].astype(np.float32), Parameters(seeds=3, hops=2))

    def result(naming):
        nodes = [
            node(naming[i], [naming[p] for p in parents[i]], [naming[x] for x in links[i] if x != i])
            for i in range(count)
        ]
        graph = graph_of(nodes)
        rows = np.empty((count, 5), np.float32)
        for i in range(count):
            rows[graph.index(naming[i])] = vectors[i]
        found = run_grag(resources(graph, rows), asked, count, None)
        back = {name: i for i, name in enumerate(naming)}
        return {back[graph.ids[int(n)]]: s for n, s in zip(found.nodes, found.scores, strict=True)}

    plain, renamed = result([f"n{i}" for i in range(count)]), result(names)
    assert plain == pytest.approx(renamed, abs=1e-6)
