"""The MongoDB database itself: what any tool sees in it, and what is said when it cannot be used."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from oncosearch.model import StoreError
from oncosearch.settings import Settings
from oncosearch.store import open_store
from oncosearch.store.mongo_database import VERSION, equal, shown_address
from tests.store.conftest import free_port
from tests.store.examples import event, nasty_nodes, plain_node, pool, qrels, run, search, snapshot_of

SECRET = "s3cr:t/pa?ss"


@pytest.fixture
def raw(mongo_database: str) -> Iterator[Any]:
    """Return the plain database of a store that holds one of everything."""
    from pymongo import MongoClient

    nodes = nasty_nodes()
    with open_store(Settings(store=mongo_database)) as store:
        store.write_snapshot(snapshot_of(nodes), nodes)
        store.append_event(event())
        store.save_pool(pool())
        store.save_qrels(qrels())
        store.save_run(run())
        store.record(search("$gt"))
    with MongoClient(mongo_database) as client:
        yield client.get_default_database()


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from _keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from _keys(part)


@pytest.mark.mongo
def test_relations_can_be_read_by_any_tool(raw: Any) -> None:
    leaving = list(raw["relations"].find({"source": "$where"}, {"_id": 0, "write": 0}))
    of = {"graph_id": "demo", "snapshot_id": "2026.Q1", "source": "$where"}
    assert sorted(leaving, key=lambda r: (r["relation"], r["target"])) == [
        {**of, "target": "01", "relation": "link", "kind": "$or"},
        {**of, "target": "😀", "relation": "link", "kind": "treats"},
        {**of, "target": "01", "relation": "parent", "kind": "parent"},
        {**of, "target": "1", "relation": "parent", "kind": "parent"},
        {**of, "target": "https://example.org/onto#C50.9", "relation": "parent", "kind": "parent"},
    ]


@pytest.mark.mongo
def test_nodes_can_be_read_by_any_tool(raw: Any) -> None:
    found = raw["nodes"].find_one({"node_id": "01"}, {"_id": 0, "write": 0, "node_hash": 0})
    node = next(node for node in nasty_nodes() if node.id == "01")
    assert found == {
        "graph_id": "demo",
        "snapshot_id": "2026.Q1",
        "node_id": "01",
        "type": "disease",
        "title": [{"language": "de", "text": node.title.best("de")}],
        "fields": [],
        "parents": [],
    }
    assert raw["snapshots"].find_one()["write"] == raw["nodes"].find_one()["write"]


@pytest.mark.mongo
def test_no_key_comes_from_outside(raw: Any) -> None:
    names = ("snapshots", "nodes", "relations", "runs", "run_rankings", "audit")
    for name in (*names, "review_events", "review_pools", "published_qrels", "qrels_topics"):
        documents = list(raw[name].find())
        assert documents, name
        for key in _keys(documents):
            assert key.replace("_", "").isalpha(), (name, key)


@pytest.mark.mongo
def test_collections_are_indexed(raw: Any) -> None:
    nodes = [list(dict(index["key"])) for index in raw["nodes"].index_information().values()]
    assert ["graph_id", "snapshot_id", "write", "node_id"] in nodes
    relations = [list(dict(index["key"])) for index in raw["relations"].index_information().values()]
    assert ["graph_id", "snapshot_id", "write", "source"] in relations
    assert ["graph_id", "snapshot_id", "write", "target"] in relations


@pytest.mark.mongo
def test_writes_are_acknowledged_from_disk(mongo_database: str) -> None:
    from pymongo import ReadPreference

    with open_store(Settings(store=mongo_database + "?w=1&readPreference=secondaryPreferred")) as store:
        collection = store._database.collection("review_events")
        assert collection.write_concern.document == {"w": "majority", "j": True}
        assert collection.read_preference == ReadPreference.PRIMARY


@pytest.mark.mongo
def test_a_newer_database_is_refused_with_both_versions(raw: Any, mongo_database: str) -> None:
    raw["meta"].update_one({"_id": "version"}, {"$set": {"number": VERSION + 5}})
    with pytest.raises(StoreError, match=f"version {VERSION + 5}, but this program knows versions up to {VERSION}"):
        open_store(Settings(store=mongo_database))


@pytest.mark.mongo
def test_leavings_of_other_writes_of_the_key_are_removed_and_nothing_else(raw: Any, mongo_database: str) -> None:
    other = [plain_node("x")]
    with open_store(Settings(store=mongo_database)) as store:
        store.write_snapshot(snapshot_of(other, "2026.Q2"), other)
        before = raw["nodes"].count_documents({})
        for snapshot_id in ("2026.Q1", "2026.Q3"):
            raw["nodes"].insert_one(
                {"graph_id": "demo", "snapshot_id": snapshot_id, "write": "left", "node_id": "x", "title": []}
            )
        nodes = nasty_nodes()
        assert list(store.iter_nodes(snapshot_of(nodes).key)) == sorted(nodes, key=lambda node: node.id)
        store.write_snapshot(snapshot_of(nodes), nodes)
        assert raw["nodes"].count_documents({}) == before + 1
        assert [found["snapshot_id"] for found in raw["nodes"].find({"write": "left"})] == ["2026.Q3"]


def test_a_server_that_is_not_there_is_one_readable_sentence() -> None:
    began = time.monotonic()
    address = f"mongodb://anna:geheim@127.0.0.1:{free_port()}/graph?authSource=admin"
    with pytest.raises(StoreError) as caught:
        open_store(Settings(store=address))
    assert time.monotonic() - began < 20
    said = str(caught.value)
    assert "cannot be reached" in said
    assert "ONCOSEARCH_STORE" in said
    assert "/graph" in said
    assert "geheim" not in said
    assert "anna" not in said
    assert "\n" not in said
    assert len(said) < 250


@pytest.mark.parametrize(
    "address",
    [
        f"mongodb://anna:{SECRET}@host:27017/graph",
        f"mongodb://anna:{SECRET}",
        "mongodb://anna:s3cr%zz@host/graph",
        "mongodb://",
        "mongodb://host:99999/graph",
        "mongodb://host/a b$c",
    ],
)
def test_an_address_that_is_wrong_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(StoreError, match="no usable MongoDB address") as caught:
        open_store(Settings(store=address))
    assert "s3cr" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("mongodb://host:27017/graph", "mongodb://host:27017/graph"),
        ("mongodb://anna:geheim@host:27017/graph?tls=true", "mongodb://host:27017/graph"),
        ("mongodb+srv://anna:geheim@cluster.example.org/", "mongodb+srv://cluster.example.org/"),
        ("mongodb://anna:ge@heim@a:1,b:2/graph", "mongodb://a:1,b:2/graph"),
        ("mongodb://[::1]:27017/graph", "mongodb://[::1]:27017/graph"),
        ("mongodb://anna:geheim", "mongodb://…"),
        ("mongodb://host/graph?tlsCertificateKeyFilePassword=geheim", "mongodb://host/graph"),
    ],
)
def test_shown_addresses_hold_no_password(address: str, shown: str) -> None:
    assert shown_address(address) == shown
    assert "geheim" not in shown_address(address)


def test_a_value_in_a_filter_is_never_an_operator() -> None:
    assert equal(rater="$ne") == {"rater": "$ne"}
    with pytest.raises(TypeError, match="rater"):
        equal(rater={"$ne": ""})  # type: ignore[arg-type]
