"""Documents: paths, ids of every kind kept apart, Extended JSON in each of its forms, MongoDB by cursor."""

import gc
import json
import uuid
from datetime import UTC, datetime

import pytest
from bson import DBRef, Decimal128, Int64, ObjectId, json_util
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.ingest import GraphRefusedError, find_format, read_graph
from oncosearch.ingest import mongo as mongo_module
from oncosearch.ingest.documents import id_text, plain_text, values_at
from oncosearch.model import Code, Link, Source, Synonym, UsageError
from tests.ingest.readers import DOCUMENTS, document_mapping, write_files

FIRST, SECOND = (f"oid:665f0000000000000000000{n}" for n in (1, 2))


@pytest.fixture
def mapping(tmp_path):
    write_files(tmp_path, {"m.toml": document_mapping("extjson", 'file = "*.json*"')})
    return tmp_path / "m.toml"


def _node(graph, node_id):
    return next(n for n in graph.nodes if n.id == node_id)


def _dump(tmp_path, text, name="dump.json"):
    return write_files(tmp_path / "d", {name: text}) / name


def _check(graph):
    """The documents of the tests, however they were read."""
    assert {n.id for n in graph.nodes} == {FIRST, SECOND, "number:1", "1", "number:1.5"}
    assert _node(graph, FIRST).title.pairs == (("de", "Lunge"), ("en", "Lung"))
    assert _node(graph, FIRST).field("Evidence").get("de") == "Stand 2024-05-01T00:00:00.000Z."
    # Child lists turned round, after the parent that the document names itself.
    assert _node(graph, SECOND).parents == ("1", FIRST)
    assert _node(graph, "number:1").parents == (FIRST,)
    assert _node(graph, SECOND).sources == (Source("pubmed", "25923549", year=2015, evidence_level="B"),)
    assert _node(graph, "number:1").links == (Link("1", "uses_drug"),)
    assert _node(graph, "number:1").synonyms == (Synonym("I"), Synonym("uno"))
    assert _node(graph, "1").codes == (Code("ATC", "L01"),)
    assert [_node(graph, i).type for i in (FIRST, "1", "number:1")] == ["disease", "drug", "group"]


def test_a_document_a_line(tmp_path, mapping):
    graph = read_graph(_dump(tmp_path, DOCUMENTS), mapping=mapping)
    _check(graph)
    skipped = [(s["line"], s["what"]) for s in graph.report.to_dict()["skipped"]]
    assert skipped == [("dump.json:5", "bad_value"), ("dump.json:6", "bad_json")]
    assert (graph.report.read, graph.report.nodes, graph.report.balanced) == (7, 5, True)


@pytest.mark.parametrize("form", ["list", "pretty", "one after another"])
def test_other_forms_of_a_dump(tmp_path, mapping, form):
    documents = [line for number, line in enumerate(DOCUMENTS.splitlines()) if number not in (4, 5)]
    pretty = [json.dumps(json.loads(line), indent=1) for line in documents]
    lists = {"list": "[" + ",".join(documents) + "]\n", "pretty": "[\n" + ",\n".join(pretty) + "\n]"}
    text = lists.get(form, "\n".join(pretty))
    graph = read_graph(_dump(tmp_path, text), mapping=mapping)
    _check(graph)
    assert graph.report.skipped == 0


@pytest.mark.parametrize("text", ['[{"_id": 1}', '[{"_id": 1}] 2', '[{"_id": 1} {', "[" * 100_000, '{"a":\n'])
def test_a_dump_that_ends_too_soon_or_nests_too_deep_is_refused(tmp_path, mapping, text):
    with pytest.raises(GraphRefusedError) as caught:
        read_graph(_dump(tmp_path, text), mapping=mapping)
    assert {g.kind for g in caught.value.report.problems if g.severity == "error"} <= {
        "bad_json",
        "nested_too_deep",
        "empty_graph",
    }


def test_ids_as_they_are_written(tmp_path):
    text = document_mapping("extjson", 'file = "*.json"').replace("[graph]", "plain_ids = true\n[graph]", 1)
    write_files(tmp_path, {"m.toml": text})
    dump = '{"_id": {"$oid": "665f00000000000000000001"}, "name": {"de": "A"}}\n{"_id": 2, "name": {"de": "B"}, '
    dump += '"up": {"id": "665f00000000000000000001"}}\n'
    graph = read_graph(_dump(tmp_path, dump), mapping=tmp_path / "m.toml")
    assert [(n.id, n.parents) for n in graph.nodes] == [
        ("665f00000000000000000001", ()),
        ("2", ("665f00000000000000000001",)),
    ]


def test_values_at_paths():
    document = {"a": {"b": [{"c": 1}, {"c": [2, 3]}, 4]}, "x.y": {"z.w": 5}, "n": None}
    assert list(values_at(document, "a.b.c")) == [1, 2, 3]
    assert list(values_at(document, "a.b.1.c")) == [2, 3]
    assert list(values_at(document, "a.b.9.c")) == []
    assert list(values_at(document, "x.y")) == [{"z.w": 5}]
    assert list(values_at(document, "n")) == [None]
    assert list(values_at(document, "a.q")) == []


VALUES = [
    *("1", "01", "a", "A", "number:1", "oid:665f00000000000000000001", "665f00000000000000000001", "true", "string:a"),
    *(1, 1.5, -1, 10**20, True, False),
    *(ObjectId("665f00000000000000000001"), datetime(2024, 1, 1, tzinfo=UTC), uuid.UUID(int=1), b"\x01", {"a": 1}),
    *({"a": "1"}, {"b": 1}, Decimal128("2.5")),
]


def test_different_values_are_different_ids():
    ids = [id_text(value) for value in VALUES]
    assert None not in ids
    assert len(set(ids)) == len(VALUES)


@pytest.mark.parametrize("one", [1, 1.0, Int64(1), Decimal128("1"), Decimal128("1.0")])
def test_numbers_that_mongodb_takes_for_equal_are_one_id(one):
    assert (id_text(one), plain_text(one)) == ("number:1", "1")


def test_a_reference_to_a_document_is_its_id():
    assert id_text(DBRef("nodes", ObjectId("665f00000000000000000001"))) == FIRST


scalars = st.text(max_size=12) | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.binary(max_size=4)
values = scalars | st.builds(lambda b: ObjectId(b), st.binary(min_size=12, max_size=12)) | st.datetimes()


@given(values, values)
def test_two_values_have_one_id_only_where_they_are_equal(a, b):
    same = a == b and isinstance(a, bool) == isinstance(b, bool)
    rounded = isinstance(a, datetime) and isinstance(b, datetime)
    if not rounded:
        assert (id_text(a) == id_text(b)) == same


def test_the_mapping_file_names_the_format(tmp_path, mapping):
    assert find_format(_dump(tmp_path, DOCUMENTS), mapping=mapping).key == "extjson"


@pytest.fixture
def filled(mongo_database):
    """Return the address of a database with the documents of the tests."""
    from pymongo import MongoClient

    good = [line for number, line in enumerate(DOCUMENTS.splitlines()) if number not in (4, 5)]
    with MongoClient(mongo_database) as client:
        client.get_default_database()["nodes"].insert_many([json_util.loads(line) for line in good])
    return mongo_database


@pytest.fixture
def mongo_mapping(tmp_path):
    write_files(tmp_path, {"m.toml": document_mapping("mongo", 'collection = "nodes"')})
    return tmp_path / "m.toml"


@pytest.mark.mongo
def test_a_collection(filled, mongo_mapping, tmp_path, monkeypatch):
    monkeypatch.setattr(mongo_module, "BATCH", 2)
    graph = read_graph(filled, mapping=mongo_mapping)
    _check(graph)
    assert [(t.name, t.read, t.kept) for t in graph.report.tables] == [("nodes", 5, 5)]
    # The same documents as a dump are the same graph, and the snapshot is named by its content.
    dumped = read_graph(_dump(tmp_path, DOCUMENTS), mapping=write_mapping(tmp_path))
    assert dumped.snapshot.content_hash == graph.snapshot.content_hash
    assert graph.snapshot.snapshot_id == f"content-{graph.snapshot.content_hash[:12]}"
    assert read_graph(filled, mapping=mongo_mapping).snapshot.key == graph.snapshot.key


def write_mapping(tmp_path):
    write_files(tmp_path / "e", {"m.toml": document_mapping("extjson", 'file = "*.json"')})
    return tmp_path / "e" / "m.toml"


@pytest.mark.mongo
def test_documents_are_read_in_batches_and_let_go(mongo_database, mongo_mapping, monkeypatch):
    """As many documents as a cursor has in a batch are alive at once, not the collection."""
    from pymongo import MongoClient

    with MongoClient(mongo_database) as client:
        client.get_default_database()["nodes"].insert_many(
            [{"_id": i, "name": {"de": f"Nr. {i}"}, "big": {"marker": 1}} for i in range(300)]
        )
    monkeypatch.setattr(mongo_module, "BATCH", 10)
    alive = []
    original = mongo_module.DocumentRecord

    def counted(document, plain):
        if document["_id"] % 50 == 0:
            alive.append(sum(type(o) is dict and "big" in o for o in gc.get_objects()))
        return original(document, plain)

    monkeypatch.setattr(mongo_module, "DocumentRecord", counted)
    assert len(read_graph(mongo_database, mapping=mongo_mapping).nodes) == 300
    assert max(alive) < 120


@pytest.mark.mongo
def test_edges_of_a_collection_of_their_own_and_an_empty_one(filled, tmp_path):
    from pymongo import MongoClient

    with MongoClient(filled) as client:
        client.get_default_database()["edges"].insert_one({"from": "1", "to": 1, "how": "treats"})
    text = document_mapping("mongo", 'collection = "nodes"')
    text += '[[links]]\ncollection = "edges"\nsource = "from"\ntarget = "to"\nkind = { from = "how" }\n'
    text += '[[parents]]\ncollection = "none"\nchild = "a"\nparent = "b"\n'
    write_files(tmp_path, {"m.toml": text})
    graph = read_graph(filled, mapping=tmp_path / "m.toml")
    assert _node(graph, "1").links == (Link("number:1", "treats"),)
    assert graph.report.count("empty_collection") == 1
    assert graph.report.balanced


def test_an_address_that_cannot_be_read_is_an_error_without_the_password(tmp_path, mongo_mapping, monkeypatch):
    monkeypatch.setattr(mongo_module, "_WAIT_MS", 200)
    for address in (
        "mongodb://user:geheim@127.0.0.1:9/db",
        "mongodb://user:ge@heim@127.0.0.1/db",
        "mongodb://user:geheim@127.0.0.1:9",
    ):
        with pytest.raises(UsageError) as caught:
            read_graph(address, mapping=mongo_mapping)
        assert "heim" not in str(caught.value)
        assert "127.0.0.1" in str(caught.value)


def test_the_address_may_stand_in_a_variable_and_is_one(mongo_mapping, monkeypatch, tmp_path):
    monkeypatch.setenv("QUELLE", "mongodb://127.0.0.1:9/db")
    monkeypatch.setattr(mongo_module, "_WAIT_MS", 200)
    with pytest.raises(UsageError, match=r"The database at mongodb://127\.0\.0\.1:9 cannot be read"):
        read_graph("env:QUELLE", mapping=mongo_mapping)
    with pytest.raises(UsageError, match="expected one address"):
        read_graph(["env:QUELLE", tmp_path], mapping=mongo_mapping)
    with pytest.raises(UsageError, match="needs a mapping file"):
        read_graph("env:QUELLE")


LOSSY = """{"_id": "a", "name": {"de": "A"}, "drugs": [{"ref": "b", "how": null}, {"how": "uses_drug"}, "b", null], \
"refs": [{"year": 2020}, 7], "other": [{"x": 1}, "gut"], "sub": [{"$minKey": 1}], "icd.code": null}
{"_id": "b", "name": {"de": "B"}, "drugs": null, "refs": []}
"""


def test_nothing_of_a_document_goes_without_being_counted(tmp_path, mapping):
    graph = read_graph(_dump(tmp_path, LOSSY), mapping=mapping)
    found = {g.kind: [p.message for p in g.examples] for g in graph.report.problems if g.kind.startswith("no_")}
    # Two languages are read, and no node has an English title.
    assert found.pop("no_title_en") != []
    assert found == {
        "no_link_kind": ["a link to 'b' names no kind; it is left out."],
        "no_target": ["an entry of drugs has no link target; it is left out."],
        "no_object": [
            "drugs holds 'b' where an object should stand; it is left out.",
            "refs holds 7 where an object should stand; it is left out.",
        ],
        "no_source_id": ["an entry of refs has no id; it is left out."],
        "no_text": [
            "sub holds MinKey() where a text should stand; it is left out.",
            "other holds an object where a text should stand; it is left out.",
        ],
    }
    assert _node(graph, "a").synonyms == (Synonym("gut"),)
    assert all(p.where == "dump.json:1" for g in graph.report.problems if g.kind in found for p in g.examples)


def test_children_that_cannot_be_filled_are_counted_once(tmp_path):
    text = document_mapping("extjson", 'file = "*.json"').replace('children = "sub"', 'children = "{sub}/{n}"')
    write_files(tmp_path, {"m.toml": text})
    dump = '{"_id": "a", "name": {"de": "A"}, "sub": [1, 2, 3], "n": [1, 2]}\n'
    report = read_graph(_dump(tmp_path, dump), mapping=tmp_path / "m.toml").report
    assert report.count("uneven_values") == 1


def test_an_object_with_lists_is_canonical_json_as_an_id():
    assert id_text({"a": [1, "x", [True, {"b": []}]], "c": None}) == (
        'json:[["a",["number:1","x",["bool:true","json:[[\\"b\\",[]]]"]]],["c",null]]'
    )
    assert id_text({"a": [1]}) == id_text({"a": [1.0]})
    assert len({id_text({"a": value}) for value in ([1], ["1"], "1", 1, [[1]], {"1": 1}, [{"1": 1}])}) == 7
