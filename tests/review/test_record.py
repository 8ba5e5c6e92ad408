"""The paper's record: exactly its keys, export and import as the identity, and every entry that was not taken."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import LocalText, SnapshotKey, UsageError
from oncosearch.review import (
    RecordNode,
    TopicRecord,
    load_record,
    pause,
    read_record,
    record_of,
    record_to_dict,
    session_view,
    topic_state,
    write_record,
)
from oncosearch.store import Store
from tests.review.examples import KEY, act, begun, undo

KNOWN = {*"abcdef", "zz"}
NASTY = 'https://example.org/onto#C50.9;"a",\n\r\t\ufeff ü'


@pytest.fixture
def store(kept: Store) -> Store:
    """Return a store in which anna has done everything that can be done with a node."""
    begun(kept)
    act(kept, "reorder", value=["d", "c", "b", "a"])
    act(kept, "add", "zz")
    act(kept, "grade", "zz", "3", reason=NASTY)
    act(kept, "duplicate", "b", "a")
    act(kept, "irrelevant", "c")
    act(kept, "grade", "a", "unsure")
    return kept


def record(store: Store, rater: str = "anna", session: str = "s1") -> TopicRecord:
    return record_of(session_view(store, session), topic_state(store, session, rater, "T1"))


def test_the_keys_of_the_paper(store: Store) -> None:
    # anna's first order is c, d, b, a.
    assert record_to_dict(record(store)) == {
        "topic": "T1",
        "query": {"de": "Brustkrebs", "en": "breast cancer"},
        "rater": "anna",
        "graph": "demo",
        "snapshot": "1",
        "session": "s1",
        "reordered": True,
        "nodes": [
            {
                "id": "c",
                "original_index": 0,
                "isDuplicate": False,
                "isIrrelevant": True,
                "isManuallyAdded": False,
                "relevance": -1,
                "stage": "explicit",
            },
            {
                "id": "d",
                "original_index": 1,
                "isDuplicate": False,
                "isIrrelevant": False,
                "isManuallyAdded": False,
                "relevance": 3,
                "stage": "bootstrapped",
            },
            {
                "id": "b",
                "original_index": 2,
                "isDuplicate": True,
                "isIrrelevant": False,
                "isManuallyAdded": False,
                "relevance": None,
                "duplicateOf": "a",
            },
            {
                "id": "a",
                "original_index": 3,
                "isDuplicate": False,
                "isIrrelevant": False,
                "isManuallyAdded": False,
                "relevance": None,
                "status": "unsure",
            },
            {
                "id": "zz",
                "original_index": -1,
                "isDuplicate": False,
                "isIrrelevant": False,
                "isManuallyAdded": True,
                "relevance": 3,
                "stage": "explicit",
                "reason": NASTY,
            },
        ],
        "ordered_nodes": ["d", "c", "a", "zz"],
    }


def test_export_and_import_into_another_session_is_the_identity(store: Store) -> None:
    begun(store, id="s2", name="andere", seed=99, owner="otto")
    exported = record(store)
    reading = read_record(write_record(exported))
    assert (reading.record, reading.refused) == (exported, ())
    state, refused = load_record(store, "s2", "anna", exported, known=KNOWN)
    assert refused == ()
    assert state.reordered
    assert replace(record(store, session="s2"), session="s1") == exported
    assert write_record(replace(record(store, session="s2"), session="s1")) == write_record(exported)


def test_an_import_can_be_taken_back_whole(store: Store) -> None:
    before = topic_state(store, "s1", "bert", "T1").items
    load_record(store, "s1", "bert", record(store), known=KNOWN)
    assert replace(record(store, "bert"), rater="anna") == record(store)
    assert undo(store, "bert").items == before
    pause(store, "s1", "olga")
    with pytest.raises(UsageError) as caught:
        load_record(store, "s1", "bert", record(store), known=KNOWN)
    assert caught.value.code == "review_paused"


def test_what_this_session_does_not_have_is_named(store: Store) -> None:
    foreign = TopicRecord(
        "T1",
        "anna",
        LocalText(),
        SnapshotKey("", ""),
        "",
        (
            RecordNode("a", 0, relevance=2, stage="explicit"),
            RecordNode("nowhere", 1, relevance=3, stage="explicit"),
            RecordNode("d", 2, is_duplicate=True, duplicate_of="nowhere"),
            RecordNode("lost", -1, is_manually_added=True, relevance=1, stage="explicit"),
        ),
        ("a", "nowhere", "lost"),
    )
    state, refused = load_record(store, "s1", "bert", foreign, known=KNOWN)
    assert [(one.where, one.why) for one in refused] == [
        ("nodes: nowhere", "is not in the pool of this session"),
        ("nodes: lost", "is not in the graph"),
        (
            "original_index",
            "the record does not have every node of the pool, so the first places of this session stay",
        ),
        ("nodes: d.duplicateOf", "nowhere was not taken"),
    ]
    assert state.item("a").grade == "2"
    assert state.item("d").is_duplicate
    other = replace(foreign, snapshot=SnapshotKey("demo", "9"))
    unchanged, refused = load_record(store, "s1", "anna", other, known=KNOWN)
    assert refused[0].where == "snapshot"
    assert unchanged == topic_state(store, "s1", "anna", "T1")


def test_a_grade_that_the_order_does_not_give_is_named(store: Store) -> None:
    written = record(store)
    nodes = tuple(replace(node, relevance=0) if node.id == "d" else node for node in written.nodes)
    _, refused = load_record(store, "s1", "bert", replace(written, nodes=nodes), known=KNOWN)
    assert [one.where for one in refused] == ["nodes: d.relevance"]
    _, refused = load_record(store, "s1", "anna", replace(written, reordered=False), known=KNOWN)
    assert refused == ()
    begun(store, id="s3", owner="otto")
    state, refused = load_record(store, "s3", "anna", replace(written, reordered=False), known=KNOWN)
    assert [one.where for one in refused] == ["nodes: d.relevance"]
    assert state.item("d").grade == ""


def test_a_bare_record_in_the_papers_form_is_read() -> None:
    text = "\ufeff" + json.dumps(
        {
            "query": "Brustkrebs",
            "nodes": [
                {"id": "x", "original_index": 0, "isDuplicate": True},
                {"id": "y", "original_index": 1, "isIrrelevant": True},
                {"id": "z", "original_index": -1, "isManuallyAdded": True, "relevance": 3},
            ],
            "ordered_nodes": [{"id": "z"}, {"id": "y"}],
        }
    )
    reading = read_record(text)
    assert reading.refused == ()
    assert reading.record == TopicRecord(
        "",
        "",
        LocalText.of({"de": "Brustkrebs"}),
        SnapshotKey("", ""),
        "",
        (
            RecordNode("x", 0, is_duplicate=True),
            RecordNode("y", 1, is_irrelevant=True, relevance=-1, stage="explicit"),
            RecordNode("z", -1, is_manually_added=True, relevance=3, stage="explicit"),
        ),
        ("z", "y"),
        reordered=True,
    )


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("x", "an object"),
        ({"original_index": 0}, "no id"),
        ({"id": 7}, "no id"),
        ({"id": "ok"}, "twice"),
        ({"id": "x", "original_index": 0}, "belongs to 'ok'"),
        ({"id": "x", "original_index": "1"}, "original_index"),
        ({"id": "x", "original_index": True}, "original_index"),
        ({"id": "x", "original_index": -1}, "belong together"),
        ({"id": "x", "original_index": 1, "isManuallyAdded": True}, "belong together"),
        ({"id": "x", "original_index": -2}, "belong together"),
        ({"id": "x", "relevance": 4}, "relevance is 4"),
        ({"id": "x", "relevance": 2.5}, "relevance is 2.5"),
        ({"id": "x", "relevance": "3"}, "relevance is '3'"),
        ({"id": "x", "relevance": 2, "isIrrelevant": True}, "expected -1"),
        ({"id": "x", "isDuplicate": "yes"}, "isDuplicate"),
        ({"id": "x", "duplicateOf": "ok"}, "isDuplicate is false"),
        ({"id": "x", "duplicateOf": "x", "isDuplicate": True}, "itself"),
        ({"id": "x", "stage": "second"}, "stage"),
        ({"id": "x", "status": "unsure", "relevance": 1}, "expected null"),
        ({"id": "x", "status": "later", "isIrrelevant": True}, "isIrrelevant"),
        ({"id": "x", "status": "done"}, "status"),
    ],
)
def test_an_entry_that_contradicts_itself_is_refused_and_the_rest_is_taken(entry: Any, why: str) -> None:
    reading = read_record(json.dumps({"nodes": [{"id": "ok", "original_index": 0, "relevance": 1}, entry]}))
    assert [one.where for one in reading.refused] == ["nodes[1]"]
    assert why in reading.refused[0].why
    assert reading.record is not None
    assert [node.id for node in reading.record.nodes] == ["ok"]


def test_every_part_that_was_not_taken_is_named() -> None:
    text = json.dumps(
        {
            "topic": 7,
            "query": ["x"],
            "more": 1,
            "reordered": "yes",
            "nodes": [{"id": "a", "score": 0.5}, {"id": "b", "isDuplicate": True}],
            "ordered_nodes": ["a", "a", "b", "c", 7, {"id": "a"}],
        }
    )
    reading = read_record(text)
    assert [one.where for one in reading.refused] == [
        "more",
        "topic",
        "nodes[0].score",
        *(f"ordered_nodes[{i}]" for i in range(1, 6)),
        "reordered",
        "query",
    ]
    assert reading.record is not None
    assert reading.record.ordered_nodes == ("a",)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"nodes": {}}', "\ufeff", "null"])
def test_what_is_no_record_is_said(text: str) -> None:
    reading = read_record(text)
    assert reading.record is None
    assert len(reading.refused) == 1


IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@st.composite
def records(draw: st.DrawFn) -> TopicRecord:
    ids = draw(st.lists(IDS, unique=True, max_size=8))
    made = []
    for i, node in enumerate(ids):
        kind = draw(st.sampled_from(["graded", "irrelevant", "unsure", "later", "none"]))
        duplicate = draw(st.booleans())
        added = draw(st.booleans())
        stage = draw(st.sampled_from(["explicit", "bootstrapped"])) if kind == "graded" else ""
        made.append(
            RecordNode(
                node,
                -1 if added else i,
                duplicate,
                kind == "irrelevant",
                added,
                {"graded": draw(st.sampled_from([3, 2, 1, 0])), "irrelevant": -1}.get(kind),
                "explicit" if kind == "irrelevant" else stage,
                kind if kind in ("unsure", "later") else "",
                draw(st.sampled_from(ids)) if duplicate and draw(st.booleans()) else "",
                draw(st.text(st.characters(exclude_categories=["Cs"]), max_size=12)),
                draw(st.sampled_from(["", "2", "unsure"])) if kind in ("irrelevant", "later") else "",
                kind == "later" and draw(st.booleans()),
                draw(st.sampled_from(["", "changed"])),
                draw(st.sampled_from(["", "3", "-1"])),
                draw(st.booleans()),
            )
        )
    made = [replace(node, duplicate_of="") if node.duplicate_of == node.id else node for node in made]
    ordered = draw(st.permutations([node.id for node in made if not node.is_duplicate]))
    texts = draw(st.dictionaries(st.sampled_from(["de", "en"]), IDS))
    reordered, seen = draw(st.booleans()), draw(st.booleans())
    return TopicRecord("T", "r", LocalText.of(texts), KEY, "s", tuple(made), tuple(ordered), reordered, seen)


@given(records())
def test_writing_and_reading_is_the_identity(written: TopicRecord) -> None:
    reading = read_record(write_record(written))
    assert (reading.record, reading.refused) == (written, ())
