"""CSV, BEIR and JSON: foreign files, what is refused, and that each line not taken is named with its reason."""

import csv
import io
import json
import re
import time

import pytest

from oncosearch.evaluate.exchange import (
    Collection,
    read_beir,
    read_qrels_csv,
    read_qrels_json,
    read_ratings,
    read_run_csv,
    read_run_json,
    write_beir,
    write_qrels_csv,
    write_run_csv,
    write_run_json,
)
from oncosearch.evaluate.exchange import report as reporting
from oncosearch.model import Qrels, Run, UsageError
from tests.evaluate.exchange.test_trec import file, said
from tests.paths import ROOT


def test_every_reason_is_given_somewhere_and_every_given_one_has_its_words():
    modules = {p.name: p.read_text("utf-8") for p in (ROOT / "oncosearch" / "evaluate" / "exchange").glob("*.py")}
    own = modules.pop("report.py")
    # Records of curated topics are read there.
    joined = ROOT / "oncosearch" / "workspace" / "evaluation_files.py"
    sources = "".join(modules.values()) + joined.read_text("utf-8")
    assert [code for code in reporting._WHY if f'"{code}"' not in sources] == []
    asked = re.findall(r'\.(?:skip|note)\([^"]*"([a-z_0-9]+)"', sources + own)
    assert len(asked) > 20
    assert set(asked) <= set(reporting._WHY)


# CSV


def test_a_spreadsheet_can_open_it_and_runs_nothing(tmp_path):
    written = Collection(Qrels({"=1": {"+a": -1}}), {"=1": "@x"}, {"+a": "-t"}, {"+a": "\t=1"})
    write_qrels_csv(written, tmp_path / "q.csv", language="de")
    raw = (tmp_path / "q.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbftopic;query;node;title;text;grade;duplicate\r\n")
    _, row = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=";")
    assert row == ["'=1", "'@x", "'+a", "'-t", "'\t=1", "-1", ""]


@pytest.mark.parametrize(
    "text",
    [
        "topic,node,grade\n1,a,3\n1,b,-1\n",
        "\ufeffGrade;Node ;note;TOPIC\r\n3;a;x;1\r\n\r\n -1 ;b;;1",
        "topic\tnode\tgrade\r1\ta\t3\r1\tb\t-1",
        '"topic","node","grade"\n"1","a","3"\n"1","b","-1"\n',
    ],
)
def test_every_common_form_of_csv_is_read(tmp_path, text):
    found, report = read_qrels_csv(file(tmp_path, text))
    assert found == Collection(Qrels({"1": {"a": 3, "b": -1}}))
    assert (report.taken, report.skipped, report.notes) == (2, (), ())


def test_an_apostrophe_of_somebody_else_stays(tmp_path):
    found, _ = read_qrels_csv(file(tmp_path, "topic,node,grade,query\n1,'s,1,'tis\n"))
    assert (found.qrels.grades, found.queries) == ({"1": {"'s": 1}}, {"1": "'tis"})


def test_every_row_that_is_not_taken_is_named(tmp_path):
    rows = [
        "topic,node,grade,duplicate,text",
        "1,a,3,,A",
        "1,b",
        "1,b,1,,B,more",
        "1,b,4,,B",
        "1,b,2.0,,B",
        "1,b,,,B",
        "1,,1,,B",
        ",b,1,,B",
        "1,b,1,maybe,B",
        "1,a,3,,A",
        "1,a,0,,A",
        '1,"b"x,1,,B',
        "2,a,0,yes,other",
        "2,c,,yes,C",
        "1,\udcff,1,,B",
        '1,d,1,,"not',
        "closed,",
    ]
    path = file(tmp_path, "\n".join(rows).encode("utf-8", "surrogateescape"))
    found, report = read_qrels_csv(path)
    assert found.qrels.grades == {"1": {"a": 3}, "2": {"a": 0}}
    assert found.duplicates == {"2": frozenset({"a", "c"})}
    assert found.texts == {"a": "A", "c": "C"}
    assert report.taken == 3
    assert said(report.skipped) == [
        (3, "columns"),
        (4, "columns"),
        (5, "grade"),
        (6, "grade_not_whole"),
        (7, "grade_not_whole"),
        (8, "empty_id"),
        (9, "empty_id"),
        (10, "yes_or_no"),
        (11, "repeated"),
        (12, "contradicts"),
        (13, "quote"),
        (16, "no_utf8"),
        (17, "quote"),
        (18, "quote"),
    ]
    assert said(report.notes) == [(14, "other_text")]
    assert all(remark.text and remark.why for remark in report.skipped)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,node\n1,a\n", "has no column grade; its first line is: topic, node"),
        ("", "has no column topic and no column node and no column grade"),
        ("topic,node,grade,Grade\n", "two columns 'grade'"),
    ],
)
def test_a_table_without_its_columns_is_refused(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read_qrels_csv(file(tmp_path, text))


def test_a_table_in_utf_16_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(UsageError, match="in Excel: CSV UTF-8"):
        read_qrels_csv(file(tmp_path, "topic;node;grade\n".encode("utf-16")))


def test_a_run_as_german_csv_has_decimal_commas(tmp_path):
    write_run_csv(Run("t", {"1": (("a", 0.5),)}), tmp_path / "r.csv", language="de")
    assert "1;1;a;0,5;t" in (tmp_path / "r.csv").read_text("utf-8-sig")


def test_a_comma_in_a_score_is_a_decimal_one_only_where_commas_do_not_stand_between_cells(tmp_path):
    run, report = read_run_csv(file(tmp_path, 'topic,node,score\n1,a,"1,234"\n1,b,2.5\n'))
    assert run.rankings == {"1": (("b", 2.5),)}
    assert said(report.skipped) == [(2, "score")]
    run, report = read_run_csv(file(tmp_path, "topic;node;score\n1;a;1,234\n"))
    assert (run.rankings, report.skipped) == ({"1": (("a", 1.234),)}, ())


def test_a_line_that_names_the_delimiter_is_no_header(tmp_path):
    for first in ("sep=;", '"sep=;"', "SEP=;"):
        found, report = read_qrels_csv(
            file(tmp_path, f"\ufeff{first}\r\ntopic;node;grade;a,b,c,d\r\n1;a;3;\r\n1;b;9;\r\n")
        )
        assert found.qrels.grades == {"1": {"a": 3}}
        assert said(report.skipped) == [(4, "grade")]


def test_what_stands_within_quotes_does_not_part_the_header(tmp_path):
    found, report = read_qrels_csv(file(tmp_path, 'topic,node,grade,"a;b;""c;d;e"\n1,a,3,x\n'))
    assert (found.qrels.grades, report.skipped) == ({"1": {"a": 3}}, ())


def test_many_damaged_rows_take_no_longer_than_others(tmp_path):
    path = file(tmp_path, "topic,node,grade\n" + "".join(f'1,"a"x{i},3\n' for i in range(4000)))
    start = time.process_time()
    _, report = read_qrels_csv(path)
    # It was 8 s when every one of them split the file anew, and is 0.03 s.
    assert time.process_time() - start < 1.5
    assert len(report.skipped) == 4000
    assert report.skipped[-1].text == '1,"a"x3999,3'


def test_rows_of_a_run_that_are_not_taken_are_named(tmp_path):
    text = "topic,node,score\n1,b,0.5\n1,a,0.5\n1,c,inf\n1,d,x\n1,a,0.1\n"
    run, report = read_run_csv(file(tmp_path, text, "mine.csv"))
    assert run == Run("mine", {"1": (("a", 0.5), ("b", 0.5))})
    assert said(report.skipped) == [(4, "score_not_finite"), (5, "score"), (6, "repeated_in_run")]
    assert report.notes == ()
    with pytest.raises(UsageError, match="no column rank"):
        read_run_csv(tmp_path / "mine.csv", order="rank")


# Ratings


@pytest.mark.parametrize(
    "text",
    [
        "rater,item,grade\na,x,3\nb,x,-1\na,y,unsure\nb,y,0\n",
        "item;b;a\nx;-1;3\ny;0;Unsure\n",
        "\ufeffitem\tgrade\trater\r\nx\t3\ta\r\nx\t-1\tb\r\ny\t\ta\r\ny\t0\tb\r\n",
    ],
)
def test_ratings_are_read_long_and_wide(tmp_path, text):
    found, report = read_ratings(file(tmp_path, text))
    assert found == {"x": {"a": 3, "b": -1}, "y": {"a": None, "b": 0}}
    assert (report.taken, report.skipped) == (4, ())


def test_an_item_is_a_node_under_a_topic(tmp_path):
    found, _ = read_ratings(file(tmp_path, "topic,item,a,b\n1,x,1,2\n2,x,0,0\n"))
    assert list(found.values()) == [{"a": 1, "b": 2}, {"a": 0, "b": 0}]


def test_no_two_items_become_one(tmp_path):
    text = 'topic,item,a,b\n"x\ty",z,1,1\nx,"y\tz",2,2\n"x\\ty",z,3,3\n'
    found, report = read_ratings(file(tmp_path, text))
    assert [grades["a"] for grades in found.values()] == [1, 2, 3]
    assert report.skipped == ()


@pytest.mark.parametrize(("written", "grade"), [("3.0", 3), ("-1.0", -1), ("3,0", 3), ("NaN", None), ("<NA>", None)])
def test_grades_are_read_as_pandas_writes_them(tmp_path, written, grade):
    found, report = read_ratings(file(tmp_path, f"item;a;b\nx;{written};1\n"))
    assert (found, report.skipped) == ({"x": {"a": grade, "b": 1}}, ())


def test_a_grade_between_two_is_not_rounded(tmp_path):
    found, report = read_ratings(file(tmp_path, "item,a,b\nx,2.5,1\n"))
    assert (found, said(report.skipped)) == ({"x": {"b": 1}}, [(2, "grade_not_whole")])


def test_blanks_around_a_rater_do_not_count_and_a_grade_of_nobody_is_named(tmp_path):
    found, report = read_ratings(file(tmp_path, "item, anna ,bert,\nx,3,2,\ny,1,0,2\n"))
    assert found == {"x": {"anna": 3, "bert": 2}, "y": {"anna": 1, "bert": 0}}
    assert said(report.skipped) == [(3, "empty_id")]
    found, report = read_ratings(file(tmp_path, "rater,item,grade\n anna,x,3\nanna ,y,2\n ,x,1\n"))
    assert found == {"x": {"anna": 3}, "y": {"anna": 2}}
    assert said(report.skipped) == [(4, "empty_id")]
    with pytest.raises(UsageError, match="has the columns"):
        read_ratings(file(tmp_path, "item,anna, anna\nx,1,2\n"))


def test_ratings_that_are_not_taken_are_named(tmp_path):
    text = "rater,item,grade\na,x,3\na,x,3\na,x,1\nb,x,good\nb,,1\nb,x\n"
    found, report = read_ratings(file(tmp_path, text))
    assert found == {"x": {"a": 3}}
    assert said(report.skipped) == [
        (3, "repeated_rating"),
        (4, "contradicting_rating"),
        (5, "grade_not_whole"),
        (6, "empty_id"),
        (7, "columns"),
    ]


@pytest.mark.parametrize("text", ["rater,item\na,x\n", "item,a\nx,1\n", "a,b\n1,2\n", "item,a,a\nx,1,2\n"])
def test_a_table_that_is_neither_long_nor_wide_is_refused(tmp_path, text):
    with pytest.raises(UsageError, match=r"has no column|has the columns"):
        read_ratings(file(tmp_path, text))


# BEIR


def test_a_folder_has_the_files_that_beir_looks_for(tmp_path):
    written = Collection(Qrels({"1": {"a": -1, "b": 3}}), {"1": "q"}, {"a": "A"}, {"a": "text"}, {"1": frozenset("b")})
    assert write_beir(written, tmp_path / "deep" / "beir") == 2
    folder = tmp_path / "deep" / "beir"
    assert (folder / "qrels" / "test.tsv").read_text("utf-8") == "query-id\tcorpus-id\tscore\n1\ta\t0\n1\tb\t3\n"
    corpus = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    assert corpus == [{"_id": "a", "title": "A", "text": "text"}, {"_id": "b", "title": "", "text": ""}]
    assert json.loads((folder / "queries.jsonl").read_text("utf-8")) == {"_id": "1", "text": "q"}
    assert "pooled but not judged" in (folder / "qrels" / "test.tsv.flags.tsv").read_text("utf-8")
    found, report = read_beir(folder)
    assert found == written
    assert said(report.notes) == [(0, "no_text")]


def test_every_line_of_a_folder_that_is_not_taken_is_named(tmp_path):
    (tmp_path / "qrels").mkdir()
    file(tmp_path, '{"_id": "a", "text": "A"}\n{"_id": 1, "text": "B"}\n{\n{"_id": "a", "text": "C"}\n', "corpus.jsonl")
    file(tmp_path, b'[]\n{"_id": "1", "text": "q", "metadata": {}}\n{"_id": "2", "text": "\xff"}\n', "queries.jsonl")
    file(tmp_path, "query-id\tcorpus-id\tscore\n1\ta\t1\n1\ta\n1\tz\t-1\n1\tz\t9\n2\tz\t0\n", "qrels/test.tsv")
    found, report = read_beir(tmp_path)
    assert found == Collection(Qrels({"1": {"a": 1}, "2": {"z": 0}}), {"1": "q"}, {}, {"a": "A"})
    assert [(remark.where, remark.number, remark.code) for remark in report.skipped] == [
        ("corpus.jsonl line", 2, "shape"),
        ("corpus.jsonl line", 3, "no_json"),
        ("corpus.jsonl line", 4, "repeated_id"),
        ("queries.jsonl line", 1, "shape"),
        ("queries.jsonl line", 3, "no_utf8"),
        ("test.tsv line", 3, "columns"),
        ("test.tsv line", 4, "unjudged"),
        ("test.tsv line", 5, "grade"),
    ]
    assert [str(remark) for remark in report.notes] == [
        "topic '2' is judged and has no query",
        "1 judged nodes have no text, 'z' the first",
    ]
    assert report.taken == 4


def test_a_folder_without_a_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"corpus\.jsonl cannot be read"):
        read_beir(tmp_path)


# JSON


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is no JSON"),
        ("[]", "has format None, version None; expected 'oncosearch-qrels', version 1"),
        ('{"format": "oncosearch-run", "version": 1}', "has format 'oncosearch-run'"),
        ('{"format": "oncosearch-qrels", "version": 2}', "version 2"),
        (b'{"a": "\xff"}', "is no UTF-8"),
    ],
)
def test_another_document_is_refused(tmp_path, text, message):
    with pytest.raises(UsageError, match=message):
        read_qrels_json(file(tmp_path, text))


def test_every_entry_that_is_not_taken_is_named(tmp_path):
    document = {
        "format": "oncosearch-qrels",
        "version": 1,
        "topics": [{"id": "1", "query": "q", "judged": True}, {"id": "1", "query": "r", "judged": True}, 7],
        "nodes": {"a": "A"},
        "judgements": [
            {"topic": "1", "node": "a", "grade": 3},
            {"topic": "1", "node": "a", "grade": 2},
            {"topic": "1", "node": "b", "grade": True},
            {"topic": "1", "node": "b", "grade": 7},
            {"topic": "1", "grade": 1},
        ],
    }
    found, report = read_qrels_json(file(tmp_path, json.dumps(document)))
    assert found == Collection(Qrels({"1": {"a": 3}}), {"1": "q"})
    assert [(remark.where, remark.number, remark.code) for remark in report.skipped] == [
        ("topics entry", 2, "repeated_id"),
        ("topics entry", 3, "shape"),
        ("nodes entry", 1, "shape"),
        ("judgements entry", 2, "contradicts"),
        ("judgements entry", 3, "shape"),
        ("judgements entry", 4, "grade"),
        ("judgements entry", 5, "shape"),
    ]


def test_hits_that_are_not_taken_are_named(tmp_path):
    hits = (
        '[{"node": "a", "score": 1}, {"node": "a", "score": 0}, {"node": "b", "score": NaN}, {"node": 1, "score": 1}]'
    )
    text = f'{{"format": "oncosearch-run", "version": 1, "tag": "t", "rankings": [{{"topic": "1", "hits": {hits}}}]}}'
    run, report = read_run_json(file(tmp_path, text))
    assert run == Run("t", {"1": (("a", 1.0),)})
    assert said(report.skipped) == [(2, "repeated_in_run"), (3, "score_not_finite"), (4, "shape")]
    assert report.skipped[0].where == "topic '1', hit"
    assert report.to_dict()["skipped"][1]["why"] == "score nan is not finite"


def test_a_score_too_large_for_a_float_is_named(tmp_path):
    hits = f'[{{"node": "a", "score": 1{"0" * 400}}}, {{"node": "b", "score": 1}}]'
    text = f'{{"format": "oncosearch-run", "version": 1, "tag": "t", "rankings": [{{"topic": "1", "hits": {hits}}}]}}'
    run, report = read_run_json(file(tmp_path, text))
    assert run.rankings == {"1": (("b", 1.0),)}
    assert said(report.skipped) == [(1, "score_not_finite")]
    assert len(report.skipped[0].why) < 120


def test_what_made_a_run_must_be_readable(tmp_path):
    text = '{"format": "oncosearch-run", "version": 1, "tag": 5, "rankings": []}'
    with pytest.raises(UsageError, match="does not say what made the run"):
        read_run_json(file(tmp_path, text))
    for value in ("NaN", "Infinity", "true", "1" + "0" * 400):
        text = f'{{"format": "oncosearch-run", "version": 1, "tag": "t", "parameters": {{"alpha": {value}}}}}'
        with pytest.raises(UsageError, match="finite numbers as parameters"):
            read_run_json(file(tmp_path, text))
    with pytest.raises(UsageError, match="JSON has no form for it"):
        write_run_json(Run("t", {"1": (("a", float("nan")),)}), tmp_path / "r")
