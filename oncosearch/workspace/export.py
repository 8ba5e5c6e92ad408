"""An answer as plain values: the one form behind ``search --json`` and the page's download."""

from __future__ import annotations

from typing import Any

from oncosearch.model import Source
from oncosearch.workspace.requests import Answer, HitDetail, SourceCard

FORMAT = "oncosearch-answer-1"


def answer_to_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON values: snapshot, model, pipeline, parameters and timings once, then ``hits``.

    ``paths`` are lists of ancestor titles, root first; ``neighbours`` pairs of node id and share; ``timings`` in ms.
    """
    ranking = answer.ranking
    return {
        "format": FORMAT,
        "query": ranking.query,
        "snapshot": {"graph": ranking.snapshot.graph_id, "snapshot": ranking.snapshot.snapshot_id},
        "model": ranking.model,
        "pipeline": ranking.pipeline,
        "parameters": ranking.parameters.to_dict(),
        "candidates": ranking.candidate_count,
        "notes": [{"note": code, **dict(values)} for code, values in ranking.notes],
        "timings": {stage: round(ms, 2) for stage, ms in ranking.timings},
        "record": ranking.record_id,
        "hits": [_hit(detail) for detail in answer.details],
    }


def _hit(detail: HitDetail) -> dict[str, Any]:
    hit = detail.hit
    return {
        "id": hit.node_id,
        "title": detail.title,
        "titles": dict(detail.node.title),
        "type": detail.node.type,
        "rank": hit.rank,
        "score": hit.score,
        "own": hit.own,
        "around": hit.around,
        "similarity": hit.similarity,
        "subgraph_similarity": hit.subgraph_similarity,
        "seed": hit.seed_id,
        "hop": hit.hop,
        "neighbours": [{"id": node_id, "share": share} for node_id, share in hit.neighbours],
        "pinned": hit.pinned,
        "folded": list(hit.folded),
        "paths": [[step.title for step in path] for path in detail.paths],
        "paths_cut": detail.paths_cut,
        "sources": [_source(card) for card in detail.sources],
        "evidence_level": detail.evidence_level,
        "contributions": detail.contributions,
        "matched": [
            {"field": m.field, "word": m.word, "whole": m.whole, "synonym": m.synonym, "scope": m.scope}
            for m in detail.matched
        ],
    }


def _source(card: SourceCard) -> dict[str, Any]:
    source: Source = card.source
    return {
        "kind": source.kind,
        "id": source.id,
        "title": source.title,
        "year": source.year,
        "evidence_level": source.evidence_level,
        "address": card.address,
    }
