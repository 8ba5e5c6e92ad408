"""Rows as a reader yields them: unchecked values with the place they came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        """Return ``file:line``."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class RawNode:
    """A node as unchecked JSON values in the native form; ``made`` where no row of its own stands for it."""

    data: Any
    place: Place
    made: bool = False


@dataclass(frozen=True, slots=True)
class GraphHeader:
    """What ``graph.json`` or a reader says of a graph; an empty ``snapshot_id`` is made from the nodes."""

    graph_id: str
    snapshot_id: str
    title: str = ""
    languages: tuple[str, ...] = ("de", "en")
    licence: str = ""
    attribution: tuple[str, ...] = ()
    demo: bool = False


@dataclass(frozen=True, slots=True)
class RawGraph:
    """What a reader returns: the header (None where it was faulty) and the rows, read as they are asked for.

    ``lenient`` for files that were not made for us: a faulty part of a row, a faulty row, a reference that leads
    nowhere and a self-loop are then left out and listed, where a graph in the native format is refused.
    """

    header: GraphHeader | None
    rows: Iterable[RawNode]
    lenient: bool = False
