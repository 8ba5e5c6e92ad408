"""A MongoDB database: reaching it, its indexes, its errors as readable sentences, and addresses without passwords."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo import MongoClient, ReadPreference, WriteConcern
from pymongo.collection import Collection
from pymongo.database import Database
from pymongo.errors import (
    ConnectionFailure,
    DuplicateKeyError,
    OperationFailure,
    PyMongoError,
)

from oncosearch.model import StoreError
from oncosearch.store.mongo_upgrades import judgements_become_events

Document = dict[str, Any]

VERSION = 2
_DEFAULT_NAME = "oncosearch"
_SELECTION_MS = 3000
_TRIES = 200
_HOST = r"(\[[0-9a-fA-F:]+\]|[\w.\-]+)(:\d{1,5})?"

_INDEXES: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("snapshots", ("graph_id", "snapshot_id"), True),
    ("nodes", ("graph_id", "snapshot_id", "write", "node_id"), True),
    ("relations", ("graph_id", "snapshot_id", "write", "source"), False),
    ("relations", ("graph_id", "snapshot_id", "write", "target"), False),
    ("review_events", ("session", "number"), True),
    ("review_events", ("session", "topic", "rater", "number"), False),
    ("review_events", ("graph_id", "snapshot_id"), False),
    ("review_events", ("action", "time"), False),
    ("qrels_topics", ("qrels", "position"), True),
    ("run_rankings", ("run", "position"), True),
    ("audit", ("id",), True),
    ("audit", ("user",), False),
    ("duplicate_decisions", ("graph_id",), False),
)


class MongoDatabase:
    """One MongoDB database and its client, which may be used from many threads."""

    def __init__(self, client: MongoClient[Document], database: Database[Document], shown: str) -> None:
        self._client = client
        self._database = database
        self._shown = shown

    @classmethod
    def open(cls, address: str) -> MongoDatabase:
        """Return the database that the address names (``oncosearch`` where it names none), with its indexes.

        Raises
        ------
        StoreError
            If it cannot be reached, refuses the login, or was written by a newer version.
        """
        shown = shown_address(address)
        options: dict[str, Any] = {"appname": "oncosearch"}
        if "serverselectiontimeoutms" not in address.lower():
            options["serverSelectionTimeoutMS"] = _SELECTION_MS
        if "connecttimeoutms" not in address.lower():
            options["connectTimeoutMS"] = _SELECTION_MS
        try:
            client: MongoClient[Document] = MongoClient(address, **options)
            name = client.get_default_database(default=_DEFAULT_NAME).name
        except (PyMongoError, ValueError) as error:
            # Not chained: what the driver says of a bad address can repeat the password.
            raise StoreError(
                f"ONCOSEARCH_STORE ({shown}) is no usable MongoDB address ({type(error).__name__}). "
                "Expected mongodb://user:password@host:27017/database, with special letters in the password written "
                "as %XX."
            ) from None
        database = cls(
            client,
            # A snapshot or judgement that was acknowledged is on disk at most servers, and is seen by the next read.
            client.get_database(
                name, write_concern=WriteConcern(w="majority", j=True), read_preference=ReadPreference.PRIMARY
            ),
            shown,
        )
        try:
            database._prepare()
        except BaseException:
            client.close()
            raise
        return database

    def collection(self, name: str) -> Collection[Document]:
        """Return the collection ``name``."""
        return self._database[name]

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Let errors of the driver leave as ``StoreError``, without the password."""
        try:
            yield
        except (PyMongoError, BSONError, UnicodeEncodeError, OverflowError) as error:
            raise StoreError(f"The MongoDB store at {self._shown} {_reason(error)}") from error

    def append_numbered(self, name: str, document: Document) -> int:
        """Return the number under which the document was added: one more than the highest in the collection.

        Raises
        ------
        DuplicateKeyError
            If another unique value than the number is taken.
        """
        collection = self.collection(name)
        for attempt in range(_TRIES):
            last = collection.find_one({}, {"_id": 1}, sort=[("_id", -1)])
            number = 1 if last is None else int(last["_id"]) + 1
            try:
                collection.insert_one({"_id": number, **document})
                return number
            except DuplicateKeyError:
                # Someone else took the number (then try the next one), or this is about another index.
                if collection.find_one({"_id": number}, {"_id": 1}) is None:
                    raise
                time.sleep(0.001 * (attempt % 10))
        raise StoreError(f"The MongoDB store at {self._shown} is too busy to add to {name!r}; try again.")

    def close(self) -> None:
        """Close the client; closing again does nothing."""
        self._client.close()

    def _prepare(self) -> None:
        with self.speaking():
            meta = self.collection("meta")
            found = meta.find_one({"_id": "version"})
            if found is not None and found["number"] > VERSION:
                raise StoreError(
                    f"The MongoDB store at {self._shown} is of version {found['number']}, but this program knows "
                    f"versions up to {VERSION}. Use a newer oncosearch, or name another database in ONCOSEARCH_STORE.",
                    code="store_version",
                    found=found["number"],
                    known=VERSION,
                )
            for name, keys, unique in _INDEXES:
                self.collection(name).create_index([(key, 1) for key in keys], unique=unique)
            if found is None:
                meta.update_one({"_id": "version"}, {"$setOnInsert": {"number": VERSION}}, upsert=True)
            elif found["number"] < VERSION:
                judgements_become_events(self._database)
                meta.update_one({"_id": "version"}, {"$max": {"number": VERSION}})


def equal(**values: str | int) -> Document:
    """Return the filter for documents with exactly these values.

    Raises
    ------
    TypeError
        If a value is no text or number: anything else could be read as an operator.
    """
    for name, value in values.items():
        if not isinstance(value, str | int):
            raise TypeError(f"{name} is a {type(value).__name__}; expected a text or a number")
    return dict(values)


def shown_address(address: str) -> str:
    """Return the address as it may be shown: scheme, hosts and database, without user, password and options."""
    scheme, _, rest = address.partition("://")
    place = rest.rpartition("@")[2].partition("?")[0]
    # Whatever does not look like hosts and a database may be a piece of a password.
    plain = re.fullmatch(rf"{_HOST}(,{_HOST})*(/[\w\-]*)?", place)
    return f"{scheme}://{place}" if plain else f"{scheme}://…"


def _reason(error: Exception) -> str:
    if isinstance(error, ConnectionFailure):
        return "cannot be reached. Check that the server runs and that ONCOSEARCH_STORE names it."
    if isinstance(error, OperationFailure) and error.code in (13, 18):
        return "refused the login. Check user, password and rights in ONCOSEARCH_STORE."
    said = "a text is not valid Unicode" if isinstance(error, UnicodeEncodeError) else str(error)
    return f"refused: {said.partition(', full error')[0][:300]}."
