"""Folders of graphs made from the small one, and homes with them."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from oncosearch.ingest import import_graph
from oncosearch.model import SnapshotKey
from oncosearch.settings import Settings
from oncosearch.workspace import Workspace, open_workspace
from tests.paths import ROOT

SMALL = ROOT / "tests" / "data" / "small"
KEY = SnapshotKey("small", "2026.Q4")
LATER = SnapshotKey("small", "2027.Q1")

Rows = dict[str, dict]


def silent(stage: str, done: int, total: int) -> None:
    pass


def changed_graph(folder: Path, change: Callable[[Rows], None], snapshot_id: str = LATER.snapshot_id) -> Path:
    """Write the small graph with ``change`` applied to its rows {id: row}, and return the folder."""
    header = json.loads((SMALL / "graph.json").read_text("utf-8"))
    rows = [json.loads(line) for line in (SMALL / "nodes.jsonl").read_text("utf-8").splitlines()]
    by_id = {row["id"]: row for row in rows}
    change(by_id)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.json").write_text(json.dumps({**header, "snapshot_id": snapshot_id}), "utf-8")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in by_id.values())
    (folder / "nodes.jsonl").write_text(lines, "utf-8")
    return folder


def copied(home: Path, to: Path) -> Path:
    """Return a copy of a prepared home, so that a test may change it."""
    shutil.copytree(home, to)
    return to


def opened(home: Path, folder: Path | None = None, **settings) -> Workspace:
    """Return a workspace over ``home``, with the graph of ``folder`` imported."""
    workspace = open_workspace(Settings(home=home, **settings))
    if folder is not None:
        import_graph(folder, workspace.store)
    return workspace
