"""Articles from ``.nbib`` files, the MEDLINE format that PubMed saves for reference managers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from oncosearch.literature.article import Article, Correction, MeshHeading
from oncosearch.literature.records import Records, Skipped, date_in, is_pmid, plain_pmcid, sections_of, tidy

_TAG = re.compile(r"([A-Z][A-Z0-9]{0,3}) *- ?(.*)")
_CORRECTIONS = {
    "CIN": "CommentIn",
    "CON": "CommentOn",
    "CRF": "CorrectedandRepublishedFrom",
    "CRI": "CorrectedandRepublishedIn",
    "ECF": "ExpressionOfConcernFor",
    "ECI": "ExpressionOfConcernIn",
    "EFR": "ErratumFor",
    "EIN": "ErratumIn",
    "PRIN": "PartialRetractionIn",
    "PROF": "PartialRetractionOf",
    "RIN": "RetractionIn",
    "ROF": "RetractionOf",
    "RPF": "RepublishedFrom",
    "RPI": "RepublishedIn",
    "UIN": "UpdateIn",
    "UOF": "UpdateOf",
}
_LINKED = re.compile(r"PMID: ?(\d+)")
_Fields = dict[str, list[str]]


def read_nbib(lines: Iterable[str]) -> Records:
    """Yield the articles of a file, and what was skipped; a line without a tag goes on with the one before."""
    for start, fields in _records(lines):
        pmid = _first(fields, "PMID")
        if not is_pmid(pmid):
            yield Skipped(f"line {start}", pmid, "no valid PMID")
        else:
            yield _article(pmid, fields)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, _Fields]]:
    fields: _Fields = {}
    start, last = 0, ""
    for number, line in enumerate(lines, 1):
        line = line.rstrip("\r\n")
        match = _TAG.fullmatch(line)
        if match is None:
            if line.strip() and last:
                fields[last][-1] += f" {line.strip()}"
            continue
        last = match[1]
        if last == "PMID" and fields:
            yield start, fields
            fields = {}
        if not fields:
            start = number
        fields.setdefault(last, []).append(match[2])
    if fields:
        yield start, fields


def _article(pmid: str, fields: _Fields) -> Article:
    ids = [tidy(text) for tag in ("LID", "AID") for text in fields.get(tag, ())]
    doi = next((text.removesuffix("[doi]").strip() for text in ids if text.endswith("[doi]")), None)
    vernacular, book = _first(fields, "TT"), _first(fields, "BTI")
    return Article(
        pmid=pmid,
        title=_first(fields, "TI") or vernacular or book,
        vernacular_title=vernacular,
        abstract=sections_of(_first(fields, "AB")),
        journal=_first(fields, "JT"),
        journal_short=_first(fields, "TA"),
        date=date_in(_first(fields, "DP")),
        publication_types=_all(fields, "PT"),
        mesh=tuple(map(heading_of, _all(fields, "MH"))),
        keywords=tuple(text.lstrip("*") for text in _all(fields, "OT")),
        authors=_all(fields, "AU") + _all(fields, "CN"),
        languages=_all(fields, "LA"),
        doi=doi,
        pmcid=plain_pmcid(_first(fields, "PMC")),
        corrections=tuple(
            Correction(kind, text, linked[1] if (linked := _LINKED.search(text)) else None)
            for tag, kind in _CORRECTIONS.items()
            for text in _all(fields, tag)
        ),
        book=book,
    )


def heading_of(text: str) -> MeshHeading:
    """Return a heading as MEDLINE writes it: ``Breast Neoplasms/*drug therapy/pathology``."""
    name, *qualifiers = (part.strip() for part in text.split("/"))
    return MeshHeading(name.lstrip("*"), tuple(q.lstrip("*") for q in qualifiers if q.strip("*")), "*" in text)


def _first(fields: _Fields, tag: str) -> str:
    return tidy(fields.get(tag, [""])[0])


def _all(fields: _Fields, tag: str) -> tuple[str, ...]:
    return tuple(filter(None, map(tidy, fields.get(tag, ()))))
