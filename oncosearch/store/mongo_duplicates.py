"""Decisions on duplicates in MongoDB."""

from __future__ import annotations

from dataclasses import asdict

from oncosearch.model import PairDecision
from oncosearch.store.codec import DECISION_COLUMNS
from oncosearch.store.mongo_database import MongoDatabase, equal

_NAME = "duplicate_decisions"


class MongoDuplicateStore:
    """The ``DuplicateStore`` of a MongoDB database; ``_id`` is the sequence number."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database

    def append_decision(self, decision: PairDecision) -> int:
        """Return the sequence number of the decision once it is on disk."""
        with self._database.speaking():
            return self._database.append_numbered(_NAME, asdict(decision))

    def decisions(self, graph_id: str) -> list[PairDecision]:
        """Return the decisions on nodes of one graph in order of arrival."""
        with self._database.speaking():
            found = list(self._database.collection(_NAME).find(equal(graph_id=graph_id), sort=[("_id", 1)]))
        return [PairDecision(**{name: document[name] for name in DECISION_COLUMNS}) for document in found]

    def last_decision(self, graph_id: str) -> int:
        """Return the sequence number of the last decision on nodes of one graph, 0 where there is none."""
        with self._database.speaking():
            last = self._database.collection(_NAME).find_one(equal(graph_id=graph_id), {"_id": 1}, sort=[("_id", -1)])
        return 0 if last is None else int(last["_id"])
