"""Collections of a MongoDB database with a mapping file (``format = "mongo"``), read by cursor in batches."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oncosearch.ingest.documents import DocumentRecord
from oncosearch.ingest.given import Given
from oncosearch.ingest.mapped import Record, mapped_nodes
from oncosearch.ingest.mapped_spec import MappedSpec, Table
from oncosearch.ingest.raw import Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog
from oncosearch.ingest.tables import needed_spec
from oncosearch.model import UsageError

if TYPE_CHECKING:
    from pymongo.database import Database

BATCH = 500
_WAIT_MS = 5000
_LOGIN = re.compile(r"^(mongodb(?:\+srv)?://)(?:.*@)?([^/?]*).*$", re.DOTALL)


def is_mongo(given: Given) -> bool:
    """Return whether the address of a database was given."""
    return bool(given.addresses)


def read_mongo(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of a database's collections; the number in a place counts documents in the order of ``_id``.

    At most a batch of documents is in memory. The snapshot id follows the content where the mapping file names none.

    Raises
    ------
    UsageError
        If there is no mapping file or not one address, or the database cannot be read.
    """
    spec = needed_spec(given, "collection")
    if len(given.addresses) != 1 or given.paths:
        raise UsageError("The format mongo reads one database; expected one address such as mongodb://host/database.")
    return RawGraph(spec.graph.header(lambda: "", spec.languages), _nodes(spec, given.addresses[0], log), lenient=True)


def _nodes(spec: MappedSpec, address: str, log: ImportLog) -> Iterator[RawNode]:
    from bson.codec_options import CodecOptions, DatetimeConversion
    from bson.errors import BSONError
    from pymongo import MongoClient
    from pymongo.errors import PyMongoError

    shown = _LOGIN.sub(r"\1\2", address)
    options: dict[str, Any] = {"appname": "oncosearch", "serverSelectionTimeoutMS": _WAIT_MS}
    try:
        client: MongoClient[dict[str, Any]] = MongoClient(address, **options)
        database = client.get_default_database()
    except (PyMongoError, ValueError) as error:
        # Not chained: what the driver says of a bad address can repeat the password.
        raise UsageError(
            f"{shown} is no usable address ({type(error).__name__}); expected mongodb://user:password@host:27017/database."
        ) from None
    codecs: CodecOptions[dict[str, Any]] = CodecOptions(
        tz_aware=True, datetime_conversion=DatetimeConversion.DATETIME_AUTO, unicode_decode_error_handler="replace"
    )
    with client:
        try:
            source = _Collections(database.with_options(codec_options=codecs), spec.plain_ids)
            yield from mapped_nodes(spec, source, log)
        except (PyMongoError, BSONError) as error:
            reason = " ".join(str(error).split())[:200]
            raise UsageError(f"The database at {shown} cannot be read ({type(error).__name__}: {reason}).") from error


@dataclass(frozen=True, slots=True)
class _Collections:
    database: Database[dict[str, Any]]
    plain: bool

    def rows(self, table: Table, log: ImportLog) -> Iterator[tuple[Place, Record]]:
        log.read[table.name] += 0
        number = 0
        with self.database[table.name].find({}, batch_size=BATCH).sort("_id", 1) as cursor:
            for number, document in enumerate(cursor, 1):
                log.read[table.name] += 1
                yield Place(table.name, number), DocumentRecord(document, self.plain)
        if number == 0:
            log.warn("empty_collection", table.name, f"the collection {table.name!r} is empty or does not exist.")
