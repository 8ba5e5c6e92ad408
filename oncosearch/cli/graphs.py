"""Commands that bring graphs in and make them searchable: demo, ingest, index, snapshots."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oncosearch.cli.terminal import bar, chosen_snapshot, plain, print_json, progress_bars, workspace_of, write_json
from oncosearch.embed import MODEL_KEYS, EmbedReport, model_facts
from oncosearch.ingest import FORMATS, GraphRefusedError, ImportReport, import_graph, read_graph
from oncosearch.model import Snapshot, SnapshotDiff, SnapshotKey
from oncosearch.workspace import DEFAULT_MODEL, Workspace, import_demo

if TYPE_CHECKING:
    from oncosearch.cli.parser import AddCommand

_IDS_SHOWN = 5
_DEMO_QUERY = "Osimertinib bei EGFR T790M"


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    add("demo", "Import the demo graph and make it searchable with the default model.", demo)

    ingest = add("ingest", "Check a graph and import it into the store.", ingest_graph)
    ingest.add_argument("path", type=Path, metavar="PATH", help="folder with the graph's files")
    ingest.add_argument("--format", choices=[f.key for f in FORMATS], help="format; found from the files if left out")
    ingest.add_argument("--graph", metavar="ID", help="graph id in place of the one in the files")
    ingest.add_argument("--snapshot", metavar="ID", help="snapshot id in place of the one in the files")
    ingest.add_argument("--language", metavar="CODE", help="language of synonyms that name none (default: de)")
    ingest.add_argument("--dry-run", action="store_true", help="check and report, store nothing")
    ingest.add_argument("--report", type=Path, metavar="FILE.json", help="write the report as JSON too")

    index = add("index", "Make a stored graph searchable: word index and vectors; only what is missing.", index_graph)
    add_snapshot_options(index)
    index.add_argument("--model", metavar="KEY", default=DEFAULT_MODEL, help="embedding model (default: %(default)s)")
    index.add_argument("--without-model", action="store_true", help="no vectors: for the pipeline lexical alone")

    snapshots = add("snapshots", "List the stored snapshots and what they can be searched with.", list_snapshots)
    snapshots.add_argument("--json", action="store_true", help="print JSON")


def add_snapshot_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose a snapshot."""
    command.add_argument("--graph", metavar="ID", help="graph (default: that of the newest snapshot)")
    command.add_argument("--snapshot", metavar="ID", help="snapshot (default: the newest)")


def demo(arguments: argparse.Namespace) -> int:
    """Import and prepare the demo graph; a second time there is nothing left to do."""
    with workspace_of(arguments) as workspace:
        key = import_demo(workspace.store)
        nodes = workspace.store.snapshot(key).node_count
        print(f"{key}: {nodes:,} nodes in the store (demonstration content).")
        made = _prepare(workspace, key, DEFAULT_MODEL)
        print(_embedding_text(made, DEFAULT_MODEL))
    print(f'Try: python -m oncosearch search "{_DEMO_QUERY}"')
    return 0


def ingest_graph(arguments: argparse.Namespace) -> int:
    """Import a graph, or only check it."""
    options: dict[str, Any] = {
        "format": arguments.format,
        "graph_id": arguments.graph,
        "snapshot_id": arguments.snapshot,
        "language": arguments.language,
    }
    diff: SnapshotDiff | None = None
    try:
        if arguments.dry_run:
            report = read_graph(arguments.path, **options).report
        else:
            with workspace_of(arguments) as workspace:
                report, diff = _import_with_bar(workspace, arguments.path, options)
    except GraphRefusedError as error:
        _save_report(arguments.report, error.report, None)
        print(_readable(error.report))
        raise
    _save_report(arguments.report, report, diff)
    print(_readable(report))
    key = SnapshotKey(report.graph_id, report.snapshot_id)
    if diff is not None:
        print(_diff_text(diff))
    if arguments.dry_run:
        print("Dry run: nothing was stored.")
    else:
        print(f"Stored as {key}. Next: python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id}")
    return 0


def index_graph(arguments: argparse.Namespace) -> int:
    """Make what a search of a snapshot needs."""
    model = None if arguments.without_model else arguments.model
    if model is not None:
        model_facts(model)
    with workspace_of(arguments) as workspace:
        key = chosen_snapshot(workspace, arguments).key
        report = _prepare(workspace, key, model)
    if report is None or model is None:
        print(f"{key} can be searched with the pipeline lexical; vectors were not asked for.")
    else:
        print(f"{key}: {_embedding_text(report, model)}")
    return 0


def list_snapshots(arguments: argparse.Namespace) -> int:
    """List the snapshots of the store."""
    with workspace_of(arguments) as workspace:
        rows = [_snapshot_row(workspace, snapshot) for snapshot in workspace.snapshots()]
    if arguments.json:
        print_json(rows)
        return 0
    for row in rows:
        name = f"{row['graph']}@{row['snapshot']}"
        print(f"{name}  {row['nodes']:,} nodes  {row['created']}  {plain(row['title'])}".rstrip())
        usable = ", ".join([*(["words"] if row["prepared"] else []), *row["models"]])
        print(f"    searchable with: {usable or 'nothing yet, run: python -m oncosearch index'}")
    if not rows:
        print("The store holds no graph yet. Run: python -m oncosearch demo")
    return 0


def _snapshot_row(workspace: Workspace, snapshot: Snapshot) -> dict[str, Any]:
    ready = [m for m in MODEL_KEYS if workspace.readiness(snapshot.key, m, "dense").state == "ready"]
    return {
        "graph": snapshot.graph_id,
        "snapshot": snapshot.snapshot_id,
        "title": snapshot.title,
        "created": snapshot.created,
        "nodes": snapshot.node_count,
        "content_hash": snapshot.content_hash,
        "licence": snapshot.licence,
        "attribution": list(snapshot.attribution),
        "prepared": workspace.readiness(snapshot.key, DEFAULT_MODEL, "lexical").state == "ready",
        "models": ready,
    }


def _prepare(workspace: Workspace, key: SnapshotKey, model: str | None) -> EmbedReport | None:
    with progress_bars() as progress:
        return workspace.prepare(key, model, progress)


def _import_with_bar(
    workspace: Workspace, path: Path, options: dict[str, Any]
) -> tuple[ImportReport, SnapshotDiff | None]:
    shown: list[Any] = []

    def count(written: int) -> None:
        if not shown:
            shown.append(bar("Import", None))
        shown[0].update(written - shown[0].n)

    on_progress: Callable[[int], None] = count
    try:
        return import_graph(path, workspace.store, on_progress=on_progress, **options)
    finally:
        for opened in shown:
            opened.close()


def _save_report(path: Path | None, report: ImportReport, diff: SnapshotDiff | None) -> None:
    if path is not None:
        write_json(path, {**report.to_dict(), "diff": None if diff is None else _diff_dict(diff)})


def _readable(report: ImportReport) -> str:
    # Each line holds ids and texts of the files.
    lines = report.text().splitlines()
    return "\n".join(" " * (len(line) - len(line.lstrip())) + plain(line) for line in lines)


def _diff_dict(diff: SnapshotDiff) -> dict[str, Any]:
    return {
        "since": {"graph": diff.old.graph_id, "snapshot": diff.old.snapshot_id},
        "added": list(diff.added),
        "changed": list(diff.changed),
        "removed": list(diff.removed),
    }


def _diff_text(diff: SnapshotDiff) -> str:
    parts = []
    for name, ids in (("added", diff.added), ("changed", diff.changed), ("removed", diff.removed)):
        shown = f" ({', '.join(map(plain, ids[:_IDS_SHOWN]))}{', …' if len(ids) > _IDS_SHOWN else ''})" if ids else ""
        parts.append(f"{len(ids):,} {name}{shown}")
    return f"Since {diff.old}: {', '.join(parts)}"


def _embedding_text(report: EmbedReport | None, model: str) -> str:
    assert report is not None
    text = f"{report.total:,} nodes have vectors of {model}: {report.encoded:,} encoded, {report.reused:,} reused."
    if report.too_long:
        more = ", …" if report.too_long > len(report.too_long_ids) else ""
        text += (
            f"\n{report.too_long:,} passages are longer than the {model_facts(model).limit:,} tokens that the model "
            f"takes, and their ends were cut off: {', '.join(map(plain, report.too_long_ids))}{more}"
        )
    return text
