"""Cross-encoders that re-rank passages: they read question and passage together. From local folders only."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from oncosearch.embed.availability import folder_problem
from oncosearch.embed.registry import ModelFacts
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings

# In the order in which they are taken if several are there. Their dimension is one score.
RERANKERS: tuple[ModelFacts, ...] = tuple(
    ModelFacts(key, hub_id, "", 1, 512, "cross-encoder", multilingual, licence, loader="cross-encoder")
    for key, hub_id, multilingual, licence in (
        ("medcpt-cross", "ncbi/MedCPT-Cross-Encoder", False, "public domain"),
        ("bge-reranker-v2-m3", "BAAI/bge-reranker-v2-m3", True, "Apache-2.0"),
        ("ms-marco-minilm", "cross-encoder/ms-marco-MiniLM-L6-v2", False, "Apache-2.0"),
    )
)


class Reranker(Protocol):
    """A model that scores pairs of question and passage; a higher score is a better passage."""

    facts: ModelFacts

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one finite score a text, float32; scores of different questions cannot be compared."""


def load_reranker(settings: Settings) -> Reranker | None:
    """Return the first cross-encoder of :data:`RERANKERS` with a folder ``ONCOSEARCH_MODELS/<key>``, or None.

    Raises
    ------
    ModelUnavailableError
        If a folder is there but is refused (program files, no safetensors) or cannot be loaded.
    """
    for facts in RERANKERS:
        folder = settings.models / facts.key if settings.models else None
        if folder is None or not folder.is_dir():
            continue
        if problem := folder_problem(folder, facts):
            raise ModelUnavailableError(f"Re-ranker {facts.key!r} cannot be used: {problem}", model=facts.key)
        return _CrossEncoder(facts, str(folder))
    return None


class _CrossEncoder:
    def __init__(self, facts: ModelFacts, folder: str) -> None:
        from safetensors import SafetensorError
        from sentence_transformers import CrossEncoder

        self.facts = facts
        self._lock = threading.Lock()
        try:
            self._model: Any = CrossEncoder(
                folder,
                max_length=facts.limit,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            )
        except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
            raise ModelUnavailableError(
                f"Re-ranker {facts.key!r} could not be loaded from {folder}: {str(error).splitlines()[0]}",
                model=facts.key,
            ) from error

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if not texts:
            return np.empty(0, np.float32)
        with self._lock:
            raw = self._model.predict([(query, text) for text in texts], show_progress_bar=False)
        scores = np.asarray(raw, np.float32).reshape(len(texts), -1)
        if scores.shape[1] != 1 or not np.isfinite(scores).all():
            raise ModelUnavailableError(
                f"Re-ranker {self.facts.key!r} gave {scores.shape[1]} values a passage or one that is not finite; "
                "expected one finite score.",
                model=self.facts.key,
            )
        return np.ascontiguousarray(scores[:, 0])
