"""Tables of separated values: quoting, line ends in cells, lost quotation marks, places."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.ingest.report import ImportLog
from oncosearch.ingest.separated import columns_of, read_separated


def _read(tmp_path, text, **options):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    log = ImportLog()
    found = read_separated(path, log, **options)
    rows = [(row.place.line, *row.cells.values()) for row in found.rows] if found else None
    return rows, {g.kind: [p.where for p in g.examples] for g in log.groups()}, log


def test_quoted_cells_hold_marks_and_line_ends(tmp_path):
    rows, problems, log = _read(tmp_path, '\ufeffa;b\r\n1;"x\r\n\r\ny;""z"""\r\n\r\n02; 5" pipe \r\n')
    assert rows == [(2, "1", 'x\n\ny;"z"'), (6, "02", '5" pipe')]
    assert problems == {}
    assert (log.read["t.csv"], log.blank_lines) == (2, 1)


def test_a_lost_quotation_mark_costs_its_row_only(tmp_path):
    rows, problems, log = _read(tmp_path, 'a,b\n1,"open\n2,ok\n3,"fine"\n4\n5,6,7\n6,7,\n')
    assert rows == [(3, "2", "ok"), (4, "3", "fine"), (7, "6", "7")]
    assert problems == {"bad_row": ["t.csv:2", "t.csv:5", "t.csv:6"]}
    assert (log.read["t.csv"], log.skipped["t.csv"], log.errors) == (6, 3, 0)


def test_without_quoting_a_mark_is_a_letter(tmp_path):
    rows, problems, _ = _read(tmp_path, 'a\tb\n1\t"open\n2\tx\n', quoting=False)
    assert rows == [(2, "1", '"open'), (3, "2", "x")]
    assert problems == {}


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(tmp_path, mark):
    assert _read(tmp_path, f"a{mark}b{mark}c\n1{mark}2{mark}3\n")[0] == [(2, "1", "2", "3")]


def test_a_column_twice_and_an_empty_table_are_errors(tmp_path):
    assert _read(tmp_path, "a,b,a\n1,2,3\n")[1] == {"duplicate_column": ["t.csv:1"]}
    assert _read(tmp_path, "\n\n")[1] == {"missing_column": ["t.csv:1"]}


def test_columns_of_what_is_no_table(tmp_path):
    (tmp_path / "x").write_bytes(b"PK\x03\x04")
    assert columns_of(tmp_path / "x") == ()


@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6), min_size=2, max_size=2),
        max_size=6,
    )
)
def test_what_the_csv_module_writes_is_read(tmp_path_factory, table):
    stream = io.StringIO()
    csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["a", "b"], *table])
    rows, problems, _ = _read(tmp_path_factory.mktemp("t"), stream.getvalue(), delimiter=",")
    assert [row[1:] for row in rows] == [tuple(cell.strip() for cell in row) for row in table]
    assert problems == {}
