"""Why a node stands where it stands, for every reason, checked against what the search itself does."""

from dataclasses import replace

import pytest

from oncosearch.graph import neighbourhood
from oncosearch.model import DecidedPairs, Filters, PairDecision, Parameters
from oncosearch.workspace import whereabouts
from oncosearch.workspace.columns import Column
from oncosearch.workspace.whereabouts import full_ranking, where_is

QUERY = "Osimertinib bei EGFR Exon 19 Deletion"


@pytest.fixture(scope="module")
def asked(demo):
    key = demo.default_snapshot().key

    def ask(pipeline, filters=None, **parameters):
        column = Column.of(pipeline, "e5-small", Parameters(**parameters))
        return demo.asked(column.request(QUERY, key, 10, filters or Filters()))

    return ask


@pytest.mark.parametrize("pipeline", ["grag", "hybrid", "diffused", "dense", "lexical"])
def test_every_node_has_one_reason_that_fits_the_search(asked, pipeline):
    question = asked(pipeline)
    ranking = full_ranking(question)
    graph = question.resources.graph
    candidates = question.pipeline.run(question.resources, question.question, len(graph), None)
    reached = {graph.ids[int(i)] for i in candidates.nodes}
    ranks = {hit.node_id: hit.rank for hit in ranking.hits}
    folded = {node for hit in ranking.hits for node in hit.folded}
    for i in range(0, len(graph), 7):
        node = graph.ids[i]
        found = where_is(question, ranking, node, 10)
        if node in ranks:
            assert found.reason == ("shown" if ranks[node] <= 10 else "below")
            assert found.rank == ranks[node]
            assert found.parts.own + found.parts.around == pytest.approx(found.parts.score)
        elif node in folded:
            assert found.reason == "folded"
        elif node in reached:
            assert found.reason == "beyond"
        else:
            assert found.reason == ("no_word" if pipeline == "lexical" else "outside")
    shown = question.rank(10)
    assert [where_is(question, ranking, h.node_id, 10).rank for h in shown.hits] == list(range(1, 11))


def test_outside_names_the_nearest_starting_node(asked):
    question = asked("grag", seeds=1, hops=1)
    ranking = full_ranking(question)
    graph = question.resources.graph
    seed = ranking.hits[0].seed_id
    checked = 0
    for steps in (2, 3):
        around = neighbourhood(graph.adjacent, graph.index(seed), 3, 10_000)
        node = graph.ids[int(around.nodes[around.hops == steps][0])]
        found = where_is(question, ranking, node, 10)
        assert (found.reason, found.other, found.steps, found.limit, found.scored) == ("outside", seed, steps, 1, 1)
        assert found.place > 1
        checked += 1
    assert checked == 2


def test_cut_at_the_cap(asked):
    question = asked("grag", seeds=1, hops=1, cap=2)
    ranking = full_ranking(question)
    graph = question.resources.graph
    seed = ranking.hits[0].seed_id
    beside = neighbourhood(graph.adjacent, graph.index(seed), 1, 10_000)
    node = graph.ids[int(beside.nodes[-1])]
    found = where_is(question, ranking, node, 10)
    assert (found.reason, found.other, found.steps, found.limit) == ("cut", seed, 1, 2)


def test_filtered_names_the_filters_that_bar(asked):
    open_ranking = full_ranking(asked("grag"))
    biomarker = next(h.node_id for h in open_ranking.hits if h.node_id.startswith("bio"))
    question = asked("grag", Filters(types=("therapy",), languages=("de",)))
    found = where_is(question, full_ranking(question), biomarker, 10)
    assert (found.reason, found.facets) == ("filtered", ("types",))
    places = [h.node_id for h in open_ranking.hits]
    assert found.place is not None
    assert abs(found.place - 1 - places.index(biomarker)) <= sum(len(h.folded) for h in open_ranking.hits)


def test_beyond_the_pool(asked, monkeypatch):
    monkeypatch.setattr(whereabouts, "POOL", 20)
    question = asked("dense")
    ranking = question.rank(20)
    order = question.pipeline.run(question.resources, question.question, 40, None).nodes
    node = question.resources.graph.ids[int(order[30])]
    found = where_is(question, ranking, node, 10)
    assert (found.reason, found.place, found.limit) == ("beyond", 31, 20)


def test_folded_under_a_marked_duplicate(asked):
    question = asked("dense")
    first, second = (hit.node_id for hit in question.rank(2).hits)
    a, b = sorted((first, second))
    decision = PairDecision("demo", "1", a, b, "duplicate", "anna", "2026-01-01T00:00:00+00:00")
    question = replace(question, decided=DecidedPairs.of([decision]))
    found = where_is(question, full_ranking(question), second, 10)
    assert (found.reason, found.other, found.rank) == ("folded", first, 1)


def test_an_unknown_node(asked):
    question = asked("lexical")
    assert where_is(question, full_ranking(question), "nothing of the kind", 10).reason == "unknown"
