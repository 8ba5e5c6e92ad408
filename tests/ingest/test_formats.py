import pickle
from pathlib import Path

import pytest

from oncosearch.ingest import FORMATS, GraphRefusedError, find_format, import_graph, read_graph
from oncosearch.ingest.given import content_id, given
from oncosearch.model import ImportRefusedError, SnapshotDiff, UsageError
from tests.ingest.graphs import GRAPH, node, write_folder
from tests.paths import ROOT

SMALL = ROOT / "tests" / "data" / "small"


class MemoryStore:
    """A store of the size an import needs."""

    def __init__(self):
        self.kept = {}

    def write_snapshot(self, snapshot, nodes, on_progress=None):
        self.kept.setdefault(snapshot.key, (snapshot, tuple(nodes)))
        if on_progress is not None:
            on_progress(snapshot.node_count)

    def snapshots(self, graph_id=None):
        return [s for s, _ in self.kept.values() if graph_id in (None, s.graph_id)]

    def diff(self, old, new):
        before, after = ({n.id: n for n in self.kept[key][1]} for key in (old, new))
        return SnapshotDiff(
            old,
            new,
            tuple(sorted(after.keys() - before.keys())),
            tuple(sorted(i for i in after.keys() & before.keys() if after[i] != before[i])),
            tuple(sorted(before.keys() - after.keys())),
        )


def test_the_format_is_found_from_the_files(tmp_path):
    assert find_format(SMALL).key == "native"
    (tmp_path / "nightly-ClinicalEvidenceSummaries.tsv.gz").touch()
    assert find_format(tmp_path).key == "civic"


def test_an_unknown_folder_names_the_formats(tmp_path):
    with pytest.raises(UsageError, match=r"native \(graph\.json and nodes\.jsonl\); civic \("):
        read_graph(tmp_path)
    with pytest.raises(UsageError, match=r"'magic' is not known\. Formats are: native"):
        read_graph(tmp_path, format="magic")
    with pytest.raises(UsageError, match="does not exist"):
        read_graph(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="Nothing was given"):
        read_graph([])


def test_files_can_be_given_instead_of_their_folder():
    files = [SMALL / "nodes.jsonl", str(SMALL / "graph.json")]
    assert read_graph(files).snapshot.content_hash == read_graph(SMALL).snapshot.content_hash
    with pytest.raises(GraphRefusedError, match=r"graph\.json has no nodes\.jsonl"):
        read_graph(SMALL / "graph.json")


def test_files_of_one_name_from_two_folders_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"Two files are named graph\.json"):
        read_graph([SMALL, write_folder(tmp_path, [node("a")])])


def test_a_format_that_is_not_clear_must_be_named(tmp_path):
    write_folder(tmp_path, [node("a")])
    (tmp_path / "nightly-ClinicalEvidenceSummaries.tsv").touch()
    with pytest.raises(UsageError, match=r"one of several formats \(native, civic\)\. Name one with --format"):
        read_graph(tmp_path)
    assert len(read_graph(tmp_path, format="native").nodes) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [("x = 1", "format = null"), ('format = "magic"', "'magic' is not known"), ("format =", "is not valid TOML")],
)
def test_a_mapping_file_names_its_format(tmp_path, text, message):
    (tmp_path / "m.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        read_graph(SMALL, mapping=tmp_path / "m.toml")
    with pytest.raises(UsageError, match="does not exist"):
        read_graph(SMALL, mapping=tmp_path / "none.toml")


def test_a_language_that_is_none_is_refused():
    with pytest.raises(UsageError, match="The language is 'German'"):
        read_graph(SMALL, language="German")


def test_an_address_may_stand_in_a_variable(monkeypatch):
    monkeypatch.setenv("SOURCE", "mongodb://user:secret@host/db")
    assert given("env:SOURCE").addresses == ("mongodb://user:secret@host/db",)
    with pytest.raises(UsageError, match="OTHER holds no address"):
        given("env:OTHER")


def test_the_content_id_follows_names_and_bytes(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_bytes(b"1")
    second.write_bytes(b"1")
    assert content_id([first]) != content_id([second])
    assert content_id([first]) == content_id([first])
    before = content_id([first, second])
    second.write_bytes(b"2")
    assert content_id([first, second]) != before


@pytest.mark.parametrize("name", ["graph.json", "nodes.jsonl"])
def test_a_missing_file_is_named(tmp_path, name):
    (write_folder(tmp_path, [node("a")]) / name).unlink()
    with pytest.raises(GraphRefusedError, match=f"has no {name}"):
        read_graph(tmp_path)


def test_ids_can_be_given(tmp_path):
    key = read_graph(SMALL, graph_id="other", snapshot_id="2027.Q1").snapshot.key
    assert str(key) == "other@2027.Q1"
    with pytest.raises(UsageError, match=r"The snapshot id is '\.\./x'"):
        read_graph(SMALL, snapshot_id="../x")


def test_format_keys_are_unique_and_named():
    assert len({f.key for f in FORMATS}) == len(FORMATS)
    assert all(f.de and f.en and f.marks for f in FORMATS)


def test_an_import_writes_and_says_what_changed(tmp_path: Path):
    store = MemoryStore()
    written = []
    first = write_folder(tmp_path / "1", [node("a"), node("b"), node("c")])
    report, diff = import_graph(first, store, on_progress=written.append)
    assert (report.nodes, diff, written) == (3, None, [3])
    import_graph(write_folder(tmp_path / "x", [node("z")], {**GRAPH, "graph_id": "other"}), store)

    changed = node("b", ("a",))
    second = write_folder(tmp_path / "2", [node("a"), changed, node("d")], {**GRAPH, "snapshot_id": "2027.Q1"})
    _, diff = import_graph(second, store)
    assert diff is not None
    assert (str(diff.old), str(diff.new)) == ("test@2026.Q4", "test@2027.Q1")
    assert (diff.added, diff.changed, diff.removed) == (("d",), ("b",), ("c",))

    assert import_graph(first, store)[1] is None  # stored already, as the first of its graph
    assert import_graph(second, store)[1] == diff


def test_a_refused_import_does_not_touch_the_store():
    store = MemoryStore()
    with pytest.raises(ImportRefusedError):
        import_graph(ROOT / "tests" / "data" / "cycle", store)
    assert store.kept == {}


@pytest.mark.parametrize(
    ("content", "what"),
    [(pickle.dumps({"a": 1}, protocol=4), "pickle"), (b"PK\x03\x04rest", "ZIP"), ("a;b".encode("utf-16"), "UTF-16")],
)
@pytest.mark.parametrize("key", [None, "rki"])
def test_what_is_no_text_is_refused_by_its_bytes_whatever_its_name(tmp_path, content, what, key):
    path = tmp_path / "icd10.csv"
    path.write_bytes(content)
    with pytest.raises((UsageError, GraphRefusedError)) as refused:
        read_graph(path, format=key)
    assert what in str(refused.value)
