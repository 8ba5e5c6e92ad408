"""Which words of a query count against a text: the one rule behind scores, contributions and highlights."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from oncosearch.text.tokenise import Token


@dataclass(frozen=True, slots=True)
class QueryWord:
    """The tokens of one word of a query: the word with its telling parts, and the parts that name only a kind."""

    telling: tuple[Token, ...]
    generic: tuple[Token, ...]

    @property
    def all_generic(self) -> bool:
        """Whether every part is generic ("Tumortherapie"), so that only all of them together say something."""
        return bool(self.generic) and not any(t.part for t in self.telling)


def query_words(tokens: Sequence[Token]) -> Iterator[QueryWord]:
    """Yield the words of a query, tokens with the same character range together."""
    for _, group in groupby(tokens, key=lambda t: (t.start, t.end)):
        members = tuple(group)
        yield QueryWord(
            tuple(t for t in members if not t.generic),
            tuple(t for t in members if t.generic),
        )


def counted(tokens: Sequence[Token], present: Container[str]) -> list[Token]:
    """Return the query tokens that count against a text with the terms ``present``, in query order.

    A whole word or a telling part counts where it is present. A generic part ("Krebs" of "Lungenkrebs") counts only
    where the whole word or a telling part of the same word is present too; in a compound of generic parts alone
    ("Tumortherapie") they count where all of them are present. So "Lungenkrebs" does not meet every "Krebs".
    """
    out: list[Token] = []
    for word in query_words(tokens):
        telling = [t for t in word.telling if t.term in present]
        generic = [t for t in word.generic if t.term in present]
        out.extend(telling)
        if telling or (word.all_generic and len(generic) == len(word.generic)):
            out.extend(generic)
    return out
