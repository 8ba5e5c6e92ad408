"""BM25 with weighted tokens: hand-worked scores, order, saving and refusing."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.index.lexical import (
    K1,
    B,
    LexicalIndex,
    best,
    build_from_fields,
    build_lexical_index,
    load_lexical_index,
)
from oncosearch.model import ArtefactMismatchError, LocalText, Node, NotFoundError, SnapshotKey, Synonym
from oncosearch.text import CompoundSplitter

KEY = SnapshotKey("g", "2026.Q4")
SPLITTER = CompoundSplitter.from_vocabulary(["Mamma", "Karzinom", "Lunge", "Krebs", "Magen"])


def body(*texts):
    return build_from_fields([[("Therapy", t)] for t in texts], key=KEY, content_hash="h", splitter=SPLITTER)


def idf(n, df):
    return math.log(1 + (n - df + 0.5) / (df + 0.5))


def bm25(tf, length, mean, n, df):
    return idf(n, df) * tf / (tf + K1 * (1 - B + B * length / mean))


def test_scores_are_those_of_the_formula():
    # Weighted lengths: 2, 1, and 1 + 0.4 + 0.2 for the compound with its telling and its generic part.
    index = body("Cisplatin Cisplatin", "Lunge", "Lungenkrebs")
    mean = (2 + 1 + 1.6) / 3
    np.testing.assert_allclose(index.scores("cisplatin"), [bm25(2, 2, mean, 3, 1), 0, 0], rtol=1e-5)
    np.testing.assert_allclose(
        index.scores("Lunge"), [0, bm25(1, 1, mean, 3, 2), bm25(0.4, 1.6, mean, 3, 2)], rtol=1e-5
    )
    np.testing.assert_allclose(
        index.scores("Lungenkrebs"),
        [
            0,
            0.4 * bm25(1, 1, mean, 3, 2),
            bm25(1, 1.6, mean, 3, 1) + 0.4 * bm25(0.4, 1.6, mean, 3, 2) + 0.2 * bm25(0.2, 1.6, mean, 3, 1),
        ],
        rtol=1e-5,
    )


def test_title_counts_three_times_and_synonyms_twice():
    index = build_from_fields(
        [[("Title", "Imatinib")], [("Synonyms", "Imatinib")], [("Therapy", "Imatinib")], [("Type", "Imatinib")]],
        key=KEY,
        content_hash="h",
    )
    mean = (3 + 2 + 1 + 0.4) / 4
    expected = [bm25(w, w, mean, 4, 4) for w in (3, 2, 1, 0.4)]
    np.testing.assert_allclose(index.scores("Imatinib"), expected, rtol=1e-5)


def test_idf_and_document_frequency():
    index = body("Lunge", "Lungenkrebs", "Magen")
    assert [index.document_frequency(t) for t in ("lung", "magen", "unbekannt")] == [2, 1, 0]
    assert index.idf("lung") == pytest.approx(idf(3, 2))
    assert index.idf("unbekannt") == pytest.approx(idf(3, 0))


def test_lung_cancer_does_not_return_every_cancer():
    index = body("Krebs", "Magenkrebs", "Krebs der Lunge", "Lungenkrebs", "Krebs und Krebs")
    assert index.top("Lungenkrebs", 10)[0].tolist() == [3, 2]
    assert set(index.top("Krebs", 10)[0].tolist()) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(("query", "first"), [("Mamma", 0), ("Karzinom der Mamma", 0), ("HER2-negativ", 1), ("ER+", 2)])
def test_words_meet_across_spellings(query, first):
    index = body("Mammakarzinom", "HER2− Tumor", "ER-positiv", "ER-negativ", "HER2 positiv")
    assert index.top(query, 1)[0].tolist() == [first]


def test_equal_scores_are_cut_by_index():
    index = body("Imatinib", "Nilotinib", "Imatinib", "Imatinib")
    found, scores = index.top("Imatinib", 2)
    assert found.tolist() == [0, 2]
    assert scores[0] == scores[1] > 0


def test_best_leaves_out_zeros_and_bears_any_k():
    scores = np.array([0, 2, 5, 2, 0], dtype=np.float32)
    assert best(scores, 99)[0].tolist() == [2, 1, 3]
    assert best(scores, 2)[0].tolist() == [2, 1]
    assert best(scores, 0)[0].tolist() == []
    assert best(np.zeros(3, dtype=np.float32), 2)[0].tolist() == []


@pytest.mark.parametrize("query", ["", "und der", "Xyz", "?!"])
def test_a_query_that_meets_nothing_scores_nothing(query):
    scores = body("Lunge", "Krebs").scores(query)
    assert scores.dtype == np.float32
    assert scores.tolist() == [0, 0]


def test_nodes_are_found_by_both_languages_synonyms_and_codes_with_a_splitter_of_their_own():
    nodes = [
        Node("a", "disease", LocalText.of({"de": "Mammakarzinom", "en": "Breast cancer"})),
        Node("b", "drug", LocalText.of({"de": "Trastuzumab"}), synonyms=(Synonym("Herceptin"),)),
        Node("c", "group", LocalText.of({"de": "Quarzstaub"})),
        Node("d", "group", LocalText.of({"de": "Quarz und Staub"})),
    ]
    index = build_lexical_index(nodes, key=KEY, content_hash="h")
    assert [index.top(q, 1)[0].tolist() for q in ("breast", "herceptin", "Arzneimittel")] == [[0], [1], [1]]
    assert index.top("Quarz", 5)[0].tolist() == [3, 2]


def saved(folder):
    index = body("Lungenkrebs", "Krebs der Lunge", "Magen")
    index.save(folder)
    return index


def test_what_was_saved_comes_back_memory_mapped(tmp_path):
    index = saved(tmp_path)
    index.save(tmp_path)
    again = load_lexical_index(tmp_path, key=KEY, content_hash="h")
    assert isinstance(again.data.base, np.memmap)
    assert dict(again.terms) == dict(index.terms)
    assert np.array_equal(again.scores("Lungenkrebs"), index.scores("Lungenkrebs"))
    assert again.idf("lung") == index.idf("lung")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "lexical-compounds.txt",
        "lexical-data.npy",
        "lexical-indices.npy",
        "lexical-indptr.npy",
        "lexical-terms.txt",
        "lexical.json",
    ]


def test_an_index_over_nothing_can_be_saved_and_asked(tmp_path):
    body().save(tmp_path)
    again = load_lexical_index(tmp_path, key=KEY, content_hash="h")
    assert again.scores("Lunge").shape == (0,)
    body("", "und").save(tmp_path)
    assert load_lexical_index(tmp_path, key=KEY, content_hash="h").scores("Lunge").tolist() == [0, 0]


def test_a_missing_index_says_how_to_build_it(tmp_path):
    with pytest.raises(NotFoundError, match="python -m oncosearch index"):
        load_lexical_index(tmp_path, key=KEY, content_hash="h")


def test_an_index_of_another_snapshot_is_refused_with_both_sides(tmp_path):
    saved(tmp_path)
    with pytest.raises(ArtefactMismatchError) as caught:
        load_lexical_index(tmp_path, key=SnapshotKey("g", "2027.Q1"), content_hash="other")
    for part in ("2026.Q4", "2027.Q1", "'h'", "'other'", "python -m oncosearch index"):
        assert part in str(caught.value)


@pytest.mark.parametrize("field", ["format", "tokeniser", "bm25"])
def test_an_index_made_otherwise_is_refused(tmp_path, field):
    saved(tmp_path)
    path = tmp_path / "lexical.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {field: "older"}), "utf-8")
    with pytest.raises(ArtefactMismatchError, match=f"{field} 'older'"):
        load_lexical_index(tmp_path, key=KEY, content_hash="h")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lexical.json", b"{"),
        ("lexical.json", b"[]"),
        ("lexical-data.npy", b""),
        ("lexical-terms.txt", b"lung"),
        ("lexical-compounds.txt", b"lunge"),
    ],
)
def test_a_damaged_index_is_refused(tmp_path, name, content):
    saved(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArtefactMismatchError, match="python -m oncosearch index"):
        load_lexical_index(tmp_path, key=KEY, content_hash="h")


def test_pickled_arrays_are_refused(tmp_path):
    saved(tmp_path)
    np.save(tmp_path / "lexical-data.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(ArtefactMismatchError):
        load_lexical_index(tmp_path, key=KEY, content_hash="h")


DOCUMENTS = st.lists(
    st.lists(st.sampled_from(["Lunge", "Krebs", "Lungenkrebs", "HER2-negativ", "Mammakarzinom"]), max_size=4).map(
        " ".join
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.randoms(use_true_random=False), st.sampled_from(["Lungenkrebs", "Mamma Krebs", "HER2 negativ"]))
def test_reordered_documents_have_the_same_scores(documents, random, query):
    order = list(range(len(documents)))
    random.shuffle(order)
    straight: LexicalIndex = body(*documents)
    shuffled: LexicalIndex = body(*(documents[i] for i in order))
    assert np.array_equal(straight.scores(query)[order], shuffled.scores(query))


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, st.integers(0, 8))
def test_top_is_the_sorted_scores(documents, k):
    index = body(*documents)
    scores = index.scores("Lungenkrebs Mamma")
    expected = sorted((i for i in range(len(documents)) if scores[i] > 0), key=lambda i: (-scores[i], i))[:k]
    found, values = index.top("Lungenkrebs Mamma", k)
    assert found.tolist() == expected
    assert values.tolist() == [scores[i] for i in expected]
