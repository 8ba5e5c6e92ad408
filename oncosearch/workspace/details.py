"""The details of hits: paths, contributions, matched words, snippet, sources, put together for a reader."""

from __future__ import annotations

from functools import lru_cache

from oncosearch.explain import contributions, matched_terms, matches, snippet, source_address
from oncosearch.graph import Graph, paths_to_roots
from oncosearch.model import Hit, Node, Ranking
from oncosearch.model.vocabulary import TEXT_FIELD_KEYS
from oncosearch.store import GraphStore
from oncosearch.text import Token, lexical_fields
from oncosearch.workspace.artefacts import Artefacts
from oncosearch.workspace.requests import HitDetail, PathStep, SourceCard

MAX_PATHS = 20
_SNIPPET_WIDTH = 220


def hit_details(artefacts: Artefacts, store: GraphStore, ranking: Ranking, language: str) -> tuple[HitDetail, ...]:
    """Return the details of the hits of a ranking, in rank order, with titles and texts in ``language``."""
    nodes = store.nodes(ranking.snapshot, [hit.node_id for hit in ranking.hits])
    asked = artefacts.lexical.tokenise(ranking.query)
    return tuple(_detail(artefacts, hit, node, asked, language) for hit, node in zip(ranking.hits, nodes, strict=True))


def node_paths(graph: Graph, i: int, language: str) -> tuple[tuple[tuple[PathStep, ...], ...], bool]:
    """Return all ancestor paths of node ``i``, root first, in ``language``, and whether some were cut."""
    paths, cut = paths_to_roots(graph, i, MAX_PATHS)
    return tuple(tuple(PathStep(graph.ids[a], graph.title(a, language)) for a in path) for path in paths), cut


def source_cards(node: Node) -> tuple[SourceCard, ...]:
    """Return the sources of a node with their addresses."""
    return tuple(SourceCard(source, source_address(source)) for source in node.sources)


def _detail(artefacts: Artefacts, hit: Hit, node: Node, asked: list[Token], language: str) -> HitDetail:
    graph, lexical = artefacts.graph, artefacts.lexical
    paths, cut = node_paths(graph, graph.index(node.id), language)
    # Each text is tokenised for contributions, matches and the snippet alike.
    tokenise = lru_cache(maxsize=None)(lexical.tokenise)
    fields = lexical_fields(node)
    shares = contributions(asked, fields, lexical.idf, tokenise)
    field, text = _best_text(node, shares, language)
    terms = matched_terms(asked, fields, tokenise)
    levels = sorted(s.evidence_level for s in node.sources if s.evidence_level)
    return HitDetail(
        hit=hit,
        node=node,
        title=node.title.best(language) or node.id,
        paths=paths,
        paths_cut=cut,
        contributions=shares,
        matched=matches(asked, node, tokenise),
        snippet=tuple(snippet(text, asked, tokenise, width=_SNIPPET_WIDTH, terms=terms, idf=lexical.idf)),
        snippet_field=field,
        sources=source_cards(node),
        evidence_level=levels[0] if levels else None,
    )


def _best_text(node: Node, shares: dict[str, float], language: str) -> tuple[str, str]:
    """Return the text field that says most about the question, else the first one, in the reader's language."""
    with_text = [(key, text.best(language)) for key, text in node.fields if key in TEXT_FIELD_KEYS]
    if not with_text:
        return "", ""
    return max(with_text, key=lambda pair: shares.get(pair[0], 0.0))
