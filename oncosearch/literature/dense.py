"""Dense retrieval of articles: a question and articles as vectors, over all imported articles or over candidates.

Vectors are kept on disk under ``<home>/literature/vectors/<model>/`` by the hash of the text that they were made from,
so that an article is encoded once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from oncosearch.embed import Encoder
from oncosearch.embed.growing import GrowingArray
from oncosearch.literature.article import Article
from oncosearch.literature.local import FOLDER
from oncosearch.model import text_hash
from oncosearch.model.names import safe_name

FORMAT = "oncosearch-article-vectors-1"
_BATCH = 32
Vectors = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]


class ArticleEncoder(Protocol):
    """A model that scores an article for a question by the inner product of their vectors."""

    @property
    def key(self) -> str:
        """The model's key."""

    @property
    def revision(self) -> str:
        """What the vectors depend on beside the key."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    def encode_question(self, text: str) -> Vectors:
        """Return one vector."""

    def encode_articles(self, articles: Sequence[Article]) -> Vectors:
        """Return one vector an article."""


class OfRegistry:
    """Any model of the registry as an encoder of articles: title and abstract are one passage."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    @property
    def key(self) -> str:
        """The model's key."""
        return self.encoder.facts.key

    @property
    def revision(self) -> str:
        """The model's revision."""
        return self.encoder.facts.revision

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self.encoder.facts.dimension

    def encode_question(self, text: str) -> Vectors:
        """Return the vector of a question, of length 1."""
        row: Vectors = self.encoder.encode_queries([text])[0]
        return row

    def encode_articles(self, articles: Sequence[Article]) -> Vectors:
        """Return one vector of length 1 an article."""
        return self.encoder.encode_passages([a.text or a.pmid for a in articles])


class ArticleVectors:
    """The vectors of one model on disk; without a home they are kept in memory only."""

    def __init__(self, encoder: ArticleEncoder, home: Path | None = None) -> None:
        self.encoder = encoder
        self._memory: dict[str, Vectors] = {}
        self._folder: Path | None = None
        if home is not None:
            # The model's revision and dimension are part of the place, so that vectors of others are never read.
            stamp = text_hash(json.dumps([FORMAT, encoder.key, encoder.revision, encoder.dimension]))[:12]
            self._folder = home / FOLDER / "vectors" / f"{safe_name(encoder.key)}-{stamp}"

    def known(self) -> dict[str, int]:
        """Return the row of every text hash on disk."""
        if self._folder is None:
            return {}
        stored = self._hashes()
        rows = min(len(stored), len(self._rows()))
        return {text.decode("ascii"): i for i, text in enumerate(stored.read(rows).tolist())}

    def missing(self, articles: Sequence[Article]) -> int:
        """Return how many of the articles have no vector yet."""
        known = self.known().keys() | self._memory.keys()
        return sum(_hash(a) not in known for a in articles)

    def of(self, articles: Sequence[Article], progress: Progress | None = None) -> Vectors:
        """Return one row an article, those without a vector encoded now and kept."""
        hashes = [_hash(a) for a in articles]
        if self._folder is None:
            self._encode(articles, hashes, progress, {})
            return self._gathered(hashes, {})
        self._folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self._folder / "lock"):
            known = self.known()
            self._rows().cut(len(known))
            self._hashes().cut(len(known))
            self._encode(articles, hashes, progress, known)
        return self._gathered(hashes, self.known())

    def _encode(
        self, articles: Sequence[Article], hashes: Sequence[str], progress: Progress | None, known: dict[str, int]
    ) -> None:
        fresh = {h: a for h, a in zip(hashes, articles, strict=True) if h not in known and h not in self._memory}
        names = list(fresh)
        for start in range(0, len(names), _BATCH):
            part = names[start : start + _BATCH]
            rows = self.encoder.encode_articles([fresh[h] for h in part])
            if self._folder is None:
                self._memory |= dict(zip(part, rows, strict=True))
            else:
                # A row counts when its hash is there, so the rows come first.
                self._rows().append(rows)
                self._hashes().append(np.array(part, "S32"))
            if progress is not None:
                progress(min(start + _BATCH, len(names)), len(names))

    def _gathered(self, hashes: Sequence[str], known: dict[str, int]) -> Vectors:
        if not hashes:
            return np.empty((0, self.encoder.dimension), np.float32)
        if self._folder is None:
            return np.array([self._memory[h] for h in hashes], np.float32)
        found: Vectors = np.asarray(self._rows().read(len(known))[[known[h] for h in hashes]], np.float32)
        return found

    def _rows(self) -> GrowingArray:
        assert self._folder is not None
        return GrowingArray(self._folder / "vectors.npy", np.float32, (self.encoder.dimension,))

    def _hashes(self) -> GrowingArray:
        assert self._folder is not None
        return GrowingArray(self._folder / "hashes.npy", "S32")


def rank_articles(
    question: str,
    articles: Sequence[Article],
    vectors: ArticleVectors,
    count: int,
    progress: Progress | None = None,
) -> list[tuple[str, float]]:
    """Return up to ``count`` (PMID, inner product), best first, equal scores by PMID."""
    rows = vectors.of(articles, progress).astype(np.float64)
    query = np.asarray(vectors.encoder.encode_question(question), np.float64)
    scores = (rows @ query).astype(np.float32)
    order = sorted(range(len(articles)), key=lambda i: (-float(scores[i]), int(articles[i].pmid)))
    return [(articles[i].pmid, float(scores[i])) for i in order[:count]]


def _hash(article: Article) -> str:
    return text_hash(f"{article.title}\n\n{article.abstract_text}")
