"""The stores under test: SQLite in a temporary folder, MongoDB on a server that is given, installed or test-only."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest

from oncosearch.settings import Settings
from oncosearch.store import Store, open_store

_START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _program(name: str) -> str | None:
    beside = Path(sys.executable).with_name(name)
    return str(beside) if beside.exists() else shutil.which(name)


def _server_command(port: int, folder: Path) -> list[str] | None:
    if mongod := shutil.which("mongod"):
        return [mongod, "--bind_ip", "127.0.0.1", "--port", str(port), "--dbpath", str(folder)]
    if secantus := _program("secantusd-py"):
        config = folder / "empty.toml"
        config.touch()
        return [
            *(secantus, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)),
            *("--storage-path", str(folder / "data"), "--log-level", "WARNING"),
        ]
    return None


@pytest.fixture(scope="session")
def mongo_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a MongoDB server, started here where none is given."""
    if given := os.environ.get("ONCOSEARCH_TEST_MONGO_URI"):
        yield given
        return
    port = free_port()
    folder = tmp_path_factory.mktemp("mongo")
    command = _server_command(port, folder)
    if command is None:
        missing = "no MongoDB server: set ONCOSEARCH_TEST_MONGO_URI, or install mongod or the package SecantusDB"
        if os.environ.get("CI", "").lower() == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(port, server, folder / "server.log")
        yield f"mongodb://127.0.0.1:{port}/"
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_for(port: int, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        with socket.socket() as client:
            client.settimeout(1)
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail(f"the MongoDB server did not start: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture
def mongo_database(mongo_address: str) -> Iterator[str]:
    """Return the address of a new database, dropped afterwards."""
    from pymongo import MongoClient

    name = f"oncosearch_test_{uuid.uuid4().hex[:12]}"
    parts = urlsplit(mongo_address)
    yield urlunsplit(parts._replace(path=f"/{name}"))
    with MongoClient(mongo_address) as client:
        client.drop_database(name)


@pytest.fixture(params=["sqlite", pytest.param("mongo", marks=pytest.mark.mongo)])
def settings(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Return the settings of a new, empty store of each kind."""
    home = tmp_path / "home"
    if request.param == "sqlite":
        return Settings(home=home)
    return Settings(home=home, store=request.getfixturevalue("mongo_database"))


@pytest.fixture
def open_again(settings: Settings) -> Iterator[Callable[[], Store]]:
    """Return a function that opens the store under test once more, as another process would."""
    opened: list[Store] = []

    def opening() -> Store:
        opened.append(open_store(settings))
        return opened[-1]

    yield opening
    for store in opened:
        store.close()


@pytest.fixture
def store(open_again: Callable[[], Store]) -> Store:
    """Return the store under test, opened."""
    return open_again()
