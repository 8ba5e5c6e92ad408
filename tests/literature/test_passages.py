"""Two-stage passages: what is recalled, how it is re-ranked, what is folded, and the same with a real model."""

from dataclasses import replace

import numpy as np
import pytest

from oncosearch.embed import load_encoder, model_facts
from oncosearch.embed.encoders import normalised
from oncosearch.literature.passages import cut_documents, find_passages, index_passages
from oncosearch.model import UsageError
from oncosearch.settings import Settings
from oncosearch.text import Block, tokenise

FACTS = replace(model_facts("e5-small"), key="fake", hub_id="test/fake", dimension=4, limit=40)
TOPICS = ("lung", "breast", "dose")


class TopicEncoder:
    """One dimension a topic word, one for anything else; tokens are words with two marks around."""

    facts = FACTS

    def encode_queries(self, texts):
        return self.encode_passages(texts)

    def encode_passages(self, texts):
        rows = [[text.lower().count(topic) for topic in TOPICS] + [0.1] for text in texts]
        return normalised(np.array(rows, np.float64).reshape(-1, 4), texts, self.facts)

    def count_tokens(self, text):
        return len(text.split()) + 2


class Lengths:
    """A cross-encoder that likes short passages and remembers what it read."""

    facts = FACTS

    def __init__(self):
        self.read = []

    def score(self, query, texts):
        self.read += texts
        return np.array([-len(text) for text in texts], np.float32)


def block(key: str, text: str, start: int = 0) -> Block:
    return Block(key, key.split("#")[0], text, start, start + len(text), (0, 1), len(text.split()) + 2)


def found(blocks, query, **options):
    return find_passages(index_passages(blocks, TopicEncoder()), query, TopicEncoder(), **options)


def ids(passages):
    return [p.block.id for p in passages]


LUNG = "Lung cancer was common. Lung metastases were rare."
BREAST = "Breast cancer was screened for. Breast density mattered."


def test_documents_are_cut_where_the_topic_changes():
    documents = [("a", f"{LUNG} {BREAST}"), ("b", LUNG), ("c", "")]
    blocks = cut_documents(documents, TopicEncoder(), budget=11, most_overlap=0)
    assert [(b.id, b.text) for b in blocks] == [("a#1", LUNG), ("a#2", BREAST), ("b#1", LUNG)]


def test_the_budget_is_cut_at_the_limit_of_the_encoder():
    blocks = cut_documents([("a", " ".join([LUNG] * 20))], TopicEncoder(), budget=10_000)
    assert len(blocks) > 1
    assert all(b.tokens <= FACTS.limit for b in blocks)


def test_what_stays_whole_is_not_encoded_by_sentences():
    class Watched(TopicEncoder):
        read = 0

        def encode_passages(self, texts):
            Watched.read += len(texts)
            return super().encode_passages(texts)

    assert len(cut_documents([("a", LUNG), ("b", BREAST)], Watched(), budget=11)) == 2
    assert Watched.read == 0
    assert len(cut_documents([("a", LUNG), ("b", f"{LUNG} {BREAST}")], Watched(), budget=11)) == 3
    assert Watched.read == 4


def test_two_documents_of_one_id_are_refused():
    with pytest.raises(UsageError, match="same id"):
        cut_documents([("a", LUNG), ("a", BREAST)], TopicEncoder())


def test_scores_keep_their_parts():
    passages = found([block("a#1", LUNG), block("b#1", BREAST), block("c#1", "Nothing at all.")], "lung metastases")
    assert ids(passages)[0] == "a#1"
    best, *others = passages
    assert (best.rank, best.recall_rank, best.score) == (1, 1, 1.0)
    assert best.cosine > 0.99
    assert best.lexical > 0
    assert [p.lexical for p in others] == [0, 0]
    assert all(p.cross is None for p in passages)


def test_the_blend_is_that_of_its_weight():
    # By vectors the first is nearer, by words only the second holds "metastases".
    blocks = [
        block("a#1", "Lung lung lung."),
        block("b#1", "Metastases of the lung and the breast."),
        block("c#1", "X."),
    ]
    query = "lung metastases"
    assert ids(found(blocks, query, semantic_weight=1.0))[0] == "a#1"
    assert ids(found(blocks, query, semantic_weight=0.0))[0] == "b#1"
    half = {p.block.id: p for p in found(blocks, query)}
    parts = [half[key] for key in ("a#1", "b#1", "c#1")]
    low, high = min(p.cosine for p in parts), max(p.cosine for p in parts)
    top = max(p.lexical for p in parts)
    for p in parts:
        assert p.score == pytest.approx(0.5 * (p.cosine - low) / (high - low) + 0.5 * p.lexical / top, abs=1e-6)


def test_only_what_was_recalled_is_read_again_and_the_cross_encoder_decides():
    blocks = [block("a#1", LUNG), block("b#1", "Lung."), block("c#1", BREAST)]
    model = Lengths()
    passages = found(blocks, "lung", recall=2, reranker=model)
    assert sorted(model.read) == sorted([LUNG, "Lung."])
    assert [(p.block.id, p.score, p.cross) for p in passages] == [("b#1", -5.0, -5.0), ("a#1", -50.0, -50.0)]


def test_equal_passages_stand_in_the_order_of_the_index():
    blocks = [block("z#1", "Lung was one."), block("a#1", "Lung was two.")]
    assert ids(found(blocks, "lung")) == ["z#1", "a#1"]


def test_blocks_that_share_their_place_are_folded():
    text = "Lung cancer was seen early. It was treated at once with care."
    one, two = block("a#1", text), block("a#2", text[28:], 28)
    (passage,) = found([one, two], "lung")
    assert (passage.block.id, passage.duplicates) == ("a#1", ("a#2",))


@pytest.mark.parametrize(
    ("other", "folded"),
    [
        ("In lung cancer the drug was effective and safe in 12 patients.", True),
        ("In lung cancer the drug was effective, and safe, in 12 patients", True),
        ("In lung cancer the drug was effective and safe in 15 patients.", False),
        ("In lung cancer the drug was not effective and safe in 12 patients.", False),
    ],
)
def test_the_same_words_in_another_document_are_folded_but_not_other_numbers_or_negations(other, folded):
    text = "In lung cancer the drug was effective and safe in 12 patients."
    assert len(tokenise(text)) >= 6
    passages = found([block("a#1", text), block("b#1", other)], "lung")
    assert len(passages) == (1 if folded else 2)


def test_folding_makes_room_for_the_next():
    passages = found([block("a#1", LUNG), block("b#1", LUNG), block("c#1", BREAST)], "lung", count=2)
    assert ids(passages) == ["a#1", "c#1"]


def test_the_context_has_its_neighbours_once():
    text = "A one here. B two here. C three here. D four here. E five here. F six here."
    blocks = cut_documents([("d", text)], TopicEncoder(), budget=9, most_overlap=1)
    index = index_passages(blocks, TopicEncoder())
    assert len(blocks) >= 3
    middle = blocks[1]
    first, last = blocks[0], blocks[2]
    assert index.context(middle) == text[first.start : last.end]
    assert index.context(first) == text[first.start : middle.end]


def test_no_question_and_no_passages():
    with pytest.raises(UsageError, match="empty"):
        found([block("a#1", LUNG)], "  ")
    with pytest.raises(UsageError, match="recall 0"):
        found([block("a#1", LUNG)], "lung", recall=0)
    assert found([], "lung") == ()


def test_with_a_real_model():
    encoder = load_encoder("e5-small", Settings())
    osimertinib = (
        "Osimertinib ist ein Kinasehemmer der dritten Generation. Er wirkt bei EGFR-mutiertem NSCLC. "
        "Auch bei der Resistenzmutation T790M ist er wirksam. "
    )
    diet = "A diet rich in fibre lowers the risk of bowel cancer. Red meat raises it. Whole grains are preferred. "
    documents = [
        ("lung", osimertinib + diet),
        ("skin", "Melanoma is treated with checkpoint inhibitors (e.g. nivolumab)."),
    ]
    blocks = cut_documents(documents, encoder, budget=70)
    assert len(blocks) >= 3
    assert all(b.tokens == encoder.count_tokens(b.text) <= encoder.facts.limit for b in blocks)
    index = index_passages(blocks, encoder)
    passages = find_passages(index, "Does osimertinib work with a T790M mutation?", encoder, count=3)
    assert "T790M" in passages[0].block.text
    assert (
        "fibre" in find_passages(index, "Welche Ernährung senkt das Darmkrebsrisiko?", encoder, count=1)[0].block.text
    )
    assert passages == find_passages(index, "Does osimertinib work with a T790M mutation?", encoder, count=3)
