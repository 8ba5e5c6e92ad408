"""The answer without a model: sentences as they stand, best first, each once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.generate import EvidencePassage, check_citations, extractive_answer
from oncosearch.model import UsageError

PASSAGES = (
    EvidencePassage(
        "a",
        "We enrolled 120 patients in Bonn. Osimertinib prolonged survival in EGFR-mutated lung cancer.",
        language="en",
    ),
    EvidencePassage(
        "b", "Aspirin is an old drug of many uses. Osimertinib caused diarrhoea in some patients.", language="en"
    ),
    EvidencePassage("c", "Osimertinib verlängerte das Überleben beim EGFR-mutierten Lungenkarzinom.", language="de"),
)
WORDS = st.sampled_from(
    ["Osimertinib", "EGFR", "survival", "patients", "the", "Überleben", "nicht", "120", ".", "\n", "z. B."]
)
TEXTS = st.lists(WORDS, max_size=25).map(" ".join) | st.text(max_size=60)


def test_the_sentence_with_the_words_of_the_question_comes_first_with_its_source():
    found = extractive_answer("Does osimertinib prolong survival in EGFR lung cancer?", PASSAGES)
    best = found.sentences[0]
    assert best.text == "Osimertinib prolonged survival in EGFR-mutated lung cancer."
    assert (best.number, best.passage.id) == (1, "a")
    assert PASSAGES[0].text[best.start : best.end] == best.text
    assert {"Osimertinib", "survival"} <= set(best.matched)
    assert found.text.startswith("Osimertinib prolonged survival in EGFR-mutated lung cancer. [1]\n")


def test_sentences_without_a_word_of_the_question_are_left_out():
    found = extractive_answer("osimertinib survival", PASSAGES)
    assert all("Aspirin" not in s.text and "Bonn" not in s.text for s in found.sentences)


def test_no_match_is_said():
    found = extractive_answer("Wetterbericht", PASSAGES)
    assert (found.sentences, found.code, found.text) == ((), "no_match", "")
    assert extractive_answer("", PASSAGES).code == "no_match"
    assert extractive_answer("und oder", PASSAGES).code == "no_match"
    assert extractive_answer("osimertinib", ()).code == "no_match"


def test_a_german_question_finds_english_sentences_by_further_words():
    assert extractive_answer("Lungenkrebs Durchfall", PASSAGES[:2]).code == "no_match"
    found = extractive_answer("Lungenkrebs Durchfall", PASSAGES[:2], "de", also=["diarrhoea"])
    assert found.sentences[0].text == "Osimertinib caused diarrhoea in some patients."


def test_of_equal_scores_the_asked_language_comes_first():
    twins = (
        EvidencePassage("en", "Osimertinib works well here today.", language="en"),
        EvidencePassage("de", "Osimertinib wirkt hier heute gut.", language="de"),
    )
    near = lambda question, sentences: [0.5] * len(sentences)  # noqa: E731
    first = extractive_answer("Osimertinib", twins, "de", closeness=near).sentences[0]
    assert first.passage.id == "en", "the passage in front counts a little more"
    assert extractive_answer("Osimertinib", twins[::-1], "de", closeness=near).sentences[0].passage.id == "de"


def test_a_repeated_sentence_is_shown_once_and_a_similar_one_counts_less():
    same = "Osimertinib prolonged survival in EGFR lung cancer."
    passages = (
        EvidencePassage("1", same),
        EvidencePassage("2", same.upper()),
        EvidencePassage("3", "Osimertinib prolonged survival in EGFR lung cancer again."),
        EvidencePassage("4", "Survival with osimertinib depends on brain metastases and age."),
    )
    found = extractive_answer("osimertinib survival", passages, count=4)
    assert [s.number for s in found.sentences] == [1, 4, 3]


def test_closeness_brings_in_what_words_do_not():
    def near(question, sentences):
        return [1.0 if "Aspirin" in s else float("nan") for s in sentences]

    assert "Aspirin" in extractive_answer("Wetterbericht", PASSAGES, closeness=near).sentences[0].text


def test_closeness_of_another_length_is_refused():
    with pytest.raises(UsageError, match="1 values for 5"):
        extractive_answer("osimertinib", PASSAGES, closeness=lambda q, s: [1.0])


@given(TEXTS, st.lists(TEXTS, max_size=5), st.integers(0, 6))
def test_laws(question, texts, count):
    passages = [EvidencePassage(str(i), t) for i, t in enumerate(texts)]
    found = extractive_answer(question, passages, count=count)
    assert len(found.sentences) <= count
    assert found == extractive_answer(question, passages, count=count)
    assert (found.code == "no_match") == (not found.sentences)
    spoken = [" ".join(s.text.split()).lower() for s in found.sentences]
    assert len(set(spoken)) == len(spoken)
    for s in found.sentences:
        assert 0 < s.score <= 1
        assert passages[s.number - 1].text[s.start : s.end] == s.text
        assert s.matched


def test_what_is_extracted_passes_the_check_of_citations():
    found = extractive_answer("osimertinib survival", PASSAGES)
    checked = check_citations(found.text, PASSAGES)
    assert {s.status for s in checked.sentences} == {"supported"}
