"""Parents and cross-links of merged nodes: led to the joined nodes, without cycles.

No two nodes of one source ever become one, so that joining makes no self-links.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oncosearch.ingest.merge_report import LeftOut
from oncosearch.ingest.recipe import RecipeSource
from oncosearch.model import Node

Place = Mapping[tuple[int, str], int]


class Relations:
    """The relations among groups of nodes, added one source after the other.

    Parameters
    ----------
    place
        The group of every (source, node id).
    left_out
        Takes what joining would have turned into a cycle.
    """

    def __init__(self, sources: Sequence[RecipeSource], place: Place, left_out: list[LeftOut]) -> None:
        self._sources = sources
        self._place = place
        self._left_out = left_out
        self._parents: dict[int, dict[int, None]] = {}
        self._links: dict[int, dict[tuple[int, str], None]] = {}

    def add(self, source: int, node: Node, *, alone: bool) -> None:
        """Add the relations of a node; ``alone`` says that no other source has it.

        All nodes of a source must come before those of the next: an edge of a later source is the one that goes.
        """
        at = self._place[source, node.id]
        links = self._links.setdefault(at, {})
        for link in node.links:
            links[self._place[source, link.target], link.kind] = None
        if self._sources[source].parents == "alone" and not alone:
            return
        parents = self._parents.setdefault(at, {})
        for parent in node.parents:
            up = self._place[source, parent]
            if up not in parents and self._reaches(up, at):
                why = "as parent it would close a circle with the hierarchy of earlier sources"
                self._left_out.append(LeftOut("cycle", node.id, parent, self._sources[source].name, why))
            else:
                parents[up] = None

    def parents(self, at: int) -> list[int]:
        """Return the groups that are parents of a group, those of earlier sources first."""
        return list(self._parents.get(at, ()))

    def links(self, at: int) -> list[tuple[int, str]]:
        """Return the groups that a group links to, with the kinds."""
        return list(self._links.get(at, ()))

    def _reaches(self, start: int, wanted: int) -> bool:
        seen, work = {start}, [start]
        while work:
            for up in self._parents.get(work.pop(), ()):
                if up == wanted:
                    return True
                if up not in seen:
                    seen.add(up)
                    work.append(up)
        return False
