"""Graphs for the tests of ingest: small folders in the native format, and strategies for nodes."""

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from oncosearch.ingest import GraphRefusedError, ImportReport, read_graph
from oncosearch.model import Code, Link, LocalText, Node, Origin, Source, Synonym
from oncosearch.model.vocabulary import LINK_KIND_KEYS, NODE_TYPE_KEYS, SCOPE_KEYS, TEXT_FIELD_KEYS

GRAPH = {"graph_id": "test", "snapshot_id": "2026.Q4"}


def node(node_id: str, parents: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "id": node_id,
        "type": "disease",
        "title": {"de": f"Titel {node_id}", "en": f"Title {node_id}"},
        "parents": list(parents),
        **more,
    }


def write_folder(folder: Path, lines: list[Any], graph: Any = GRAPH) -> Path:
    """Write a graph; a line given as text is written as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    texts = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines]
    (folder / "nodes.jsonl").write_text("".join(text + "\n" for text in texts), encoding="utf-8")
    return folder


def found(folder: Path, **arguments: Any) -> tuple[ImportReport, dict[str, list[str]]]:
    """Return the report and where each kind of problem was found."""
    try:
        report = read_graph(folder, **arguments).report
    except GraphRefusedError as error:
        report = error.report
    return report, {group.kind: [problem.where for problem in group.examples] for group in report.problems}


# Whatever can be stored: no NUL, no half surrogates, more than blanks.
texts = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=20)
    | st.sampled_from(["Übelkeit", "</script>", "{{", "$where", "=1+1", "a\nb", "\u2028x", "🧬", "p.V600E"])
).filter(lambda text: not text.isspace())
lines = texts.filter(lambda text: text.isprintable() and text == text.strip())
languages = st.sampled_from(["de", "en", "fr", "pt-BR"])
local_texts = st.dictionaries(languages, texts, min_size=1, max_size=3).map(LocalText.of)


def _source_ids(kind: str) -> st.SearchStrategy[str]:
    forms = {
        "pubmed": r"[1-9][0-9]{0,8}",
        "pmc": r"PMC[1-9][0-9]{0,8}",
        "doi": r"10\.[0-9]{4,9}/[a-z0-9.()-]{1,12}",
        "trial": r"NCT[0-9]{8}",
    }
    return st.from_regex(forms[kind], fullmatch=True, alphabet=st.characters(codec="ascii")) if kind in forms else lines


sources = st.sampled_from(["pubmed", "pmc", "doi", "trial", "guideline", "web"]).flatmap(
    lambda kind: st.builds(
        Source,
        kind=st.just(kind),
        id=_source_ids(kind),
        title=st.none() | texts,
        year=st.none() | st.integers(1500, 2200),
        url=st.none() | st.just("https://example.org/a?b=ü#c"),
        evidence_level=st.none() | texts,
    )
)


origins = st.builds(
    Origin,
    graph=lines,
    node=lines,
    licence=st.just("") | texts,
    attribution=st.lists(texts, max_size=2).map(tuple),
    part=st.sampled_from(["", "title.de"]),
)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Node, ...]:
    """Valid graphs: parents stand before their children, so there is no cycle; links go anywhere."""
    ids = draw(st.lists(lines, min_size=1, max_size=8, unique=True))
    nodes = []
    for place, node_id in enumerate(ids):
        others = [other for other in ids if other != node_id]
        targets = st.sampled_from(others) if others else st.nothing()
        pairs = st.builds(Link, target=targets, kind=st.sampled_from(LINK_KIND_KEYS))
        named = draw(st.dictionaries(st.sampled_from(TEXT_FIELD_KEYS), local_texts, max_size=3))
        nodes.append(
            Node(
                id=node_id,
                type=draw(st.sampled_from(NODE_TYPE_KEYS)),
                title=draw(local_texts),
                synonyms=tuple(
                    draw(st.lists(st.builds(Synonym, texts, languages, st.sampled_from(SCOPE_KEYS)), max_size=3))
                ),
                fields=tuple((key, named[key]) for key in TEXT_FIELD_KEYS if key in named),
                codes=tuple(draw(st.lists(st.builds(Code, texts, texts), max_size=2))),
                sources=tuple(draw(st.lists(sources, max_size=3))),
                parents=tuple(draw(st.lists(st.sampled_from(ids[:place]), max_size=3, unique=True)) if place else ()),
                links=tuple(draw(st.lists(pairs, max_size=3, unique=True)) if others else ()),
                origins=tuple(draw(st.lists(origins, max_size=2))),
            )
        )
    return tuple(nodes)
