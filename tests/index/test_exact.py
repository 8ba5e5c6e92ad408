import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.index.exact import Codes, ExactIndex, make_codes, open_index, survivors


def vectors(rows, dimension, seed, clusters=5):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(clusters, dimension))
    made = centres[rng.integers(clusters, size=rows)] + 0.3 * rng.normal(size=(rows, dimension))
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def by_sorting(rows, query, count):
    scores = (rows.astype(np.float64) @ query.astype(np.float64)).astype(np.float32)
    return np.lexsort((np.arange(len(rows)), -scores))[:count], np.sort(scores)[::-1][:count]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 400), st.sampled_from([1, 3, 16, 65]), st.integers(1, 60), st.integers(0, 10_000))
def test_the_best_are_those_of_a_full_sort(rows, dimension, count, seed):
    made = vectors(rows, dimension, seed)
    query = vectors(1, dimension, seed + 1)[0]
    expected, scores = by_sorting(made, query, count)
    for index in (ExactIndex(made, None), ExactIndex(made, Codes.of(made))):
        got, values = index.top(query, count)
        assert got.tolist() == expected.tolist()
        assert values.tolist() == scores.tolist()


def test_the_error_bound_holds_for_every_row():
    made = vectors(3000, 96, 1)
    index = ExactIndex(made, Codes.of(made))
    for seed in range(5):
        query = vectors(1, 96, 50 + seed)[0]
        scan = index.scan(query)
        true = made.astype(np.float64) @ query.astype(np.float64)
        assert (np.abs(true - scan.scores) <= scan.errors).all()
        assert scan.errors.max() < 0.05


def test_equal_vectors_are_equal_in_score_and_stand_by_index():
    made = vectors(500, 33, 3)
    made[[7, 101, 499]] = made[250]
    got, scores = ExactIndex(made, Codes.of(made)).top(made[250], 4)
    assert got.tolist() == [7, 101, 250, 499]
    assert len(set(scores.tolist())) == 1


def test_only_allowed_rows_are_found():
    made = vectors(300, 16, 4)
    allowed = np.zeros(300, bool)
    allowed[[3, 5, 8]] = True
    for codes in (None, Codes.of(made)):
        got, _ = ExactIndex(made, codes).top(made[0], 10, allowed)
        assert set(got.tolist()) == {3, 5, 8}


def test_survivors_by_hand():
    low, high = np.array([0.1, 0.5, 0.4, 0.0], np.float32), np.array([0.45, 0.6, 0.5, 0.2], np.float32)
    assert survivors(low, high, 2, None).tolist() == [0, 1, 2]
    assert survivors(low, high, 1, None).tolist() == [1, 2]
    assert survivors(low, high, 9, None).tolist() == [0, 1, 2, 3]


def test_codes_grow_with_the_vectors_and_survive_the_disk(tmp_path):
    made = vectors(200, 24, 5)
    make_codes(tmp_path, made[:150])
    before = (tmp_path / "codes.npy").read_bytes()[128:]
    assert open_index(tmp_path, made).codes is None
    make_codes(tmp_path, made)
    assert (tmp_path / "codes.npy").read_bytes()[128:].startswith(before)
    index = open_index(tmp_path, made)
    assert np.array_equal(index.codes.codes, Codes.of(made).codes)
    assert np.array_equal(np.load(tmp_path / "codes.npy"), index.codes.codes)
    assert index.top(made[9], 5)[0].tolist() == by_sorting(made, made[9], 5)[0].tolist()


def test_codes_torn_by_a_crash_are_made_whole(tmp_path):
    made = vectors(120, 24, 5)
    make_codes(tmp_path, made)
    with (tmp_path / "scales.npy").open("r+b") as file:
        file.truncate(128 + 4 * 70 + 3)
    assert open_index(tmp_path, made).codes is None
    make_codes(tmp_path, made)
    assert np.array_equal(open_index(tmp_path, made).codes.rests, Codes.of(made).rests)


def test_nodes_may_lie_in_other_rows_than_their_own():
    made = vectors(300, 16, 8)
    rows = np.random.default_rng(1).permutation(300)[:200].astype(np.int32)
    straight = ExactIndex(made[rows], None)
    for codes in (None, Codes.of(made)):
        index = ExactIndex(made, codes, rows)
        assert len(index) == 200
        for query in made[:5]:
            got, scores = index.top(query, 20)
            expected, values = straight.top(query, 20)
            assert got.tolist() == expected.tolist()
            assert scores.tolist() == values.tolist()


def test_the_integer_product_is_really_used():
    pytest.importorskip("torch")
    made = vectors(300, 64, 6)
    scan = ExactIndex(made, Codes.of(made)).scan(made[1])
    exact = ExactIndex(made, None).scan(made[1])
    assert scan.errors.max() > exact.errors.max()
    assert not np.array_equal(scan.scores, exact.scores)
    assert np.abs(scan.scores - exact.scores).max() > 0
