"""Annotation sessions over a workspace: pools come from searching, and a node that is added from the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oncosearch.model import (
    NotFoundError,
    Parameters,
    ReviewEvent,
    SnapshotKey,
    UsageError,
)
from oncosearch.review import (
    Pool,
    PooledRun,
    Recheck,
    ReviewTopic,
    Session,
    SessionView,
    TopicState,
    build_pool,
    carry_session,
    create_session,
    save,
    session_states,
    session_view,
)
from oncosearch.workspace.requests import DEFAULT_MODEL, Progress, Readiness, SearchRequest
from oncosearch.workspace.workspace import Workspace

MAX_TOPICS, MAX_K, MAX_RATERS, MAX_NAME = 2000, 100, 50, 60


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """What a session is made from; questions are searched in ``language``, where they have it."""

    name: str
    snapshot: SnapshotKey
    topics: tuple[ReviewTopic, ...]
    runs: tuple[PooledRun, ...]
    k: int
    owner: str
    raters: tuple[str, ...]
    blind: bool = True
    guideline: str = ""
    language: str = "de"
    seed: int = 42


def rater_name(text: str) -> str:
    """Return a rater's name with its white space closed up.

    Raises
    ------
    UsageError
        If nothing is left, it is longer than 60 characters, or holds what cannot be printed (``rater_name``).
    """
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(
            f"{name[:80]!r} is no name; expected 1 to {MAX_NAME} printable characters.",
            code="rater_name",
            limit=MAX_NAME,
        )
    return name


def pooled_runs(models: Sequence[str], pipelines: Sequence[str]) -> tuple[PooledRun, ...]:
    """Return every pipeline with every model; a pipeline that needs no vectors comes once."""
    from oncosearch.retrieve import pipeline

    runs = []
    for key in pipelines:
        if pipeline(key).needs_vectors:
            runs += [PooledRun(f"{model} · {key}", model, key) for model in models]
        else:
            runs.append(PooledRun(key, None, key))
    return tuple(runs)


def not_ready(workspace: Workspace, snapshot: SnapshotKey, runs: Sequence[PooledRun]) -> list[tuple[str, Readiness]]:
    """Return the runs that cannot search the snapshot now, by name, with the reason."""
    found = ((run.name, workspace.readiness(snapshot, run.model or DEFAULT_MODEL, run.pipeline)) for run in runs)
    return [(name, readiness) for name, readiness in found if readiness.state != "ready"]


def check_plan(plan: SessionPlan) -> None:
    """Refuse a plan of which a part is missing or beyond its limits.

    Raises
    ------
    UsageError
        Code ``plan_name``, ``plan_topics``, ``plan_runs``, ``plan_k`` or ``plan_raters`` says which part.
    """
    if not plan.name.strip():
        raise UsageError("The session has no name.", code="plan_name")
    if not 1 <= len(plan.topics) <= MAX_TOPICS:
        raise UsageError(f"The session has {len(plan.topics)} topics; expected 1 to {MAX_TOPICS}.", code="plan_topics")
    if not plan.runs:
        raise UsageError("The session pools no search; choose at least one model and pipeline.", code="plan_runs")
    if not 1 <= plan.k <= MAX_K:
        raise UsageError(f"k is {plan.k}; it must lie between 1 and {MAX_K}.", code="plan_k")
    if not 1 <= len(plan.raters) <= MAX_RATERS or len(set(plan.raters)) < len(plan.raters):
        raise UsageError(
            f"The session names {len(plan.raters)} raters; expected 1 to {MAX_RATERS} different names.",
            code="plan_raters",
        )


def start_session(workspace: Workspace, plan: SessionPlan, session_id: str, progress: Progress) -> SessionView:
    """Return a new session once it is on disk with the pools of all topics.

    Nothing is stored before the last search is done; the searches are not put on record. ``progress`` is told of the
    stage ``search`` with the searches done and in all. The same ``session_id`` again is the same session.

    Raises
    ------
    UsageError
        If the plan is not whole, or a question cannot be searched; the topic is named.
    """
    check_plan(plan)
    try:
        return session_view(workspace.store, session_id)
    except NotFoundError:
        pass
    pools = _pools(workspace, plan, progress)
    return create_session(workspace.store, _session(plan, session_id), pools)


def continue_session(
    workspace: Workspace, view: SessionView, snapshot: SnapshotKey, session_id: str, created: str, progress: Progress
) -> tuple[SessionView, tuple[Recheck, ...]]:
    """Return a session like ``view`` on another snapshot of its graph, and what is to be judged again there.

    Its pools are searched anew. Judgements of nodes whose text is the same carry over, and so do final grades, who
    judges what, and the guideline as it was edited; see :func:`oncosearch.review.carry_session`. With the same
    ``session_id`` and ``created`` it goes on where it was.
    """
    old = view.session
    judged = session_states(workspace.store, old.id)
    plan = SessionPlan(
        name=old.name,
        snapshot=snapshot,
        topics=old.topics,
        runs=old.runs,
        k=old.k,
        owner=old.owner,
        raters=tuple(dict.fromkeys([*view.assignments, *judged])),
        blind=old.blind,
        guideline=old.guideline,
        seed=old.seed,
    )
    pools = _pools(workspace, plan, progress)
    return carry_session(workspace.store, old.id, _session(plan, session_id, created), pools)


def _session(plan: SessionPlan, session_id: str, created: str = "") -> Session:
    return Session(
        id=session_id,
        name=plan.name.strip(),
        snapshot=plan.snapshot,
        topics=plan.topics,
        runs=plan.runs,
        k=plan.k,
        owner=plan.owner,
        raters=plan.raters,
        blind=plan.blind,
        guideline=plan.guideline,
        seed=plan.seed,
        created=created,
    )


def _pools(workspace: Workspace, plan: SessionPlan, progress: Progress) -> list[Pool]:
    pools = []
    done, total = 0, len(plan.topics) * len(plan.runs)
    for topic in plan.topics:
        rankings = {}
        for run in plan.runs:
            rankings[run.name] = _ranked(workspace, plan, topic, run)
            done += 1
            progress("search", done, total)
        pools.append(build_pool(topic.id, plan.snapshot, plan.k, rankings))
    return pools


def _ranked(workspace: Workspace, plan: SessionPlan, topic: ReviewTopic, run: PooledRun) -> list[tuple[str, float]]:
    query = " ".join(topic.query.best(plan.language).split())
    given = {**Parameters().to_dict(), **run.parameters}
    parameters = Parameters(
        float(given["alpha"]), float(given["lambda"]), int(given["hops"]), int(given["seeds"]), int(given["cap"])
    )
    request = SearchRequest(query, plan.snapshot, run.model or "", run.pipeline, parameters)
    try:
        ranking = workspace.asked(request).rank(plan.k)
    except UsageError as error:
        raise UsageError(
            f"Topic {topic.id!r} cannot be searched with {run.name}: {error}", code="plan_topic", topic=topic.id
        ) from error
    return [(hit.node_id, hit.score) for hit in ranking.hits]


def act(workspace: Workspace, view: SessionView, event: ReviewEvent) -> TopicState:
    """Return the state of a topic once a rater's event is on disk; a node that is added must be in the snapshot.

    Raises
    ------
    NotFoundError
        If a node is added that the snapshot does not have.
    OncosearchError
        Whatever :func:`oncosearch.review.save` refuses.
    """
    if event.action == "add":
        workspace.graph(view.session.snapshot).index(event.node)
    return save(workspace.store, event)
