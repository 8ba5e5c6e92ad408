"""The command line in this process and in one of its own, over a home with the small graph."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from oncosearch.cli import main
from tests.conftest import prepare
from tests.paths import ROOT
from tests.workspace.homes import SMALL, copied


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture(scope="session")
def small_home(tmp_path_factory) -> Path:
    """Return a home with the small graph ready for searching; only to be read or copied."""
    home = tmp_path_factory.mktemp("small") / "home"
    prepare(home, SMALL)
    return home


@pytest.fixture
def home(small_home, tmp_path) -> Path:
    """Return a home of one's own."""
    return copied(small_home, tmp_path / "home")


@pytest.fixture
def run(home, capsys) -> Callable[..., Done]:
    """Return a function that runs a command in this process over the home."""

    def command(*arguments: object, home: Path = home) -> Done:
        capsys.readouterr()
        status = main(["--home", str(home), *map(str, arguments)])
        return Done(status, *capsys.readouterr())

    return command


def program(*arguments: object) -> list[str]:
    """Return the command line of a process of its own."""
    return [sys.executable, "-m", "oncosearch", *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    """Return the environment without what says how Python should write."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LC_", "LANG", "ONCOSEARCH_"))}
    return {**kept, **more}


def process(*arguments: object, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own."""
    return subprocess.run(
        program(*arguments), cwd=ROOT, env=environment(**more), capture_output=True, timeout=300, check=False
    )


def on_terminal(*arguments: object) -> str:
    """Return what a command writes to a terminal, which must end with status 0."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    with subprocess.Popen(
        program(*arguments), cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=theirs
    ) as running:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 1 << 16):
                shown += part
        except OSError:
            # That is how a terminal says that nobody writes to it any more.
            pass
    os.close(ours)
    assert running.returncode == 0
    return shown.decode()
