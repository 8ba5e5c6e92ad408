"""Why a hit was found: contributions of fields, matched words, and the addresses of its sources."""

from oncosearch.explain.contributions import contributions, positive_shares, semantic_contributions
from oncosearch.explain.highlight import Match, highlight, matched_terms, matches, snippet
from oncosearch.explain.sources import source_address

__all__ = [
    "Match",
    "contributions",
    "highlight",
    "matched_terms",
    "matches",
    "positive_shares",
    "semantic_contributions",
    "snippet",
    "source_address",
]
