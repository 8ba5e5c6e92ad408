"""Mapping files (TOML): reading them, with every key checked, and what they say of the graph as a whole."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oncosearch.ingest.checks import LANGUAGE
from oncosearch.ingest.header import name_fault
from oncosearch.ingest.raw import GraphHeader
from oncosearch.ingest.report import quoted
from oncosearch.model import UsageError

MAX_MAPPING_BYTES = 1_000_000


def load_mapping(path: Path, what: str = "mapping file") -> dict[str, Any]:
    """Return the values of a mapping file, or of a file like it that messages call ``what``.

    Raises
    ------
    UsageError
        If the file is a pipe, too large, no UTF-8 or no TOML.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        raise UsageError(f"The {what} {path.name} is no file; a pipe cannot be read: save it as a file.")
    if path.stat().st_size > MAX_MAPPING_BYTES:
        raise UsageError(f"The {what} {path.name} is over {MAX_MAPPING_BYTES:,} bytes long.")
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"The {what} {path.name} is not valid TOML: {error}.") from error


def mapping_format(path: Path) -> str:
    """Return the format that a mapping file is for.

    Raises
    ------
    UsageError
        If the file cannot be read or names none.
    """
    key = load_mapping(path).get("format")
    if not isinstance(key, str):
        raise UsageError(f'The mapping file {path.name} says format = {quoted(key)}; expected format = "tables", say.')
    return key


class Section:
    """A table of a mapping file whose keys are taken one by one; :meth:`done` refuses what is left.

    Every method raises ``UsageError``, with the place, for a value of another form than expected.
    """

    def __init__(self, values: Mapping[str, Any], where: str, what: str = "Mapping file") -> None:
        self._values = dict(values)
        self._known: list[str] = []
        self.where = where
        self._what = what

    def __contains__(self, key: str) -> bool:
        """Return whether the key is there and was not taken yet."""
        return key in self._values

    def take(self, key: str) -> Any:
        """Return the value under the key, or None."""
        self._known.append(key)
        return self._values.pop(key, None)

    def text(self, key: str, default: str | None = None, words: Sequence[str] | None = None) -> str:
        """Return the text under the key; without ``default`` it must be there, with ``words`` be one of them."""
        value = self.take(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not value:
            raise self.fault(f"{key} is {quoted(value)}", "a text in quotes")
        if words is not None and value not in words:
            raise self.fault(f"{key} is {quoted(value)}", f"one of {', '.join(words)}")
        return value

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the text or list of texts under the key."""
        value = self.take(key)
        if value is None:
            return tuple(default)
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(text, str) and text for text in found):
            raise self.fault(f"{key} is {quoted(value)}", "a text or a list of texts")
        return tuple(found)

    def flag(self, key: str, default: bool) -> bool:
        """Return the truth value under the key."""
        value = self.take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.fault(f"{key} is {quoted(value)}", "true or false")
        return value

    def section(self, key: str) -> Section:
        """Return the table under the key, empty where there is none."""
        value = self.take(key)
        if value is not None and not isinstance(value, dict):
            raise self.fault(f"{key} is {quoted(value)}", "a table")
        return Section(value or {}, f"{self.where}, {key}", self._what)

    def sections(self, key: str) -> list[Section]:
        """Return the tables of the list under the key; a single table is a list of one."""
        value = self.take(key)
        found = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(item, dict) for item in found):
            raise self.fault(f"{key} is {quoted(value)}", "a table or a list of tables")
        return [Section(item, f"{self.where}, {key} {number}", self._what) for number, item in enumerate(found, 1)]

    def words(self, allowed: Sequence[str] | None = None) -> dict[str, str]:
        """Return the rest of the table as text → text, the values being among ``allowed``."""
        return {key: self.text(key, None, allowed) for key in list(self._values)}

    def lists(self, allowed: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield the rest of the table as key and texts, the keys being among ``allowed``."""
        for key in list(self._values):
            if key not in allowed:
                raise self.fault(f"there is the key {quoted(key)}", f"one of {', '.join(allowed)}")
            yield key, self.texts(key)

    def rest(self) -> list[str]:
        """Return the keys that were not taken."""
        return list(self._values)

    def done(self) -> None:
        """Refuse keys that were not taken: a misspelt key must not be passed over."""
        for key in self._values:
            raise self.fault(f"there is the unknown key {quoted(key)}", f"only {', '.join(dict.fromkeys(self._known))}")

    def fault(self, found: str, expected: str) -> UsageError:
        """Return the error that says where, what was found and what was expected."""
        return UsageError(f"{self._what} {self.where}: {found}; expected {expected}.")


@dataclass(frozen=True, slots=True)
class GraphFacts:
    """What a mapping file says of the graph; ``snapshot`` and ``languages`` are empty where it does not."""

    id: str
    snapshot: str = ""
    title: str = ""
    licence: str = ""
    attribution: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    @classmethod
    def of(cls, section: Section, default_id: str) -> GraphFacts:
        """Return the facts of the table ``[graph]``."""
        facts = cls(
            id=section.text("id", default_id),
            snapshot=section.text("snapshot", ""),
            title=section.text("title", ""),
            licence=section.text("licence", ""),
            attribution=section.texts("attribution"),
            languages=section.texts("languages"),
        )
        section.done()
        for name in filter(None, (facts.id, facts.snapshot)):
            if fault := name_fault(name):
                raise section.fault(f"the id {quoted(name)}", fault.removeprefix("expected "))
        for language in facts.languages:
            if not LANGUAGE.fullmatch(language):
                raise section.fault(f"the language {quoted(language)}", "a code such as de or en")
        return facts

    def header(self, content: Callable[[], str], languages: Sequence[str]) -> GraphHeader:
        """Return the header; snapshot id and languages are the ones given where the mapping file names none."""
        return GraphHeader(
            graph_id=self.id,
            snapshot_id=self.snapshot or content(),
            title=self.title,
            languages=self.languages or tuple(languages),
            licence=self.licence,
            attribution=self.attribution,
        )
