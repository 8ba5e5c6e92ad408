"""What the README tells a newcomer to type is run here as it stands."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.paths import ROOT, SHARED_DATA

README = (ROOT / "README.md").read_text("utf-8")


def commands(text: str) -> list[str]:
    """Return the commands of the indented blocks, without their comments."""
    lines = re.findall(r"^ {4}((?:make|python) .*)$", text, re.MULTILINE)
    return [line.split("  #")[0].strip() for line in lines]


def test_the_first_screen_has_two_commands():
    assert commands(README)[:2] == ["make run", "make test"]


def test_links_and_pictures_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [t for t in targets if not t.startswith("https://") and not (ROOT / t).exists()] == []


@pytest.mark.parametrize("command", [c for c in commands(README) if c.startswith("python -m oncosearch")])
def test_commands_of_the_package_run(command, demo_home, tmp_path):
    words = [sys.executable, *shlex.split(command)[1:]]
    if "path/to/folder" in words:
        words[words.index("path/to/folder")] = str(ROOT / "tests" / "data" / "small")
    home = tmp_path / "home"
    # Reading commands find the demo graph; writing ones must not touch it.
    if any(word in words for word in ("search", "models")):
        home = demo_home
    elif "index" in words:
        first = [sys.executable, "-m", "oncosearch", "ingest", str(ROOT / "tests" / "data" / "small")]
        subprocess.run(first, cwd=ROOT, env=environment(home), check=True, capture_output=True)
    done = subprocess.run(words, cwd=ROOT, env=environment(home), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_other_format_is_read_as_the_readme_says(tmp_path):
    words = re.search(r"`(ingest --format civic) path/to/tables`", README)
    assert words
    if SHARED_DATA is None:
        pytest.skip("the CIViC tables are not on this machine")
    command = [sys.executable, "-m", "oncosearch", *words[1].split(), str(SHARED_DATA / "civic")]
    done = subprocess.run(command, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "3,706 rows in, 3,706 nodes out" in done.stdout


def test_make_run_serves_the_app(demo_home):
    if not (ROOT / ".venv" / ".installed").exists():
        pytest.skip("the environment is not that of `make venv`; `make test` has it")
    port = free_port()
    variables = environment(demo_home) | {"STREAMLIT_SERVER_HEADLESS": "true"}
    process = subprocess.Popen(
        ["make", "run", f"PORT={port}"],
        cwd=ROOT,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        assert wait_for(f"http://127.0.0.1:{port}/_stcore/health") == "ok"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.communicate(timeout=20)


def environment(home: Path) -> dict[str, str]:
    return os.environ | {"ONCOSEARCH_HOME": str(home), "PYTHONUTF8": "1"}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def wait_for(address: str, seconds: float = 120) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=2) as answer:
                return answer.read().decode()
        except OSError:
            time.sleep(0.3)
    return "no answer"
