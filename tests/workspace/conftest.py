"""The small graph, prepared once with the real default model."""

from pathlib import Path

import pytest

from oncosearch.workspace import DEFAULT_MODEL
from tests.workspace.homes import KEY, SMALL, copied, opened, silent


@pytest.fixture(scope="session")
def small_home(tmp_path_factory) -> Path:
    """Return a home with the small graph ready for searching; only to be read or copied."""
    home = tmp_path_factory.mktemp("small") / "home"
    with opened(home, SMALL) as workspace:
        workspace.prepare(KEY, DEFAULT_MODEL, silent)
    return home


@pytest.fixture
def home(small_home, tmp_path) -> Path:
    """Return a home of one's own."""
    return copied(small_home, tmp_path / "home")


@pytest.fixture
def small(home):
    """Return a workspace over a home of one's own."""
    with opened(home) as workspace:
        yield workspace


@pytest.fixture(scope="session")
def reading(small_home):
    """Return one workspace for tests that only ask; it keeps no record."""
    with opened(small_home, audit=False) as workspace:
        yield workspace
