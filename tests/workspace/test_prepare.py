"""Preparing: only what is missing is made, and an old snapshot stays searchable."""

import multiprocessing

import pytest
from filelock import FileLock

from oncosearch.embed import EmbedReport
from oncosearch.model import StoreError
from oncosearch.model.names import safe_name
from oncosearch.workspace import SearchRequest
from oncosearch.workspace.artefacts import snapshot_folder
from tests.workspace.homes import KEY, LATER, SMALL, changed_graph, opened, silent


def prepared(home, folder):
    """Return the report of embedding the snapshot of ``folder`` and the answers to one question on both snapshots."""
    with opened(home, folder) as workspace:
        before = workspace.search(SearchRequest("Brustkrebs", KEY)).ranking.hits
        report = workspace.prepare(LATER, "e5-small", silent)
        after = workspace.search(SearchRequest("Brustkrebs", KEY, top=9)).ranking.hits
        assert after == before[:9]
        new = workspace.search(SearchRequest("Brustkrebs", LATER)).ranking.hits
    return report, before, new


def test_one_changed_text_is_one_encoding(home, tmp_path):
    def change(rows):
        rows["mamma"]["fields"]["Symptoms"]["de"] = "Knoten, Einziehung der Haut."

    report, before, new = prepared(home, changed_graph(tmp_path / "new", change))
    assert (report.total, report.encoded, report.reused) == (30, 1, 29)
    assert new[0].node_id == before[0].node_id == "mamma"
    assert new[0].similarity != before[0].similarity


def test_a_changed_title_is_encoded_with_everything_below_it(home, tmp_path):
    def change(rows):
        rows["mamma"]["title"]["de"] = "Karzinom der Mamma"

    report, _, _ = prepared(home, changed_graph(tmp_path / "new", change))
    # The node itself, and the nodes that bear its title in their path.
    assert report.encoded == len({"mamma", "hirnmetastasen", "nachsorge-mamma"})


def test_a_new_snapshot_id_alone_encodes_nothing(home, tmp_path):
    report, before, new = prepared(home, changed_graph(tmp_path / "new", lambda rows: None))
    assert (report.encoded, report.reused) == (0, 30)
    assert new == before


def test_a_new_code_or_link_changes_no_path_and_encodes_one_node_at_most(home, tmp_path):
    def change(rows):
        rows["glossar"]["links"] = [{"target": "mamma", "kind": "related_to"}]

    report, _, _ = prepared(home, changed_graph(tmp_path / "new", change))
    assert report.encoded <= 1


def test_a_second_time_nothing_is_made_and_no_model_is_loaded(home, monkeypatch):
    with opened(home) as workspace:
        files = {p: p.stat().st_mtime_ns for p in home.rglob("*") if p.is_file() and p.suffix in {".npy", ".json"}}
        monkeypatch.setattr(type(workspace), "encoder", lambda *_: pytest.fail("no encoder is needed"))
        assert workspace.prepare(KEY, "e5-small", silent) == EmbedReport(30, 0, 30, 0)
        assert {p: p.stat().st_mtime_ns for p in files} == files


def test_every_stage_reports_up_to_its_end(tmp_path):
    stages = {}
    with opened(tmp_path, SMALL) as workspace:
        workspace.prepare(
            KEY, "e5-small", lambda stage, done, total: stages.setdefault(stage, []).append((done, total))
        )
    assert list(stages) == ["graph", "passages", "names", "lexical", "embed"]
    assert all(seen[-1] == (30, 30) for seen in stages.values())
    assert stages["embed"][0] == (0, 30)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("passages.json", b""),
        ("passages.json", b'{"format": "oncosearch-passages-0"}'),
        ("graph/manifest.json", b"{"),
        ("names/blob.npy", b"\x93NUMPY"),
        ("lexical/lexical-data.npy", b""),
    ],
)
def test_damaged_files_are_made_again(home, name, content):
    with opened(home) as workspace:
        folder = snapshot_folder(home, KEY)
        (folder / name).write_bytes(content)
        assert workspace.readiness(KEY, "e5-small", "grag").state == "unprepared"
        assert workspace.prepare(KEY, "e5-small", silent).encoded == 0
        assert workspace.search(SearchRequest("Brustkrebs", KEY)).ranking.hits[0].node_id == "mamma"


def _hold(path, held, done):
    with FileLock(path):
        held.set()
        done.wait(30)


def test_two_processes_do_not_prepare_one_graph_at_once(home):
    context = multiprocessing.get_context("spawn")
    held, done = context.Event(), context.Event()
    path = home / "locks" / f"{safe_name(KEY.graph_id)}.lock"
    other = context.Process(target=_hold, args=(path, held, done))
    other.start()
    try:
        assert held.wait(30)
        with opened(home) as workspace, pytest.raises(StoreError, match="Another process") as caught:
            workspace.prepare(KEY, "e5-small", silent)
        assert caught.value.code == "busy"
    finally:
        done.set()
        other.join(30)
    with opened(home) as workspace:
        assert workspace.prepare(KEY, "e5-small", silent).reused == 30
