"""Nodes and their relations as MongoDB documents and back.

Whatever comes from outside stands in a value, never in a key: languages and field names too are values, since a key
with a dot or a dollar sign cannot be queried.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oncosearch.model import Node, node_from_dict

# Parts whose values have fixed keys stand in the document as they are.
_PLAIN = ("type", "synonyms", "codes", "sources", "parents", "links")


def node_document(values: Mapping[str, Any], node_hash: str, tag: Mapping[str, str]) -> dict[str, Any]:
    """Return the document of a node given in the form of ``node_to_dict``; ``tag`` says which snapshot it is of."""
    return {
        **tag,
        "node_id": values["id"],
        "node_hash": node_hash,
        "title": _texts(values["title"]),
        **{name: values[name] for name in _PLAIN if name in values},
        "fields": [{"field": name, "texts": _texts(texts)} for name, texts in values.get("fields", {}).items()],
    }


def node_of(document: Mapping[str, Any]) -> Node:
    """Return the node of a document in the form of :func:`node_document`."""
    return node_from_dict(
        {
            "id": document["node_id"],
            "title": _from_texts(document["title"]),
            **{name: document[name] for name in _PLAIN if name in document},
            "fields": {part["field"]: _from_texts(part["texts"]) for part in document["fields"]},
        }
    )


def relation_documents(values: Mapping[str, Any], tag: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the relations that leave a node: to each parent (``relation`` parent) and along each cross-link (link)."""
    start = {**tag, "source": values["id"]}
    return [{**start, "target": parent, "relation": "parent", "kind": "parent"} for parent in values["parents"]] + [
        {**start, "target": link["target"], "relation": "link", "kind": link["kind"]}
        for link in values.get("links", ())
    ]


def _texts(texts: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"language": language, "text": text} for language, text in texts.items()]


def _from_texts(texts: list[dict[str, str]]) -> dict[str, str]:
    return {part["language"]: part["text"] for part in texts}
