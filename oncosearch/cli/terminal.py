"""What commands share: plain text for a terminal, progress bars, JSON, and the choice of a snapshot."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from oncosearch.model import Snapshot, SnapshotDiff, SnapshotKey, UsageError
from oncosearch.settings import Settings
from oncosearch.workspace import Progress, Workspace, open_workspace
from oncosearch.workspace.serving import serving_snapshot

_STAGES = {
    "graph": "Graph",
    "passages": "Passages",
    "names": "Names",
    "lexical": "Word index",
    "embed": "Vectors",
    "check": "Checks",
    "near": "Pairs",
}
_IDS_SHOWN = 5


def plain(text: str) -> str:
    """Return a text from outside on one line, its control and direction characters replaced.

    A title must neither move the cursor nor turn the order of what stands beside it.
    """
    return " ".join("".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text).split())


def short(text: str, limit: int = 160) -> str:
    """Return :func:`plain` text, cut where it is longer than a few lines of a terminal."""
    text = plain(text)
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def typed(text: str) -> str:
    """Return an argument as UTF-8 text, also where the locale made something else of its bytes."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def print_json(value: object) -> None:
    """Print one JSON document."""
    print(json_text(value))


def check_target(path: Path | None) -> None:
    """Raise UsageError where a file could not be written later, before long work is done for it."""
    if path is not None and (path.is_dir() or not path.parent.is_dir()):
        what = f"{path} is a folder" if path.is_dir() else f"{path.parent} is no folder; make it first"
        raise UsageError(f"{what}. Nothing was done.")


def write_json(path: Path, value: object) -> None:
    """Write one JSON document in UTF-8."""
    path.write_text(json_text(value) + "\n", encoding="utf-8", errors="backslashreplace")


def json_text(value: object) -> str:
    """Return one indented JSON document; a number that is not finite is an error of ours."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False)


def settings_of(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the environment, with what the global options say instead."""
    settings = Settings.from_environment()
    if home := getattr(arguments, "home", None):
        settings = replace(settings, home=home)
    if getattr(arguments, "allow_remote_code", False):
        settings = replace(settings, allow_remote_code=True)
    return settings


def workspace_of(arguments: argparse.Namespace) -> Workspace:
    """Return the workspace of the settings."""
    return open_workspace(settings_of(arguments))


def chosen_snapshot(
    workspace: Workspace, arguments: argparse.Namespace, *, searchable: bool = True, vectors: bool = True
) -> Snapshot:
    """Return the snapshot that ``--graph`` and ``--snapshot`` name.

    What they leave open is the newest one that can be searched (with ``vectors`` or by words alone), or the newest of
    all if not ``searchable``.

    Raises
    ------
    NotFoundError
        If there is none of that name.
    UsageError
        If a snapshot id alone is given and several graphs have one of that id.
    """
    graph_id, snapshot_id = arguments.graph, arguments.snapshot
    if graph_id is not None and snapshot_id is not None:
        return workspace.store.snapshot(SnapshotKey(graph_id, snapshot_id))
    if graph_id is not None:
        latest = workspace.store.latest(graph_id)
        return serving_snapshot(workspace, graph_id, vectors=vectors) if searchable else latest
    newest = serving_snapshot(workspace, vectors=vectors) if searchable else workspace.default_snapshot()
    if snapshot_id is None:
        return newest
    found = [s for s in workspace.snapshots() if s.snapshot_id == snapshot_id]
    if len(found) > 1:
        graphs = ", ".join(s.graph_id for s in found)
        raise UsageError(f"Several graphs have a snapshot {snapshot_id!r} ({graphs}); name one with --graph.")
    return found[0] if found else workspace.store.snapshot(SnapshotKey(newest.graph_id, snapshot_id))


def diff_text(diff: SnapshotDiff) -> str:
    """Return how many nodes were added, changed and removed, with the first ids."""
    parts = []
    for name, ids in (("added", diff.added), ("changed", diff.changed), ("removed", diff.removed)):
        shown = f" ({', '.join(map(plain, ids[:_IDS_SHOWN]))}{', …' if len(ids) > _IDS_SHOWN else ''})" if ids else ""
        parts.append(f"{len(ids):,} {name}{shown}")
    return f"Since {diff.old}: {', '.join(parts)}"


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Lend a progress function that shows one bar a stage on stderr, with the remaining time."""
    bars: dict[str, Any] = {}

    def show(stage: str, done: int, total: int) -> None:
        if stage not in bars:
            _close(bars)
            # What an earlier run has done costs no time now and must not make the rest look quick.
            bars[stage] = bar(_STAGES.get(stage, stage), total, initial=done)
        bars[stage].update(done - bars[stage].n)

    try:
        yield show
    finally:
        _close(bars)


def _close(bars: dict[str, Any]) -> None:
    for shown in bars.values():
        shown.close()


def bar(name: str, total: int | None, *, initial: int = 0, unit: str = " nodes") -> Any:
    """Return a tqdm bar on stderr, which shows nothing where stderr is no terminal."""
    from tqdm import tqdm

    return tqdm(
        desc=name,
        total=total,
        initial=initial,
        unit=unit,
        file=sys.stderr,
        dynamic_ncols=True,
        disable=not sys.stderr.isatty(),
    )
