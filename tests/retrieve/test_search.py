from dataclasses import replace

import numpy as np
import pytest

from oncosearch.index.names import NameIndex
from oncosearch.model import Code, Filters, Link, LocalText, Node, Parameters, Source, UsageError
from oncosearch.retrieve import Catalogue, Question, allowed_nodes, facet_counts, group_members, pipeline, search
from tests.small import graph_of, resources, unit


def node(node_id, type="disease", parents=(), title=None, **more):
    return Node(node_id, type, LocalText.of({"de": title or node_id}), parents=tuple(parents), **more)


NODES = [
    node("a-group", "group", title="Solide Tumoren"),
    node("b-group", "group", ["a-group"], title="Thoraxtumoren"),
    node("c-lung", parents=["b-group"], codes=(Code("ICD-10-GM", "C34"),)),
    node("d-drug", "drug", title="Osimertinib", sources=(Source("trial", "NCT00000001"), Source("pubmed", "1"))),
    node("e-twin", "drug", title="osimertinib", sources=(Source("pubmed", "1"), Source("trial", "NCT00000001"))),
    Node(
        "f-english",
        "therapy",
        LocalText.of({"en": "English only"}),
        parents=("c-lung",),
        links=(Link("d-drug", "uses_drug"),),
    ),
]
VECTORS = [unit(0, 1), unit(0.1, 1), unit(0.5, 1), unit(1, 0.001), unit(1, 0), unit(0.8, 0.6)]
GRAPH = graph_of(NODES)
GROUPS = group_members(GRAPH)


def ask(text="question", key="dense", filters=None, top=10, **parameters):
    words = np.arange(6)
    at_hand = resources(GRAPH, VECTORS, words)
    question = Question(text, unit(1, 0), Parameters(**parameters))
    return search(
        at_hand, Catalogue(NameIndex.of(NODES), GROUPS), question, pipeline(key), filters or Filters(), top, "e5-small"
    )


def ids(ranking):
    return [hit.node_id for hit in ranking.hits]


def test_redundant_nodes_are_folded_into_the_better_one():
    found = ask()
    assert ids(found) == ["e-twin", "f-english", "c-lung", "b-group", "a-group"]
    assert found.hits[0].folded == ("d-drug",)
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4, 5]
    assert dict(found.notes)["folded"] == (("count", "1"),)


def test_reports_of_two_studies_are_not_folded_however_alike_they_read():
    other = replace(NODES[4], sources=(Source("pubmed", "2"),))
    graph = graph_of([*NODES[:4], other, NODES[5]])
    question = Question("question", unit(1, 0), Parameters())
    catalogue = Catalogue(NameIndex.of(NODES), group_members(graph))
    found = search(resources(graph, VECTORS), catalogue, question, pipeline("dense"), Filters(), 10, "m")
    assert {"d-drug", "e-twin"} <= set(ids(found))


def test_equal_titles_with_different_vectors_are_not_folded():
    apart = [*VECTORS[:3], unit(0, 1), *VECTORS[4:]]
    at_hand = resources(GRAPH, apart)
    question = Question("question", unit(1, 0), Parameters())
    found = search(at_hand, Catalogue(NameIndex.of(NODES), GROUPS), question, pipeline("dense"), Filters(), 10, "m")
    assert {"d-drug", "e-twin"} <= set(ids(found))


@pytest.mark.parametrize(
    ("typed", "how", "first"),
    [("C34", "code", "c-lung"), ("thoraxtumoren", "title", "b-group"), ("English only", "title", "f-english")],
)
@pytest.mark.parametrize("key", ["grag", "hybrid", "diffused", "dense", "lexical"])
def test_a_name_typed_exactly_comes_first_and_is_marked(typed, how, first, key):
    found = ask(typed, key)
    assert found.hits[0].node_id == first
    assert found.hits[0].pinned == how
    assert all(hit.pinned is None for hit in found.hits[1:])
    assert len(set(ids(found))) == len(found.hits)


def test_a_named_node_that_the_pipeline_did_not_reach_is_still_first():
    found = ask("C34", "grag", seeds=1, hops=0)
    assert ids(found)[0] == "c-lung"
    assert found.hits[0].hop is None
    assert found.hits[0].own == pytest.approx(0.6 * found.hits[0].similarity)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(types=("drug",)), {"d-drug", "e-twin"}),
        (Filters(types=("drug", "therapy")), {"d-drug", "e-twin", "f-english"}),
        (Filters(groups=("b-group",)), {"b-group", "c-lung", "f-english"}),
        (Filters(source_kinds=("trial",)), {"d-drug", "e-twin"}),
        (Filters(source_kinds=("doi",)), set()),
        (Filters(languages=("en",)), {"f-english"}),
        (Filters(types=("drug",), groups=("b-group",)), set()),
        (Filters(groups=("no such group",)), set()),
    ],
)
def test_filters_restrict_the_hits_and_not_the_counts(filters, expected):
    found = ask(filters=filters)
    shown = {node_id for hit in found.hits for node_id in (hit.node_id, *hit.folded)}
    assert shown == expected
    assert dict(found.facets) == dict(ask().facets)
    if not expected:
        assert dict(found.notes)["filtered_out"] == (("count", "6"),)


def test_facets_count_the_candidates():
    facets = dict(facet_counts(GRAPH, GROUPS, np.arange(6)))
    assert facets["types"] == (("group", 2), ("disease", 1), ("therapy", 1), ("drug", 2))
    assert facets["groups"] == (("a-group", 4), ("b-group", 3))
    assert facets["source_kinds"] == (("pubmed", 2), ("trial", 2))
    assert facets["languages"] == (("de", 5), ("en", 1))


def test_no_filter_restricts_nothing():
    assert allowed_nodes(GRAPH, GROUPS, Filters()) is None


def test_hits_carry_their_whole_provenance():
    hit = next(h for h in ask(key="grag", seeds=2, hops=1).hits if h.node_id == "f-english")
    assert hit.score == pytest.approx(hit.own + hit.around)
    assert hit.hop == 1
    assert hit.seed_id == "d-drug"
    assert [node_id for node_id, _ in hit.neighbours] == ["d-drug"]


def test_word_search_gives_no_model_and_no_similarity():
    found = ask(key="lexical")
    assert found.model is None
    assert all(hit.similarity is None and hit.around == 0 for hit in found.hits)
    assert "a-group" not in ids(found)


def test_fewer_hits_are_the_beginning_of_more():
    assert ids(ask(top=2)) == ids(ask(top=10))[:2]


def test_an_unknown_pipeline_is_named_with_the_known_ones():
    with pytest.raises(UsageError, match=r"'nope'.*grag, hybrid"):
        pipeline("nope")
