"""Words in nodes: what is counted, that a patch is the same as reading everything, and BM25 against bm25s."""

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.index.lexical import K1, B, build_from_occurrences
from oncosearch.index.occurrences import WEIGHT_UNIT, Occurrences, load_occurrences
from oncosearch.model import ArtefactMismatchError, SnapshotKey

KEY = SnapshotKey("g", "1")
FIELDS = st.lists(
    st.tuples(
        st.sampled_from(["Title", "Type", "Therapy"]),
        st.sampled_from(
            ["Lungenkrebs", "Krebs der Lunge", "HER2 negativ, ER+", "5-FU", "Lunge", "", "Ä", "EGFR-Mutation", "Leber"]
        ),
    ),
    max_size=3,
)


def rows(found):
    return [
        {found.words[c]: int(v) for c, v in zip(found.indices[a:b], found.data[a:b], strict=True)}
        for a, b in zip(found.indptr[:-1].tolist(), found.indptr[1:].tolist(), strict=True)
    ]


def test_words_count_by_field_in_fifths():
    found = Occurrences.of(
        [[("Title", "Lunge Leber"), ("Therapy", "Lunge")], [], [("Type", "Leber"), ("Synonyms", "x")]]
    )
    assert found.words == ("Leber", "Lunge", "x")
    assert rows(found) == [{"Leber": 15, "Lunge": 20}, {}, {"Leber": 2, "x": 10}]


@given(st.lists(FIELDS, max_size=6), st.lists(FIELDS, max_size=3), st.data())
def test_a_patch_is_the_same_as_reading_everything(old, fresh, data):
    origin = data.draw(st.permutations(range(len(old) + len(fresh))))
    origin = origin[: data.draw(st.integers(0, len(origin)))]
    together = [*old, *fresh]
    patched = Occurrences.of(old).patched(np.array(origin, np.int64), Occurrences.of(fresh))
    whole = Occurrences.of([together[i] for i in origin])
    assert patched.words == whole.words
    assert rows(patched) == rows(whole)
    one, other = (build_from_occurrences(o, key=KEY, content_hash="h") for o in (patched, whole))
    assert one.terms == other.terms
    assert one.splitter.to_lines() == other.splitter.to_lines()
    for name in ("data", "indices", "indptr"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


@given(st.lists(FIELDS, min_size=1, max_size=8))
def test_scores_are_those_of_bm25s(documents):
    found = Occurrences.of(documents)
    terms, counts = found.terms(found.splitter())
    if not terms:
        return
    index = build_from_occurrences(found, key=KEY, content_hash="h")
    repeated = [np.repeat(row.indices, row.data).tolist() for row in counts]
    ranker = bm25s.BM25(k1=K1 * WEIGHT_UNIT, b=B, method="lucene")
    made = ranker.build_index_from_ids(list(range(len(terms))), repeated, show_progress=False)
    assert index.indices.tolist() == made["indices"].tolist()
    assert index.indptr.tolist() == made["indptr"].tolist()
    np.testing.assert_allclose(index.data, made["data"], rtol=1e-5)


def test_what_was_saved_comes_back(tmp_path):
    found = Occurrences.of([[("Title", "Lunge")], [("Therapy", "Leber Lunge")]])
    found.save(tmp_path)
    again = load_occurrences(tmp_path)
    assert again.words == found.words
    assert rows(again) == rows(found)
    Occurrences.of([]).save(tmp_path)
    assert load_occurrences(tmp_path).words == ()


@pytest.mark.parametrize(("name", "content"), [("words.json", "{}"), ("words.json", "["), ("data.npy", "x")])
def test_what_is_damaged_or_of_another_format_is_refused(tmp_path, name, content):
    Occurrences.of([[("Title", "Lunge")]]).save(tmp_path)
    (tmp_path / name).write_text(content)
    with pytest.raises(ArtefactMismatchError, match="words in"):
        load_occurrences(tmp_path)
