"""diff, prune, and what index says before it encodes."""

import json

import pytest

from tests.workspace.homes import SMALL, changed_graph


def change(rows):
    rows["mamma"]["title"]["de"] = "Karzinom der Mamma\x1b[31m"
    rows["neu"] = {"id": "neu", "type": "disease", "title": {"de": "Neu"}, "parents": ["solide"]}
    del rows["glossar"]


@pytest.fixture
def later(run, tmp_path):
    """Return the folder of a later state, imported."""
    folder = changed_graph(tmp_path / "later", change)
    assert run("ingest", folder).status == 0
    return folder


def test_diff_for_readers(run, later):
    done = run("diff", "2026.Q4", "small@2027.Q1")
    assert done.status == 0
    lines = done.out.splitlines()
    assert lines[0] == "small@2026.Q4 to small@2027.Q1: 1 added, 1 removed, 1 changed"
    assert "+ neu  Neu" in lines
    assert any(line.startswith("- glossar") for line in lines)
    assert any(line.startswith("    title.de + Karzinom der Mamma") for line in lines)
    assert "\x1b" not in done.out


def test_diff_as_json(run, later):
    values = run("diff", "2026.Q4", "2027.Q1", "--json").json
    assert values["new"] == {"graph": "small", "snapshot": "2027.Q1"}
    assert values["added"] == ["neu"]
    assert values["changed"][0]["fields"][0]["field"] == "title.de"
    assert run("diff", "2027.Q1", "2026.Q4", "--json").json["removed"] == ["neu"]
    assert run("diff", "2026.Q4", "2026.Q4", "--json").json["changed"] == []


def test_diff_of_an_unknown_snapshot_names_those_there_are(run):
    done = run("diff", "2026.Q4", "nope")
    assert done.status == 2
    assert "small@2026.Q4" in done.err


def test_index_says_what_it_will_encode_and_why(run, later):
    done = run("index", "--snapshot", "2027.Q1")
    assert "To encode with e5-small: 4 of 30 passages." in done.out
    told = "1 because their text changed, 2 because an ancestor was renamed or moved, 1 without a vector before; "
    assert f"Compared with small@2026.Q4: {told}26 vectors are reused." in done.out
    assert "This will take less than a minute." in done.out
    assert "4 encoded, 26 reused" in done.out
    assert "To encode" not in run("index", "--snapshot", "2027.Q1").out


def test_prune_drops_holds_and_reports(run, later):
    assert run("index", "--snapshot", "2027.Q1").status == 0
    assert run("prune").status == 2
    dry = run("prune", "--keep", "1", "--dry-run")
    assert "would drop small@2026.Q4  30 nodes" in dry.out
    assert run("search", "Brustkrebs", "--snapshot", "2026.Q4", "--pipeline", "lexical").status == 0
    held = run("prune", "--keep", "1")
    assert "kept small@2026.Q4: 1 searches refer to it (--force drops it all the same)" in held.out
    assert len(run("snapshots", "--json").json) == 2
    values = json.loads(run("prune", "--keep", "1", "--force", "--json").out)
    assert values["dropped"] == [{"graph": "small", "snapshot": "2026.Q4"}]
    assert values["unused_vectors"][0]["rows"] > 0
    assert [s["snapshot"] for s in run("snapshots", "--json").json] == ["2027.Q1"]
    assert "Nothing to drop." in run("prune", "--only", "2027.Q1").out
    assert run("search", "Brustkrebs").status == 0


def test_a_graph_named_alone_is_searched_in_its_newest_prepared_snapshot(run, later):
    found = run("search", "Brustkrebs", "--graph", "small", "--pipeline", "lexical", "--json")
    assert found.status == 0
    assert found.json["snapshot"]["snapshot"] == "2026.Q4"
    assert run("index", "--graph", "small", "--without-model").status == 0
    again = run("search", "Brustkrebs", "--graph", "small", "--pipeline", "lexical", "--json")
    assert again.json["snapshot"]["snapshot"] == "2027.Q1"


def test_a_model_that_cannot_be_used_leaves_the_index_alone(run, later):
    assert run("index", "--snapshot", "2026.Q4", "--rebuild", "--model", "bgem3").status == 2
    assert run("search", "Brustkrebs", "--snapshot", "2026.Q4", "--pipeline", "lexical").status == 0


def test_a_report_that_cannot_be_written_is_said_before_anything_is_stored(run, tmp_path):
    done = run("ingest", str(SMALL), "--graph", "other", "--report", str(tmp_path / "none" / "x.json"))
    assert done.status == 2
    assert "make it first" in done.err
    assert "other" not in run("snapshots").out
