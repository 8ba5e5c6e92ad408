"""Sentences: the hand-cut list, ranges, and laws that hold for any text."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.text.sentences import split_sentences
from tests.text.sentence_cases import ENGLISH, GERMAN, UNSEEN

# Known to be cut wrongly: letters that look like initials, and a sentence that begins with "i.v.".
KNOWN = {
    "2.1 Statistical analysis\n¦We used R. ¦Tests were two-sided.",
    "Serum samples were stored at -80 deg. C. until use. ¦All were thawed once.",
    "Is it safe? ¦i.v. use is not advised.",
}


def cut(text: str) -> list[str]:
    return [" ".join(s.text.split()) for s in split_sentences(text)]


def by_hand(case: str) -> list[str]:
    return [" ".join(part.split()) for part in case.split("¦")]


@pytest.mark.parametrize("case", [*GERMAN, *ENGLISH, *UNSEEN])
def test_as_cut_by_hand(case):
    found = cut(case.replace("¦", ""))
    assert (found == by_hand(case)) == (case not in KNOWN), found


def test_there_are_enough_cases_of_both_languages():
    assert len(GERMAN) >= 60
    assert len(ENGLISH) >= 60


def test_ranges_are_those_of_the_text():
    text = "  Dr. Meier kam.\n\nBefund: z. B. S. aureus. "
    assert [(s.start, s.end) for s in split_sentences(text)] == [(2, 16), (18, 42)]
    assert [s.text for s in split_sentences(text)] == ["Dr. Meier kam.", "Befund: z. B. S. aureus."]


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n"])
def test_nothing_has_no_sentences(text):
    assert split_sentences(text) == ()


def test_each_line_is_a_paragraph_where_lines_are_long():
    long = "word " * 50
    assert [s.text for s in split_sentences(f"A title without a stop\n{long}\nAnother title\n{long}")] == [
        "A title without a stop",
        long.strip(),
        "Another title",
        long.strip(),
    ]


def test_a_lost_space_after_a_stop_is_seen():
    assert cut("No change was observed.The dose was doubled.") == ["No change was observed.", "The dose was doubled."]


PIECES = st.sampled_from(
    [
        "Die ",
        "z. B. ",
        "p < 0.05",
        ". ",
        ".",
        "! ",
        "\n",
        "\n\n",
        "- ",
        "Fig. 2 ",
        "(",
        ") ",
        "S. aureus ",
        "3. ",
        "Mai ",
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=25).map("".join)))
def test_sentences_hold_all_of_the_text_in_order(text):
    found = split_sentences(text)
    place = 0
    for sentence in found:
        assert text[place : sentence.start].strip() == ""
        assert sentence.text == text[sentence.start : sentence.end] == sentence.text.strip() != ""
        place = sentence.end
    assert text[place:].strip() == ""


@given(st.lists(PIECES, max_size=25).map("".join))
def test_white_space_around_changes_nothing(text):
    assert cut(f"  {text.strip()} \n") == cut(text.strip())


@pytest.mark.parametrize("piece", [".", "(", "a. ", "\n", " ", "1. ", "[1] ", "x", ". [1,", "\n ", "((A. B.) "])
def test_long_and_odd_texts_take_no_time(piece):
    text = piece * (200_000 // len(piece))
    start = time.perf_counter()
    split_sentences(text)
    assert time.perf_counter() - start < 15
    assert re.sub(r"\s", "", "".join(s.text for s in split_sentences(text[:2000]))) == re.sub(r"\s", "", text[:2000])
