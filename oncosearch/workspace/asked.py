"""A request with everything that ranking it takes, and the checks of what was asked."""

from __future__ import annotations

from dataclasses import dataclass

from oncosearch.index.names import NameIndex
from oncosearch.model import DecidedPairs, Ranking, UsageError
from oncosearch.retrieve import Catalogue, Pipeline, Question, Resources
from oncosearch.retrieve import search as rank
from oncosearch.text import is_only_stop_words
from oncosearch.workspace.artefacts import Artefacts
from oncosearch.workspace.requests import SearchRequest

MAX_QUERY = 2000
MAX_TOP = 200


@dataclass(frozen=True, slots=True)
class Asked:
    """A checked request beside the opened snapshot; ``meant`` is the title that the query was read as, or None."""

    request: SearchRequest
    pipeline: Pipeline
    artefacts: Artefacts
    catalogue: Catalogue
    resources: Resources
    question: Question
    decided: DecidedPairs
    meant: str | None

    def rank(self, top: int) -> Ranking:
        """Return the first ``top`` hits; the ranking does not depend on how many are asked for."""
        request = self.request
        return rank(
            self.resources,
            self.catalogue,
            self.question,
            self.pipeline,
            request.filters,
            top,
            request.model,
            self.decided,
        )


def check_length(query: str) -> None:
    """Refuse a query that is empty or too long."""
    if not query:
        raise UsageError("The query is empty; type a question, a name or a code.", code="empty_query")
    if len(query) > MAX_QUERY:
        raise UsageError(
            f"The query has {len(query)} characters; at most {MAX_QUERY} are taken.",
            code="query_too_long",
            found=len(query),
            limit=MAX_QUERY,
        )


def check_words(query: str, names: NameIndex) -> None:
    """Refuse a query that has no word to search for and names no node."""
    says_nothing = is_only_stop_words(query) or not any(c.isalnum() for c in query)
    if says_nothing and not names.exact(query):
        raise UsageError(
            f"{query!r} holds no word that could be searched for; name a disease, drug, gene or code.",
            code="stop_words_only",
        )


def check_top(top: int) -> None:
    """Refuse a number of hits out of its range."""
    if not 1 <= top <= MAX_TOP:
        raise UsageError(f"top is {top}; it must lie between 1 and {MAX_TOP}.", code="parameter_range")
