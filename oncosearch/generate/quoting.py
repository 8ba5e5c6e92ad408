"""Texts of others as numbered data in a prompt, so that no text can end its own quotation.

Every line of a quoted text begins with ``| ``, and every line that opens or closes a quotation begins with ``---``
and holds a mark that stands in none of the texts. What servers and models read as more than text (marks of chat
templates, invisible characters, reference numbers that could pass for ours) is defused before.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

LINE = "| "
# Joiners that scripts and emoji need; every other invisible character is dropped.
_JOINERS = {"\u200c", "\u200d"}
# Everything that any reader could take for the end of a line.
_LINE_END = re.compile("\r\n|[\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")
_CHAT_MARK = re.compile(r"<(?=[|｜/!\[<▁_A-Za-z])")
_BRACKET_MARK = re.compile(r"\[(?=/?[A-Z_]{2,40}\])")
_NUMBERS = re.compile(r"[\[【]\s*([0-9][0-9,;.\s–—-]*)[\]】]")
_FOLDED = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-") | dict.fromkeys("„“”«»‟", '"') | dict.fromkeys("‘’‚‛", "'"))


@dataclass(frozen=True, slots=True)
class EvidencePassage:
    """A passage that an answer may rest on.

    Parameters
    ----------
    id
        The caller's own: a PMID, the id of a chunk.
    text
        What the passage says.
    reference
        Where it stands: title, year, page.
    language
        ``de``, ``en`` or empty where it is not known.
    """

    id: str
    text: str
    reference: str = ""
    language: str = ""


def quoted_text(text: str) -> str:
    """Return a text as a model gets to see it; asking for it again changes nothing.

    Invisible and control characters go, ``<|…`` and ``[INST]`` lose their meaning to chat templates, and numbers in
    square brackets become round ones, since square ones are the citations of the answer.
    """
    kept = _LINE_END.sub("\n", text)
    kept = "".join(_visible(char) for char in kept)
    kept = _CHAT_MARK.sub("< ", kept)
    kept = _BRACKET_MARK.sub("[ ", kept)
    return _NUMBERS.sub(lambda match: f"({match[1].strip()})", kept)


def mark_for(texts: Sequence[str]) -> str:
    """Return eight hexadecimal digits that stand in none of the texts, the same for the same texts."""
    digest = hashlib.sha256()
    for text in texts:
        encoded = text.encode("utf-8", "replace")
        digest.update(f"{len(encoded)}:".encode() + encoded)
    mark = digest.hexdigest()[:8]
    while any(mark in text for text in texts):
        digest.update(b"once more")
        mark = digest.hexdigest()[:8]
    return mark


def fenced(name: str, text: str, mark: str) -> str:
    """Return one text between its two lines; ``name`` is ours and never from outside."""
    lines = quoted_text(text).split("\n")
    inside = "\n".join(LINE + line for line in lines)
    return f"--- begin {name} {mark} ---\n{inside}\n--- end {name} {mark} ---"


def quote(passages: Sequence[EvidencePassage], *, mark: str | None = None) -> str:
    """Return the passages as numbered data, from 1, in their order.

    Parameters
    ----------
    passages
        Texts and references are quoted alike: a title is a text from outside too.
    mark
        As from :func:`mark_for` over everything that is quoted in one prompt; made from the passages where None.
    """
    if mark is None:
        mark = mark_for([part for passage in passages for part in (passage.text, passage.reference)])
    return "\n\n".join(fenced(f"passage {number}", _shown(p), mark) for number, p in enumerate(passages, 1))


def stands_in(extract: str, text: str) -> bool:
    """Return whether an extract occurs in a text, from word to word.

    White space, upper and lower case, the kinds of dashes and quotation marks and what :func:`quoted_text` changes do
    not count. An extract without a letter or digit occurs nowhere.
    """
    wanted, given = _plain(extract), _plain(text)
    if not any(char.isalnum() for char in wanted):
        return False
    start = given.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        inside_before = start > 0 and given[start - 1].isalnum() and wanted[0].isalnum()
        inside_after = end < len(given) and given[end].isalnum() and wanted[-1].isalnum()
        if not inside_before and not inside_after:
            return True
        start = given.find(wanted, start + 1)
    return False


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", quoted_text(text)).translate(_FOLDED).casefold()
    return " ".join(folded.split())


def _shown(passage: EvidencePassage) -> str:
    if not passage.reference:
        return passage.text
    return f"({' '.join(passage.reference.split())})\n{passage.text}"


def _visible(char: str) -> str:
    if char in "\n\t" or char in _JOINERS:
        return char
    category = unicodedata.category(char)
    return {"Cs": "\ufffd", "Cc": " ", "Cf": "", "Zl": " ", "Zp": " "}.get(category, char)
