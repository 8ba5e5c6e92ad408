"""What a reader is told of how the question was taken."""

import pytest

from oncosearch.workspace import SearchRequest


def notes(demo, query, pipeline="grag"):
    key = demo.default_snapshot().key
    return {
        code: dict(values) for code, values in demo.search(SearchRequest(query, key, pipeline=pipeline)).ranking.notes
    }


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("Zoladex", "Zoladex"),
        ("Osimertinib oder Quatschinib bei Xyzmutation", "Quatschinib, Xyzmutation"),
        ("asdf qwer", "asdf, qwer"),
    ],
)
@pytest.mark.parametrize("pipeline", ["grag", "lexical"])
def test_words_that_stand_nowhere_in_the_graph_are_named(demo, query, words, pipeline):
    assert notes(demo, query, pipeline)["unknown_words"] == {"words": words}


def test_known_words_and_parts_of_words_are_not_named(demo):
    assert "unknown_words" not in notes(demo, "Osimertinib bei EGFR Exon 19 Deletion")
    assert "unknown_words" not in notes(demo, "Lungenkarzinompatient")


@pytest.mark.parametrize(
    "query",
    [
        "DPYD-Test vor Capecitabin, Patientin mit Niereninsuffizienz",
        "FLOT Dosierung",
        "Can I give cisplatin to children",
    ],
)
def test_everyday_words_are_not_held_against_the_graph(demo, query):
    assert "unknown_words" not in notes(demo, query)


def test_a_code_is_read_as_what_it_names(demo):
    key = demo.default_snapshot().key
    assert notes(demo, "C34.9")["read_as"] == {"query": "C34.9", "title": "Lungenkarzinom"}
    by_code = demo.search(SearchRequest("C34.9", key, pipeline="dense", top=20))
    by_title = demo.search(SearchRequest("Lungenkarzinom", key, pipeline="dense", top=20))
    assert by_code.details[0].hit.pinned == "code"
    assert {d.node.id for d in by_code.details} == {d.node.id for d in by_title.details}


def test_a_title_is_taken_as_typed(demo):
    assert "read_as" not in notes(demo, "Lungenkarzinom")
    assert "read_as" not in notes(demo, "Osimertinib bei EGFR Exon 19 Deletion und mehr")
