"""Snapshots, runs and search records as plain JSON values and back; both adapters use this one form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from oncosearch.model import (
    Filters,
    PairDecision,
    Parameters,
    Run,
    SearchRecord,
    Snapshot,
    SnapshotKey,
    canonical_json,
    text_hash,
)

SNAPSHOT_COLUMNS = tuple(f.name for f in fields(Snapshot))
DECISION_COLUMNS = tuple(f.name for f in fields(PairDecision))


def snapshot_to_dict(snapshot: Snapshot) -> dict[str, Any]:
    """Return the snapshot as JSON values under its attribute names."""
    return asdict(snapshot) | {"languages": list(snapshot.languages), "attribution": list(snapshot.attribution)}


def snapshot_from_dict(raw: Mapping[str, Any]) -> Snapshot:
    """Return the snapshot of values in the form of :func:`snapshot_to_dict`; other keys are ignored."""
    values = {name: raw[name] for name in SNAPSHOT_COLUMNS if name in raw}
    return Snapshot(
        **values
        | {
            "languages": tuple(raw["languages"]),
            "attribution": tuple(raw["attribution"]),
            "demo": bool(raw["demo"]),
        }
    )


def run_to_dict(run: Run) -> dict[str, Any]:
    """Return the run as JSON values: ``rankings`` by topic as lists of {node_id, score}."""
    return {
        "tag": run.tag,
        "rankings": {topic: hits_to_list(hits) for topic, hits in run.rankings.items()},
        "graph_id": run.graph_id,
        "snapshot_id": run.snapshot_id,
        "model": run.model,
        "pipeline": run.pipeline,
        "parameters": None if run.parameters is None else dict(run.parameters),
        "created": run.created,
    }


def run_from_dict(raw: Mapping[str, Any]) -> Run:
    """Return the run of values in the form of :func:`run_to_dict`."""
    return Run(**dict(raw) | {"rankings": {topic: hits_from_list(hits) for topic, hits in raw["rankings"].items()}})


def run_id(values: Mapping[str, Any]) -> str:
    """Return the id of a run given as :func:`run_to_dict`: the hash of its content."""
    return text_hash(canonical_json(values))


def record_to_dict(search: SearchRecord) -> dict[str, Any]:
    """Return the search record as JSON values, parameters under their published names."""
    return {
        "id": search.id,
        "time": search.time,
        "user": search.user,
        "query": search.query,
        "graph_id": search.snapshot.graph_id,
        "snapshot_id": search.snapshot.snapshot_id,
        "content_hash": search.content_hash,
        "model": search.model,
        "model_revision": search.model_revision,
        "format_id": search.format_id,
        "pipeline": search.pipeline,
        "parameters": search.parameters.to_dict(),
        "filters": search.filters.to_dict(),
        "top": search.top,
        "hits": hits_to_list(search.hits),
    }


def record_from_dict(raw: Mapping[str, Any]) -> SearchRecord:
    """Return the search record of values in the form of :func:`record_to_dict`; other keys are ignored."""
    plain = ("id", "time", "user", "query", "content_hash", "model", "model_revision", "format_id", "pipeline", "top")
    return SearchRecord(
        **{name: raw[name] for name in plain},
        snapshot=SnapshotKey(raw["graph_id"], raw["snapshot_id"]),
        parameters=Parameters(**{"lam" if name == "lambda" else name: v for name, v in raw["parameters"].items()}),
        filters=Filters(**{name: tuple(values) for name, values in raw["filters"].items()}),
        hits=hits_from_list(raw["hits"]),
    )


def hits_to_list(hits: tuple[tuple[str, float], ...]) -> list[dict[str, Any]]:
    """Return (node id, score) pairs as JSON values; scores become plain floats."""
    return [{"node_id": node_id, "score": float(score)} for node_id, score in hits]


def hits_from_list(raw: list[dict[str, Any]]) -> tuple[tuple[str, float], ...]:
    """Return the (node id, score) pairs of values in the form of :func:`hits_to_list`."""
    return tuple((hit["node_id"], hit["score"]) for hit in raw)
