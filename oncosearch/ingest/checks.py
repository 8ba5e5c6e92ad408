"""Checks of one raw node: keys, JSON types, vocabularies, ids and addresses.

Every finding goes to the log with its line; a node is built only where it has no error.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from oncosearch.ingest.raw import Place, RawNode
from oncosearch.ingest.report import ImportLog, quoted
from oncosearch.model import Node, node_from_dict
from oncosearch.model.vocabulary import (
    FIELD_KEYS,
    LANGUAGE_KEYS,
    LINK_KIND_KEYS,
    NODE_TYPE_KEYS,
    SCOPE_KEYS,
    SOURCE_KIND_KEYS,
    SOURCE_KINDS,
    TEXT_FIELD_KEYS,
)

MAX_ID_LENGTH = 512
YEARS = (1500, 2200)

NODE_KEYS = ("id", "type", "title", "synonyms", "fields", "codes", "sources", "parents", "links", "origins")
SYNONYM_KEYS = ("text", "language", "scope")
CODE_KEYS = ("system", "code")
SOURCE_KEYS = ("kind", "id", "title", "year", "url", "evidence_level")
LINK_KEYS = ("target", "kind")
ORIGIN_KEYS = ("graph", "node", "licence", "attribution", "part")

LANGUAGE_PATTERN = r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"
URL_PATTERN = r"https://[^\s/?#@<>\"\\]+([/?#][^\s<>\"\\]*)?"
# Control characters, line and paragraph separators and lone surrogates.
CONTROL_PATTERN = "[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"

LANGUAGE = re.compile(LANGUAGE_PATTERN)
_URL = re.compile(URL_PATTERN)
_CONTROL = re.compile(CONTROL_PATTERN)
_ID_FORMS = {kind.key: re.compile(kind.id_form) for kind in SOURCE_KINDS if kind.id_form is not None}
_NEEDS_URL = frozenset(kind.key for kind in SOURCE_KINDS if kind.pattern is None)
_TYPES, _FIELDS, _LINKS, _SCOPES, _SOURCES = map(
    frozenset, (NODE_TYPE_KEYS, TEXT_FIELD_KEYS, LINK_KIND_KEYS, SCOPE_KEYS, SOURCE_KIND_KEYS)
)
JSON_NAMES = {
    str: "a text in quotes",
    dict: "an object {…}",
    list: "a list […]",
    int: "a whole number",
    bool: "true or false",
}


class NodeChecker:
    """Checks raw nodes one by one and builds those without an error.

    Parameters
    ----------
    languages
        The languages the graph says it has: others are warned of, and a title missing in one is counted.
    language
        What a synonym is in that names no language.
    """

    def __init__(self, log: ImportLog, languages: Collection[str] = LANGUAGE_KEYS, language: str = "de") -> None:
        self._log = log
        self._languages = frozenset(languages)
        self._title_languages = tuple(key for key in LANGUAGE_KEYS if key in self._languages)
        self._language = language

    def check(self, raw: RawNode) -> Node | None:
        """Return the node of the row, or None where an error was recorded."""
        log, place, data = self._log, raw.place, raw.data
        if not isinstance(data, dict):
            log.error("wrong_type", place, f"the line holds {quoted(data)}; expected one node as {JSON_NAMES[dict]}.")
            return None
        before = log.errors
        self.check_keys(place, data, NODE_KEYS, "the node")
        self._id(place, data)
        self._vocabulary(place, data, "type", _TYPES, NODE_TYPE_KEYS, "unknown_type", "the node")
        self._title(place, data)
        self._fields(place, data)
        for item in self._objects(place, data, "synonyms", SYNONYM_KEYS):
            self.check_required(place, item, "text", "the synonym")
            if "scope" in item:
                self._vocabulary(place, item, "scope", _SCOPES, SCOPE_KEYS, "unknown_scope", "the synonym")
            if "language" not in item:
                item["language"] = self._language
            elif self.check_text(place, item["language"], "language of the synonym"):
                self._known_language(place, item["language"])
        for item in self._objects(place, data, "codes", CODE_KEYS):
            self.check_required(place, item, "system", "the code")
            self.check_required(place, item, "code", "the code")
        for item in self._objects(place, data, "sources", SOURCE_KEYS):
            self._source(place, item)
        self._parents(place, data)
        self._links(place, data)
        for item in self._objects(place, data, "origins", ORIGIN_KEYS):
            self._origin(place, item)
        return node_from_dict(data) if log.errors == before else None

    def check_keys(self, place: Place, value: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
        """Record every key that is not among the known ones."""
        for key in value:
            if key not in known:
                self._log.error(
                    "unknown_key", place, f"{what} has the unknown key {quoted(key)}; known are {', '.join(known)}."
                )

    def check_text(self, place: Place, value: object, what: str) -> bool:
        """Return whether the value is a text that can be stored; record what is wrong otherwise."""
        if not isinstance(value, str):
            self._log.error("wrong_type", place, f"{what} is {quoted(value)}; expected {JSON_NAMES[str]}.")
            return False
        if not value or value.isspace():
            self._log.error("empty_text", place, f"{what} is empty; write a text or leave the key out.")
            return False
        if "\0" in value or not (value.isascii() or _encodable(value)):
            self._log.error("bad_text", place, f"{what} holds a NUL or half a surrogate pair; remove it.")
            return False
        return True

    def check_required(self, place: Place, value: Mapping[str, Any], key: str, what: str) -> bool:
        """Return whether the key is there with a text that can be stored; record what is wrong otherwise."""
        if key in value:
            return self.check_text(place, value[key], f"{key} of {what}")
        self._log.error("missing_key", place, f"{what} has no {key}; it must have one.")
        return False

    def _vocabulary(
        self,
        place: Place,
        value: Mapping[str, Any],
        key: str,
        known: frozenset[str],
        order: tuple[str, ...],
        kind: str,
        what: str,
    ) -> bool:
        if not self.check_required(place, value, key, what):
            return False
        if value[key] in known:
            return True
        self._log.error(kind, place, f"{key} of {what} is {quoted(value[key])}; expected one of {', '.join(order)}.")
        return False

    def _id(self, place: Place, data: Mapping[str, Any]) -> None:
        node_id = data.get("id")
        if node_id is None and "id" not in data:
            self._log.error("empty_id", place, "the node has no id; give it one that no other node has.")
        elif not isinstance(node_id, str):
            self._log.error("wrong_type", place, f"id is {quoted(node_id)}; expected {JSON_NAMES[str]}.")
        elif not node_id.strip():
            self._log.error("empty_id", place, "the id is empty; give the node an id that no other node has.")
        else:
            fault = id_fault(node_id)
            if fault:
                self._log.error("bad_id", place, f"id {quoted(node_id)} {fault}.")

    def _title(self, place: Place, data: Mapping[str, Any]) -> None:
        title: Any = data.get("title")
        if "title" not in data or title == {} or title == "":
            self._log.error(
                "missing_title",
                place,
                f'node {quoted(data.get("id"))} has no title; expected {{"de": "…", "en": "…"}}.',
            )
        elif self._local_text(place, title, "title"):
            for language in self._title_languages:
                if language not in title:
                    self._log.warn(
                        f"no_title_{language}", place, f"node {quoted(data.get('id'))} has no title in {language!r}."
                    )

    def _local_text(self, place: Place, value: Any, what: str) -> bool:
        if not isinstance(value, dict):
            self._log.error(
                "wrong_type", place, f'{what} is {quoted(value)}; expected an object language → text: {{"de": "…"}}.'
            )
            return False
        if not value:
            self._log.error("empty_text", place, f"{what} has no text in any language; leave the key out.")
            return False
        good = True
        for language, text in value.items():
            good &= self._known_language(place, language)
            good &= self.check_text(place, text, f"{what} in {quoted(language)}")
        return good

    def _known_language(self, place: Place, language: str) -> bool:
        if language in self._languages:
            return True
        if not LANGUAGE.fullmatch(language):
            self._log.error(
                "bad_language", place, f"{quoted(language)} is no language code; expected one such as de or en."
            )
            return False
        self._log.warn(
            "unlisted_language",
            place,
            f"language {language!r} is not among those of the graph ({', '.join(sorted(self._languages))}).",
        )
        return True

    def _fields(self, place: Place, data: Mapping[str, Any]) -> None:
        fields = data.get("fields")
        if fields is None and "fields" not in data:
            return
        if not isinstance(fields, dict):
            self._log.error("wrong_type", place, f"fields is {quoted(fields)}; expected {JSON_NAMES[dict]}.")
            return
        for name, text in fields.items():
            if name not in _FIELDS:
                hint = f"{name} is made from the node itself" if name in FIELD_KEYS else "the name is not known"
                self._log.error(
                    "unknown_field",
                    place,
                    f"field {quoted(name)} cannot be given ({hint}); expected one of {', '.join(TEXT_FIELD_KEYS)}.",
                )
            self._local_text(place, text, f"field {quoted(name)}")

    def check_list(self, place: Place, data: Mapping[str, Any], key: str) -> list[Any]:
        """Return the list under the key, empty where it is missing or, recorded as an error, something else."""
        value = data.get(key)
        if isinstance(value, list):
            return value
        if value is not None or key in data:
            self._log.error("wrong_type", place, f"{key} is {quoted(value)}; expected {JSON_NAMES[list]}.")
        return []

    def _objects(self, place: Place, data: Mapping[str, Any], key: str, known: tuple[str, ...]) -> list[dict[str, Any]]:
        found = []
        for item in self.check_list(place, data, key):
            if isinstance(item, dict):
                self.check_keys(place, item, known, f"an entry of {key}")
                found.append(item)
            else:
                self._log.error(
                    "wrong_type", place, f"an entry of {key} is {quoted(item)}; expected {JSON_NAMES[dict]}."
                )
        return found

    def _source(self, place: Place, source: Mapping[str, Any]) -> None:
        known = self._vocabulary(place, source, "kind", _SOURCES, SOURCE_KIND_KEYS, "unknown_source_kind", "the source")
        source_id = source.get("id")
        if "id" not in source or (isinstance(source_id, str) and not source_id.strip()):
            self._log.error("source_without_id", place, f"a source of kind {quoted(source.get('kind'))} has no id.")
        elif self.check_text(place, source_id, "id of the source") and known:
            form = _ID_FORMS.get(source["kind"])
            if form is not None and not form.fullmatch(source["id"]):
                self._log.error(
                    "bad_source_id",
                    place,
                    f"{source['kind']} id {quoted(source_id)} is malformed; expected the form {form.pattern}.",
                )
            elif _CONTROL.search(source["id"]):
                self._log.error("bad_source_id", place, f"source id {quoted(source_id)} holds a control character.")
        for key in ("title", "evidence_level"):
            if key in source:
                self.check_text(place, source[key], f"{key} of the source")
        if "year" in source:
            self._year(place, source["year"])
        url = source.get("url")
        if "url" in source:
            if self.check_text(place, url, "url of the source") and not _URL.fullmatch(source["url"]):
                self._log.error(
                    "not_https",
                    place,
                    f"address {quoted(url)} is not accepted; expected https:// and a host, no blanks, no user name.",
                )
        elif known and source["kind"] in _NEEDS_URL:
            self._log.warn(
                "source_without_url",
                place,
                f"{source['kind']} source {quoted(source_id)} has no url, so it will be shown without a link.",
            )

    def _year(self, place: Place, year: object) -> None:
        if not isinstance(year, int) or isinstance(year, bool):
            self._log.error("wrong_type", place, f"year of the source is {quoted(year)}; expected {JSON_NAMES[int]}.")
        elif not YEARS[0] <= year <= YEARS[1]:
            self._log.error("bad_year", place, f"year of the source is {year}; expected {YEARS[0]} to {YEARS[1]}.")

    def _parents(self, place: Place, data: dict[str, Any]) -> None:
        parents = self.check_list(place, data, "parents")
        good = all([self.check_text(place, parent, "an entry of parents") for parent in parents])
        if good and parents:
            if data.get("id") in parents:
                self._log.error("self_parent", place, f"node {quoted(data['id'])} names itself as its parent.")
            unique = list(dict.fromkeys(parents))
            if len(unique) < len(parents):
                self._log.warn(
                    "duplicate_parent", place, f"node {quoted(data.get('id'))} names a parent twice; kept once."
                )
                data["parents"] = unique

    def _links(self, place: Place, data: dict[str, Any]) -> None:
        links = self._objects(place, data, "links", LINK_KEYS)
        seen: set[tuple[str, str]] = set()
        kept = []
        for link in links:
            target = self.check_required(place, link, "target", "the link")
            if not (self.check_required(place, link, "kind", "the link") and target):
                continue
            if link["kind"] not in _LINKS:
                self._log.warn(
                    "unknown_link_kind",
                    place,
                    f"link kind {quoted(link['kind'])} is not known; it is kept and shown as it is.",
                )
            if link["target"] == data.get("id"):
                self._log.error("self_link", place, f"node {quoted(data['id'])} links to itself.")
            pair = (link["target"], link["kind"])
            if pair in seen:
                self._log.warn(
                    "duplicate_link", place, f"link to {quoted(pair[0])} ({quoted(pair[1])}) stands twice; kept once."
                )
            else:
                seen.add(pair)
                kept.append(link)
        if len(kept) < len(links):
            data["links"] = kept

    def _origin(self, place: Place, origin: Mapping[str, Any]) -> None:
        for key in ("graph", "node"):
            self.check_required(place, origin, key, "the origin")
        for key in ("licence", "part"):
            if key in origin:
                self.check_text(place, origin[key], f"{key} of the origin")
        for line in self.check_list(place, origin, "attribution"):
            self.check_text(place, line, "an entry of attribution")


def id_fault(node_id: str) -> str | None:
    """Return what is wrong with a node id that is not empty, or None."""
    if _CONTROL.search(node_id):
        return "holds a control character; ids are plain text on one line"
    if node_id != node_id.strip():
        return "begins or ends with a blank; remove it"
    if len(node_id) > MAX_ID_LENGTH:
        return f"is {len(node_id):,} characters long; at most {MAX_ID_LENGTH} are accepted"
    return None


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
