"""Commands around new states of a graph: diff, prune, and what `index` says before it encodes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import plain, print_json, short, workspace_of
from oncosearch.model import Node, Snapshot, SnapshotDiff, SnapshotKey
from oncosearch.workspace import Workspace
from oncosearch.workspace.differences import (
    FieldChange,
    difference_to_dict,
    named_snapshot,
    node_changes,
)
from oncosearch.workspace.forecast import Forecast, estimate_seconds, forecast
from oncosearch.workspace.pruning import PrunePlan, UnusedVectors, plan_pruning, prune
from oncosearch.workspace.titles import with_language


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    diff = add(
        "diff", "Say what differs between two snapshots: nodes, and in changed ones every field.", diff_snapshots
    )
    diff.add_argument("old", metavar="A", help="the earlier snapshot: graph@snapshot, or a snapshot id alone")
    diff.add_argument("new", metavar="B", help="the later snapshot: graph@snapshot, or a snapshot id alone")
    diff.add_argument("--json", action="store_true", help="print JSON")

    pruning = add("prune", "Drop old snapshots with their files; what records refer to stays.", prune_snapshots)
    pruning.add_argument("--keep", type=int, metavar="N", help="keep the newest N snapshots of each graph")
    pruning.add_argument("--only", nargs="+", default=[], metavar="ID", help="keep these snapshots")
    pruning.add_argument("--graph", metavar="ID", help="graph (default: all with --keep, else those of --only)")
    pruning.add_argument(
        "--force", action="store_true", help="drop also what judgements, runs or recorded searches refer to"
    )
    pruning.add_argument("--dry-run", action="store_true", help="say what would go, drop nothing")
    pruning.add_argument("--json", action="store_true", help="print JSON")


def diff_snapshots(arguments: argparse.Namespace) -> int:
    """Say what differs between two snapshots."""
    with workspace_of(arguments) as workspace:
        stored = workspace.snapshots()
        old, new = (named_snapshot(stored, name).key for name in (arguments.old, arguments.new))
        diff = workspace.store.diff(old, new)
        if arguments.json:
            print_json(difference_to_dict(workspace.store, diff))
        else:
            for line in _diff_lines(workspace, diff):
                print(line)
    return 0


def prune_snapshots(arguments: argparse.Namespace) -> int:
    """Drop old snapshots."""
    with workspace_of(arguments) as workspace:
        plan = plan_pruning(
            workspace.store,
            keep=arguments.keep,
            named=arguments.only,
            graph_id=arguments.graph,
            force=arguments.force,
        )
        left: tuple[UnusedVectors, ...] = ()
        if not arguments.dry_run:
            left = prune(workspace.settings, workspace.store, plan.dropped)
    if arguments.json:
        print_json(_pruned_dict(plan, left, arguments.dry_run))
        return 0
    for line in _pruned_lines(plan, left, arguments.dry_run):
        print(line)
    return 0


def say_forecast(workspace: Workspace, key: SnapshotKey, model: str) -> None:
    """Print what preparing a snapshot will encode and about how long it will last; nothing where nothing will be."""
    expected = forecast(workspace, key, model)
    if not expected.encoded:
        return
    print(forecast_text(expected, model), flush=True)
    print(f"    This will take {_duration(estimate_seconds(workspace, key, model, expected))}.", flush=True)


def forecast_text(expected: Forecast, model: str) -> str:
    """Return a forecast as sentences."""
    text = f"To encode with {model}: {expected.encoded:,} of {expected.total:,} passages"
    if expected.since is None:
        return f"{text}; no earlier snapshot of this graph is prepared."
    return (
        f"{text}.\n    Compared with {expected.since}: {expected.changed:,} because their text changed, "
        f"{expected.renamed:,} because an ancestor was renamed or moved, {expected.added:,} without a vector before; "
        f"{expected.reused:,} vectors are reused."
    )


def _duration(seconds: float) -> str:
    if seconds < 60:
        return "less than a minute"
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


def _diff_lines(workspace: Workspace, diff: SnapshotDiff) -> Iterator[str]:
    counts = f"{len(diff.added):,} added, {len(diff.removed):,} removed, {len(diff.changed):,} changed"
    yield f"{diff.old} to {diff.new}: {counts}"
    for mark, key, ids in (("+", diff.new, diff.added), ("-", diff.old, diff.removed)):
        for start in range(0, len(ids), 500):
            for node in workspace.store.nodes(key, ids[start : start + 500]):
                yield f"{mark} {plain(node.id)}  {_title(node)}".rstrip()
    for change in node_changes(workspace.store, diff):
        yield f"~ {plain(change.new.id)}  {_title(change.new)}".rstrip()
        for field in change.fields:
            yield from _field_lines(field)


def _field_lines(change: FieldChange) -> Iterator[str]:
    name = plain(change.field)
    if change.is_list:
        for mark, entries in (("-", change.removed), ("+", change.added)):
            for entry in entries:
                yield f"    {name} {mark} {_shown(entry)}"
        if not change.added and not change.removed:
            yield f"    {name}: another order"
        return
    if change.old is not None:
        yield f"    {name} - {_shown(change.old)}"
    if change.new is not None:
        yield f"    {name} + {_shown(change.new)}"


def _shown(value: Any) -> str:
    return short(" ".join(str(part) for part in value.values()) if isinstance(value, dict) else str(value))


def _title(node: Node) -> str:
    return with_language(short(node.title.best("de")), node.title.best_language("de"), "de")


def _pruned_dict(plan: PrunePlan, left: tuple[UnusedVectors, ...], dry: bool) -> dict[str, Any]:
    return {
        "dry_run": dry,
        "dropped": [_named(s) for s in plan.dropped],
        "kept": [_named(s) for s in plan.kept],
        "held": [{**_named(s), "references": counts} for s, counts in plan.held],
        "unused_vectors": [
            {"graph": u.graph_id, "model": u.model, "rows": u.rows, "of": u.total, "bytes": u.size} for u in left
        ],
    }


def _pruned_lines(plan: PrunePlan, left: tuple[UnusedVectors, ...], dry: bool) -> Iterator[str]:
    for snapshot in plan.dropped:
        yield f"{'would drop' if dry else 'dropped'} {snapshot.key}  {snapshot.node_count:,} nodes"
    for snapshot, counts in plan.held:
        named = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        yield f"kept {snapshot.key}: {named} refer to it (--force drops it all the same)"
    if not plan.dropped and not plan.held:
        yield "Nothing to drop."
    for unused in left:
        yield (
            f"{unused.rows:,} of {unused.total:,} vectors of {unused.model} in {unused.graph_id!r} belong to no "
            f"snapshot now ({unused.size / 1e6:.1f} MB); they stay for texts that come back."
        )


def _named(snapshot: Snapshot) -> dict[str, str]:
    return {"graph": snapshot.graph_id, "snapshot": snapshot.snapshot_id}
