"""Files that were brought: which belong together, and what is wrong with one, in the language of the page."""

from dataclasses import dataclass

import pytest

from oncosearch.model import NotFoundError, UsageError
from oncosearch.ui.components.evaluation.uploads import belonging, explained
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.texts import texts

UNREAD = UsageError("x.csv has no column node; its first line is: a,b", code="file_unread", name="x.csv", said="…")


@dataclass(frozen=True)
class File:
    name: str
    content: bytes = b""

    def getvalue(self):
        return self.content


@pytest.mark.parametrize("kind", ["qrels", "runs", "topics", "ratings", "trec"])
@pytest.mark.parametrize(
    ("content", "code", "german"),
    [
        (b"", "upload_empty", "ist leer"),
        (b" \r\n\n", "upload_empty", "ist leer"),
        ("topic,node".encode("utf-16"), "upload_utf16", "kein UTF-8-Text, sondern UTF-16"),
        (b"\x89PNG\r\n\x1a\n\0\0", "upload_encoding", "kein UTF-8-Text"),
        ("Übelkeit".encode("latin-1"), "upload_encoding", "kein UTF-8-Text"),
        (b"a,b\n1,2\n", None, "Erwartet w"),
    ],
)
def test_what_is_wrong_is_said_in_the_language_of_the_page(kind, content, code, german):
    found = explained(UNREAD, kind, File("x.csv", content))
    assert found.code == (code or f"upload_form_{kind}")
    assert german in error_notice(texts("de"), found)
    assert "x.csv" in error_notice(texts("en"), found)


def test_other_errors_stay_as_they_are():
    error = NotFoundError("gone", code="judgements_missing")
    assert explained(error, "qrels", File("x.csv", b"\0")) is error


def test_a_zip_is_no_text_and_its_form_is_named():
    assert explained(UNREAD, "qrels", File("x.zip", b"PK\3\4\0\0")).code == "upload_form_qrels"


def names(files):
    return [[file.name for file in group] for group in belonging(files)]


def test_a_file_is_read_by_itself_and_its_flags_go_with_it():
    files = [File("bad.csv"), File("a.qrels"), File("a.qrels.flags.tsv"), File("b.trec")]
    assert names(files) == [["bad.csv"], ["a.qrels", "a.qrels.flags.tsv"], ["b.trec"]]
    assert names([File("other.flags.tsv"), File("a.qrels")]) == [["a.qrels", "other.flags.tsv"]]
    assert names([File("a.flags.tsv"), File("b.trec"), File("a.qrels")]) == [["b.trec"], ["a.qrels", "a.flags.tsv"]]


def test_records_are_read_together():
    assert names([File("T1.json"), File("x.csv"), File("T2.json")]) == [["x.csv"], ["T1.json", "T2.json"]]
