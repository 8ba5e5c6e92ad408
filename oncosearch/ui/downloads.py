"""What can be taken along: hits as CSV that no spreadsheet runs, and file names."""

from __future__ import annotations

import re
from collections.abc import Callable

from oncosearch.model.spreadsheet import csv_bytes, safe_cell
from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.sources import source_name
from oncosearch.ui.numbers import percent
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import Answer, HitDetail
from oncosearch.workspace.titles import with_language

COLUMNS = (
    "rank", "id", "title", "title_language", "type", "score", "own", "around", "similarity", "subgraph_similarity",
    "hop", "seed", "paths", "fields", "evidence", "sources", "addresses",
    "query", "snapshot", "model", "pipeline", "parameters",
)  # fmt: skip


def answer_csv(t: Texts, answer: Answer, title_of: Callable[[str], str]) -> bytes:
    """Return the hits as CSV in UTF-8 with a byte order mark; semicolons and decimal commas in German."""
    rows = (_row(t, answer, detail, title_of) for detail in answer.details)
    return csv_bytes([t(f"csv.{column}") for column in COLUMNS], rows, t.language)


def _row(t: Texts, answer: Answer, detail: HitDetail, title_of: Callable[[str], str]) -> list[str]:
    hit, ranking, language = detail.hit, answer.ranking, t.language
    shares = sorted(((share, key) for key, share in detail.contributions.items() if share > 0), reverse=True)
    texts = {
        "id": hit.node_id,
        "title": detail.title,
        "title_language": detail.node.title.best_language(language),
        "type": term_name("type", detail.node.type, language),
        "seed": "" if hit.seed_id is None else title_of(hit.seed_id),
        "paths": " | ".join(
            " › ".join(with_language(step.title, step.language, language) for step in path)
            for path in detail.paths
            if path
        ),
        "fields": " · ".join(f"{term_name('field', k, language)} {percent(share, language)}" for share, k in shares),
        "evidence": detail.evidence_level or "",
        "sources": " | ".join(source_name(card, language) for card in detail.sources),
        "addresses": " ".join(card.address for card in detail.sources if card.address),
        "query": ranking.query,
        "snapshot": str(ranking.snapshot),
        "model": ranking.model or "",
        "pipeline": ranking.pipeline,
        "parameters": " ".join(f"{name}={value}" for name, value in ranking.parameters.to_dict().items()),
    }
    # Our own numbers stay numbers, also below zero; every text is made safe.
    numbers = {
        "rank": str(hit.rank),
        "score": _number(hit.score, language),
        "own": _number(hit.own, language),
        "around": _number(hit.around, language),
        "similarity": _number(hit.similarity, language),
        "subgraph_similarity": _number(hit.subgraph_similarity, language),
        "hop": "" if hit.hop is None else str(hit.hop),
    }
    return [numbers[c] if c in numbers else safe_cell(texts[c]) for c in COLUMNS]


def _number(value: float | None, language: str) -> str:
    if value is None:
        return ""
    text = f"{value:.6f}"
    return text.replace(".", ",") if language == "de" else text


def file_name(query: str, ending: str) -> str:
    """Return a file name made from the question: plain letters, digits and hyphens only."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", query).strip("-").lower()[:40]
    return f"oncosearch-{plain or 'search'}.{ending}"
