"""The findings of a graph's checks as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from oncosearch.graph import Graph
from oncosearch.model import DecidedPairs
from oncosearch.model.spreadsheet import safe_cell
from oncosearch.model.vocabulary import term_name
from oncosearch.workspace.quality import Finding

QUALITY_COLUMNS = (
    "check", "id", "title", "title_language", "type", "detail",
    "other_id", "other_title", "other_title_language", "other_type", "similarity", "decision",
)  # fmt: skip


def finding_rows(
    graph: Graph, found: Iterable[Finding], decided: DecidedPairs, language: str
) -> Iterator[tuple[str, ...]]:
    """Return an iterator over the cells of the findings, in the order of ``QUALITY_COLUMNS``, safe for spreadsheets."""
    for finding in found:
        first = _node_cells(graph, finding.node, language)
        second: tuple[str, ...] = ("", "", "", "")
        similarity = decision = ""
        if finding.other is not None:
            second = _node_cells(graph, finding.other, language)
            decision = decided.verdict(graph.ids[finding.node], graph.ids[finding.other])
            if finding.score is not None:
                text = f"{finding.score:.6f}"
                similarity = text.replace(".", ",") if language == "de" else text
        texts = (*first, finding.detail, *second)
        yield (finding.check, *map(safe_cell, texts), similarity, decision)


def _node_cells(graph: Graph, i: int, language: str) -> tuple[str, str, str, str]:
    kind = term_name("type", graph.type_of(i), language)
    return graph.ids[i], graph.title(i, language), graph.title_language(i, language), kind
