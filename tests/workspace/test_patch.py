"""The files of a snapshot made from those of an earlier one are, byte for byte, those made from all its nodes."""

import pytest

from oncosearch.workspace import artefacts
from oncosearch.workspace.artefacts import snapshot_folder
from tests.workspace.homes import KEY, LATER, changed_graph, opened, silent


def _renamed(rows):
    rows["mamma"]["title"]["de"] = "Karzinom der Mamma"


def _reworded(rows):
    # "Quarzstaubexposition" is split only where the graph knows its parts.
    rows["mamma"]["fields"]["Symptoms"]["de"] = "Quarzstaubexposition, Quarz, Staub, Exposition."
    rows["aml"]["fields"] = {"Diagnosis": {"de": "Lungenkrebs und Knochenmark."}}


def _moved(rows):
    rows["hirnmetastasen"]["parents"] = ["solide"]
    rows["glossar"]["links"] = [{"target": "mamma", "kind": "related_to"}]


def _added_and_removed(rows):
    del rows["glossar"]
    rows["000"] = {
        "id": "000",
        "type": "disease",
        "title": {"de": "Ganz vorn"},
        "codes": [{"system": "X", "code": "1"}],
    }
    rows["zzz"] = {"id": "zzz", "type": "drug", "title": {"en": "Last"}, "parents": ["000", "mamma"]}


def _nothing(rows):
    pass


def _contents(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize("change", [_renamed, _reworded, _moved, _added_and_removed, _nothing])
def test_a_patch_makes_the_same_files(home, tmp_path, monkeypatch, change):
    with opened(home, changed_graph(tmp_path / "new", change)) as workspace:
        with monkeypatch.context() as only_patched:
            only_patched.setattr(artefacts, "_make", lambda *_: pytest.fail("not patched"))
            workspace.prepare(LATER, None, silent)
        patched = _contents(snapshot_folder(home, LATER))
        with monkeypatch.context() as only_made:
            only_made.setattr(artefacts, "_patch", lambda *_: pytest.fail("patched"))
            workspace.prepare(LATER, None, silent, rebuild=True)
        made = _contents(snapshot_folder(home, LATER))
    assert patched.keys() == made.keys()
    assert [name for name in made if patched[name] != made[name]] == []


def test_stages_of_a_patch_report_their_end(home, tmp_path):
    seen = []
    with opened(home, changed_graph(tmp_path / "new", _renamed)) as workspace:
        workspace.prepare(LATER, None, lambda *report: seen.append(report))
    assert seen == [(stage, 30, 30) for stage in ("graph", "passages", "names", "lexical")]


def test_where_most_nodes_changed_all_are_read(home, tmp_path, monkeypatch):
    def change(rows):
        for row in rows.values():
            row["title"]["de"] = row["title"].get("de", "") + " neu"

    monkeypatch.setattr(artefacts, "_patch", lambda *_: pytest.fail("patched"))
    with opened(home, changed_graph(tmp_path / "new", change)) as workspace:
        workspace.prepare(LATER, None, silent)
        assert workspace.graph(LATER).title(0).endswith(" neu")


def test_words_of_another_format_are_not_built_on(home, tmp_path, monkeypatch):
    monkeypatch.setattr(artefacts, "_patch", lambda *_: pytest.fail("patched"))
    with opened(home, changed_graph(tmp_path / "new", _renamed)) as workspace:
        monkeypatch.setattr("oncosearch.index.occurrences.FORMAT", "oncosearch-words-0")
        workspace.prepare(LATER, None, silent)
        assert len(workspace.graph(LATER)) == 30


def test_a_damaged_earlier_snapshot_is_not_built_on(home, tmp_path, monkeypatch):
    (snapshot_folder(home, KEY) / "occurrences" / "data.npy").write_bytes(b"")
    monkeypatch.setattr(artefacts, "_patch", lambda *_: pytest.fail("patched"))
    with opened(home, changed_graph(tmp_path / "new", _renamed)) as workspace:
        workspace.prepare(LATER, None, silent)
        assert len(workspace.graph(LATER)) == 30
