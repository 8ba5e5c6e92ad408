import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as trying
from hypothesis import strategies as st

from oncosearch.index import pairs
from oncosearch.index.exact import ExactIndex
from oncosearch.index.pairs import close_pairs, pair_scores


def index_of(vectors, rows=None):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return ExactIndex((vectors / lengths).astype(np.float32), None, rows)


def brute(index, least):
    vectors = index.take(np.arange(len(index))).astype(np.float64)
    scores = vectors @ vectors.T
    return {
        (i, j): scores[i, j] for i in range(len(vectors)) for j in range(i + 1, len(vectors)) if scores[i, j] >= least
    }


def test_three_directions_by_hand():
    # 0 and 2 are 10 degrees apart, 1 stands square to both: cos 10° = 0.985.
    angle = np.radians([0, 90, 10])
    found = close_pairs(index_of(np.column_stack((np.cos(angle), np.sin(angle)))), 0.98, 10)
    assert (found.first.tolist(), found.second.tolist(), found.total) == ([0], [2], 1)
    assert found.scores[0] == pytest.approx(0.98481, abs=1e-5)


@given(
    st.integers(0, 10_000),
    st.integers(0, 60),
    st.sampled_from([2, 5, 40, 130]),
    st.floats(0.9, 0.999),
    st.sampled_from([0.0, 0.3, 3.0]),
)
@trying(max_examples=60, deadline=None)
def test_exactly_the_pairs_that_a_full_product_finds(seed, count, dimension, least, offset):
    random = np.random.default_rng(seed)
    # Clusters off the origin, as embeddings are: everything is somewhat alike, some things very much.
    centres = random.normal(size=(6, dimension)) + offset
    vectors = centres[random.integers(0, 6, count)] + random.normal(size=(count, dimension)) * 0.15
    index = index_of(vectors.reshape(-1, dimension))
    expected = brute(index, least)
    with pytest.MonkeyPatch.context() as patch:
        for name, size in (("_ROWS", 7), ("_COLUMNS", 11), ("_READ", 13), ("_COMPONENTS", 8)):
            patch.setattr(pairs, name, size)
        found = close_pairs(index, least, 10_000)
    got = dict(zip(zip(found.first.tolist(), found.second.tolist(), strict=True), found.scores, strict=True))
    # The last bit of a sum may fall on either side of the limit.
    edge = {pair for pair, score in expected.items() if abs(score - least) < 1e-12}
    assert set(got) | edge == set(expected) | edge
    assert all(got[pair] == pytest.approx(expected[pair], abs=1e-12) for pair in set(got) & set(expected))
    assert found.total == len(got)
    assert [(-s, *p) for p, s in got.items()] == sorted((-s, *p) for p, s in got.items())


def test_the_limit_keeps_the_closest_and_the_total_counts_all():
    random = np.random.default_rng(1)
    index = index_of(random.normal(size=(40, 3)) * 0.1 + 1)
    everything = close_pairs(index, 0.95, 10_000)
    assert everything.total > 20
    few = close_pairs(index, 0.95, 5)
    assert few.total == everything.total
    assert few.first.tolist() == everything.first[:5].tolist()


def test_what_is_skipped_is_not_counted():
    index = index_of(np.ones((4, 3)))
    found = close_pairs(index, 0.99, 10, lambda first, second: (first == 0) & (second == 1))
    assert list(zip(found.first.tolist(), found.second.tolist(), strict=True)) == [
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
    ]
    assert found.total == 5


def test_nodes_may_share_a_row_and_progress_reaches_the_end():
    index = index_of(np.eye(3), np.array([2, 0, 2], np.int32))
    steps = []
    found = close_pairs(index, 0.98, 10, progress=lambda done, total: steps.append((done, total)))
    assert (found.first.tolist(), found.second.tolist()) == ([0], [2])
    assert steps[-1] == (3, 3)
    assert pair_scores(index, np.array([0, 0]), np.array([1, 2])).tolist() == [0, 1]
