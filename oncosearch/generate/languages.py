"""Whether a text is German or English, by its small words: enough to know when words cannot be compared."""

from __future__ import annotations

from typing import Literal

from oncosearch.text import words

_GERMAN = """
    der die das den dem des ein eine einer einem einen und oder nicht kein keine ist sind war waren wird werden wurde
    wurden bei mit von vom zur zum für auf als auch nach durch über unter sich im am dass kann können eines
"""
_ENGLISH = """
    the of and or not no is are was were be been with without for from by to at as that this these than which who
    should may can has have had an on between among
"""
_GERMAN_WORDS, _ENGLISH_WORDS = frozenset(_GERMAN.split()), frozenset(_ENGLISH.split())


def language_of(text: str) -> Literal["de", "en", ""]:
    """Return ``de`` or ``en`` where the small words of one clearly outnumber those of the other, else nothing."""
    german = english = 0
    for word in words(text):
        low = word.lower()
        german += low in _GERMAN_WORDS
        english += low in _ENGLISH_WORDS
    if german > 2 * english:
        return "de"
    return "en" if english > 2 * german else ""
