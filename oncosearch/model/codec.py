"""A node as plain JSON values and back, its canonical text and its content hash.

The native format, both stores and the content hash use this one form.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from oncosearch.model.node import Code, Link, LocalText, Node, Origin, Source, Synonym
from oncosearch.model.vocabulary import FIELD_KEYS

_FIELD_ORDER = {key: i for i, key in enumerate(FIELD_KEYS)}
_SOURCE_OPTIONAL = ("title", "year", "url", "evidence_level")


def node_to_dict(node: Node) -> dict[str, Any]:
    """Return the node as JSON values; empty parts are left out, ``parents`` always stands there."""
    out: dict[str, Any] = {"id": node.id, "type": node.type, "title": dict(node.title)}
    if node.synonyms:
        out["synonyms"] = [{"text": s.text, "language": s.language, "scope": s.scope} for s in node.synonyms]
    if node.fields:
        out["fields"] = {key: dict(text) for key, text in node.fields}
    if node.codes:
        out["codes"] = [{"system": c.system, "code": c.code} for c in node.codes]
    if node.sources:
        out["sources"] = [
            {"kind": s.kind, "id": s.id} | {k: getattr(s, k) for k in _SOURCE_OPTIONAL if getattr(s, k) is not None}
            for s in node.sources
        ]
    out["parents"] = list(node.parents)
    if node.links:
        out["links"] = [{"target": link.target, "kind": link.kind} for link in node.links]
    if node.origins:
        out["origins"] = [_origin_to_dict(origin) for origin in node.origins]
    return out


def node_from_dict(raw: Mapping[str, Any]) -> Node:
    """Return the node of values in the form of :func:`node_to_dict`; the values are taken as checked.

    Raises
    ------
    KeyError, TypeError
        If the values are not of that form (the readers check before they call).
    """
    fields = raw.get("fields", {})
    return Node(
        id=raw["id"],
        type=raw["type"],
        title=LocalText.of(raw["title"]),
        synonyms=tuple(
            Synonym(s["text"], s.get("language", "de"), s.get("scope", "exact")) for s in raw.get("synonyms", ())
        ),
        fields=tuple(
            (key, LocalText.of(fields[key])) for key in sorted(fields, key=lambda k: (_FIELD_ORDER.get(k, 99), k))
        ),
        codes=tuple(Code(c["system"], c["code"]) for c in raw.get("codes", ())),
        sources=tuple(
            Source(s["kind"], s["id"], *(s.get(k) for k in _SOURCE_OPTIONAL)) for s in raw.get("sources", ())
        ),
        parents=tuple(raw.get("parents", ())),
        links=tuple(Link(x["target"], x["kind"]) for x in raw.get("links", ())),
        origins=tuple(
            Origin(o["graph"], o["node"], o.get("licence", ""), tuple(o.get("attribution", ())), o.get("part", ""))
            for o in raw.get("origins", ())
        ),
    )


def _origin_to_dict(origin: Origin) -> dict[str, Any]:
    out: dict[str, Any] = {"graph": origin.graph, "node": origin.node}
    if origin.licence:
        out["licence"] = origin.licence
    if origin.attribution:
        out["attribution"] = list(origin.attribution)
    if origin.part:
        out["part"] = origin.part
    return out


def canonical_json(value: object) -> str:
    """Return compact JSON with sorted keys and unescaped text: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def text_hash(text: str) -> str:
    """Return the SHA-256 of the UTF-8 text as 32 hex digits (128 bits)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def node_hash(node: Node) -> str:
    """Return the content hash of a node: equal nodes, equal hash, on every machine."""
    return text_hash(canonical_json(node_to_dict(node)))


def content_hash(hashes: Mapping[str, str]) -> str:
    """Return the content hash of a snapshot from its node hashes by id; the order of nodes does not matter."""
    return text_hash("\n".join(f"{node_id}\t{hashes[node_id]}" for node_id in sorted(hashes)))
