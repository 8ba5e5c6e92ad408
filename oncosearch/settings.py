"""One frozen ``Settings``, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from oncosearch.model import UsageError

EUTILS_ADDRESS = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things lie and what is switched on.

    ``store`` is None for SQLite under ``home`` or a ``mongodb://`` address; ``models`` is the folder of local models.
    ``llm_address`` is None where no language model is asked; ``llm_context`` counts tokens, ``llm_timeout`` seconds.
    Without ``eutils`` no question is sent to PubMed; ``eutils_timeout`` counts seconds, all tries together.
    """

    home: Path = Path(".oncosearch")
    store: str | None = None
    models: Path | None = None
    audit: bool = True
    allow_remote_code: bool = False
    hub: bool = False
    user: str = "local"
    llm_address: str | None = None
    llm_model: str = ""
    llm_key: str = field(default="", repr=False)
    llm_context: int = 8192
    llm_timeout: float = 120.0
    llm_tokeniser: Path | None = None
    eutils: bool = False
    eutils_address: str = EUTILS_ADDRESS
    eutils_email: str = ""
    eutils_tool: str = "oncosearch"
    eutils_key: str = field(default="", repr=False)
    eutils_timeout: float = 20.0

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Return the settings of the environment variables ``ONCOSEARCH_*``.

        Raises
        ------
        UsageError
            If a variable has a value that is not understood.
        """
        env = os.environ if environ is None else environ
        store = env.get("ONCOSEARCH_STORE") or None
        if store is not None and not store.startswith(("mongodb://", "mongodb+srv://")):
            raise UsageError(
                f"ONCOSEARCH_STORE is {store!r}; expected an address that begins with mongodb:// "
                "(leave it empty for the built-in SQLite store)."
            )
        models = env.get("ONCOSEARCH_MODELS")
        return cls(
            home=Path(env.get("ONCOSEARCH_HOME") or ".oncosearch"),
            store=store,
            models=Path(models) if models else None,
            audit=_switch(env, "ONCOSEARCH_AUDIT", default=True),
            allow_remote_code=_switch(env, "ONCOSEARCH_ALLOW_REMOTE_CODE", default=False),
            hub=_switch(env, "ONCOSEARCH_HUB", default=False),
            user=env.get("ONCOSEARCH_USER") or "local",
            llm_address=env.get("ONCOSEARCH_LLM_ADDRESS", "").strip() or None,
            llm_model=env.get("ONCOSEARCH_LLM_MODEL", "").strip(),
            llm_key=env.get("ONCOSEARCH_LLM_KEY", "").strip(),
            llm_context=int(_number(env, "ONCOSEARCH_LLM_CONTEXT", 8192, low=512, high=10_000_000, whole=True)),
            llm_timeout=_number(env, "ONCOSEARCH_LLM_TIMEOUT", 120.0, low=1, high=3600),
            llm_tokeniser=Path(tokeniser) if (tokeniser := env.get("ONCOSEARCH_LLM_TOKENISER")) else None,
            eutils=_switch(env, "ONCOSEARCH_EUTILS", default=False),
            eutils_address=env.get("ONCOSEARCH_EUTILS_ADDRESS", "").strip() or EUTILS_ADDRESS,
            eutils_email=env.get("ONCOSEARCH_EUTILS_EMAIL", "").strip(),
            eutils_tool=env.get("ONCOSEARCH_EUTILS_TOOL", "").strip() or "oncosearch",
            eutils_key=env.get("ONCOSEARCH_EUTILS_KEY", "").strip(),
            eutils_timeout=_number(env, "ONCOSEARCH_EUTILS_TIMEOUT", 20.0, low=1, high=3600),
        )


def _switch(env: Mapping[str, str], name: str, *, default: bool) -> bool:
    value = env.get(name, "").strip().lower()
    if value == "":
        return default
    if value in {"on", "1", "true", "yes"}:
        return True
    if value in {"off", "0", "false", "no"}:
        return False
    raise UsageError(f"{name} is {value!r}; expected on or off.")


def _number(
    env: Mapping[str, str], name: str, default: float, *, low: float, high: float, whole: bool = False
) -> float:
    text = env.get(name, "").strip()
    if text == "":
        return default
    try:
        value = float(int(text)) if whole else float(text)
    except (ValueError, OverflowError):
        value = float("nan")
    if not low <= value <= high:
        kind = "a whole number" if whole else "a number"
        raise UsageError(f"{name} is {text!r}; expected {kind} from {low:,} to {high:,}.")
    return value
