"""MedCPT: two encoders, one for questions and one for articles, whose inner product says how well they fit.

From two local folders, ``ONCOSEARCH_MODELS/medcpt-query`` and ``medcpt-article``; nothing is fetched.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.embed.availability import folder_problem
from oncosearch.embed.registry import ModelFacts
from oncosearch.literature.article import Article
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings

QUESTION_TOKENS = 64
KEY = "medcpt"
QUERY_FACTS, ARTICLE_FACTS = (
    ModelFacts(f"medcpt-{kind}", hub_id, "", 768, limit, "cls", False, "public domain")
    for kind, hub_id, limit in (
        ("query", "ncbi/MedCPT-Query-Encoder", QUESTION_TOKENS),
        ("article", "ncbi/MedCPT-Article-Encoder", 512),
    )
)
_BATCH = 16


class MedCPT:
    """The pair of encoders; vectors are not brought to length 1, since they were trained for the inner product."""

    key = KEY
    revision = "local"

    def __init__(self, models: Path) -> None:
        self._query = _Half(models / QUERY_FACTS.key, QUERY_FACTS)
        self._article = _Half(models / ARTICLE_FACTS.key, ARTICLE_FACTS)

    @property
    def dimension(self) -> int:
        """The length of a vector."""
        return self._article.dimension

    def encode_question(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of a question, of which 64 tokens are read."""
        vector: npt.NDArray[np.float32] = self._query.encode([text], None)[0]
        return vector

    def encode_articles(self, articles: Sequence[Article]) -> npt.NDArray[np.float32]:
        """Return one vector an article from its title and abstract as a pair, of which 512 tokens are read."""
        return self._article.encode([a.title for a in articles], [a.abstract_text for a in articles])


def load_medcpt(settings: Settings) -> MedCPT | None:
    """Return the encoders, or None where one of the folders is missing.

    Raises
    ------
    ModelUnavailableError
        If a folder is there but is refused or cannot be loaded.
    """
    if settings.models is None:
        return None
    facts = (QUERY_FACTS, ARTICLE_FACTS)
    if not all((settings.models / f.key).is_dir() for f in facts):
        return None
    for f in facts:
        if problem := folder_problem(settings.models / f.key, f):
            raise ModelUnavailableError(f"Model {f.key!r} cannot be used: {problem}", model=f.key)
    return MedCPT(settings.models)


class _Half:
    def __init__(self, folder: Path, facts: ModelFacts) -> None:
        from safetensors import SafetensorError
        from transformers import AutoModel, AutoTokenizer

        self._facts = facts
        self._lock = threading.Lock()
        try:
            self._tokeniser: Any = AutoTokenizer.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
            self._model: Any = AutoModel.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=True
            )
        except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
            raise ModelUnavailableError(
                f"Model {facts.key!r} could not be loaded from {folder}: {str(error).splitlines()[0]}", model=facts.key
            ) from error
        self._model.eval()

    @property
    def dimension(self) -> int:
        return int(self._model.config.hidden_size)

    def encode(self, texts: Sequence[str], pairs: Sequence[str] | None) -> npt.NDArray[np.float32]:
        import torch

        rows = [np.empty((0, self.dimension), np.float32)]
        for start in range(0, len(texts), _BATCH):
            part = slice(start, start + _BATCH)
            given = [list(texts[part])] + ([list(pairs[part])] if pairs is not None else [])
            with self._lock, torch.no_grad():
                tokens = self._tokeniser(
                    *given, truncation=True, padding=True, return_tensors="pt", max_length=self._facts.limit
                )
                rows.append(self._model(**tokens).last_hidden_state[:, 0, :].numpy().astype(np.float32))
        found = np.concatenate(rows)
        if not np.isfinite(found).all():
            raise ModelUnavailableError(
                f"Model {self._facts.key!r} gave a vector that is not finite.", model=self._facts.key
            )
        return found
