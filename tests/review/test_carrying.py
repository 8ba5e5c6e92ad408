"""A session on a new snapshot: unchanged nodes keep their judgement, the rest is listed for re-check."""

from __future__ import annotations

from dataclasses import replace

import pytest

from oncosearch.model import Node, NotFoundError, Pool, SnapshotKey, UsageError
from oncosearch.review import (
    Progress,
    Recheck,
    build_pool,
    carry_session,
    history,
    make_qrels,
    provenance,
    save,
    topic_state,
)
from oncosearch.review.events import new_event
from oncosearch.store import Store
from tests.review.examples import KEY, SESSION, act, begun, grades, undo
from tests.store.examples import plain_node, snapshot_of

NEW_KEY = SnapshotKey("demo", "2")
NEW = replace(SESSION, id="s2", name="Zweite", snapshot=NEW_KEY, created="2026-12-24T00:00:00.000Z", seed=8)


def _graph(**titles: str) -> list[Node]:
    return [plain_node(node, title) for node, title in titles.items()]


OLD_NODES = _graph(a="A", b="B", c="C", d="D", e="E", f="F", zz="Z", gone="weg")
# b has another text, d and gone are not there any more, new has come.
NEW_NODES = _graph(a="A", b="anders", c="C", e="E", f="F", zz="Z", new="neu")


def new_pools() -> list[Pool]:
    # Neither c nor zz is found any more.
    return [
        build_pool("T1", NEW_KEY, 3, {"e5 · grag": [("new", 0.9), ("b", 0.8), ("a", 0.7)]}),
        build_pool("T2", NEW_KEY, 3, {"e5 · grag": [("e", 0.5), ("f", 0.4)]}),
    ]


@pytest.fixture
def store(kept: Store) -> Store:
    kept.write_snapshot(snapshot_of(OLD_NODES, "1"), OLD_NODES)
    kept.write_snapshot(snapshot_of(NEW_NODES, "2", created="2026-04-01T00:00:00Z"), NEW_NODES)
    begun(kept)
    act(kept, "grade", "a", "3", reason="weil")
    act(kept, "grade", "b", "2")
    act(kept, "irrelevant", "c")
    act(kept, "grade", "d", "1")
    act(kept, "add", "zz")
    act(kept, "grade", "zz", "0")
    act(kept, "later", "e", topic="T2")
    act(kept, "duplicate", "a", "b", rater="bert")
    return kept


def test_unchanged_judgements_carry_over_and_the_rest_is_listed(store: Store) -> None:
    view, recheck = carry_session(store, "s1", NEW, new_pools())
    assert view.session.snapshot == NEW_KEY
    assert sorted(recheck, key=lambda one: (one.rater, one.node)) == [
        Recheck("T1", "b", "2", "changed", "anna"),
        Recheck("T1", "d", "1", "gone", "anna"),
        # The duplicate is of a node whose text has changed.
        Recheck("T1", "a", "", "changed", "bert"),
    ]
    state = topic_state(store, "s2", "anna", "T1")
    assert grades(state) == {"a": "3", "c": "-1", "zz": "0"}
    assert state.item("c").irrelevant
    assert state.item("a").reason == "weil"
    assert (state.item("b").recheck, state.item("b").previous) == ("changed", "2")
    assert state.gone == (("d", "1"),)
    assert state.item("zz").added
    assert sorted(item.original_index for item in state.items) == [-1, 0, 1, 2, 3]
    assert state.progress == Progress(total=5, graded=3)
    assert topic_state(store, "s2", "anna", "T2").item("e").later
    assert topic_state(store, "s2", "bert", "T1").item("a").duplicate_of == ""
    assert make_qrels(store, "s2", "rater:anna").published.qrels.grades == {"T1": {"a": 3, "c": -1, "zz": 0}}
    assert grades(topic_state(store, "s1", "anna", "T1")) == {"a": "3", "b": "2", "c": "-1", "d": "1", "zz": "0"}


def test_a_new_grade_settles_the_recheck_and_undo_brings_it_back(store: Store) -> None:
    carry_session(store, "s1", NEW, new_pools())
    item = act(store, "grade", "b", "1", session="s2").item("b")
    assert (item.grade, item.recheck, item.previous) == ("1", "", "2")
    last = topic_state(store, "s2", "anna", "T1").last_action
    item = act(store, "undo", value=last, session="s2").item("b")
    assert (item.grade, item.recheck) == ("", "changed")
    # Carried over once more, what still has to be judged anew is not forgotten.
    later = replace(NEW, id="s3", created="2027-01-01T00:00:00.000Z")
    _, recheck = carry_session(store, "s2", later, new_pools())
    assert Recheck("T1", "b", "2", "changed", "anna") in recheck
    assert topic_state(store, "s3", "anna", "T1").item("b").previous == "2"
    assert topic_state(store, "s3", "anna", "T1").gone == (("d", "1"),)


def test_nodes_that_no_new_run_has_are_shown_without_provenance(store: Store) -> None:
    view, _ = carry_session(store, "s1", NEW, new_pools())
    assert store.pool(view.session.pools["T1"]).nodes == ("a", "b", "c", "new")
    act(store, "finish", session="s2")
    shown = provenance(store, "s2", "anna", "T1")
    assert shown is not None
    assert shown["c"] == ()
    assert [found.run for found in shown["new"]] == ["e5 · grag"]


def test_the_order_of_a_rater_carries_over(store: Store) -> None:
    act(store, "reorder", value=["zz", "d", "c", "b", "a"])
    carry_session(store, "s1", NEW, new_pools())
    state = topic_state(store, "s2", "anna", "T1")
    assert [node for node in state.ordered_nodes if node != "new"] == ["zz", "c", "b", "a"]
    assert state.reordered


def test_carrying_over_again_changes_nothing(store: Store) -> None:
    first = carry_session(store, "s1", NEW, new_pools())
    before = history(store, "s2")
    assert carry_session(store, "s1", NEW, new_pools()) == first
    assert history(store, "s2") == before
    save(store, new_event(first[0], "anna", "T1", "grade", node="b", value="0"))
    assert carry_session(store, "s1", NEW, new_pools()) == first
    assert topic_state(store, "s2", "anna", "T1").item("b").grade == "0"


def test_what_was_carried_over_can_be_taken_back_whole(store: Store) -> None:
    carry_session(store, "s1", NEW, new_pools())
    last = topic_state(store, "s2", "anna", "T1").last_action
    assert grades(act(store, "undo", value=last, session="s2")) == {}


def test_a_session_that_would_lose_judgements_is_refused(store: Store) -> None:
    undo(store, "bert")
    for changes, words in (
        ({"created": ""}, "time of creation"),
        ({"raters": ("bert",)}, "anna"),
        ({"topics": SESSION.topics[:1]}, "T2"),
        ({"snapshot": SnapshotKey("other", "2")}, "other"),
    ):
        with pytest.raises(UsageError, match=words):
            carry_session(store, "s1", replace(NEW, **changes), new_pools())
    with pytest.raises(NotFoundError):
        carry_session(store, "s1", replace(NEW, snapshot=SnapshotKey("demo", "9")), new_pools())
    assert [event.session for event in store.created_sessions()] == ["s1"]
    assert KEY in [snapshot.key for snapshot in store.snapshots()]
    # bert took back all that he had said, so he need not be there.
    carry_session(store, "s1", replace(NEW, raters=("anna",)), new_pools())
