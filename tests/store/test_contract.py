"""What every store must do, asserted against both adapters."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying
from hypothesis import strategies as st

from oncosearch.model import (
    Code,
    Link,
    LocalText,
    Node,
    NotFoundError,
    SnapshotDiff,
    SnapshotKey,
    Source,
    StoreError,
    Synonym,
    node_hash,
)
from oncosearch.model.vocabulary import FIELD_KEYS
from oncosearch.settings import Settings
from oncosearch.store import Store
from tests.store.examples import event, many_nodes, nasty_nodes, plain_node, run, search, snapshot_of

Opening = Callable[[], Store]


def test_name_says_which_database(store: Store, settings: Settings) -> None:
    assert store.name == ("SQLite" if settings.store is None else "MongoDB")


# Snapshots


def test_nodes_come_back_unharmed_in_order_of_code_points(store: Store) -> None:
    nodes = nasty_nodes()
    snapshot = snapshot_of(nodes)
    store.write_snapshot(snapshot, nodes)
    assert list(store.iter_nodes(snapshot.key)) == sorted(nodes, key=lambda node: node.id)
    assert store.snapshot(snapshot.key) == snapshot
    assert store.hashes(snapshot.key) == {node.id: node_hash(node) for node in nodes}
    assert list(store.hashes(snapshot.key)) == sorted(node.id for node in nodes)


def test_nodes_come_in_the_order_asked_for(store: Store) -> None:
    nodes = nasty_nodes()
    key = snapshot_of(nodes).key
    store.write_snapshot(snapshot_of(nodes), nodes)
    by_id = {node.id: node for node in nodes}
    wanted = ["1", "$where", "01", "1", "Mu\u0308ller", "Müller"]
    assert store.nodes(key, wanted) == [by_id[node_id] for node_id in wanted]
    assert store.nodes(key, []) == []
    assert store.node(key, "01").id == "01"


@pytest.mark.parametrize("absent", ["0", "01 ", "$WHERE", "{'$gt': ''}", "%", "", "x\x00"])
def test_a_missing_node_is_named(store: Store, absent: str) -> None:
    nodes = nasty_nodes()
    key = snapshot_of(nodes).key
    store.write_snapshot(snapshot_of(nodes), nodes)
    with pytest.raises(NotFoundError) as caught:
        store.nodes(key, ["01", absent])
    assert repr(absent) in str(caught.value)
    assert str(key) in str(caught.value)


def test_a_missing_snapshot_is_named_with_those_that_exist(store: Store) -> None:
    absent = SnapshotKey("demo", "2026.Q9")
    with pytest.raises(NotFoundError, match="import a graph first"):
        store.snapshot(absent)
    store.write_snapshot(snapshot_of([]), [])
    for asking in (
        lambda: store.snapshot(absent),
        lambda: store.nodes(absent, []),
        lambda: store.node(absent, "1"),
        lambda: store.iter_nodes(absent),
        lambda: store.hashes(absent),
        lambda: store.diff(SnapshotKey("demo", "2026.Q1"), absent),
        lambda: store.latest("other"),
    ):
        with pytest.raises(NotFoundError, match=r"demo@2026\.Q1"):
            asking()


def test_snapshots_are_listed_newest_last(store: Store) -> None:
    expected = [
        snapshot_of([], "b", created="2026-01-01T00:00:00Z"),
        snapshot_of([], "a", created="2026-02-01T00:00:00Z"),
        snapshot_of([], "10", created="2026-03-01T00:00:00Z"),
        snapshot_of([], "9", created="2026-03-01T00:00:00Z"),
        snapshot_of([], "a", graph_id="$other", created="2026-04-01T00:00:00Z"),
    ]
    for snapshot in (expected[3], expected[0], expected[4], expected[2], expected[1]):
        store.write_snapshot(snapshot, [])
    assert store.snapshots() == expected
    assert store.snapshots("demo") == expected[:4]
    assert store.snapshots("nothing") == []
    assert store.latest("demo") == expected[3]
    assert store.latest("$other") == expected[4]


def test_no_nodes_at_all(store: Store) -> None:
    snapshot = snapshot_of([])
    steps: list[int] = []
    store.write_snapshot(snapshot, [], steps.append)
    assert list(store.iter_nodes(snapshot.key)) == []
    assert store.hashes(snapshot.key) == {}
    assert store.snapshot(snapshot.key).node_count == 0


def test_ten_thousand_nodes(store: Store) -> None:
    nodes = many_nodes(10_000)
    snapshot = snapshot_of(nodes)
    steps: list[int] = []
    store.write_snapshot(snapshot, iter(nodes), steps.append)
    assert steps == sorted(set(steps))
    assert steps[-1] == 10_000
    assert len(steps) >= 5
    assert list(store.iter_nodes(snapshot.key)) == nodes
    backwards = [node.id for node in reversed(nodes)]
    assert [node.id for node in store.nodes(snapshot.key, backwards)] == backwards


def test_a_snapshot_never_changes(store: Store) -> None:
    nodes = many_nodes(3)
    snapshot = snapshot_of(nodes)
    store.write_snapshot(snapshot, nodes)
    other = [*nodes[:2], plain_node("n00002", "anders")]
    with pytest.raises(StoreError, match="stored already with another content"):
        store.write_snapshot(snapshot_of(other), other)
    assert list(store.iter_nodes(snapshot.key)) == nodes
    assert store.snapshots() == [snapshot]


def test_the_same_snapshot_again_changes_nothing_and_reads_nothing(store: Store) -> None:
    nodes = many_nodes(3)
    snapshot = snapshot_of(nodes)
    store.write_snapshot(snapshot, nodes)
    unread = iter(nodes)
    store.write_snapshot(replace(snapshot, created="2030-01-01T00:00:00Z"), unread)
    assert list(unread) == nodes
    assert store.snapshots() == [snapshot]


class _Broken(list[Node]):
    def __iter__(self) -> Iterator[Node]:
        yield from super().__iter__()
        raise RuntimeError("the file ends here")


@pytest.mark.parametrize(
    ("came", "announced", "error", "words"),
    [
        (many_nodes(1200), many_nodes(1201), StoreError, "announces 1201 nodes, but 1200 came"),
        (many_nodes(1200), many_nodes(1199), StoreError, "announces 1199 nodes, but 1200 came"),
        (many_nodes(1200), many_nodes(1200, "x"), StoreError, "content hash"),
        ([*many_nodes(1200), plain_node("n00000")], many_nodes(1201), StoreError, "two nodes with the id 'n00000'"),
        ([*many_nodes(1200), plain_node("a", "\ud800")], many_nodes(1201), StoreError, "not valid Unicode"),
        ([*many_nodes(1200), plain_node("\ud800")], many_nodes(1201), StoreError, "not valid Unicode"),
        (_Broken(many_nodes(1200)), many_nodes(1201), RuntimeError, "the file ends here"),
    ],
    ids=["too few", "too many", "other content", "duplicate", "surrogate in a text", "surrogate in an id", "broken"],
)
def test_a_refused_snapshot_leaves_the_store_as_it_was(
    store: Store, came: list[Node], announced: list[Node], error: type[Exception], words: str
) -> None:
    before = many_nodes(5)
    store.write_snapshot(snapshot_of(before), before)
    with pytest.raises(error, match=words):
        store.write_snapshot(snapshot_of(announced, "2026.Q2"), came)
    assert store.snapshots() == [snapshot_of(before)]
    assert list(store.iter_nodes(snapshot_of(before).key)) == before
    right = many_nodes(1201)
    store.write_snapshot(snapshot_of(right, "2026.Q2"), right)
    assert list(store.iter_nodes(SnapshotKey("demo", "2026.Q2"))) == right


def test_difference_of_two_snapshots_and_the_old_one_stays_readable(store: Store) -> None:
    old = [plain_node("01"), plain_node("1"), plain_node("2"), plain_node("😀")]
    new = [plain_node("01"), plain_node("1", "neu"), plain_node("😀", "neu"), plain_node("3"), plain_node("10")]
    first, second = snapshot_of(old), snapshot_of(new, "2026.Q2", created="2026-04-01T00:00:00Z")
    store.write_snapshot(first, old)
    store.write_snapshot(second, new)
    assert store.diff(first.key, second.key) == SnapshotDiff(
        old=first.key, new=second.key, added=("10", "3"), changed=("1", "😀"), removed=("2",)
    )
    assert store.diff(second.key, first.key).added == ("2",)
    assert store.diff(first.key, first.key) == SnapshotDiff(first.key, first.key, (), (), ())
    assert list(store.iter_nodes(first.key)) == sorted(old, key=lambda node: node.id)
    assert store.node(first.key, "1") != store.node(second.key, "1")
    assert store.latest("demo") == second


def test_an_open_iterator_outlives_a_new_snapshot(store: Store) -> None:
    nodes = many_nodes(2500)
    store.write_snapshot(snapshot_of(nodes), nodes)
    reading = store.iter_nodes(snapshot_of(nodes).key)
    first = next(reading)
    changed = many_nodes(2500, " neu")
    store.write_snapshot(snapshot_of(changed, "2026.Q2"), changed)
    assert [first, *reading] == nodes


def test_a_snapshot_may_be_copied_from_the_store_itself(store: Store) -> None:
    nodes = many_nodes(2500)
    first, second = snapshot_of(nodes), snapshot_of(nodes, "2026.Q2")
    store.write_snapshot(first, nodes)
    store.write_snapshot(second, store.iter_nodes(first.key))
    assert list(store.iter_nodes(second.key)) == nodes


_letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_texts = st.dictionaries(_letters, _letters, max_size=3).map(LocalText.of)
_fields = st.dictionaries(st.sampled_from(FIELD_KEYS), _texts, max_size=4).map(
    lambda fields: tuple((key, fields[key]) for key in FIELD_KEYS if key in fields)
)


def _some(strategy: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(strategy, max_size=3).map(tuple)


_nodes = st.builds(
    Node,
    id=_ids,
    type=_letters,
    title=_texts,
    synonyms=_some(st.builds(Synonym, _letters, _letters, _letters)),
    fields=_fields,
    codes=_some(st.builds(Code, _letters, _letters)),
    sources=_some(
        st.builds(
            Source, _letters, _letters, st.none() | _letters, st.none() | st.integers(-9999, 9999), st.none() | _letters
        )
    ),
    parents=_some(_ids),
    links=_some(st.builds(Link, _ids, _letters)),
)
_count = count()


@trying(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nodes=st.lists(_nodes, max_size=6, unique_by=lambda node: node.id))
def test_write_then_iterate_is_the_identity(store: Store, nodes: list[Node]) -> None:
    snapshot = snapshot_of(nodes, f"s{next(_count)}")
    store.write_snapshot(snapshot, nodes)
    assert list(store.iter_nodes(snapshot.key)) == sorted(nodes, key=lambda node: node.id)
    assert store.nodes(snapshot.key, [node.id for node in nodes]) == nodes
    assert store.hashes(snapshot.key) == {node.id: node_hash(node) for node in nodes}


# Several at once


def test_two_writers_of_two_snapshots(open_again: Opening) -> None:
    states = {f"s{i}": many_nodes(1500, f" in {i}") for i in range(2)}
    stores = {name: open_again() for name in states}
    start = threading.Barrier(2)

    def write(name: str) -> None:
        start.wait()
        stores[name].write_snapshot(snapshot_of(states[name], name), iter(states[name]))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, states))
    for name, nodes in states.items():
        assert list(open_again().iter_nodes(SnapshotKey("demo", name))) == nodes


@pytest.mark.parametrize("same", [True, False], ids=["same content", "other content"])
def test_two_writers_of_one_key(open_again: Opening, same: bool) -> None:
    states = [many_nodes(1500), many_nodes(1500, "" if same else " anders")]
    stores = [open_again(), open_again()]
    half_way = threading.Barrier(2)

    def slowly(nodes: list[Node]) -> Iterator[Node]:
        # Both have begun before either is done, and both have written half of their nodes.
        yield from nodes[:1000]
        half_way.wait(30)
        yield from nodes[1000:]

    def write(i: int) -> str:
        try:
            stores[i].write_snapshot(snapshot_of(states[i]), slowly(states[i]))
        except StoreError as error:
            return str(error)
        return "stored"

    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(write, range(2)))
    refused = [words for words in outcomes if "stored already with another content" in words]
    assert outcomes.count("stored") == (2 if same else 1)
    assert len(refused) == (0 if same else 1)
    reader = open_again()
    winner = outcomes.index("stored")
    assert list(reader.iter_nodes(SnapshotKey("demo", "2026.Q1"))) == states[winner]
    assert reader.snapshots() == [snapshot_of(states[winner])]


def test_many_threads_share_one_store(store: Store) -> None:
    nodes = many_nodes(600)
    snapshot = snapshot_of(nodes)
    store.write_snapshot(snapshot, nodes)

    def work(i: int) -> tuple[int, bool]:
        number = store.append_event(event(rater=f"rater {i}"))
        store.record(search(f"id {i}"))
        return number, list(store.iter_nodes(snapshot.key)) == nodes

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(work, range(24)))
    assert sorted(number for number, _ in done) == list(range(1, 25))
    assert all(whole for _, whole in done)
    assert {found.rater for found in store.events("s1")} == {f"rater {i}" for i in range(24)}
    assert len(store.recent(100)) == 24


# Runs


def test_runs_are_kept_once_under_the_hash_of_their_content(store: Store, open_again: Opening) -> None:
    late, early = run("a", "2026-02-01T00:00:00Z"), run("b", "2026-01-01T00:00:00Z")
    late_id, early_id = store.save_run(late), store.save_run(early)
    turned = replace(late, rankings=dict(reversed(list(late.rankings.items()))))
    assert open_again().save_run(turned) == late_id
    assert late_id != early_id
    assert store.runs() == [early_id, late_id]
    assert store.run(late_id) == late
    assert store.run(early_id) == early
    bare = run("c", "2026-03-01T00:00:00Z")
    bare = replace(bare, parameters=None, rankings={}, model=None)
    assert store.run(store.save_run(bare)) == bare
    empty = replace(bare, parameters={})
    assert store.run(store.save_run(empty)) == empty


def test_a_missing_run_is_named(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no run yet"):
        store.run("x")
    run_id = store.save_run(run())
    with pytest.raises(NotFoundError, match=run_id):
        store.run("$ne")


# Audit


def test_searches_come_back_newest_first(store: Store, open_again: Opening) -> None:
    given_ones = [search("b"), search("a", user="$gt"), search("c"), search("$where", query="")]
    for one in given_ones:
        store.record(one)
    reader = open_again()
    assert reader.recent(10) == given_ones[::-1]
    assert reader.recent(2) == [given_ones[3], given_ones[2]]
    assert reader.recent(0) == []
    assert reader.recent(10, user="$gt") == [given_ones[1]]
    assert reader.recent(10, user="nobody") == []
    assert reader.record_by_id("$where") == given_ones[3]
    assert json.dumps(reader.record_by_id("b").parameters.to_dict()) == json.dumps(given_ones[0].parameters.to_dict())


def test_a_search_is_recorded_once(store: Store) -> None:
    store.record(search("a"))
    store.record(search("a"))
    assert store.recent(10) == [search("a")]
    with pytest.raises(StoreError, match="'a'"):
        store.record(search("a", query="another"))
    assert store.recent(10) == [search("a")]
    with pytest.raises(NotFoundError, match="'b'"):
        store.record_by_id("b")


# Open and closed


def test_what_was_written_is_there_when_opened_again(settings: Settings, open_again: Opening) -> None:
    nodes = nasty_nodes()
    with open_again() as first:
        first.write_snapshot(snapshot_of(nodes), nodes)
    with open_again() as second:
        assert second.latest("demo") == snapshot_of(nodes)
        assert list(second.iter_nodes(snapshot_of(nodes).key)) == sorted(nodes, key=lambda node: node.id)


def test_a_closed_store_says_so(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError):
        store.snapshots()
