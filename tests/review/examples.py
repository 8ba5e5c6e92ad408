"""A session of two topics that two raters judge, and short ways to act in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from oncosearch.model import LocalText, Pool, SnapshotKey
from oncosearch.review import (
    PooledRun,
    ReviewTopic,
    Session,
    SessionView,
    TopicState,
    build_pool,
    create_session,
    new_event,
    save,
    session_view,
    topic_state,
)
from oncosearch.store import Store

KEY = SnapshotKey("demo", "1")
RUNS = (PooledRun("e5 · grag", "e5-small", "grag", {"alpha": 0.6}), PooledRun("lexical", None, "lexical"))
SESSION = Session(
    id="s1",
    name="Erste Sitzung",
    snapshot=KEY,
    topics=(
        ReviewTopic("T1", LocalText.of({"de": "Brustkrebs", "en": "breast cancer"})),
        ReviewTopic("T2", LocalText.of({"de": "Übelkeit"})),
    ),
    runs=RUNS,
    k=3,
    owner="olga",
    raters=("anna", "bert"),
    guideline="3 heißt …",
    seed=7,
    created="2026-11-30T10:00:00.000Z",
)


def pools(key: SnapshotKey = KEY) -> list[Pool]:
    first = {"e5 · grag": [("a", 0.9), ("b", 0.8), ("c", 0.7), ("x", 0.6)], "lexical": [("b", 5.0), ("d", 4.0)]}
    second = {"e5 · grag": [("e", 0.5)], "lexical": [("f", 2.0), ("e", 1.0)]}
    return [build_pool("T1", key, 3, first), build_pool("T2", key, 3, second)]


def begun(store: Store, **changes: Any) -> SessionView:
    return create_session(store, replace(SESSION, **changes), pools())


def act(
    store: Store,
    action: str,
    node: str = "",
    value: Any = None,
    *,
    rater: str = "anna",
    topic: str = "T1",
    reason: str = "",
    session: str = "s1",
) -> TopicState:
    view = session_view(store, session)
    return save(store, new_event(view, rater, topic, action, node=node, value=value, reason=reason))


def undo(store: Store, rater: str = "anna", topic: str = "T1") -> TopicState:
    return act(store, "undo", value=topic_state(store, "s1", rater, topic).last_action, rater=rater, topic=topic)


def grades(state: TopicState) -> dict[str, str]:
    return {item.node: item.grade for item in state.items if item.grade}


def grade_all(store: Store, rater: str, given: dict[str, str], topic: str = "T1") -> None:
    for node, grade in given.items():
        act(store, "grade", node, grade, rater=rater, topic=topic)


def nodes(found: Sequence[Any]) -> list[str]:
    return [one.node for one in found]
