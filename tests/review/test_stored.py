"""Events in the store: what has no form is refused before it is written, and skipped where it stands there already."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest

from oncosearch.model import ReviewEvent, StoreError, UsageError
from oncosearch.review import (
    adjudications,
    history,
    make_qrels,
    new_event,
    rater_states,
    save,
    session_states,
    session_view,
    sessions,
    topic_state,
)
from oncosearch.review.events import fault
from oncosearch.store import Store
from tests.review.examples import act, begun, grades, undo

ITEM = {"node": "a", "graded": "3"}


def made(store: Store, **changes: Any) -> ReviewEvent:
    event = new_event(session_view(store, "s1"), "anna", "T1", "grade", node="a", value="3")
    return replace(event, **changes)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"items": {}},
        {"items": ["a"]},
        {"items": [{"graded": "3"}]},
        {"items": [{"node": ""}]},
        {"items": [{**ITEM, "graded": "7"}]},
        {"items": [{**ITEM, "graded": ["3"]}]},
        {"items": [{**ITEM, "irrelevant": 1}]},
        {"items": [{**ITEM, "later": None}]},
        {"items": [{**ITEM, "original_index": True}]},
        {"items": [{**ITEM, "original_index": 0, "added": True}]},
        {"items": [{**ITEM, "recheck": "gone"}]},
        {"items": [{**ITEM, "score": 1.0}]},
        {"items": [ITEM], "order": "abc"},
        {"items": [ITEM], "exposed": [1]},
        {"items": [ITEM], "gone": [["a"]]},
        {"items": [ITEM], "gone": {"a": "3"}},
        {"items": [ITEM], "fills": "yes"},
        {"items": [ITEM], "reordered": 1},
    ],
    ids=repr,
)
def test_a_load_without_form_is_refused_before_it_is_written(kept: Store, value: Any) -> None:
    view = begun(kept)
    event = made(kept, action="load", node="", value=value)
    with pytest.raises(UsageError) as caught:
        save(kept, event)
    assert caught.value.code == "review_value"
    with pytest.raises(UsageError):
        new_event(view, "anna", "T1", "load", value=value)
    assert [one.action for one in history(kept, "s1")] == ["create"]


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "77"},
        {"value": None},
        {"node": ""},
        {"graph_id": "other"},
        {"snapshot_id": "2"},
        {"pool": "bogus"},
        {"pool": ""},
        {"action": "start", "node": "", "value": ["a"]},
        {"action": "adjudicate"},
        {"action": "unmark"},
    ],
    ids=repr,
)
def test_an_event_that_could_not_have_been_made_is_refused_by_save(kept: Store, changes: dict[str, Any]) -> None:
    begun(kept)
    act(kept, "grade", "b", "1")
    before = history(kept, "s1")
    with pytest.raises(UsageError) as caught:
        save(kept, made(kept, **changes))
    assert caught.value.code == "review_value"
    assert history(kept, "s1") == before


def test_what_is_refused_leaves_no_beginning_behind(kept: Store) -> None:
    view = begun(kept)
    for action, node, value in (("grade", "nowhere", "3"), ("undo", "", "x"), ("reopen", "", None)):
        with pytest.raises(UsageError):
            act(kept, action, node, value)
    save(kept, new_event(view, "anna", "T1", "grade", node="a", value="3", id="X"))
    with pytest.raises(StoreError):
        save(kept, new_event(view, "bert", "T2", "grade", node="e", value="3", id="X"))
    assert [(one.rater, one.action) for one in history(kept, "s1")] == [
        ("olga", "create"),
        ("anna", "start"),
        ("anna", "grade"),
    ]


def test_a_stored_event_without_form_is_skipped_and_said(kept: Store, caplog: pytest.LogCaptureFixture) -> None:
    view = begun(kept)
    act(kept, "grade", "a", "3")
    bad = [
        made(kept, id="bad load", action="load", node="", value={}),
        made(kept, id="bad grade", value="77"),
        made(kept, id="bad undo", action="undo", node="", value=["x"]),
        made(kept, id="bad order", action="reorder", node="", value=5),
        made(kept, id="from a later version", action="dream"),
        made(kept, id="bad final", rater="olga", action="adjudicate", value="9", reason="x"),
    ]
    for event in bad:
        kept.append_event(event)
    assert all(map(fault, bad))
    with caplog.at_level(logging.WARNING):
        state = topic_state(kept, "s1", "anna", "T1")
        topic_state(kept, "s1", "anna", "T1")
    assert grades(state) == {"a": "3"}
    assert state.skipped == ("bad load", "bad grade", "bad undo", "bad order", "from a later version")
    assert [record.getMessage().split("'")[1] for record in caplog.records] == list(state.skipped)
    assert session_states(kept, "s1")["anna"]["T1"] == rater_states(kept, "s1", "anna")["T1"] == state
    assert make_qrels(kept, "s1", "adjudicated").published.qrels.grades == {"T1": {"a": 3}}
    assert adjudications(kept, "s1") == {}
    assert grades(act(kept, "grade", "b", "1")) == {"a": "3", "b": "1"}
    undo(kept)
    assert grades(undo(kept)) == {}
    assert view.session.id == "s1"


def test_events_of_the_session_without_form_are_skipped(kept: Store, caplog: pytest.LogCaptureFixture) -> None:
    view = begun(kept)
    whole = history(kept, "s1")[0]
    for number, (action, value) in enumerate((("assign", None), ("assign", {"rater": 1}), ("guideline", ["x"]))):
        kept.append_event(replace(whole, id=f"bad {number}", action=action, value=value))
    assert session_view(kept, "s1") == view
    kept.append_event(replace(whole, id="broken", session="s0", value={"name": "x"}))
    with caplog.at_level(logging.WARNING):
        assert sessions(kept) == [view]
    assert "'s0'" in caplog.text


def test_a_load_of_an_earlier_version_is_read_as_ever(kept: Store) -> None:
    """Version 0.3 wrote every part of each node, a recheck without a grade, and nothing else."""
    begun(kept)
    act(kept, "grade", "b", "1")
    whole = {
        "irrelevant": False,
        "duplicate_of": "",
        "added": False,
        "later": False,
        "reason": "",
        "recheck": "",
        "previous": "",
    }
    items = [
        {"node": "a", "original_index": 3, **whole, "graded": "3", "reason": "weil"},
        {"node": "b", "original_index": 2, **whole, "graded": "", "recheck": "changed", "previous": "2"},
        {"node": "zz", "original_index": -1, **whole, "graded": "0", "added": True},
    ]
    value = {"source": "s0", "items": items, "order": ["zz", "b", "a"], "reordered": True, "gone": [["d", "1"]]}
    kept.append_event(made(kept, action="load", node="", value=value))
    state = topic_state(kept, "s1", "anna", "T1")
    assert state.skipped == ()
    assert {node: grade for node, grade in grades(state).items() if node in "abzz"} == {"a": "3", "zz": "0"}
    assert (state.item("b").recheck, state.item("b").previous, state.item("b").grade) == ("changed", "2", "")
    assert state.item("zz").added
    assert state.gone == (("d", "1"),)
    assert [node for node in state.ordered_nodes if node in ("zz", "b", "a")] == ["zz", "b", "a"]


def test_states_are_kept_until_an_event_is_added(kept: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(kept)
    act(kept, "grade", "a", "3")
    first = session_states(kept, "s1")
    read = []
    events = kept.events
    monkeypatch.setattr(kept, "events", lambda *args, **more: read.append(args) or events(*args, **more))
    again = session_states(kept, "s1")
    assert again == first
    assert read == []
    again["anna"].clear()
    assert session_states(kept, "s1") == first
    act(kept, "grade", "a", "1", rater="bert")
    assert grades(session_states(kept, "s1")["bert"]["T1"]) == {"a": "1"}
    assert read != []


def test_two_stores_are_not_taken_for_one_another(kept: Store, tmp_path_factory: pytest.TempPathFactory) -> None:
    from oncosearch.settings import Settings
    from oncosearch.store import open_store

    begun(kept)
    act(kept, "grade", "a", "3")
    assert grades(session_states(kept, "s1")["anna"]["T1"]) == {"a": "3"}
    with open_store(Settings(home=tmp_path_factory.mktemp("other"))) as other:
        begun(other)
        act(other, "grade", "a", "0")
        assert grades(session_states(other, "s1")["anna"]["T1"]) == {"a": "0"}
