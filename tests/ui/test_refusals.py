"""Why parts of a record were not taken has German words for everything that the reader says."""

import json

import pytest

from oncosearch.review import read_record
from oncosearch.ui.components.annotation.refusals import refusal_words
from oncosearch.ui.markup import join
from oncosearch.ui.texts import texts

WHOLE = {"id": "a", "original_index": 0}
WRONG_NODES = [
    7,
    {},
    {"id": "b", "relevance": "3"},
    {"id": "b", "relevance": 7},
    {"id": "b", "original_index": -1},
    {"id": "b", "isIrrelevant": True, "relevance": 3},
    {"id": "b", "stage": "maybe"},
    {"id": "b", "status": "maybe"},
    {"id": "b", "status": "unsure", "isIrrelevant": True},
    {"id": "b", "status": "unsure", "relevance": 3},
    {"id": "b", "previous": "9"},
    {"id": "b", "recheck": "no"},
    {"id": "b", "hidden": "3"},
    {"id": "b", "hiddenIrrelevant": True},
    {"id": "b", "duplicateOf": "a"},
    {"id": "b", "duplicateOf": "b", "isDuplicate": True},
    {"id": "a", "original_index": 3},
    {"id": "b", "original_index": 0},
    {"id": "b", "colour": "red"},
]
WRONG_RECORDS = [
    "{",
    "[]",
    json.dumps({"nodes": [WHOLE], "reordered": 3}),
    json.dumps({"nodes": [WHOLE], "query": 3}),
    json.dumps({"nodes": [WHOLE], "rater": 3}),
    json.dumps({"nodes": [WHOLE], "ordered_nodes": 3}),
    json.dumps({"nodes": [WHOLE, {"id": "b", "isDuplicate": True}], "ordered_nodes": ["a", "a", "b", "c"]}),
    *(json.dumps({"nodes": [WHOLE, node]}) for node in WRONG_NODES),
]


@pytest.mark.parametrize("text", WRONG_RECORDS)
def test_every_reason_has_words_in_german(text):
    refused = read_record(text).refused
    assert refused
    for one in refused:
        words = join(refusal_words(texts("de"), one))
        assert 'lang="en"' not in words, one
        assert one.where in words
