"""Carrying a session over to a new snapshot: what is unchanged keeps its judgement, the rest is listed for re-check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from oncosearch.model import Pool, PoolEntry, ReviewEvent, UsageError
from oncosearch.review.acting import check_rater_event, start
from oncosearch.review.actions import ADJUDICATE, ASSIGN, GUIDELINE
from oncosearch.review.adjudication import final_grades
from oncosearch.review.events import new_event
from oncosearch.review.qrels import CHANGED, GONE, Recheck
from oncosearch.review.reading import session_reading
from oncosearch.review.session import Session, SessionView, create_session, derived_id, session_event, session_view
from oncosearch.review.state import Beneath, ItemState, TopicState, loadable
from oncosearch.store import ReviewStore, Store


class _NewerError(Exception):
    """The owner has said something newer already."""


def carry_session(
    store: Store, old_session_id: str, new: Session, pools: Sequence[Pool]
) -> tuple[SessionView, tuple[Recheck, ...]]:
    """Return a new session on a newer snapshot with the judgements that hold there, and those that do not.

    Judgements of nodes with the same content hash carry over, by hand or as flag; the order of a rater too, and the
    owner's final grades. A node whose text has changed is in the pool without a grade, with the grade before beside
    it; a node that is gone is listed, a final grade of a changed or gone node too. Nodes judged before are added to
    the new pools, without provenance, where no new run has them. Who judges which topic carries over; so does the
    guideline as it was edited, unless ``new`` has another one than the old session was created with.
    Interrupted and called again with the same arguments, it goes on where it was: what was said in the new session
    meanwhile stands, and what is carried over only fills in the rest. The old session stays as it is.

    Parameters
    ----------
    new
        Needs ``created``, the same topics or more, and raters who may judge what they have judged before.
    pools
        Of the new snapshot, one for each topic of ``new``.

    Raises
    ------
    UsageError
        If ``new`` has no time of creation, is of another graph or leaves out a topic or a rater; or if a rater has
        finished a topic in the new session before it was carried over.
    NotFoundError
        If the old session, or one of the two snapshots, is not in the store.
    """
    reading = session_reading(store, old_session_id)
    old, states = reading.view, reading.states
    _check_fits(old, new, states)
    old_hashes = store.hashes(old.session.snapshot)
    new_hashes = store.hashes(new.snapshot)

    def why(node: str) -> str:
        if node not in new_hashes:
            return GONE
        return "" if new_hashes[node] == old_hashes.get(node) else CHANGED

    there = {
        (topic, item.node): item.added
        for topics in states.values()
        for topic, state in topics.items()
        for item in state.items
    }
    final = [
        (topic, node, *said)
        for topic, nodes in final_grades(reading.events, old.session.owner).items()
        for node, said in nodes.items()
        if (topic, node) in there
    ]
    judged: dict[str, set[str]] = {}
    for topics in states.values():
        for topic, state in topics.items():
            said = {item.node for item in state.items if _said(item)}
            # A duplicate points at a node that has to be there too.
            said |= {item.duplicate_of for item in state.items if item.is_duplicate}
            known = {item.node for item in state.items if item.node in said and not item.added}
            judged.setdefault(topic, set()).update(known & new_hashes.keys())
    for topic, node, _, _ in final:
        if node in new_hashes and not there[topic, node]:
            judged.setdefault(topic, set()).add(node)
    view = create_session(store, new, [_with(pool, judged.get(pool.topic, set())) for pool in pools])
    recheck: list[Recheck] = []
    for rater, topics in states.items():
        for topic, state in topics.items():
            if not state.last_action and not state.seen and not state.exposed:
                continue
            value, open_again = _carried(state, why)
            recheck += [replace(one, rater=rater) for one in open_again]
            _load(store, view, rater, topic, value)
    for topic, node, grade, reason in final:
        if lost := why(node):
            recheck.append(Recheck(topic, node, grade, lost, old.session.owner))
        else:
            _adjudicate(store, view, topic, node, grade, reason)
    _lead(store, old, view)
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
    return bool(
        item.stage == "explicit"
        or item.duplicate_of
        or item.later
        or item.reason
        or item.previous
        or item.unblinded
        or item.beneath != Beneath()
    )


def _grade_of(item: ItemState) -> str:
    """Return the last grade by hand, also where something hides it or the text has changed since."""
    if item.recheck:
        return item.previous
    return "-1" if item.beneath.irrelevant else item.beneath.graded


def _carried(state: TopicState, why: Callable[[str], str]) -> tuple[dict[str, Any], list[Recheck]]:
    items: list[dict[str, Any]] = []
    gone: list[list[str]] = []
    recheck: list[Recheck] = []
    for item in state.items:
        if not _said(item) and not item.added:
            continue
        grade = _grade_of(item)
        reason = why(item.node)
        if reason == GONE:
            gone.append([item.node, grade])
        elif reason or item.recheck or (item.duplicate_of and why(item.duplicate_of)):
            reason = CHANGED
            cleared = replace(item, duplicate_of="", later=False, unblinded=False, beneath=Beneath(recheck=CHANGED))
            items.append(loadable(replace(cleared, previous=grade)))
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
        "exposed": [item.node for item in state.items if state.seen] or list(state.exposed),
        "fills": True,
    }, recheck


def _load(store: Store, view: SessionView, rater: str, topic: str, value: dict[str, Any]) -> None:
    which = derived_id(view.session.id, rater, topic, "load")
    if any(event.id == which for event in store.events(view.session.id, rater=rater, topic=topic)):
        return
    now = start(store, view.session.id, rater, topic)
    # In the new session every node has its place in the new first order.
    places = {item.node: item.original_index for item in now.items if not item.added}
    items = [
        raw | {"original_index": places.get(raw["node"], -1), "added": raw["node"] not in places}
        for raw in value["items"]
    ]
    event = new_event(view, rater, topic, "load", value=value | {"items": items}, id=which, time=view.session.created)
    store.append_event(event, lambda earlier: check_rater_event(event, earlier))


def _adjudicate(store: ReviewStore, view: SessionView, topic: str, node: str, grade: str, reason: str) -> None:
    owner = view.session.owner
    which = derived_id(view.session.id, topic, node, ADJUDICATE)
    event = new_event(
        view, owner, topic, ADJUDICATE, node=node, value=grade, reason=reason, id=which, time=view.session.created
    )
    _append(store, event, lambda e: e.action == ADJUDICATE and e.rater == owner and e.node == node)


def _lead(store: ReviewStore, old: SessionView, view: SessionView) -> None:
    """Give each rater the topics of the old session, and the session the guideline as it was edited there."""
    new = view.session
    if new.guideline == old.session.guideline != old.guideline:
        event = session_event(new, new.owner, GUIDELINE, old.guideline, derived_id(new.id, GUIDELINE))
        _append(store, replace(event, time=new.created), lambda e: e.action == GUIDELINE)
    earlier = {topic.id for topic in old.session.topics}
    added = [topic.id for topic in new.topics if topic.id not in earlier]
    for rater, topics in old.assignments.items():
        wanted = [*topics, *(added if topics else ())]
        if rater in new.raters and set(wanted) != {topic.id for topic in new.topics}:
            value = {"rater": rater, "topics": wanted}
            event = session_event(new, new.owner, ASSIGN, value, derived_id(new.id, rater, ASSIGN))
            _append(store, replace(event, time=new.created), partial(_assigns, rater))


def _assigns(rater: str, event: ReviewEvent) -> bool:
    return event.action == ASSIGN and bool(event.value["rater"] == rater)


def _append(store: ReviewStore, event: ReviewEvent, newer: Callable[[ReviewEvent], bool]) -> None:
    """Write an event of the owner once, unless one that is ``newer`` is there already."""
    if any(one.id == event.id for one in store.events(event.session, rater=event.rater, topic=event.topic)):
        return

    def check(earlier: Sequence[ReviewEvent]) -> None:
        if any(newer(one) for one in earlier):
            raise _NewerError

    try:
        store.append_event(event, check)
    except _NewerError:
        return
