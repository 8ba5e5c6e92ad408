"""Articles as JSON: one object a line, written and read; and the file of PubMedQA."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from oncosearch.literature.article import (
    Article,
    Correction,
    Document,
    DocumentSection,
    MeshHeading,
    PublicationDate,
    Section,
)
from oncosearch.literature.nbib import heading_of
from oncosearch.literature.records import Records, Skipped, date_in, is_pmid, plain_pmcid, sections_of, tidy


class _WrongError(ValueError):
    """A value of another form than expected."""


def read_json_lines(lines: Iterable[str]) -> Records:
    """Yield the articles and full texts of JSON lines, and what was skipped. Unknown keys are left alone."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            yield Skipped(place, "", "no valid JSON")
            continue
        if not isinstance(found, dict):
            yield Skipped(place, "", "no JSON object")
            continue
        try:
            yield document_from(found) if "sections" in found else article_from(found)
        except _WrongError as error:
            yield Skipped(place, str(found.get("pmid") or found.get("pmcid") or "")[:20], str(error))


def read_pubmedqa(entries: Mapping[str, Any]) -> Records:
    """Yield the articles of PubMedQA: the question is the title, and its long answer the end of the abstract.

    That is what these articles are in PubMed: their titles are questions that their conclusions answer.
    """
    for number, (pmid, entry) in enumerate(entries.items(), 1):
        place = f"record {number}"
        if not is_pmid(pmid):
            yield Skipped(place, pmid[:20], "no valid PMID")
            continue
        try:
            if not isinstance(entry, Mapping):
                raise _WrongError("no JSON object")
            texts = _texts(entry, "CONTEXTS")
            labels = _texts(entry, "LABELS")
            sections = [
                Section(labels[i] if i < len(labels) and len(labels) == len(texts) else "", text)
                for i, text in enumerate(texts)
            ]
            if answer := _text(entry, "LONG_ANSWER"):
                sections.append(Section("CONCLUSIONS", answer))
            yield Article(
                pmid=pmid,
                title=_text(entry, "QUESTION"),
                abstract=tuple(sections),
                date=date_in(_text(entry, "YEAR")),
                mesh=tuple(MeshHeading(name) for name in _texts(entry, "MESHES")),
                languages=("eng",),
            )
        except _WrongError as error:
            yield Skipped(place, pmid, str(error))


def article_to(article: Article) -> dict[str, Any]:
    """Return an article as the JSON object that :func:`article_from` reads; what is empty is left out."""
    found: dict[str, Any] = {
        "pmid": article.pmid,
        "title": article.title,
        "abstract": [{"label": s.label, "text": s.text} for s in article.abstract],
        "journal": article.journal,
        "journal_short": article.journal_short,
        "date": str(article.date) if article.date else "",
        "publication_types": list(article.publication_types),
        "mesh": [{"name": m.name, "qualifiers": list(m.qualifiers), "major": m.major} for m in article.mesh],
        "keywords": list(article.keywords),
        "authors": list(article.authors),
        "languages": list(article.languages),
        "doi": article.doi,
        "pmcid": article.pmcid,
        "corrections": [{"kind": c.kind, "reference": c.reference, "pmid": c.pmid} for c in article.corrections],
        "vernacular_title": article.vernacular_title,
        "book": article.book,
    }
    return {key: value for key, value in found.items() if value}


def article_from(found: Mapping[str, Any]) -> Article:
    """Return the article of a JSON object.

    ``abstract`` may be a text or a list of ``{label, text}``; ``mesh`` a list of headings as MEDLINE writes them
    (``Breast Neoplasms/*drug therapy``) or of ``{name, qualifiers, major}``; ``"retracted": true`` marks a retraction.

    Raises
    ------
    ValueError
        If there is no PMID, or a value has another form than expected.
    """
    pmid = str(found.get("pmid") or "")
    if not is_pmid(pmid):
        raise _WrongError("no valid PMID")
    kinds = _texts(found, "publication_types")
    if found.get("retracted") is True and "Retracted Publication" not in kinds:
        kinds = (*kinds, "Retracted Publication")
    return Article(
        pmid=pmid,
        title=_text(found, "title"),
        abstract=_abstract(found.get("abstract")),
        journal=_text(found, "journal"),
        journal_short=_text(found, "journal_short"),
        date=_date(found),
        publication_types=kinds,
        mesh=tuple(_each(found, "mesh", _heading)),
        keywords=_texts(found, "keywords"),
        authors=_texts(found, "authors"),
        languages=_texts(found, "languages") or tuple(filter(None, (_text(found, "language"),))),
        doi=_text(found, "doi") or None,
        pmcid=plain_pmcid(_text(found, "pmcid")),
        corrections=tuple(_each(found, "corrections", _correction)),
        vernacular_title=_text(found, "vernacular_title"),
        book=_text(found, "book"),
    )


def document_to(document: Document) -> dict[str, Any]:
    """Return a full text as the JSON object that :func:`document_from` reads."""
    return {
        "pmcid": document.pmcid,
        "pmid": document.pmid,
        "title": document.title,
        "article_type": document.article_type,
        "licence": document.licence,
        "sections": [{"headings": list(s.headings), "paragraphs": list(s.paragraphs)} for s in document.sections],
    }


def document_from(found: Mapping[str, Any]) -> Document:
    """Return the full text of a JSON object with ``pmcid`` and ``sections`` of ``{headings, paragraphs}``.

    Raises
    ------
    ValueError
        If there is no PMC id, or a value has another form than expected.
    """
    pmcid = plain_pmcid(_text(found, "pmcid"))
    if pmcid is None:
        raise _WrongError("no valid PMC id")
    pmid = str(found.get("pmid") or "")
    return Document(
        pmcid=pmcid,
        title=_text(found, "title"),
        sections=tuple(_each(found, "sections", _section)),
        pmid=pmid if is_pmid(pmid) else None,
        article_type=_text(found, "article_type"),
        licence=_text(found, "licence"),
    )


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key)
    if value is None:
        return ""
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _WrongError(f"{key} is no text")


def _texts(found: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = found.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise _WrongError(f"{key} is no list of texts")
    return tuple(filter(None, map(tidy, value)))


def _each(found: Mapping[str, Any], key: str, read: Callable[[Any], Any]) -> list[Any]:
    value = found.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise _WrongError(f"{key} is no list")
    return [read(entry) for entry in value]


def _object(value: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _WrongError(f"{key} holds something that is no object")
    return value


def _abstract(value: Any) -> tuple[Section, ...]:
    if value is None or isinstance(value, str):
        return sections_of(value or "")
    if not isinstance(value, list):
        raise _WrongError("abstract is neither a text nor a list")
    parts = [_object(part, "abstract") for part in value]
    sections = (Section(_text(part, "label"), _text(part, "text")) for part in parts)
    return tuple(section for section in sections if section.text)


def _date(found: Mapping[str, Any]) -> PublicationDate | None:
    text = _text(found, "date") or _text(found, "year")
    date = date_in(text)
    if text and date is None:
        raise _WrongError("date is none; expected 2011, 2011-03 or 2011-03-09")
    return date


def _heading(value: Any) -> MeshHeading:
    if isinstance(value, str):
        return heading_of(tidy(value))
    found = _object(value, "mesh")
    return MeshHeading(_text(found, "name"), _texts(found, "qualifiers"), found.get("major") is True)


def _correction(value: Any) -> Correction:
    found = _object(value, "corrections")
    return Correction(_text(found, "kind"), _text(found, "reference"), _text(found, "pmid") or None)


def _section(value: Any) -> DocumentSection:
    found = _object(value, "sections")
    return DocumentSection(_texts(found, "headings"), _texts(found, "paragraphs"))
