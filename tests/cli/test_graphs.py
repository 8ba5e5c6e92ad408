"""Commands that bring graphs in: ingest, index, snapshots, demo."""

import json
import signal
import subprocess
import time

import numpy as np
import pytest

from oncosearch.workspace import demo_folder
from tests.cli.conftest import environment, on_terminal, process, program
from tests.paths import ROOT, SHARED_DATA
from tests.workspace.homes import SMALL, changed_graph

CYCLE = ROOT / "tests" / "data" / "cycle"


def edit(rows):
    rows["aml"]["title"]["de"] = "AML"
    del rows["glossar"]
    rows["neu"] = {"id": "neu", "type": "disease", "title": {"de": "Neu"}, "parents": ["solide"]}


def test_ingest_prints_the_report_and_what_to_do_next(run, tmp_path):
    done = run("ingest", SMALL, home=tmp_path / "new")
    assert done.status == 0
    assert "small@2026.Q4 (format native): 0 errors" in done.out
    assert "Count in = count out: 30 rows in = 30 nodes" in done.out
    assert "Next: python -m oncosearch index --graph small --snapshot 2026.Q4" in done.out
    assert [s["nodes"] for s in run("snapshots", "--json", home=tmp_path / "new").json] == [30]


def test_ingest_of_a_later_snapshot_prints_and_writes_the_difference(run, tmp_path):
    done = run("ingest", changed_graph(tmp_path / "later", edit), "--report", tmp_path / "report.json")
    assert "Since small@2026.Q4: 1 added (neu), 1 changed (aml), 1 removed (glossar)" in done.out
    report = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert report["balanced"] is True
    assert report["diff"] == {
        "since": {"graph": "small", "snapshot": "2026.Q4"},
        "added": ["neu"],
        "changed": ["aml"],
        "removed": ["glossar"],
    }
    assert [s["snapshot"] for s in run("snapshots", "--json").json] == ["2026.Q4", "2027.Q1"]


def test_a_dry_run_stores_nothing(run, tmp_path):
    home = tmp_path / "new"
    done = run("ingest", SMALL, "--dry-run", "--report", tmp_path / "report.json", home=home)
    assert (done.status, done.out.splitlines()[-1]) == (0, "Dry run: nothing was stored.")
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["nodes"] == 30
    assert not home.exists()


def test_a_refused_import_lists_its_errors_and_leaves_the_store_as_it_was(run, tmp_path):
    before = run("snapshots", "--json").json
    done = run("ingest", CYCLE, "--report", tmp_path / "report.json")
    assert done.status == 2
    assert "error cycle: 1" in done.out
    assert "nodes.jsonl" in done.out
    assert " → " in done.out
    assert done.err.startswith("oncosearch: Import refused with ")
    assert done.err.count("\n") == 1
    assert run("snapshots", "--json").json == before
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["errors"]["cycle"]["count"] == 1


def test_cycles_can_be_broken_and_are_listed(run, tmp_path):
    done = run("ingest", CYCLE, "--break-cycles", "--dry-run", "--report", tmp_path / "report.json")
    assert done.status == 0
    assert "warning cut_cycle: 1" in done.out
    assert len(json.loads((tmp_path / "report.json").read_text("utf-8"))["cut"]) == 1


def test_files_may_be_given_one_by_one_and_a_limit_is_kept(run, tmp_path):
    files = [SMALL / "graph.json", SMALL / "nodes.jsonl"]
    assert run("ingest", *files, "--dry-run").status == 0
    done = run("ingest", *files, "--max-bytes", 1000)
    assert done.status == 2
    assert "error file_too_large: 1" in done.out
    assert "--max-bytes is 0" in run("ingest", *files, "--max-bytes", 0).err


def test_graph_and_snapshot_may_be_named_anew(run):
    done = run("ingest", SMALL, "--graph", "copy", "--snapshot", "1", "--format", "native", "--language", "de")
    assert "Stored as copy@1." in done.out
    ambiguous = run("ingest", SMALL, "--graph", "copy")
    assert ambiguous.status == 0
    done = run("index", "--snapshot", "2026.Q4", "--without-model")
    assert done.status == 2
    assert "Several graphs have a snapshot '2026.Q4' (" in done.err


def test_the_same_snapshot_with_other_content_is_refused(run, tmp_path):
    done = run("ingest", changed_graph(tmp_path / "other", edit, "2026.Q4"))
    assert done.status == 2
    assert "stored already with another content" in done.err


def test_index_makes_a_graph_searchable_and_a_second_time_nothing(tmp_path):
    home = tmp_path / "home"
    assert process("--home", home, "ingest", SMALL).returncode == 0
    first = process("--home", home, "index")
    assert first.returncode == 0
    assert b"30 nodes have vectors of e5-small: 30 encoded, 0 reused." in first.stdout
    assert first.stderr == b""
    again = process("--home", home, "index", "--model", "e5-small")
    assert b"0 encoded, 30 reused" in again.stdout
    assert again.stderr == b""
    found = json.loads(process("--home", home, "search", "Brustkrebs", "--json").stdout)
    assert found["hits"][0]["id"] == "mamma"


def test_index_without_a_model_is_for_words_alone(run, tmp_path):
    home = tmp_path / "new"
    run("ingest", SMALL, home=home)
    assert "with the pipeline lexical" in run("index", "--without-model", home=home).out
    assert run("search", "Brustkrebs", "--pipeline", "lexical", home=home).status == 0
    refused = run("search", "Brustkrebs", home=home)
    assert refused.status == 2
    assert "Run: python -m oncosearch index --graph small --snapshot 2026.Q4 --model e5-small" in refused.err
    assert "searchable with: words\n" in run("snapshots", home=home).out


def test_index_after_a_change_encodes_only_that(run, tmp_path):
    run("ingest", changed_graph(tmp_path / "later", edit))
    assert "29" not in run("index", "--snapshot", "2026.Q4").out.split("encoded")[0]
    done = run("index", "--graph", "small")
    assert "small@2027.Q1: 30 nodes have vectors of e5-small: 2 encoded, 28 reused." in done.out


def test_snapshots_say_what_they_can_be_searched_with(run, tmp_path):
    done = run("snapshots")
    assert "small@2026.Q4  30 nodes" in done.out
    assert "searchable with: words, e5-small" in done.out
    (row,) = run("snapshots", "--json").json
    assert (row["prepared"], row["models"], row["licence"]) == (True, ["e5-small"], "CC0-1.0")
    assert "python -m oncosearch demo" in run("snapshots", home=tmp_path / "empty").out
    assert run("snapshots", "--json", home=tmp_path / "empty").json == []


def _vector_bytes(home):
    return sum(p.stat().st_size for p in home.rglob("hashes.npy"))


def _wait_for_vectors(running, home):
    deadline = time.monotonic() + 120
    while _vector_bytes(home) < 400 and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)


def test_killed_while_embedding_it_goes_on_where_it_stopped(small_home, tmp_path):
    home = tmp_path / "home"
    assert process("--home", home, "ingest", SMALL).returncode == 0
    with subprocess.Popen(program("--home", home, "index"), cwd=ROOT, env=environment()) as running:
        _wait_for_vectors(running, home)
        running.kill()
    assert running.returncode == -signal.SIGKILL
    done = process("--home", home, "index")
    assert b"14 encoded, 16 reused" in done.stdout
    (whole,), (resumed,) = ([np.load(p) for p in h.rglob("vectors.npy")] for h in (small_home, home))
    assert np.array_equal(whole, resumed)


def test_ctrl_c_is_one_line_and_status_130(tmp_path):
    home = tmp_path / "home"
    assert process("--home", home, "ingest", SMALL).returncode == 0
    with subprocess.Popen(
        program("--home", home, "index"), cwd=ROOT, env=environment(), stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        _wait_for_vectors(running, home)
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in said
    assert said.decode().splitlines()[-1] == "oncosearch: interrupted; what was finished is kept."
    assert b"reused" in process("--home", home, "index").stdout


def test_demo_a_second_time_has_nothing_left_to_do(demo_home):
    nodes = len((demo_folder() / "nodes.jsonl").read_text("utf-8").splitlines())
    done = process("--home", demo_home, "demo")
    assert done.returncode == 0, done.stderr
    assert f"0 encoded, {nodes} reused" in done.stdout.decode()
    assert "Try: python -m oncosearch search" in done.stdout.decode()
    assert done.stderr == b""


@pytest.mark.skipif(SHARED_DATA is None, reason="the public data sets are not here")
def test_civic_from_the_command_line(run, tmp_path):
    home = tmp_path / "civic"
    assert run("ingest", SHARED_DATA / "civic", "--format", "civic", home=home).status == 0
    assert run("index", "--without-model", home=home).status == 0
    done = run("search", "Osimertinib bei EGFR T790M", "--pipeline", "lexical", "--top", 5, "--json", home=home)
    evidence = [h for h in done.json["hits"] if h["type"] == "evidence" and "osimertinib" in str(h["titles"]).lower()]
    assert any(s["address"].startswith("https://pubmed.ncbi.nlm.nih.gov/") for h in evidence for s in h["sources"])


def test_reading_a_large_graph_shows_how_far_it_is(tmp_path):
    rows = "".join(f"{number},Title {number}\n" for number in range(2500))
    (tmp_path / "nodes.csv").write_text("id,name\n" + rows, encoding="utf-8")
    (tmp_path / "m.toml").write_text(
        'format = "tables"\n[[nodes]]\nfile = "nodes.csv"\nid = "id"\ntype = "disease"\ntitle.en = "name"\n',
        encoding="utf-8",
    )
    command = "--home", tmp_path / "home", "ingest", tmp_path / "nodes.csv", "--mapping", tmp_path / "m.toml"
    assert "Read: " in on_terminal(*command, "--dry-run")
    piped = process(*command)
    assert (piped.returncode, piped.stderr) == (0, b"")
    assert b"2,500 rows in = 2,500 nodes" in piped.stdout


def test_a_terminal_shows_every_phase(tmp_path):
    terms = "".join(f"\n[Term]\nid: DOID:{number}\nname: term {number}\n" for number in range(2500))
    (tmp_path / "many.obo").write_text("format-version: 1.2\nontology: many\n" + terms, encoding="utf-8")
    shown = on_terminal("--home", tmp_path / "home", "ingest", tmp_path / "many.obo")
    # Read as a whole, then checked and summed up, then stored.
    assert shown.index("Read: ") < shown.index("Check: ") < shown.index("Import: ")
    assert "2000 nodes" in shown
    indexed = on_terminal("--home", tmp_path / "home", "index", "--without-model")
    assert all(f"{stage}: 100%" in indexed for stage in ("Graph", "Passages", "Names", "Word index"))
    # tqdm writes elapsed time < remaining time.
    assert "2500/2500 [00:" in indexed
