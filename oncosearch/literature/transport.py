"""Asking NCBI's servers: turns kept, tries within a time-out, answers kept on disk, and a list of what was sent."""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode, urlsplit

from oncosearch.literature.answers import AnswerCache
from oncosearch.literature.records import UnreadableError
from oncosearch.model import OncosearchError, StoreError, UsageError
from oncosearch.settings import Settings

T = TypeVar("T")

TRIES = 4
# No answer stays on disk for longer.
KEPT_DAYS = 30.0
FIRST_PAUSE = 0.5
# Characters of a request that still goes into the address; NCBI asks for POST beyond that.
LONGEST_GET = 1500
MAX_ANSWER_BYTES = 200_000_000
# One try gives up after this part of the time-out without a sign of life, so that another one fits in.
_OF_TIMEOUT = 0.4
_AGAIN = frozenset({408, 429, 500, 502, 503, 504})
_SENT_KEPT = 500
_TEXT = re.compile(r"<[^>]{0,200}>|\s+")


class SourceError(OncosearchError):
    """A source that gives no answer.

    Codes: ``source_unreachable``, ``source_timeout``, ``source_busy`` (too many requests), ``source_refused``,
    ``source_garbled``. The values are ``host``, ``seconds``, ``tries`` and ``said``.
    """

    code = "source_refused"


class TryAgainError(Exception):
    """An answer that says it failed for the moment."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What left the machine in one request: when, where to, and every parameter but the API key itself."""

    when: str
    host: str
    operation: str
    parameters: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """An answer as a value, when it came from the source, and whether it was kept on disk since."""

    value: T
    asked: str
    kept: bool


class Transport:
    """Requests to one address. It may be used from many threads, and keeps turns with other processes of this home."""

    def __init__(self, settings: Settings, folder: Path) -> None:
        parts = urlsplit(settings.eutils_address)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.username:
            raise UsageError(
                f"ONCOSEARCH_EUTILS_ADDRESS is {settings.eutils_address!r}; expected an address such as "
                "https://eutils.ncbi.nlm.nih.gov/entrez/eutils."
            )
        self.host = parts.netloc
        self._address = settings.eutils_address.rstrip("/")
        self._loopback = parts.hostname in {"127.0.0.1", "localhost", "::1"}
        self._settings = settings
        self._folder = folder
        self._turn = folder / "eutils.turn"
        self._cache = AnswerCache(folder / "answers")
        self._cache.forget(KEPT_DAYS)
        # 3 requests a second, 10 with a key, and room for some that take longer on their way than the next.
        self.spacing = 0.11 if settings.eutils_key else 0.36
        self._sent: deque[Sent] = deque(maxlen=_SENT_KEPT)
        self._client: Any = None
        self._lock = threading.Lock()

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The last requests that left this machine, oldest first; answers from the disk are not among them."""
        return tuple(self._sent)

    def close(self) -> None:
        """Close the connections."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def ask(
        self,
        operation: str,
        parameters: list[tuple[str, str]],
        read: Callable[[bytes], T],
        *,
        days: float,
        fresh: bool = False,
    ) -> Answer[T]:
        """Return the answer of an operation such as ``esearch``, read by ``read``.

        An answer that is at most ``days`` old is taken from the disk, unless ``fresh``. Only answers that could be read
        are kept.

        Raises
        ------
        SourceError
            If there is none within the time-out of the settings.
        StoreError
            If turns and answers cannot be kept on disk.
        """
        question = [("address", self._address), ("operation", operation), *parameters]
        if not fresh and (kept := self._cache.get(question, days)) is not None:
            try:
                return Answer(read(kept.body), kept.asked, True)
            except (UnreadableError, TryAgainError):
                # Damaged on disk: the source is asked as if it had not been kept.
                pass
        asked = datetime.now(UTC).isoformat(timespec="seconds")
        try:
            body, value = self._until_read(operation, parameters, read)
            self._cache.put(question, asked, body)
        except OSError as error:
            raise StoreError(
                f"The folder {self._folder}, which keeps turns and answers, cannot be used: {error.strerror}. "
                "Point ONCOSEARCH_HOME to a folder in which this user may write."
            ) from error
        return Answer(value, asked, False)

    def _until_read(
        self, operation: str, parameters: list[tuple[str, str]], read: Callable[[bytes], T]
    ) -> tuple[bytes, T]:
        import httpx

        seconds = self._settings.eutils_timeout
        deadline = time.monotonic() + seconds
        pause = FIRST_PAUSE
        for tries in range(1, TRIES + 1):
            wait = 0.0
            try:
                status, headers, body = self._try(operation, parameters, deadline)
                if status == 200:
                    return body, read(body)
                error = self._refusal(status, headers, body, tries)
                if status not in _AGAIN:
                    raise error
                wait = _retry_after(headers)
            except (httpx.TimeoutException, TimeoutError):
                error = self._error("source_timeout", tries, f"did not answer within {seconds:g} s")
            except httpx.InvalidURL as problem:
                raise self._error("source_unreachable", tries, f"has an address that is none: {problem}") from problem
            except httpx.HTTPError as problem:
                error = self._error("source_unreachable", tries, "cannot be reached", said=self._plain(str(problem)))
            except UnreadableError as problem:
                error = self._error("source_garbled", tries, "sent a broken answer", said=str(problem))
            except TryAgainError as problem:
                error = self._error("source_busy", tries, "is not able to answer now", said=self._plain(str(problem)))
            wait = max(wait, pause)
            pause *= 2
            if tries == TRIES or time.monotonic() + wait >= deadline:
                raise error
            time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _try(
        self, operation: str, parameters: list[tuple[str, str]], deadline: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        self._wait_for_turn(deadline)
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        # Looking a host up cannot be given a time-out; a thread can be left to itself.
        found: list[tuple[int, Mapping[str, str], bytes] | Exception] = []

        def send() -> None:
            try:
                found.append(self._send(operation, parameters, deadline, min(left, self._patience)))
            except Exception as error:
                found.append(error)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        thread.join(left + 0.2)
        # Nobody knows when the request arrived there, but it was not after its answer came.
        self._turn.touch()
        if not found:
            raise TimeoutError
        if isinstance(found[0], Exception):
            raise found[0]
        return found[0]

    @property
    def _patience(self) -> float:
        return max(0.2, self._settings.eutils_timeout * _OF_TIMEOUT)

    def _send(
        self, operation: str, parameters: list[tuple[str, str]], deadline: float, patience: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        given = [("tool", self._settings.eutils_tool)]
        if self._settings.eutils_email:
            given.append(("email", self._settings.eutils_email))
        key = [("api_key", self._settings.eutils_key)] if self._settings.eutils_key else []
        query = urlencode([*parameters, *given, *key])
        address = f"{self._address}/{operation}.fcgi"
        shown = (*parameters, *given, *((name, "(set)") for name, _ in key))
        self._sent.append(Sent(datetime.now(UTC).isoformat(timespec="seconds"), self.host, operation, shown))
        # Addresses end up in log files, where a key has no place.
        if key or len(query) > LONGEST_GET:
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            request = self._http().build_request("POST", address, content=query, headers=form, timeout=patience)
        else:
            request = self._http().build_request("GET", f"{address}?{query}", timeout=patience)
        answer = self._http().send(request, stream=True)
        try:
            parts, size = [], 0
            for part in answer.iter_bytes():
                parts.append(part)
                size += len(part)
                if size > MAX_ANSWER_BYTES:
                    raise UnreadableError(f"The answer has more than {MAX_ANSWER_BYTES:,} bytes.")
                if time.monotonic() > deadline:
                    raise TimeoutError
        finally:
            answer.close()
        return answer.status_code, answer.headers, b"".join(parts)

    def _http(self) -> Any:
        import httpx

        with self._lock:
            if self._client is None:
                # A proxy of the environment is for the world outside, not for this machine.
                self._client = httpx.Client(
                    follow_redirects=False, trust_env=not self._loopback, headers={"User-Agent": "oncosearch"}
                )
            return self._client

    def _wait_for_turn(self, deadline: float) -> None:
        """Wait until the last request, of whatever process, lies far enough back."""
        from filelock import FileLock, Timeout

        self._folder.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(self._folder / "eutils.lock", timeout=max(0.0, deadline - time.monotonic())):
                try:
                    before = self._turn.stat().st_mtime
                except FileNotFoundError:
                    before = 0.0
                # A clock that was set back must not make anyone wait for long.
                wait = min(self.spacing, before + self.spacing - time.time())
                if wait > 0:
                    time.sleep(wait)
                self._turn.touch()
        except Timeout as error:
            raise TimeoutError from error

    def _refusal(self, status: int, headers: Mapping[str, str], body: bytes, tries: int) -> SourceError:
        said = self._plain(_said(body))
        if status == 429:
            hint = (
                "" if self._settings.eutils_key else " (with an API key in ONCOSEARCH_EUTILS_KEY it takes 10 a second)"
            )
            return self._error("source_busy", tries, f"asks for fewer requests{hint}", said=said)
        if 300 <= status < 400:
            where = self._plain(headers.get("location", ""))
            return self._error("source_refused", tries, "points to another address", said=where)
        return self._error("source_refused", tries, f"answered with status {status}", said=said)

    def _error(self, code: str, tries: int, what: str, *, said: str = "") -> SourceError:
        told = f": {said}" if said else ""
        after = f" after {tries} tries" if tries > 1 else ""
        return SourceError(
            f"PubMed ({self.host}) {what}{after}{told.rstrip('.')}. Check the network and the settings "
            "ONCOSEARCH_EUTILS_…, or search the imported articles (source local).",
            code=code,
            host=self.host,
            seconds=self._settings.eutils_timeout,
            tries=tries,
            said=said,
        )

    def _plain(self, text: str) -> str:
        """Return a text from outside without the API key and without markup, on one short line."""
        if self._settings.eutils_key:
            text = text.replace(self._settings.eutils_key, "(key)")
        text = " ".join(_TEXT.sub(" ", text).split())
        return "".join(c if c.isprintable() else " " for c in text)[:200]


def _said(body: bytes) -> str:
    text = body[:2000].decode("utf-8", "replace")
    try:
        found = json.loads(text)
    except ValueError:
        return text
    return str(found.get("error", "")) if isinstance(found, dict) else ""


def _retry_after(headers: Mapping[str, str]) -> float:
    # A date is allowed as well; NCBI writes seconds.
    text = headers.get("retry-after", "").strip()
    return float(text) if re.fullmatch(r"\d{1,4}(\.\d+)?", text) else 0.0
