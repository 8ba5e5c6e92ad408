"""Blocks: hand-worked breaks and overlaps, degenerate texts, and the laws of segmentation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import UsageError
from oncosearch.text.segments import fixed_blocks, neighbour_similarities, segment
from oncosearch.text.sentences import split_sentences

WORDS = 5  # words in each sentence of ``text_of``


def count(text: str) -> int:
    """A model whose tokens are words, with two marks around."""
    return len(text.split()) + 2


def text_of(sentences: int) -> str:
    return " ".join(f"The finding {i} was seen." for i in range(sentences))


def cuts(blocks) -> list[tuple[int, int]]:
    return [b.sentences for b in blocks]


def test_breaks_are_the_lowest_gaps_and_their_number_follows_from_the_budget():
    # 6 sentences of 5 words: 30 tokens, room 12 - 2 = 10, so 3 blocks and 2 breaks, at 0.1 and 0.2.
    blocks = segment(text_of(6), np.array([0.9, 0.1, 0.8, 0.2, 0.7]), count, budget=12, limit=100, most_overlap=0)
    assert cuts(blocks) == [(0, 2), (2, 4), (4, 6)]
    assert [b.tokens for b in blocks] == [12, 12, 12]


def test_no_threshold_decides():
    high = segment(text_of(4), np.array([0.99, 0.98, 0.999]), count, budget=12, limit=100, most_overlap=0)
    low = segment(text_of(4), np.array([-0.2, -0.9, 0.1]), count, budget=12, limit=100, most_overlap=0)
    assert cuts(high) == cuts(low) == [(0, 2), (2, 4)]


def test_of_equal_gaps_the_earlier_is_broken():
    blocks = segment(text_of(4), np.array([0.5, 0.3, 0.3]), count, budget=12, limit=100, most_overlap=0)
    assert cuts(blocks) == [(0, 2), (2, 4)]
    blocks = segment(text_of(4), np.full(3, 0.4), count, budget=12, limit=100, most_overlap=0)
    assert cuts(blocks) == [(0, 1), (1, 4)]


def test_a_block_beyond_the_limit_is_broken_at_its_own_lowest_gap():
    # 2 blocks by budget: the lowest gap leaves 5 sentences, 27 tokens, beyond 20; of these the gap 0.4 is lowest.
    values = np.array([0.1, 0.8, 0.4, 0.9, 0.7])
    assert cuts(segment(text_of(6), values, count, budget=17, limit=100, most_overlap=0)) == [(0, 1), (1, 6)]
    assert cuts(segment(text_of(6), values, count, budget=17, limit=20, most_overlap=0)) == [(0, 1), (1, 3), (3, 6)]


def test_the_overlap_follows_the_continuity_of_the_break():
    # Mean 0.65, standard deviation 0.218: z is 2.06 at 0.2 (nothing), 1.15 at 0.4 (one), 0.23 at 0.6 (two sentences).
    values = np.array([0.8, 0.8, 0.2, 0.8, 0.8, 0.6, 0.8, 0.4])
    assert values.mean() == pytest.approx(0.65)
    blocks = segment(text_of(9), values, count, budget=14, limit=100)
    # 45 tokens, room 12: 4 blocks; breaks before sentences 3 (0.2), 8 (0.4) and 6 (0.6).
    assert cuts(blocks) == [(0, 3), (3, 6), (4, 8), (7, 9)]
    assert [b.overlap for b in blocks] == [0, 0, len("The finding 4 was seen. The finding 5 was seen."), 23]


def test_a_clean_break_carries_nothing_over():
    # One gap far below: mean 0.836, deviation 0.201, z 3.2.
    values = np.array([0.9] * 5 + [0.2] + [0.9] * 5)
    blocks = segment(text_of(12), values, count, budget=40, limit=100)
    assert cuts(blocks) == [(0, 6), (6, 12)]
    assert [b.overlap for b in blocks] == [0, 0]


def test_the_overlap_is_cut_where_the_limit_leaves_no_room():
    values = np.array([0.5, 0.4, 0.5])
    assert cuts(segment(text_of(4), values, count, budget=12, limit=17)) == [(0, 2), (1, 4)]
    assert cuts(segment(text_of(4), values, count, budget=12, limit=12)) == [(0, 2), (2, 4)]


def test_neighbours_are_stored():
    blocks = segment(text_of(6), np.array([0.9, 0.1, 0.8, 0.2, 0.7]), count, budget=12, limit=100, document="d")
    assert [(b.previous, b.id, b.next) for b in blocks] == [
        (None, "d#1", "d#2"),
        ("d#1", "d#2", "d#3"),
        ("d#2", "d#3", None),
    ]


def test_one_sentence_and_no_text():
    assert segment("", np.empty(0), count) == segment("  \n", np.empty(0), count) == ()
    (block,) = segment(" One sentence. ", np.empty(0), count, document="d")
    assert (block.text, block.start, block.end, block.sentences) == ("One sentence.", 1, 14, (0, 1))
    assert fixed_blocks(" ", count) == ()


def test_a_sentence_beyond_the_limit_is_cut_between_words():
    text = "Short one. " + "Yy bb cc dd ee ff gg hh ii jj. Short two."
    blocks = segment(text, np.array([0.5, 0.5]), count, budget=6)
    assert [b.text for b in blocks] == ["Short one.", "Yy bb cc dd", "ee ff gg hh", "ii jj.", "Short two."]
    assert cuts(blocks) == [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]


def test_a_word_beyond_the_limit_is_cut_too():
    blocks = segment("x" * 25, np.empty(0), len, budget=10)
    assert [b.text for b in blocks] == ["x" * 10, "x" * 10, "x" * 5]


def test_fixed_blocks_by_hand():
    text = "a b c d e f g h i"
    assert [b.text for b in fixed_blocks(text, count, size=6)] == ["a b c d", "e f g h", "i"]
    assert [b.text for b in fixed_blocks(text, count, size=6, overlap=1)] == ["a b c d", "d e f g", "g h i"]
    assert [b.overlap for b in fixed_blocks(text, count, size=6, overlap=1)] == [0, 1, 1]


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="1 similarities for 4 sentences, expected 3"):
        segment(text_of(4), np.zeros(1), count)
    with pytest.raises(ValueError, match="finite"):
        segment(text_of(2), np.array([np.nan]), count)
    with pytest.raises(UsageError, match="a block of 2 tokens holds no text"):
        segment(text_of(2), np.zeros(1), count, budget=2)
    with pytest.raises(UsageError, match="overlap 4"):
        fixed_blocks(text_of(2), count, size=6, overlap=4)


def test_similarities_of_neighbours():
    rows = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    assert neighbour_similarities(rows).tolist() == [1.0, 0.0, 0.0]
    assert neighbour_similarities(rows[:1]).shape == neighbour_similarities(np.empty((0, 2))).shape == (0,)
    # Window 2 at the gap between rows 0 and 1: (1, 0) with the mean of (1, 0) and (0, 1).
    assert neighbour_similarities(rows, 2)[0] == pytest.approx(np.sqrt(0.5))


PIECES = st.sampled_from(
    ["Die Lunge ", "war frei. ", "z. B. ", "A ", "b! ", "\n\n", "verylongwordindeed ", "Es ", "x. "]
)


@st.composite
def cases(draw):
    """Texts with similarities in whole 64ths: sums of these are exact."""
    text = draw(st.lists(PIECES, max_size=40).map("".join))
    gaps = max(0, len(split_sentences(text)) - 1)
    values = draw(st.lists(st.integers(-64, 64), min_size=gaps, max_size=gaps))
    return text, np.array(values, np.float64) / 64


def check(text, blocks, limit, counter):
    done = 0
    for number, block in enumerate(blocks):
        assert block.text == text[block.start : block.end] != ""
        assert block.tokens == counter(block.text) <= limit
        assert text[done : block.start].strip() == ""
        assert block.end > done
        assert block.overlap == max(0, done - block.start)
        assert block.previous == (blocks[number - 1].id if number else None)
        assert block.next == (blocks[number + 1].id if number + 1 < len(blocks) else None)
        sentences = split_sentences(text)[slice(*block.sentences)]
        assert sentences[0].start <= block.start < sentences[0].end
        assert sentences[-1].start < block.end <= sentences[-1].end
        done = block.end
    assert text[done:].strip() == ""
    assert len({b.id for b in blocks}) == len(blocks)


@given(
    cases(), st.integers(4, 30), st.integers(4, 30), st.integers(0, 3), st.sampled_from([count, lambda t: len(t) + 2])
)
def test_blocks_cover_the_text_in_order_within_the_limit(case, budget, limit, most, counter):
    text, values = case
    blocks = segment(text, values, counter, budget=budget, limit=limit, most_overlap=most)
    check(text, blocks, limit, counter)
    assert blocks == segment(text, values, counter, budget=budget, limit=limit, most_overlap=most)


@given(cases(), st.integers(-128, 128), st.integers(4, 30))
def test_a_constant_added_to_all_similarities_changes_nothing(case, constant, budget):
    text, values = case
    shifted = segment(text, values + constant / 64, count, budget=budget, limit=60)
    assert shifted == segment(text, values, count, budget=budget, limit=60)


@given(cases(), st.integers(6, 30), st.integers(0, 3), st.sampled_from([count, lambda t: len(t) + 2]))
def test_fixed_blocks_cover_the_text_too(case, size, overlap, counter):
    text, _ = case
    blocks = fixed_blocks(text, counter, size=size, overlap=overlap)
    check(text, blocks, size, counter)
    for block in blocks:
        assert counter(text[block.start : block.start + block.overlap]) - 2 <= overlap
