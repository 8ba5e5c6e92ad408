"""The MongoDB store: one database, readable by any MongoDB tool. Only ``mongo*.py`` modules import pymongo."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from oncosearch.store.mongo_database import MongoDatabase
from oncosearch.store.mongo_duplicates import MongoDuplicateStore
from oncosearch.store.mongo_graph import MongoGraphStore
from oncosearch.store.mongo_records import MongoAuditStore, MongoRunStore
from oncosearch.store.mongo_review import MongoReviewStore


class MongoStore(MongoGraphStore, MongoReviewStore, MongoRunStore, MongoAuditStore, MongoDuplicateStore):
    """All stores in one MongoDB database."""

    name = "MongoDB"

    @classmethod
    def open(cls, address: str) -> Self:
        """Return the store at a ``mongodb://`` address.

        Raises
        ------
        StoreError
            If it cannot be reached, refuses the login, or was written by a newer version.
        """
        return cls(MongoDatabase.open(address))

    def close(self) -> None:
        """Close every connection; closing again does nothing."""
        self._database.close()

    def __enter__(self) -> Self:
        """Return the store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()
