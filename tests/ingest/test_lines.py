import gzip
import json
import os
import pickle
import re

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest import lines as lines_module
from oncosearch.ingest.recipe import load_recipe
from oncosearch.model import UsageError
from tests.ingest.graphs import GRAPH, found, node, write_folder


def _write(folder, data: bytes):
    write_folder(folder, [])
    (folder / "nodes.jsonl").write_bytes(data)
    return folder


def _line(node_id: str) -> bytes:
    return json.dumps(node(node_id), ensure_ascii=False).encode()


def test_a_byte_order_mark_and_windows_line_ends_are_accepted(tmp_path):
    folder = _write(tmp_path, b"\xef\xbb\xbf" + _line("a") + b"\r\n" + _line("ä") + b"\r\n")
    (tmp_path / "graph.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(GRAPH).encode())
    assert [n.id for n in read_graph(folder).nodes] == ["a", "ä"]


def test_blank_lines_are_passed_over_and_counted(tmp_path):
    folder = _write(tmp_path, b"\n" + _line("a") + b"\n  \n\n" + b"{" + b"\n")
    report, where = found(folder)
    assert report.blank_lines == 3
    assert where == {"bad_json": ["nodes.jsonl:5"]}


def test_the_last_line_needs_no_line_end(tmp_path):
    assert len(read_graph(_write(tmp_path, _line("a") + b"\n" + _line("b"))).nodes) == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_refused_with_the_reason(tmp_path, encoding):
    folder = _write(tmp_path, _line("a").decode().encode(encoding))
    report, where = found(folder)
    assert where == {"bad_encoding": ["nodes.jsonl:1"]}
    assert "UTF-16" in report.problems[0].examples[0].message


def test_invalid_utf8_is_refused_with_line_and_byte(tmp_path):
    folder = _write(tmp_path, _line("a") + b"\n" + b'{"id": "\xe4"}' + b"\n" + _line("c"))
    report, where = found(folder)
    assert where == {"bad_encoding": ["nodes.jsonl:2"]}
    assert "byte 9 of the line (0xe4)" in report.problems[0].examples[0].message
    assert (report.read, report.nodes, report.skipped) == (3, 2, 1)


def test_a_line_that_is_too_long_is_refused_and_the_rest_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", 200)
    folder = _write(tmp_path, _line("a") + b"\n" + b'"' + b"x" * 1000 + b'"\n' + _line("b") + b"\n{")
    report, where = found(folder)
    assert where == {"line_too_long": ["nodes.jsonl:2"], "bad_json": ["nodes.jsonl:4"]}
    assert "1,003 bytes" in report.problems[0].examples[0].message


def test_a_line_of_just_the_limit_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lines_module, "MAX_LINE_BYTES", len(_line("a")))
    assert len(read_graph(_write(tmp_path, _line("a") + b"\n" + _line("b"))).nodes) == 2


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path):
    folder = _write(tmp_path, _line("a") * 100)
    _, where = found(folder, max_bytes=1000)
    assert where == {"file_too_large": ["nodes.jsonl:1"]}


def test_the_limit_counts_unpacked_bytes(tmp_path):
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n" * 100_000))
    assert path.stat().st_size < 10_000
    log = lines_module.ImportLog()
    assert len(list(lines_module.read_lines(path, log, 10_000))) == 2_500
    assert [g.kind for g in log.groups()] == ["file_too_large"]


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda data: b"no gzip at all"])
def test_a_damaged_archive_is_an_error(tmp_path, damage):
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(damage(gzip.compress(bytes(range(256)) * 50)))
    log = lines_module.ImportLog()
    list(lines_module.read_lines(path, log))
    assert "bad_encoding" in [g.kind for g in log.groups()]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04rest", "ZIP"),
        (pickle.dumps({"id": "a"}), "pickle"),
        (b"BZh91AY", "bzip2"),
        (b"\x7fELF\2\1\1\0", "binary"),
        ("x".encode("utf-32"), "UTF-32"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_its_content(tmp_path, data, reason):
    path = tmp_path / "honest.json"
    path.write_bytes(data)
    log = lines_module.ImportLog()
    assert lines_module.read_text(path, log) is None
    assert list(lines_module.read_lines(path, log)) == []
    (group,) = log.groups()
    assert (group.kind, group.count) == ("bad_encoding", 2)
    assert all(reason in problem.message for problem in group.examples)
    assert lines_module.head(path) == ""


def test_a_whole_file_is_read_as_text(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf" + "{ä}".encode())
    packed = tmp_path / "packed.json"
    packed.write_bytes(gzip.compress("{ä}".encode() * 1000))
    log = lines_module.ImportLog()
    assert lines_module.read_text(path, log) == "{ä}"
    assert lines_module.head(packed, 4) == "{ä}"
    assert log.groups() == ()
    assert lines_module.read_text(packed, log, 3999) is None
    assert lines_module.read_text(path, log, 5) is None
    path.write_bytes(b"a\n\xe4")
    assert lines_module.read_text(path, log) is None
    assert [(g.kind, [p.where for p in g.examples]) for g in log.groups()] == [
        ("file_too_large", ["packed.json:1", "x.json:1"]),
        ("bad_encoding", ["x.json:2"]),
    ]


def test_old_mac_line_ends_are_accepted(tmp_path):
    folder = _write(tmp_path, _line("a") + b"\r" + _line("b") + b"\r{\r")
    _, where = found(folder)
    assert where == {"bad_json": ["nodes.jsonl:3"]}
    path = tmp_path / "x.csv"
    path.write_bytes(gzip.compress(b"id;name\r1;A\r2;B"))
    log = lines_module.ImportLog()
    assert [(place.line, text) for place, text in lines_module.read_lines(path, log)] == [
        (1, "id;name"),
        (2, "1;A"),
        (3, "2;B"),
    ]
    assert lines_module.read_text(path, log) == "id;name\n1;A\n2;B"


def test_a_lone_carriage_return_stays_where_lines_end_otherwise(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"a\rb\nc")
    log = lines_module.ImportLog()
    assert [text for _, text in lines_module.read_lines(path, log)] == ["a\rb", "c"]


@pytest.mark.parametrize(("limit", "unit"), [("MAX_CONTAINERS", '{"a":[]},'), ("MAX_VALUES", "0,")])
@pytest.mark.parametrize("name", ["bomb.json", "bomb.json.gz"])
def test_json_of_too_many_values_is_refused_before_it_is_parsed(tmp_path, monkeypatch, limit, unit, name):
    monkeypatch.setattr(lines_module, limit, 100)
    monkeypatch.setattr(lines_module, "_PIECE", 64)
    data = ("[" + unit * 10_000 + "0]").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    for key in ("obograph", "oncotree", "fhir", "catalogue"):
        with pytest.raises(GraphRefusedError, match=r"the file has .* values in its first ") as refused:
            read_graph(path, format=key)
        (group,) = [g for g in refused.value.report.problems if g.kind == "too_many_values"]
        # It is not unpacked to its end.
        (read,) = re.findall("first ([0-9,]+) bytes", group.examples[0].message)
        assert int(read.replace(",", "")) < 1000


def test_a_pipe_is_refused_without_waiting_for_a_writer(tmp_path):
    pipe = tmp_path / "x.obo"
    os.mkfifo(pipe)
    for options in ({}, {"format": "obo"}):
        with pytest.raises(UsageError, match="a pipe cannot be read: save it as a file"):
            read_graph(pipe, **options)
    with pytest.raises(UsageError, match=r"The mapping file .* is no file; a pipe cannot be read"):
        read_graph(tmp_path, mapping=pipe)
    with pytest.raises(UsageError, match="a pipe cannot be read"):
        load_recipe(pipe)
