"""The app in a process of its own and a real browser, which may talk to loopback only."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.conftest import prepare
from tests.paths import ROOT
from tests.ui.nasty import write_folder

SHOTS = ROOT / "shots"


def pytest_collection_modifyitems(items):
    for item in items:
        if "journeys" in str(item.path):
            item.add_marker(pytest.mark.browser)


@contextmanager
def serving(home: Path) -> Iterator[str]:
    """Serve the app on a free port of loopback and yield its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "ONCOSEARCH_HOME": str(home), "ONCOSEARCH_STORE": ""}
    command = [sys.executable, "-m", "streamlit", "run", "streamlit_app.py", "--server.port", str(port)]
    log = home.parent / f"server-{port}.log"
    with log.open("w") as out:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()
                break
            except OSError:
                assert server.poll() is None, log.read_text()
                time.sleep(0.25)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


@pytest.fixture(scope="session")
def demo_address(demo_home):
    with serving(demo_home) as address:
        yield address


@pytest.fixture(scope="session")
def nasty_address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nasty")
    prepare(folder / "home", write_folder(folder / "graph"), model=None)
    with serving(folder / "home") as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if executable is None:
        assert not os.environ.get("CI"), "CI has Chromium"
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=arguments)
        yield opened
        opened.close()


class Visitor:
    """A browser page with what must never happen: dialogs, errors in scripts, requests beyond loopback."""

    def __init__(self, page):
        self.page = page
        self.faults: list[str] = []
        page.on("dialog", lambda dialog: (self.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("pageerror", lambda error: self.faults.append(f"script error {error}"))
        page.context.route(re.compile(".*"), self._guard)

    def _guard(self, route):
        host = urlsplit(route.request.url).hostname
        if host in (None, "127.0.0.1"):
            route.continue_()
        else:
            self.faults.append(f"request {route.request.url}")
            route.abort()

    def settle(self):
        """Wait until the script of the page has run and its closing line stands there."""
        self.page.locator(".os-aid").wait_for(timeout=60_000)
        state = "document.querySelector('[data-testid=stApp]').getAttribute('data-test-script-state')"
        self.page.wait_for_function(f"{state} !== 'running'", timeout=60_000)

    def open(self, address):
        self.page.goto(address)
        self.settle()

    def heading(self, text):
        """Wait for a heading with ``text``; the question itself, which only screen readers see, does not count."""
        self.page.locator("h1:not(.os-hidden)", has_text=text).wait_for(state="attached")
        self.settle()

    def picture(self):
        """Return the frame of the neighbourhood once it stands still."""
        holder = self.page.locator("iframe")
        holder.scroll_into_view_if_needed()
        frame = holder.element_handle().content_frame()
        frame.wait_for_selector("html[data-ready=yes]", timeout=30_000)
        return frame

    def click_in_picture(self, node_id):
        """Click on a node where it is drawn."""
        frame = self.picture()
        place = frame.evaluate(
            """(id) => {
                const box = document.querySelector("canvas").getBoundingClientRect();
                const at = window.oncosearchGraph.network.canvasToDOM(window.oncosearchGraph.network.getPosition(id));
                return { x: box.left + at.x, y: box.top + at.y };
            }""",
            node_id,
        )
        outer = self.page.locator("iframe").bounding_box()
        self.page.mouse.click(outer["x"] + place["x"], outer["y"] + place["y"])

    def shot(self, name):
        """Keep a picture for reading."""
        SHOTS.mkdir(exist_ok=True)
        self.page.screenshot(path=SHOTS / f"{name}.png")


@pytest.fixture
def visit(browser):
    """Return a function that opens a fresh browser session; at the end nothing may have gone wrong in any."""
    visitors = []

    def fresh(width=1280, height=900, scheme="light", locale="de-DE"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale=locale, reduced_motion="reduce"
        )
        visitors.append(Visitor(context.new_page()))
        return visitors[-1]

    yield fresh
    faults = [fault for visitor in visitors for fault in visitor.faults]
    for visitor in visitors:
        visitor.page.context.close()
    assert faults == []
