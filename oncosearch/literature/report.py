"""What was found, as plain values for JSON."""

from __future__ import annotations

from typing import Any

from oncosearch.literature.expression import to_text
from oncosearch.literature.levels import LEVELS
from oncosearch.literature.stages import Literature


def literature_to_dict(found: Literature) -> dict[str, Any]:
    """Return everything that was found as dicts and lists: rewrite, stages, articles, passages."""
    written = found.rewrite
    return {
        "question": found.question,
        "source": found.source,
        "destination": found.destination,
        "model": found.model,
        "rewrite": {
            "by": written.by,
            "fallback": written.fallback,
            "language": written.language,
            "read_as": written.normal,
            "intent": written.intent,
            "dates": to_text(written.dates) if written.dates is not None else "",
            "publication_types": list(written.kinds),
            "corrections": [{"typed": a, "read_as": b} for a, b in written.corrections],
            "elements": [
                {
                    "text": e.text,
                    "role": e.role,
                    "terms": list(e.terms),
                    "mesh": list(e.mesh),
                    "broader": list(e.broader),
                    "origin": e.origin,
                    "nodes": list(e.node_ids),
                }
                for e in written.elements
            ],
            "expressions": dict(zip(LEVELS, written.expressions, strict=True)),
        },
        "stages": [
            {
                "stage": s.key,
                "state": s.state,
                "ms": round(s.ms, 3),
                "expression": s.expression,
                "hits": s.hits,
                "taken": s.taken,
                "capped": s.capped,
                "understood": s.understood,
                "warnings": list(s.warnings),
                "asked": s.asked,
                "note": s.note,
            }
            for s in found.stages
        ],
        "articles": [
            {
                "rank": a.rank,
                "pmid": a.article.pmid,
                "title": a.article.title,
                "journal": a.article.journal,
                "date": str(a.article.date or ""),
                "publication_types": list(a.article.publication_types),
                "class": a.document_class,
                "evidence": a.evidence,
                "score": a.score,
                "origins": [{"stage": stage, "rank": rank} for stage, rank in a.origins],
                "usable": a.article.usable,
                "retracted": a.article.retracted,
                "read": a.read,
            }
            for a in found.articles
        ],
        "passages": [
            {
                "rank": p.rank,
                "pmid": p.block.document,
                "block": p.block.id,
                "previous": p.block.previous,
                "next": p.block.next,
                "text": p.block.text,
                "score": p.score,
                "recall_rank": p.recall_rank,
                "cosine": p.cosine,
                "lexical": p.lexical,
                "duplicates": list(p.duplicates),
            }
            for p in found.passages
        ],
    }
