"""XML from outside as a tree. Nothing is fetched and no entity is expanded: a document that declares any is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from oncosearch.ingest.lines import read_pieces
from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import ImportLog

MAX_DEPTH = 200
# XML 1.0 forbids these, so that no parser reads a file that has them; programs write them all the same.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

Seen = Callable[[Element, int], None]


def read_xml(
    path: Path, log: ImportLog, max_bytes: int, on_start: Seen, on_child: Seen | None = None
) -> Element | None:
    """Return the root of an XML file, or None where an error was recorded.

    Parameters
    ----------
    on_start
        Called with every element as it begins, and its line.
    on_child
        Called with every child of the root when it is complete, and the line where it began. The child is then
        dropped: a large file is read in little memory.
    """
    builder = _Builder(on_start, on_child)
    before, line = log.errors, 1
    try:
        for text in read_pieces(path, log, max_bytes):
            builder.parser.Parse(_without_control(text, path.name, line, log), False)
            line += text.count("\n")
        if log.errors > before:
            return None
        builder.parser.Parse("", True)
    except _RefusedXmlError as error:
        log.error(error.kind, Place(path.name, builder.parser.CurrentLineNumber), str(error))
        return None
    except builder.expat_error as error:
        log.error("bad_xml", Place(path.name, error.lineno), f"not valid XML: {error}.")
        return None
    return builder.root


class _RefusedXmlError(ValueError):
    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class _Builder:
    def __init__(self, on_start: Seen, on_child: Seen | None) -> None:
        from xml.parsers import expat

        self.expat_error = expat.ExpatError
        self.root: Element | None = None
        self._on_start, self._on_child = on_start, on_child
        self._stack: list[Element] = []
        self._lines: list[int] = []
        self._text: list[str] = []
        self._last: Element | None = None
        self.parser: Any = expat.ParserCreate(namespace_separator="}")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.EntityDeclHandler = self._entity
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text.append

    def _doctype(self, _name: str, system: str | None, public: str | None, subset: bool) -> None:
        if system or public or subset:
            self._entity()

    def _entity(self, *_: object) -> None:
        raise _RefusedXmlError(
            "xml_entities",
            "the file has a DOCTYPE with declarations, which could make it grow without end or fetch files; it is "
            "refused. Save it without DOCTYPE.",
        )

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._flush()
        if len(self._stack) >= MAX_DEPTH:
            raise _RefusedXmlError("nested_too_deep", f"elements are nested over {MAX_DEPTH} deep.")
        element = Element(_name(tag), {_name(key): value for key, value in attributes.items()})
        line = self.parser.CurrentLineNumber
        if self._stack:
            self._stack[-1].append(element)
        else:
            self.root = element
        self._stack.append(element)
        self._lines.append(line)
        self._last = None
        self._on_start(element, line)

    def _end(self, _tag: str) -> None:
        self._flush()
        element, line = self._stack.pop(), self._lines.pop()
        self._last = element
        if self._on_child is not None and len(self._stack) == 1:
            self._on_child(element, line)
            self._stack[0].clear()
            self._last = None

    def _flush(self) -> None:
        if not self._text:
            return
        text = "".join(self._text)
        self._text.clear()
        if self._last is not None:
            self._last.tail = (self._last.tail or "") + text
        elif self._stack:
            self._stack[-1].text = (self._stack[-1].text or "") + text


def _name(name: str) -> str:
    return "{" + name if "}" in name else name


def _without_control(text: str, file: str, first: int, log: ImportLog) -> str:
    if _CONTROL.search(text) is None:
        return text
    for number, line in enumerate(text.split("\n"), first):
        if count := len(_CONTROL.findall(line)):
            log.warn(
                "control_characters",
                Place(file, number),
                f"the line holds {count} control characters that XML forbids; they are taken out.",
            )
    return _CONTROL.sub("", text)
