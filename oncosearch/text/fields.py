"""The texts of a node by field, as lexical search and explanation read them."""

from __future__ import annotations

from oncosearch.model import Node
from oncosearch.model.vocabulary import LANGUAGE_KEYS, term_name


def lexical_fields(node: Node) -> list[tuple[str, str]]:
    """Return (field, text) of everything a word can match: all languages, every synonym and code by itself.

    In vocabulary order; a field with several texts comes several times, each text of a field once ("Tamoxifen" in both
    languages must not count twice).
    """
    pairs: list[tuple[str, str]] = [("Title", text) for _, text in node.title]
    pairs += [("Type", term_name("type", node.type, language)) for language in LANGUAGE_KEYS]
    pairs += [("Synonyms", synonym.text) for synonym in node.synonyms]
    pairs += [(field, text) for field, local in node.fields for _, text in local]
    pairs += [("Codes", f"{code.system} {code.code}") for code in node.codes]
    return [pair for pair in dict.fromkeys(pairs) if pair[1]]
