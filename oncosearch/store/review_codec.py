"""Events, pools and published qrels as plain JSON values and back, and what is said when one is missing or differs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from oncosearch.model import (
    NotFoundError,
    PublishedHead,
    ReviewEvent,
    SnapshotKey,
    StoreError,
    canonical_json,
)

EVENT_COLUMNS = tuple(f.name for f in fields(ReviewEvent))


def event_to_dict(event: ReviewEvent) -> dict[str, Any]:
    """Return the event under its attribute names, its value as JSON text: keys from outside stay inside a text."""
    return {name: getattr(event, name) for name in EVENT_COLUMNS} | {"value": canonical_json(event.value)}


def event_from_dict(raw: Mapping[str, Any]) -> ReviewEvent:
    """Return the event of values in the form of :func:`event_to_dict`; other keys are ignored."""
    return ReviewEvent(**{name: raw[name] for name in EVENT_COLUMNS} | {"value": json.loads(raw["value"])})


def head_to_dict(head: PublishedHead) -> dict[str, Any]:
    """Return the head of published qrels as JSON values."""
    values = asdict(head)
    return {name: value for name, value in values.items() if name != "snapshot"} | asdict(head.snapshot)


def head_from_dict(raw: Mapping[str, Any]) -> PublishedHead:
    """Return the head of values in the form of :func:`head_to_dict`; other keys are ignored."""
    names = [f.name for f in fields(PublishedHead) if f.name != "snapshot"]
    return PublishedHead(
        **{name: raw[name] for name in names}, snapshot=SnapshotKey(raw["graph_id"], raw["snapshot_id"])
    )


def checked_same(stored: ReviewEvent, event: ReviewEvent) -> None:
    """Refuse another content under the id of a stored event.

    Raises
    ------
    StoreError
        With code ``event_conflict``, if they differ.
    """
    if event_to_dict(stored) != event_to_dict(event):
        raise StoreError(
            f"Another event is stored already under the id {event.id!r}; give the new one its own id.",
            code="event_conflict",
            event=event.id,
        )


def pool_missing(pool_id: str) -> NotFoundError:
    """Return the error for a pool that is not in the store."""
    return NotFoundError(f"There is no pool {pool_id!r} in the store.", code="pool_not_found", pool=pool_id)


def qrels_missing(qrels_id: str) -> NotFoundError:
    """Return the error for qrels that were not published."""
    return NotFoundError(
        f"There are no published qrels {qrels_id!r} in the store; expected the id of a list entry.",
        code="qrels_not_found",
        qrels=qrels_id,
    )
