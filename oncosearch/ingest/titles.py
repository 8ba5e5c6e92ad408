"""Titles by code: a node gets the title that a classification has for its code, where the code means one node only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from oncosearch.ingest.matching import Ambiguous, Pair, keys_of, match, name_key
from oncosearch.ingest.merge_report import Conflict, LeftOut, TitleGiven
from oncosearch.ingest.recipe import TitleRule
from oncosearch.model import Link, LocalText, Node, Origin, Synonym


@dataclass(frozen=True, slots=True)
class Giver:
    """The source that gives titles: its nodes by id, the ids that they have now, and how to say where one is from."""

    nodes: dict[str, Node]
    now: dict[str, str]
    origin: Callable[[Node, str], tuple[Origin, ...]]
    above: Callable[[str, str], bool]


def add_titles(
    rule: TitleRule,
    nodes: list[Node],
    giver: Giver,
    said_by: dict[tuple[str, str], str],
    conflicts: list[Conflict],
    left_out: list[LeftOut],
) -> tuple[list[TitleGiven], list[Ambiguous]]:
    """Give the nodes titles in place, and return what was given and what stayed apart.

    Where a node has a title in the language already, that stays and the other becomes a related synonym. Nodes that
    the giving source itself is part of are passed over. ``said_by`` names the source of a node's title in a language.
    """
    own = set(giver.now.values())
    at = {node.id: i for i, node in enumerate(nodes) if node.id not in own}
    left = {node_id: keys for node_id, i in at.items() if (keys := keys_of([nodes[i]], rule.rule))}
    right = {node_id: keys for node_id, node in giver.nodes.items() if (keys := keys_of([node], rule.rule))}
    pairs, apart = match(left, right, rule.rule, giver.above)
    given = []
    for pair in pairs:
        found = _give(rule, nodes[at[pair.left]], giver, pair, said_by, conflicts, left_out)
        if found is not None:
            nodes[at[pair.left]], title = found
            given += title
    return given, apart


def _give(
    rule: TitleRule,
    node: Node,
    giver: Giver,
    pair: Pair,
    said_by: dict[tuple[str, str], str],
    conflicts: list[Conflict],
    left_out: list[LeftOut],
) -> tuple[Node, list[TitleGiven]] | None:
    from_node = giver.nodes[pair.right]
    whole = from_node.title.get(rule.language) or ""
    text = whole
    for pattern in rule.strip:
        text = pattern.sub("", text)
    text = " ".join(text.split())
    if not text or (rule.unless is not None and rule.unless.search(whole)):
        why = f"{', '.join(pair.keys)}: {whole!r} names no single disease, says the recipe"
        left_out.append(LeftOut("title_refused", node.id, pair.right, rule.source, why))
        return None
    if rule.link:
        link = Link(giver.now[pair.right], rule.link)
        node = replace(node, links=tuple(dict.fromkeys((*node.links, link))))
    names = {(language, name_key(name)) for language, name in node.title}
    names |= {(s.language, name_key(s.text)) for s in node.synonyms}
    there = node.title.get(rule.language)
    if there and (rule.language, name_key(text)) in names:
        return node, []
    part = f"synonyms.{rule.language}" if there else f"title.{rule.language}"
    if there:
        node = replace(node, synonyms=(*node.synonyms, Synonym(text, rule.language, "related")))
        earlier = said_by[node.id, rule.language]
        conflicts.append(Conflict(node.id, f"title.{rule.language}", there, earlier, text, rule.source))
    else:
        said_by[node.id, rule.language] = rule.source
        node = replace(node, title=LocalText.of({**dict(node.title), rule.language: text}))
    node = replace(node, origins=tuple(dict.fromkeys((*node.origins, *giver.origin(from_node, part)))))
    given = TitleGiven(
        node.id, rule.language, text, giver.now[pair.right], rule.rule.label, pair.keys, as_synonym=bool(there)
    )
    return node, [given]
