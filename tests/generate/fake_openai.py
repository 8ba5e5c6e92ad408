"""A server on 127.0.0.1 that speaks as much of the OpenAI protocol as is asked of it, with scripted answers.

Each request to ``/v1/chat/completions`` takes the next reply of the script; what was asked is kept.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One scripted answer. ``pieces`` are streamed; a status other than 200 sends ``body`` instead."""

    pieces: tuple[str, ...] = ()
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    finish: str | None = "stop"
    wait: float = 0.0
    between: float = 0.0
    raw: bytes | None = None
    broken: bool = False
    error_in_stream: dict[str, Any] | None = None


def text(*pieces: str, **more: Any) -> Reply:
    return Reply(pieces=pieces, **more)


def refusal(status: int, *, headers: dict[str, str] | None = None, **error: Any) -> Reply:
    return Reply(status=status, body={"error": error}, headers=headers or {})


class FakeOpenAI:
    def __init__(self, script: list[Reply]) -> None:
        self.script = list(script)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.heard = threading.Event()
        self.disconnected = threading.Event()
        self.tokenise: bool = False
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                fake.paths.append(self.path)
                reply = fake.script.pop(0) if fake.script else Reply(body={"object": "list", "data": [{"id": "m"}]})
                self.answer(reply.status, reply.body, reply.headers)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fake.paths.append(self.path)
                if self.path == "/tokenize":
                    if fake.tokenise:
                        self.answer(200, {"tokens": list(range(len(body["content"].split())))}, {})
                    else:
                        self.answer(404, {"error": {}}, {})
                    return
                fake.asked.append(body)
                fake.headers.append({name.lower(): value for name, value in self.headers.items()})
                reply = fake.script.pop(0)
                fake.heard.set()
                try:
                    self.speak(reply)
                except (BrokenPipeError, ConnectionResetError):
                    fake.disconnected.set()
                    self.close_connection = True

            def answer(self, status: int, body: Any, headers: dict[str, str]) -> None:
                sent = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)

            def speak(self, reply: Reply) -> None:
                waited = time.monotonic() + reply.wait
                while time.monotonic() < waited:
                    time.sleep(0.02)
                    if self.gone():
                        raise BrokenPipeError
                if reply.status != 200:
                    self.answer(reply.status, reply.body, reply.headers)
                    return
                if reply.raw is not None:
                    self.answer(200, reply.raw, reply.headers)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for piece in reply.pieces:
                    self.event({"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]})
                    end = time.monotonic() + reply.between
                    while time.monotonic() < end:
                        time.sleep(0.02)
                        if self.gone():
                            raise BrokenPipeError
                if reply.broken:
                    self.close_connection = True
                    return
                if reply.error_in_stream is not None:
                    self.event({"error": reply.error_in_stream})
                else:
                    self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
                    self.chunk(b"data: [DONE]\n\n")
                self.wfile.write(b"0\r\n\r\n")

            def gone(self) -> bool:
                self.connection.setblocking(False)
                try:
                    return self.connection.recv(1) == b""
                except BlockingIOError:
                    return False
                finally:
                    self.connection.setblocking(True)

            def event(self, value: dict[str, Any]) -> None:
                shell = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
                value = value if "error" in value else shell | value
                self.chunk(f"data: {json.dumps(value)}\n\n".encode())

            def chunk(self, data: bytes) -> None:
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@contextmanager
def serving(*script: Reply) -> Iterator[FakeOpenAI]:
    fake = FakeOpenAI(list(script))
    thread = threading.Thread(target=fake.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        fake.server.shutdown()
        fake.server.server_close()
        thread.join()
