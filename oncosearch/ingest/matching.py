"""Which nodes of two graphs are the same by a shared code or name: pairs that are each other's only candidate."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from oncosearch.ingest.recipe import Rule
from oncosearch.model import Node

Keys = Mapping[str, tuple[str, ...]]
Above = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two nodes that are each other's only candidate, and the codes or names that they share."""

    left: str
    right: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Nodes that stay apart: together they share these codes or names, but no one of them with only one other."""

    by: str
    keys: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]


def keys_of(nodes: Iterable[Node], rule: Rule) -> tuple[str, ...]:
    """Return what the nodes, taken as one, can be joined by under the rule, each once."""
    found: dict[str, None] = {}
    for node in nodes:
        if node.type not in rule.types or node.id in rule.apart:
            continue
        if rule.names:
            names = [text for _, text in node.title]
            names += [synonym.text for synonym in node.synonyms if synonym.scope == "exact"]
            found |= dict.fromkeys(f"{node.type}: {key}" for name in names if (key := name_key(name)))
        else:
            codes = (code.code.strip() for code in node.codes if code.system in rule.systems)
            found |= dict.fromkeys(f"{node.type}: {code}" for code in codes)
    return tuple(found)


def candidates(left: Keys, right: Keys) -> dict[str, dict[str, list[str]]]:
    """Return for every left node that shares a key its right nodes, each with the shared keys."""
    by_key: dict[str, list[str]] = {}
    for node_id, keys in right.items():
        for key in keys:
            by_key.setdefault(key, []).append(node_id)
    found: dict[str, dict[str, list[str]]] = {}
    for node_id, keys in left.items():
        for key in keys:
            for other in by_key.get(key, ()):
                found.setdefault(node_id, {}).setdefault(other, []).append(key)
    return found


def match(left: Keys, right: Keys, rule: Rule, above: Above) -> tuple[list[Pair], list[Ambiguous]]:
    """Return the pairs, and in groups the nodes that are no pair because one of them has several candidates.

    Parameters
    ----------
    above
        Says whether one right node stands somewhere above another one; asked only for rules with ``widest``.
    """
    edges = candidates(left, right)
    if rule.widest:
        edges = {node_id: _widest(found, above) for node_id, found in edges.items()}
    back: dict[str, list[str]] = {}
    for node_id, found in edges.items():
        for other in found:
            back.setdefault(other, []).append(node_id)
    pairs: list[Pair] = []
    apart: list[Ambiguous] = []
    seen: set[str] = set()
    for start in edges:
        if start in seen:
            continue
        lefts, rights = _component(start, edges, back)
        seen.update(lefts)
        shared = tuple(dict.fromkeys(_shown(key) for one in lefts for found in edges[one].values() for key in found))
        if len(lefts) == len(rights) == 1:
            pairs.append(Pair(lefts[0], rights[0], shared))
        else:
            apart.append(Ambiguous(rule.label, shared, tuple(lefts), tuple(rights)))
    return pairs, apart


def _widest(found: dict[str, list[str]], above: Above) -> dict[str, list[str]]:
    for node_id, keys in found.items():
        if all(other == node_id or above(node_id, other) for other in found):
            return {node_id: keys}
    return found


def _component(
    start: str, edges: Mapping[str, Mapping[str, object]], back: Mapping[str, list[str]]
) -> tuple[list[str], list[str]]:
    lefts, rights = {start: None}, dict[str, None]()
    work = [start]
    while work:
        for other in edges[work.pop()]:
            if other in rights:
                continue
            rights[other] = None
            for one in back[other]:
                if one not in lefts:
                    lefts[one] = None
                    work.append(one)
    return list(lefts), list(rights)


def name_key(text: str) -> str:
    """Return what two spellings of one name have in common: upper and lower case, blanks and composition go."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _shown(key: str) -> str:
    return key.split(": ", 1)[1]
