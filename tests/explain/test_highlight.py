"""Marked words, matches and snippets."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.explain import Match, highlight, matched_terms, matches, snippet
from oncosearch.model import Code, LocalText, Node, Synonym
from oncosearch.text import CompoundSplitter, lexical_fields, tokenise

SPLITTER = CompoundSplitter.from_vocabulary(["Mamma", "Karzinom", "Lunge", "Krebs"])


def words(text):
    return tokenise(text, splitter=SPLITTER)


def marked(text, query):
    return highlight(text, words(query), words)


def test_words_are_marked_whole_also_where_a_part_matched():
    assert marked("Bei Lungenkrebs, HER2 negativ.", "Lunge HER2−") == [
        ("Bei ", False),
        ("Lungenkrebs", True),
        (", ", False),
        ("HER2 negativ", True),
        (".", False),
    ]


def test_markup_in_a_text_stays_text():
    assert marked("<b>Krebs</b>", "Krebs") == [("<b>", False), ("Krebs", True), ("</b>", False)]


def test_nothing_matched_is_one_segment_and_an_empty_text_none():
    assert marked("Magenkrebs", "Lungenkrebs") == [("Magenkrebs", False)]
    assert marked("", "Lunge") == []


def test_the_terms_of_the_node_decide_over_generic_parts():
    fields = [("Title", "Krebs"), ("Diagnosis", "Lunge")]
    query = words("Lungenkrebs")
    assert highlight("Krebs", query, words) == [("Krebs", False)]
    terms = matched_terms(query, fields, words)
    assert terms == {"lung", "kreb"}
    assert highlight("Krebs", query, words, terms=terms) == [("Krebs", True)]


NODE = Node(
    "a",
    "disease",
    LocalText.of({"de": "Lungenkarzinom", "en": "Lung cancer"}),
    synonyms=(Synonym("Lungenkrebs", "de", "exact"), Synonym("Bronchialkarzinom", "de", "narrow")),
    fields=(("Diagnosis", LocalText.of({"de": "CT der Lunge, dann nochmals CT der Lunge"})),),
    codes=(Code("ICD-10-GM", "C34.9"),),
)


def test_matches_name_field_word_synonym_and_scope():
    assert matches(words("Lungenkrebs C34.9"), NODE, words) == (
        Match("Title", "Lungenkarzinom", whole=False),
        Match("Title", "Lung", whole=False),
        Match("Synonyms", "Lungenkrebs", True, "Lungenkrebs", "exact", "de"),
        Match("Diagnosis", "Lunge", whole=False),
        Match("Codes", "C34.9"),
    )
    assert matches(words("Bronchialkarzinom"), NODE, words)[-1] == Match(
        "Synonyms", "Bronchialkarzinom", True, "Bronchialkarzinom", "narrow", "de"
    )
    assert matches(words("Niere"), NODE, words) == ()


def test_matched_words_stand_in_the_node():
    texts = [text for _, text in lexical_fields(NODE)]
    for match in matches(words("Lungenkrebs CT"), NODE, words):
        assert any(match.word in text for text in texts)


LONG = "Anfang " + "und so weiter " * 30 + "bei Cisplatin und Lunge " + "und so fort " * 30 + "auch Lunge am Ende"


def text_of(segments):
    return "".join(piece for piece, _ in segments)


def test_a_snippet_shows_the_stretch_with_most_of_the_query():
    found = snippet(LONG, words("Lunge Cisplatin"), words, width=80)
    assert [piece for piece, is_marked in found if is_marked] == ["Cisplatin", "Lunge"]
    assert found[0] == ("…", False)
    assert found[-1] == ("…", False)
    inside = text_of(found[1:-1])
    assert inside in LONG
    assert len(inside) <= 80
    assert all(word in LONG.split() for word in inside.split())


def test_a_snippet_prefers_the_rarer_word_and_else_the_beginning():
    idf = {"cisplatin": 1.0, "lung": 1.0, "end": 9.0}.get
    assert text_of(snippet(LONG, words("Lunge Cisplatin Ende"), words, width=40, idf=idf)).endswith("Ende")
    assert text_of(snippet(LONG, words("Niere"), words, width=40)).startswith("Anfang und")


def test_a_short_text_is_its_own_snippet():
    assert snippet("Krebs der Lunge", words("Lunge"), words) == [("Krebs der ", False), ("Lunge", True)]


ANY = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(["Lungenkrebs", "HER2", "negativ", "ER\u2212", "\u00ad", "<b>", "\n"]), max_size=12).map(
        " ".join
    ),
)


@given(ANY, st.sampled_from(["Lungenkrebs", "HER2 negativ", "Krebs ER-", ""]))
def test_segments_joined_are_the_text_and_marks_alternate(text, query):
    segments = marked(text, query)
    assert text_of(segments) == text
    assert all(piece for piece, _ in segments)
    assert all(a[1] != b[1] for a, b in pairwise(segments))


@given(ANY, st.sampled_from(["Lungenkrebs", "HER2 negativ"]), st.integers(1, 60))
def test_a_snippet_is_a_stretch_of_the_text(text, query, width):
    segments = snippet(text, words(query), words, width=width)
    if len(text) > width:
        assert len(text_of(segments)) <= width + 2
        segments = segments[segments[:1] == [("…", False)] :]
        segments = segments[: len(segments) - (segments[-1:] == [("…", False)])]
    assert text_of(segments) in text


@pytest.mark.parametrize("query", ["Lungenkrebs", "Mamma"])
def test_what_is_marked_is_what_counts(query):
    text = "Krebs der Lunge und Mammakarzinom"
    marks = [piece for piece, is_marked in marked(text, query) if is_marked]
    assert marks == (["Krebs", "Lunge"] if query == "Lungenkrebs" else ["Mammakarzinom"])
