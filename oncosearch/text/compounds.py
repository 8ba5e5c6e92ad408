"""German compounds split into parts that the graph itself knows as words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from oncosearch.text.normalise import fold, stem

MIN_PART = 4
MIN_WORD = 2 * MIN_PART
MAX_WORD = 60
MAX_PARTS = 5
LINKS = ("", "s", "n", "en", "es", "er", "e")

# Forms that stand in compounds though hardly any text has them as a word, and the commonest heads and organs, so
# that a graph of a dozen nodes splits sensibly too. Folded (ä as ae).
_FORMS = """
    adeno adrenal antikoerper anus arterie basalzell bauch bauchspeicheldruese becken bestrahlung biopsie blase
    blastom blut bronchial bronchus brust chemo chirurgie darm diagnostik dickdarm druese duenndarm eierstock
    embolie endometrium entzuendung epithel erhaltung erkrankung faktor fieber frueherkennung galle gallenblase
    gallengang gebaermutter gebaermutterhals gefaess gehirn gelenk gewebe haematom haemoglobin hals haut hemmer
    hepato herz hirn hirnhaut hoden hormon immun infektion inhibitor kapsel karzinom kehlkopf keim keimzell kinase
    klassifikation knochen knochenmark knoten kolon kolorektal kopf krebs leber leukaemie linie lunge lymph
    lymphknoten lymphom magen mamma mammo mark marker mastdarm melanom merkel metastase milz mutation myelom
    nachsorge nebenniere nebenwirkung nerv niere oesophagus operation ovarial palliativ pankreas pathologie
    peritoneal plattenepithel pleura portal prophylaxe prostata protein rachen radio rektum resektion rezeptor
    rezidiv risiko saeule sarkom schaden schilddruese schleimhaut schmerz schwangerschaft screening speicheldruese
    speiseroehre stadium stammzell strahl strahlen supportiv syndrom system therapie thorax thrombose transfusion
    translokation transplantation tumor untersuchung urothel uterus vene verlust wachstum weichteil wirbel
    wirbelsaeule zell zelle zervix zunge zweit
"""
COMBINING_FORMS = frozenset(_FORMS.split())
# Prefixes and endings that look like words; a compound is never cut there.
_NEVER = """
    aber alle alles anti auch auto dass dies durch eine einer einem einen eines extra fuer gegen haben hinter hyper hypo
    infra inter intra jede kein keine mehr meta mono multi neben nicht oder ohne para peri poly post prae semi sich sind
    supra trans ueber ultra unter voll vorder wenig wird zwischen
    heit keit lich schaft tion tionen ment ments ung ungen enden ender
"""
_NEVER_PARTS = frozenset(_NEVER.split())
_NEGATED = ("nicht", "non")
_WORD = re.compile(r"[^\W\d_]{4,}")


class CompoundSplitter:
    """Splits German compounds into known parts; the same words always give the same splits.

    Parameters
    ----------
    counts
        Folded words (a–z, at least four letters) with how often the graph has them.
    """

    def __init__(self, counts: Iterable[tuple[str, int]] = ()) -> None:
        known = {w: n for w, n in counts if len(w) >= MIN_PART and w not in _NEVER_PARTS}
        self._counts = dict(sorted(known.items()))
        self._words = frozenset(self._counts) | COMBINING_FORMS
        self._heads = frozenset(stem(w) for w in self._words)
        # "Sprach-therapie": a first part may have lost the e of its word.
        self._without_e = frozenset(w[:-1] for w in self._words if len(w) > MIN_PART + 1 and w.endswith("e"))
        self._split = lru_cache(maxsize=1 << 17)(self._split_uncached)

    @classmethod
    def from_counts(cls, words: Iterable[tuple[str, int]]) -> CompoundSplitter:
        """Return a splitter that knows ``words``, given with their capitals and how often each stands there.

        German nouns carry capitals, and compounds are made of nouns: a word that stands in small letters in more than
        half of its places (an adjective, a verb, an English word) does not become a part. Of words with joints, signs
        and digits ("EGFR-Mutation", "HER2+") each run of letters counts by itself.
        """
        total: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for word, count in words:
            for letters in _WORD.findall(word):
                folded = fold(letters)
                if len(folded) < MIN_PART or not (folded.isascii() and folded.isalpha()):
                    continue
                total[folded] += count
                capital[folded] += count * (letters[:1].isupper() and letters[1:].islower())
        return cls((w, n) for w, n in total.items() if 2 * capital[w] >= n)

    @classmethod
    def from_vocabulary(cls, words: Iterable[str]) -> CompoundSplitter:
        """Return a splitter that knows ``words``, given once per occurrence."""
        return cls.from_counts((word, 1) for word in words)

    @classmethod
    def from_lines(cls, lines: Iterable[str]) -> CompoundSplitter:
        """Return the splitter that :meth:`to_lines` wrote.

        Raises
        ------
        ValueError
            If a line is not ``word<TAB>count``.
        """
        pairs = []
        for number, line in enumerate(lines, 1):
            word, tab, count = line.rstrip("\r\n").partition("\t")
            if not (word and tab and count.isdecimal()):
                raise ValueError(f"line {number} is {line!r}; expected a word, a tab and a count")
            pairs.append((word, int(count)))
        return cls(pairs)

    def to_lines(self) -> list[str]:
        """Return the words of the graph with their counts as ``word<TAB>count``, sorted by word."""
        return [f"{word}\t{count}" for word, count in self._counts.items()]

    def split(self, word: str) -> tuple[str, ...]:
        """Return the parts of a folded word in order, without linking letters; empty where it is no compound.

        Of all ways to cut, the one with the fewest parts is taken, then the one with the most frequent parts, then
        the one with the longest first part; a part that is itself a compound is cut further.
        ``lebermetastasenresektion`` → ``("leber", "metastasen", "resektion")``.
        """
        if not MIN_WORD <= len(word) <= MAX_WORD or word.startswith(_NEGATED) or not word.isascii():
            return ()
        return self._split(word)

    def inner_words(self, word: str) -> tuple[str, ...]:
        """Return known words that stand inside a compound of three or more parts (``lebermetastasen``), in order."""
        parts = self.split(word)
        found = []
        for first in range(len(parts)):
            for last in range(first + 2, len(parts) + 1):
                if last - first < len(parts):
                    begin = word.find(parts[first])
                    end = word.rfind(parts[last - 1]) + len(parts[last - 1])
                    inner = word[begin:end]
                    if inner in self._words or stem(inner) in self._heads:
                        found.append(inner)
        return tuple(dict.fromkeys(found))

    def _split_uncached(self, word: str) -> tuple[str, ...]:
        whole = stem(word)
        best: tuple[tuple[float, ...], tuple[str, ...]] | None = None
        for parts in self._cuts(word, MAX_PARTS):
            if len(parts) < 2 or any(stem(p) == whole for p in parts):
                continue
            rank = (len(parts), -min(self._counts.get(p, 1) for p in parts), *(-len(p) for p in parts))
            if best is None or (rank, parts) < best:
                best = (rank, parts)
        if best is None:
            return ()
        return tuple(leaf for part in best[1] for leaf in (self.split(part) or (part,)))

    def _cuts(self, rest: str, allowed: int) -> Iterator[tuple[str, ...]]:
        if self._is_head(rest):
            yield (rest,)
        if allowed <= 1:
            return
        for end in range(MIN_PART, len(rest) - MIN_PART + 1):
            part = rest[:end]
            if not self._is_first(part):
                continue
            for link in LINKS:
                after = end + len(link)
                if rest.startswith(link, end) and len(rest) - after >= MIN_PART:
                    for tail in self._cuts(rest[after:], allowed - 1):
                        yield (part, *tail)

    def _is_first(self, part: str) -> bool:
        return part not in _NEVER_PARTS and (part in self._words or part in self._without_e)

    def _is_head(self, part: str) -> bool:
        # The last part carries the ending of the whole word, so its stem is what must be known.
        if len(part) < MIN_PART or part in _NEVER_PARTS:
            return False
        return part in self._words or (len(stem(part)) >= MIN_PART and stem(part) in self._heads)
