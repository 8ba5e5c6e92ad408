import time

import pytest

from oncosearch.model import NotFoundError, PairDecision, UsageError
from oncosearch.workspace import SearchRequest
from oncosearch.workspace.deciding import decide
from tests.workspace.homes import KEY, opened

REQUEST = SearchRequest("Übelkeit", KEY, pipeline="lexical")


def two_hits(workspace):
    first, second = workspace.search(REQUEST, record=False).ranking.hits[:2]
    return first.node_id, second.node_id


def folded(workspace):
    return {hit.node_id: hit.folded for hit in workspace.search(REQUEST, record=False).ranking.hits}


def test_a_decision_shows_in_the_next_search_and_can_be_taken_back(small):
    first, second = two_hits(small)
    before = folded(small)
    decision = decide(small, KEY, second, first, "duplicate", "same thing")
    assert (decision.first, decision.second) == tuple(sorted((first, second)))
    assert (decision.user, decision.snapshot_id) == ("local", KEY.snapshot_id)
    assert folded(small)[first] == (second,)
    assert second not in folded(small)
    decide(small, KEY, first, second, "undecided")
    assert folded(small) == before
    assert len(small.store.decisions(KEY.graph_id)) == 2


def test_another_process_sees_it_at_once(small, home):
    first, second = two_hits(small)
    with opened(home) as other:
        decide(other, KEY, first, second, "duplicate")
    assert folded(small)[first] == (second,)


def test_a_replay_uses_what_was_decided_then(small):
    first, second = two_hits(small)
    old = small.search(REQUEST).ranking.record_id
    time.sleep(0.01)
    decide(small, KEY, first, second, "duplicate")
    time.sleep(0.01)
    new = small.search(REQUEST).ranking.record_id
    assert small.replay(old).identical
    assert small.replay(new).identical
    assert [hit for hit, _ in small.record(old).hits] != [hit for hit, _ in small.record(new).hits]


def test_what_cannot_be_decided_is_refused_and_nothing_is_kept(small):
    first, second = two_hits(small)
    with pytest.raises(UsageError, match="two nodes"):
        decide(small, KEY, first, first, "duplicate")
    with pytest.raises(NotFoundError, match="no such node"):
        decide(small, KEY, first, "no such node", "duplicate")
    with pytest.raises(UsageError, match="verdict"):
        decide(small, KEY, first, second, "merge")
    assert small.store.decisions(KEY.graph_id) == []


def test_decisions_of_another_graph_do_not_count(small):
    first, second = sorted(two_hits(small))
    small.store.append_decision(PairDecision("other", "1", first, second, "duplicate", "a", "2026-01-01T00:00:00Z"))
    assert small.curation.state(KEY.graph_id)[1].by_pair == {}
    assert set(folded(small).values()) == {()}
