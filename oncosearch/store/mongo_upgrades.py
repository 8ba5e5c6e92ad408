"""What becomes of documents of earlier layouts of the MongoDB store; every step may be done again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from pymongo.database import Database
from pymongo.errors import DuplicateKeyError

from oncosearch.model import ReviewEvent
from oncosearch.store.review_codec import event_to_dict


def judgements_become_events(database: Database[dict[str, Any]]) -> None:
    """Move the judgements of version 1 into the events, outside of any session."""
    events = database["review_events"]
    for document in database["judgements"].find({}, sort=[("_id", 1)]):
        event = ReviewEvent(
            id=f"judgement-{document['_id']}",
            session="",
            rater=document["rater"],
            time=document["time"],
            action="judgement",
            graph_id=document["graph_id"],
            snapshot_id=document["snapshot_id"],
            topic=document["topic_id"],
            node=document["node_id"],
            value={name: document[name] for name in ("grade", "query", "flags")},
            reason=document["reason"],
        )
        values = event_to_dict(event)
        # There already where an earlier try was interrupted.
        with suppress(DuplicateKeyError):
            events.insert_one({"_id": values.pop("id"), **values, "number": int(document["_id"])})
    database["judgements"].drop()
