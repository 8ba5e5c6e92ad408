"""One node of several that were joined: the first text in each language stays, what differs is listed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from oncosearch.ingest.matching import name_key
from oncosearch.ingest.merge_report import Conflict
from oncosearch.model import Code, Link, LocalText, Node, Origin, Source, Synonym
from oncosearch.model.vocabulary import FIELD_KEYS

Member = tuple[str, Node, tuple[Origin, ...]]


def combine(
    node_id: str,
    members: Sequence[Member],
    parents: Iterable[str],
    links: Iterable[Link],
    conflicts: list[Conflict],
) -> Node:
    """Return the node of the members, each with the name of its source and its origins, in the sources' order.

    A title that differs from that of an earlier source stays as an exact synonym. Every text that was not taken as it
    stands is added to ``conflicts``.
    """
    first = members[0][1]
    origins = tuple(dict.fromkeys(origin for _, _, found in members for origin in found))
    node = replace(first, id=node_id, parents=tuple(parents), links=tuple(links), origins=origins)
    if len(members) == 1:
        return node
    title, other_names = _title(node_id, members, conflicts)
    return replace(
        node,
        title=title,
        synonyms=_synonyms(title, [*other_names, *(s for _, member, _ in members for s in member.synonyms)]),
        fields=_fields(node_id, members, conflicts),
        codes=tuple(dict.fromkeys(Code(c.system, c.code) for _, member, _ in members for c in member.codes)),
        sources=_sources(node_id, members, conflicts),
    )


def _title(node_id: str, members: Sequence[Member], conflicts: list[Conflict]) -> tuple[LocalText, list[Synonym]]:
    kept: dict[str, tuple[str, str]] = {}
    others = []
    for source, node, _ in members:
        for language, text in node.title:
            if language not in kept:
                kept[language] = (text, source)
            elif name_key(text) != name_key(kept[language][0]):
                conflicts.append(Conflict(node_id, f"title.{language}", *kept[language], text, source))
                others.append(Synonym(text, language, "exact"))
    return LocalText.of({language: text for language, (text, _) in kept.items()}), others


def _synonyms(title: LocalText, found: Iterable[Synonym]) -> tuple[Synonym, ...]:
    """Return the synonyms without those that only repeat a title or an earlier one; the first scope counts."""
    seen = {(language, name_key(text)) for language, text in title}
    kept = []
    for synonym in found:
        key = (synonym.language, name_key(synonym.text))
        if key not in seen:
            seen.add(key)
            kept.append(synonym)
    return tuple(kept)


def _fields(node_id: str, members: Sequence[Member], conflicts: list[Conflict]) -> tuple[tuple[str, LocalText], ...]:
    kept: dict[str, dict[str, tuple[str, str]]] = {}
    for source, node, _ in members:
        for key, texts in node.fields:
            for language, text in texts:
                found = kept.setdefault(key, {}).setdefault(language, (text, source))
                if " ".join(text.split()) != " ".join(found[0].split()):
                    conflicts.append(Conflict(node_id, f"fields.{key}.{language}", *found, text, source))
    order = [*(key for key in FIELD_KEYS if key in kept), *sorted(set(kept) - set(FIELD_KEYS))]
    return tuple((key, LocalText.of({lang: text for lang, (text, _) in kept[key].items()})) for key in order)


def _sources(node_id: str, members: Sequence[Member], conflicts: list[Conflict]) -> tuple[Source, ...]:
    """Return the sources, those of one kind and id once; a level, year, title or address fills what was missing."""
    kept: dict[tuple[str, str], tuple[Source, str]] = {}
    for name, node, _ in members:
        for source in node.sources:
            key = (source.kind, source.id)
            if key not in kept:
                kept[key] = (source, name)
                continue
            first, first_name = kept[key]
            for part in ("title", "year", "url", "evidence_level"):
                one, other = getattr(first, part), getattr(source, part)
                if one is None and other is not None:
                    first = replace(first, **{part: other})
                elif other is not None and one != other:
                    where = f"sources.{source.kind} {source.id}.{part}"
                    conflicts.append(Conflict(node_id, where, str(one), first_name, str(other), name))
            kept[key] = (first, first_name)
    return tuple(source for source, _ in kept.values())
