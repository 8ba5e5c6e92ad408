"""Commands that bring graphs in and make them searchable: demo, ingest, index, snapshots."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.refresh import say_forecast
from oncosearch.cli.terminal import (
    bar,
    check_target,
    chosen_snapshot,
    diff_text,
    plain,
    print_json,
    progress_bars,
    workspace_of,
    write_json,
)
from oncosearch.embed import MODEL_KEYS, EmbedReport, model_facts, require
from oncosearch.ingest import FORMATS, MAX_FILE_BYTES, GraphRefusedError, ImportReport, import_graph, read_graph
from oncosearch.model import Snapshot, SnapshotDiff, SnapshotKey, UsageError
from oncosearch.workspace import DEFAULT_MODEL, Workspace, import_demo

# Checks and sums come after reading where a format has to be read whole.
_AFTER_READING = "Check"
_DEMO_QUERY = "Osimertinib bei EGFR T790M"


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    add("demo", "Import the demo graph and make it searchable with the default model.", demo)

    ingest = add("ingest", "Check a graph and import it into the store.", ingest_graph)
    ingest.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="file or folder; for mongo an address, or env:NAME for the address in that environment variable",
    )
    ingest.add_argument("--format", choices=[f.key for f in FORMATS], help="format; found from the files if left out")
    ingest.add_argument("--mapping", type=Path, metavar="FILE.toml", help="which column or key is what of a node")
    ingest.add_argument("--graph", metavar="ID", help="graph id in place of the one in the files")
    ingest.add_argument("--snapshot", metavar="ID", help="snapshot id in place of the one in the files")
    ingest.add_argument(
        "--language", metavar="CODE", help="language of texts that name none (default: that of the format)"
    )
    ingest.add_argument("--max-bytes", type=int, default=MAX_FILE_BYTES, metavar="N", help="largest file that is read")
    ingest.add_argument("--break-cycles", action="store_true", help="drop and list the edges that close a cycle")
    ingest.add_argument("--dry-run", action="store_true", help="check and report, store nothing")
    ingest.add_argument("--report", type=Path, metavar="FILE.json", help="write the report as JSON too")

    index = add("index", "Make a stored graph searchable: word index and vectors; only what is missing.", index_graph)
    add_snapshot_options(index)
    index.add_argument("--model", metavar="KEY", default=DEFAULT_MODEL, help="embedding model (default: %(default)s)")
    index.add_argument(
        "--rebuild", action="store_true", help="make graph files and word index anew; sound vectors are kept"
    )
    index.add_argument("--without-model", action="store_true", help="no vectors: for the pipeline lexical alone")

    snapshots = add("snapshots", "List the stored snapshots and what they can be searched with.", list_snapshots)
    snapshots.add_argument("--json", action="store_true", help="print JSON")


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
        "max_bytes": arguments.max_bytes,
        "mapping": arguments.mapping,
        "break_cycles": arguments.break_cycles,
    }
    check_target(arguments.report)
    if arguments.max_bytes < 1:
        raise UsageError(f"--max-bytes is {arguments.max_bytes}; expected a number of bytes of at least 1.")
    diff: SnapshotDiff | None = None
    try:
        with _counting() as counter:
            options["on_read"] = counter("Read")
            if arguments.dry_run:
                report = read_graph(arguments.paths, **options).report
            else:
                with workspace_of(arguments) as workspace:
                    report, diff = import_graph(
                        arguments.paths, workspace.store, on_progress=counter("Import"), **options
                    )
    except GraphRefusedError as error:
        _save_report(arguments.report, error.report, None)
        print(_readable(error.report))
        raise
    _save_report(arguments.report, report, diff)
    print(_readable(report))
    key = SnapshotKey(report.graph_id, report.snapshot_id)
    if diff is not None:
        print(diff_text(diff))
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
        key = chosen_snapshot(workspace, arguments, searchable=False).key
        if model is not None:
            require(model, workspace.settings)
        report = _prepare(workspace, key, None, rebuild=arguments.rebuild)
        if model is not None:
            say_forecast(workspace, key, model)
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


def _prepare(workspace: Workspace, key: SnapshotKey, model: str | None, *, rebuild: bool = False) -> EmbedReport | None:
    with progress_bars() as progress:
        return workspace.prepare(key, model, progress, rebuild=rebuild)


@contextmanager
def _counting() -> Iterator[Callable[[str], Callable[[int], None]]]:
    """Lend a function that gives each phase its counter: a bar from its first call on, one at a time.

    Where a count begins anew, so does a bar.
    """
    shown: list[Any] = []
    phases: list[str] = []
    reached = 0

    def counter(name: str) -> Callable[[int], None]:
        def count(done: int) -> None:
            nonlocal reached
            if not phases or phases[-1] != name or done < reached:
                for before in shown:
                    before.close()
                shown.append(bar(_AFTER_READING if name in phases else name, None))
                phases.append(name)
                reached = 0
            shown[-1].update(done - reached)
            reached = done

        return count

    try:
        yield counter
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
