"""Runs and recorded searches in MongoDB."""

from __future__ import annotations

from pymongo.errors import DuplicateKeyError

from oncosearch.model import Run, SearchRecord
from oncosearch.store import checks, codec
from oncosearch.store.mongo_database import MongoDatabase, equal


class MongoRunStore:
    """The ``RunStore`` of a MongoDB database: one document for a run, and one for each of its topics before it."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database

    def save_run(self, run: Run) -> str:
        """Return the id of the run, the hash of its content."""
        values = codec.run_to_dict(run)
        run_id = codec.run_id(values)
        head = values | {"rankings": len(values["rankings"])}
        if run.parameters is not None:
            # As a list: a key from outside may hold a dot or a dollar sign.
            head["parameters"] = [{"name": name, "value": value} for name, value in run.parameters.items()]
        with self._database.speaking():
            rankings = self._database.collection("run_rankings")
            for position, (topic, hits) in enumerate(sorted(values["rankings"].items())):
                # Equal ids mean equal content, so a second writer can only put the same document in its place.
                document = {"run": run_id, "position": position, "topic": topic, "hits": hits}
                rankings.replace_one(equal(run=run_id, position=position), document, upsert=True)
            self._database.collection("runs").replace_one(equal(_id=run_id), head, upsert=True)
        return run_id

    def run(self, run_id: str) -> Run:
        """Return the run ``run_id``."""
        with self._database.speaking():
            head = self._database.collection("runs").find_one(equal(_id=run_id), {"_id": 0})
            if head is None:
                raise checks.run_missing(run_id, self.runs())
            rankings = self._database.collection("run_rankings").find(equal(run=run_id), sort=[("position", 1)])
            hits = {document["topic"]: document["hits"] for document in rankings}
        parameters = head["parameters"]
        if parameters is not None:
            parameters = {part["name"]: part["value"] for part in parameters}
        return codec.run_from_dict(head | {"rankings": hits, "parameters": parameters})

    def runs(self) -> list[str]:
        """Return the ids of all runs by (created, id)."""
        with self._database.speaking():
            found = self._database.collection("runs").find({}, {"_id": 1}, sort=[("created", 1), ("_id", 1)])
            return [document["_id"] for document in found]


class MongoAuditStore:
    """The ``AuditStore`` of a MongoDB database; ``_id`` counts the records in order of arrival."""

    def __init__(self, database: MongoDatabase) -> None:
        self._database = database

    def record(self, search: SearchRecord) -> None:
        """Return once the search is on disk; the same record again changes nothing."""
        with self._database.speaking():
            try:
                self._database.append_numbered("audit", codec.record_to_dict(search))
            except DuplicateKeyError:
                if self.record_by_id(search.id) != search:
                    raise checks.record_conflict(search.id) from None

    def record_by_id(self, record_id: str) -> SearchRecord:
        """Return the record ``record_id``."""
        with self._database.speaking():
            found = self._database.collection("audit").find_one(equal(id=record_id))
        if found is None:
            raise checks.record_missing(record_id)
        return codec.record_from_dict(found)

    def recent(self, count: int, user: str | None = None) -> list[SearchRecord]:
        """Return at most ``count`` records, of one user or of all, last arrived first."""
        if count <= 0:
            return []
        wanted = {} if user is None else equal(user=user)
        with self._database.speaking():
            found = list(self._database.collection("audit").find(wanted, sort=[("_id", -1)], limit=count))
        return [codec.record_from_dict(document) for document in found]
