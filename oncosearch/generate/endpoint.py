"""Where the language model is, whether it may be asked, and what leaves this machine when it is."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from oncosearch.generate.errors import failure
from oncosearch.settings import Settings

# Nothing in an address may be read in two ways, by us as local and by the HTTP library as something else.
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.\-_:\[\]]+(?:/[A-Za-z0-9.\-_/~]*)?")
_KEY = re.compile(r"[!-~]*")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model behind one address; ``timeout`` in seconds, ``context`` in tokens."""

    address: str
    host: str
    model: str
    local: bool
    encrypted: bool
    context: int
    timeout: float
    key: str = field(default="", repr=False)
    tokeniser: Path | None = None


def endpoint(settings: Settings) -> Endpoint:
    """Return the model that the settings name.

    Raises
    ------
    LanguageModelError
        ``llm_off`` where no address is set, ``llm_address``, ``llm_settings`` or ``llm_key_form`` where one is wrong.
    """
    address = settings.llm_address
    if address is None:
        raise failure("llm_off")
    if _ADDRESS.fullmatch(address) is None:
        raise failure("llm_address")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise failure("llm_address") from None
    if not host:
        raise failure("llm_address")
    shown = f"[{host}]" if ":" in host else host
    shown = shown if port is None else f"{shown}:{port}"
    if not settings.llm_model:
        raise failure("llm_settings", host=shown)
    if _KEY.fullmatch(settings.llm_key) is None:
        raise failure("llm_key_form")
    return Endpoint(
        address=address.rstrip("/"),
        host=shown,
        model=settings.llm_model,
        local=_is_loopback(host),
        encrypted=parts.scheme == "https",
        context=settings.llm_context,
        timeout=settings.llm_timeout,
        key=settings.llm_key,
        tokeniser=settings.llm_tokeniser,
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
