"""A test collection as the exchange formats know it: qrels, and the texts that were judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from oncosearch.model import Qrels


@dataclass(frozen=True, slots=True)
class Collection:
    """Qrels with queries by topic, titles and texts by node, and the nodes by topic that are duplicates.

    A text that is missing and one that is empty are the same: formats cannot tell them apart.
    """

    qrels: Qrels
    queries: Mapping[str, str] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    duplicates: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def nodes(self) -> list[str]:
        """Return the ids of all nodes: those with a title or a text first, in their order, then those only judged."""
        judged = (node for grades in self.qrels.grades.values() for node in grades)
        named = (node for topic in self.duplicates.values() for node in sorted(topic))
        return list(dict.fromkeys([*self.titles, *self.texts, *judged, *named]))


def put(texts: dict[str, str], key: str, text: str) -> bool:
    """Put a text that is not empty under its key; return False where another one stands there already."""
    if not text:
        return True
    return texts.setdefault(key, text) == text
