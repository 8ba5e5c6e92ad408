"""A node of the knowledge graph and its parts, as frozen values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LocalText:
    """One text in several languages, as (language, text) pairs in a fixed order (``de``, ``en``, then others)."""

    pairs: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> LocalText:
        """Return the texts in the fixed language order."""
        order = {"de": 0, "en": 1}
        return cls(tuple(sorted(texts.items(), key=lambda p: (order.get(p[0], 2), p[0]))))

    def get(self, language: str) -> str | None:
        """Return the text in ``language`` or None."""
        return next((text for lang, text in self.pairs if lang == language), None)

    def best(self, language: str) -> str:
        """Return the text in ``language``, else in the first language there is, else an empty string."""
        found = self.get(language)
        return found if found is not None else (self.pairs[0][1] if self.pairs else "")

    def best_language(self, language: str) -> str:
        """Return the language of what :meth:`best` returns; empty where there is no text."""
        if self.get(language) is not None:
            return language
        return self.pairs[0][0] if self.pairs else ""

    def languages(self) -> tuple[str, ...]:
        """Return the languages in which there is a text."""
        return tuple(lang for lang, _ in self.pairs)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Iterate over (language, text)."""
        return iter(self.pairs)

    def __bool__(self) -> bool:
        """Whether there is any text."""
        return bool(self.pairs)


@dataclass(frozen=True, slots=True)
class Synonym:
    """Another name of a node; ``scope`` is exact, narrow, broad or related."""

    text: str
    language: str = "de"
    scope: str = "exact"


@dataclass(frozen=True, slots=True)
class Code:
    """A code in a classification, such as ICD-10-GM C50.9."""

    system: str
    code: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim comes from. ``url`` is needed only where no address follows from kind and id."""

    kind: str
    id: str
    title: str | None = None
    year: int | None = None
    url: str | None = None
    evidence_level: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """A typed cross-link that is not hierarchy."""

    target: str
    kind: str


@dataclass(frozen=True, slots=True)
class Origin:
    """A node of another graph that this one was made from, with the licence and attribution of that graph.

    ``part`` is empty where the whole node came in, else it names what alone was taken, such as ``title.de``.
    """

    graph: str
    node: str
    licence: str = ""
    attribution: tuple[str, ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """A node. ``fields`` holds the text fields in vocabulary order; ``parents`` keep the order of the file.

    ``origins`` say what a node of a merged graph was made from; other nodes have none.
    """

    id: str
    type: str
    title: LocalText
    synonyms: tuple[Synonym, ...] = ()
    fields: tuple[tuple[str, LocalText], ...] = ()
    codes: tuple[Code, ...] = ()
    sources: tuple[Source, ...] = ()
    parents: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    origins: tuple[Origin, ...] = ()

    def field(self, key: str) -> LocalText:
        """Return the text field ``key``; empty where the node has none."""
        return next((text for name, text in self.fields if name == key), LocalText())
