"""Checks of rows in files that were not made for us: what is faulty is left out and listed, the rest is kept."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from oncosearch.ingest.checks import NODE_KEYS, NodeChecker
from oncosearch.ingest.raw import Place, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import Node

_CORE = ("id", "type", "title")


class LenientChecker:
    """Checks raw nodes one by one; a node is lost only where its id, type or title is faulty.

    Parameters
    ----------
    languages, language
        As those of :class:`NodeChecker`.
    """

    def __init__(self, log: ImportLog, languages: Collection[str], language: str = "de") -> None:
        self._log = log
        self._found = _Found()
        self._checker = NodeChecker(self._found, languages, language)

    def check(self, raw: RawNode) -> Node | None:
        """Return the node of the row without its faulty parts, or None where it was recorded as left out."""
        node = self._try(raw)
        if node is not None:
            self._pass_on_warnings()
            return node
        data = raw.data
        core = RawNode({key: data[key] for key in _CORE if key in data} if isinstance(data, dict) else data, raw.place)
        if self._try(core) is None:
            kind, message = self._found.faults[0]
            self._log.skip(kind, raw.place, f"{message} The row is left out.")
            return None
        good = dict(core.data)
        for key in NODE_KEYS:
            if key not in _CORE and key in data:
                kept = [part for part in _parts(data[key]) if self._good_part(core, key, part)]
                if kept:
                    good[key] = _joined(data[key], kept)
        node = self._try(RawNode(good, raw.place))
        self._pass_on_warnings()
        return node

    def _good_part(self, core: RawNode, key: str, part: Any) -> bool:
        if self._try(RawNode({**core.data, key: part}, core.place)) is not None:
            return True
        kind, message = self._found.faults[0]
        self._log.warn(kind, core.place, f"{message} It is left out.")
        return False

    def _try(self, raw: RawNode) -> Node | None:
        self._found.clear()
        return self._checker.check(raw)

    def _pass_on_warnings(self) -> None:
        for kind, where, message in self._found.warned:
            self._log.warn(kind, where, message)


class _Found(ImportLog):
    """The findings on one row, kept until it is known what becomes of them."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[tuple[str, str]] = []
        self.warned: list[tuple[str, object, str]] = []

    def clear(self) -> None:
        self.faults.clear()
        self.warned.clear()

    def error(self, kind: str, where: object, message: str) -> None:
        self.errors += 1
        self.faults.append((kind, message))

    def warn(self, kind: str, where: object, message: str) -> None:
        self.warned.append((kind, where, message))


def _parts(value: Any) -> Iterator[Any]:
    """Yield the value's entries, each alone in a value of its form."""
    if isinstance(value, list):
        yield from ([item] for item in value)
    elif isinstance(value, dict):
        for name, texts in value.items():
            if isinstance(texts, dict):
                yield from ({name: {language: text}} for language, text in texts.items())
            else:
                yield {name: texts}
    else:
        yield value


def _joined(value: Any, parts: Sequence[Any]) -> Any:
    if isinstance(value, list):
        return [item for part in parts for item in part]
    joined: dict[str, Any] = {}
    for part in parts:
        for name, texts in part.items():
            joined.setdefault(name, {}).update(texts)
    return joined


def without_self(raw: RawNode, log: ImportLog) -> RawNode:
    """Return the row without parents and links that lead to itself, each recorded as a warning."""
    data = raw.data
    if not isinstance(data, dict) or not isinstance(data.get("id"), str):
        return raw
    node_id = data["id"]
    changed = dict(data)
    parents, links = data.get("parents"), data.get("links")
    if isinstance(parents, list) and node_id in parents:
        changed["parents"] = [parent for parent in parents if parent != node_id]
        log.warn("self_parent", raw.place, f"node {quoted(node_id)} names itself as its parent; that is left out.")
    if isinstance(links, list):
        kept = [link for link in links if not (isinstance(link, dict) and link.get("target") == node_id)]
        if len(kept) < len(links):
            changed["links"] = kept
            log.warn("self_link", raw.place, f"node {quoted(node_id)} links to itself; that is left out.")
    return RawNode(changed, raw.place, raw.made)


def drop_dangling(nodes: Sequence[Node], places: dict[str, Place], log: ImportLog) -> list[Node]:
    """Return the nodes without parents and links that are no node of the graph, each recorded as a warning."""
    known = {node.id for node in nodes}
    kept = []
    for node in nodes:
        parents = tuple(parent for parent in node.parents if parent in known)
        links = tuple(link for link in node.links if link.target in known)
        if len(parents) < len(node.parents) or len(links) < len(node.links):
            for parent in node.parents:
                if parent not in known:
                    log.warn(
                        "dangling_parent",
                        places[node.id],
                        f"node {quoted(node.id)} names the parent {quoted(parent)}, which is no node of this graph; "
                        "that is left out.",
                    )
            for link in node.links:
                if link.target not in known:
                    log.warn(
                        "dangling_link",
                        places[node.id],
                        f"node {quoted(node.id)} links to {quoted(link.target)} ({link.kind}), which is no node of "
                        "this graph; that is left out.",
                    )
            node = replace(node, parents=parents, links=links)
        kept.append(node)
    return kept
