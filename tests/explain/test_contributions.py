"""Shares of fields, by words and by meaning."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.explain import contributions, positive_shares, semantic_contributions
from oncosearch.model import LocalText, Node
from oncosearch.text import CompoundSplitter, serialise, tokenise

SPLITTER = CompoundSplitter.from_vocabulary(["Mamma", "Karzinom", "Lunge", "Krebs"])
IDF = {"cisplatin": 3.0, "lung": 1.0, "lungenkreb": 2.0, "kreb": 0.5}


def words(text):
    return tokenise(text, splitter=SPLITTER)


def shares(query, fields):
    return contributions(words(query), fields, lambda term: IDF.get(term, 1.0), words)


def test_shares_are_weighted_by_idf():
    fields = [("Title", "Cisplatin"), ("Therapy", "Cisplatin, Lunge"), ("Symptoms", "Husten")]
    # Overlaps 3, 3 + 1 and 0.
    assert shares("Cisplatin Lunge", fields) == pytest.approx({"Title": 3 / 7, "Therapy": 4 / 7, "Symptoms": 0})


def test_how_often_a_word_stands_does_not_matter_and_texts_of_a_field_go_together():
    fields = [("Title", "Cisplatin"), ("Title", "cisplatin Cisplatin"), ("Therapy", "Cisplatin")]
    assert shares("Cisplatin Cisplatin", fields) == pytest.approx({"Title": 0.5, "Therapy": 0.5})


def test_parts_of_words_count_less():
    # lungenkreb 2·1·1 + lung 1·0.4·0.4 + kreb 0.5·0.2·0.2 against lung 1·0.4·1.
    fields = [("Title", "Lungenkrebs"), ("Diagnosis", "Lunge")]
    whole, part = 2 + 0.16 + 0.02, 0.4
    assert shares("Lungenkrebs", fields) == pytest.approx(
        {"Title": whole / (whole + part), "Diagnosis": part / (whole + part)}
    )


def test_a_generic_part_needs_its_telling_part_somewhere_in_the_node():
    assert shares("Lungenkrebs", [("Title", "Magenkrebs")]) == {"Title": 0.0}
    both = shares("Lungenkrebs", [("Title", "Krebs"), ("Diagnosis", "Lunge")])
    assert both == pytest.approx({"Title": 0.1 / 0.5, "Diagnosis": 0.4 / 0.5})


def test_no_overlap_is_all_zero():
    assert shares("Husten", [("Title", "Cisplatin"), ("Therapy", "")]) == {"Title": 0.0, "Therapy": 0.0}
    assert shares("", [("Title", "Cisplatin")]) == {"Title": 0.0}


VOCABULARY = st.lists(st.sampled_from(["Lunge", "Lungenkrebs", "Krebs", "HER2-negativ", "und", "C50.9"]), max_size=5)


@given(
    VOCABULARY,
    st.lists(st.tuples(st.sampled_from(["Title", "Therapy", "Codes"]), VOCABULARY), max_size=5),
    st.floats(0, 9),
)
def test_shares_are_not_negative_and_sum_to_one_or_are_all_zero(query, fields, idf):
    texts = [(field, " ".join(found)) for field, found in fields]
    found = contributions(words(" ".join(query)), texts, lambda _: idf, words)
    assert set(found) == {field for field, _ in texts}
    assert all(value >= 0 for value in found.values())
    assert sum(found.values()) == pytest.approx(1) or not any(found.values())


NODE = Node("a", "drug", LocalText.of({"de": "Cisplatin"}), fields=(("Therapy", LocalText.of({"de": "Lunge"})),))


def test_a_semantic_contribution_is_the_drop_without_the_field():
    passage = serialise(NODE, snapshot_id="s")
    asked = []

    def encode(texts):
        asked.append(texts)
        return np.array([[0.6, 0.8] if "<Therapy>" not in t else [1.0, 0.0] for t in texts], dtype=np.float32)

    drops = semantic_contributions(np.array([1.0, 0.0], dtype=np.float32), passage, 0.9, encode)
    assert drops == pytest.approx({"Title": -0.1, "Type": -0.1, "Therapy": 0.3})
    assert asked == [
        [
            "<Type> Arzneimittel / Drug\n<Therapy> Lunge",
            "<Title> Cisplatin\n<Therapy> Lunge",
            "<Title> Cisplatin\n<Type> Arzneimittel / Drug",
        ]
    ]
    assert positive_shares(drops) == {"Title": 0.0, "Type": 0.0, "Therapy": 1.0}


def test_of_a_passage_with_one_field_nothing_is_left_to_encode():
    passage = serialise(Node("a", "", LocalText.of({"de": "Cisplatin"})), snapshot_id="s")

    def encode(texts):
        raise AssertionError(texts)

    assert semantic_contributions(np.array([1.0]), passage, 0.7, encode) == {"Title": 0.7}


def test_shares_of_drops_that_are_all_negative_are_zero():
    assert positive_shares({"Title": -0.1, "Type": 0.0}) == {"Title": 0.0, "Type": 0.0}
    assert positive_shares({"Title": 0.1, "Type": 0.3}) == pytest.approx({"Title": 0.25, "Type": 0.75})
