"""How much each field has to do with a hit: by words (GRAG paper 4.4) and by meaning (what leaving it out costs)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from oncosearch.model import Passage
from oncosearch.text import Token, counted, strip_field, tokenise

Tokenise = Callable[[str], list[Token]]
Encode = Callable[[list[str]], NDArray[np.float32]]
_LEAST_IDF = 1e-9


def contributions(
    query_tokens: Sequence[Token],
    fields: Sequence[tuple[str, str]],
    idf: Callable[[str], float],
    tokenise: Tokenise = tokenise,
) -> dict[str, float]:
    """Return the share of each field in the IDF-weighted word overlap with the query (GRAG paper 4.4).

    overlap(f) = Σ over the query terms t that stand in f of idf(t) · w(t, query) · w(t, f), where w is 1 for a word
    and less for a part of one; how often a term stands there does not matter. share(f) = overlap(f) / Σ overlap.

    Parameters
    ----------
    query_tokens
        The query, tokenised as the fields are.
    fields
        (field, text) pairs of one node (:func:`oncosearch.text.lexical_fields`); texts of one field are taken together.
    idf
        Inverse document frequency of a term; positive.
    tokenise
        The tokeniser of the index (``LexicalIndex.tokenise``).

    Returns
    -------
    dict
        Every field given, in the order given. The shares are in [0, 1] and sum to 1, or are all 0 where no word of
        the query stands in any field.
    """
    weights: dict[str, dict[str, float]] = {}
    for field, text in fields:
        terms = weights.setdefault(field, {})
        for token in tokenise(text):
            terms[token.term] = max(token.weight, terms.get(token.term, 0.0))
    present = {term for terms in weights.values() for term in terms}
    asked: dict[str, float] = {}
    for token in counted(query_tokens, present):
        asked[token.term] = max(token.weight, asked.get(token.term, 0.0))
    worth = {term: weight * max(idf(term), _LEAST_IDF) for term, weight in asked.items()}
    overlap = {
        field: sum(value * terms[term] for term, value in worth.items() if term in terms)
        for field, terms in weights.items()
    }
    total = sum(overlap.values())
    return {field: value / total if total > 0 else 0.0 for field, value in overlap.items()}


def semantic_contributions(
    query_vector: NDArray[np.float32], passage: Passage, full_similarity: float, encode: Encode
) -> dict[str, float]:
    """Return how much the similarity to the query drops when a field is left out of the passage.

    drop(f) = sim(q, passage) − sim(q, passage without f), in passage order (``Path`` is the ancestor prefix). A drop
    may be negative: without that field the node would be closer to the query. Of a passage with one field nothing is
    left, and its drop is the whole similarity. :func:`positive_shares` makes shares of the drops.

    Parameters
    ----------
    query_vector
        Unit vector of the query, float32 [d].
    passage
        The hit as it was embedded.
    full_similarity
        Cosine of the query and the whole passage.
    encode
        Gives unit vectors of passage texts, float32 [n, d]; called at most once.
    """
    fields = [field for field, _, _ in passage.spans]
    texts = {field: strip_field(passage, field) for field in fields}
    kept = [field for field in fields if texts[field]]
    drops = dict.fromkeys(fields, float(full_similarity))
    if kept:
        similarities = np.asarray(encode([texts[field] for field in kept])) @ np.asarray(query_vector)
        drops.update((f, float(full_similarity - s)) for f, s in zip(kept, similarities, strict=True))
    return drops


def positive_shares(drops: dict[str, float]) -> dict[str, float]:
    """Return the positive drops as shares that sum to 1; 0 for every other field, all 0 where none is positive."""
    total = sum(drop for drop in drops.values() if drop > 0)
    return {field: drop / total if drop > 0 else 0.0 for field, drop in drops.items()}
