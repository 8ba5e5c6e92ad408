"""Each check, by line: a small file with one fault in its second line."""

from pathlib import Path
from typing import Any

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from tests.ingest.graphs import GRAPH, found, node, write_folder

PUBMED = {"kind": "pubmed", "id": "25923549"}

# kind → what stands in the second line; the first is a node "a", the third a node "c".
ERRORS: list[tuple[str, Any]] = [
    ("bad_json", '{"id": "b", '),
    ("bad_json", '{"id": "b"} x'),
    ("bad_json", '{"id": 1' + "0" * 5000 + "}"),
    ("bad_number", '{"id": "b", "type": "drug", "title": {"de": NaN}}'),
    ("bad_number", '{"id": "b", "type": "drug", "title": {"de": -Infinity}}'),
    ("duplicate_key", '{"id": "b", "type": "drug", "type": "group", "title": {"de": "B"}}'),
    ("duplicate_key", '{"id": "b", "type": "drug", "title": {"de": "B", "de": "C"}}'),
    ("nested_too_deep", "[" * 200_000),
    ("nested_too_deep", '{"a":' * 200_000),
    (
        "wrong_type",
        '{"id": "b", "type": "drug", "title": {"de": "B", "en": "B"}, "sources": '
        '[{"kind": "pubmed", "id": "1", "year": 1e999}]}',
    ),
    ("wrong_type", "[]"),
    ("wrong_type", "null"),
    ("wrong_type", {**node("b"), "id": 7}),
    ("wrong_type", {**node("b"), "type": ["drug"]}),
    ("wrong_type", {**node("b"), "title": "B"}),
    ("wrong_type", {**node("b"), "title": {"de": 1}}),
    ("wrong_type", {**node("b"), "parents": "a"}),
    ("wrong_type", {**node("b"), "parents": [1]}),
    ("wrong_type", {**node("b"), "parents": None}),
    ("wrong_type", node("b", links=["a"])),
    ("wrong_type", node("b", synonyms=["B"])),
    ("wrong_type", node("b", fields=[])),
    ("wrong_type", node("b", fields={"Therapy": "text"})),
    ("wrong_type", node("b", sources=[{**PUBMED, "year": "2015"}])),
    ("wrong_type", node("b", sources=[{**PUBMED, "year": True}])),
    ("wrong_type", node("b", sources=[{**PUBMED, "id": 25923549}])),
    ("unknown_key", node("b", colour="red")),
    ("unknown_key", node("b", synonyms=[{"text": "B", "lang": "de"}])),
    ("unknown_key", node("b", codes=[{"system": "X", "code": "1", "version": "2"}])),
    ("unknown_key", node("b", sources=[{**PUBMED, "pages": "1"}])),
    ("unknown_key", node("b", links=[{"target": "a", "kind": "treats", "weight": 1}])),
    ("missing_title", {"id": "b", "type": "drug"}),
    ("missing_title", {**node("b"), "title": {}}),
    ("empty_text", {**node("b"), "title": {"de": " "}}),
    ("empty_text", node("b", fields={"Therapy": {"de": ""}})),
    ("empty_text", node("b", fields={"Therapy": {}})),
    ("bad_text", '{"id": "b", "type": "drug", "title": {"de": "x\\u0000y"}}'),
    ("bad_text", '{"id": "b", "type": "drug", "title": {"de": "x\\ud800y"}}'),
    ("bad_language", {**node("b"), "title": {"Deutsch!": "B"}}),
    ("missing_key", {"id": "b", "title": {"de": "B"}}),
    ("missing_key", node("b", codes=[{"system": "X"}])),
    ("missing_key", node("b", links=[{"target": "a"}])),
    ("missing_key", node("b", origins=[{"graph": "g"}])),
    ("unknown_key", node("b", origins=[{"graph": "g", "node": "1", "license": "x"}])),
    ("wrong_type", node("b", origins=[{"graph": "g", "node": "1", "attribution": "x"}])),
    ("empty_text", node("b", origins=[{"graph": "g", "node": "1", "licence": ""}])),
    ("missing_key", node("b", sources=[{"id": "1"}])),
    ("unknown_type", {**node("b"), "type": "tumour"}),
    ("unknown_field", node("b", fields={"Colour": {"de": "rot"}})),
    ("unknown_field", node("b", fields={"Title": {"de": "B"}})),
    ("unknown_scope", node("b", synonyms=[{"text": "B", "scope": "near"}])),
    ("empty_id", {"type": "drug", "title": {"de": "B"}}),
    ("empty_id", node("")),
    ("empty_id", node("  ")),
    ("bad_id", node("b\tc")),
    ("bad_id", node("b\u2028c")),
    ("bad_id", node(" b")),
    ("bad_id", node("b" * 513)),
    ("duplicate_id", node("a")),
    ("dangling_parent", node("b", ("nowhere",))),
    ("dangling_link", node("b", links=[{"target": "nowhere", "kind": "treats"}])),
    ("self_parent", node("b", ("b",))),
    ("self_link", node("b", links=[{"target": "b", "kind": "treats"}])),
    ("source_without_id", node("b", sources=[{"kind": "pubmed"}])),
    ("source_without_id", node("b", sources=[{"kind": "web", "id": " "}])),
    ("unknown_source_kind", node("b", sources=[{"kind": "book", "id": "1"}])),
    ("bad_source_id", node("b", sources=[{"kind": "pubmed", "id": "PMID25923549"}])),
    ("bad_source_id", node("b", sources=[{"kind": "pubmed", "id": "025923549"}])),
    ("bad_source_id", node("b", sources=[{"kind": "pmc", "id": "123"}])),
    ("bad_source_id", node("b", sources=[{"kind": "trial", "id": "NCT123"}])),
    ("bad_source_id", node("b", sources=[{"kind": "trial", "id": "NCT01802632\n"}])),
    ("bad_source_id", node("b", sources=[{"kind": "doi", "id": "doi:10.1000/x"}])),
    ("bad_source_id", node("b", sources=[{"kind": "web", "id": "a\nb"}])),
    ("bad_year", node("b", sources=[{**PUBMED, "year": 20155}])),
    ("not_https", node("b", sources=[{**PUBMED, "url": "http://example.org"}])),
    ("not_https", node("b", sources=[{**PUBMED, "url": "javascript:alert(1)"}])),
    ("not_https", node("b", sources=[{**PUBMED, "url": "https:example.org"}])),
    ("not_https", node("b", sources=[{**PUBMED, "url": "https://a@example.org"}])),
    ("not_https", node("b", sources=[{**PUBMED, "url": 'https://example.org/"onclick='}])),
]

WARNINGS: list[tuple[str, Any]] = [
    ("duplicate_parent", node("b", ("a", "a"))),
    ("duplicate_link", node("b", links=[{"target": "a", "kind": "treats"}] * 2)),
    ("unknown_link_kind", node("b", links=[{"target": "a", "kind": "inspired_by"}])),
    ("unlisted_language", {**node("b"), "title": {"de": "B", "en": "B", "fr": "B"}}),
    ("unlisted_language", node("b", synonyms=[{"text": "B", "language": "la"}])),
    ("no_title_en", {**node("b"), "title": {"de": "B"}}),
    ("no_title_de", {**node("b"), "title": {"en": "B"}}),
    ("source_without_url", node("b", sources=[{"kind": "guideline", "id": "032-045OL"}])),
    ("source_without_url", node("b", sources=[{"kind": "web", "id": "page"}])),
]


def _name(case: tuple[str, Any]) -> str:
    return f"{case[0]}-{str(case[1])[:30]}"


@pytest.mark.parametrize(("kind", "line"), ERRORS, ids=map(_name, ERRORS))
def test_a_fault_is_reported_by_its_line_and_refuses_the_import(tmp_path: Path, kind: str, line: Any) -> None:
    folder = write_folder(tmp_path, [node("a"), line, node("c", ("a",))])
    with pytest.raises(GraphRefusedError) as caught:
        read_graph(folder)
    report = caught.value.report
    assert [(g.severity, g.kind) for g in report.problems if g.severity == "error"] == [("error", kind)]
    assert [p.where for g in report.problems for p in g.examples if g.kind == kind] == ["nodes.jsonl:2"]
    assert "nodes.jsonl:2" in str(caught.value)
    assert "nothing was stored" in str(caught.value)
    assert report.balanced


@pytest.mark.parametrize(("kind", "line"), WARNINGS, ids=map(_name, WARNINGS))
def test_a_warning_is_listed_and_the_node_is_kept(tmp_path: Path, kind: str, line: Any) -> None:
    graph = read_graph(write_folder(tmp_path, [node("a"), line]))
    assert [(g.severity, g.kind, g.count) for g in graph.report.problems] == [("warning", kind, 1)]
    assert graph.report.problems[0].examples[0].where == "nodes.jsonl:2"
    assert [n.id for n in graph.nodes] == ["a", "b"]


def test_repeated_parents_and_links_are_kept_once(tmp_path: Path) -> None:
    links = [
        {"target": "a", "kind": "treats"},
        {"target": "a", "kind": "treats"},
        {"target": "a", "kind": "related_to"},
    ]
    graph = read_graph(write_folder(tmp_path, [node("a"), node("c"), node("b", ("c", "a", "c"), links=links)]))
    assert graph.nodes[2].parents == ("c", "a")
    assert [link.kind for link in graph.nodes[2].links] == ["treats", "related_to"]


def test_all_errors_are_collected_not_only_the_first(tmp_path: Path) -> None:
    lines = [
        node("a", ("b",), colour="red"),
        node("b", ("a",)),
        "{",
        node("c", ("nowhere",), sources=[{"kind": "book"}]),
    ]
    report, where = found(write_folder(tmp_path, lines))
    assert where == {
        "unknown_key": ["nodes.jsonl:1"],
        "bad_json": ["nodes.jsonl:3"],
        "unknown_source_kind": ["nodes.jsonl:4"],
        "source_without_id": ["nodes.jsonl:4"],
        "dangling_parent": ["nodes.jsonl:4"],
        # The faulty node "a" still takes part in the check of the hierarchy.
        "cycle": ["nodes.jsonl:1"],
    }
    assert (report.read, report.nodes, report.skipped) == (4, 1, 3)


def test_a_child_of_a_faulty_node_is_not_dangling(tmp_path: Path) -> None:
    _, where = found(write_folder(tmp_path, [node("a", colour="red"), node("b", ("a",))]))
    assert where == {"unknown_key": ["nodes.jsonl:1"]}


def test_ids_are_opaque(tmp_path: Path) -> None:
    ids = ["1", "01", "1.0", "http://example.org/onko#1", "Ä", "a b", "..", "$where"]
    graph = read_graph(write_folder(tmp_path, [node(i) for i in ids]))
    assert [n.id for n in graph.nodes] == ids


def test_a_synonym_without_language_takes_the_given_one(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [node("a", synonyms=[{"text": "breast cancer"}])])
    assert read_graph(folder).nodes[0].synonyms[0].language == "de"
    assert read_graph(folder, language="en").nodes[0].synonyms[0].language == "en"


def test_titles_are_missed_only_in_the_languages_of_the_graph(tmp_path: Path) -> None:
    german = write_folder(tmp_path, [{**node("a"), "title": {"de": "A"}}], {**GRAPH, "languages": ["de"]})
    assert read_graph(german).report.warnings == 0


@pytest.mark.parametrize(
    ("kind", "graph"),
    [
        ("missing_key", {"graph_id": "g"}),
        ("missing_key", {"snapshot_id": "s"}),
        ("bad_id", {**GRAPH, "graph_id": "../etc"}),
        ("bad_id", {**GRAPH, "snapshot_id": "a b"}),
        ("wrong_type", []),
        ("wrong_type", {**GRAPH, "graph_id": 1}),
        ("wrong_type", {**GRAPH, "demo": "yes"}),
        ("wrong_type", {**GRAPH, "attribution": "me"}),
        ("unknown_key", {**GRAPH, "license": "CC0"}),
        ("unknown_format", {**GRAPH, "format": "oncosearch-graph/9"}),
        ("bad_language", {**GRAPH, "languages": ["Deutsch"]}),
        ("missing_key", {**GRAPH, "languages": []}),
    ],
)
def test_a_faulty_header_refuses_the_import(tmp_path: Path, kind: str, graph: Any) -> None:
    _, where = found(write_folder(tmp_path, [node("a")], graph))
    assert where == {kind: ["graph.json:1"]}


def test_a_graph_without_nodes_is_refused(tmp_path: Path) -> None:
    _, where = found(write_folder(tmp_path, []))
    assert list(where) == ["empty_graph"]


def test_a_message_shows_values_from_outside_quoted_and_cut(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, [{**node("a"), "type": "\x1b[2J" + "x" * 1000}])
    with pytest.raises(GraphRefusedError) as caught:
        read_graph(folder)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 500
