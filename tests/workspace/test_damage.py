"""Index files that were damaged on disk are noticed, named, and made again by ``prepare``."""

import json

import numpy as np
import pytest
from filelock import FileLock

from oncosearch.model import ArtefactMismatchError, StoreError
from oncosearch.model.names import safe_name
from oncosearch.settings import Settings
from oncosearch.workspace import SearchRequest, open_workspace
from oncosearch.workspace.artefacts import snapshot_folder
from tests.conftest import prepare
from tests.paths import ROOT

SMALL = ROOT / "tests" / "data" / "small"
SILENT = lambda stage, done, total: None  # noqa: E731


@pytest.mark.parametrize(
    "name",
    ["graph/adjacent.targets.npy", "names/nodes.npy", "lexical/lexical-data.npy", "passages.jsonl", "hashes.txt"],
)
def test_a_changed_file_is_named_and_made_again(tmp_path, name):
    key = prepare(tmp_path, SMALL, None)
    path = snapshot_folder(tmp_path, key) / name
    good = path.read_bytes()
    path.write_bytes(good[:-2] + bytes(b ^ 0x55 for b in good[-2:]))
    with open_workspace(Settings(home=tmp_path)) as workspace:
        with pytest.raises(ArtefactMismatchError, match=name) as caught:
            workspace.graph(key)
        assert caught.value.code == "unprepared"
        assert "python -m oncosearch index" in str(caught.value)
        workspace.prepare(key, None, SILENT)
        assert path.read_bytes() == good
        assert workspace.search(SearchRequest("Metastasen", key, pipeline="lexical")).details


def test_a_missing_file_counts_as_unprepared(tmp_path):
    key = prepare(tmp_path, SMALL, None)
    (snapshot_folder(tmp_path, key) / "names" / "blob.npy").unlink()
    with open_workspace(Settings(home=tmp_path)) as workspace, pytest.raises(ArtefactMismatchError, match=r"blob\.npy"):
        workspace.graph(key)


def test_a_chain_of_a_thousand_levels_is_prepared_and_searched(tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "graph.json").write_text(json.dumps({"graph_id": "deep", "snapshot_id": "1"}), "utf-8")
    with (folder / "nodes.jsonl").open("w", encoding="utf-8") as file:
        for level in range(1000):
            parents = [f"n{level - 1:04d}"] if level else []
            node = {"id": f"n{level:04d}", "type": "group", "title": {"de": f"Ebene {level}"}, "parents": parents}
            file.write(json.dumps(node) + "\n")
    key = prepare(tmp_path / "home", folder, None)
    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        found = workspace.search(SearchRequest("Ebene 999", key, pipeline="lexical"))
        assert found.details[0].node.id == "n0999"
        assert len(found.details[0].paths[0]) == 999


def test_rebuilding_makes_all_files_anew_while_the_old_ones_serve(tmp_path):
    key = prepare(tmp_path, SMALL, None)
    folder = snapshot_folder(tmp_path, key)
    before = {p.name: p.stat().st_ino for p in folder.rglob("*.npy")}
    there = []
    with open_workspace(Settings(home=tmp_path)) as workspace:
        workspace.prepare(key, None, SILENT)
        assert {p.name: p.stat().st_ino for p in folder.rglob("*.npy")} == before
        workspace.prepare(key, None, lambda *_: there.append((folder / "sums.json").is_file()), rebuild=True)
        assert there
        assert all(there)
        assert before.items().isdisjoint({p.name: p.stat().st_ino for p in folder.rglob("*.npy")}.items())
        assert len(workspace.graph(key)) == len(np.load(folder / "graph" / "types.npy"))
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]


def test_a_rebuild_that_has_to_wait_changes_nothing(tmp_path):
    key = prepare(tmp_path, SMALL, None)
    lock = tmp_path / "locks" / f"{safe_name(key.graph_id)}.lock"
    with FileLock(lock), open_workspace(Settings(home=tmp_path)) as workspace:
        with pytest.raises(StoreError, match="Another process"):
            workspace.prepare(key, None, SILENT, rebuild=True)
        assert len(workspace.graph(key)) == 30


def test_an_interrupted_rebuild_leaves_the_old_files(tmp_path):
    key = prepare(tmp_path, SMALL, None)

    def stop(stage, done, total):
        if stage == "names":
            raise KeyboardInterrupt

    with open_workspace(Settings(home=tmp_path)) as workspace:
        with pytest.raises(KeyboardInterrupt):
            workspace.prepare(key, None, stop, rebuild=True)
        assert workspace.search(SearchRequest("Metastasen", key, pipeline="lexical")).details
        workspace.prepare(key, None, SILENT, rebuild=True)
        assert workspace.search(SearchRequest("Metastasen", key, pipeline="lexical")).details
