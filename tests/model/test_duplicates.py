from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import VERDICTS, DecidedPairs, PairDecision, UsageError


def said(first, second, verdict):
    return PairDecision("g", "1", first, second, verdict, "anna", "2026-01-01T00:00:00Z")


def test_duplicates_are_one_group_also_over_others():
    decided = DecidedPairs.of([said("b", "c", "duplicate"), said("x", "y", "duplicate"), said("a", "c", "duplicate")])
    assert decided.groups == {"a": "a", "b": "a", "c": "a", "x": "x", "y": "x"}
    assert decided.apart == {}
    assert decided.verdict("c", "b") == "duplicate"
    assert decided.verdict("a", "b") == "undecided"


def test_the_last_word_counts():
    events = [said("a", "b", "duplicate"), said("a", "b", "different"), said("a", "c", "duplicate")]
    decided = DecidedPairs.of(events)
    assert decided.groups == {"a": "a", "c": "a"}
    assert decided.apart == {"a": frozenset("b"), "b": frozenset("a")}
    assert list(decided.by_pair) == [("a", "b"), ("a", "c")]
    back = DecidedPairs.of([*events, said("a", "b", "undecided"), said("a", "c", "undecided")])
    assert not back
    assert back == DecidedPairs()


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [("a", "a", "duplicate"), ("b", "a", "different"), ("a", "b", "same")]
)
def test_what_is_no_decision_is_refused(first, second, verdict):
    with pytest.raises(UsageError):
        said(first, second, verdict)


pairs = st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=2, unique=True).map(sorted)
events = st.lists(st.tuples(pairs, st.sampled_from(VERDICTS)).map(lambda e: said(*e[0], e[1])), max_size=25)


@given(events)
def test_groups_are_what_can_be_reached_over_duplicates(given_events):
    decided = DecidedPairs.of(given_events)
    last = {(e.first, e.second): e.verdict for e in given_events}
    reach = {node: {node} for node in "abcdefg"}
    for _ in range(7):
        for (one, other), verdict in last.items():
            if verdict == "duplicate":
                reach[one] = reach[other] = reach[one] | reach[other]
    for one, other in combinations("abcdefg", 2):
        together = one in decided.groups and decided.groups[one] == decided.groups.get(other)
        assert together == (other in reach[one])
        assert (other in decided.apart.get(one, ())) == (last.get((one, other)) == "different")
    for node, top in decided.groups.items():
        assert top == min(reach[node])
