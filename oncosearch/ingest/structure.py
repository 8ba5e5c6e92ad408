"""Checks of the whole: parents and links that lead nowhere, and cycles of the hierarchy. Nothing here recurses."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import Node

# Of a longer cycle the first and last ids are printed.
CYCLE_SHOWN = 20
_HINT = " Mend the file, or import with --break-cycles."


def check_structure(nodes: Iterable[Node], places: Mapping[str, Place], log: ImportLog) -> None:
    """Record every dangling parent or link and one closing path per knot of cycles.

    Parameters
    ----------
    nodes
        One for each id, in any order; stand-ins for those that failed their own checks.
    places
        Where each id stands, in the order of the files, in which problems are reported.
    """
    by_id = {node.id: node for node in nodes}
    ordered = [by_id[node_id] for node_id in places]
    for node in ordered:
        for parent in node.parents:
            if parent not in places:
                log.error(
                    "dangling_parent",
                    places[node.id],
                    f"node {quoted(node.id)} names the parent {quoted(parent)}, which is no node of this graph.",
                )
        for link in node.links:
            if link.target not in places:
                log.error(
                    "dangling_link",
                    places[node.id],
                    f"node {quoted(node.id)} links to {quoted(link.target)} ({link.kind}), "
                    "which is no node of this graph.",
                )
    for cycle in find_cycles({node.id: node.parents for node in ordered}):
        log.error("cycle", places[cycle[0]], f"the hierarchy runs in a circle: {cycle_text(cycle)}.{_HINT}")


def cycle_text(cycle: Sequence[str]) -> str:
    """Return the cycle as ``a → b → c → a``, each the parent of the next; a long one is cut in the middle."""
    closed = [*cycle, cycle[0]]
    if len(closed) > CYCLE_SHOWN:
        half = CYCLE_SHOWN // 2
        closed = [*closed[:half], f"… ({len(closed) - 2 * half:,} more) …", *closed[-half:]]
    return " → ".join(closed) + " (each is a parent of the next)"


def find_cycles(parents: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return one shortest cycle through the first node of every strongly connected component that has one.

    Ids within a cycle run from parent to child and begin with the one that stands first in ``parents``; cycles come
    in that order too. Ids that are no key of ``parents``, and a node that is its own parent, are left to other checks.
    """
    knotted = _peel(parents)
    order = {node_id: i for i, node_id in enumerate(parents)}
    cycles = []
    for component in _components(knotted):
        start = min(component, key=order.__getitem__)
        cycles.append(_shortest(start, {n: [p for p in knotted[n] if p in component] for n in component}))
    return sorted(cycles, key=lambda cycle: order[cycle[0]])


def cut_cycles(
    nodes: Sequence[Node], places: Mapping[str, Place], log: ImportLog
) -> tuple[list[Node], tuple[tuple[str, str], ...]]:
    """Return the nodes without the edges that close a cycle, and these as (parent, child), each recorded as a warning.

    A walk goes down from the roots in the order given, then from the nodes that no root reaches; an edge that leads
    back to a node above it on the way closes a cycle. What hangs below a root stays below it.
    """
    closing = closing_edges({node.id: node.parents for node in nodes})
    dropped: dict[str, set[str]] = {}
    for parent, child in closing:
        dropped.setdefault(child, set()).add(parent)
        log.warn(
            "cut_cycle",
            places[child],
            f"{quoted(parent)} as parent of {quoted(child)} closes a circle of the hierarchy; that edge is left out.",
        )
    kept = [
        replace(node, parents=tuple(p for p in node.parents if p not in dropped[node.id]))
        if node.id in dropped
        else node
        for node in nodes
    ]
    return kept, tuple(closing)


def closing_edges(parents: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return the (parent, child) pairs whose removal leaves no cycle, in the order in which a walk meets them."""
    children: dict[str, list[str]] = {node_id: [] for node_id in parents}
    for node_id, above in parents.items():
        for parent in above:
            if parent in children:
                children[parent].append(node_id)
    found = []
    seen: set[str] = set()
    for start in [*(n for n, above in parents.items() if not above), *parents]:
        if start in seen:
            continue
        seen.add(start)
        on_way = {start}
        work = [(start, iter(children[start]))]
        while work:
            node_id, rest = work[-1]
            for child in rest:
                if child in on_way:
                    found.append((node_id, child))
                elif child not in seen:
                    seen.add(child)
                    on_way.add(child)
                    work.append((child, iter(children[child])))
                    break
            else:
                on_way.discard(node_id)
                work.pop()
    return found


def _peel(parents: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the parents of the nodes that no order from the roots reaches: those on a cycle or below one."""
    children: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    kept = {n: [p for p in ps if p in parents and p != n] for n, ps in parents.items()}
    for node_id, above in kept.items():
        waiting[node_id] = len(above)
        for parent in above:
            children.setdefault(parent, []).append(node_id)
    ready = [node_id for node_id, count in waiting.items() if count == 0]
    while ready:
        node_id = ready.pop()
        del waiting[node_id]
        for child in children.get(node_id, ()):
            waiting[child] -= 1
            if waiting[child] == 0:
                ready.append(child)
    return {n: [p for p in kept[n] if p in waiting] for n in waiting}


def _components(graph: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """Return the strongly connected components of two or more nodes (Tarjan 1972, with a stack of its own)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found = []
    for root in graph:
        if root in index:
            continue
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node_id, rest = work[-1]
            for above in rest:
                if above not in index:
                    index[above] = low[above] = len(index)
                    stack.append(above)
                    on_stack.add(above)
                    work.append((above, iter(graph[above])))
                    break
                if above in on_stack:
                    low[node_id] = min(low[node_id], index[above])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node_id])
                if low[node_id] == index[node_id]:
                    component = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        component.add(member)
                        if member == node_id:
                            break
                    if len(component) > 1:
                        found.append(component)
    return found


def _shortest(start: str, parents: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a shortest cycle through ``start``, from parent to child, by breadth-first search upwards."""
    below: dict[str, str] = {}
    queue = deque([start])
    while queue:
        node_id = queue.popleft()
        for above in parents[node_id]:
            if above == start:
                path = [start]
                while node_id != start:
                    path.append(node_id)
                    node_id = below[node_id]
                return tuple(path)
            if above not in below:
                below[above] = node_id
                queue.append(above)
    raise AssertionError("a strongly connected component has a cycle through each of its nodes")
