"""One streamed answer of a language model, which can be cancelled.

The request runs in a thread of its own, so that a person never waits for the server to stop: cancelling closes the
connection, whether the server is reading the prompt or writing.
"""

from __future__ import annotations

import hashlib
import logging
import queue
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from oncosearch.generate.endpoint import Endpoint, endpoint
from oncosearch.generate.errors import LanguageModelError, failure
from oncosearch.generate.prompts import Prompt
from oncosearch.generate.server import client, give_way, spoken_failure, status_failure, waiting_time
from oncosearch.settings import Settings

if TYPE_CHECKING:
    from openai import OpenAI

State = Literal["running", "complete", "cut", "filtered", "cancelled", "failed"]

logger = logging.getLogger(__name__)
# Waits after a 429 or 503 where the server does not name its own; all of them together stay within the timeout.
BACK_OFF = (1.0, 2.0, 4.0, 8.0)
# A whole answer may take so many times the timeout, which is the longest silence.
WHOLE_ANSWER = 10
LONGEST_ANSWER = 200_000
_POLL_SECONDS = 0.1
_THOUGHT = "<think>"


class AnswerStream:
    """The pieces of one answer as they come; iterate once, cancel from any thread.

    ``text`` holds what has come so far, also after an error or a cancel; ``state`` says how it ended: ``complete``,
    ``cut`` (the limit of tokens was reached or the server stopped without saying that it is done), ``filtered`` (by the
    server), ``cancelled`` or ``failed``.
    """

    def __init__(
        self,
        where: Endpoint,
        prompt: Prompt,
        *,
        max_tokens: int,
        cancel: threading.Event | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> None:
        self.state: State = "running"
        self.prompt_hash = prompt.hash
        self.model = where.model
        self.seconds = 0.0
        self._where = where
        self._cancel = cancel or threading.Event()
        self._pieces: list[str] = []
        self._request = _Request(where, _parameters(where, prompt, max_tokens, response_format))

    @property
    def text(self) -> str:
        """What has come so far."""
        return "".join(self._pieces)

    @property
    def answer_hash(self) -> str:
        """The SHA-256 of what has come so far."""
        return hashlib.sha256(self.text.encode("utf-8", "replace")).hexdigest()

    def cancel(self) -> None:
        """Stop the answer; the iteration ends at once and the connection is closed."""
        self._cancel.set()
        self._request.stop()

    def __enter__(self) -> Self:
        """Return the stream itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Close the connection; what was not read is cancelled."""
        if self.state == "running":
            self.state = "cancelled"
        self._request.stop()

    def __iter__(self) -> Iterator[str]:
        """Yield the answer piece by piece.

        Raises
        ------
        LanguageModelError
            With the code of what went wrong; not for a cancel, which ends the iteration.
        """
        begun = time.monotonic()
        try:
            for piece in _without_thoughts(self._arriving(begun)):
                self._pieces.append(piece)
                yield piece
        except LanguageModelError:
            self.state = "failed"
            raise
        finally:
            self._request.stop()
            if self.state == "running":
                self.state = "cancelled"
            self.seconds = time.monotonic() - begun
            logger.info(
                "language model %s: prompt %s, answer %s, %s after %.1f s",
                self.model,
                self.prompt_hash[:16],
                self.answer_hash[:16],
                self.state,
                self.seconds,
            )

    def _arriving(self, begun: float) -> Iterator[str]:
        where = self._where
        if self._cancel.is_set():
            self.state = "cancelled"
            return
        self._request.start()
        heard = begun
        length = 0
        while True:
            try:
                arrived = self._request.arrived.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                arrived = None
            if self._cancel.is_set():
                self.state = "cancelled"
                return
            if isinstance(arrived, LanguageModelError):
                raise arrived
            if isinstance(arrived, _Ending):
                self.state = arrived.state
                return
            now = time.monotonic()
            if arrived is not None:
                heard = now
            if arrived:
                length += len(arrived)
                yield arrived
            if length > LONGEST_ANSWER or now - begun > WHOLE_ANSWER * where.timeout:
                self.state = "cut"
                return
            if now - heard > where.timeout:
                raise failure("llm_timeout", host=where.host, seconds=where.timeout)


def stream_answer(
    prompt: Prompt, *, settings: Settings, max_tokens: int = 700, cancel: threading.Event | None = None
) -> AnswerStream:
    """Return the model's answer as a stream; nothing is sent before the first piece is asked for.

    Parameters
    ----------
    prompt
        As from ``answer_prompt``.
    settings
        Name the model.
    max_tokens
        Longest answer.
    cancel
        Set it from another thread to stop; ``cancel()`` of the stream does the same.

    Raises
    ------
    LanguageModelError
        If no usable model is set up; what goes wrong later is raised while iterating.
    """
    return AnswerStream(endpoint(settings), prompt, max_tokens=max_tokens, cancel=cancel)


class _Ending:
    """The end of an answer, as the server named it."""

    def __init__(self, reason: str | None) -> None:
        states: dict[str | None, State] = {"stop": "complete", "content_filter": "filtered"}
        self.state: State = states.get(reason, "cut")


class _Request:
    """One request in its thread; what arrives is in ``arrived``: text, then an ending or an error."""

    def __init__(self, where: Endpoint, parameters: dict[str, Any]) -> None:
        self.arrived: queue.SimpleQueue[str | _Ending | LanguageModelError] = queue.SimpleQueue()
        self._where = where
        self._parameters = parameters
        self._stopped = threading.Event()
        self._sockets: list[socket.socket] = []

    def start(self) -> None:
        threading.Thread(target=self._run, name="oncosearch-generate", daemon=True).start()

    def stop(self) -> None:
        """Close the connection under the thread, which then ends by itself."""
        self._stopped.set()
        for connection in list(self._sockets):
            _shut(connection)

    def _connected(self, connection: socket.socket) -> None:
        self._sockets.append(connection)
        if self._stopped.is_set():
            _shut(connection)

    def _run(self) -> None:
        try:
            import openai  # noqa: F401
        except ImportError:
            self.arrived.put(failure("llm_package"))
            return
        try:
            with client(self._where, self._connected) as server:
                self._read(server)
        except LanguageModelError as error:
            self.arrived.put(error)

    def _read(self, server: OpenAI) -> None:
        import httpx2
        import openai

        where = self._where
        given_up = time.monotonic() + where.timeout
        waits = iter(BACK_OFF)
        while not self._stopped.is_set():
            try:
                reason = self._listen(server)
            except openai.APIStatusError as error:
                if give_way(error, self._parameters):
                    continue
                wait = waiting_time(error, next(waits, None), given_up)
                if wait is None:
                    raise status_failure(error, where) from None
                self._stopped.wait(wait)
            except (openai.APITimeoutError, httpx2.TimeoutException):
                raise failure("llm_timeout", host=where.host, seconds=where.timeout) from None
            except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as error:
                broken = isinstance(error.__cause__ or error, httpx2.RemoteProtocolError | httpx2.ReadError)
                raise failure("llm_broken" if broken else "llm_unreachable", host=where.host) from None
            except openai.APIError as error:
                raise spoken_failure(error, where) from None
            except ValueError:
                raise failure("llm_form", host=where.host) from None
            else:
                self.arrived.put(_Ending(reason))
                return

    def _listen(self, server: OpenAI) -> str | None:
        reason: str | None = None
        chunks = 0
        with server.chat.completions.create(**self._parameters, stream=True) as stream:
            for chunk in stream:
                chunks += 1
                for choice in (getattr(chunk, "choices", None) or [])[:1]:
                    text = getattr(getattr(choice, "delta", None), "content", None)
                    # Empty while a model thinks to itself: a sign of life all the same.
                    self.arrived.put(text if isinstance(text, str) else "")
                    reason = getattr(choice, "finish_reason", None) or reason
        if not chunks:
            raise failure("llm_form", host=self._where.host)
        return reason


def _parameters(
    where: Endpoint, prompt: Prompt, max_tokens: int, response_format: Mapping[str, Any] | None
) -> dict[str, Any]:
    parameters: dict[str, Any] = {
        "model": where.model,
        "messages": [{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
        "max_tokens": max_tokens,
        "temperature": 0,
    }
    if response_format is not None:
        parameters["response_format"] = dict(response_format)
    return parameters


def _without_thoughts(pieces: Iterator[str]) -> Iterator[str]:
    """Yield an answer without the ``<think>…</think>`` that some models write before it."""
    held = begin = ""
    for piece in pieces:
        held += piece
        begin = held.lstrip()
        if begin.startswith(_THOUGHT):
            _, closed, rest = held.partition("</think>")
            if closed:
                if rest.lstrip():
                    yield rest.lstrip()
                break
        elif not _THOUGHT.startswith(begin):
            yield held
            break
    else:
        if held and not begin.startswith(_THOUGHT):
            yield held
    yield from pieces


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # Closed already: that is what was wanted.
        return
