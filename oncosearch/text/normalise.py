"""Characters and word forms: what makes two spellings of one word the same, with ranges into the original text."""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from typing import Any

MINUS = "\u2212"

# One character for one character, so that ranges stay as they are. The minus sign is kept apart from the hyphens:
# after a marker it always means "negative", a hyphen only sometimes.
_SAME_LENGTH = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\ufe58\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2122\u2120\u00ae\u00a9", " "),
        "\u2019": "'",
    }
)
_REMOVED = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]")
# The last character of a run may carry a combining mark and is looked at by itself.
_ASCII_RUN = re.compile(r"[\x00-\x7f]+(?=[\x00-\x7f])")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "œ": "oe", "ø": "oe", "ß": "ss"})
_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau
    upsilon phi chi psi omega
"""
_GREEK = {ord("α") + i: name for i, name in enumerate(_GREEK_NAMES.split())}
_MICRO_UNIT = re.compile(r"^μ(?=(?:g|l|m|mol)$)")
_STEMMABLE = re.compile(r"[a-z]{4,}")
# Where the German stemmer makes one word of two ("Leber" and "Leben", "Marker" and "Mark") or two of one.
_STEMS = {
    **dict.fromkeys(("leber", "lebern"), "leber"),
    **dict.fromkeys(("marker", "markers", "markern"), "marker"),
    **dict.fromkeys(("stadium", "stadiums", "stadien"), "stadium"),
    **dict.fromkeys(("magen", "magens"), "magen"),
}
_local = threading.local()


def normalise(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """Return the text in one spelling of its characters, and where each of its characters came from.

    NFKC, typographic dashes as ``-``, soft hyphens and zero-width characters removed; case is kept. The minus sign
    U+2212 stays itself.

    Returns
    -------
    tuple
        The normalised text and, per character, its (start, end) in ``text``; None where both are the same place by
        place.
    """
    if text.isascii():
        return text, None
    text_one = text.translate(_SAME_LENGTH)
    if not _REMOVED.search(text_one) and unicodedata.is_normalized("NFKC", text_one):
        return text_one, None
    out: list[str] = []
    places: list[tuple[int, int]] = []
    start = 0
    while start < len(text_one):
        run = _ASCII_RUN.match(text_one, start)
        if run is not None:
            out.append(run[0])
            places.extend((i, i + 1) for i in range(start, run.end()))
            start = run.end()
            continue
        end = start + 1
        while end < len(text_one) and unicodedata.combining(text_one[end]):
            end += 1
        piece = unicodedata.normalize("NFKC", _REMOVED.sub("", text_one[start:end])).translate(_SAME_LENGTH)
        out.append(piece)
        places.extend([(start, end)] * len(piece))
        start = end
    return "".join(out), places


@lru_cache(maxsize=1 << 17)
def fold(word: str) -> str:
    """Return the word without differences of case, of ß/ss, ä/ae and of accents, Greek letters by name (α → alpha)."""
    word = word.casefold()
    if word.isascii():
        return word
    word = _MICRO_UNIT.sub("u", unicodedata.normalize("NFC", word)).translate(_UMLAUTS)
    plain = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return plain.casefold().translate(_GREEK)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the index form of a folded word: its German stem, then the English stem of that.

    No language is guessed, both sides of a search go through the same function. In this order ``Therapie``,
    ``Therapien``, ``therapy`` and ``therapies`` meet, and so do ``Mutation``, ``Mutationen`` and ``mutations``. Greek
    words on -sis are read as their German form (``diagnosis`` as ``diagnose``). Words under four letters and words with
    anything but a–z are left alone.
    """
    if not _STEMMABLE.fullmatch(word):
        return word
    if word in _STEMS:
        return _STEMS[word]
    if len(word) > 6 and word.endswith("sis"):
        word = f"{word[:-2]}e"
    german, english = _stemmers()
    stemmed: str = english.stemWord(german.stemWord(word))
    return stemmed


def stemmer_version() -> str:
    """Return the version of the stemmer; stems of different versions may differ."""
    import Stemmer

    return str(Stemmer.version())


def _stemmers() -> tuple[Any, Any]:
    # A Snowball stemmer holds a buffer and must not be shared between threads.
    found: tuple[Any, Any] | None = getattr(_local, "stemmers", None)
    if found is None:
        import Stemmer

        found = (Stemmer.Stemmer("german", 0), Stemmer.Stemmer("english", 0))
        _local.stemmers = found
    return found
