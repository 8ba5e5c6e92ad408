import json

from oncosearch.ingest import read_graph
from oncosearch.ingest.raw import Place
from oncosearch.ingest.report import KEPT_PER_KIND, ImportLog, ImportReport, TableCount, quoted
from tests.ingest.graphs import found, node, write_folder
from tests.paths import ROOT


def _report(**changes) -> ImportReport:
    values = {
        "format": "native",
        "graph_id": "g",
        "snapshot_id": "s",
        "tables": (TableCount("nodes.jsonl", 10, 7, 2, 1),),
        "made": 3,
        "nodes": 10,
        "parents": 0,
        "links": 0,
        "sources": 0,
        "roots": 10,
        "by_type": (("drug", 10),),
        "blank_lines": 0,
        "problems": (),
    }
    return ImportReport(**{**values, **changes})


def test_the_balance_is_stated():
    assert _report().balanced
    assert "Count in = count out: 10 rows in = 7 nodes + 2 merged + 1 skipped; 3 more nodes made" in _report().text()


def test_a_lost_row_or_an_unexplained_node_breaks_the_balance():
    lost = _report(tables=(TableCount("nodes.jsonl", 11, 7, 2, 1),))
    assert not lost.balanced
    assert "COUNT IN IS NOT COUNT OUT" in lost.text()
    assert not _report(nodes=11).balanced


def test_the_report_of_the_small_graph():
    report = read_graph(ROOT / "tests" / "data" / "small").report
    assert report.text().splitlines() == [
        "small@2026.Q4 (format native): 0 errors, 0 warnings",
        "Count in = count out: 30 rows in = 30 nodes",
        "29 parent relations, 7 cross-links, 1 sources, 2 roots",
        "By type: group 5, disease 6, biomarker 13, drug 2, procedure 2, supportive_care 1, document 1",
    ]
    assert json.loads(json.dumps(report.to_dict()))["by_type"]["biomarker"] == 13


def test_examples_are_capped_and_the_rest_is_counted(tmp_path):
    report, _ = found(write_folder(tmp_path, [{**node(str(i)), "title": {"de": "x"}} for i in range(12)]))
    text = report.text()
    assert "warning no_title_en: 12" in text
    assert "… and 7 more" in text
    assert "nodes.jsonl:5:" in text
    assert "nodes.jsonl:6:" not in text
    (group,) = report.to_dict()["warnings"].values()
    assert group["count"] == 12
    assert len(group["examples"]) == 5


def test_the_report_as_json_lists_rows_left_out_errors_and_warnings():
    log = ImportLog()
    log.skip_row("bad_row", Place("a.csv", 3), "too short")
    log.warn("w", Place("a.csv", 4), "odd")
    log.error("e", Place("a.csv", 5), "wrong")
    table = TableCount("a.csv", log.read["a.csv"], 0, 0, log.skipped["a.csv"])
    report = _report(tables=(table,), problems=log.groups(), cut=(("a", "b"),))
    found = report.to_dict()
    assert [g.severity for g in report.problems] == ["error", "skipped", "warning"]
    assert {"nodes", "parents", "links", "sources", "roots", "skipped", "warnings"} <= set(found)
    assert found["skipped"] == [{"line": "a.csv:3", "what": "bad_row", "why": "too short"}]
    assert found["skipped_rows"] == 1
    assert found["warnings"] == {"w": {"count": 1, "examples": [{"where": "a.csv:4", "message": "odd"}]}}
    assert found["errors"]["e"]["count"] == 1
    assert found["cut"] == [{"parent": "a", "child": "b"}]


def test_errors_come_before_warnings():
    log = ImportLog()
    log.warn("w", "f:1", "first")
    log.error("e", "f:2", "second")
    assert [group.kind for group in log.groups()] == ["e", "w"]


def test_every_problem_is_counted_but_not_every_one_is_kept():
    log = ImportLog()
    for line in range(KEPT_PER_KIND + 5):
        log.error("e", f"f:{line}", "x")
    (group,) = log.groups()
    assert (group.count, len(group.examples)) == (KEPT_PER_KIND + 5, KEPT_PER_KIND)


def test_values_from_outside_are_quoted():
    assert quoted("a\nb") == r"'a\nb'"
    assert quoted("x" * 100) == repr("x" * 80) + "…"
    assert [quoted(v) for v in (None, True, 3, [1], {})] == ["null", "true", "3", "a list", "an object"]
