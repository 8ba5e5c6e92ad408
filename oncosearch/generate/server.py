"""The server behind the address: how it is reached, and what its refusals mean.

A model on this machine is asked without proxies, and redirects are never followed: text goes to the host that the
settings name and to no other.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from oncosearch.generate.endpoint import Endpoint
from oncosearch.generate.errors import LanguageModelError, failure

if TYPE_CHECKING:
    from openai import APIError, APIStatusError, OpenAI

CONNECT_SECONDS = 10.0
_CONTEXT = re.compile(
    r"context.{0,20}(?:length|size|window|exceed)|exceed.{0,20}context|too many tokens", re.IGNORECASE
)
# What a server may not know, and what to send in its place (None: nothing).
_GIVE_WAY: Mapping[str, str | None] = {"max_tokens": "max_completion_tokens", "temperature": None}


def client(where: Endpoint, connected: Callable[[socket.socket], None] | None = None) -> OpenAI:
    """Return an ``openai`` client that sends to the endpoint's host only; ``connected`` is given each new socket."""
    import httpx2
    from openai import OpenAI

    def trace(event: str, info: Mapping[str, Any]) -> None:
        if connected is not None and event in {"connection.connect_tcp.complete", "connection.start_tls.complete"}:
            found = info["return_value"].get_extra_info("socket")
            if isinstance(found, socket.socket):
                connected(found)

    def prepare(request: httpx2.Request) -> None:
        # The library adds what it finds in the OPENAI_* variables and a description of this machine.
        for name in [n for n in request.headers if n.lower().startswith(("x-stainless", "openai-"))]:
            del request.headers[name]
        request.extensions = {**request.extensions, "trace": trace}

    web = httpx2.Client(
        trust_env=not where.local,
        follow_redirects=False,
        timeout=httpx2.Timeout(where.timeout, connect=min(CONNECT_SECONDS, where.timeout)),
        event_hooks={"request": [prepare]},
    )
    return OpenAI(api_key=where.key or "none", base_url=where.address, http_client=web, max_retries=0)


def list_models(where: Endpoint, *, limit: float) -> tuple[str, ...]:
    """Return the names of the server's models; sends no text.

    Raises
    ------
    LanguageModelError
        If it cannot be reached within ``limit`` seconds, refuses the key or does not know the model.
    """
    import httpx2
    import openai

    try:
        with client(where) as server:
            names = tuple(str(model.id) for model in server.with_options(timeout=limit).models.list().data or ())
    except openai.APIStatusError as error:
        # Some servers have no list; that they answer is enough.
        if error.status_code in {404, 405, 501}:
            return ()
        raise status_failure(error, where) from None
    except (openai.APITimeoutError, httpx2.TimeoutException):
        raise failure("llm_timeout", host=where.host, seconds=limit) from None
    except (openai.APIConnectionError, httpx2.HTTPError):
        raise failure("llm_unreachable", host=where.host) from None
    except (openai.APIError, ValueError, AttributeError, TypeError):
        raise failure("llm_form", host=where.host) from None
    return names


def status_failure(error: APIStatusError, where: Endpoint) -> LanguageModelError:
    """Return our error for a status of the server; its own text is not taken over, it may repeat the prompt."""
    status = error.status_code
    named = f"{error.code} {error.type} {error.message}"
    if status in {400, 413, 422} and (status == 413 or _CONTEXT.search(named)):
        return _too_long(error, where)
    if status == 404:
        if error.code == "model_not_found" or "model" in str(error.message).lower():
            return failure("llm_model_missing", host=where.host, model=where.model)
        return failure("llm_address_wrong", host=where.host, status=status)
    if status in {301, 302, 303, 307, 308, 405}:
        return failure("llm_address_wrong", host=where.host, status=status)
    codes = {401: "llm_key", 403: "llm_forbidden", 429: "llm_busy"}
    code = codes.get(status, "llm_server" if status >= 500 else "llm_refused")
    return failure(code, host=where.host, status=status)


def spoken_failure(error: APIError, where: Endpoint) -> LanguageModelError:
    """Return our error for one that the server wrote into its stream."""
    if _CONTEXT.search(f"{error.code} {error.type} {error.message}"):
        return _too_long(error, where)
    return failure("llm_server", host=where.host, status=error.code if str(error.code).isdecimal() else "in its answer")


def _too_long(error: APIError, where: Endpoint) -> LanguageModelError:
    body = error.body if isinstance(error.body, dict) else {}
    tokens, context = body.get("n_prompt_tokens"), body.get("n_ctx")
    return failure(
        "llm_context",
        tokens=tokens if isinstance(tokens, int) else "more",
        context=context if isinstance(context, int) else where.context,
    )


def give_way(error: APIStatusError, parameters: dict[str, Any]) -> bool:
    """Take out of the parameters what the server names as unknown to it; return whether there was something."""
    if error.status_code not in {400, 422}:
        return False
    named = str(error.param or "")
    message = str(error.message)
    if "response_format" in parameters and re.search("response_format|json_schema|json_object", f"{named} {message}"):
        given = parameters.pop("response_format")
        if given.get("type") == "json_schema":
            parameters["response_format"] = {"type": "json_object"}
        return True
    for name, instead in _GIVE_WAY.items():
        if name in parameters and (named == name or (not named and name in message)):
            value = parameters.pop(name)
            if instead is not None:
                parameters[instead] = value
            return True
    return False


def waiting_time(error: APIStatusError, usual: float | None, given_up: float) -> float | None:
    """Return the seconds until the next try of a busy server, or None where there is no time for one."""
    if error.status_code not in {429, 503} or usual is None or error.code == "insufficient_quota":
        return None
    try:
        wait = max(0.0, float(error.response.headers.get("retry-after", usual)))
    except ValueError:
        wait = usual
    return wait if time.monotonic() + wait < given_up else None
