"""The details of hits: paths, contributions, matched words, snippet, sources, put together for a reader."""

from __future__ import annotations

from functools import cache, lru_cache

from oncosearch.explain import contributions, matched_terms, matches, snippet, source_address
from oncosearch.graph import Graph, paths_to_roots
from oncosearch.model import Hit, Node, Ranking
from oncosearch.model.vocabulary import FIELDS, NODE_TYPES, TEXT_FIELD_KEYS
from oncosearch.store import GraphStore
from oncosearch.text import Token, lexical_fields, query_words, tokenise
from oncosearch.workspace.artefacts import Artefacts
from oncosearch.workspace.requests import HitDetail, PathStep, SourceCard

Note = tuple[str, tuple[tuple[str, str], ...]]

MAX_PATHS = 20
_EVERYDAY = (
    "Patient Patientin Patienten Frau Frauen Mann Männer Kind Kinder Kindern Mutter Vater Jahre jährig jähriger "
    "bekommt bekommen geben gibt machen tun nehmen hilft helfen soll darf kann muss möglich Frage Hilfe bitte "
    "patient patients woman women man men child children years old give take help can should best question please"
)
_SNIPPET_WIDTH = 220


def hit_details(artefacts: Artefacts, store: GraphStore, ranking: Ranking, language: str) -> tuple[HitDetail, ...]:
    """Return the details of the hits of a ranking, in rank order, with titles and texts in ``language``."""
    nodes = store.nodes(ranking.snapshot, [hit.node_id for hit in ranking.hits])
    asked = artefacts.lexical.tokenise(ranking.query)
    return tuple(_detail(artefacts, hit, node, asked, language) for hit, node in zip(ranking.hits, nodes, strict=True))


def node_paths(graph: Graph, i: int, language: str) -> tuple[tuple[tuple[PathStep, ...], ...], bool]:
    """Return all ancestor paths of node ``i``, root first, in ``language``, and whether some were cut."""
    paths, cut = paths_to_roots(graph, i, MAX_PATHS)
    return tuple(tuple(_step(graph, a, language) for a in path) for path in paths), cut


def _step(graph: Graph, i: int, language: str) -> PathStep:
    return PathStep(graph.ids[i], graph.title(i, language), graph.title_language(i, language))


def source_cards(node: Node) -> tuple[SourceCard, ...]:
    """Return the sources of a node with their addresses."""
    return tuple(SourceCard(source, source_address(source)) for source in node.sources)


@cache
def _everyday_terms() -> frozenset[str]:
    """Return terms that ask for no particular node: people, verbs of asking, and the names of fields and types."""
    names = " ".join(f"{term.de} {term.en}" for term in (*FIELDS, *NODE_TYPES))
    return frozenset(token.term for token in tokenise(f"{_EVERYDAY} {names}"))


def unknown_words(artefacts: Artefacts, query: str) -> tuple[str, ...]:
    """Return the words of a query of which nothing that tells them apart stands anywhere in the graph, as typed."""
    lexical = artefacts.lexical
    words = query_words(lexical.tokenise(query))
    strange = []
    for word in words:
        terms = {token.term for token in word.telling}
        if terms and not terms & _everyday_terms() and not any(map(lexical.document_frequency, terms)):
            strange.append(query[word.telling[0].start : word.telling[0].end])
    return tuple(dict.fromkeys(strange))


def query_notes(artefacts: Artefacts, query: str, meant: str | None) -> list[Note]:
    """Return what a reader should know of how the query was taken: as which title, and which words are unknown."""
    notes: list[Note] = []
    if meant is not None:
        notes.append(("read_as", (("query", query), ("title", meant))))
    if strange := unknown_words(artefacts, query):
        notes.append(("unknown_words", (("words", ", ".join(strange)),)))
    return notes


def read_as(artefacts: Artefacts, query: str) -> str | None:
    """Return the title of the node that a query names by a code or synonym, else None.

    To a model a code says nothing and a brand name little; the title of what they name says what is meant.
    """
    named = artefacts.names.exact(query)
    if not named or named[0][1] == "title":
        return None
    return artefacts.graph.title(named[0][0])


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
