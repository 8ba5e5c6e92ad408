"""The only cached resources: one workspace a process, the semantic drops of hits, the quality of snapshots."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Any

import streamlit as st

from oncosearch.settings import Settings

if TYPE_CHECKING:
    from oncosearch.index.pairs import ClosePairs
    from oncosearch.model import Snapshot
    from oncosearch.workspace import Workspace
    from oncosearch.workspace.quality import QualityReport
    from oncosearch.workspace.recent import Recent
    from oncosearch.workspace.requests import Progress, SearchRequest
    from oncosearch.workspace.topic_runs import KeptRuns


_HELD = 8
_LOOKED_AT = 20_000


@st.cache_resource(show_spinner=False, max_entries=4)
def _opened(_settings: Settings, key: str) -> Workspace:
    from oncosearch.workspace import open_workspace

    return open_workspace(_settings)


def workspace(settings: Settings) -> Workspace:
    """Return the workspace of these settings, opened once for all sessions."""
    return _opened(settings, repr(settings))


@st.cache_data(show_spinner=False, max_entries=512)
def _drops(_workspace: Workspace, _request: SearchRequest, key: str, node_id: str) -> dict[str, float]:
    return dict(_workspace.semantic_contributions(_request, [node_id])[node_id])


def semantic_drops(opened: Workspace, request: SearchRequest, node_id: str) -> dict[str, float]:
    """Return how far a hit's similarity drops without each field; computed once for question, model and node."""
    key = repr((opened.settings, request.query, request.model, request.snapshot))
    return _drops(opened, request, key, node_id)


@st.cache_data(show_spinner=False, max_entries=64)
def _graded(_workspace: Workspace, _snapshot: Snapshot, key: str) -> bool:
    nodes = islice(_workspace.store.iter_nodes(_snapshot.key), _LOOKED_AT)
    return any(source.evidence_level for node in nodes for source in node.sources)


def has_evidence_levels(opened: Workspace, snapshot: Snapshot) -> bool:
    """Return whether sources of a snapshot have evidence levels; looks at its first nodes, once."""
    return _graded(opened, snapshot, repr((opened.settings, snapshot.key, snapshot.content_hash)))


@st.cache_resource(show_spinner=False)
def _held() -> OrderedDict[str, Any]:
    return OrderedDict()


def quality_report(opened: Workspace, snapshot: Snapshot, model: str, ready: bool, progress: Progress) -> QualityReport:
    """Return the report on a snapshot, made once; anew where the vectors have become ``ready`` since."""
    from oncosearch.workspace.quality import check_graph

    key = repr(("report", opened.settings, snapshot, model, ready))
    report: QualityReport = _once(key, lambda: check_graph(opened, snapshot.key, model, progress))
    return report


def near_duplicates(opened: Workspace, snapshot: Snapshot, model: str, least: float, progress: Progress) -> ClosePairs:
    """Return the pairs of nodes of a snapshot whose texts are at least so similar, found once."""
    from oncosearch.workspace.quality import near_pairs

    key = repr(("near", opened.settings, snapshot, model, least))
    pairs: ClosePairs = _once(key, lambda: near_pairs(opened, snapshot.key, model, least, progress))
    return pairs


def near_duplicates_known(opened: Workspace, snapshot: Snapshot, model: str, least: float) -> ClosePairs | None:
    """Return the pairs of nodes that are at least so similar where they were found before."""
    return _held().get(repr(("near", opened.settings, snapshot, model, least)))


def _once(key: str, make: Callable[[], Any]) -> Any:
    # Not a cached function: it could not show its progress on the page.
    held = _held()
    if key not in held:
        held[key] = make()
        while len(held) > _HELD:
            held.popitem(last=False)
    return held[key]


@st.cache_resource(show_spinner=False)
def kept_runs() -> KeptRuns:
    """Return what columns answered to topic sets, one for all sessions: no topic is searched for twice."""
    from oncosearch.workspace.topic_runs import KeptRuns

    return KeptRuns()


@st.cache_resource(show_spinner=False)
def kept_measures() -> Recent[object, Any]:
    """Return what was measured last, one for all sessions: the same choice is not measured again."""
    from oncosearch.workspace.recent import Recent

    return Recent(_HELD)


@st.cache_data(show_spinner=False, max_entries=512)
def _run_head(_workspace: Workspace, run_id: str, key: str) -> tuple[str, str, str]:
    run = _workspace.store.run(run_id)
    return run.tag, run.graph_id, run.created


def stored_run_head(opened: Workspace, run_id: str) -> tuple[str, str, str]:
    """Return tag, graph and time of a stored run, read once."""
    return _run_head(opened, run_id, repr(opened.settings))


@cache
def asset(name: str) -> str:
    """Return the text of one of our own files under ``ui/assets``."""
    return files("oncosearch.ui").joinpath("assets", name).read_text("utf-8")
