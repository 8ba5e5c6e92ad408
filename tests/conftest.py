"""What all tests share: no model hub, and a home with the demo graph, prepared once."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from oncosearch.ingest import import_graph
from oncosearch.model import SnapshotKey
from oncosearch.settings import Settings
from oncosearch.workspace import DEFAULT_MODEL, Workspace, demo_folder, open_workspace
from tests.paths import ROOT

os.environ["HF_HUB_OFFLINE"] = "1"
# How long one example takes says more of the machine than of the code.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


def prepare(home: Path, folder: Path, model: str | None = DEFAULT_MODEL) -> SnapshotKey:
    """Import a graph into ``home`` and prepare it."""
    with open_workspace(Settings(home=home)) as workspace:
        report, _ = import_graph(folder, workspace.store)
        key = SnapshotKey(report.graph_id, report.snapshot_id)
        workspace.prepare(key, model, lambda stage, done, total: None)
    return key


@pytest.fixture(scope="session")
def demo_home(pytestconfig, tmp_path_factory) -> Path:
    """Return a home with the demo graph ready for searching; its vectors are kept between runs of the tests.

    The home itself is new in every run. Vectors are found by the hash of their text, so kept ones cannot be stale.
    """
    home = tmp_path_factory.mktemp("demo") / "home"
    kept = Path(pytestconfig.cache.mkdir("demo-vectors"))
    home.mkdir()
    (home / "vectors").symlink_to(kept, target_is_directory=True)
    prepare(home, demo_folder())
    return home


@pytest.fixture(scope="session")
def demo(demo_home) -> Workspace:
    """Return a workspace over the demo graph, without a record of searches."""
    with open_workspace(Settings(home=demo_home, audit=False)) as workspace:
        yield workspace


@pytest.fixture(scope="session")
def small_folder() -> Path:
    """Return the folder of the small test graph."""
    return ROOT / "tests" / "data" / "small"
