"""Pools: the nodes that are judged for a topic, where each came from, and the order in which a rater sees them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from oncosearch.model import Found, Pool, PoolEntry, Run, SnapshotKey, UsageError
from oncosearch.store import ReviewStore

# By content hash, so what is kept is right for every store.
_KEPT: dict[str, Pool] = {}
_KEPT_AT_MOST = 1000


def build_pool(topic: str, snapshot: SnapshotKey, k: int, rankings: Mapping[str, Sequence[tuple[str, float]]]) -> Pool:
    """Return the pool of a topic: every node among the first ``k`` of a run, once, with each place where it was found.

    Parameters
    ----------
    k
        The depth, from 1. A node that a run repeats counts once, at its first place, and ranks close up.
    rankings
        (node id, score) in rank order by name of the run.

    Raises
    ------
    UsageError
        If ``k`` is below 1.
    """
    if k < 1:
        raise UsageError(f"The depth of the pool is {k}; expected 1 or more.", code="review_value", action="pool")
    found: dict[str, list[Found]] = {}
    for run, ranking in rankings.items():
        unique: dict[str, float] = {}
        for node, score in ranking:
            unique.setdefault(node, float(score))
        for rank, (node, score) in enumerate(list(unique.items())[:k], 1):
            found.setdefault(node, []).append(Found(run, rank, score))
    return Pool(topic, snapshot, k, tuple(PoolEntry(node, tuple(found[node])) for node in sorted(found)))


def pool_runs(snapshot: SnapshotKey, k: int, runs: Sequence[Run]) -> list[Pool]:
    """Return one pool for each topic of the runs, in the order in which they name them.

    Raises
    ------
    UsageError
        If two runs have the same tag, or a run is of another snapshot.
    """
    tags = [run.tag for run in runs]
    if len(set(tags)) < len(tags):
        raise UsageError(f"Two runs have the same tag ({', '.join(sorted(tags))}); each needs its own.")
    for run in runs:
        of = SnapshotKey(run.graph_id, run.snapshot_id)
        if of != snapshot:
            raise UsageError(f"Run {run.tag!r} is of {of}; expected {snapshot}. Make it again on this snapshot.")
    topics = dict.fromkeys(topic for run in runs for topic in run.rankings)
    return [build_pool(topic, snapshot, k, {run.tag: run.rankings.get(topic, ()) for run in runs}) for topic in topics]


def pool_of(store: ReviewStore, pool_id: str) -> Pool:
    """Return a pool of the store; a page asks for the same ones after every action, so they are kept in memory."""
    found = _KEPT.get(pool_id)
    if found is None:
        found = store.pool(pool_id)
        if len(_KEPT) >= _KEPT_AT_MOST:
            _KEPT.clear()
        _KEPT[pool_id] = found
    return found


def first_order(pool: Pool, seed: int, rater: str) -> tuple[str, ...]:
    """Return the nodes in the order that a rater sees first: as if shuffled, and always the same.

    Sorted by the SHA-256 of seed, rater, topic and node id: neither the runs, nor other nodes of the pool, nor the
    machine have a say in it.
    """
    start = hashlib.sha256("".join(f"{len(part)}:{part}" for part in (str(seed), rater, pool.topic)).encode())

    def key(node: str) -> tuple[bytes, str]:
        digest = start.copy()
        digest.update(node.encode("utf-8", "surrogatepass"))
        return digest.digest(), node

    return tuple(sorted(pool.nodes, key=key))
