"""Compounds and their parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.text import CompoundSplitter

WORDS = [
    "Mamma",
    "Karzinom",
    "Leber",
    "Metastasen",
    "Resektion",
    "Lunge",
    "Krebs",
    "Therapie",
    "Erhaltung",
    "Schule",
    "Druck",
    "Blase",
    "Harn",
]


@pytest.fixture(scope="module")
def splitter():
    return CompoundSplitter.from_vocabulary(WORDS)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("mammakarzinom", ("mamma", "karzinom")),
        ("lebermetastasenresektion", ("leber", "metastasen", "resektion")),
        ("lebermetastasenresektionen", ("leber", "metastasen", "resektionen")),
        ("lungenkrebs", ("lunge", "krebs")),
        ("erhaltungstherapie", ("erhaltung", "therapie")),
        ("harnblasenkarzinom", ("harn", "blase", "karzinom")),
        ("nierenzellkarzinom", ("niere", "zell", "karzinom")),
        ("schuldruck", ("schul", "druck")),
    ],
)
def test_splits_into_known_parts_over_linking_letters(splitter, word, parts):
    assert splitter.split(word) == parts


@pytest.mark.parametrize(
    "word",
    ["therapie", "interaktion", "operation", "kombination", "behandlung", "nichtkleinzellig", "krebs", "äöü" * 4],
)
def test_leaves_words_alone_that_are_no_compounds(splitter, word):
    assert splitter.split(word) == ()


def test_a_word_of_the_graph_that_stands_inside_a_longer_one_is_found():
    splitter = CompoundSplitter.from_vocabulary([*WORDS, "Lebermetastasen"])
    assert splitter.split("lebermetastasenresektion") == ("leber", "metastasen", "resektion")
    assert splitter.inner_words("lebermetastasenresektion") == ("lebermetastasen",)


def test_words_in_small_letters_do_not_become_parts():
    nouns = CompoundSplitter.from_vocabulary(["Alter", "Native"])
    adjective = CompoundSplitter.from_vocabulary(["Alter", "native", "native", "Native"])
    assert nouns.split("alternative") == ("alter", "native")
    assert adjective.split("alternative") == ()


def test_lines_are_sorted_words_with_counts_and_give_the_same_splitter_back():
    splitter = CompoundSplitter.from_vocabulary(["Leber", "Übelkeit", "Leber", "Typ"])
    assert splitter.to_lines() == ["leber\t2", "uebelkeit\t1"]
    again = CompoundSplitter.from_lines(splitter.to_lines())
    assert again.to_lines() == splitter.to_lines()
    assert again.split("leberkrebs") == splitter.split("leberkrebs") == ("leber", "krebs")


@pytest.mark.parametrize("line", ["leber", "leber\tviele", "\t2"])
def test_a_damaged_line_is_named(line):
    with pytest.raises(ValueError, match="line 2 is"):
        CompoundSplitter.from_lines(["niere\t1", line])


def test_words_are_counted_by_their_letters_and_capitals():
    splitter = CompoundSplitter.from_counts(
        [("Niere-EGFR2", 3), ("Lunge/Leber", 2), ("HER2+", 9), ("haut", 1), ("Haut", 1)]
    )
    assert splitter.to_lines() == ["haut\t2", "leber\t2", "lunge\t2", "niere\t3"]


@given(st.permutations(WORDS))
def test_the_order_of_the_vocabulary_changes_nothing(words):
    splitter = CompoundSplitter.from_vocabulary(words)
    assert splitter.to_lines() == CompoundSplitter.from_vocabulary(WORDS).to_lines()
    assert splitter.split("lebermetastasenresektion") == ("leber", "metastasen", "resektion")


@given(st.text(alphabet="abcdeghiklmnorstuz", max_size=30))
def test_parts_stand_in_the_word_in_order(word):
    place = 0
    for part in CompoundSplitter.from_vocabulary(WORDS).split(word):
        place = word.index(part, place) + len(part)
    assert place <= len(word)
