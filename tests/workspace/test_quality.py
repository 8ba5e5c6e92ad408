"""The report on the small graph, changed by hand so that each check has something to find."""

import numpy as np
import pytest

from oncosearch.graph import build_graph
from oncosearch.index.pairs import ClosePairs
from oncosearch.model import DecidedPairs, Link, LocalText, Node, PairDecision, Snapshot, SnapshotKey, Source
from oncosearch.model.spreadsheet import csv_bytes
from oncosearch.workspace import DEFAULT_MODEL
from oncosearch.workspace.quality import (
    CHECKS,
    NODE_CHECKS,
    Finding,
    _Reading,
    check_graph,
    findings,
    near_pairs,
    of_types,
    report_to_dict,
    source_id_fits,
    type_counts,
)
from oncosearch.workspace.quality_export import QUALITY_COLUMNS, finding_rows
from tests.workspace.homes import KEY, LATER, changed_graph, opened, silent


def drug(node_id, title, **more):
    return {"id": node_id, "type": "drug", "title": title, "parents": [], **more}


def broken(rows):
    rows["x1"] = drug("x1", {"de": "Zwillingumab"}, sources=[{"kind": "pubmed", "id": "1", "year": 1999}])
    rows["x2"] = drug("x2", {"de": "ZWILLINGUMAB", "en": "Twinumab"}, links=[{"target": "x1", "kind": "related_to"}])
    rows["x3"] = drug(
        "x3", {"de": "Zwillingumab alfa", "en": "x"}, sources=[{"kind": "pubmed", "id": "2", "year": 2025}]
    )


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("quality")
    with opened(folder / "home", changed_graph(folder / "graph", broken)) as found:
        found.prepare(LATER, DEFAULT_MODEL, silent)
        yield found


@pytest.fixture(scope="module")
def report(workspace):
    return check_graph(workspace, LATER, DEFAULT_MODEL)


def ids(workspace, report, check):
    graph = workspace.graph(LATER)
    return [(graph.ids[f.node], f.detail) for f in findings(report, check)]


def test_each_check_finds_what_was_put_there(workspace, report):
    graph = workspace.graph(LATER)
    (pair,) = [f for f in findings(report, "same_title") if graph.ids[f.node] == "x1"]
    assert graph.ids[pair.other] == "x2"
    assert 0.9 < pair.score < 1
    assert ("x3", "") in ids(workspace, report, "orphan")
    assert ("x2", "") not in ids(workspace, report, "orphan")
    assert ("x2", "") in ids(workspace, report, "no_source")
    assert ("x3", "") not in ids(workspace, report, "no_source")
    assert ("x1", "en") in ids(workspace, report, "title_missing")
    assert ids(workspace, report, "old_evidence")[0] == ("x1", "1999")
    assert "x3" not in dict(ids(workspace, report, "old_evidence"))
    assert ids(workspace, report, "dangling") == []
    assert dict(report.years)[1999] == 1
    assert report.not_checked == ()
    assert set(report.lists) == set(NODE_CHECKS)


def test_counts_agree_with_the_nodes_themselves(workspace, report):
    nodes = list(workspace.store.iter_nodes(LATER))
    assert report.count("no_source") == sum(not node.sources for node in nodes)
    assert report.count("title_missing") == sum(node.title.get(k) is None for node in nodes for k in ("de", "en"))
    assert sum(count for _, count in report.years) + report.undated == sum(len(node.sources) for node in nodes)
    assert int(report.structure.depths.sum()) == len(nodes)


def test_near_duplicates_have_different_titles_and_near_vectors(workspace):
    graph = workspace.graph(LATER)
    found = near_pairs(workspace, LATER, DEFAULT_MODEL, 0.9)
    shown = {(graph.ids[int(a)], graph.ids[int(b)]) for a, b in zip(found.first, found.second, strict=True)}
    assert ("x1", "x2") not in shown
    assert found.total == len(shown) > 0
    index, _ = workspace.vectors(LATER, DEFAULT_MODEL)
    vectors = index.take(np.arange(len(graph))).astype(np.float64)
    assert found.total == int((np.triu(vectors @ vectors.T, 1) >= 0.9).sum()) - report_pairs(workspace, 0.9)


def report_pairs(workspace, least):
    return sum(f.score >= least for f in findings(check_graph(workspace, LATER, DEFAULT_MODEL), "same_title"))


def test_without_vectors_the_rest_is_checked_and_the_gap_is_said(workspace):
    for model, words in ((None, "No model"), ("minilm", "minilm")):
        report = check_graph(workspace, LATER, model)
        assert report.model is None
        assert dict(report.not_checked).keys() == {"near", "too_long"}
        assert words in dict(report.not_checked)["near"]
        assert report.count("too_long") is None
        assert list(findings(report, "too_long")) == []
        assert all(f.score is None for f in findings(report, "same_title"))


def test_progress_ends_with_all_nodes(workspace):
    steps = []
    check_graph(workspace, LATER, None, lambda stage, done, total: steps.append((stage, done, total)))
    count = workspace.store.snapshot(LATER).node_count
    assert steps[-1] == ("check", count, count)


def test_a_link_that_leads_nowhere_is_found_where_there_is_one():
    whole = [Node("a", "drug", LocalText()), Node("b", "drug", LocalText())]
    graph = build_graph(SnapshotKey("g", "1"), "hash", whole)
    reading = _Reading(graph, Snapshot("g", "1", "2026-01-01T00:00:00Z", "hash", 2))
    reading.add(Node("a", "drug", LocalText(), parents=("gone",), links=(Link("b", "treats"), Link("away", "treats"))))
    found = reading.lists()["dangling"]
    assert (found.nodes.tolist(), found.details) == ([0, 0], ("gone", "away"))


@pytest.mark.parametrize(
    ("year", "old"),
    [(2015, True), (2016, True), (2017, False), (None, False)],
)
def test_old_is_ten_years_before_the_snapshot(year, old):
    graph = build_graph(SnapshotKey("g", "1"), "hash", [Node("a", "drug", LocalText())])
    reading = _Reading(graph, Snapshot("g", "1", "2026-01-01T00:00:00Z", "hash", 1))
    reading.add(
        Node("a", "drug", LocalText(), sources=(Source("pubmed", "1", year=year), Source("pubmed", "2", year=1990)))
    )
    assert len(reading.lists()["old_evidence"]) == (old or year is None)


@pytest.mark.parametrize(
    ("source", "fits"),
    [
        (Source("pubmed", "12345"), True),
        (Source("pubmed", "012345"), False),
        (Source("pubmed", "PMID 1"), False),
        (Source("trial", "NCT00000001"), True),
        (Source("trial", "NCT1"), False),
        (Source("doi", "10.1000/x"), True),
        (Source("guideline", "S3 Lunge"), True),
        (Source("guideline", "S3 Lunge", url="https://www.example.org/x"), True),
        (Source("web", "x", url="http://example.org"), False),
        (Source("web", " "), False),
        (Source("carrier pigeon", "1"), False),
    ],
)
def test_form_of_source_ids(source, fits):
    assert source_id_fits(source) is fits


def test_json_has_counts_and_the_first_rows_of_each_check(workspace, report):
    graph = workspace.graph(LATER)
    values = report_to_dict(graph, report, None, "en", shown=2)
    assert list(values["counts"]) == list(CHECKS)
    assert values["counts"]["near"] is None
    assert values["counts"]["no_source"] == report.count("no_source")
    assert all(len(rows) <= 2 for rows in values["findings"].values())
    rows = report_to_dict(graph, report)["findings"]["same_title"]
    row = next(row for row in rows if row["id"] == "x1")
    assert (row["title"], row["title_language"], row["other"]["title"]) == ("Zwillingumab", "de", "ZWILLINGUMAB")
    assert "types" not in values


def test_csv_is_safe_and_names_decisions():
    graph = build_graph(SnapshotKey("g", "1"), "hash", [Node(i, "drug", LocalText.of({"de": f"={i}"})) for i in "+ab"])
    decided = DecidedPairs.of([PairDecision("g", "1", "+", "a", "different", "anna", "2026-01-01T00:00:00Z")])
    found = [Finding("near", 0, "", 1, 0.5), Finding("source_form", 2, "-1")]
    rows = list(finding_rows(graph, found, decided, "de"))
    assert rows[0] == (
        "near",
        "'+",
        "'=+",
        "de",
        "Arzneimittel",
        "",
        "a",
        "'=a",
        "de",
        "Arzneimittel",
        "0,500000",
        "different",
    )
    assert rows[1] == ("source_form", "b", "'=b", "de", "Arzneimittel", "'-1", "", "", "", "", "", "")
    assert len(QUALITY_COLUMNS) == len(rows[0])
    assert csv_bytes(["a", "b"], [("1", 'x"y')], "en") == '\ufeffa,b\r\n1,"x""y"\r\n'.encode()


def evidence(node_id, *pubmed):
    sources = [{"kind": "pubmed", "id": number} for number in pubmed]
    return {"id": node_id, "type": "evidence", "title": {"en": "One claim"}, "parents": [], "sources": sources}


def test_evidence_of_one_title_from_different_sources_stands_apart(tmp_path):
    def edit(rows):
        # e1 and e2 share a source, e3 has another one, e4 has none, and a drug is no evidence.
        rows.update(e1=evidence("e1", "1"), e2=evidence("e2", "1", "2"), e3=evidence("e3", "3"), e4=evidence("e4"))
        rows["y"] = drug("y", {"en": "one claim"}, sources=[{"kind": "pubmed", "id": "9"}])

    with opened(tmp_path / "home", changed_graph(tmp_path / "graph", edit)) as found:
        found.prepare(LATER, None, silent)
        report, graph = check_graph(found, LATER, None), found.graph(LATER)

    def pairs(check, types=()):
        rows = of_types(graph, findings(report, check), types)
        return {(graph.ids[f.node], graph.ids[f.other]) for f in rows if graph.ids[f.node] in {"e1", "e2", "e3", "e4"}}

    together = {("e1", "e2"), ("e1", "e4"), ("e2", "e4"), ("e3", "e4")}
    with_drug = {(node, "y") for node in ("e1", "e2", "e3", "e4")}
    assert pairs("other_source") == {("e1", "e3"), ("e2", "e3")}
    assert pairs("same_title") == together | with_drug
    assert pairs("same_title", ["drug"]) == with_drug
    assert report.count("other_source") == 2
    values = report_to_dict(graph, report, types=["drug"])
    assert values["counts"]["other_source"] == 2
    assert values["counts_of_types"]["other_source"] == 0
    assert values["counts_of_types"]["near"] is None
    assert len(values["findings"]["same_title"]) == values["counts_of_types"]["same_title"] == 4


def test_types_are_counted_most_first_and_a_pair_for_each_of_its_types():
    nodes = [Node(i, kind, LocalText()) for i, kind in (("a", "drug"), ("b", "evidence"), ("c", "evidence"))]
    graph = build_graph(SnapshotKey("g", "1"), "hash", nodes)
    rows = [Finding("near", 0, "", 1), Finding("near", 1, "", 2)]
    assert list(type_counts(graph, rows).items()) == [("evidence", 2), ("drug", 1)]


def test_equal_vectors_are_found_at_a_similarity_of_one(tmp_path):
    def edit(rows):
        rows["t1"] = {"id": "t1", "type": "drug", "title": {"de": "Ein Name", "en": "p"}, "parents": []}
        rows["t2"] = {"id": "t2", "type": "drug", "title": {"de": "ein  Name", "en": "p"}, "parents": []}

    with opened(tmp_path / "home", changed_graph(tmp_path / "graph", edit)) as found:
        found.prepare(LATER, DEFAULT_MODEL, silent)
        loose, tight = (near_pairs(found, LATER, DEFAULT_MODEL, least) for least in (0.9, 1.0))
    assert tight.total <= loose.total
    assert (tight.scores > 1 - 2e-6).all()


def test_near_rows_come_from_the_pairs_given(report):
    pairs = ClosePairs(np.array([1]), np.array([3]), np.array([0.99]), 7)
    assert list(findings(report, "near", pairs)) == [Finding("near", 1, "", 3, 0.99)]
    assert list(findings(report, "near")) == []


def test_the_unchanged_small_graph_is_reported_too(reading):
    assert check_graph(reading, KEY, DEFAULT_MODEL).snapshot.key == KEY
