"""Where the language model is, whether it may be asked, and what leaves this machine when it is."""

from __future__ import annotations

import importlib.util
import ipaddress
import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from oncosearch.generate.errors import LanguageModelError, failure
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


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether a model can be asked, and where it is.

    ``code`` is ``llm_local``, ``llm_remote`` (text leaves this machine) or ``llm_remote_plain`` (text leaves it
    unencrypted) where a model is set up, else the code of the error that asking would raise.
    """

    code: str
    message: str
    host: str = ""
    model: str = ""
    local: bool = False
    encrypted: bool = False

    @property
    def usable(self) -> bool:
        """Whether a model is set up and nothing is known that speaks against asking it."""
        return self.code in {"llm_local", "llm_remote", "llm_remote_plain"}

    @property
    def leaves_machine(self) -> bool:
        """Whether asking sends text to another machine."""
        return self.usable and not self.local


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


def available(settings: Settings, *, ask: bool = False) -> Availability:
    """Return whether a language model can be asked; never raises.

    Parameters
    ----------
    settings
        Names the model; nothing is sent unless ``ask`` is set.
    ask
        Ask the server for its list of models (no text is sent), at most 5 s.
    """
    from oncosearch.generate.server import list_models  # which needs this module

    try:
        where = endpoint(settings)
        if importlib.util.find_spec("openai") is None:
            raise failure("llm_package")
        if ask:
            list_models(where, limit=5.0)
    except LanguageModelError as error:
        return Availability(error.code, str(error), host=str(error.values.get("host", "")), model=settings.llm_model)
    if where.local:
        code, message = "llm_local", f"Model {where.model} on this machine ({where.host}); no text leaves it."
    elif where.encrypted:
        code = "llm_remote"
        message = f"Model {where.model} at {where.host}: question and passages leave this machine."
    else:
        code = "llm_remote_plain"
        message = f"Model {where.model} at {where.host}: question and passages leave this machine, unencrypted."
    return Availability(code, message, where.host, where.model, where.local, where.encrypted)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
