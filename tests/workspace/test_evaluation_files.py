"""Files that are brought to the evaluation: every form, what is not taken, and what is no file of judgements."""

import io
import json
import zipfile

import pytest

from oncosearch.evaluate.exchange import (
    Collection,
    write_beir,
    write_qrels,
    write_qrels_csv,
    write_qrels_json,
    write_run,
)
from oncosearch.model import NotFoundError, Qrels, Run, UsageError
from oncosearch.workspace.evaluation_files import (
    JUDGEMENTS,
    RATINGS,
    keep,
    kept,
    read_judgements,
    read_ratings_file,
    read_run_file,
)

NODE = "http://example.org/a b?x=%20"
GRADES = {"T1": {"n1": 3, NODE: -1, "n2": 0}, "T2": {"n1": 1}}
DUPLICATES = {"T1": frozenset({"n2"})}
QUERIES = {"T1": "Was, „wie“ und\nwo; wann", "T2": "zwei"}
FOUND = Collection(Qrels(GRADES), QUERIES, {"n1": "eins"}, {"n1": "Text"}, DUPLICATES)


def zipped(folder):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"any/{path.relative_to(folder)}")
    return out.getvalue()


def in_form(form, folder):
    """Return the files that somebody would upload: {name: content}."""
    folder.mkdir()
    if form == "trec":
        write_qrels(FOUND.qrels, folder / "q.qrels", duplicates=DUPLICATES)
    elif form == "csv":
        write_qrels_csv(FOUND, folder / "q.csv", language="de")
    elif form == "json":
        write_qrels_json(FOUND, folder / "q.json")
    elif form == "beir":
        write_beir(FOUND, folder)
        return {"beir.zip": zipped(folder)}
    elif form == "trec in a zip":
        write_qrels(FOUND.qrels, folder / "qrels.txt", duplicates=DUPLICATES)
        return {"qrels.zip": zipped(folder)}
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("form", ["trec", "csv", "json", "beir", "trec in a zip"])
def test_every_form_comes_back_as_it_was(tmp_path, form):
    files = in_form(form, tmp_path / "out")
    name = keep(tmp_path, JUDGEMENTS, files)
    assert keep(tmp_path, JUDGEMENTS, files) == name
    found, report = read_judgements(kept(tmp_path, JUDGEMENTS, name))
    assert found.qrels.grades == GRADES
    assert found.duplicates == DUPLICATES
    assert report.path in files
    assert not report.skipped
    if form in ("csv", "json", "beir"):
        assert dict(found.queries) == QUERIES


def test_a_flags_file_of_another_name_belongs_to_the_one_file_beside_it(tmp_path):
    write_qrels(FOUND.qrels, tmp_path / "q.qrels", duplicates=DUPLICATES)
    files = {
        "mine.txt": (tmp_path / "q.qrels").read_bytes(),
        "other.flags.tsv": (tmp_path / "q.qrels.flags.tsv").read_bytes(),
    }
    name = keep(tmp_path, JUDGEMENTS, files)
    paths = kept(tmp_path, JUDGEMENTS, name)
    assert read_judgements(paths)[0].qrels.grades == GRADES
    assert kept(tmp_path, JUDGEMENTS, name) == paths, "what is kept stays as it was brought"


def test_records_of_an_annotation_are_judgements_and_a_second_rater_is_named(tmp_path):
    record = {
        "topic": "T1",
        "nodes": [
            {"id": "n1", "original_index": 0, "relevance": 3},
            {"id": "n2", "original_index": 1, "isDuplicate": True, "relevance": 1},
            {"id": "n3", "original_index": 2},
        ],
        "ordered_nodes": ["n1", "n3"],
    }
    text = json.dumps(record)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("Anna/T1.json", text)
        archive.writestr("Ben/T1.json", text)
        archive.writestr("Ben/T2.json", "{}")
    found, report = read_judgements(kept(tmp_path, JUDGEMENTS, keep(tmp_path, JUDGEMENTS, {"r.zip": out.getvalue()})))
    assert found.qrels.grades == {"T1": {"n1": 3, "n2": 1}}
    assert found.duplicates == {"T1": frozenset({"n2"})}
    assert [remark.code for remark in report.skipped] == ["repeated_id", "record"]
    assert report.taken == 2


def test_a_grade_that_only_an_order_gave_is_not_taken_and_said(tmp_path):
    record = {
        "topic": "T1",
        "nodes": [
            {"id": "n1", "original_index": 0, "relevance": 2, "stage": "explicit"},
            {"id": "n2", "original_index": 1, "relevance": 3, "stage": "bootstrapped"},
            {"id": "n3", "original_index": 2, "relevance": 1, "stage": "bootstrapped"},
        ],
        "ordered_nodes": ["n2", "n1", "n3"],
    }
    name = keep(tmp_path, JUDGEMENTS, {"r.json": json.dumps(record).encode()})
    found, report = read_judgements(kept(tmp_path, JUDGEMENTS, name))
    assert found.qrels.grades == {"T1": {"n1": 2}}
    assert report.taken == 1
    (remark,) = report.skipped
    assert remark.code == "record"
    assert "2 grades come from the order alone" in str(remark)


def test_lines_that_are_not_taken_are_named(tmp_path):
    name = keep(tmp_path, JUDGEMENTS, {"q.qrels": b"T1 0 n1 3\nT1 0 n1\nT1 0 n2 9\n"})
    found, report = read_judgements(kept(tmp_path, JUDGEMENTS, name))
    assert found.qrels.grades == {"T1": {"n1": 3}}
    assert [(remark.number, remark.code) for remark in report.skipped] == [(2, "columns"), (3, "grade")]


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"q.qrels": b"nothing here\n"}, "qrels_empty"),
        ({"q.csv": b"a,b\n1,2\n"}, "file_unread"),
        ({"q.json": b"{"}, "file_unread"),
        ({"q.zip": b"PK no zip"}, "file_unread"),
        ({"a.qrels": b"T1 0 n1 3\n", "b.qrels": b"T1 0 n1 3\n"}, "file_unread"),
        ({"q.qrels": "T1 0 n1 3\n".encode("utf-16")}, "file_unread"),
    ],
)
def test_what_is_no_file_of_judgements_says_so_without_a_path_of_this_machine(tmp_path, files, code):
    paths = kept(tmp_path, JUDGEMENTS, keep(tmp_path, JUDGEMENTS, files))
    with pytest.raises(UsageError) as refused:
        read_judgements(paths)
    assert refused.value.code == code
    assert str(tmp_path) not in str(refused.value)
    assert "/tmp" not in str(refused.value)


def test_a_zip_cannot_write_outside_its_folder(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../evil.qrels", "T1 0 n1 3\n")
        archive.writestr("/evil.qrels", "T1 0 n1 3\n")
        archive.writestr("a/good.qrels", "T1 0 n1 2\n")
    home = tmp_path / "a" / "b"
    found, _ = read_judgements(kept(home, JUDGEMENTS, keep(home, JUDGEMENTS, {"q.zip": out.getvalue()})))
    assert found.qrels.grades == {"T1": {"n1": 2}}
    assert not list(tmp_path.rglob("evil*"))


@pytest.mark.parametrize("name", ["file-0123456789abcdef", "file-../../..", "..", ""])
def test_what_is_not_kept_is_not_found(tmp_path, name):
    with pytest.raises(NotFoundError):
        kept(tmp_path, JUDGEMENTS, name)


def test_a_run_is_read_by_its_ending_and_an_empty_one_refused(tmp_path):
    run = Run("mine", {"T1": (("n1", 2.0), ("n2", 1.0))})
    write_run(run, tmp_path / "r.trec")
    read, report = read_run_file("r.trec", (tmp_path / "r.trec").read_bytes())
    assert (read.tag, read.rankings, report.path) == (run.tag, run.rankings, "r.trec")
    with pytest.raises(UsageError) as refused:
        read_run_file("r.trec", b"no run\n")
    assert refused.value.code == "run_empty"


def test_ratings(tmp_path):
    paths = kept(tmp_path, RATINGS, keep(tmp_path, RATINGS, {"r.csv": b"item,A,B\nx,1,0\ny,2,\n"}))
    found, report = read_ratings_file(paths[0])
    assert found == {"x": {"A": 1, "B": 0}, "y": {"A": 2, "B": None}}
    assert report.path == "r.csv"
