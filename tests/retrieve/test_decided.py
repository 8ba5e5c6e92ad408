"""Decided pairs fold, or never fold, whatever titles and vectors say."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.index.names import NameIndex
from oncosearch.model import VERDICTS, DecidedPairs, Filters, LocalText, Node, PairDecision, Parameters
from oncosearch.retrieve import Catalogue, Question, group_members, pipeline, search
from tests.small import graph_of, resources, unit

# Best first: a, b, c, d, e. a and b have one title and almost one vector, and fold unless someone said otherwise.
TITLES = {"a": "Osimertinib", "b": "osimertinib", "c": "Tagrisso", "d": "Gefitinib", "e": "Tagrisso"}
NODES = [Node(node_id, "drug", LocalText.of({"de": title})) for node_id, title in TITLES.items()]
VECTORS = [unit(1, 0), unit(1, 0.001), unit(1, 0.5), unit(1, 0.7), unit(1, 2)]
GRAPH = graph_of(NODES)


def ask(*said, text="question", key="dense", top=10):
    decided = DecidedPairs.of(PairDecision("test", "1", p[0], p[1], v, "anna", "2026-01-01T00:00:00Z") for p, v in said)
    at_hand = resources(GRAPH, VECTORS, np.arange(5, 0, -1))
    return search(
        at_hand if key == "dense" else replace(at_hand, dense=None),
        Catalogue(NameIndex.of(NODES), group_members(GRAPH)),
        Question(text, unit(1, 0), Parameters()),
        pipeline(key),
        Filters(),
        top,
        "m",
        decided,
    )


def shown(ranking):
    return {hit.node_id: "".join(hit.folded) for hit in ranking.hits}


def test_without_a_decision_nothing_changes():
    assert shown(ask()) == {"a": "b", "c": "", "d": "", "e": ""}
    assert shown(ask(("ab", "undecided"))) == shown(ask())


def test_duplicates_fold_under_the_better_one():
    assert shown(ask(("ac", "duplicate"))) == {"a": "bc", "d": "", "e": ""}
    assert shown(ask(("ce", "duplicate"))) == {"a": "b", "c": "e", "d": ""}
    assert dict(ask(("ce", "duplicate")).notes)["folded"] == (("count", "2"),)


def test_duplicates_fold_over_others_also_where_those_are_folded_themselves():
    # b lies under a because of its title; what is a duplicate of b goes there too.
    assert shown(ask(("bd", "duplicate"))) == {"a": "bd", "c": "", "e": ""}
    assert shown(ask(("ad", "duplicate"), ("de", "duplicate"))) == {"a": "bde", "c": ""}


def test_a_pair_that_is_no_duplicate_never_folds():
    assert shown(ask(("ab", "different"))) == {"a": "", "b": "", "c": "", "d": "", "e": ""}


def test_a_duplicate_of_both_is_never_shown_under_what_it_differs_from():
    # c is one with d, and d with a, but c is said to differ from a.
    found = shown(ask(("cd", "duplicate"), ("ad", "duplicate"), ("ac", "different")))
    assert found == {"a": "bd", "c": "", "e": ""}


def test_word_search_has_no_vectors_and_still_folds():
    assert shown(ask(key="lexical"))["a"] == ""
    assert shown(ask(("ad", "duplicate"), key="lexical"))["a"] == "d"


def test_duplicates_that_are_named_exactly_fold_too():
    assert [h.node_id for h in ask(text="Tagrisso").hits[:2]] == ["c", "e"]
    assert shown(ask(("ce", "duplicate"), text="Tagrisso")) == {"c": "e", "a": "b", "d": ""}


@pytest.mark.parametrize("top", [1, 2, 3])
def test_fewer_hits_are_the_beginning_of_more(top):
    said = (("bd", "duplicate"), ("ae", "different"))
    assert [h.node_id for h in ask(*said, top=top).hits] == [h.node_id for h in ask(*said).hits][:top]


pairs = st.lists(st.sampled_from("abcde"), min_size=2, max_size=2, unique=True).map(lambda p: "".join(sorted(p)))


@given(st.lists(st.tuples(pairs, st.sampled_from(VERDICTS)), max_size=12))
def test_every_node_is_shown_once_and_never_with_one_that_it_differs_from(said):
    last = dict(said)
    cards = [{hit.node_id, *hit.folded} for hit in ask(*said).hits]
    assert sorted(node for card in cards for node in card) == list("abcde")
    for pair, verdict in last.items():
        together = any(set(pair) <= card for card in cards)
        if verdict == "different":
            assert not together
        elif verdict == "duplicate" and "different" not in last.values():
            assert together
