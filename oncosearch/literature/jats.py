"""Full texts from the XML of PubMed Central (JATS): headings and paragraphs, without references, tables and figures."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from oncosearch.literature.article import Document, DocumentSection
from oncosearch.literature.records import is_pmid, plain_pmcid, superscript, tidy

# What is no running text: its words would be taken for statements of the article.
_LEFT_OUT = frozenset(
    {
        "table-wrap",
        "table-wrap-group",
        "fig",
        "fig-group",
        "disp-formula",
        "disp-formula-group",
        "supplementary-material",
        "media",
        "graphic",
        "inline-graphic",
        "tex-math",
        "fn",
        "ref-list",
        "label",
    }
)
_NOTES = frozenset({"fn", "bibr", "table-fn"})
_MAX_DEPTH = 12
# What is left of [1, 2] when the numbers are gone.
_EMPTY_BRACKETS = re.compile(r"\s?[\[(][\s,;–—-]*[\])]")


def read_document(article: Element) -> Document | None:
    """Return the full text of an ``article`` element, or None if it has no PMC id or no body.

    Where the publisher does not allow full text in XML, PubMed Central sends an article without body.
    """
    meta = article.find("front/article-meta")
    body = article.find("body")
    if meta is None or body is None:
        return None
    ids = {e.get("pub-id-type", ""): tidy(e.text) for e in meta.iterfind("article-id")}
    pmcid = plain_pmcid(next((ids[k] for k in ("pmcid", "pmc") if k in ids), None))
    sections = tuple(_sections(body, (), 0))
    if pmcid is None or not sections:
        return None
    pmid = ids.get("pmid", "")
    return Document(
        pmcid=pmcid,
        title=_running(meta.find("title-group/article-title")),
        sections=sections,
        pmid=pmid if is_pmid(pmid) else None,
        article_type=article.get("article-type", ""),
        licence=_running(meta.find("permissions/license")),
    )


def _sections(element: Element, headings: tuple[str, ...], level: int) -> list[DocumentSection]:
    """Return the element's own paragraphs as one section, then those of the sections in it."""
    own: list[str] = []
    inner: list[DocumentSection] = []
    for child in element:
        if child.tag == "sec" and level < _MAX_DEPTH:
            title = _running(child.find("title"))
            inner += _sections(child, (*headings, title) if title else headings, level + 1)
        elif child.tag in {"title", "sec-meta"} or child.tag in _LEFT_OUT:
            continue
        elif child.tag in {"list", "boxed-text", "disp-quote", "def-list", "sec"}:
            own += [text for p in child.iter("p") if (text := _running(p))]
        elif text := _running(child):
            own.append(text)
    return ([DocumentSection(headings, tuple(own))] if own else []) + inner


def _running(element: Element | None) -> str:
    """Return the running text of an element, without notes, citations as raised numbers, and formulas."""
    if element is None:
        return ""
    parts: list[str] = []
    # Pairs of what is still to be written: an element that is opened, or a text that stands behind one.
    todo: list[Element | str] = [element]
    while todo:
        part = todo.pop()
        if isinstance(part, str):
            parts.append(part)
            continue
        tail = part.tail or "" if part is not element else ""
        note = part.tag == "xref" and part.get("ref-type") in _NOTES and _only_numbers(part)
        if part.tag in _LEFT_OUT or note or not isinstance(part.tag, str):
            parts.append(tail)
            continue
        todo.append(tail)
        todo += reversed(part)
        todo.append(superscript(part.text) if part.tag == "sup" else part.text or "")
    return tidy(_EMPTY_BRACKETS.sub("", "".join(parts)))


def _only_numbers(element: Element) -> bool:
    text = "".join(element.itertext())
    return not any(c.isalpha() for c in text)
