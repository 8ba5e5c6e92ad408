"""Adjudication, ratings, qrels by policy, publishing, and carrying qrels over to a new snapshot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oncosearch.model import NodeFlags, NotFoundError, PublishedQrels, Qrels, SnapshotKey, UsageError
from oncosearch.review import (
    Disagreement,
    Recheck,
    adjudicate,
    adjudications,
    carry_qrels,
    close,
    disagreements,
    history,
    make_qrels,
    new_event,
    publish,
    published,
    published_list,
    ratings,
    save,
    session_view,
)
from oncosearch.store import Store
from tests.review.examples import KEY, act, begun, grade_all


@pytest.fixture
def store(kept: Store) -> Store:
    """Return a store with two raters who agree on a, differ on b and c; d is unsure, e later."""
    begun(kept)
    grade_all(kept, "anna", {"a": "3", "b": "2", "c": "3", "d": "unsure"})
    grade_all(kept, "bert", {"a": "3", "b": "1", "c": "0", "d": "1"})
    act(kept, "grade", "c", "0", rater="bert", reason="nur am Rande")
    act(kept, "later", "e", topic="T2")
    act(kept, "grade", "f", "0", topic="T2")
    return kept


def grades_of(store: Store, policy: str, **options: bool) -> dict:
    return dict(make_qrels(store, "s1", policy, **options).published.qrels.grades)


def test_disagreements_stand_by_topic_and_spread(store: Store) -> None:
    assert disagreements(store, "s1") == [
        Disagreement("T1", "c", {"anna": "3", "bert": "0"}, {"bert": "nur am Rande"}, spread=3),
        Disagreement("T1", "b", {"anna": "2", "bert": "1"}, {}, spread=1),
        Disagreement("T1", "d", {"anna": "unsure", "bert": "1"}, {}),
    ]
    assert [one.node for one in disagreements(store, "s1", all_nodes=True)] == ["c", "b", "a", "d", "f"]


def test_the_owner_has_the_last_word_also_after_closing(store: Store) -> None:
    adjudicate(store, "s1", "olga", "T1", "c", "2", "Leitlinie S. 12")
    close(store, "s1", "olga")
    adjudicate(store, "s1", "olga", "T1", "b", "1", "x")
    adjudicate(store, "s1", "olga", "T1", "b", "2", "doch")
    adjudicate(store, "s1", "olga", "T1", "d", "0", "x")
    adjudicate(store, "s1", "olga", "T1", "d", "", "zurück")
    count = len(history(store, "s1"))
    for _ in range(2):
        adjudicate(store, "s1", "olga", "T1", "a", "3", "x", event_id="once")
    assert len(history(store, "s1")) == count + 1
    adjudicate(store, "s1", "olga", "T1", "a", "", "x")
    assert adjudications(store, "s1") == {"T1": {"c": ("2", "Leitlinie S. 12"), "b": ("2", "doch")}}
    assert [(one.node, one.final, one.final_reason) for one in disagreements(store, "s1")] == [
        ("c", "2", "Leitlinie S. 12"),
        ("b", "2", "doch"),
        ("d", "", ""),
    ]


def test_an_adjudication_that_cannot_be_is_refused(store: Store) -> None:
    for code, arguments in {
        "review_not_owner": ("anna", "T1", "c", "2", "x"),
        "review_reason_missing": ("olga", "T1", "c", "2", " "),
        "review_node_unknown": ("olga", "T1", "e", "2", "x"),
        "review_topic_unknown": ("olga", "T9", "c", "2", "x"),
        "review_value": ("olga", "T1", "c", "unsure", "x"),
    }.items():
        with pytest.raises(UsageError) as caught:
            adjudicate(store, "s1", *arguments)
        assert caught.value.code == code
    assert adjudications(store, "s1") == {}


def test_ratings_are_numbers_only(store: Store) -> None:
    assert ratings(store, "s1") == {
        ("T1", "a"): {"anna": 3, "bert": 3},
        ("T1", "b"): {"anna": 2, "bert": 1},
        ("T1", "c"): {"anna": 3, "bert": 0},
        ("T1", "d"): {"bert": 1},
        ("T2", "f"): {"anna": 0},
    }
    act(store, "finish", rater="bert")
    act(store, "reopen", rater="bert")
    act(store, "grade", "b", "2", rater="bert")
    assert ratings(store, "s1")["T1", "b"] == {"anna": 2, "bert": 2}
    assert ratings(store, "s1", blind_only=True)["T1", "b"] == {"anna": 2}


def test_qrels_by_policy(store: Store) -> None:
    assert grades_of(store, "rater:anna") == {"T1": {"a": 3, "b": 2, "c": 3}, "T2": {"f": 0}}
    assert grades_of(store, "rater:bert") == {"T1": {"a": 3, "b": 1, "c": 0, "d": 1}}
    # b: 1.5 and c: 1.5 go down.
    assert grades_of(store, "mean") == {"T1": {"a": 3, "b": 1, "c": 1, "d": 1}, "T2": {"f": 0}}
    assert grades_of(store, "majority") == {"T1": {"a": 3, "b": 1, "c": 0, "d": 1}, "T2": {"f": 0}}
    draft = make_qrels(store, "s1", "adjudicated")
    assert draft.published.qrels == Qrels({"T1": {"a": 3}, "T2": {"f": 0}})
    assert draft.undecided == (("T1", "b"), ("T1", "c"), ("T1", "d"))
    adjudicate(store, "s1", "olga", "T1", "c", "1", "x")
    assert grades_of(store, "adjudicated") == {"T1": {"a": 3, "c": 1}, "T2": {"f": 0}}
    assert grades_of(store, "mean")["T1"]["c"] == 1
    with pytest.raises(UsageError, match="carl"):
        make_qrels(store, "s1", "rater:carl")


def test_grades_from_an_order_and_unfinished_topics_are_taken_only_if_asked_for(store: Store) -> None:
    act(store, "reorder", value=["e", "f"], topic="T2", rater="bert")
    assert grades_of(store, "rater:bert") == {"T1": {"a": 3, "b": 1, "c": 0, "d": 1}}
    draft = make_qrels(store, "s1", "rater:bert", bootstrapped=True)
    assert draft.published.qrels.grades["T2"] == {"e": 3, "f": 2}
    assert draft.published.policy == "rater:bert+order"
    assert grades_of(store, "mean", finished_only=True) == {}
    act(store, "finish", rater="bert")
    finished = make_qrels(store, "s1", "mean", finished_only=True).published
    assert finished.qrels.grades == {"T1": {"a": 3, "b": 1, "c": 0, "d": 1}}
    assert finished.policy == "mean+finished"


def test_flags_follow_the_majority_of_those_who_judged(store: Store) -> None:
    act(store, "duplicate", "b", "a")
    act(store, "irrelevant", "c", rater="bert")
    act(store, "add", "zz", rater="bert")
    act(store, "grade", "zz", "2", rater="bert")
    of_anna = make_qrels(store, "s1", "rater:anna").published
    assert of_anna.flags == {"T1": {"b": NodeFlags(duplicate_of="a")}}
    assert of_anna.duplicates == {"T1": {"b"}}
    assert of_anna.qrels.grades["T1"]["b"] == 2
    of_bert = make_qrels(store, "s1", "rater:bert").published
    assert of_bert.flags == {"T1": {"c": NodeFlags(irrelevant=True), "zz": NodeFlags(added=True)}}
    # One of two is no majority; that a node was added is a fact.
    assert make_qrels(store, "s1", "mean").published.flags == {"T1": {"zz": NodeFlags(added=True)}}
    act(store, "duplicate", "b", "a", rater="bert")
    assert make_qrels(store, "s1", "mean").published.duplicates == {"T1": {"b"}}


def test_irrelevant_is_flagged_by_a_majority_and_who_did_nothing_has_no_say(kept: Store) -> None:
    begun(kept, raters=("anna", "bert", "carl", "dora"))
    for node in "ab":
        act(kept, "irrelevant", node)
    act(kept, "grade", "a", "-1", rater="bert")
    act(kept, "grade", "b", "-1", rater="bert")
    # Two of two on b, one of two on a; carl and dora have not touched the topic.
    act(kept, "irrelevant", "b", rater="bert")
    found = make_qrels(kept, "s1", "majority").published
    assert found.qrels.grades == {"T1": {"a": -1, "b": -1}}
    assert found.flags == {"T1": {"b": NodeFlags(irrelevant=True)}}


@pytest.mark.parametrize(
    ("marks", "kept_marks"),
    [
        # Two of three for each mark of a circle.
        (("ab bc", "bc ca", "ca ab"), {"a": "b", "b": "c"}),
        # The mark of all three goes first, whatever its name.
        (("ca ab", "ca bc", "ca ab"), {"c": "a", "a": "b"}),
        (("ab", "ab", "ba"), {"a": "b"}),
    ],
)
def test_of_nodes_that_a_majority_takes_for_the_same_one_remains(
    kept: Store, marks: tuple[str, ...], kept_marks: dict[str, str]
) -> None:
    raters = ("anna", "bert", "carl")
    begun(kept, raters=raters)
    for rater, own in zip(raters, marks, strict=True):
        for node in "abc":
            act(kept, "grade", node, "3", rater=rater)
        for node, original in own.split():
            act(kept, "duplicate", node, original, rater=rater)
    found = make_qrels(kept, "s1", "majority").published
    assert {node: flag.duplicate_of for node, flag in found.flags["T1"].items()} == kept_marks


def test_marks_without_an_original_leave_one_node(kept: Store) -> None:
    raters = ("anna", "bert", "carl")
    begun(kept, raters=raters)
    for rater, own in zip(raters, ("ef", "f", "e"), strict=True):
        items = [{"node": node, "duplicate_of": node} for node in own]
        save(kept, new_event(session_view(kept, "s1"), rater, "T2", "load", value={"items": items}))
    assert make_qrels(kept, "s1", "majority").published.duplicates == {"T2": {"e"}}


def test_published_qrels_never_change(store: Store) -> None:
    draft = make_qrels(store, "s1", "mean", name="Erste").published
    assert draft.snapshot == KEY
    assert draft.queries["T1"].get("en") == "breast cancer"
    qrels_id = publish(store, draft, author="olga")
    found = published(store, qrels_id)
    assert found == replace(draft, author="olga")
    assert found.id == qrels_id == draft.id
    # The same again is kept once; a further judgement makes other qrels and leaves these alone.
    assert publish(store, make_qrels(store, "s1", "mean", name="Nochmals").published) == qrels_id
    act(store, "grade", "e", "3", topic="T2")
    newer = publish(store, make_qrels(store, "s1", "mean").published)
    assert newer != qrels_id
    assert published(store, qrels_id) == found
    assert [(head.id, head.name, head.judgements) for head in published_list(store)] == [
        (qrels_id, "Erste", 5),
        (newer, "Erste Sitzung", 6),
    ]
    assert store.references(KEY)["qrels"] == 2
    with pytest.raises(NotFoundError):
        published(store, "none")


def test_nothing_and_no_grade_is_published(kept: Store) -> None:
    begun(kept)
    with pytest.raises(UsageError) as caught:
        publish(kept, make_qrels(kept, "s1", "mean").published)
    assert caught.value.code == "review_no_grades"
    with pytest.raises(UsageError, match="4"):
        publish(kept, PublishedQrels("x", Qrels({"T": {"a": 4}}), KEY, "mean"))
    assert published_list(kept) == []


def test_qrels_carry_over_where_the_text_is_unchanged() -> None:
    old = PublishedQrels(
        "x",
        Qrels({"T1": {"same": 3, "changed": 2, "gone": -1, "copy": 1}, "T2": {"gone": 0}}),
        KEY,
        "mean",
        flags={"T1": {"copy": NodeFlags(duplicate_of="changed"), "flagged": NodeFlags("same", added=True)}},
    )
    hashes = {"same": "1", "changed": "2", "gone": "3", "copy": "4", "flagged": "5"}
    new_hashes = {"same": "1", "changed": "9", "copy": "4", "flagged": "5", "new": "6"}
    carried, recheck = carry_qrels(old, SnapshotKey("demo", "2"), hashes, new_hashes)
    assert carried.qrels == Qrels({"T1": {"same": 3}})
    assert carried.flags == {"T1": {"flagged": NodeFlags("same", added=True)}}
    assert carried.snapshot == SnapshotKey("demo", "2")
    assert carried.policy == "mean+carried from 1"
    assert recheck == (
        Recheck("T1", "changed", "2", "changed"),
        Recheck("T1", "copy", "1", "changed"),
        Recheck("T1", "gone", "-1", "gone"),
        Recheck("T2", "gone", "0", "gone"),
    )
    same, nothing = carry_qrels(old, SnapshotKey("demo", "2"), hashes, hashes)
    assert (same.qrels, same.flags, nothing) == (old.qrels, old.flags, ())
