"""Carrying a session over to a new snapshot: what is unchanged keeps its judgement, the rest is listed for re-check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from oncosearch.model import Pool, PoolEntry, UsageError
from oncosearch.review.acting import check_rater_event, start
from oncosearch.review.events import new_event
from oncosearch.review.qrels import CHANGED, GONE, Recheck
from oncosearch.review.reading import session_states
from oncosearch.review.session import Session, SessionView, create_session, derived_id, session_view
from oncosearch.review.state import ItemState, TopicState, loadable
from oncosearch.store import Store


def carry_session(
    store: Store, old_session_id: str, new: Session, pools: Sequence[Pool]
) -> tuple[SessionView, tuple[Recheck, ...]]:
    """Return a new session on a newer snapshot with the judgements that hold there, and those that do not.

    Judgements of nodes with the same content hash carry over, by hand or as flag; the order of a rater too. A node
    whose text has changed is in the pool without a grade, with the grade before beside it; a node that is gone is
    listed. Nodes judged before are added to the new pools, without provenance, where no new run has them.
    Interrupted and called again with the same arguments, it goes on where it was; the old session stays as it is.

    Parameters
    ----------
    new
        Needs ``created``, the same topics or more, and raters who may judge what they have judged before.
    pools
        Of the new snapshot, one for each topic of ``new``.

    Raises
    ------
    UsageError
        If ``new`` has no time of creation, is of another graph or leaves out a topic or a rater.
    NotFoundError
        If the old session, or one of the two snapshots, is not in the store.
    """
    old = session_view(store, old_session_id)
    states = session_states(store, old_session_id)
    _check_fits(old, new, states)
    old_hashes = store.hashes(old.session.snapshot)
    new_hashes = store.hashes(new.snapshot)

    def why(node: str) -> str:
        if node not in new_hashes:
            return GONE
        return "" if new_hashes[node] == old_hashes.get(node) else CHANGED

    judged: dict[str, set[str]] = {}
    for topics in states.values():
        for topic, state in topics.items():
            known = {i.node for i in state.items if _said(i) and not i.added and i.node in new_hashes}
            judged.setdefault(topic, set()).update(known)
    view = create_session(store, new, [_with(pool, judged.get(pool.topic, set())) for pool in pools])
    recheck: list[Recheck] = []
    for rater, topics in states.items():
        for topic, state in topics.items():
            if not state.last_action:
                continue
            value, open_again = _carried(state, why)
            recheck += [replace(one, rater=rater) for one in open_again]
            _load(store, view, rater, topic, value)
    return session_view(store, new.id), tuple(recheck)


def _check_fits(old: SessionView, new: Session, states: Mapping[str, Mapping[str, TopicState]]) -> None:
    if not new.created:
        raise UsageError("The new session needs its time of creation, so that carrying over can be done again.")
    if new.snapshot.graph_id != old.session.snapshot.graph_id:
        raise UsageError(f"The new session is of graph {new.snapshot.graph_id!r}, the old of {old.session.snapshot}.")
    topics = {topic.id for topic in new.topics}
    for rater, of_rater in states.items():
        for topic, state in of_rater.items():
            if state.last_action and (topic not in topics or rater not in new.raters):
                raise UsageError(
                    f"{rater!r} has judged topic {topic!r}; the new session needs both, or the judgements are lost."
                )


def _with(pool: Pool, nodes: set[str]) -> Pool:
    entries = {entry.node: entry for entry in pool.entries}
    for node in nodes:
        entries.setdefault(node, PoolEntry(node))
    return replace(pool, entries=tuple(entries[node] for node in sorted(entries)))


def _said(item: ItemState) -> bool:
    """Whether the rater said anything of the node by hand."""
    return bool(item.stage == "explicit" or item.duplicate_of or item.later or item.reason or item.previous)


def _carried(state: TopicState, why: Any) -> tuple[dict[str, Any], list[Recheck]]:
    items: list[dict[str, Any]] = []
    gone: list[list[str]] = []
    recheck: list[Recheck] = []
    for item in state.items:
        if not _said(item) and not item.added:
            continue
        grade = item.previous if item.recheck else item.grade if item.stage == "explicit" else ""
        reason = why(item.node)
        if reason == GONE:
            gone.append([item.node, grade])
        elif reason or item.recheck or (item.duplicate_of and why(item.duplicate_of)):
            reason = CHANGED
            cleared = replace(item, grade="", stage="", irrelevant=False, duplicate_of="", later=False)
            items.append(loadable(replace(cleared, recheck=CHANGED, previous=grade)))
        else:
            items.append(loadable(item))
        if reason:
            recheck.append(Recheck(state.topic, item.node, grade, reason))
    order = [item.node for item in state.items if why(item.node) != GONE] if state.reordered else []
    return {
        "source": state.session,
        "items": items,
        "order": order,
        "reordered": state.reordered,
        "gone": [*([node, grade] for node, grade in state.gone), *gone],
    }, recheck


def _load(store: Store, view: SessionView, rater: str, topic: str, value: dict[str, Any]) -> None:
    now = start(store, view.session.id, rater, topic)
    # In the new session every node has its place in the new first order.
    places = {item.node: item.original_index for item in now.items if not item.added}
    items = [
        raw | {"original_index": places.get(raw["node"], -1), "added": raw["node"] not in places}
        for raw in value["items"]
    ]
    event = new_event(
        view,
        rater,
        topic,
        "load",
        value=value | {"items": items},
        id=derived_id(view.session.id, rater, topic, "load"),
        time=view.session.created,
    )
    store.append_event(event, lambda earlier: check_rater_event(event, earlier))
