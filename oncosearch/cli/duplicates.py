"""Command of a curator: duplicates, which marks pairs of nodes and lists what is decided."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from oncosearch.cli.options import AddCommand
from oncosearch.cli.terminal import plain, print_json, short, typed, workspace_of
from oncosearch.model import Node, NotFoundError, PairDecision, SnapshotKey, UsageError
from oncosearch.model.duplicates import UNDECIDED, VERDICTS
from oncosearch.model.vocabulary import LANGUAGE_KEYS
from oncosearch.workspace import Workspace
from oncosearch.workspace.deciding import decide
from oncosearch.workspace.titles import with_language

_SAID = {"duplicate": "duplicates", "different": "no duplicates", "undecided": "undecided (taken back)"}


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    command = add("duplicates", "Mark two nodes as duplicates or as different, or list what is decided.", duplicates)
    command.add_argument("graph", metavar="GRAPH", help="the graph; decisions hold for all of its snapshots")
    command.add_argument("nodes", nargs="*", metavar="NODE", help="the ids of two nodes; none lists the decisions")
    command.add_argument("--snapshot", metavar="ID", help="where the nodes are looked up (default: the newest)")
    command.add_argument("--verdict", choices=VERDICTS, help="what they are; undecided takes an earlier decision back")
    command.add_argument("--user", metavar="NAME", help="who decides (default: ONCOSEARCH_USER)")
    command.add_argument("--reason", default="", metavar="TEXT", help="why, kept with the decision")
    command.add_argument("--history", action="store_true", help="list every decision, also those changed since")
    command.add_argument("--language", choices=LANGUAGE_KEYS, default="de", help="language of titles")
    command.add_argument("--json", action="store_true", help="print JSON")


def duplicates(arguments: argparse.Namespace) -> int:
    """Mark a pair, or list the decisions on a graph."""
    nodes = [typed(node) for node in arguments.nodes]
    if nodes and len(nodes) != 2:
        raise UsageError(f"A pair needs two nodes; {len(nodes)} given. Without any the decisions are listed.")
    if nodes and arguments.verdict is None:
        raise UsageError(f"What are {nodes[0]!r} and {nodes[1]!r}? Say --verdict {' or '.join(VERDICTS)}.")
    if not nodes and (arguments.verdict or arguments.reason or arguments.user):
        raise UsageError("--verdict, --user and --reason belong to a pair; name the ids of two nodes.")
    if arguments.user is not None and not arguments.user.strip():
        raise UsageError("--user is empty; a decision is kept with the name of whoever made it.")
    with workspace_of(arguments) as workspace:
        graph_id = typed(arguments.graph)
        if arguments.snapshot:
            key = workspace.store.snapshot(SnapshotKey(graph_id, arguments.snapshot)).key
        else:
            key = workspace.store.latest(graph_id).key
        if nodes:
            return _mark(workspace, key, nodes, arguments)
        if arguments.history:
            found = list(workspace.store.decisions(key.graph_id))
        else:
            found = list(workspace.curation.state(key.graph_id)[1].by_pair.values())
        found.reverse()
        if arguments.json:
            print_json([_values(decision) for decision in found])
        else:
            print("\n".join(_lines(workspace, key, found, arguments)))
    return 0


def _mark(workspace: Workspace, key: SnapshotKey, nodes: list[str], arguments: argparse.Namespace) -> int:
    verdict = arguments.verdict
    before = workspace.curation.state(key.graph_id)[1].verdict(*nodes)
    if verdict == UNDECIDED and before == UNDECIDED:
        raise UsageError(
            f"Nothing is decided of {nodes[0]!r} and {nodes[1]!r} in {key.graph_id!r}, "
            "so there is nothing to take back."
        )
    user = None if arguments.user is None else typed(arguments.user).strip()
    decision = decide(workspace, key, nodes[0], nodes[1], verdict, typed(arguments.reason), user=user)
    if arguments.json:
        print_json(_values(decision))
        return 0
    first, second = (plain(node) for node in (decision.first, decision.second))
    was = "" if before == UNDECIDED else f" They were {_SAID[before]} before."
    print(f"{first} and {second} are {_SAID[verdict]} now, says {plain(decision.user)}.{was}")
    return 0


def _lines(
    workspace: Workspace, key: SnapshotKey, found: list[PairDecision], arguments: argparse.Namespace
) -> Iterator[str]:
    if not found:
        yield f"Nothing is decided of nodes of {plain(key.graph_id)}."
    for decision in found:
        yield f"{decision.verdict:<9}  {decision.time[:19].replace('T', ' ')}  {plain(decision.user)}"
        for node_id in (decision.first, decision.second):
            yield f"    {plain(node_id)}  {_title(_node(workspace, key, node_id), key, arguments.language)}"
        if decision.reason:
            yield f"    because: {short(decision.reason)}"


def _node(workspace: Workspace, key: SnapshotKey, node_id: str) -> Node | None:
    try:
        return workspace.node(key, node_id)
    except NotFoundError:
        return None


def _title(node: Node | None, key: SnapshotKey, language: str) -> str:
    if node is None:
        return f"(not in {key})"
    return with_language(short(node.title.best(language)), node.title.best_language(language), language)


def _values(decision: PairDecision) -> dict[str, Any]:
    return {
        "graph": decision.graph_id,
        "snapshot": decision.snapshot_id,
        "first": decision.first,
        "second": decision.second,
        "verdict": decision.verdict,
        "user": decision.user,
        "time": decision.time,
        "reason": decision.reason,
    }
