"""Concepts of the graph in a question: found by title, synonym or code in either language, told in English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oncosearch.graph import TextColumn
from oncosearch.index.names import NameIndex, fold_name
from oncosearch.literature.wording import Piece, forms
from oncosearch.model import Node
from oncosearch.text.stopwords import NEGATIONS, STOP_WORDS

MOST_PIECES = 8
MOST_TERMS = 8
_MOST_NODES = 3
_LONGEST_TERM = 6
# Shorter names are abbreviations, and count only as they are written: MET is a gene, "met" a verb.
_SHORT = 3
_CORRECTED_FROM = 7
_BUCKET = 4000
ROLE_OF_TYPE = {
    "group": "population",
    "disease": "population",
    "diagnosis": "population",
    "staging": "population",
    "biomarker": "population",
    "therapy": "intervention",
    "drug": "intervention",
    "procedure": "intervention",
    "supportive_care": "intervention",
}


@dataclass(frozen=True, slots=True)
class Concepts:
    """What the rewriter needs of a graph: its names, the ids in graph order, and a way to its nodes."""

    names: NameIndex
    ids: TextColumn | Sequence[str]
    nodes: Callable[[Sequence[str]], Sequence[Node]]


@dataclass(frozen=True, slots=True)
class Recognised:
    """A stretch of the question (pieces ``first`` to before ``last``) that names nodes.

    ``broader`` are English names of their parents; ``corrected`` is the name that a mistyped word was read as.
    """

    first: int
    last: int
    node_ids: tuple[str, ...]
    role: str
    terms: tuple[str, ...]
    broader: tuple[str, ...]
    corrected: str = ""


def recognise(question: str, words: Sequence[Piece], concepts: Concepts) -> tuple[Recognised, ...]:
    """Return the concepts that a question names, from left to right, the longest name first at each place."""
    found: list[Recognised] = []
    at = 0
    while at < len(words):
        match = _longest(question, words, at, concepts.names)
        if match is None:
            at += 1
            continue
        last, nodes = match
        found.append(_told(at, last, nodes, concepts))
        at = last
    return tuple(found)


def correct(words: Sequence[Piece], open_: Sequence[int], concepts: Concepts) -> tuple[Recognised, ...]:
    """Return what mistyped words (positions ``open_``) were probably meant to be: one edit away from one name.

    Only names of one word count that begin with the same three letters. The typed word stays in the search beside it.
    """
    found = []
    for at in open_:
        word = fold_name(words[at].text)
        if len(word) < _CORRECTED_FROM or not word.isalpha():
            continue
        near = {
            name
            for name in _bucket(concepts.names, word[:3])
            if name.isalpha() and abs(len(name) - len(word)) <= 1 and _one_edit(word, name)
        }
        # A name that only ends differently is another form of the word and no mistake.
        near = {name for name in near if name[:-1] != word and word[:-1] != name}
        if len(near) == 1:
            name = near.pop()
            nodes = [node for node, _ in concepts.names.exact(name)][:_MOST_NODES]
            if nodes:
                found.append(_told(at, at + 1, nodes, concepts, corrected=name))
    return tuple(found)


def of_node(node: Node, concepts: Concepts | None = None) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """Return the English terms of a node, those of its parents, and its role."""
    parents = concepts.nodes(node.parents) if concepts is not None and node.parents else ()
    return _terms([node]), _terms(parents), ROLE_OF_TYPE.get(node.type, "other")


def _longest(question: str, words: Sequence[Piece], at: int, names: NameIndex) -> tuple[int, list[int]] | None:
    for last in range(min(len(words), at + MOST_PIECES), at, -1):
        text = question[words[at].start : words[last - 1].end]
        if "\n" in text or (last - at == 1 and not _may_be_name(text)):
            continue
        for form in forms(text):
            nodes = [node for node, _ in names.exact(form)]
            if nodes:
                return last, nodes[:_MOST_NODES]
    return None


def _may_be_name(word: str) -> bool:
    folded = fold_name(word)
    if folded.isdecimal() or len(folded) < 2:
        return False
    if len(folded) <= _SHORT:
        return word.isupper()
    return folded not in STOP_WORDS and folded not in NEGATIONS


def _told(first: int, last: int, nodes: Sequence[int], concepts: Concepts, corrected: str = "") -> Recognised:
    ids = tuple(concepts.ids[node] for node in nodes)
    found = concepts.nodes(ids)
    parents = tuple(dict.fromkeys(p for node in found for p in node.parents))[:_MOST_NODES]
    roles = [ROLE_OF_TYPE.get(node.type, "other") for node in found]
    return Recognised(
        first,
        last,
        ids,
        next((role for role in roles if role != "other"), "other"),
        _terms(found),
        _terms(concepts.nodes(parents)) if parents else (),
        corrected,
    )


def _terms(nodes: Sequence[Node]) -> tuple[str, ...]:
    """Return English titles, then English synonyms, then titles that have no English form; each once."""
    titles = [node.title.get("en") or node.title.best("en") for node in nodes]
    synonyms = [s.text for node in nodes for s in node.synonyms if s.language == "en" and s.scope == "exact"]
    found: dict[str, str] = {}
    for text in (*titles, *sorted(synonyms, key=lambda t: (len(t), t))):
        if 1 <= len(text.split()) <= _LONGEST_TERM and len(text) > 1 and any(c.isalpha() for c in text):
            found.setdefault(fold_name(text), text)
    return tuple(found.values())[:MOST_TERMS]


def _bucket(names: NameIndex, prefix: str) -> list[str]:
    start = names.names.lower_bound(prefix)
    out: list[str] = []
    for row in range(start, min(len(names.names), start + _BUCKET)):
        name = names.names[row]
        if not name.startswith(prefix):
            break
        out.append(name)
    return out


def _one_edit(one: str, other: str) -> bool:
    """Return whether one letter is wrong, missing or too many, or two neighbours stand the wrong way round."""
    if one == other:
        return False
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) == len(other):
        swapped = one[:at] + one[at + 1 : at + 2] + one[at : at + 1] + one[at + 2 :]
        return one[at + 1 :] == other[at + 1 :] or swapped == other
    return one[at:] == other[at + 1 :]
