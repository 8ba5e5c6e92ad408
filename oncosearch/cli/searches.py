"""Commands that look into a graph: search, show."""

from __future__ import annotations

import argparse
from typing import Any

from oncosearch.cli.answers import answer_text, node_text, node_to_answer
from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.terminal import chosen_snapshot, print_json, typed, workspace_of
from oncosearch.model import Filters, Parameters
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS
from oncosearch.retrieve import PIPELINES, pipeline
from oncosearch.workspace import DEFAULT_MODEL, DEFAULT_PIPELINE, DEFAULT_TOP, SearchRequest, answer_to_dict

# Option, field of Parameters, type, meaning.
_PARAMETERS: tuple[tuple[str, str, type, str], ...] = (
    ("--alpha", "alpha", float, "weight of a node's own similarity, 0 to 1"),
    ("--lambda", "lam", float, "decay per hop, 0 to 1"),
    ("--hops", "hops", int, "size of a neighbourhood, 0 to 3"),
    ("--seeds", "seeds", int, "how many starting nodes, 1 to 200"),
    ("--cap", "cap", int, "most nodes of one neighbourhood"),
)


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    search = add("search", "Search a graph; a code, title or synonym brings its node first.", search_graph)
    search.add_argument("query", type=typed, metavar="QUERY", help="the question, in German or English")
    add_snapshot_options(search)
    add_pipeline_options(search)
    search.add_argument(
        "--top", type=int, default=DEFAULT_TOP, metavar="N", help="how many hits (default: %(default)s)"
    )
    search.add_argument("--type", action="append", default=[], choices=NODE_TYPE_KEYS, help="only nodes of this type")
    search.add_argument("--group", action="append", default=[], metavar="ID", help="only nodes below this tumour group")
    search.add_argument(
        "--source", action="append", default=[], choices=SOURCE_KIND_KEYS, help="only nodes with such a source"
    )
    search.add_argument(
        "--text-language", action="append", default=[], choices=LANGUAGE_KEYS, help="only nodes with texts in it"
    )
    _add_output_options(search)

    show = add("show", "Show one node: texts, codes, sources, paths, children and cross-links.", show_node)
    show.add_argument("node_id", type=typed, metavar="NODE_ID", help="id of the node, as search prints it")
    add_snapshot_options(show)
    _add_output_options(show)


def add_pipeline_options(command: argparse.ArgumentParser) -> None:
    """Add the options that choose model, pipeline and parameters."""
    pipelines = ", ".join(p.key for p in PIPELINES)
    command.add_argument("--model", metavar="KEY", default=DEFAULT_MODEL, help="embedding model (default: %(default)s)")
    command.add_argument(
        "--pipeline", metavar="NAME", default=DEFAULT_PIPELINE, help=f"one of {pipelines} (default: %(default)s)"
    )
    for option, name, kind, meaning in _PARAMETERS:
        default = getattr(Parameters(), name)
        command.add_argument(
            option, dest=name, type=kind, metavar="X", default=default, help=f"{meaning} (default: %(default)s)"
        )


def parameters_of(arguments: argparse.Namespace) -> Parameters:
    """Return the parameters that the options give."""
    return Parameters(**{name: getattr(arguments, name) for _, name, _, _ in _PARAMETERS})


def search_graph(arguments: argparse.Namespace) -> int:
    """Search and print the hits."""
    filters = Filters(
        tuple(arguments.type), tuple(arguments.group), tuple(arguments.source), tuple(arguments.text_language)
    )
    with workspace_of(arguments) as workspace:
        request = SearchRequest(
            arguments.query,
            chosen_snapshot(workspace, arguments, vectors=pipeline(arguments.pipeline).needs_vectors).key,
            arguments.model,
            arguments.pipeline,
            parameters_of(arguments),
            filters,
            arguments.top,
        )
        answer = workspace.search(request, arguments.language)
        if arguments.json:
            print_json(answer_to_dict(answer))
        else:
            print(answer_text(answer, workspace.graph(request.snapshot), arguments.language))
    return 0


def show_node(arguments: argparse.Namespace) -> int:
    """Print one node."""
    with workspace_of(arguments) as workspace:
        key = chosen_snapshot(workspace, arguments, vectors=False).key
        node = workspace.node(key, arguments.node_id)
        paths, cut = workspace.paths(key, node.id, arguments.language)
        shown: dict[str, Any] = node_to_answer(node, workspace.graph(key), paths, cut, arguments.language)
    if arguments.json:
        print_json(shown)
    else:
        print(node_text(node, shown, arguments.language))
    return 0


def _add_output_options(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--language", choices=LANGUAGE_KEYS, default="de", help="language of titles and texts (default: %(default)s)"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
