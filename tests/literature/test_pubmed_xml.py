"""PubMed's XML and PubMed Central's: what must survive, what is odd, and what is refused."""

import io
import tracemalloc
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.literature.article import Article, Correction, Document, MeshHeading, PublicationDate, Section
from oncosearch.literature.pubmed_xml import read_articles, whole
from oncosearch.literature.records import Deletion, Skipped, UnreadableError, date_in, date_of, sections_of
from tests.literature.articles import ARTICLES, DATA, DOCUMENT
from tests.literature.server import jats, pubmed_article

HEAD = b"<?xml version='1.0'?>"


def read(content: bytes) -> list:
    return list(read_articles(io.BytesIO(content)))


@pytest.fixture(scope="module")
def records() -> list:
    return read((DATA / "articles.xml").read_bytes())


def test_markup_comparisons_and_labels_survive(records):
    assert records[0] == Article(
        pmid="900001",
        title="Osimertinib in EGFR-mutated cancer: 10⁶ cells, CO2 and P<0.001.",
        abstract=(
            Section("BACKGROUND", "Patients with EGFR T790M and TNF-α were treated."),
            Section("RESULTS", "Survival was longer (Pa<0.001, 95% CI >1 & <2)."),
            Section("", "Funding: none."),
        ),
        journal="Journal of invented oncology",
        journal_short="J Invent Oncol",
        date=PublicationDate(2019, 3, 9),
        publication_types=("Randomized Controlled Trial", "Journal Article"),
        mesh=(
            MeshHeading("Carcinoma, Non-Small-Cell Lung", ("drug therapy", "mortality"), major=True),
            MeshHeading("Humans"),
        ),
        keywords=("tyrosine kinase inhibitor",),
        authors=("Müller AL", "Invented Study Group", "Plato"),
        languages=("eng",),
        doi="10.1000/first",
        pmcid="PMC700001",
        corrections=(
            Correction("ErratumIn", "J Invent Oncol. 2020;1:2", "900009"),
            Correction("CommentIn", "Elsewhere"),
        ),
    )
    assert records[0].corrected
    assert records[0].usable


def test_a_retracted_article_and_its_notice_are_no_evidence(records):
    retracted, notice = records[1:3]
    assert (retracted.retracted, retracted.usable) == (True, False)
    assert (notice.retracted, notice.retraction_notice, notice.usable) == (False, True, False)
    assert retracted.vernacular_title == "Eine zurückgezogene Studie über nichts."
    assert (retracted.abstract, retracted.date, notice.date) == (
        (),
        PublicationDate(1998, 12),
        PublicationDate(2001, 4),
    )


def test_an_expression_of_concern_is_shown_and_no_bar():
    article = Article("1", "x", corrections=(Correction("ExpressionOfConcernIn", "y"),))
    assert (article.concern, article.usable) == (True, True)


def test_a_book_chapter_is_an_article_of_its_book(records):
    chapter = records[5]
    assert (chapter.title, chapter.book, chapter.date) == (
        "Hereditary BRCA1 cancer",
        "InventedReviews",
        PublicationDate(2016, 12, 15),
    )
    assert (chapter.authors, chapter.publication_types, chapter.keywords) == (("Writer W",), ("Review",), ("HBOC",))


def test_what_has_no_pmid_is_skipped_and_deletions_are_told(records):
    assert records[3] == Skipped("record 4", "none", "no valid PMID")
    assert records[4] == Article("900005", "")
    assert records[6:] == [Deletion("800001"), Deletion("800002")]


def test_a_full_text_is_its_running_text():
    document, without = read((DATA / "full_text.xml").read_bytes())
    assert (document.pmcid, document.pmid, document.article_type) == ("PMC700001", "900001", "review-article")
    assert (document.title, document.licence) == ("Review of EGFR", "Open to all.")
    assert [(s.headings, s.paragraphs) for s in document.sections] == [
        ((), ("Opening words.", "Here p < 0.01.")),
        (("Methods",), ("We counted 10⁶ cells as in Figure 1.", "After the subsection.")),
        (("Methods", "Statistics"), ("P < 0.05 counted.", "First.", "Second.")),
        ((), ("Without a heading.",)),
    ]
    assert without == Skipped("record 2", "", "full text without a PMC id or a body")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"<PubmedArticleSet><PubmedArticle>", "broken"),
        (b"<rdf/>", "begins with <rdf>"),
        (b"no xml", "broken"),
        (b"", "broken"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><PubmedArticleSet>&b;</PubmedArticleSet>', "declares entities"),
        (b'<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><PubmedArticleSet>&b;</PubmedArticleSet>', "declares"),
        (b"<PubmedArticleSet>&undeclared;</PubmedArticleSet>", "broken"),
        (b"<PubmedArticleSet>" + b"<a>" * 300, "nested over 200"),
        (b"<?xml version='1.0' encoding='no-such'?><PubmedArticleSet/>", "decoded|broken"),
    ],
)
def test_what_is_broken_or_dangerous_is_refused(content, problem):
    with pytest.raises(UnreadableError, match=problem):
        read(content)


@pytest.mark.parametrize("content", [b"<a>", b'<!DOCTYPE a [<!ENTITY b "c">]><a/>'])
def test_a_small_document_is_read_under_the_same_rules(content):
    with pytest.raises(UnreadableError):
        whole(content)


def test_a_large_file_is_read_in_little_memory():
    one = ElementTree.tostring(pubmed_article(ARTICLES[0]))
    content = io.BytesIO(b"<PubmedArticleSet>" + one * 2000 + b"</PubmedArticleSet>")
    tracemalloc.start()
    try:
        seen = sum(1 for _ in read_articles(content))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seen == 2000
    # As a whole tree they would take some 40 MB.
    assert peak < 2_000_000


def test_what_the_test_server_writes_is_read_as_it_was():
    for article in ARTICLES:
        (again,) = read(b"<PubmedArticleSet>" + ElementTree.tostring(pubmed_article(article)) + b"</PubmedArticleSet>")
        assert again == article
    (document,) = read(ElementTree.tostring(jats(DOCUMENT)))
    assert isinstance(document, Document)
    assert document.sections[0].paragraphs == ("Opening.",)


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Cn", "Z"]), min_size=1, max_size=20)


@given(TEXTS, st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_any_text_comes_through_xml(title, sections):
    article = Article("1", title, abstract=tuple(Section(label, text) for label, text in sections))
    (again,) = read(b"<PubmedArticleSet>" + ElementTree.tostring(pubmed_article(article)) + b"</PubmedArticleSet>")
    assert (again.title, again.abstract_text.replace("\n", "")) == (
        title,
        "".join(f"{label}: {text}" if label.upper() not in {"UNLABELLED"} else text for label, text in sections),
    )


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2011 Mar 9", PublicationDate(2011, 3, 9)),
        ("2011 Mar-Apr", PublicationDate(2011, 3)),
        ("1998 Dec-1999 Jan", PublicationDate(1998, 12)),
        ("2000 Spring", PublicationDate(2000, 4)),
        ("2011-03-09", PublicationDate(2011, 3, 9)),
        ("2011/02/30", PublicationDate(2011, 2)),
        ("Summer 2003", PublicationDate(2003)),
        ("no date", None),
    ],
)
def test_dates_are_read_as_exactly_as_they_are_known(text, date):
    assert date_in(text) == date


def test_a_date_compares_by_its_first_day():
    assert (str(PublicationDate(2011, 3)), PublicationDate(2011, 3).first_day) == ("2011-03", 20110301)
    assert PublicationDate(2011).first_day == 20110101
    assert date_of("2011", "13", "1") == PublicationDate(2011)


def test_labels_in_capitals_make_sections():
    assert sections_of("First. METHODS AND RESULTS: We (HR: 2) saw. CONCLUSIONS: Yes.") == (
        Section("", "First."),
        Section("METHODS AND RESULTS", "We (HR: 2) saw."),
        Section("CONCLUSIONS", "Yes."),
    )
    assert sections_of("HER2: a receptor") == (Section("", "HER2: a receptor"),)
    assert sections_of(" ") == ()
