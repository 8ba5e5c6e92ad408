"""A new state of a graph: what differs, what will be encoded, when it takes over, and what may be dropped."""

import dataclasses
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Code, Link, LocalText, Node, NotFoundError, Source, Synonym, UsageError
from oncosearch.model.vocabulary import TEXT_FIELD_KEYS
from oncosearch.settings import Settings
from oncosearch.store import open_store
from oncosearch.workspace import SearchRequest
from oncosearch.workspace.artefacts import snapshot_folder
from oncosearch.workspace.differences import FieldChange, difference_to_dict, field_changes, named_snapshot
from oncosearch.workspace.forecast import estimate_seconds, forecast
from oncosearch.workspace.pruning import plan_pruning, prune
from oncosearch.workspace.serving import serving_snapshot
from tests.store.examples import event, many_nodes, search, snapshot_of
from tests.workspace.homes import KEY, LATER, changed_graph, opened, silent

# Differences


def test_every_changed_part_is_named():
    old = Node(
        "a",
        "drug",
        LocalText.of({"de": "Alt", "en": "Old"}),
        synonyms=(Synonym("eins"), Synonym("zwei")),
        fields=(("Therapy", LocalText.of({"de": "t"})), ("Dosage", LocalText.of({"de": "d"}))),
        parents=("p", "q"),
    )
    new = Node(
        "a",
        "therapy",
        LocalText.of({"de": "Neu"}),
        synonyms=(Synonym("zwei"), Synonym("drei", scope="broad")),
        fields=(("Therapy", LocalText.of({"de": "t", "en": "t"})),),
        parents=("q", "p"),
        links=(Link("x", "treats"),),
    )
    found = {change.field: change for change in field_changes(old, new)}
    assert {name: (c.old, c.new) for name, c in found.items() if not c.is_list} == {
        "type": ("drug", "therapy"),
        "title.de": ("Alt", "Neu"),
        "title.en": ("Old", None),
        "fields.Dosage.de": ("d", None),
        "fields.Therapy.en": (None, "t"),
    }
    assert [s["text"] for s in found["synonyms"].added] == ["drei"]
    assert [s["text"] for s in found["synonyms"].removed] == ["eins"]
    assert (found["parents"].added, found["parents"].removed) == ([], [])
    assert found["links"].added == [{"target": "x", "kind": "treats"}]
    assert set(found) == {
        *("type", "title.de", "title.en", "synonyms", "fields.Dosage.de", "fields.Therapy.en", "parents", "links")
    }


words = st.text("ab", min_size=1, max_size=2)
texts = st.dictionaries(st.sampled_from(["de", "en"]), words, min_size=1).map(LocalText.of)
nodes = st.builds(
    Node,
    id=st.just("n"),
    type=st.sampled_from(["drug", "therapy"]),
    title=texts,
    synonyms=st.lists(st.builds(Synonym, words), max_size=2).map(tuple),
    fields=st.dictionaries(st.sampled_from(TEXT_FIELD_KEYS[:2]), texts).map(lambda f: tuple(sorted(f.items()))),
    codes=st.lists(st.builds(Code, words, words), max_size=2).map(tuple),
    sources=st.lists(st.builds(Source, words, words), max_size=1).map(tuple),
    parents=st.lists(words, max_size=2).map(tuple),
    links=st.lists(st.builds(Link, words, words), max_size=2).map(tuple),
)


@given(nodes, nodes)
def test_nodes_differ_exactly_where_a_change_is_named(old, new):
    changes = field_changes(old, new)
    assert (changes == ()) == (old == new)
    back = [FieldChange(c.field, c.new, c.old) for c in changes]
    assert sorted(back, key=lambda c: c.field) == sorted(field_changes(new, old), key=lambda c: c.field)
    for change in changes:
        if change.is_list:
            assert len(change.old or []) - len(change.removed) == len(change.new or []) - len(change.added)


def test_a_difference_of_stored_snapshots(home, tmp_path):
    def change(rows):
        rows["mamma"]["title"]["de"] = "Karzinom der Mamma"
        del rows["glossar"]
        rows["neu"] = {"id": "neu", "type": "disease", "title": {"de": "Neu"}, "parents": ["solide"]}

    with opened(home, changed_graph(tmp_path / "new", change)) as workspace:
        diff = workspace.store.diff(KEY, LATER)
        values = difference_to_dict(workspace.store, diff)
    assert (values["added"], values["removed"]) == (["neu"], ["glossar"])
    assert [entry["id"] for entry in values["changed"]] == ["mamma"]
    assert [(f["field"], f["new"]) for f in values["changed"][0]["fields"]] == [("title.de", "Karzinom der Mamma")]


def test_snapshots_are_found_by_either_name():
    stored = [snapshot_of([], "1"), snapshot_of([], "2"), snapshot_of([], "2", graph_id="other")]
    assert named_snapshot(stored, "demo@2") == stored[1]
    assert named_snapshot(stored, "1") == stored[0]
    with pytest.raises(UsageError, match="other@2"):
        named_snapshot(stored, "2")
    with pytest.raises(NotFoundError, match="demo@1"):
        named_snapshot(stored, "3")


# What will be encoded


def test_the_forecast_counts_by_reason(home, tmp_path):
    def change(rows):
        rows["mamma"]["title"]["de"] = "Karzinom der Mamma"
        rows["aml"]["fields"] = {"Diagnosis": {"de": "Anders."}}
        rows["neu"] = {"id": "neu", "type": "disease", "title": {"de": "Neu"}, "parents": ["solide"]}

    with opened(home, changed_graph(tmp_path / "new", change)) as workspace:
        workspace.prepare(LATER, None, silent)
        expected = forecast(workspace, LATER, "e5-small")
        # mamma and aml by their own text, what bears mamma in its path by that, and the new node.
        assert (expected.changed, expected.renamed, expected.added) == (2, 2, 1)
        assert (expected.total, expected.since) == (31, KEY)
        assert estimate_seconds(workspace, LATER, "e5-small", expected) > 0
        assert workspace.prepare(LATER, "e5-small", silent).encoded == expected.encoded == 5
        assert forecast(workspace, LATER, "e5-small").encoded == 0
        nothing = forecast(workspace, LATER, "e5-small")
        assert estimate_seconds(workspace, LATER, "e5-small", nothing) == 0


def test_without_an_earlier_snapshot_all_is_new(home):
    with opened(home) as workspace:
        expected = forecast(workspace, KEY, "gte")
        assert (expected.since, expected.added, expected.encoded) == (None, 30, 30)


# Taking over


def test_a_new_snapshot_takes_over_when_it_is_ready(home, tmp_path):
    with opened(home) as workspace:
        assert serving_snapshot(workspace).key == KEY
    with opened(home, changed_graph(tmp_path / "new", lambda rows: None)) as workspace:
        assert workspace.default_snapshot().key == LATER
        assert serving_snapshot(workspace).key == KEY
        workspace.prepare(LATER, None, silent)
        assert serving_snapshot(workspace).key == KEY
        workspace.prepare(LATER, "e5-small", silent)
        assert serving_snapshot(workspace).key == LATER


def test_searches_go_on_while_a_new_snapshot_is_prepared(home, tmp_path):
    def change(rows):
        rows["mamma"]["title"]["de"] = "Karzinom der Mamma"

    folder = changed_graph(tmp_path / "new", change)
    with opened(home, audit=False) as reading:
        expected = {KEY: reading.search(SearchRequest("Brustkrebs", KEY)).ranking.hits}
        stop, faults, seen = threading.Event(), [], {KEY: 0, LATER: 0}

        def ask():
            while not stop.is_set():
                try:
                    key = serving_snapshot(reading).key
                    # A new cap each time: the answer must not come from the cache.
                    parameters = dataclasses.replace(SearchRequest("x", key).parameters, cap=1000 + sum(seen.values()))
                    hits = reading.search(SearchRequest("Brustkrebs", key, parameters=parameters)).ranking.hits
                    if hits != expected.get(key, hits):
                        faults.append(f"{key} answered otherwise")
                    expected.setdefault(key, hits)
                    seen[key] += 1
                except Exception as error:
                    faults.append(repr(error))
                    return

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        # Another workspace, as another process would have.
        with opened(home, folder) as writing:
            writing.prepare(LATER, "e5-small", silent)
        while not faults and seen[LATER] < 10 and any(thread.is_alive() for thread in threads):
            stop.wait(0.02)
        stop.set()
        for thread in threads:
            thread.join(30)
        assert faults == []
        assert seen[KEY] > 0
        assert expected[KEY] != expected[LATER]
        fresh = reading.search(SearchRequest("Brustkrebs", LATER), "en").ranking.hits
    with opened(home, audit=False) as later:
        assert later.search(SearchRequest("Brustkrebs", LATER)).ranking.hits == fresh == expected[LATER]


def test_an_index_whose_codes_are_still_being_made_is_not_kept(home, monkeypatch):
    monkeypatch.setattr("oncosearch.workspace.workspace.SMALL", 10)
    request = SearchRequest("Brustkrebs", KEY)
    with opened(home, audit=False) as reading, opened(home) as writing:
        before = reading.search(request).ranking.hits
        assert reading.vectors(KEY, "e5-small")[0].codes is None
        writing.prepare(KEY, "e5-small", silent)
        assert reading.vectors(KEY, "e5-small")[0].codes is not None
        assert reading.search(dataclasses.replace(request, top=9)).ranking.hits == before[:9]


# Dropping


@pytest.fixture
def three(tmp_path):
    """Return a store with three snapshots of one graph and one of another."""
    with open_store(Settings(home=tmp_path / "home")) as store:
        for graph_id, snapshot_id in (("demo", "1"), ("demo", "2"), ("demo", "3"), ("other", "1")):
            found = many_nodes(3, snapshot_id)
            created = f"2026-0{snapshot_id}-01T00:00:00Z"
            store.write_snapshot(snapshot_of(found, snapshot_id, graph_id, created), found)
        yield SimpleNamespace(store=store, settings=Settings(home=tmp_path / "home"))


def _named(snapshots):
    return sorted(str(s.key) for s in snapshots)


@pytest.mark.parametrize(
    ("options", "dropped"),
    [
        ({"keep": 1}, ["demo@1", "demo@2"]),
        ({"keep": 2}, ["demo@1"]),
        ({"keep": 3}, []),
        ({"keep": 1, "named": ["demo@1"]}, ["demo@2"]),
        ({"keep": None, "named": ["2"]}, ["demo@1", "demo@3"]),
        ({"keep": 1, "graph_id": "other"}, []),
        ({"keep": None, "named": ["other@1"]}, []),
        ({"keep": None, "named": ["3", "demo@2"], "graph_id": "demo"}, ["demo@1"]),
    ],
)
def test_what_is_dropped(three, options, dropped):
    plan = plan_pruning(three.store, **options)
    assert _named(plan.dropped) == dropped
    assert _named([*plan.kept, *plan.dropped]) == _named(three.store.snapshots())
    prune(three.settings, three.store, plan.dropped)
    assert _named(three.store.snapshots()) == _named(plan.kept)


def test_what_to_keep_must_be_said(three):
    with pytest.raises(UsageError, match="--keep"):
        plan_pruning(three.store, keep=None)
    with pytest.raises(UsageError, match="0"):
        plan_pruning(three.store, keep=0)
    with pytest.raises(NotFoundError):
        plan_pruning(three.store, keep=1, graph_id="none")
    with pytest.raises(NotFoundError):
        plan_pruning(three.store, keep=None, named=["9"])


def test_what_records_refer_to_is_held_unless_forced(three):
    three.store.append_event(event(snapshot_id="1"))
    three.store.record(dataclasses.replace(search("a"), snapshot=snapshot_of([], "2").key))
    plan = plan_pruning(three.store, keep=1)
    assert plan.dropped == ()
    assert {s.snapshot_id: counts for s, counts in plan.held} == {
        "1": {"judgements": 1, "qrels": 0, "runs": 0, "searches": 0},
        "2": {"judgements": 0, "qrels": 0, "runs": 0, "searches": 1},
    }
    assert _named(plan_pruning(three.store, keep=1, force=True).dropped) == ["demo@1", "demo@2"]


def test_files_go_and_unused_vectors_are_counted(home, tmp_path):
    def change(rows):
        rows["aml"]["title"]["de"] = "Anders"

    with opened(home, changed_graph(tmp_path / "new", change), audit=False) as workspace:
        encoded = workspace.prepare(LATER, "e5-small", silent).encoded
        assert encoded > 0
        after = workspace.search(SearchRequest("Brustkrebs", LATER)).ranking.hits
        plan = plan_pruning(workspace.store, keep=1)
        left = prune(workspace.settings, workspace.store, plan.dropped)
        assert not snapshot_folder(home, KEY).exists()
        assert [(u.model, u.rows, u.total) for u in left] == [("e5-small", encoded, 30 + encoded)]
        assert left[0].size == encoded * 384 * 4
    with opened(home, audit=False) as workspace:
        assert workspace.search(SearchRequest("Brustkrebs", LATER)).ranking.hits == after
        pool = np.load(next((home / "vectors").rglob("vectors.npy")), mmap_mode="r")
        assert len(pool) == 30 + encoded
        with pytest.raises(NotFoundError):
            workspace.search(SearchRequest("Brustkrebs", KEY))
