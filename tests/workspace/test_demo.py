import shutil

from oncosearch.settings import Settings
from oncosearch.workspace import demo, demo_folder, import_demo, open_workspace


def test_an_earlier_demo_in_the_store_does_not_stop_the_present_one(tmp_path, monkeypatch):
    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        earlier = tmp_path / "earlier"
        shutil.copytree(demo_folder(), earlier)
        lines = (earlier / "nodes.jsonl").read_text("utf-8").splitlines()
        (earlier / "nodes.jsonl").write_text("\n".join(lines).replace("Therapie", "Behandlung"), "utf-8")
        with monkeypatch.context() as patched:
            patched.setattr(demo, "demo_folder", lambda: earlier)
            first = import_demo(workspace.store)
        second = import_demo(workspace.store)
        assert first.graph_id == second.graph_id
        assert first != second
        assert second.snapshot_id.startswith(f"{first.snapshot_id}-")
        assert import_demo(workspace.store) == second
        assert workspace.default_snapshot().key == second
        assert len(workspace.snapshots()) == 2
