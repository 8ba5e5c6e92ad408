"""A server on this machine that speaks the E-utilities protocol over a local source, with faults on demand.

It keeps NCBI's rules: more than 3 requests a second (10 with a key) are answered with 429, a search gives the first
9,999 PMIDs only, an unknown key is refused.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from oncosearch.literature.article import Article, Document
from oncosearch.literature.local import LocalSource
from oncosearch.literature.parsing import ExpressionError

LIMIT = 9_999
KEY = "a-key-of-the-tests"
Parameters = dict[str, list[str]]


@dataclass(frozen=True)
class Request:
    """A request as it came in."""

    method: str
    operation: str
    parameters: Parameters
    at: float


@dataclass
class Server:
    """The running server: where it is, what it was asked, and what goes wrong with the next requests.

    ``faults`` are taken one a request: a status (``429``, ``500``, ``302``), ``broken`` (XML that breaks off),
    ``html``, ``slow`` (no answer for ``slow_seconds``), ``drop`` (the connection is closed), ``busy`` (an error told
    with status 200), or None for none.
    """

    source: LocalSource
    address: str = ""
    faults: deque[int | str | None] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    retry_after: str = ""
    slow_seconds: float = 3.0
    keep_rate: bool = True
    refused: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)


@contextmanager
def serve(source: LocalSource) -> Iterator[Server]:
    """Lend a running server over a source; ``address`` is what goes into ``ONCOSEARCH_EUTILS_ADDRESS``."""
    state = Server(source)

    class Handler(_Handler):
        server_state = state

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        state.address = f"http://127.0.0.1:{http.server_address[1]}/entrez/eutils"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield state
        finally:
            state.stopping.set()
            http.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server_state: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer("GET", urlsplit(self.path).query)

    def do_POST(self) -> None:
        self._answer("POST", self.rfile.read(int(self.headers["Content-Length"])).decode())

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, method: str, query: str) -> None:
        state = self.server_state
        parameters: Parameters = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            parameters.setdefault(name, []).append(value)
        operation = urlsplit(self.path).path.rsplit("/", 1)[-1].removesuffix(".fcgi")
        state.requests.append(Request(method, operation, parameters, time.monotonic()))
        key = parameters.get("api_key", [""])[0]
        fault = state.faults.popleft() if state.faults else None
        recent = sum(r.at > time.monotonic() - 1 for r in state.requests)
        if state.keep_rate and recent > (10 if key else 3):
            state.refused += 1
            fault = 429
        if fault == "drop":
            self.close_connection = True
            return
        if fault == "slow":
            state.stopping.wait(state.slow_seconds)
        if isinstance(fault, int):
            said = '{"error":"API rate limit exceeded","count":"4"}' if fault == 429 else f"<b>status</b> {fault}"
            extra = {"Location": "https://elsewhere.invalid/"} if fault == 302 else {}
            self._send(fault, said.encode(), extra | ({"Retry-After": state.retry_after} if state.retry_after else {}))
        elif key and key != KEY:
            self._send(400, f'{{"error":"API key invalid","api-key":"{key}","type":"ip"}}'.encode())
        elif operation not in _OPERATIONS:
            self._send(404, b"not found")
        else:
            root = Element("eSearchResult") if fault == "busy" else _OPERATIONS[operation](state.source, parameters)
            if fault == "busy":
                SubElement(root, "ERROR").text = "Search Backend failed: restarting"
            body = b'<?xml version="1.0" ?>\n' + _DOCTYPE.get(root.tag, b"") + ElementTree.tostring(root)
            if fault == "broken":
                body = body[: len(body) // 2]
            if fault == "html":
                body = b"<html><body>Down for maintenance</body></html>"
            self._send(200, body)

    def _send(self, status: int, body: bytes, extra: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for name, value in (extra or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            # The client gave up waiting, which is what the tests of time-outs want.
            self.close_connection = True


_DOCTYPE = {
    "eSearchResult": b'<!DOCTYPE eSearchResult PUBLIC "-//NLM//DTD esearch 20060628//EN" '
    b'"https://eutils.ncbi.nlm.nih.gov/eutils/dtd/20060628/esearch.dtd">\n',
    "PubmedArticleSet": b'<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n',
}


def _esearch(source: LocalSource, parameters: Parameters) -> Element:
    root = Element("eSearchResult")
    term = parameters.get("term", [""])[0]
    start, count = (int(parameters.get(name, [given])[0]) for name, given in (("retstart", "0"), ("retmax", "20")))
    if not term:
        SubElement(root, "ERROR").text = "Empty term and query_key - nothing todo"
        return root
    if start > LIMIT - 1:
        SubElement(root, "ERROR").text = "Search Backend failed: Exception: 'retstart' cannot be larger than 9998."
        return root
    try:
        page = source.search(term, start=start, count=min(count, LIMIT - start))
    except ExpressionError as error:
        SubElement(root, "ERROR").text = str(error)
        return root
    for tag, value in (("Count", page.total), ("RetMax", len(page.ids)), ("RetStart", start)):
        SubElement(root, tag).text = str(value)
    ids = SubElement(root, "IdList")
    for pmid in page.ids:
        SubElement(ids, "Id").text = pmid
    SubElement(root, "QueryTranslation").text = page.understood
    if not page.total:
        SubElement(SubElement(root, "ErrorList"), "PhraseNotFound").text = term
        SubElement(SubElement(root, "WarningList"), "OutputMessage").text = "No items found."
    return root


def _efetch(source: LocalSource, parameters: Parameters) -> Element:
    ids = ",".join(parameters.get("id", [])).split(",")
    if parameters["db"] == ["pmc"]:
        root = Element("pmc-articleset")
        for number in ids:
            document = source.full_text(f"PMC{number}")
            if document is None:
                SubElement(root, "Reply", Id=number, error="The following PMCID is not available")
            else:
                root.append(jats(document))
        return root
    root = Element("PubmedArticleSet")
    for article in source.fetch(ids):
        root.append(pubmed_article(article))
    return root


def _esummary(source: LocalSource, parameters: Parameters) -> Element:
    root = Element("eSummaryResult")
    inside = SubElement(root, "DocumentSummarySet", status="OK")
    ids = ",".join(parameters.get("id", [])).split(",")
    known = {article.pmid: article for article in source.fetch(ids)}
    for pmid in ids:
        summary = SubElement(inside, "DocumentSummary", uid=pmid)
        if pmid not in known:
            SubElement(summary, "error").text = "cannot get document summary"
            continue
        article = known[pmid]
        for tag, text in (("PubDate", str(article.date or "")), ("Source", article.journal_short)):
            SubElement(summary, tag).text = text
        SubElement(summary, "Title").text = article.title
        SubElement(summary, "FullJournalName").text = article.journal
        for path, texts in (("PubType/flag", article.publication_types), ("Lang/string", article.languages)):
            outer, inner = path.split("/")
            parent = SubElement(summary, outer)
            for text in texts:
                SubElement(parent, inner).text = text
        authors = SubElement(summary, "Authors")
        for name in article.authors:
            SubElement(SubElement(authors, "Author"), "Name").text = name
        _ids(SubElement(summary, "ArticleIds"), article, "ArticleId/IdType/Value")
    return root


def _elink(source: LocalSource, parameters: Parameters) -> Element:
    root = Element("eLinkResult")
    for pmid in parameters.get("id", []):
        links = SubElement(root, "LinkSet")
        SubElement(links, "DbFrom").text = "pubmed"
        SubElement(SubElement(links, "IdList"), "Id").text = pmid
        for article in source.fetch([pmid]):
            if article.pmcid:
                group = SubElement(links, "LinkSetDb")
                SubElement(group, "DbTo").text = "pmc"
                SubElement(group, "LinkName").text = "pubmed_pmc"
                SubElement(SubElement(group, "Link"), "Id").text = article.pmcid.removeprefix("PMC")
    return root


_OPERATIONS = {"esearch": _esearch, "efetch": _efetch, "esummary": _esummary, "elink": _elink}


def pubmed_article(article: Article) -> Element:
    """Return an article as efetch writes it."""
    root = Element("PubmedArticle")
    citation = SubElement(root, "MedlineCitation", Status="MEDLINE")
    SubElement(citation, "PMID", Version="1").text = article.pmid
    body = SubElement(citation, "Article", PubModel="Print")
    journal = SubElement(body, "Journal")
    issue = SubElement(SubElement(journal, "JournalIssue"), "PubDate")
    if article.date:
        for tag, number in (("Year", article.date.year), ("Month", article.date.month), ("Day", article.date.day)):
            if number is not None:
                SubElement(issue, tag).text = str(number)
    SubElement(journal, "Title").text = article.journal
    SubElement(journal, "ISOAbbreviation").text = article.journal_short
    SubElement(body, "ArticleTitle").text = article.title
    if article.abstract:
        abstract = SubElement(body, "Abstract")
        for section in article.abstract:
            part = SubElement(abstract, "AbstractText", {"Label": section.label} if section.label else {})
            part.text = section.text
    authors = SubElement(body, "AuthorList")
    for name in article.authors:
        author = SubElement(authors, "Author")
        last, _, initials = name.rpartition(" ")
        SubElement(author, "LastName").text = last or initials
        SubElement(author, "Initials").text = initials if last else ""
    for language in article.languages:
        SubElement(body, "Language").text = language
    kinds = SubElement(body, "PublicationTypeList")
    for kind in article.publication_types:
        SubElement(kinds, "PublicationType").text = kind
    if article.vernacular_title:
        SubElement(body, "VernacularTitle").text = article.vernacular_title
    corrections = SubElement(citation, "CommentsCorrectionsList")
    for correction in article.corrections:
        entry = SubElement(corrections, "CommentsCorrections", RefType=correction.kind)
        SubElement(entry, "RefSource").text = correction.reference
        if correction.pmid:
            SubElement(entry, "PMID").text = correction.pmid
    headings = SubElement(citation, "MeshHeadingList")
    for heading in article.mesh:
        entry = SubElement(headings, "MeshHeading")
        major = "Y" if heading.major else "N"
        SubElement(entry, "DescriptorName", MajorTopicYN=major).text = heading.name
        for qualifier in heading.qualifiers:
            SubElement(entry, "QualifierName", MajorTopicYN="N").text = qualifier
    keywords = SubElement(citation, "KeywordList")
    for keyword in article.keywords:
        SubElement(keywords, "Keyword").text = keyword
    _ids(SubElement(SubElement(root, "PubmedData"), "ArticleIdList"), article, "ArticleId")
    return root


def _ids(parent: Element, article: Article, form: str) -> None:
    tag, *inner = form.split("/")
    for kind, value in (("pubmed", article.pmid), ("doi", article.doi), ("pmc", article.pmcid)):
        if value and inner:
            entry = SubElement(parent, tag)
            SubElement(entry, inner[0]).text = kind
            SubElement(entry, inner[1]).text = value
        elif value:
            SubElement(parent, tag, IdType=kind).text = value


def jats(document: Document) -> Element:
    """Return a full text as PubMed Central writes it."""
    root = Element("article", {"article-type": document.article_type})
    meta = SubElement(SubElement(root, "front"), "article-meta")
    SubElement(meta, "article-id", {"pub-id-type": "pmc"}).text = document.pmcid.removeprefix("PMC")
    if document.pmid:
        SubElement(meta, "article-id", {"pub-id-type": "pmid"}).text = document.pmid
    SubElement(SubElement(meta, "title-group"), "article-title").text = document.title
    body = SubElement(root, "body")
    for section in document.sections:
        place = body
        for heading in section.headings:
            place = SubElement(place, "sec")
            SubElement(place, "title").text = heading
        for paragraph in section.paragraphs:
            SubElement(place, "p").text = paragraph
    return root
