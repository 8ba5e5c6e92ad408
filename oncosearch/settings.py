"""One frozen ``Settings``, read once from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from oncosearch.model import UsageError


@dataclass(frozen=True, slots=True)
class Settings:
    """Where things lie and what is switched on.

    ``store`` is None for SQLite under ``home`` or a ``mongodb://`` address; ``models`` is the folder of local models.
    """

    home: Path = Path(".oncosearch")
    store: str | None = None
    models: Path | None = None
    audit: bool = True
    allow_remote_code: bool = False
    hub: bool = False
    user: str = "local"

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Return the settings of the environment variables ``ONCOSEARCH_*``.

        Raises
        ------
        UsageError
            If ``ONCOSEARCH_STORE`` or ``ONCOSEARCH_AUDIT`` has a value that is not understood.
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
