"""Merging: several graphs become one. Nothing is overwritten, and whatever could not be taken over is in the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from oncosearch.ingest.assemble import Assembled, assemble
from oncosearch.ingest.checks import MAX_ID_LENGTH
from oncosearch.ingest.combine import combine
from oncosearch.ingest.formats import read_graph
from oncosearch.ingest.lines import MAX_FILE_BYTES
from oncosearch.ingest.matching import Ambiguous, candidates, keys_of, match
from oncosearch.ingest.merge_report import Conflict, Joined, LeftOut, MergedSource, MergeReport, TitleGiven, Unknown
from oncosearch.ingest.raw import GraphHeader, Place, RawGraph, RawNode
from oncosearch.ingest.recipe import Recipe, RecipeSource, Rule
from oncosearch.ingest.relations import Relations
from oncosearch.ingest.report import ImportLog
from oncosearch.ingest.titles import Giver, add_titles
from oncosearch.model import Link, Node, Origin, Snapshot, node_to_dict

_ROWS = "nodes"


@dataclass(frozen=True, slots=True)
class Part:
    """A source of the recipe with what was read of it."""

    source: RecipeSource
    snapshot: Snapshot
    nodes: tuple[Node, ...]

    def origin(self, node: Node, part: str = "") -> tuple[Origin, ...]:
        """Return where a node of this part comes from: what it says itself, else this graph."""
        if node.origins and not part:
            return node.origins
        s = self.snapshot
        return (Origin(s.graph_id, node.id, s.licence, s.attribution, part),)


@dataclass(slots=True)
class Group:
    """Nodes that become one, at most one of each source, in the order of the sources."""

    id: str
    members: list[tuple[int, Node]]

    @property
    def nodes(self) -> list[Node]:
        """The nodes alone."""
        return [node for _, node in self.members]


def read_sources(
    recipe: Recipe,
    folder: Path,
    *,
    mappings: Path | None = None,
    max_bytes: int = MAX_FILE_BYTES,
    on_source: Callable[[str], None] | None = None,
) -> list[Part]:
    """Return the graphs of a recipe, read and checked one after the other.

    Parameters
    ----------
    folder
        What the paths of the sources are relative to.
    mappings
        What the mapping files are relative to; None means ``folder``.
    on_source
        Called with the name of each source before it is read.
    """
    parts = []
    for source in recipe.sources:
        if on_source is not None:
            on_source(source.name)
        graph = read_graph(
            [folder / path for path in source.paths],
            format=source.format,
            language=source.language,
            max_bytes=max_bytes,
            mapping=None if source.mapping is None else (mappings or folder) / source.mapping,
        )
        parts.append(Part(source, graph.snapshot, graph.nodes))
    return parts


def merge(
    parts: Sequence[Part],
    recipe: Recipe,
    *,
    graph_id: str | None = None,
    snapshot_id: str | None = None,
) -> tuple[Assembled, MergeReport]:
    """Return the graph that the parts make together, and the report of the merge.

    The parts are in the order of the recipe's sources. Of a graph that is merged alone nothing changes but the origins.

    Raises
    ------
    GraphRefusedError
        If the merged graph fails its checks, which is a fault of ours.
    """
    groups, joined, apart, conflicts = _join(parts, recipe.joins)
    left_out: list[LeftOut] = []
    place = _name(groups, parts, left_out)
    relations = Relations([part.source for part in parts], place, left_out)
    for number, part in enumerate(parts):
        for node in part.nodes:
            relations.add(number, node, alone=len(groups[place[number, node.id]].members) == 1)
    combined = [
        combine(
            group.id,
            [(parts[i].source.name, node, parts[i].origin(node)) for i, node in group.members],
            [groups[up].id for up in relations.parents(at)],
            [Link(groups[target].id, kind) for target, kind in relations.links(at)],
            conflicts,
        )
        for at, group in enumerate(groups)
    ]
    titles: list[TitleGiven] = []
    said_by: dict[tuple[str, str], str] = {}
    for group in groups:
        for number, node in group.members:
            for language in node.title.languages():
                said_by.setdefault((group.id, language), parts[number].source.name)
    for rule in recipe.titles:
        number = _number(parts, rule.source)
        given, unclear = add_titles(rule, combined, _giver(parts[number], number, groups), said_by, conflicts, left_out)
        titles += given
        apart += [(rule.source, a) for a in unclear]
    log = ImportLog()
    raw = RawGraph(_header(parts, recipe, graph_id, snapshot_id), _rows(combined, log))
    assembled = assemble(raw, log, format="merged")
    report = MergeReport(
        checks=assembled.report,
        sources=tuple(
            MergedSource(
                part.source.name,
                part.snapshot.graph_id,
                part.snapshot.snapshot_id,
                part.snapshot.licence,
                len(part.nodes),
                sum(j.source == part.source.name for j in joined),
            )
            for part in parts
        ),
        joined=tuple(replace(j, id=groups[place[_number(parts, j.source), j.node]].id) for j in joined),
        apart=tuple(apart),
        titles=tuple(titles),
        conflicts=tuple(conflicts),
        left_out=tuple(left_out),
        unknown=_unknown(parts, recipe, {group.id for group in groups}),
    )
    return assembled, report


def _unknown(parts: Sequence[Part], recipe: Recipe, ids: set[str]) -> tuple[Unknown, ...]:
    """Return the ids and code systems of the recipe that no node has, those under several rules once."""
    ids = ids | {node.id for part in parts for node in part.nodes}
    systems = {code.system for part in parts for node in part.nodes for code in node.codes}
    found: dict[str, Unknown] = {}
    for key, rules in (("joins", recipe.joins), ("titles", [title.rule for title in recipe.titles])):
        for number, rule in enumerate(rules, 1):
            # Ids that stand apart in the whole recipe are in every rule.
            for name in sorted(rule.apart - ids):
                found.setdefault(f"id {name}", Unknown("apart", name))
            for name in rule.systems:
                if name not in systems:
                    found.setdefault(f"code {name}", Unknown(f"{key} {number}, codes", name))
    return tuple(found.values())


def _join(
    parts: Sequence[Part], rules: Sequence[Rule]
) -> tuple[list[Group], list[Joined], list[tuple[str, Ambiguous]], list[Conflict]]:
    """Return the groups, one source after the other joined to those before it; a rule once used binds later ones."""
    groups: list[Group] = []
    joined: list[Joined] = []
    apart: list[tuple[str, Ambiguous]] = []
    conflicts: list[Conflict] = []
    for number, part in enumerate(parts):
        nodes = {node.id: node for node in part.nodes}
        above = _above(nodes)
        home: dict[str, int] = {}
        unclear: list[Ambiguous] = []
        for rule in rules if groups else ():
            left = {str(at): keys_of(group.nodes, rule) for at, group in enumerate(groups)}
            right = {node_id: keys_of([node], rule) for node_id, node in nodes.items()}
            taken = {str(at) for at in home.values()}
            conflicts += _disagreements(left, right, home, groups, rule, part)
            pairs, ambiguous = match(
                {at: keys for at, keys in left.items() if keys and at not in taken},
                {node_id: keys for node_id, keys in right.items() if keys and node_id not in home},
                rule,
                above,
            )
            unclear += [replace(a, left=tuple(groups[int(at)].id for at in a.left)) for a in ambiguous]
            for pair in pairs:
                home[pair.right] = int(pair.left)
                joined.append(Joined(pair.left, part.source.name, pair.right, rule.label, pair.keys))
        # What a later rule joined after all did not stay apart.
        apart += [(part.source.name, a) for a in unclear if any(node_id not in home for node_id in a.right)]
        for node_id, node in nodes.items():
            if node_id in home:
                groups[home[node_id]].members.append((number, node))
            else:
                groups.append(Group(node_id, [(number, node)]))
    return groups, joined, apart, conflicts


def _disagreements(
    left: Mapping[str, tuple[str, ...]],
    right: Mapping[str, tuple[str, ...]],
    home: Mapping[str, int],
    groups: Sequence[Group],
    rule: Rule,
    part: Part,
) -> Iterator[Conflict]:
    """Yield the nodes that an earlier rule joined while by this one they would belong to others."""
    by_key = candidates({node_id: right[node_id] for node_id in home}, left)
    for node_id, found in by_key.items():
        if str(home[node_id]) in found:
            continue
        kept = groups[home[node_id]]
        for at, keys in found.items():
            other = groups[int(at)]
            shared = ", ".join(key.split(": ", 1)[1] for key in keys)
            yield Conflict(
                kept.id, f"join {rule.label}", kept.id, part.source.name, f"{other.id} ({shared})", part.source.name
            )


def _above(nodes: Mapping[str, Node]) -> Callable[[str, str], bool]:
    def above(upper: str, lower: str) -> bool:
        seen, work = {lower}, [lower]
        while work:
            for parent in nodes[work.pop()].parents:
                if parent == upper:
                    return True
                if parent in nodes and parent not in seen:
                    seen.add(parent)
                    work.append(parent)
        return False

    return above


def _name(groups: Sequence[Group], parts: Sequence[Part], left_out: list[LeftOut]) -> dict[tuple[int, str], int]:
    """Give groups ids that differ, and return the group of every node."""
    place: dict[tuple[int, str], int] = {}
    used = {group.id for group in groups}
    seen: set[str] = set()
    for at, group in enumerate(groups):
        place |= {(number, node.id): at for number, node in group.members}
        if group.id in seen:
            number, node = group.members[0]
            source = parts[number].source.name
            group.id = _free(f"{source}:{node.id}", used)
            used.add(group.id)
            why = "an earlier source has another node of this id"
            left_out.append(LeftOut("renamed", node.id, group.id, source, why))
        seen.add(group.id)
    return place


def _free(wanted: str, used: set[str]) -> str:
    found, number = wanted[:MAX_ID_LENGTH], 1
    while found in used:
        number += 1
        found = f"{wanted[: MAX_ID_LENGTH - 12]}#{number}"
    return found


def _number(parts: Sequence[Part], name: str) -> int:
    return next(i for i, part in enumerate(parts) if part.source.name == name)


def _giver(part: Part, number: int, groups: Sequence[Group]) -> Giver:
    nodes = {node.id: node for node in part.nodes}
    now = {node.id: group.id for group in groups for i, node in group.members if i == number}
    return Giver(nodes, now, part.origin, _above(nodes))


def _header(parts: Sequence[Part], recipe: Recipe, graph_id: str | None, snapshot_id: str | None) -> GraphHeader:
    facts, snapshots = recipe.graph, [part.snapshot for part in parts]
    licences = dict.fromkeys(s.licence for s in snapshots if s.licence)
    return GraphHeader(
        graph_id=graph_id or facts.id,
        snapshot_id=snapshot_id or facts.snapshot,
        title=facts.title or " + ".join(dict.fromkeys(s.title for s in snapshots if s.title)),
        languages=facts.languages or tuple(dict.fromkeys(x for s in snapshots for x in s.languages)),
        licence=facts.licence or ", ".join(licences),
        attribution=tuple(dict.fromkeys((*facts.attribution, *(line for s in snapshots for line in s.attribution)))),
        demo=any(s.demo for s in snapshots),
    )


def _rows(nodes: Sequence[Node], log: ImportLog) -> Iterator[RawNode]:
    for number, node in enumerate(nodes, 1):
        log.read[_ROWS] += 1
        yield RawNode(node_to_dict(node), Place(_ROWS, number))
