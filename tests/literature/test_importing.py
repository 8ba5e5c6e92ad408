"""Files of every format into the local source; every record is accounted for."""

import gzip
import json

import pytest

from oncosearch.literature.article import Article, MeshHeading, PublicationDate, Section
from oncosearch.literature.importing import import_articles
from oncosearch.literature.jsonlines import article_from, article_to, document_from, document_to
from oncosearch.literature.local import Added, LocalSource
from oncosearch.literature.records import Skipped
from tests.literature.articles import ARTICLES, DATA, DOCUMENT, write
from tests.paths import SHARED_DATA


@pytest.fixture
def empty(tmp_path):
    with LocalSource.open(tmp_path / "empty") as source:
        yield source


def test_pubmed_xml_packed_or_not_is_imported_with_its_skipped_records(empty, tmp_path):
    packed = write(tmp_path, "packed.xml.gz", gzip.compress((DATA / "articles.xml").read_bytes()))
    report = import_articles([DATA / "articles.xml", packed], empty)
    first, second = report.files
    assert (first.format, first.records, first.retracted, first.skipped) == ("pubmed_xml", 8, 1, 2)
    assert first.added == Added(added=4, not_there=2)
    assert first.skipped_records == (
        Skipped("record 4", "none", "no valid PMID"),
        Skipped("record 5", "900005", "neither title nor abstract"),
    )
    assert second.added == Added(unchanged=4, not_there=2)
    assert (report.articles, report.failed) == (4, ())
    for file in report.files:
        assert file.records == sum(getattr(file.added, name) for name in Added.__slots__) + file.skipped


def test_full_texts_are_imported_beside_articles(empty):
    report = import_articles([DATA / "full_text.xml"], empty)
    assert (report.full_texts, report.files[0].skipped) == (1, 1)
    assert empty.full_text("pmc700001").title == "Review of EGFR"
    assert empty.full_text("PMC1") is None
    assert empty.full_text("nonsense") is None


def test_nbib_is_imported(empty):
    report = import_articles([DATA / "articles.nbib"], empty)
    assert report.files[0].skipped_records == (Skipped("line 28", "x1", "no valid PMID"),)
    first, second = empty.articles()
    assert second == Article("900103", "Only a title", date=PublicationDate(2012))
    assert first.title == "A title that goes on in the next line."
    assert first.abstract == (
        Section("BACKGROUND", "Tamoxifen in breast cancer."),
        Section("METHODS AND RESULTS", "We asked 20 patients (HR: 0.5)."),
        Section("CONCLUSIONS", "It helps."),
    )
    assert first.mesh == (
        MeshHeading("Breast Neoplasms", ("drug therapy", "pathology"), major=True),
        MeshHeading("Tamoxifen", major=True),
        MeshHeading("Humans"),
    )
    assert (first.doi, first.pmcid, first.keywords) == ("10.1000/nbib", "PMC700101", ("hormone therapy",))
    assert (first.authors, first.date) == (("Müller A", "Roe R", "Invented Study Group"), PublicationDate(2011, 3, 9))
    assert (first.retracted, first.corrected, first.corrections[-1].pmid) == (True, True, "900102")


def test_json_lines_are_imported(empty, tmp_path):
    lines = [
        json.dumps(article_to(ARTICLES[0])),
        json.dumps({"pmid": 105, "title": "Plain", "abstract": "AIM: To see.", "year": 2001, "mesh": ["Humans"]}),
        json.dumps({"pmid": "106", "title": "R", "retracted": True, "language": "en"}),
        json.dumps(document_to(DOCUMENT)),
        "",
        "{",
        "[1]",
        '{"title": "no id"}',
        '{"pmid": "0107", "title": "zero first"}',
        '{"pmid": "108", "title": ["x"]}',
        '{"pmid": "109", "mesh": [1]}',
        '{"pmid": "110", "title": "x", "date": "soon"}',
        '{"pmcid": "no", "sections": []}',
    ]
    report = import_articles([write(tmp_path, "a.jsonl", "\ufeff" + "\n".join(lines))], empty)
    (file,) = report.files
    assert (file.format, file.added) == ("json_lines", Added(added=3, full_texts=1))
    assert [(s.place, s.pmid, s.reason) for s in file.skipped_records] == [
        ("line 6", "", "no valid JSON"),
        ("line 7", "", "no JSON object"),
        ("line 8", "", "no valid PMID"),
        ("line 9", "0107", "no valid PMID"),
        ("line 10", "108", "title is no text"),
        ("line 11", "109", "mesh holds something that is no object"),
        ("line 12", "110", "date is none; expected 2011, 2011-03 or 2011-03-09"),
        ("line 13", "no", "no valid PMC id"),
    ]
    assert empty.fetch(["101"]) == [ARTICLES[0]]
    assert empty.fetch(["105"])[0].abstract == (Section("AIM", "To see."),)
    assert empty.fetch(["106"])[0].retracted
    assert empty.full_text("PMC7002") == DOCUMENT


def test_json_is_the_identity():
    assert [article_from(json.loads(json.dumps(article_to(a)))) for a in ARTICLES] == list(ARTICLES)
    assert document_from(json.loads(json.dumps(document_to(DOCUMENT)))) == DOCUMENT


def test_a_list_of_objects_is_read_too(empty, tmp_path):
    path = write(tmp_path, "list.json", json.dumps([article_to(a) for a in ARTICLES], indent=1))
    assert import_articles([path], empty).files[0].added == Added(added=4)


def test_pubmedqa_in_its_own_form(empty, tmp_path):
    entries = {
        "201": {
            "QUESTION": "Is it so?",
            "CONTEXTS": ["We asked.", "We saw."],
            "LABELS": ["METHODS", "RESULTS"],
            "MESHES": ["Humans"],
            "YEAR": "2009",
            "LONG_ANSWER": "It is so.",
        },
        "x": {"QUESTION": "No id?"},
        "202": {"QUESTION": []},
        "203": 5,
    }
    (file,) = import_articles([write(tmp_path, "qa.json", json.dumps(entries, indent=1))], empty).files
    assert (file.format, file.records, file.added, file.skipped) == ("pubmedqa", 4, Added(added=1), 3)
    assert empty.fetch(["201"]) == [
        Article(
            "201",
            "Is it so?",
            abstract=(
                Section("METHODS", "We asked."),
                Section("RESULTS", "We saw."),
                Section("CONCLUSIONS", "It is so."),
            ),
            date=PublicationDate(2009),
            mesh=(MeshHeading("Humans"),),
            languages=("eng",),
        )
    ]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.txt", b"words", "none of the formats"),
        ("a.xml", (DATA / "articles.xml").read_bytes()[:-200], "broken"),
        ("a.xml.gz", gzip.compress(b"<PubmedArticleSet>" * 100)[:-9], "damaged"),
        ("a.jsonl", json.dumps(article_to(ARTICLES[3])).encode() + b"\n\xff", "not valid UTF-8"),
        ("a.json", b'{"a": 1}', "no articles"),
        ("a.json", b'{"a": ', "broken"),
        ("none.xml", b"", "none of the formats"),
    ],
)
def test_of_a_file_that_cannot_be_read_to_its_end_nothing_is_kept(empty, tmp_path, name, content, problem):
    report = import_articles([write(tmp_path, name, content), DATA / "articles.nbib"], empty)
    assert problem in report.failed[0].error
    assert (len(report.failed), report.articles) == (1, 2)


def test_a_file_that_unpacks_to_too_much_is_refused(empty, tmp_path):
    bomb = write(tmp_path, "bomb.xml.gz", gzip.compress(b"<PubmedArticleSet>" + b" " * 5_000_000))
    report = import_articles([bomb], empty, max_bytes=1_000_000)
    assert "more than 1,000,000 bytes (unpacked)" in report.files[0].error


def test_a_missing_file_is_told(empty, tmp_path):
    assert import_articles([tmp_path / "nowhere"], empty).files[0].error == "No such file or directory"


@pytest.mark.skipif(SHARED_DATA is None, reason="the public data are not beside the repository")
def test_the_whole_of_pubmedqa(empty):
    (file,) = import_articles([SHARED_DATA / "pubmedqa" / "ori_pqal.json"], empty).files
    assert (file.records, file.added, file.skipped) == (1000, Added(added=1000), 0)
    assert empty.search("Breast Neoplasms[mh]").total == sum(
        any(m.name == "Breast Neoplasms" for m in a.mesh) for a in empty.articles()
    )
