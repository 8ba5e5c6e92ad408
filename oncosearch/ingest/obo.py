"""OBO files. Stanzas are cut here; what stands in a clause is read by fastobo, the parser below pronto.

A clause that fastobo refuses is left out and listed with its line; the rest of its term is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given
from oncosearch.ingest.lines import head, read_lines
from oncosearch.ingest.ontology import Ontology, OntologyClass, compact_id, ontology_graph
from oncosearch.ingest.picking import chosen, detected, no_graph, only_file
from oncosearch.ingest.raw import Place, RawGraph
from oncosearch.ingest.report import ImportLog, quoted

# Parsing many stanzas at once is four times as fast as one by one.
_BATCH = 500
_LICENCE = re.compile(r"(?:\S*[:/])?(?:license|rights)\s+(?:\"((?:[^\"\\]|\\.)*)\"|(\S+))")
_TITLE = re.compile(r"(?:\S*[:/])?title\s+\"((?:[^\"\\]|\\.)*)\"")
_TAGS = re.compile(r"(?:![^\n]*\s+)*(?:format-version:|ontology:|data-version:|\[Term\])")


@dataclass(slots=True)
class _Stanza:
    kind: str
    place: Place
    lines: list[tuple[Place, str]] = field(default_factory=list)

    def text(self) -> str:
        return "".join(f"{text}\n" for text in (self.kind, *(line for _, line in self.lines)))


def is_obo(given: Given) -> bool:
    """Return whether a file begins like an OBO file."""
    return bool(detected(given, _looks, "*.obo", "*.txt"))


def read_obo(given: Given, log: ImportLog) -> RawGraph:
    """Return the terms of an OBO file. Texts are English unless another language is given."""
    file = only_file(given, chosen(given, _looks, "*.obo"), "OBO file", log)
    if file is None:
        return no_graph(log)
    ontology = Ontology()
    classes: list[OntologyClass] = []
    batch: list[_Stanza] = []
    before, read = log.errors, 0
    for stanza in _stanzas(read_lines(file, log, given.max_bytes)):
        if not stanza.kind:
            _read_header(ontology, stanza)
        elif stanza.kind in ("[Term]", "[Typedef]"):
            batch.append(stanza)
            if len(batch) == _BATCH:
                _read_batch(batch, ontology, classes, log)
                batch.clear()
                read += _BATCH
                log.reached(read)
    _read_batch(batch, ontology, classes, log)
    if log.errors > before:
        return no_graph(log)
    return ontology_graph(ontology, classes, given, file, log)


def _looks(path: Path) -> bool:
    return _TAGS.match(head(path, 4096).lstrip()) is not None


def _stanzas(lines: Iterator[tuple[Place, str]]) -> Iterator[_Stanza]:
    """Yield the header, whose kind is empty, and the stanzas; lines of nothing but a comment are left out."""
    current: _Stanza | None = None
    for place, text in lines:
        if text.startswith("!"):
            continue
        if current is None:
            current = _Stanza("", place)
        if text.startswith("[") and text.split("!", 1)[0].rstrip().endswith("]"):
            yield current
            current = _Stanza(text.split("!", 1)[0].rstrip(), place)
        else:
            current.lines.append((place, text))
    if current is not None:
        yield current


def _read_header(ontology: Ontology, stanza: _Stanza) -> None:
    for _, text in stanza.lines:
        tag, _, value = text.partition(":")
        value = value.strip()
        if tag == "ontology":
            ontology.id = value
        elif tag == "data-version":
            ontology.version = value
        elif tag == "property_value" and (found := _LICENCE.match(value)):
            ontology.licence = found[1] or found[2]
        elif tag == "property_value" and (found := _TITLE.match(value)):
            ontology.title = found[1]


def _read_batch(batch: Sequence[_Stanza], ontology: Ontology, classes: list[OntologyClass], log: ImportLog) -> None:
    for stanza in batch:
        # Its id is where a stanza begins for fastobo.
        stanza.lines.sort(key=lambda line: not line[1].startswith("id:"))
    frames = _parse("\n".join(stanza.text() for stanza in batch)) if batch else []
    if frames is None or len(frames) != len(batch):
        frames = [_parse_alone(stanza, log) for stanza in batch]
    for stanza, frame in zip(batch, frames, strict=True):
        if frame is None:
            continue
        if stanza.kind == "[Term]":
            classes.append(_class(frame, stanza.place))
        else:
            names = [str(clause.name).strip() for clause in frame if clause.raw_tag() == "name"]
            ontology.relations[_id(frame.id)] = names[0] if names else ""


def _parse(text: str) -> list[Any] | None:
    import fastobo  # type: ignore[import-untyped]

    try:
        return list(fastobo.loads(text))
    except (SyntaxError, ValueError):
        return None


def _parse_alone(stanza: _Stanza, log: ImportLog) -> Any:
    """Return the stanza without the clauses that cannot be read, or None where that is its id."""
    import fastobo

    whole = _parse(stanza.text())
    if whole is not None and len(whole) == 1:
        return whole[0]
    good = _Stanza(stanza.kind, stanza.place)
    lines = stanza.lines
    if not (lines and lines[0][1].startswith("id:") and _parse(f"{stanza.kind}\n{lines[0][1]}\n")):
        if stanza.kind == "[Term]":
            said = quoted(lines[0][1]) if lines else "nothing"
            log.skip_row("bad_id", stanza.place, f"the term has no id that can be read; it begins with {said}.")
        return None
    good.lines.append(lines[0])
    for place, text in lines[1:]:
        try:
            fastobo.loads(f"{stanza.kind}\n{lines[0][1]}\n{text}\n")
        except (SyntaxError, ValueError) as error:
            reason = error.args[0] if error.args else type(error).__name__
            log.skip("bad_clause", place, f"the clause {quoted(text)} cannot be read ({reason}); it is left out.")
        else:
            good.lines.append((place, text))
    parsed = _parse(good.text())
    return parsed[0] if parsed else None


def _class(frame: Any, place: Place) -> OntologyClass:
    found = OntologyClass(_id(frame.id), place)
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "name":
            found.labels.append((None, clause.name.strip()))
        elif tag == "def":
            found.definitions.append((None, clause.definition))
            found.references += [_id(xref.id) for xref in clause.xrefs]
        elif tag == "synonym":
            synonym = clause.synonym
            found.synonyms.append((None, synonym.desc, synonym.scope.casefold()))
            found.references += [_id(xref.id) for xref in synonym.xrefs]
        elif tag == "xref":
            found.xrefs.append(_id(clause.xref.id))
        elif tag == "is_a":
            found.parents.append(_id(clause.term))
        elif tag == "relationship":
            found.relations.append((_id(clause.typedef), _id(clause.term)))
        elif tag == "alt_id":
            found.alternatives.append(_id(clause.alt_id))
        elif tag == "replaced_by":
            found.replaced_by.append(_id(clause.term))
        elif tag == "is_obsolete":
            found.obsolete = clause.obsolete
        elif tag in ("intersection_of", "union_of"):
            found.logical = True
    return found


def _id(ident: Any) -> str:
    """Return an id of fastobo without escapes; the address of an OBO class in its short form."""
    prefix = getattr(ident, "prefix", None)
    return f"{prefix}:{ident.local}" if prefix is not None else compact_id(getattr(ident, "unescaped", str(ident)))
