"""A graph whose one node tries everything in every field, and values of a search that carry the same."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

from oncosearch.explain import Match
from oncosearch.graph import build_graph
from oncosearch.model import Code, Hit, Link, LocalText, Node, Parameters, Ranking, Snapshot, Source, Synonym
from oncosearch.model.vocabulary import TEXT_FIELD_KEYS
from oncosearch.workspace.requests import Answer, HitDetail, PathStep, SourceCard

NASTY = (
    '=HYPERLINK("https://evil.example") </script><img src=x onerror=alert(1)> {{7*7}} $where '
    "[x](javascript:alert(2)) :red[y] :material/home: $x^2$ `z` \" onmouseover=alert(3) x=\" 'Übelkeit' 🧬 Nastinib"
)
NASTY_ID = "nasty<b>\"'&id"
KEY_GRAPH = {"graph_id": "nasty", "snapshot_id": "1", "title": f"Graph {NASTY}"}


def nasty_node() -> Node:
    return Node(
        NASTY_ID,
        "therapy",
        LocalText.of({"de": NASTY, "en": f"{NASTY} en"}),
        synonyms=(Synonym(NASTY + " s", "de", "exact"),),
        fields=tuple((key, LocalText.of({"de": NASTY, "en": NASTY})) for key in TEXT_FIELD_KEYS),
        codes=(Code("ICD-10-GM", "=C50.9"),),
        sources=(Source("pubmed", "29151359", NASTY, 2018, None, "<b>A</b>"), Source("web", NASTY, NASTY)),
        parents=("top",),
        links=(Link("other", "related_to"),),
    )


def nodes() -> list[Node]:
    return [
        Node("top", "group", LocalText.of({"de": "Oben <i>", "en": "Top <i>"})),
        nasty_node(),
        Node("other", "drug", LocalText.of({"de": "@SUM(1)", "en": "-1+2"}), parents=("top",)),
    ]


def graph():
    return build_graph(snapshot().key, "hash", nodes())


def snapshot() -> Snapshot:
    return Snapshot("nasty", "1", "2026-01-01T00:00:00+00:00", "hash", 3, title=f"Graph {NASTY}", licence=NASTY)


def write_folder(folder: Path) -> Path:
    from oncosearch.model import node_to_dict

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.json").write_text(json.dumps(KEY_GRAPH), encoding="utf-8")
    lines = (json.dumps(node_to_dict(node), ensure_ascii=False) + "\n" for node in nodes())
    (folder / "nodes.jsonl").write_text("".join(lines), encoding="utf-8")
    return folder


def detail(rank: int = 1) -> HitDetail:
    node = nasty_node()
    hit = Hit(
        NASTY_ID,
        rank,
        0.8312,
        0.5,
        0.3312,
        similarity=0.84,
        subgraph_similarity=0.79,
        hop=1,
        seed_id="other",
        neighbours=(("top", 0.5), (NASTY_ID, 0.25)),
        folded=("other",),
        pinned="title",
        cut=3,
    )
    return HitDetail(
        hit,
        node,
        NASTY,
        ((PathStep("top", "Oben <i>"), PathStep(NASTY_ID, NASTY)), (PathStep("top", "Oben <i>"),)),
        False,
        {"Title": 0.75, "Therapy": 0.25, "Codes": 0.0},
        (Match("Synonyms", "Nastinib", True, NASTY + " s", "exact", "de"),),
        ((NASTY, False), ("Nastinib", True)),
        "Therapy",
        (
            SourceCard(node.sources[0], "https://pubmed.ncbi.nlm.nih.gov/29151359/"),
            SourceCard(node.sources[1], None),
        ),
        "<b>A</b>",
    )


def answer() -> Answer:
    notes = (("folded", (("count", "1"),)),)
    ranking = Ranking(
        NASTY,
        (detail().hit,),
        snapshot().key,
        "e5-small",
        "grag",
        Parameters(),
        candidate_count=3,
        facets=(("types", (("therapy", 2), ("drug", 1))), ("groups", (("top", 3),))),
        notes=notes,
        record_id="r1",
    )
    return Answer(ranking, (detail(),))


class Tags(HTMLParser):
    """Collects what a browser would see as tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.shown: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.shown.append(data)


def assert_harmless(text: str, allowed: set[str]) -> Tags:
    """Assert that markup holds only ``allowed`` tags, no handlers and only https or own addresses."""
    found = Tags(text)
    for tag, attributes in found.tags:
        assert tag in allowed, tag
        assert not [name for name in attributes if name.startswith("on")], attributes
        for name in ("href", "src"):
            address = attributes.get(name) or "/"
            assert address.startswith(("https://pubmed", "/", "#")), address
    return found
