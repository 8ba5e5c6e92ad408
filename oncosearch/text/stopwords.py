"""Words that say nothing on their own, and words that say little as part of a longer one; both lists are ours.

Two kinds of word are left out of the stop words on purpose. Negations (``nicht``, ``kein``, ``ohne``, ``not``,
``without`` …) turn the meaning of a clinical sentence round. And a word that is also a common abbreviation of the
field, whatever its case: ``er`` (oestrogen receptor), ``all`` (acute lymphoblastic
leukaemia), ``who``, ``us``, ``mal``.
"""

from __future__ import annotations

from functools import cache

from oncosearch.text.normalise import fold, stem

_NEGATIONS = """
    nicht kein keine keinem keinen keiner keines nie niemals ohne weder ausser gegen
    no non nor not never neither none without against except
"""
NEGATIONS = frozenset(_NEGATIONS.split())

_GERMAN = """
aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da dabei dadurch dafür damit
danach daran darauf daraus darf darin darüber das dass davon dazu dein deine dem den denn der deren des dessen die
dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines es etwa für gibt habe
haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in indem ins ist ja jede jedem
jeden jeder jedes jedoch kann können könnte man mehr mein meine mich mir mit muss müssen nach neben noch nun nur ob
oder oft sehr sein seine seinem seinen seiner seit sich sie sind so sobald sofern sogar solche solchen soll sollen
sollte sollten sondern sonst sowie über um und uns unser unter vom von vor während wann war waren warum was weil
weiter welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wobei wodurch wofür
womit worden wurde wurden zu zum zur zwar zwischen bzw dh eg etc ggf ie ua usw vgl zb
"""
_ENGLISH = """
a about after also am an and any are as at be because been before being between both but by can could did do does
doing done during each for from further had has have having he hence here his how i if in into is it its itself
just may me might more most must my of on once only onto or other our over own per s same shall she should since so
some such than that the their them then there these they this those through thus to too under until up upon very
via was we were what when where whether which while whom whose why will with within would you your her
"""
STOP_WORDS = frozenset(fold(w) for w in f"{_GERMAN} {_ENGLISH}".split())

# As a part of a compound these name a kind, not the thing: "Krebs" in "Lungenkrebs".
_GENERIC = """
krebs tumor tumoren karzinom carcinoma cancer sarkom lymphom leukämie neoplasie malignom metastase metastasen
erkrankung krankheit syndrom disease syndrome therapie therapy behandlung treatment zelle zellen zell cell
mutation gen gene faktor factor patient patientin inhibitor hemmer blocker rezeptor receptor kinase protein
diagnostik diagnose untersuchung stadium stage marker wirkung risiko risk status expression schema linie gewebe organ
operation resektion transplantation studie leitlinie gruppe system typ grad dosis
"""


@cache
def generic_stems() -> frozenset[str]:
    """Return the stems of the words that name only a kind when they are a part of a longer word."""
    return frozenset(stem(fold(w)) for w in _GENERIC.split())
