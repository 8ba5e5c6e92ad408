"""The JSON Schema accepts what the checks accept, and refuses what they refuse for its shape."""

import json
import re

import jsonschema
import pytest
from hypothesis import given, settings

from oncosearch.ingest import GRAPH_SCHEMA, NODE_SCHEMA
from oncosearch.model import node_to_dict
from oncosearch.model.vocabulary import (
    LINK_KIND_KEYS,
    NODE_TYPE_KEYS,
    SCOPE_KEYS,
    SOURCE_KIND_KEYS,
    SOURCE_KINDS,
    TEXT_FIELD_KEYS,
)
from tests.ingest.graphs import GRAPH, graphs
from tests.ingest.test_checks import ERRORS, WARNINGS
from tests.paths import ROOT

SCHEMA = json.loads(NODE_SCHEMA.read_text(encoding="utf-8"))
NODES = jsonschema.Draft202012Validator(SCHEMA)
HEADERS = jsonschema.Draft202012Validator(json.loads(GRAPH_SCHEMA.read_text(encoding="utf-8")))

# What takes more than one node, or more than JSON values, to see.
NOT_SHAPE = {
    *("bad_json", "bad_number", "duplicate_key", "nested_too_deep", "duplicate_id"),
    *("dangling_parent", "dangling_link", "self_parent", "self_link"),
}
SHAPE = [(kind, line) for kind, line in ERRORS if kind not in NOT_SHAPE and "\\ud800" not in str(line)]


@settings(deadline=None)
@given(graphs())
def test_the_schema_accepts_every_valid_line(nodes):
    for node in nodes:
        NODES.validate(json.loads(json.dumps(node_to_dict(node))))


@pytest.mark.parametrize(("kind", "line"), SHAPE, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(SHAPE)])
def test_the_schema_refuses_what_the_checks_refuse_for_its_shape(kind, line):
    value = json.loads(line) if isinstance(line, str) else line
    with pytest.raises(jsonschema.ValidationError):
        NODES.validate(value)


@pytest.mark.parametrize("line", [line for _, line in WARNINGS])
def test_the_schema_accepts_what_is_only_warned_of(line):
    NODES.validate(line)


@pytest.mark.parametrize("folder", ["small", "cycle"])
def test_the_schema_accepts_the_committed_graphs(folder):
    path = ROOT / "tests" / "data" / folder
    HEADERS.validate(json.loads((path / "graph.json").read_text(encoding="utf-8")))
    for line in (path / "nodes.jsonl").read_text(encoding="utf-8").splitlines():
        NODES.validate(json.loads(line))


@pytest.mark.parametrize(
    "graph", [{}, {**GRAPH, "graph_id": "../x"}, {**GRAPH, "license": "x"}, {**GRAPH, "languages": []}, []]
)
def test_the_schema_refuses_faulty_headers(graph):
    with pytest.raises(jsonschema.ValidationError):
        HEADERS.validate(graph)


def test_the_schema_lists_the_vocabularies():
    parts = SCHEMA["properties"]
    assert parts["type"]["enum"] == list(NODE_TYPE_KEYS)
    assert parts["fields"]["propertyNames"]["enum"] == list(TEXT_FIELD_KEYS)
    assert parts["synonyms"]["items"]["properties"]["scope"]["enum"] == list(SCOPE_KEYS)
    source = parts["sources"]["items"]
    assert source["properties"]["kind"]["enum"] == list(SOURCE_KIND_KEYS)
    forms = {
        case["if"]["properties"]["kind"]["const"]: case["then"]["properties"]["id"]["pattern"]
        for case in source["allOf"]
    }
    assert forms == {kind.key: f"^{kind.id_form}$" for kind in SOURCE_KINDS if kind.id_form}
    assert all(re.search(rf"\b{kind}\b", parts["links"]["items"]["description"]) for kind in LINK_KIND_KEYS)
