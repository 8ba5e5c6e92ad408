"""Whether a language model can be asked, and what leaves this machine then."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from oncosearch.generate.endpoint import endpoint
from oncosearch.generate.errors import LanguageModelError, failure
from oncosearch.generate.server import list_models
from oncosearch.settings import Settings


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


def available(settings: Settings, *, ask: bool = False) -> Availability:
    """Return whether a language model can be asked; never raises.

    Parameters
    ----------
    settings
        Names the model; nothing is sent unless ``ask`` is set.
    ask
        Ask the server for its list of models (no text is sent), at most 5 s.
    """
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
