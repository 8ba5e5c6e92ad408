"""Events of annotation sessions, pools and published qrels in MongoDB."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from pymongo.errors import DuplicateKeyError

from oncosearch.model import CREATED, Pool, PublishedHead, PublishedQrels, ReviewEvent, StoreError
from oncosearch.store import review_codec as codec
from oncosearch.store.mongo_database import Document, MongoDatabase, equal

_EVENTS = "review_events"
_PATIENCE_SECONDS = 30.0


class MongoReviewStore:
    """The ``ReviewStore`` of a MongoDB database; ``_id`` is the id of the event, ``number`` counts within a session.

    Numbers have no gap and no two events of a session have the same, so a number that is free when the checks are
    done and taken when the event is written says that the checks are out of date: they are done again.
    """

    # Threads of one process line up here instead of racing for the same number.
    _line = threading.Lock()

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database

    def append_event(self, event: ReviewEvent, check: Callable[[Sequence[ReviewEvent]], None] | None = None) -> int:
        """Return the number of the event in its session once it is on disk."""
        values = codec.event_to_dict(event)
        document = {("_id" if name == "id" else name): value for name, value in values.items()}
        deadline = time.monotonic() + _PATIENCE_SECONDS
        attempt = 0
        with self._database.speaking(), self._line:
            while True:
                stored = self._stored(event)
                if stored is not None:
                    return stored
                number = 1 + self._last(event.session)
                if check is not None:
                    check(self._beside(event, number))
                try:
                    self._database.collection(_EVENTS).insert_one({**document, "number": number})
                    return number
                except DuplicateKeyError:
                    if time.monotonic() > deadline:
                        raise StoreError(
                            f"The MongoDB store is too busy to add to session {event.session!r}; try again.",
                            code="store_busy",
                        ) from None
                    attempt += 1
                    time.sleep(0.001 * (attempt * 7 % 11))

    def events(self, session: str, *, rater: str | None = None, topic: str | None = None) -> list[ReviewEvent]:
        """Return the events of a session that agree with every value given, in order of arrival."""
        given = {"session": session, "rater": rater, "topic": topic}
        wanted = equal(**{name: value for name, value in given.items() if value is not None})
        with self._database.speaking():
            return _events(self._database.collection(_EVENTS).find(wanted, sort=[("number", 1)]))

    def event_count(self, session: str) -> int:
        """Return how many events a session has, without reading them."""
        with self._database.speaking():
            return self._last(session)

    def has_event(self, event_id: str) -> bool:
        """Return whether an event with this id is on disk."""
        with self._database.speaking():
            return self._database.collection(_EVENTS).find_one(equal(_id=event_id), {"_id": 1}) is not None

    def created_sessions(self) -> list[ReviewEvent]:
        """Return the event that made each session, by (time, session)."""
        with self._database.speaking():
            found = self._database.collection(_EVENTS).find(
                equal(topic="", action=CREATED), sort=[("time", 1), ("session", 1)]
            )
            return _events(found)

    def save_pool(self, pool: Pool) -> str:
        """Return the id of the pool, the hash of its content, once it is on disk."""
        with self._database.speaking(), suppress(DuplicateKeyError):
            self._database.collection("review_pools").insert_one({"_id": pool.id, **pool.to_dict()})
        return pool.id

    def pool(self, pool_id: str) -> Pool:
        """Return the pool ``pool_id``."""
        with self._database.speaking():
            found = self._database.collection("review_pools").find_one(equal(_id=pool_id))
        if found is None:
            raise codec.pool_missing(pool_id)
        return Pool.from_dict(found)

    def save_qrels(self, published: PublishedQrels) -> str:
        """Return the id of the qrels, the hash of their content, once they are on disk."""
        head = published.head
        values = codec.head_to_dict(head)
        del values["id"]
        with self._database.speaking():
            topics = self._database.collection("qrels_topics")
            for position, topic in enumerate(published.topics_to_list()):
                # Equal ids mean equal content: what another writer was faster with is the same.
                with suppress(DuplicateKeyError):
                    topics.insert_one({"qrels": head.id, "position": position, **topic})
            # Last, so that qrels that can be seen are whole; the first to publish keeps name, author and time.
            with suppress(DuplicateKeyError):
                self._database.collection("published_qrels").insert_one({"_id": head.id, **values})
        return head.id

    def qrels(self, qrels_id: str) -> PublishedQrels:
        """Return the published qrels ``qrels_id``."""
        with self._database.speaking():
            found = self._database.collection("published_qrels").find_one(equal(_id=qrels_id))
            if found is None:
                raise codec.qrels_missing(qrels_id)
            topics = self._database.collection("qrels_topics").find(equal(qrels=qrels_id), sort=[("position", 1)])
            return PublishedQrels.of_topics(_head(found), list(topics))

    def qrels_heads(self) -> list[PublishedHead]:
        """Return what is known of all published qrels, by (created, id)."""
        with self._database.speaking():
            found = self._database.collection("published_qrels").find({}, sort=[("created", 1), ("_id", 1)])
            return [_head(document) for document in found]

    def _stored(self, event: ReviewEvent) -> int | None:
        found = self._database.collection(_EVENTS).find_one(equal(_id=event.id))
        if found is None:
            return None
        codec.checked_same(_event(found), event)
        return int(found["number"])

    def _last(self, session: str) -> int:
        last = self._database.collection(_EVENTS).find_one(
            equal(session=session), {"number": 1}, sort=[("session", -1), ("number", -1)]
        )
        return 0 if last is None else int(last["number"])

    def _beside(self, event: ReviewEvent, before: int) -> list[ReviewEvent]:
        collection = self._database.collection(_EVENTS)
        of_session = collection.find(equal(session=event.session, topic=""), sort=[("number", 1)])
        found = [document for document in of_session if document["number"] < before]
        if event.topic:
            lane = collection.find(
                equal(session=event.session, topic=event.topic, rater=event.rater), sort=[("number", 1)]
            )
            found += [document for document in lane if document["number"] < before]
        return _events(sorted(found, key=lambda document: int(document["number"])))


def _event(document: Document) -> ReviewEvent:
    return codec.event_from_dict({**document, "id": document["_id"]})


def _events(documents: Iterable[Document]) -> list[ReviewEvent]:
    return [_event(document) for document in documents]


def _head(document: Document) -> PublishedHead:
    return codec.head_from_dict({**document, "id": document["_id"]})
