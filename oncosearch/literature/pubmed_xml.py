"""Articles from PubMed's XML, as efetch and the baseline files write it; no entity is expanded, nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any
from xml.etree.ElementTree import Element

from oncosearch.literature.article import Article, Correction, MeshHeading, PublicationDate, Section
from oncosearch.literature.jats import read_document
from oncosearch.literature.records import (
    Deletion,
    Records,
    Skipped,
    UnreadableError,
    date_in,
    date_of,
    is_pmid,
    plain_pmcid,
    superscript,
    tidy,
)

MAX_DEPTH = 200
# Label of a section that PubMed has not labelled.
_NO_LABELS = frozenset({"UNASSIGNED", "UNLABELLED", "UNLABELED"})
_RECORDS = frozenset({"PubmedArticle", "PubmedBookArticle", "DeleteCitation", "DeleteDocument", "article"})
_ROOTS = _RECORDS | {"PubmedArticleSet", "PubmedBookArticleSet", "pmc-articleset"}


def read_articles(stream: IO[bytes]) -> Records:
    """Yield articles, full texts (of PubMed Central), deletions and skipped records of an XML file, in its order.

    A baseline file is read in little memory.

    Raises
    ------
    UnreadableError
        If the file is broken, declares entities, or holds no set of articles.
    """
    number = 0
    for element in _elements(stream):
        if element.tag in {"DeleteCitation", "DeleteDocument"}:
            yield from (Deletion(p) for e in element.iter("PMID") if is_pmid(p := tidy(e.text)))
            continue
        number += 1
        if element.tag == "article":
            yield read_document(element) or Skipped(f"record {number}", "", "full text without a PMC id or a body")
            continue
        article = read_article(element)
        yield article or Skipped(f"record {number}", tidy(element.findtext(".//PMID")), "no valid PMID")


def _elements(stream: IO[bytes]) -> Iterator[Element]:
    """Yield the outermost records, each complete; it is emptied when the next one is asked for."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, iterparse

    stack: list[Element] = []
    inside: Element | None = None
    try:
        for event, element in iterparse(
            stream, events=("start", "end"), forbid_dtd=False, forbid_entities=True, forbid_external=True
        ):
            if event == "start":
                if len(stack) >= MAX_DEPTH:
                    raise UnreadableError(f"The XML is nested over {MAX_DEPTH} deep; it is refused.")
                if not stack and element.tag not in _ROOTS:
                    raise UnreadableError(
                        f"The XML begins with <{element.tag[:80]}>; expected PubmedArticleSet, PubmedBookArticleSet, "
                        "article or pmc-articleset."
                    )
                stack.append(element)
                if inside is None and element.tag in _RECORDS:
                    inside = element
                continue
            stack.pop()
            if inside is not None and element is inside:
                yield inside
                inside.clear()
                inside = None
            if inside is None and stack:
                stack[-1].clear()
    except ParseError as error:
        raise UnreadableError(f"The XML is broken: {error}.") from error
    except DefusedXmlException as error:
        raise UnreadableError(
            "The XML declares entities or refers to files, which PubMed's never does; it is refused."
        ) from error
    except (LookupError, ValueError) as error:
        raise UnreadableError(f"The XML cannot be decoded: {error}.") from error


def whole(text: bytes) -> Element:
    """Return the root of a small XML document, under the same rules.

    Raises
    ------
    UnreadableError
        If the XML is broken or declares entities.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        root: Element = fromstring(text, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except ParseError as error:
        raise UnreadableError(f"The XML is broken: {error}.") from error
    except DefusedXmlException as error:
        raise UnreadableError("The XML declares entities or refers to files; it is refused.") from error
    except (LookupError, ValueError) as error:
        raise UnreadableError(f"The XML cannot be decoded: {error}.") from error
    return root


def text_of(element: Element | None) -> str:
    """Return all text in an element, also that of ``<i>`` and the like; raised numbers stay raised (10⁶)."""
    if element is None:
        return ""
    for raised in element.iter("sup"):
        if len(raised) == 0:
            raised.text = superscript(raised.text)
    return tidy("".join(element.itertext()))


def read_article(element: Element) -> Article | None:
    """Return the article of a ``PubmedArticle`` or ``PubmedBookArticle``, or None if it has no valid PMID."""
    if element.tag == "PubmedBookArticle":
        return _book(element)
    citation = element.find("MedlineCitation")
    pmid = tidy(citation.findtext("PMID")) if citation is not None else ""
    body = citation.find("Article") if citation is not None else None
    if citation is None or body is None or not is_pmid(pmid):
        return None
    ids = {i.get("IdType"): tidy(i.text) for i in element.iterfind("PubmedData/ArticleIdList/ArticleId")}
    doi = next((tidy(e.text) for e in body.iterfind("ELocationID") if e.get("EIdType") == "doi"), None)
    vernacular = text_of(body.find("VernacularTitle"))
    return Article(
        pmid=pmid,
        title=text_of(body.find("ArticleTitle")) or vernacular,
        vernacular_title=vernacular,
        abstract=_abstract(body),
        journal=tidy(body.findtext("Journal/Title")),
        journal_short=tidy(
            body.findtext("Journal/ISOAbbreviation") or citation.findtext("MedlineJournalInfo/MedlineTA")
        ),
        date=_date(body.find("Journal/JournalIssue/PubDate")) or _date(body.find("ArticleDate")),
        publication_types=_texts(body, "PublicationTypeList/PublicationType"),
        mesh=tuple(filter(None, map(_heading, citation.iterfind("MeshHeadingList/MeshHeading")))),
        keywords=_texts(citation, "KeywordList/Keyword"),
        authors=_authors(body, "AuthorList/Author"),
        languages=_texts(body, "Language"),
        doi=ids.get("doi") or doi or None,
        pmcid=plain_pmcid(ids.get("pmc")),
        corrections=tuple(
            Correction(c.get("RefType", ""), tidy(c.findtext("RefSource")), tidy(c.findtext("PMID")) or None)
            for c in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
        ),
    )


def _book(element: Element) -> Article | None:
    document = element.find("BookDocument")
    pmid = tidy(document.findtext("PMID")) if document is not None else ""
    if document is None or not is_pmid(pmid):
        return None
    book = text_of(document.find("Book/BookTitle"))
    ids = {i.get("IdType"): tidy(i.text) for i in document.iterfind("ArticleIdList/ArticleId")}
    return Article(
        pmid=pmid,
        title=text_of(document.find("ArticleTitle")) or book,
        vernacular_title=text_of(document.find("VernacularTitle")),
        abstract=_abstract(document),
        date=_date(document.find("ContributionDate")) or _date(document.find("Book/PubDate")),
        publication_types=_texts(document, "PublicationType"),
        keywords=_texts(document, "KeywordList/Keyword"),
        authors=_authors(document, "AuthorList/Author") or _authors(document, "Book/AuthorList/Author"),
        languages=_texts(document, "Language"),
        doi=ids.get("doi") or None,
        pmcid=plain_pmcid(ids.get("pmc")),
        book=book,
    )


def _abstract(element: Element) -> tuple[Section, ...]:
    sections = []
    for part in element.iterfind("Abstract/AbstractText"):
        label = tidy(part.get("Label"))
        if text := text_of(part):
            sections.append(Section("" if label.upper() in _NO_LABELS else label, text))
    return tuple(sections)


def _date(element: Element | None) -> PublicationDate | None:
    if element is None:
        return None
    if year := element.findtext("Year"):
        return date_of(year, element.findtext("Month") or element.findtext("Season"), element.findtext("Day"))
    return date_in(element.findtext("MedlineDate"))


def _heading(element: Element) -> MeshHeading | None:
    descriptor: Any = element.find("DescriptorName")
    name = text_of(descriptor)
    if not name:
        return None
    qualifiers = element.findall("QualifierName")
    major = any(e.get("MajorTopicYN") == "Y" for e in (descriptor, *qualifiers))
    return MeshHeading(name, tuple(map(text_of, qualifiers)), major)


def _authors(element: Element, path: str) -> tuple[str, ...]:
    names = []
    for author in element.iterfind(path):
        name = text_of(author.find("CollectiveName"))
        if not name:
            given = tidy(author.findtext("Initials") or author.findtext("ForeName"))
            name = tidy(f"{text_of(author.find('LastName'))} {given}")
        names.append(name)
    return tuple(filter(None, names))


def _texts(element: Element, path: str) -> tuple[str, ...]:
    return tuple(filter(None, map(text_of, element.iterfind(path))))
