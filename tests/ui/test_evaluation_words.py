"""Every code that the packages can give has its words, in both languages, with the same values."""

import re
import string

import pytest

from oncosearch.evaluate import wording
from oncosearch.evaluate.exchange import ReadReport, Remark, report
from oncosearch.review import agreement
from oncosearch.ui.components.evaluation import words
from oncosearch.ui.texts import catalogue, texts
from tests.paths import ROOT

LANGUAGES = ("de", "en")


def values_of(text):
    return {re.split(r"[!:.\[]", name)[0] for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_and_remarks_have_words_with_the_same_values(language):
    told = catalogue(language)
    for prefix, table in (("evaluate.note", wording.NOTES), ("read", report._WHY)):
        for code, english in table.items():
            assert values_of(told[f"{prefix}.{code}"]) <= values_of(english), code
    for prefix, table in (
        ("evaluate.caption", wording.CAPTIONS),
        ("evaluate.column", wording.COLUMNS),
        ("evaluate.verdict", wording.VERDICTS),
        ("agree.why", agreement._WHY),
    ):
        assert {f"{prefix}.{code}" for code in table} <= set(told)


# Codes of errors that a person can meet; the pages of the plan and the file forms have theirs tested with them.
CODES = re.compile(r'code="([a-z_]+)"')


@pytest.mark.parametrize("package", ["evaluate", "review"])
def test_errors_have_words(package):
    found = set()
    for path in (ROOT / "oncosearch" / package).rglob("*.py"):
        found |= set(CODES.findall(path.read_text("utf-8")))
    assert len(found) > 5
    told = catalogue("de")
    assert {code for code in found if f"error.{code}.title" not in told} == set()


def test_a_remark_names_place_and_reason():
    remark = Remark(3, "T1 0 n1 9", "grade", {"grade": "9", "lowest": -1, "highest": 3})
    assert words.remark_text(texts("de"), remark).startswith("Zeile 3: Note 9; erwartet wird eine ganze Zahl von -1")
    again = Remark(4, "x", "repeated", {"topic": "T1", "node": "n1", "before": "line 2"})
    assert "stand schon in Zeile 2" in words.remark_text(texts("de"), again)
    assert "in line 2" in words.remark_text(texts("en"), again)


def test_texts_of_a_file_cannot_become_markup():
    told = words.report_view(texts("de"), ReadReport("<b>.qrels", 1, (Remark(1, "<img>", "no_utf8"),)))
    assert "<img>" not in told
    assert "<b>" not in told
