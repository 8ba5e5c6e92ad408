"""The local source: imported articles in SQLite FTS5, searched with PubMed's syntax. Nothing leaves the machine."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from oncosearch.literature.article import Article, Document, SearchPage
from oncosearch.literature.expression import to_text
from oncosearch.literature.fts import COLUMNS, INDEX_VERSION, TOKENISER, columns_of, match_of
from oncosearch.literature.jsonlines import article_from, article_to, document_from, document_to
from oncosearch.literature.parsing import parse
from oncosearch.literature.records import Deletion, is_pmid, plain_pmcid
from oncosearch.model import ArtefactMismatchError, StoreError, UsageError

FOLDER = "literature"
FILE_NAME = "articles.db"
# Scoring costs some microseconds an article; of more matches than this only the newest are scored.
RANKED = 4000
MAX_COUNT = 10_000

_BUSY_SECONDS = 30.0
_SCHEMA = f"""
CREATE TABLE made (version INTEGER NOT NULL);
INSERT INTO made VALUES ({INDEX_VERSION});
CREATE TABLE articles (pmid INTEGER PRIMARY KEY, pmcid TEXT, first_day INTEGER, body TEXT NOT NULL);
CREATE TABLE documents (pmcid TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5 (
    {", ".join(COLUMNS)}, content = '', tokenize = '{TOKENISER}', prefix = '4'
);
"""
_WEIGHTS = ", ".join(str(weight) for weight in COLUMNS.values())
_INSERT = f"INSERT INTO words (rowid, {', '.join(COLUMNS)}) VALUES (?{', ?' * len(COLUMNS)})"
_DELETE = f"INSERT INTO words (words, rowid, {', '.join(COLUMNS)}) VALUES ('delete', ?{', ?' * len(COLUMNS)})"


@dataclass(frozen=True, slots=True)
class Added:
    """What adding records did: each record is counted in exactly one place."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    deleted: int = 0
    not_there: int = 0
    full_texts: int = 0

    def __add__(self, other: Added) -> Added:
        """Return the sum, place by place."""
        return Added(*(getattr(self, name) + getattr(other, name) for name in self.__slots__))


class LocalSource:
    """Imported articles in one SQLite file; it may be used from many threads."""

    name = "local"
    destination = ""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: list[sqlite3.Connection] = []
        self._lock = threading.Lock()

    @classmethod
    def open(cls, home: Path) -> LocalSource:
        """Return the source in folder ``home``, made where it is missing.

        Raises
        ------
        StoreError
            If the folder or the file cannot be used.
        ArtefactMismatchError
            If another version of oncosearch made the file.
        """
        path = home / FOLDER / FILE_NAME
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        except OSError as error:
            raise StoreError(
                f"The articles {path} cannot be opened: {error.strerror}. "
                "Point ONCOSEARCH_HOME to a folder in which this user may write."
            ) from error
        source = cls(path)
        try:
            source._prepare()
        except BaseException:
            source.close()
            raise
        return source

    def __enter__(self) -> LocalSource:
        """Return the source itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the source."""
        self.close()

    def close(self) -> None:
        """Close the connections that nobody uses."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def search(self, expression: str, *, start: int = 0, count: int = 20) -> SearchPage:
        """Return a page of the articles that match, by BM25 over title, abstract, keywords and headings.

        Equal scores stand in the order of PMIDs. Of more than ``RANKED`` matches only those with the highest PMIDs are
        scored, the others follow with the newest first; ``ranked`` of the page says so.

        Raises
        ------
        ExpressionError
            If the expression cannot be read, or names a field that only PubMed can search.
        """
        if start < 0 or not 0 <= count <= MAX_COUNT:
            raise UsageError(f"start is {start} and count {count}; expected 0 or more, and count up to {MAX_COUNT:,}.")
        parsed = parse(expression, local=True)
        match = match_of(parsed)
        with self._connection() as connection:
            # Most searches end here with all of their matches, and need not be counted in a pass of its own.
            newest = connection.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?", (match, RANKED + 1)
            ).fetchall()
            total, lowest = len(newest), 0
            if total > RANKED:
                total = connection.execute("SELECT count(*) FROM words WHERE words MATCH ?", (match,)).fetchone()[0]
                lowest = newest[RANKED - 1][0]
            ids = _page(connection, match, lowest, start, count) if total and count else []
        return SearchPage(
            ids=tuple(map(str, ids)),
            total=total,
            start=start,
            understood=to_text(parsed),
            ranked=RANKED if total > RANKED else None,
        )

    def fetch(self, pmids: Sequence[str]) -> list[Article]:
        """Return the articles in the order of ``pmids``; those that were not imported are left out."""
        found: dict[str, Article] = {}
        wanted = [int(pmid) for pmid in dict.fromkeys(pmids) if is_pmid(pmid)]
        with self._connection() as connection:
            for at in range(0, len(wanted), 500):
                part = wanted[at : at + 500]
                marks = ", ".join("?" * len(part))
                for (body,) in connection.execute(f"SELECT body FROM articles WHERE pmid IN ({marks})", part):
                    article = article_from(json.loads(body))
                    found[article.pmid] = article
        return [found[pmid] for pmid in pmids if pmid in found]

    def full_text(self, pmcid: str) -> Document | None:
        """Return an imported full text, or None."""
        with self._connection() as connection:
            row = connection.execute("SELECT body FROM documents WHERE pmcid = ?", (plain_pmcid(pmcid),)).fetchone()
        return document_from(json.loads(row[0])) if row else None

    def count(self) -> int:
        """Return how many articles there are."""
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM articles").fetchone()[0])

    def count_full_texts(self) -> int:
        """Return how many full texts there are."""
        with self._connection() as connection:
            return int(connection.execute("SELECT count(*) FROM documents").fetchone()[0])

    def articles(self) -> Iterator[Article]:
        """Yield every article in the order of PMIDs; articles that are added meanwhile may or may not be among them."""
        last = 0
        while True:
            with self._connection() as connection:
                rows = connection.execute(
                    "SELECT pmid, body FROM articles WHERE pmid > ? ORDER BY pmid LIMIT 500", (last,)
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (article_from(json.loads(body)) for _, body in rows)

    def add(self, records: Iterable[Article | Document | Deletion]) -> Added:
        """Add records in one transaction and return what that did; an article with a known PMID takes its place."""
        found = Added()
        with self._connection() as connection, _transaction(connection):
            for record in records:
                found += _add(connection, record)
        return found

    def rebuild(self) -> int:
        """Make the word index anew from the stored articles, and return their number."""
        with self._connection() as connection, _transaction(connection):
            connection.execute("DROP TABLE words")
            connection.execute(_SCHEMA[_SCHEMA.index("CREATE VIRTUAL") :].rstrip().rstrip(";"))
            number = 0
            for pmid, body in connection.execute("SELECT pmid, body FROM articles ORDER BY pmid"):
                connection.execute(_INSERT, (pmid, *columns_of(article_from(json.loads(body)))))
                number += 1
            connection.execute("UPDATE made SET version = ?", (INDEX_VERSION,))
        return number

    def optimise(self) -> None:
        """Merge the word index into one piece, which makes searching faster after large imports."""
        with self._connection() as connection, _transaction(connection):
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def _prepare(self) -> None:
        with self._connection() as connection:
            if not _is_made(connection):
                connection.execute("PRAGMA journal_mode = WAL")
                with _transaction(connection):
                    # Another process may have been quicker.
                    for statement in filter(str.strip, () if _is_made(connection) else _SCHEMA.split(";")):
                        connection.execute(statement)
            version = connection.execute("SELECT version FROM made").fetchone()[0]
        if version > INDEX_VERSION:
            raise ArtefactMismatchError(
                f"The articles {self.path} were written in format {version}; this oncosearch reads {INDEX_VERSION}. "
                "Use the newer oncosearch, or move the file away and import the articles again."
            )
        if version < INDEX_VERSION:
            self.rebuild()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            if connection is None:
                connection = sqlite3.connect(
                    self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
                connection.execute("PRAGMA cache_size = -32768")
            try:
                yield connection
            finally:
                with self._lock:
                    self._idle.append(connection)
        except sqlite3.Error as error:
            raise StoreError(
                f"The articles {self.path} cannot be read or written: {error}. If the file is damaged, move it "
                "away and import the articles again."
            ) from error


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _page(connection: sqlite3.Connection, match: str, lowest: int, start: int, count: int) -> list[int]:
    """Return the PMIDs of a page: those from ``lowest`` on by relevance, then the others, newest first."""
    scored = connection.execute(
        f"SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? ORDER BY bm25(words, {_WEIGHTS}), rowid "
        "LIMIT ? OFFSET ?",
        (match, lowest, count, start),
    ).fetchall()
    others: list[tuple[int]] = []
    if lowest and len(scored) < count:
        others = connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ? OFFSET ?",
            (match, lowest, count - len(scored), max(0, start - RANKED)),
        ).fetchall()
    return [pmid for (pmid,) in [*scored, *others]]


def _is_made(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'made'").fetchone() is not None


def _add(connection: sqlite3.Connection, record: Article | Document | Deletion) -> Added:
    if isinstance(record, Document):
        body = json.dumps(document_to(record), ensure_ascii=True)
        connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?)", (record.pmcid, body))
        return Added(full_texts=1)
    pmid = int(record.pmid)
    row = connection.execute("SELECT body FROM articles WHERE pmid = ?", (pmid,)).fetchone()
    if isinstance(record, Deletion):
        if row is None:
            return Added(not_there=1)
        _remove(connection, pmid, row[0])
        connection.execute("DELETE FROM articles WHERE pmid = ?", (pmid,))
        return Added(deleted=1)
    body = json.dumps(article_to(record), ensure_ascii=True)
    if row is not None:
        if row[0] == body:
            return Added(unchanged=1)
        _remove(connection, pmid, row[0])
    connection.execute(
        "INSERT OR REPLACE INTO articles VALUES (?, ?, ?, ?)",
        (pmid, record.pmcid, record.date.first_day if record.date else None, body),
    )
    connection.execute(_INSERT, (pmid, *columns_of(record)))
    return Added(replaced=1) if row is not None else Added(added=1)


def _remove(connection: sqlite3.Connection, pmid: int, body: str) -> None:
    # An index without contents must be told the very words it is to forget.
    connection.execute(_DELETE, (pmid, *columns_of(article_from(json.loads(body)))))
