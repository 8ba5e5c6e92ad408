"""How many tokens a text has for the model: by its own tokeniser where one can be asked, else estimated, and said."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from oncosearch.generate.endpoint import Endpoint, endpoint
from oncosearch.generate.errors import LanguageModelError
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings

if TYPE_CHECKING:
    from tokenizers import Tokenizer

How = Literal["server", "file", "estimate"]
# German clinical text has some 3 bytes a token in today's vocabularies, English some 4: this errs on the long side.
BYTES_PER_TOKEN = 3
_TOKENISE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class TokenCount:
    """A number of tokens and where it is from; ``exact`` is False for an estimate."""

    tokens: int
    how: How

    @property
    def exact(self) -> bool:
        """Whether the model's own tokeniser counted."""
        return self.how != "estimate"


@dataclass(slots=True)
class TokenCounter:
    """Counts tokens; falls back to the estimate for good when a server does not count.

    A server on another machine is never asked: counting would send the text before anybody agreed to that.
    """

    where: Endpoint | None = None
    tokeniser: Tokenizer | None = None
    _counts: dict[bytes, int] = field(default_factory=dict)
    _server: bool = True

    def count(self, text: str) -> TokenCount:
        """Return how many tokens a text has, without what a chat template adds."""
        text = text.encode("utf-8", "replace").decode("utf-8")
        if self.tokeniser is not None:
            return TokenCount(len(self.tokeniser.encode(text, add_special_tokens=False).ids), "file")
        if self.where is not None and self.where.local and self._server:
            key = hashlib.sha256(text.encode()).digest()
            counted = self._counts.get(key)
            if counted is None:
                counted = _asked(self.where, text)
            if counted is not None:
                self._counts[key] = counted
                return TokenCount(counted, "server")
            self._server = False
        return TokenCount(estimated(text), "estimate")


def estimated(text: str) -> int:
    """Return a third of the bytes of a text, rounded up."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def token_counter(settings: Settings) -> TokenCounter:
    """Return what counts tokens for the model of the settings; without a model, what estimates.

    Raises
    ------
    ModelUnavailableError
        If ``ONCOSEARCH_LLM_TOKENISER`` names a file that is no ``tokenizer.json``.
    """
    tokeniser = None
    if settings.llm_tokeniser is not None:
        tokeniser = _from_file(str(settings.llm_tokeniser))
    try:
        return TokenCounter(endpoint(settings), tokeniser)
    except LanguageModelError:
        # No model, or a wrong address that asking will name: counting goes on by estimate.
        return TokenCounter(None, tokeniser)


@lru_cache(maxsize=4)
def _from_file(path: str) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        return Tokenizer.from_file(path)
    except Exception as error:  # tokenizers raises Exception itself, whatever is wrong
        raise ModelUnavailableError(
            f"ONCOSEARCH_LLM_TOKENISER: {path} cannot be read as a tokenizer.json ({type(error).__name__}). "
            "Name the file that came with the model, or leave it empty to estimate."
        ) from error


def _asked(where: Endpoint, text: str) -> int | None:
    """Return the count by the server's ``/tokenize`` (llama.cpp, vLLM), or None where it has none."""
    try:
        import httpx2
    except ImportError:
        return None
    root = where.address.removesuffix("/v1")
    asked = {"content": text, "model": where.model, "prompt": text, "add_special_tokens": False}
    headers = {"Authorization": f"Bearer {where.key}"} if where.key else {}
    try:
        with httpx2.Client(trust_env=False, follow_redirects=False, timeout=_TOKENISE_SECONDS) as client:
            reply = client.post(f"{root}/tokenize", json=asked, headers=headers)
            given: Any = reply.json() if reply.status_code == 200 else None
    except (httpx2.HTTPError, ValueError):
        return None
    tokens = given.get("tokens") if isinstance(given, dict) else None
    return len(tokens) if isinstance(tokens, list) else None
