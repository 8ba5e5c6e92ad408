import csv
import io

import pytest

from oncosearch.ui.downloads import COLUMNS, answer_csv, file_name, safe_cell
from oncosearch.ui.texts import texts
from tests.ui import nasty


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "  =1", "\u00a0@x"])
def test_cells_that_could_run_get_an_apostrophe(text):
    assert safe_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "Osimertinib", "a=b", "5-FU", "'x", "0,5"])
def test_other_cells_stay(text):
    assert safe_cell(text) == text


def rows(language):
    found = answer_csv(texts(language), nasty.answer(), lambda node_id: f"={node_id}")
    text = found.decode("utf-8")
    assert text.startswith("\ufeff"), "a spreadsheet needs the mark to read UTF-8"
    return list(csv.reader(io.StringIO(text[1:]), delimiter=";" if language == "de" else ","))


@pytest.mark.parametrize("language", ["de", "en"])
def test_csv_holds_the_hit_and_runs_nothing(language):
    head, hit = rows(language)
    assert len(head) == len(hit) == len(COLUMNS)
    cells = dict(zip(COLUMNS, hit, strict=True))
    assert cells["title"] == f"'{nasty.NASTY}"
    assert cells["id"] == nasty.NASTY_ID
    assert cells["seed"] == "'=other"
    assert cells["score"] == ("0,831200" if language == "de" else "0.831200")
    assert cells["addresses"] == "https://pubmed.ncbi.nlm.nih.gov/29151359/"
    assert cells["snapshot"] == "nasty@1"
    assert "alpha=0.6" in cells["parameters"]
    assert not [cell for cell in hit if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_headings_are_in_the_language():
    assert rows("de")[0][:4] == ["Rang", "Kennung", "Titel", "Sprache des Titels"]
    assert rows("en")[0][:4] == ["Rank", "Id", "Title", "Language of title"]


def test_file_names_are_plain():
    assert file_name("../../EGFR T790M <x>", "csv") == "oncosearch-egfr-t790m-x.csv"
    assert file_name("äöü", "json") == "oncosearch-search.json"
