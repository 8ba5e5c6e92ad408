"""What literature is made of: articles, full texts, pages of a search, and the protocol that every source keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

# Publication types (in lower case) of articles that no answer may rest on.
RETRACTED_TYPE = "retracted publication"
NOTICE_TYPES = frozenset({"retraction of publication", "retraction notice"})


@dataclass(frozen=True, slots=True)
class Section:
    """A part of an abstract; ``label`` is empty where it has none."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class PublicationDate:
    """A date as exactly as it is known."""

    year: int
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        """Return ``2011``, ``2011-03`` or ``2011-03-09``."""
        parts = [f"{self.year:04}"]
        if self.month is not None:
            parts.append(f"{self.month:02}")
            if self.day is not None:
                parts.append(f"{self.day:02}")
        return "-".join(parts)

    @property
    def first_day(self) -> int:
        """The first day that it can mean, as the number yyyymmdd: what date ranges are compared with."""
        return self.year * 10000 + (self.month or 1) * 100 + (self.day or 1 if self.month else 1)


@dataclass(frozen=True, slots=True)
class MeshHeading:
    """A MeSH heading with its qualifiers; ``major`` if it or a qualifier is a main topic of the article."""

    name: str
    qualifiers: tuple[str, ...] = ()
    major: bool = False


@dataclass(frozen=True, slots=True)
class Correction:
    """A link to a correction, retraction, comment or the like.

    ``kind`` is PubMed's word for it (``ErratumIn``, ``RetractionIn``, ``ExpressionOfConcernIn``, ``CommentOn``, …).
    """

    kind: str
    reference: str
    pmid: str | None = None


@dataclass(frozen=True, slots=True)
class Article:
    """An article or book chapter of PubMed. ``pmcid`` (with ``PMC``) says that a full text may be had."""

    pmid: str
    title: str
    abstract: tuple[Section, ...] = ()
    journal: str = ""
    date: PublicationDate | None = None
    publication_types: tuple[str, ...] = ()
    mesh: tuple[MeshHeading, ...] = ()
    keywords: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    doi: str | None = None
    pmcid: str | None = None
    corrections: tuple[Correction, ...] = ()
    vernacular_title: str = ""
    book: str = ""
    journal_short: str = ""

    @property
    def abstract_text(self) -> str:
        """The abstract as one text, a paragraph a section, with labels: ``METHODS: …``."""
        return "\n".join(f"{s.label}: {s.text}" if s.label else s.text for s in self.abstract)

    @property
    def text(self) -> str:
        """Title and abstract, the text that is embedded and searched."""
        return "\n".join(part for part in (self.title, self.abstract_text) if part)

    @property
    def retracted(self) -> bool:
        """Whether the article was retracted (by its publication type or a retraction that names it)."""
        return RETRACTED_TYPE in map(str.lower, self.publication_types) or any(
            c.kind == "RetractionIn" for c in self.corrections
        )

    @property
    def retraction_notice(self) -> bool:
        """Whether this is the notice that another article was retracted."""
        return bool(NOTICE_TYPES & set(map(str.lower, self.publication_types))) or any(
            c.kind == "RetractionOf" for c in self.corrections
        )

    @property
    def concern(self) -> bool:
        """Whether an editor expressed concern or retracted a part: shown, and no bar to evidence."""
        return any(c.kind in {"ExpressionOfConcernIn", "PartialRetractionIn"} for c in self.corrections)

    @property
    def corrected(self) -> bool:
        """Whether a correction (erratum, corrected or republished version) was published."""
        return any(c.kind in {"ErratumIn", "CorrectedandRepublishedIn", "UpdateIn"} for c in self.corrections)

    @property
    def usable(self) -> bool:
        """Whether an answer may rest on it: neither retracted nor the notice of a retraction."""
        return not self.retracted and not self.retraction_notice


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """A section of a full text: its headings from outside in, and its paragraphs."""

    headings: tuple[str, ...]
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A full text from PubMed Central, without references, tables and figures."""

    pmcid: str
    title: str
    sections: tuple[DocumentSection, ...]
    pmid: str | None = None
    article_type: str = ""
    licence: str = ""

    @property
    def text(self) -> str:
        """The whole text, a paragraph a line, with headings on lines of their own."""
        lines = [self.title] if self.title else []
        for section in self.sections:
            lines += [section.headings[-1]] if section.headings else []
            lines += section.paragraphs
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of a search.

    Parameters
    ----------
    ids
        PMIDs from rank ``start`` (counted from 0) on, best first; equal scores by PMID.
    total
        How many articles match, also beyond what can be fetched.
    capped
        Whether there are matches that the source will not give (PubMed gives the first 9,999).
    understood
        What the source made of the expression; empty if it does not say.
    warnings
        What the source said, such as a phrase that it does not know.
    asked
        When the answer came from the source (ISO 8601, UTC): earlier than now if it was kept on disk.
    ranked
        How many matches, the newest, were ordered by relevance, where it is not all; the others follow newest first.
    """

    ids: tuple[str, ...]
    total: int
    start: int = 0
    capped: bool = False
    understood: str = ""
    warnings: tuple[str, ...] = ()
    asked: str = ""
    ranked: int | None = None


@runtime_checkable
class ArticleSource(Protocol):
    """Where articles come from. ``destination`` is the host that questions go to, or empty if nothing leaves."""

    @property
    def name(self) -> str:
        """``local`` or ``eutils``."""

    @property
    def destination(self) -> str:
        """The host that every question is sent to; empty if nothing leaves this machine."""

    def search(self, expression: str, *, start: int = 0, count: int = 20) -> SearchPage:
        """Return the page of PMIDs that match a Boolean expression, most relevant first."""

    def fetch(self, pmids: Sequence[str]) -> list[Article]:
        """Return the articles in the order of ``pmids``; ids that the source does not have are left out."""

    def full_text(self, pmcid: str) -> Document | None:
        """Return the full text, or None if there is none to be had."""
