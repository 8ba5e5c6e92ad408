"""Qrels and runs in the TREC form: what is taken, what is reported, and that nothing changes on the way."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.evaluate import RULES
from oncosearch.evaluate.exchange import (
    Collection,
    flags_path,
    from_trec_id,
    read_duplicates,
    read_qrels,
    read_run,
    trec_id,
    write_beir,
    write_qrels,
    write_run,
)
from oncosearch.evaluate.rankings import ordered
from oncosearch.model import Qrels, Run, UsageError
from tests.evaluate.exchange.values import duplicates_of, ids, qrels, runs
from tests.paths import SHARED_DATA


def file(tmp_path, content, name="Q.qrels"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def said(remarks):
    return [(remark.number, remark.code) for remark in remarks]


# Ids


@pytest.mark.parametrize(
    ("identifier", "column"),
    [
        ("https://example.org/a%20b?x=1#ü", "https://example.org/a%20b?x=1#ü"),
        ("a b", "%:a%20b"),
        ("50% a", "%:50%25%20a"),
        ("", "%:"),
        ("%:a", "%:%25:a"),
        ("#1", "%:%231"),
        ("a\u00a0b\ufeff", "%:a%C2%A0b%EF%BB%BF"),
    ],
)
def test_an_id_is_written_as_it_is_unless_trec_cannot_hold_it(identifier, column):
    assert trec_id(identifier) == column
    assert from_trec_id(column) == identifier


@given(st.text())
def test_every_id_is_one_column_and_comes_back(identifier):
    assert len(trec_id(identifier).split()) == 1
    assert from_trec_id(trec_id(identifier)) == identifier


@given(ids)
def test_an_id_of_a_foreign_file_is_taken_as_it_stands(identifier):
    column = "".join(identifier.split())
    assert column.startswith("%:") or from_trec_id(column) == column


# Qrels


@given(st.data())
def test_qrels_and_flags_come_back(tmp_path_factory, data):
    written = data.draw(qrels)
    duplicates = data.draw(duplicates_of(written))
    path = tmp_path_factory.mktemp("q") / "Q"
    count = write_qrels(written, path, duplicates=duplicates)
    back, report = read_qrels(path)
    assert back == written
    assert read_duplicates(path) == duplicates
    assert (report.taken, report.skipped) == (count, ())


def test_minus_one_stands_in_the_flags_file_and_a_sentence_says_so(tmp_path):
    path = tmp_path / "Q.qrels"
    write_qrels(Qrels({"1": {"a": 3, "b": -1, "c d": 0}}), path, duplicates={"1": {"a"}})
    assert path.read_text("utf-8") == "1 0 a 3\n1 0 b 0\n1 0 %:c%20d 0\n"
    assert flags_path(path).name == "Q.qrels.flags.tsv"
    sentence, *lines = flags_path(path).read_text("utf-8").splitlines()
    assert "TREC reads -1 as 'pooled but not judged'; Q.qrels therefore carries max(grade, 0)." in sentence
    assert lines == ["topic\tnode\tflag", "1\tb\tirrelevant", "1\ta\tduplicate"]
    assert read_qrels(path)[0].grades == {"1": {"a": 3, "b": -1, "c d": 0}}


def test_older_flags_never_speak_for_newer_qrels(tmp_path):
    path = tmp_path / "Q"
    write_qrels(Qrels({"1": {"a": -1}}), path)
    write_qrels(Qrels({"1": {"a": 0}}), path)
    assert read_qrels(path)[0].grades == {"1": {"a": 0}}


@pytest.mark.parametrize("write", [write_qrels, lambda qrels, path: write_beir(Collection(qrels), path.parents[1])])
def test_a_kill_between_two_writes_leaves_no_qrels_beside_flags_of_others(tmp_path, monkeypatch, write):
    path = tmp_path / "qrels" / "test.tsv"
    path.parent.mkdir()
    old, new = Qrels({"1": {"a": -1, "b": 0}}), Qrels({"1": {"a": 0, "b": -1}})
    write(old, path)
    written, write_bytes = [], type(path).write_bytes

    def killed(self, content):
        if self.name.startswith("test.tsv"):
            if written:
                raise KeyboardInterrupt
            written.append(self)
        return write_bytes(self, content)

    monkeypatch.setattr(type(path), "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        write(new, path)
    assert len(written) == 1
    assert not path.exists()


def test_qrels_that_cannot_be_written_leave_the_old_ones(tmp_path):
    path = tmp_path / "beir" / "qrels" / "test.tsv"
    write_beir(Collection(Qrels({"1": {"a": -1}})), tmp_path / "beir")
    before = path.read_bytes(), flags_path(path).read_bytes()
    with pytest.raises(UsageError, match="half of a character"):
        write_beir(Collection(Qrels({"1": {"\ud800": 1}})), tmp_path / "beir")
    assert (path.read_bytes(), flags_path(path).read_bytes()) == before


def test_without_a_flags_file_minus_one_means_not_judged(tmp_path):
    path = file(tmp_path, "1 0 a -1\n1 0 b 2\n")
    found, report = read_qrels(path)
    assert found.grades == {"1": {"b": 2}}
    assert said(report.skipped) == [(1, "unjudged")]
    assert read_qrels(path, scale=None)[0].grades == {"1": {"a": -1, "b": 2}}


def test_every_line_of_qrels_that_is_not_taken_is_named(tmp_path):
    lines = [
        b"\xef\xbb\xbf1 0 a 3",
        b"1\t0\tb\t1",
        b"",
        b"1 0 c",
        b"1 0 c d 1",
        b"1 0 c 4",
        b"1 0 c 1.5",
        b"1 0 c -2",
        b"1 0 a 3",
        b"1 0 b 2",
        b"1 0 \xfc 2",
        b"1 0 %:%ff 2",
        b"2 0 a 0",
    ]
    found, report = read_qrels(file(tmp_path, b"\r\n".join(lines)))
    assert found.grades == {"1": {"a": 3, "b": 1}, "2": {"a": 0}}
    assert report.taken == 3
    assert said(report.skipped) == [
        (4, "columns"),
        (5, "columns"),
        (6, "grade"),
        (7, "grade_not_whole"),
        (8, "grade"),
        (9, "repeated"),
        (10, "contradicts"),
        (11, "no_utf8"),
        (12, "escape"),
    ]
    assert report.skipped[0].text == "1 0 c"
    assert str(report.skipped[6]) == (
        "line 10: topic '1', node 'b' has grade 2 here and 1 in line 2; the first counts: '1 0 b 2'"
    )
    assert report.lines(1)[0].endswith("3 taken, 9 not taken")


def test_every_line_of_a_flags_file_that_is_not_taken_is_named(tmp_path):
    path = file(tmp_path, "1 0 a 2\n1 0 b 0\n")
    file(
        tmp_path,
        "# words\ntopic\tnode\tflag\n1\ta\tirrelevant\n1\tb\tirrelevant\n1\tz\tirrelevant\n1\tb\tbad\n# late\n",
        flags_path(path).name,
    )
    found, report = read_qrels(path)
    assert found.grades == {"1": {"a": 2, "b": -1}}
    assert said(report.skipped) == [(3, "flag_contradicts"), (5, "flag_without_grade"), (6, "flag"), (7, "columns")]
    assert {remark.where for remark in report.skipped} == {"Q.qrels.flags.tsv line"}


def test_long_lines_are_cut_in_the_report(tmp_path):
    _, report = read_qrels(file(tmp_path, "x" * 500))
    assert len(report.skipped[0].text) == 80
    assert said(report.notes) == [(0, "nothing")]


@pytest.mark.parametrize("raw", ["1 0 a 1\n".encode("utf-16"), "1 0 a 1\n".encode("utf-16-be")])
def test_utf_16_is_refused_with_the_reason(tmp_path, raw):
    with pytest.raises(UsageError, match=r"is UTF-16; expected UTF-8\. Save it again"):
        read_qrels(file(tmp_path, raw))


def test_a_missing_file_is_said_in_words(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_run(tmp_path / "none")


def test_a_lone_surrogate_cannot_harm(tmp_path):
    write_qrels(Qrels({"1": {"\ud800": 1}}), tmp_path / "Q")
    assert read_qrels(tmp_path / "Q")[0].grades == {"1": {"\ud800": 1}}


# Runs


@given(runs)
def test_runs_come_back(tmp_path_factory, run):
    path = tmp_path_factory.mktemp("r") / "A.trec"
    count = write_run(run, path)
    back, report = read_run(path)
    assert back.rankings == run.rankings
    assert (report.taken, report.skipped, report.notes) == (count, (), () if count else report.notes)
    assert back.tag == (run.tag if count else "A")


@given(st.lists(st.tuples(ids, st.floats(-1e6, 1e6)), unique_by=lambda pair: pair[0]))
def test_the_order_of_any_run_comes_back_whatever_its_scores(tmp_path_factory, ranking):
    path = tmp_path_factory.mktemp("r") / "A.trec"
    write_run(Run("t", {"1": tuple(ranking)}), path)
    back, report = read_run(path)
    kept = ordered(ranking, RULES)
    assert [node for node, _ in back.rankings.get("1", ())] == kept
    assert not report.skipped
    given = dict(ranking)
    assert all(after >= given[node] for node, after in back.rankings.get("1", ()))


def test_a_run_is_written_in_six_columns(tmp_path):
    run = Run("grag e5", {"1": (("a b", 0.5), ("c", 0.25)), "2": ()})
    assert write_run(run, tmp_path / "run") == 2
    assert (tmp_path / "run").read_text("utf-8") == "1 Q0 %:a%20b 1 0.5 %:grag%20e5\n1 Q0 c 2 0.25 %:grag%20e5\n"


def test_a_node_that_was_named_stays_first_for_tools_that_look_at_scores(tmp_path):
    run = Run("t", {"1": (("named", 0.25), ("best", 0.75), ("next", 0.5))})
    write_run(run, tmp_path / "run")
    scores = [float(line.split()[4]) for line in (tmp_path / "run").read_text("utf-8").splitlines()]
    assert scores[0] == pytest.approx(0.75, abs=1e-7)
    assert scores[0] > 0.75
    assert scores[1:] == [0.75, 0.5]


@pytest.mark.parametrize("score", [math.nan, math.inf])
def test_a_score_that_is_not_finite_is_not_written(tmp_path, score):
    with pytest.raises(UsageError, match="finite scores only"):
        write_run(Run("t", {"1": (("a", score),)}), tmp_path / "run")


def test_every_line_of_a_run_that_is_not_taken_is_named(tmp_path):
    lines = [
        "\ufeff1 Q0 a 1 0.5 t",
        "1 Q0 b 2 nan t",
        "1 Q0 b 2 -inf t",
        "1 Q0 b 2 0,4 t",
        "1 Q0 b 2 1_0 t",
        "1 Q0 b two 0.4 t",
        "1 Q0 b 2 0.4",
        "1 Q0 a 3 0.9 t",
        "1 Q0 c 4 1e-2 t and more",
        "2 Q0 a 1 1 u",
    ]
    run, report = read_run(file(tmp_path, "\r\n".join(lines)))
    assert run.tag == "t"
    assert run.rankings == {"1": (("a", 0.9), ("c", 0.01)), "2": (("a", 1.0),)}
    assert said(report.skipped) == [
        (1, "repeated_in_run"),
        (2, "score_not_finite"),
        (3, "score_not_finite"),
        (4, "score"),
        (5, "score"),
        (6, "rank"),
        (7, "columns"),
    ]
    assert said(report.notes) == [(1, "rank_contradicts_scores"), (9, "more_columns"), (10, "more_tags")]


def test_the_rank_column_counts_where_asked(tmp_path):
    path = file(tmp_path, "1 Q0 a 2 0.9 t\n1 Q0 b 1 0.1 t\n1 Q0 c 3 0.1 t\n2 Q0 b 1 0.5 t\n2 Q0 a 2 0.5 t\n")
    by_score, report = read_run(path)
    assert by_score.rankings == {"1": (("a", 0.9), ("b", 0.1), ("c", 0.1)), "2": (("a", 0.5), ("b", 0.5))}
    assert said(report.notes) == [(2, "rank_contradicts_scores"), (4, "ties")]
    by_rank, report = read_run(path, order="rank")
    assert by_rank.rankings == {"1": (("b", 0.1), ("a", 0.9), ("c", 0.1)), "2": (("b", 0.5), ("a", 0.5))}
    assert said(report.notes) == [(2, "rank_order")]


@pytest.mark.skipif(SHARED_DATA is None, reason="the files of trec_eval are not beside this checkout")
def test_the_files_of_trec_eval_are_read():
    folder = SHARED_DATA / "trec_eval"
    found, report = read_qrels(folder / "qrels.test")
    assert (report.taken, report.skipped) == (3681, ())
    assert {topic: sum(grade > 0 for grade in grades.values()) for topic, grades in found.grades.items()}["301"] == 474
    _, report = read_qrels(folder / "qrels.rel_level", scale=None)
    assert (report.taken, report.skipped) == (3681, ())
    _, report = read_run(folder / "results.trunc")
    assert (len(report.skipped), sum(remark.code == "more_columns" for remark in report.notes)) == (0, 5)
