"""Nested catalogues in JSON: entries with a key, a title and lists of entries below them; the keys can be configured.

A mapping file (``format = "catalogue"``) says which keys hold what; without one those of the German oncology
catalogues are taken (``key``, ``name``, ``description``; ``childCategories``, ``criteria``, ``subgroup``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from oncosearch.ingest.given import Given, content_id
from oncosearch.ingest.jsontext import JsonPlaces, read_json
from oncosearch.ingest.lines import head
from oncosearch.ingest.mapping import GraphFacts, Section, load_mapping
from oncosearch.ingest.picking import chosen, detected
from oncosearch.ingest.raw import Place, RawGraph, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import text_hash
from oncosearch.model.vocabulary import NODE_TYPE_KEYS, TEXT_FIELD_KEYS

_MARK = re.compile(r'"(?:childCategories|criteria|subgroup)"\s*:\s*\[')
# A text has a word; what has none is a code, such as C34.1, pT1a or TNM-T.
_WORD = re.compile(r"[^\W\d_]{4,}")
_CODE = re.compile(r"(?:[A-Z][0-9]{2}(?:\.[0-9]{1,3})?|[0-9]{4}/[0-9])")
_WILDCARD = re.compile(r"\.?%$")
_MAX_ID = 400


@dataclass(frozen=True, slots=True)
class CatalogueKeys:
    """Which keys of an entry hold what.

    ``title`` and ``children`` are tried in their order; ``apart`` tells entries of one key apart. ``types`` and
    ``systems`` (of codes) belong to the entries below the entry of a key; the nearest counts.
    """

    graph: GraphFacts
    id: str = "key"
    title: tuple[str, ...] = ("name", "description")
    children: tuple[str, ...] = ("childCategories", "criteria", "subgroup")
    apart: tuple[str, ...] = ("subCategoryName",)
    fields: Mapping[str, tuple[str, ...]] | None = None
    branch: str = "group"
    leaf: str = "diagnosis"
    types: Mapping[str, str] | None = None
    systems: Mapping[str, str] | None = None
    language: str = "de"


def is_catalogue(given: Given) -> bool:
    """Return whether a file begins as a nested catalogue of the keys that are taken without a mapping file."""
    return bool(detected(given, _looks_so, "*.json"))


def _looks_so(path: Path) -> bool:
    text = head(path)
    return bool(_MARK.search(text)) and '"key"' in text and '"name"' in text


def read_catalogue(given: Given, log: ImportLog) -> RawGraph:
    """Return the graph of nested catalogues.

    An entry's id is made of the keys on the way to it. Where siblings have one key, what tells them apart is added.
    The title is the first text that is no code; a code stands among the codes.
    """
    keys = catalogue_keys(given)
    looks = _looks_so if given.mapping is None else lambda path: True
    files = chosen(given, looks, "*.json")
    roots: list[tuple[JsonPlaces, list[Any]]] = []
    for path in files:
        log.read[path.name] = 0
        found = read_json(path, keys.id, given, log)
        if found is not None:
            value, places = found
            roots.append((places, value if isinstance(value, list) else [value]))
    if not files:
        log.error("missing_file", given.name, "there is no .json file; expected a nested catalogue.")
    return RawGraph(keys.graph.header(lambda: content_id(files), (keys.language,)), _nodes(roots, keys, log), True)


def catalogue_keys(given: Given) -> CatalogueKeys:
    """Return the keys of the mapping file, else those that are taken without one.

    Raises
    ------
    UsageError
        If the mapping file has a fault.
    """
    default = CatalogueKeys(GraphFacts(id="catalogue"))
    language = given.language or default.language
    if given.mapping is None:
        return replace(default, language=language)
    section = Section(load_mapping(given.mapping), given.mapping.name)
    section.text("format")
    graph = GraphFacts.of(section.section("graph"), default_id="catalogue")
    keys = section.section("keys")
    types = section.section("types")
    found = CatalogueKeys(
        graph=graph,
        id=keys.text("id", default.id),
        title=keys.texts("title", default.title),
        children=keys.texts("children", default.children),
        apart=keys.texts("apart", default.apart),
        fields={name: keys_of for name, keys_of in section.section("fields").lists(TEXT_FIELD_KEYS)},
        branch=types.text("branch", default.branch, NODE_TYPE_KEYS),
        leaf=types.text("leaf", default.leaf, NODE_TYPE_KEYS),
        types=types.section("below").words(NODE_TYPE_KEYS),
        systems=section.section("codes").words(),
        language=given.language or section.text("language", default.language),
    )
    for part in (section, keys, types):
        part.done()
    return found


@dataclass(slots=True)
class _Entry:
    value: Any
    path: str
    below: tuple[str, ...]
    parent: str | None


def _texts_by_code(roots: Sequence[tuple[JsonPlaces, list[Any]]], keys: CatalogueKeys) -> dict[tuple[str, str], str]:
    """Return the first text of every code of a classification, for entries that have the code alone."""
    found: dict[tuple[str, str], str] = {}
    stack = [(value, _Entry(value, "", (), None)) for _, top in reversed(roots) for value in reversed(top)]
    while stack:
        value, entry = stack.pop()
        if not isinstance(value, dict):
            continue
        key, texts = _text(value.get(keys.id)), _texts(value, keys)
        if text := next((text for text in texts if _WORD.search(text)), None):
            for code in _codes(entry, key, texts, keys):
                found.setdefault((code["system"], code["code"]), text)
        below = (*entry.below, key) if key else entry.below
        children = [c for name in keys.children if isinstance(value.get(name), list) for c in value[name]]
        stack += [(child, _Entry(child, "", below, None)) for child in reversed(children)]
    return found


def _nodes(roots: Sequence[tuple[JsonPlaces, list[Any]]], keys: CatalogueKeys, log: ImportLog) -> Iterator[RawNode]:
    known = _texts_by_code(roots, keys) if keys.systems else {}
    seen: Counter[str] = Counter()
    for places, top in roots:
        stack = [_Entry(value, path, (), None) for value, path in reversed(_named(top, "", keys))]
        while stack:
            entry = stack.pop()
            place = places.next(entry.value.get(keys.id) if isinstance(entry.value, dict) else None)
            if not isinstance(entry.value, dict):
                log.skip_row("no_entry", place, f"{quoted(entry.value)} stands where an entry (an object) should.")
                continue
            log.read[place.file] += 1
            seen[entry.path] += 1
            count = seen[entry.path]
            node_id = f"{keys.graph.id}:{entry.path}" + (f"#{count}" if count > 1 else "")
            if count > 1:
                log.warn("repeated_entry", place, f"the entry {quoted(entry.path)} stands there {count} times; kept.")
            key = _text(entry.value.get(keys.id))
            children = [child for name in keys.children for child in _children(entry.value, name, place, log)]
            below = (*entry.below, key) if key else entry.below
            yield RawNode(_node(entry, node_id, key, bool(children), keys, known, place, log), place)
            named = _named(children, f"{entry.path}/", keys)
            stack += [_Entry(value, path, below, node_id) for value, path in reversed(named)]


def _children(value: Mapping[str, Any], name: str, place: Place, log: ImportLog) -> list[Any]:
    found = value.get(name)
    if found is None or isinstance(found, list):
        return found or []
    log.warn("no_list", place, f"{name} is {quoted(found)}; expected a list of entries. It is left out.")
    return []


def _named(entries: Sequence[Any], before: str, keys: CatalogueKeys) -> list[tuple[Any, str]]:
    """Return siblings with their paths; those of one key get what tells them apart."""
    names = [_name(entry, keys) for entry in entries]
    often = Counter(names)
    named = []
    for entry, name in zip(entries, names, strict=True):
        if often[name] > 1 and isinstance(entry, dict):
            texts = [_text(entry.get(key)) for key in (*keys.apart, *keys.title)]
            name = f"{name}~{next((t for t in texts if t and t != name), '')}".rstrip("~")
        path = f"{before}{name}"
        if len(path) > _MAX_ID:
            path = f"{text_hash(path)[:16]}/{name[:100]}"
        named.append((entry, path))
    return named


def _name(entry: Any, keys: CatalogueKeys) -> str:
    if not isinstance(entry, dict):
        return ""
    texts = [_text(entry.get(key)) for key in (keys.id, *keys.title)]
    return next((text for text in texts if text), "")


def _texts(value: Mapping[str, Any], keys: CatalogueKeys) -> list[str]:
    return list(dict.fromkeys(text for name in keys.title if (text := _text(value.get(name)))))


def _node(
    entry: _Entry,
    node_id: str,
    key: str,
    is_branch: bool,
    keys: CatalogueKeys,
    known: Mapping[tuple[str, str], str],
    place: Place,
    log: ImportLog,
) -> dict[str, Any]:
    value: Mapping[str, Any] = entry.value
    texts = _texts(value, keys)
    codes = _codes(entry, key, texts, keys)
    title = next((text for text in texts if _WORD.search(text)), texts[0] if texts else key)
    if title and not _WORD.search(title):
        same = next((known[pair] for code in codes if (pair := (code["system"], code["code"])) in known), None)
        if same:
            log.warn("title_by_code", place, f"the entry {quoted(entry.path)} has no text; it has that of its code.")
            title = same
        else:
            log.warn("title_is_code", place, f"the entry {quoted(entry.path)} has no text; its title is the code.")
    others = [text for text in texts if text != title and _WORD.search(text)]
    node_type = _nearest(entry.below, keys.types) or keys.leaf
    fields = {
        name: {keys.language: text}
        for name, sources in (keys.fields or {}).items()
        if (text := "\n".join(line for source in sources if (line := ", ".join(_flat(value.get(source), keys)))))
    }
    return {
        "id": node_id,
        "type": keys.branch if is_branch and not _nearest(entry.below, keys.types) else node_type,
        "title": {keys.language: title} if title else {},
        "synonyms": [{"text": text, "language": keys.language, "scope": "related"} for text in others],
        "fields": fields,
        "codes": codes,
        "parents": [] if entry.parent is None else [entry.parent],
    }


def _codes(entry: _Entry, key: str, texts: Sequence[str], keys: CatalogueKeys) -> list[dict[str, str]]:
    system = _nearest(entry.below, keys.systems)
    codes = dict.fromkeys(_WILDCARD.sub("", text) for text in (key, *texts))
    return [{"system": system, "code": code} for code in codes if system and _CODE.fullmatch(code)]


def _nearest(below: Sequence[str], words: Mapping[str, str] | None) -> str | None:
    return next((words[key] for key in reversed(below) if key in words), None) if words else None


def _flat(value: Any, keys: CatalogueKeys) -> Iterator[str]:
    """Yield the texts of a value: those of lists one after the other, of an entry its title."""
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, list):
            stack += reversed(found)
        elif isinstance(found, dict):
            stack.append(next((found[key] for key in keys.title if _text(found.get(key))), None))
        elif text := _text(found):
            yield text


def _text(value: Any) -> str:
    """Return a text or a number as text with single blanks; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return " ".join(str(value).split())
