"""The command assemble over two graphs in the native format."""

import json

import pytest

from tests.ingest.graphs import node, write_folder

RECIPE = """
[graph]
id = "both"

[[sources]]
name = "one"
path = "one"

[[sources]]
name = "two"
path = "two"

[[joins]]
codes = "DOID"
types = "disease"
"""


def coded(node_id, code, **more):
    return node(node_id, codes=[{"system": "DOID", "code": code}], **more)


@pytest.fixture
def recipe(tmp_path):
    header = {"graph_id": "g1", "snapshot_id": "s", "licence": "CC0-1.0", "attribution": ["By us."]}
    write_folder(tmp_path / "one", [coded("a", "1"), node("b", ("a",))], header)
    write_folder(tmp_path / "two", [coded("x", "1"), node("y", ("x",))], {**header, "graph_id": "g2"})
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


def test_assemble_stores_one_graph_with_origins_and_says_what_it_did(run, recipe, tmp_path):
    home = tmp_path / "new"
    done = run("assemble", recipe, "--snapshot", "s1", "--report", tmp_path / "report.json", home=home)
    assert (done.status, done.err) == (0, "")
    assert "Count in = count out: 4 nodes in = 3 nodes + 1 joined" in done.out
    assert "joined by DOID: 1\n  a + x (1)" in done.out
    assert "a title.de: kept 'Titel a' (one), not 'Titel x' (two)" in done.out
    assert "Next: python -m oncosearch index --graph both --snapshot s1" in done.out
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["joined"] == [{"id": "a", "source": "two", "node": "x", "by": "DOID", "keys": ["1"]}]
    assert (report["nodes"], report["balanced"], len(report["conflicts"])) == (3, True, 2)
    run("index", "--without-model", home=home)
    shown = run("show", "a", "--json", home=home).json
    assert [(o["graph"], o["node"], o["licence"]) for o in shown["node"]["origins"]] == [
        ("g1", "a", "CC0-1.0"),
        ("g2", "x", "CC0-1.0"),
    ]
    (snapshot,) = run("snapshots", "--json", home=home).json
    assert (snapshot["graph"], snapshot["licence"], snapshot["attribution"]) == ("both", "CC0-1.0", ["By us."])


def test_a_snapshot_without_a_name_follows_the_content(run, recipe):
    first = run("assemble", recipe, "--graph", "mine")
    again = run("assemble", recipe, "--graph", "mine")
    assert "Stored as mine@content-" in first.out
    assert first.out.splitlines()[-1] == again.out.splitlines()[-1]


def test_a_dry_run_stores_nothing(run, recipe, tmp_path):
    home = tmp_path / "new"
    done = run("assemble", recipe, "--dry-run", home=home)
    assert (done.status, done.out.splitlines()[-1]) == (0, "Dry run: nothing was stored.")
    assert not home.exists()


def test_the_files_may_lie_elsewhere(run, recipe, tmp_path):
    moved = tmp_path / "recipes" / "r.toml"
    moved.parent.mkdir()
    recipe.rename(moved)
    failed = run("assemble", moved, "--dry-run")
    assert failed.status == 2
    assert run("assemble", moved, "--dry-run", "--data", tmp_path).status == 0


def test_a_source_with_errors_is_named_and_nothing_is_stored(run, recipe, tmp_path):
    write_folder(tmp_path / "two", [node("x", ("nowhere",))], {"graph_id": "g2", "snapshot_id": "s"})
    before = run("snapshots", "--json").json
    done = run("assemble", recipe, "--report", tmp_path / "report.json")
    assert done.status == 2
    assert "Source two:\n" in done.out
    assert "error dangling_parent: 1" in done.out
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["source"] == "two"
    assert run("snapshots", "--json").json == before


@pytest.mark.parametrize("option", ["--graph", "--snapshot"])
def test_ids_of_another_form_are_refused(run, recipe, option):
    done = run("assemble", recipe, option, "a/b")
    assert done.status == 2
    assert "'a/b'" in done.err
