"""The stores of tests/store, and one in memory of a session for the tests of rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from oncosearch.settings import Settings
from oncosearch.store import Store, open_store
from tests.store.conftest import mongo_address, mongo_database, open_again, settings

__all__ = ["mongo_address", "mongo_database", "open_again", "settings"]


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Store]:
    """Return a new SQLite store."""
    with open_store(Settings(home=tmp_path / "kept")) as store:
        yield store
