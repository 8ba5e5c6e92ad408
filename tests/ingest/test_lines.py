import gzip
import json

import pytest

from oncosearch.ingest import lines as lines_module
from oncosearch.ingest import read_graph
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
