"""The command that makes one graph of several: assemble."""

from __future__ import annotations

import argparse
from pathlib import Path

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import diff_text, plain, workspace_of, write_json
from oncosearch.ingest import GraphRefusedError
from oncosearch.ingest.formats import store_graph
from oncosearch.ingest.header import name_fault
from oncosearch.ingest.merge import merge, read_sources
from oncosearch.ingest.recipe import load_recipe
from oncosearch.ingest.report import quoted
from oncosearch.model import UsageError


def add_commands(add: AddCommand) -> None:
    """Add the command of this module."""
    command = add("assemble", "Make one snapshot of several graphs, as a recipe says.", assemble_graphs)
    command.add_argument("recipe", type=Path, metavar="RECIPE.toml", help="which graphs, and what joins their nodes")
    command.add_argument(
        "--data", type=Path, metavar="FOLDER", help="where the files of the recipe lie (default: beside the recipe)"
    )
    command.add_argument("--graph", metavar="ID", help="graph id in place of the one in the recipe")
    command.add_argument("--snapshot", metavar="ID", help="snapshot id in place of the one in the recipe")
    command.add_argument("--dry-run", action="store_true", help="merge and report, store nothing")
    command.add_argument("--report", type=Path, metavar="FILE.json", help="write the whole report as JSON too")


def assemble_graphs(arguments: argparse.Namespace) -> int:
    """Merge the graphs of a recipe and store the snapshot, or only report."""
    for name, value in (("graph id", arguments.graph), ("snapshot id", arguments.snapshot)):
        if value is not None and (fault := name_fault(value)):
            raise UsageError(f"The {name} is {quoted(value)}; {fault}.")
    recipe = load_recipe(arguments.recipe)
    beside = arguments.recipe.absolute().parent
    reading = ""

    def say(name: str) -> None:
        nonlocal reading
        reading = name

    try:
        parts = read_sources(recipe, arguments.data or beside, mappings=beside, on_source=say)
        graph, report = merge(parts, recipe, graph_id=arguments.graph, snapshot_id=arguments.snapshot)
    except GraphRefusedError as error:
        if arguments.report is not None:
            write_json(arguments.report, {"source": reading, **error.report.to_dict()})
        print(f"Source {plain(reading)}:")
        print("\n".join(map(_line, error.report.text().splitlines())))
        raise
    if arguments.report is not None:
        write_json(arguments.report, report.to_dict())
    print("\n".join(map(_line, report.text().splitlines())))
    if arguments.dry_run:
        print("Dry run: nothing was stored.")
        return 0
    with workspace_of(arguments) as workspace:
        diff = store_graph(graph, workspace.store)
    key = graph.snapshot.key
    if diff is not None:
        print(diff_text(diff))
    print(f"Stored as {key}. Next: python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id}")
    return 0


def _line(line: str) -> str:
    # Ids and texts of the files stand in it.
    return " " * (len(line) - len(line.lstrip())) + plain(line)
