"""Stepping down the hierarchy: what tells children apart, which therapies wait there, and names while one types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from oncosearch.graph import Graph
from oncosearch.index.names import NameMatch, fold_name
from oncosearch.model import Node, SnapshotKey, Source
from oncosearch.model.vocabulary import TEXT_FIELD_KEYS
from oncosearch.text.normalise import fold
from oncosearch.workspace.workspace import Workspace

MAX_THERAPIES = 200
_SENTENCE_LENGTH = 240
_ABBREVIATIONS = frozenset(
    ("bzw", "ca", "ggf", "evtl", "inkl", "vs", "nr", "abs", "dr", "prof", "sog", "max", "min", "mind", "spp", "al")
)

# Which field says best what a node of a type is for; further ones only where siblings begin alike.
_TELLING = {
    "group": ("Diagnosis",),
    "disease": ("Diagnosis", "Biomarkers", "Symptoms"),
    "diagnosis": ("Diagnosis",),
    "staging": ("Staging",),
    "biomarker": ("Biomarkers",),
    "therapy": ("Therapy", "Biomarkers", "Dosage"),
    "drug": ("Therapy",),
    "contraindication": ("Contraindications",),
    "procedure": ("Diagnosis",),
    "supportive_care": ("Therapy", "Diagnosis"),
    "document": ("Evidence",),
    "evidence": ("Evidence",),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A node that fits what is typed, with the name that does and the characters of it that match.

    ``kind`` is ``title``, ``synonym`` or ``code``; ``scope`` that of a synonym; ``language`` that of the name, or the
    system of a code.
    """

    node_id: str
    title: str
    name: str
    kind: str
    language: str
    scope: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Step:
    """A child with what tells it apart: the field and its first sentence (both empty where there is no text)."""

    node: Node
    field: str
    sentence: str
    requires: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TherapyStep:
    """A therapy with its evidence: sources of its own, and nodes that support it with theirs."""

    step: Step
    level: str | None
    sources: tuple[Source, ...]
    support: tuple[Node, ...]


def suggestions(workspace: Workspace, key: SnapshotKey, text: str, language: str, count: int) -> list[Suggestion]:
    """Return up to ``count`` nodes of which a title, a synonym of any scope, or a code fits ``text``."""
    graph = workspace.graph(key)
    found = workspace.names(key).matches(text, count)
    nodes = workspace.nodes(key, [graph.ids[match.node] for match in found])
    return [_suggestion(node, match, text, language) for node, match in zip(nodes, found, strict=True)]


def _suggestion(node: Node, match: NameMatch, text: str, language: str) -> Suggestion:
    kind, _, scope = match.kind.partition(".")
    if kind == "title":
        # In the reader's language where the names are the same.
        names = sorted(node.title, key=lambda pair: pair[0] != language)
        candidates = [(name, named_in) for named_in, name in names]
    elif kind == "synonym":
        ordered = sorted(node.synonyms, key=lambda s: s.language != language)
        candidates = [(s.text, s.language) for s in ordered if s.scope == (scope or "exact")]
    else:
        candidates = [(code.code, code.system) for code in node.codes]
    # A scope that the vocabulary does not know counts as related: then any synonym may be the one.
    candidates += [(s.text, s.language) for s in node.synonyms]
    name, named_in = next((c for c in candidates if fold_name(c[0]) == match.name), (match.name, ""))
    name = " ".join(name.split())
    start, end = matching_part(name, text)
    return Suggestion(
        node.id,
        node.title.best(language) or node.id,
        name,
        kind,
        named_in,
        (scope or "exact") if kind == "synonym" else None,
        start,
        end,
    )


def matching_part(name: str, typed: str) -> tuple[int, int]:
    """Return the characters of ``name`` that ``typed`` stands for, at a word's beginning where it can be.

    The whole name where folding does not go letter by letter, nothing (0, 0) where it does not match.
    """
    wanted = fold_name(typed)
    pieces = [fold(character) for character in name]
    folded = "".join(pieces)
    if folded != fold_name(name):
        return (0, len(name)) if wanted in fold_name(name) else (0, 0)
    places = [at for at in range(len(folded)) if wanted and folded.startswith(wanted, at)]
    if not places:
        return 0, 0
    at = next((p for p in places if p == 0 or folded[p - 1] in " -("), places[0])
    origin = [i for i, piece in enumerate(pieces) for _ in piece]
    return origin[at], origin[at + len(wanted) - 1] + 1


def steps(graph: Graph, nodes: Sequence[Node], language: str) -> list[Step]:
    """Return nodes that are chosen between, each with the field that tells it apart from those of its type."""
    said = [{key: first_sentence(text.best(language)) for key, text in node.fields} for node in nodes]
    out = []
    for i, node in enumerate(nodes):
        others = [said[k] for k, other in enumerate(nodes) if k != i and other.type == node.type]
        order = [key for key in (*_TELLING.get(node.type, ()), *TEXT_FIELD_KEYS) if said[i].get(key)]
        alone = (key for key in order if all(other.get(key) != said[i][key] for other in others))
        field = next(alone, order[0] if order else "")
        required = tuple(
            (link.target, graph.title(graph.index(link.target), language))
            for link in node.links
            if link.kind == "requires_biomarker"
        )
        out.append(Step(node, field, said[i].get(field, ""), required))
    return out


def first_sentence(text: str) -> str:
    """Return the first sentence of a text, cut at a word where it is very long."""
    text = " ".join(text.split())
    end = len(text)
    for at, character in enumerate(text[:-1]):
        if character not in ".!?" or text[at + 1] != " ":
            continue
        word = text[:at].rsplit(" ", 1)[-1].strip("(").casefold()
        abbreviated = character == "." and (len(word) < 2 or word.isdigit() or "." in word or word in _ABBREVIATIONS)
        if not abbreviated and not text[at + 2 : at + 3].islower():
            end = at + 1
            break
    sentence = text[:end]
    return sentence if len(sentence) <= _SENTENCE_LENGTH else f"{sentence[:_SENTENCE_LENGTH].rsplit(' ', 1)[0]} …"


def therapies_at(graph: Graph, i: int) -> list[str]:
    """Return the ids of the therapies at a node: those below it and those cross-linked with it, each once, by id."""
    around = {
        *graph.children.of_node(i).tolist(),
        *graph.links.of_node(i).tolist(),
        *graph.links_back.of_node(i).tolist(),
    }
    return [graph.ids[k] for k in sorted(around) if graph.type_of(k) == "therapy"]


def therapy_steps(workspace: Workspace, key: SnapshotKey, node_ids: Sequence[str], language: str) -> list[TherapyStep]:
    """Return therapies with their evidence: best evidence level first, then those with sources, then by title."""
    graph = workspace.graph(key)
    nodes = workspace.nodes(key, node_ids[:MAX_THERAPIES])
    supporting = {node.id: _support(graph, node) for node in nodes}
    wanted = sorted({other for ids in supporting.values() for other in ids})
    by_id = {node.id: node for node in workspace.nodes(key, wanted)}
    out = []
    for step in steps(graph, nodes, language):
        support = tuple(by_id[other] for other in supporting[step.node.id])
        every = [source for node in (step.node, *support) for source in node.sources]
        grades = sorted(source.evidence_level for source in every if source.evidence_level)
        out.append(TherapyStep(step, grades[0] if grades else None, step.node.sources, support))
    return sorted(
        out,
        key=lambda t: (
            t.level is None,
            t.level or "",
            not (t.sources or t.support),
            t.step.node.title.best(language).casefold(),
            t.step.node.id,
        ),
    )


def _support(graph: Graph, node: Node) -> list[str]:
    i = graph.index(node.id)
    linked = {graph.index(link.target) for link in node.links if link.kind == "supported_by"}
    below = {k for k in graph.children.of_node(i).tolist() if graph.type_of(k) == "evidence"}
    return [graph.ids[k] for k in sorted(linked | below)]
