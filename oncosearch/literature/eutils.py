"""PubMed itself: NCBI's E-utilities over HTTP. Every question leaves this machine, so the source is off by default."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from oncosearch.literature.article import Article, Document, SearchPage
from oncosearch.literature.expression import same_length
from oncosearch.literature.local import FOLDER
from oncosearch.literature.parsing import parse
from oncosearch.literature.pubmed_xml import read_articles, text_of, whole
from oncosearch.literature.records import UnreadableError, date_in, is_pmid, plain_pmcid, tidy
from oncosearch.literature.transport import Sent, Transport, TryAgainError
from oncosearch.model import UsageError
from oncosearch.settings import Settings

# PubMed gives the first 9,999 matches of a search, and no more.
LAST_RANK = 9_999
BATCH = 100
SEARCH_DAYS = 1.0
ARTICLE_DAYS = 30.0

_MARKUP = re.compile(r"</?(?:i|b|u|sub|sup)>")


class EutilsSource:
    """PubMed over the E-utilities; ``sent`` lists what left this machine."""

    name = "eutils"

    def __init__(self, settings: Settings) -> None:
        self._transport = Transport(settings, settings.home / FOLDER)

    @classmethod
    def open(cls, settings: Settings) -> EutilsSource:
        """Return the source, if it is switched on.

        Raises
        ------
        UsageError
            With the code ``eutils_off`` if ``ONCOSEARCH_EUTILS`` is not on.
        """
        if not settings.eutils:
            raise UsageError(
                "Searching PubMed itself is switched off: it would send the question to "
                f"{settings.eutils_address}. Set ONCOSEARCH_EUTILS=on to allow it, or search the imported articles "
                "(source local).",
                code="eutils_off",
                address=settings.eutils_address,
            )
        return cls(settings)

    def __enter__(self) -> EutilsSource:
        """Return the source itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the source."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    @property
    def destination(self) -> str:
        """The host that every question is sent to."""
        return self._transport.host

    @property
    def sent(self) -> tuple[Sent, ...]:
        """The last requests that left this machine, with all that they said."""
        return self._transport.sent

    def search(self, expression: str, *, start: int = 0, count: int = 20, fresh: bool = False) -> SearchPage:
        """Return a page of the PMIDs that match, in PubMed's order of relevance.

        Of more than 9,999 matches PubMed gives the first 9,999: ``capped`` says so, and beyond them a page is empty.

        Raises
        ------
        ExpressionError
            If the expression cannot be read; nothing is sent then.
        SourceError
            If PubMed gives no answer.
        """
        if start < 0 or count < 0:
            raise UsageError(f"start is {start} and count {count}; expected 0 or more.")
        parse(expression)
        beyond = start >= LAST_RANK
        parameters = [
            ("db", "pubmed"),
            ("term", " ".join(same_length(expression).encode("utf-8", "replace").decode().split())),
            ("retstart", str(0 if beyond else start)),
            ("retmax", str(0 if beyond else min(count, LAST_RANK - start))),
            ("sort", "relevance"),
            ("retmode", "xml"),
        ]
        answer = self._transport.ask("esearch", parameters, _read_search, days=SEARCH_DAYS, fresh=fresh)
        total, ids, understood, warnings = answer.value
        return SearchPage(
            ids=ids,
            total=total,
            start=start,
            capped=total > LAST_RANK,
            understood=understood,
            warnings=warnings,
            asked=answer.asked,
        )

    def fetch(self, pmids: Sequence[str], *, fresh: bool = False) -> list[Article]:
        """Return the articles in the order of ``pmids``; those that PubMed does not have are left out."""
        found: dict[str, Article] = {}
        for batch in _batches(pmids):
            parameters = [("db", "pubmed"), ("id", ",".join(batch)), ("retmode", "xml")]
            answer = self._transport.ask("efetch", parameters, _read_articles, days=ARTICLE_DAYS, fresh=fresh)
            found |= {article.pmid: article for article in answer.value}
        return [found[pmid] for pmid in pmids if pmid in found]

    def summaries(self, pmids: Sequence[str], *, fresh: bool = False) -> list[Article]:
        """Return the articles without abstracts and headings, which is quicker, in the order of ``pmids``."""
        found: dict[str, Article] = {}
        for batch in _batches(pmids):
            parameters = [("db", "pubmed"), ("id", ",".join(batch)), ("version", "2.0"), ("retmode", "xml")]
            answer = self._transport.ask("esummary", parameters, _read_summaries, days=ARTICLE_DAYS, fresh=fresh)
            found |= {article.pmid: article for article in answer.value}
        return [found[pmid] for pmid in pmids if pmid in found]

    def pmc_ids(self, pmids: Sequence[str], *, fresh: bool = False) -> dict[str, str]:
        """Return for each PMID that has a full text in PubMed Central its PMC id."""
        found: dict[str, str] = {}
        for batch in _batches(pmids):
            # An id for itself each, or PubMed would answer for all of them together.
            parameters = [("dbfrom", "pubmed"), ("db", "pmc"), ("linkname", "pubmed_pmc"), ("retmode", "xml")]
            parameters += [("id", pmid) for pmid in batch]
            found |= self._transport.ask("elink", parameters, _read_links, days=ARTICLE_DAYS, fresh=fresh).value
        return found

    def full_text(self, pmcid: str, *, fresh: bool = False) -> Document | None:
        """Return the full text, or None if PubMed Central has none that may be read by programs."""
        plain = plain_pmcid(pmcid)
        if plain is None:
            return None
        parameters = [("db", "pmc"), ("id", plain.removeprefix("PMC")), ("retmode", "xml")]
        found = self._transport.ask("efetch", parameters, _read_documents, days=ARTICLE_DAYS, fresh=fresh).value
        return next((document for document in found if document.pmcid == plain), None)


def _batches(pmids: Sequence[str]) -> list[list[str]]:
    wanted = [pmid for pmid in dict.fromkeys(pmids) if is_pmid(pmid)]
    return [wanted[at : at + BATCH] for at in range(0, len(wanted), BATCH)]


def _root(body: bytes, name: str) -> Element:
    root = whole(body)
    if said := tidy(root.findtext("ERROR") or (root.text if root.tag == "ERROR" else "")):
        # Its search engine is restarted now and then; other errors are told as they are.
        raise TryAgainError(said)
    if root.tag != name:
        raise UnreadableError(f"It begins with <{root.tag[:80]}> where <{name}> was expected.")
    return root


def _read_search(body: bytes) -> tuple[int, tuple[str, ...], str, tuple[str, ...]]:
    root = _root(body, "eSearchResult")
    count = tidy(root.findtext("Count"))
    ids = tuple(tidy(e.text) for e in root.iterfind("IdList/Id"))
    if not count.isdecimal() or not all(map(is_pmid, ids)):
        raise UnreadableError("It holds no count, or something that is no PMID.")
    warnings = tuple(
        f"{e.tag}: {text}" if e.tag != "OutputMessage" else text
        for part in ("ErrorList", "WarningList")
        for e in root.iterfind(f"{part}/*")
        if (text := text_of(e))
    )
    return int(count), ids, tidy(root.findtext("QueryTranslation")), warnings


def _read_articles(body: bytes) -> list[Article]:
    return [record for record in read_articles(io.BytesIO(body)) if isinstance(record, Article)]


def _read_documents(body: bytes) -> list[Document]:
    return [record for record in read_articles(io.BytesIO(body)) if isinstance(record, Document)]


def _read_links(body: bytes) -> dict[str, str]:
    found = {}
    for links in _root(body, "eLinkResult").iterfind("LinkSet"):
        pmid = tidy(links.findtext("IdList/Id"))
        for group in links.iterfind("LinkSetDb"):
            pmcid = plain_pmcid(group.findtext("Link/Id"))
            if tidy(group.findtext("LinkName")) == "pubmed_pmc" and is_pmid(pmid) and pmcid:
                found[pmid] = pmcid
    return found


def _read_summaries(body: bytes) -> list[Article]:
    root = _root(body, "eSummaryResult")
    found = []
    for summary in root.iterfind("DocumentSummarySet/DocumentSummary"):
        pmid = tidy(summary.get("uid"))
        if summary.find("error") is not None or not is_pmid(pmid):
            continue
        ids = {tidy(e.findtext("IdType")): tidy(e.findtext("Value")) for e in summary.iterfind("ArticleIds/ArticleId")}
        found.append(
            Article(
                pmid=pmid,
                title=_MARKUP.sub("", text_of(summary.find("Title"))),
                journal=text_of(summary.find("FullJournalName")),
                journal_short=text_of(summary.find("Source")),
                date=date_in(summary.findtext("PubDate")) or date_in(summary.findtext("EPubDate")),
                publication_types=_texts(summary, "PubType/flag"),
                authors=_texts(summary, "Authors/Author/Name"),
                languages=_texts(summary, "Lang/string"),
                doi=ids.get("doi") or None,
                pmcid=plain_pmcid(ids.get("pmc")),
                book=text_of(summary.find("BookTitle")),
            )
        )
    return found


def _texts(element: Element, path: str) -> tuple[str, ...]:
    return tuple(filter(None, map(text_of, element.iterfind(path))))
