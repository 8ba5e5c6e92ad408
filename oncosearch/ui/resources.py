"""The only cached resources: one read-only workspace a process, and the semantic drops of hits."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.settings import Settings

if TYPE_CHECKING:
    from oncosearch.workspace import Workspace
    from oncosearch.workspace.requests import SearchRequest


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


@cache
def asset(name: str) -> str:
    """Return the text of one of our own files under ``ui/assets``."""
    return files("oncosearch.ui").joinpath("assets", name).read_text("utf-8")
