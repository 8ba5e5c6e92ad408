"""Pools and the first order of a rater."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Found, Pool, PoolEntry, Run, SnapshotKey, UsageError
from oncosearch.review import build_pool, first_order, pool_runs
from tests.paths import ROOT
from tests.review.examples import KEY, pools

IDS = st.text(max_size=6)
RANKINGS = st.dictionaries(IDS, st.lists(st.tuples(IDS, st.floats(allow_nan=False)), max_size=12), max_size=4)


def test_the_union_of_the_first_k_with_every_place_where_it_was_found() -> None:
    assert pools()[0] == Pool(
        "T1",
        KEY,
        3,
        (
            PoolEntry("a", (Found("e5 · grag", 1, 0.9),)),
            PoolEntry("b", (Found("e5 · grag", 2, 0.8), Found("lexical", 1, 5.0))),
            PoolEntry("c", (Found("e5 · grag", 3, 0.7),)),
            PoolEntry("d", (Found("lexical", 2, 4.0),)),
        ),
    )


def test_a_repeated_node_counts_once_at_its_first_place_and_ranks_close_up() -> None:
    pool = build_pool("T", KEY, 2, {"r": [("a", 3.0), ("a", 2.0), ("b", 1.0), ("c", 0.5)]})
    assert pool.entries == (PoolEntry("a", (Found("r", 1, 3.0),)), PoolEntry("b", (Found("r", 2, 1.0),)))


def test_runs_of_another_snapshot_or_with_one_tag_are_refused() -> None:
    run = Run("r", {"T1": (("a", 1.0),), "T2": ()}, "demo", "1")
    assert [(pool.topic, pool.nodes) for pool in pool_runs(KEY, 5, [run])] == [("T1", ("a",)), ("T2", ())]
    with pytest.raises(UsageError, match="same tag"):
        pool_runs(KEY, 5, [run, run])
    with pytest.raises(UsageError, match="demo@1"):
        pool_runs(SnapshotKey("demo", "2"), 5, [run])
    with pytest.raises(UsageError, match="0"):
        build_pool("T", KEY, 0, {})


@given(RANKINGS, st.integers(1, 8))
def test_a_pool_has_each_node_once_and_nothing_else(rankings: dict, k: int) -> None:
    pool = build_pool("T", KEY, k, rankings)
    assert list(pool.nodes) == sorted(set(pool.nodes))
    for run, ranking in rankings.items():
        first = list(dict.fromkeys(node for node, _ in ranking))[:k]
        found = {f.rank: e.node for e in pool.entries for f in e.found if f.run == run}
        assert [found[rank] for rank in sorted(found)] == first
    assert all(entry.found for entry in pool.entries)
    assert Pool.from_dict(pool.to_dict()) == pool


@given(RANKINGS, st.integers(0, 2**40), IDS)
def test_the_first_order_is_a_permutation_and_does_not_depend_on_the_runs(
    rankings: dict, seed: int, rater: str
) -> None:
    pool = build_pool("T", KEY, 5, rankings)
    order = first_order(pool, seed, rater)
    assert sorted(order) == list(pool.nodes)
    bare = Pool("T", KEY, 99, tuple(PoolEntry(node) for node in reversed(pool.nodes)))
    assert first_order(bare, seed, rater) == order


def test_the_first_order_is_the_same_on_every_machine() -> None:
    # Worked out once; PYTHONHASHSEED must have no say in it.
    expected = first_order(pools()[0], 7, "anna")
    code = (
        "from tests.review.examples import pools; from oncosearch.review import first_order; "
        "print(*first_order(pools()[0], 7, 'anna'))"
    )
    for hash_seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert tuple(done.stdout.split()) == expected == ("c", "d", "b", "a")


def test_each_order_comes_about_equally_often() -> None:
    pool = build_pool("T", KEY, 3, {"r": [("a", 1.0), ("b", 1.0), ("c", 1.0)]})
    times = Counter(first_order(pool, seed, rater) for seed in range(60) for rater in map(str, range(100)))
    assert len(times) == 6
    assert all(850 < count < 1150 for count in times.values())
