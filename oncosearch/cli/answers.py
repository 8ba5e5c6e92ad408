"""Answers and nodes as text for a terminal, and a node with its surroundings as JSON values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from oncosearch.cli.terminal import plain
from oncosearch.explain import source_address
from oncosearch.graph import Graph
from oncosearch.model import Node, Ranking, Source
from oncosearch.model.codec import node_to_dict
from oncosearch.model.vocabulary import link_back_name, term_name
from oncosearch.retrieve import pipeline
from oncosearch.workspace import Answer, HitDetail, PathStep

_NEIGHBOURS_SHOWN = 3
_RELATED_SHOWN = 20
_NOTES = {
    "neighbourhood_cut": "{seed_count} neighbourhoods were larger than the cap; {cut} nodes were left out of them.",
    "folded": "{count} redundant nodes are listed under the hit that says the same.",
    "candidates_capped": "The first {count} candidates were looked at.",
    "read_as": "{query} was read as: {title}.",
    "unknown_words": "not in this graph: {words}. Hits without a common word are only similar in meaning.",
    "filtered_out": "{count} candidates were found, but the filters let none of them through.",
}
_PINNED = {"code": "it has this code", "title": "it bears this title", "synonym": "it has this synonym"}
DISCLAIMER = "Research aid, no medical advice."


def answer_text(answer: Answer, graph: Graph, language: str) -> str:
    """Return an answer for a reader at a terminal."""
    ranking = answer.ranking
    lines = [_conditions(ranking), ""]
    for detail in answer.details:
        lines += [*_hit_lines(detail, graph, language), ""]
    if not answer.details:
        lines += ["No hit. Try other words, another pipeline (--pipeline), or fewer filters.", ""]
    for code, values in ranking.notes:
        lines.append("Note: " + _NOTES.get(code, code).format(**dict(values)))
    took = sum(ms for _, ms in ranking.timings)
    kept = f"recorded as {ranking.record_id}" if ranking.record_id else "not recorded"
    lines.append(
        f"{len(answer.details)} of {ranking.candidate_count:,} candidates, {took:.0f} ms, {kept}. {DISCLAIMER}"
    )
    return "\n".join(lines)


def _conditions(ranking: Ranking) -> str:
    used = pipeline(ranking.pipeline).uses
    parameters = [f"{name} {value}" for name, value in ranking.parameters.to_dict().items() if name in used]
    made_by = [str(ranking.snapshot), ranking.pipeline, *([ranking.model] if ranking.model else []), *parameters]
    return f"{plain(ranking.query)}  ({', '.join(made_by)})"


def _hit_lines(detail: HitDetail, graph: Graph, language: str) -> Iterator[str]:
    hit = detail.hit
    kind = term_name("type", detail.node.type, language)
    yield f"{hit.rank}. {plain(detail.title)}  [{kind}]  {hit.score:.4f}"
    yield f"   id: {plain(hit.node_id)}"
    yield from _path_lines(detail.paths, detail.paths_cut)
    if detail.snippet:
        yield f"   {term_name('field', detail.snippet_field, language)}: {plain(''.join(t for t, _ in detail.snippet))}"
    shares = sorted(((share, key) for key, share in detail.contributions.items() if share > 0), reverse=True)
    fields = ", ".join(f"{term_name('field', key, language)} {share:.0%}" for share, key in shares)
    yield f"   matched: {fields or 'no word of the question; found by meaning'}"
    for text, scope in dict.fromkeys((m.synonym, m.scope) for m in detail.matched if m.synonym):
        yield f"   synonym: {plain(text)} ({term_name('scope', scope or 'exact', language)})"
    for card in detail.sources:
        yield f"   source: {_source_text(card.source, card.address, language)}"
    if hit.folded:
        yield f"   same: {', '.join(map(plain, hit.folded))}"
    yield f"   why: {'; '.join(_reasons(detail, graph, language))}"


def _reasons(detail: HitDetail, graph: Graph, language: str) -> Iterator[str]:
    hit = detail.hit
    if hit.pinned:
        yield f"named in the question ({_PINNED.get(hit.pinned, hit.pinned)})"
    yield f"{hit.own:.4f} from its own text + {hit.around:.4f} from its surroundings"
    if hit.similarity is not None:
        yield f"similarity {hit.similarity:.4f}"
    if hit.subgraph_similarity is not None:
        yield f"of the neighbourhood {hit.subgraph_similarity:.4f}"
    if hit.seed_id == hit.node_id:
        yield "itself a starting node"
    elif hit.seed_id is not None:
        yield f"{hit.hop} hop{'' if hit.hop == 1 else 's'} from {_title(graph, hit.seed_id, language)}"
    if hit.neighbours:
        names = [_title(graph, node_id, language) for node_id, _ in hit.neighbours[:_NEIGHBOURS_SHOWN]]
        yield f"beside {', '.join(names)}"


def node_to_answer(
    node: Node, graph: Graph, paths: Sequence[Sequence[PathStep]], cut: bool, language: str
) -> dict[str, Any]:
    """Return a node with its paths, children, cross-links and source addresses as JSON values."""
    i = graph.index(node.id)
    return {
        "snapshot": {"graph": graph.key.graph_id, "snapshot": graph.key.snapshot_id},
        "node": node_to_dict(node),
        "paths": [[{"id": step.node_id, "title": step.title} for step in path] for path in paths],
        "paths_cut": cut,
        "children": [_named(graph, c, language) for c in graph.children.of_node(i).tolist()],
        "links": [
            {"kind": graph.link_kinds[kind], **_named(graph, target, language)}
            for target, kind in zip(graph.links.of_node(i).tolist(), graph.links.kinds_of_node(i).tolist(), strict=True)
        ],
        "linked_from": [
            {"kind": graph.link_kinds[kind], **_named(graph, source, language)}
            for source, kind in zip(
                graph.links_back.of_node(i).tolist(), graph.links_back.kinds_of_node(i).tolist(), strict=True
            )
        ],
        "addresses": [source_address(source) for source in node.sources],
    }


def node_text(node: Node, shown: dict[str, Any], language: str) -> str:
    """Return a node for a reader at a terminal; ``shown`` is its form of :func:`node_to_answer`."""
    return "\n".join(_node_lines(node, shown, language))


def _node_lines(node: Node, shown: dict[str, Any], language: str) -> Iterator[str]:
    yield f"{plain(node.title.best(language) or node.id)}  [{term_name('type', node.type, language)}]"
    yield f"   id: {plain(node.id)}"
    for title_language, title in node.title:
        yield f"   title ({title_language}): {plain(title)}"
    for synonym in node.synonyms:
        scope = term_name("scope", synonym.scope, language)
        yield f"   synonym ({synonym.language}, {scope}): {plain(synonym.text)}"
    for code in node.codes:
        yield f"   code: {plain(code.system)} {plain(code.code)}"
    steps = [[PathStep(step["id"], step["title"]) for step in path] for path in shown["paths"]]
    yield from _path_lines(steps, shown["paths_cut"])
    for key, text in node.fields:
        for text_language, content in text:
            yield f"   {term_name('field', key, language)} ({text_language}): {plain(content)}"
    for source, address in zip(node.sources, shown["addresses"], strict=True):
        yield f"   source: {_source_text(source, address, language)}"
    yield from _related_lines("children", shown["children"])
    for name, rows in (("links", shown["links"]), ("linked_from", shown["linked_from"])):
        naming = term_name if name == "links" else _back_name
        for kind in dict.fromkeys(row["kind"] for row in rows):
            yield from _related_lines(naming("link", kind, language), [r for r in rows if r["kind"] == kind])
    yield DISCLAIMER


def _back_name(_: str, key: str, language: str) -> str:
    return link_back_name(key, language)


def _related_lines(name: str, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    if rows:
        yield f"   {plain(name)} ({len(rows)}):"
        for row in rows[:_RELATED_SHOWN]:
            yield f"      {plain(row['title'])}  ({plain(row['id'])})"
        if len(rows) > _RELATED_SHOWN:
            yield f"      … and {len(rows) - _RELATED_SHOWN:,} more (all with --json)"


def _path_lines(paths: Sequence[Sequence[PathStep]], cut: bool) -> Iterator[str]:
    for path in paths:
        if path:
            yield "   path: " + " › ".join(plain(step.title) for step in path)
    if cut:
        yield "   path: … and more"


def _source_text(source: Source, address: str | None, language: str) -> str:
    level = f", level {source.evidence_level}" if source.evidence_level else ""
    about = ", ".join(str(part) for part in (source.title, source.year) if part)
    # An address that is not given for a link is text from outside like any other.
    parts = [f"{term_name('source', source.kind, language)} {source.id}{level}", about, address or source.url or ""]
    return "  ".join(plain(part) for part in parts if part)


def _named(graph: Graph, i: int, language: str) -> dict[str, str]:
    return {"id": graph.ids[i], "title": graph.title(i, language)}


def _title(graph: Graph, node_id: str, language: str) -> str:
    return plain(graph.title(graph.index(node_id), language))
