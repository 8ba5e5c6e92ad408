"""Cells that no spreadsheet runs, and that come back."""

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oncosearch.model.spreadsheet import csv_bytes, csv_text, plain_cell, safe_cell

texts = st.text(alphabet="'=+-@ \u00a0\ufeff\t\r\na;,\"", max_size=8) | st.text()


@given(texts)
@example("'=x")
@example("''\ufeff+1")
def test_every_text_comes_back_and_none_runs(text):
    cell = safe_cell(text)
    assert plain_cell(cell) == text
    assert not cell.lstrip(" \u00a0\ufeff").startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


@pytest.mark.parametrize("cell", ["'tis", "''", "'", "'0,5"])
def test_an_apostrophe_of_somebody_else_stays(cell):
    assert plain_cell(cell) == cell


@given(st.lists(st.tuples(texts, texts), max_size=3), st.sampled_from(["de", "en"]))
def test_rows_come_back(rows, language):
    text = csv_text(["a", "b"], [tuple(map(safe_cell, row)) for row in rows], language)
    found = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";" if language == "de" else ",")
    assert [tuple(map(plain_cell, row)) for row in found] == [("a", "b"), *rows]
    assert csv_bytes(["a"], [], language) == b"\xef\xbb\xbfa\r\n"
