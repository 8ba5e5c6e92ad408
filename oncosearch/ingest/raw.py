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
    """What ``graph.json`` says of a graph."""

    graph_id: str
    snapshot_id: str
    title: str = ""
    languages: tuple[str, ...] = ("de", "en")
    licence: str = ""
    attribution: tuple[str, ...] = ()
    demo: bool = False


@dataclass(frozen=True, slots=True)
class RawGraph:
    """What a reader returns: the header (None where it was faulty) and the rows, read as they are asked for."""

    header: GraphHeader | None
    rows: Iterable[RawNode]
