"""Qrels of a session by policy, published under the hash of their content, and carried over to a new snapshot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from oncosearch.model import NodeFlags, PublishedHead, PublishedQrels, Qrels, SnapshotKey, UsageError
from oncosearch.review.actions import now
from oncosearch.review.adjudication import final_grades, ratings_of
from oncosearch.review.folding import reaches
from oncosearch.review.policies import ADJUDICATED, ONE, Policy, combined
from oncosearch.review.reading import session_reading
from oncosearch.review.state import EXPLICIT, UNSURE, ItemState, TopicState
from oncosearch.store import ReviewStore

CHANGED, GONE = "changed", "gone"


@dataclass(frozen=True, slots=True)
class QrelsDraft:
    """Qrels that are not published yet, and (topic, node) that somebody judged but the policy gives no grade."""

    published: PublishedQrels
    undecided: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Recheck:
    """A judgement that does not hold for a new snapshot: its node's text has ``changed``, or the node is ``gone``."""

    topic: str
    node: str
    grade: str
    why: str
    rater: str = ""


def make_qrels(
    store: ReviewStore,
    session_id: str,
    policy: Policy | str,
    *,
    bootstrapped: bool = False,
    finished_only: bool = False,
    name: str = "",
) -> QrelsDraft:
    """Return the qrels of a session as they would be published now.

    Parameters
    ----------
    policy
        See :func:`oncosearch.review.policies.combined` for the rules.
    bootstrapped
        Take grades that only a rater's order gave where the rater gave none by hand; the policy then ends in
        ``+order``.
    finished_only
        Take a rater's grades of a topic only where the rater has finished it; the policy then ends in ``+finished``.

    Notes
    -----
    ``unsure`` and ``later`` never become a grade. Duplicates keep their grade, if they have one, and carry a flag:
    evaluation removes them. A node is flagged where more of the raters who have it flag it than do not; of nodes that
    are the same, one remains.
    """
    rule = Policy.parse(policy) if isinstance(policy, str) else policy
    reading = session_reading(store, session_id)
    view, states = reading.view, reading.states
    # A final grade says nothing any more where adding its node was undone.
    there = {
        (topic, item.node) for topics in states.values() for topic, state in topics.items() for item in state.items
    }
    if rule.kind == ONE:
        if rule.rater not in states:
            raise UsageError(
                f"{rule.rater!r} is no rater of session {view.session.name!r}.", code="review_not_rater", topic=""
            )
        states = {rule.rater: states[rule.rater]}
    if finished_only:
        states = {
            rater: {topic: state for topic, state in topics.items() if state.finished}
            for rater, topics in states.items()
        }
    rated = ratings_of(states, bootstrapped=bootstrapped)
    unsure = {
        (topic, item.node)
        for topics in states.values()
        for topic, state in topics.items()
        for item in state.items
        if item.grade == UNSURE and item.stage == EXPLICIT
    }
    final = final_grades(reading.events, view.session.owner) if rule.kind == ADJUDICATED else {}
    judged = {*rated, *unsure, *(there & {(topic, node) for topic, nodes in final.items() for node in nodes})}
    grades: dict[str, dict[str, int]] = {}
    undecided = []
    for topic, node in sorted(judged):
        given = rated.get((topic, node), {})
        grade = combined(rule, given, final.get(topic, {}).get(node, ("", ""))[0], (topic, node) in unsure)
        if grade is None:
            undecided.append((topic, node))
        else:
            grades.setdefault(topic, {})[node] = grade
    said = f"{rule}{'+order' if bootstrapped else ''}{'+finished' if finished_only else ''}"
    published = PublishedQrels(
        name=name or view.session.name,
        qrels=Qrels(grades),
        snapshot=view.session.snapshot,
        policy=said,
        session=session_id,
        flags=_flags(states, grades),
        queries={topic.id: topic.query for topic in view.session.topics if topic.id in grades and topic.query},
        created=now(),
    )
    return QrelsDraft(published, tuple(undecided))


def publish(store: ReviewStore, published: PublishedQrels, *, author: str = "") -> str:
    """Return the id of the qrels once they are on disk; from then on they never change.

    The same content again gets the same id and stays under the name, author and time of the first time.

    Raises
    ------
    UsageError
        If there is no grade in them, or a grade is not from 3 to -1.
    """
    grades = [grade for nodes in published.qrels.grades.values() for grade in nodes.values()]
    if not grades:
        raise UsageError("There is no grade to publish yet.", code="review_no_grades")
    if wrong := [grade for grade in grades if grade not in (3, 2, 1, 0, -1)]:
        raise UsageError(f"A grade is {wrong[0]!r}; expected a whole number from 3 to -1.", code="review_grade")
    stamped = replace(published, created=published.created or now(), author=author or published.author)
    return store.save_qrels(stamped)


def published(store: ReviewStore, qrels_id: str) -> PublishedQrels:
    """Return published qrels by id.

    Raises
    ------
    NotFoundError
        If there are none with that id.
    """
    return store.qrels(qrels_id)


def published_list(store: ReviewStore) -> list[PublishedHead]:
    """Return what is known of all published qrels, oldest first."""
    return store.qrels_heads()


def carry_qrels(
    published: PublishedQrels,
    new: SnapshotKey,
    old_hashes: Mapping[str, str],
    new_hashes: Mapping[str, str],
) -> tuple[PublishedQrels, tuple[Recheck, ...]]:
    """Return qrels for a new snapshot, not published yet, and what has to be judged again.

    Judgements of nodes with the same content hash carry over. The others are left out and listed: ``changed`` or
    ``gone``. A duplicate whose original is gone or has changed loses its flag, and is listed as changed.

    Parameters
    ----------
    old_hashes, new_hashes
        {node id: content hash} of the snapshot of the qrels and of ``new``.
    """
    recheck: list[Recheck] = []
    grades: dict[str, dict[str, int]] = {}
    flags: dict[str, dict[str, NodeFlags]] = {}

    def why(node: str) -> str:
        if node not in new_hashes:
            return GONE
        return "" if new_hashes[node] == old_hashes.get(node) else CHANGED

    for topic in sorted({*published.qrels.grades, *published.flags}):
        given, flagged = published.qrels.grades.get(topic, {}), published.flags.get(topic, {})
        for node in sorted({*given, *flagged}):
            reason = why(node)
            flag = flagged.get(node)
            if not reason and flag is not None and flag.duplicate_of and why(flag.duplicate_of):
                reason = CHANGED
            if reason:
                recheck.append(Recheck(topic, node, str(given[node]) if node in given else "", reason))
                continue
            if node in given:
                grades.setdefault(topic, {})[node] = given[node]
            if flag is not None:
                flags.setdefault(topic, {})[node] = flag
    carried = replace(
        published,
        qrels=Qrels(grades),
        snapshot=new,
        flags=flags,
        policy=f"{published.policy}+carried from {published.snapshot.snapshot_id}",
        created=now(),
    )
    return carried, tuple(recheck)


def _flags(
    states: Mapping[str, Mapping[str, TopicState]], grades: Mapping[str, Mapping[str, int]]
) -> dict[str, dict[str, NodeFlags]]:
    seen: dict[tuple[str, str], list[ItemState]] = {}
    for topics in states.values():
        for topic, state in topics.items():
            # Who did not touch a topic has no say in its flags.
            for item in state.items if state.last_action else ():
                seen.setdefault((topic, item.node), []).append(item)
    originals = _originals(seen)
    out: dict[str, dict[str, NodeFlags]] = {}
    for (topic, node), items in sorted(seen.items()):
        flag = NodeFlags(
            duplicate_of=originals.get((topic, node), ""),
            # The flag stands for the grade -1; where the policy made another grade of it, it does not stand.
            irrelevant=grades.get(topic, {}).get(node) == -1
            and 2 * sum(item.irrelevant for item in items) > len(items),
            added=any(item.added for item in items),
        )
        if flag != NodeFlags():
            out.setdefault(topic, {})[node] = flag
    return out


def _originals(seen: Mapping[tuple[str, str], Sequence[ItemState]]) -> dict[tuple[str, str], str]:
    """Return the original of each (topic, node) that the majority marks, the marks of most raters first.

    Marks of several raters can go in a circle, or leave no node of a topic, though those of each do not: the mark
    that would do so is left out, so that one of the nodes that are the same remains.
    """
    wanted = []
    for (topic, node), items in seen.items():
        marks = Counter(item.duplicate_of for item in items if item.duplicate_of)
        if 2 * marks.total() > len(items):
            original = min(marks, key=lambda other: (-marks[other], other))
            wanted.append((-marks[original], topic, node, original))
    count = Counter(topic for topic, _ in seen)
    kept: dict[str, dict[str, str]] = {}
    for _, topic, node, original in sorted(wanted):
        own = kept.setdefault(topic, {})
        if len(own) + 1 < count[topic] and (original == node or not reaches(own, original, node)):
            own[node] = original
    return {(topic, node): original for topic, own in kept.items() for node, original in own.items()}
