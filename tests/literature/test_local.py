"""The local source: what a search finds, in what order, and that it agrees with looking at every article."""

import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.literature import fts
from oncosearch.literature import local as local_module
from oncosearch.literature.article import Article, ArticleSource, MeshHeading, PublicationDate, Section
from oncosearch.literature.expression import Term, all_of, any_of, but_not, published, to_text
from oncosearch.literature.local import Added, LocalSource
from oncosearch.literature.parsing import ExpressionError, parse
from oncosearch.literature.records import Deletion
from oncosearch.model import ArtefactMismatchError, StoreError, UsageError
from tests.literature.articles import ARTICLES, DOCUMENT
from tests.literature.naive import matches


def found(source: LocalSource, expression: str) -> set[str]:
    return set(source.search(expression, count=100).ids)


@pytest.mark.parametrize(
    ("expression", "pmids"),
    [
        ("lung", {"101", "102"}),
        ("lung*", {"101", "102", "104"}),
        ("LUNG cancer[ti]", {"101", "102"}),
        ('"lung cancer"[ti]', {"101", "102"}),
        ('"cancer lung"[ti]', set()),
        ('"lung cancer scree*"', {"102"}),
        ("screening of the lung[tiab]", {"102"}),
        ('"screening of the lung"[tiab]', {"102"}),
        ("cancer NOT mice", {"101", "102"}),
        ("mice AND (cancer OR tumour)", {"103", "104"}),
        ("lung neoplasms[mh]", {"102"}),
        ("neoplasms[mh]", set()),
        ("lung neoplasms/diagnosis[mh]", {"102"}),
        ("breast neoplasms/diagnosis[mh]", set()),
        ("carcinoma, non small cell lung[majr]", {"101"}),
        ("humans[majr]", set()),
        ("carcinoma*[mh]", {"101"}),
        ("randomized controlled trial[pt]", {"101"}),
        ("controlled trial[pt]", set()),
        ("german[la] OR eng[la]", {"101", "102", "103"}),
        ("2015[dp]", {"102"}),
        ("2011:2015[dp]", {"102", "103"}),
        ("2019/03/09:2019/03/09[dp]", {"101"}),
        ("2019/03/10:3000[dp]", set()),
        ("1000:1400[dp]", set()),
        ("2015/06:2015/07[dp]", {"102"}),
        ("tyrosine kinase[ot]", {"101"}),
        ("tyrosine[ab]", set()),
        ("tyrosine[tiab]", {"101"}),
        ("TNF-alpha", {"101"}),
        ("Muller[au]", {"101"}),
        ("Roe R[au]", {"101", "102"}),
        ("Roe RB[au]", {"102"}),
        ("J Invent Oncol[ta]", {"101"}),
        ("103[pmid] OR 101 104[uid]", {"101", "103", "104"}),
        ("Brustkrebs", {"103"}),
        ("nothing like it", set()),
        ('P<0.001 AND "survival was longer"', {"101"}),
        ("the", {"102"}),
    ],
)
def test_what_a_search_finds(local, expression, pmids):
    page = local.search(expression)
    assert (set(page.ids), page.total) == (pmids, len(pmids))


def test_the_source_keeps_the_protocol(local):
    assert isinstance(local, ArticleSource)
    assert (local.name, local.destination) == ("local", "")


def test_a_page_says_what_was_understood_and_ranks_titles_first(local):
    page = local.search("lung OR mice AND cancer", start=1, count=1)
    assert (page.understood, page.total, page.start) == ("(lung OR mice) AND cancer", 3, 1)
    whole = local.search("lung OR mice AND cancer").ids
    assert page.ids == whole[1:2]
    assert local.search("mice").ids == ("104", "103")
    assert local.search("humans[mh]", count=0).ids == ()


def test_equal_scores_stand_in_the_order_of_pmids(local):
    local.add([Article(pmid, "same words") for pmid in ("9", "1000", "33")])
    assert local.search("same").ids == ("9", "33", "1000")


def test_of_many_matches_the_newest_are_ranked_and_pages_fit_together(local, monkeypatch):
    local.add([Article(str(n), "many " * (1 + n % 3)) for n in range(1000, 1050)])
    monkeypatch.setattr(local_module, "RANKED", 20)
    pages = [local.search("many", start=start, count=7) for start in range(0, 56, 7)]
    ids = [pmid for page in pages for pmid in page.ids]
    assert sorted(ids) == sorted(str(n) for n in range(1000, 1050))
    assert set(ids[:20]) == {str(n) for n in range(1030, 1050)}
    assert ids[20:] == [str(n) for n in range(1029, 999, -1)]
    assert {page.ranked for page in pages} == {20}


def test_articles_come_in_the_order_asked_for(local):
    assert local.fetch(["104", "999", "x", "101", "104"]) == [ARTICLES[3], ARTICLES[0], ARTICLES[3]]
    assert list(local.articles()) == list(ARTICLES)
    assert (local.count(), local.count_full_texts(), local.full_text("7002")) == (4, 1, DOCUMENT)


def test_a_newer_version_takes_the_place_of_an_article_and_a_deletion_takes_it_out(local):
    newer = replace(ARTICLES[3], title="Kidneys", abstract=())
    assert local.add([newer, ARTICLES[0], Deletion("102"), Deletion("7")]) == Added(
        replaced=1, unchanged=1, deleted=1, not_there=1
    )
    assert (found(local, "kidneys"), found(local, "lungs"), found(local, "screening")) == ({"104"}, set(), set())
    connection = sqlite3.connect(local.path)
    with closing(connection):
        connection.execute("INSERT INTO words (words) VALUES ('integrity-check')")


def test_a_failed_addition_leaves_nothing(local):
    def records():
        yield Article("500", "half")
        raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken off"):
        local.add(records())
    assert (local.count(), found(local, "half")) == (4, set())


def test_rebuilding_changes_nothing(local):
    before = [local.search(e) for e in ("lung", "cancer NOT mice", "humans[mh]")]
    assert local.rebuild() == 4
    local.optimise()
    assert [local.search(e) for e in ("lung", "cancer NOT mice", "humans[mh]")] == before


def test_an_older_index_is_made_anew_and_a_newer_one_refused(local, monkeypatch):
    monkeypatch.setattr(local_module, "INDEX_VERSION", fts.INDEX_VERSION + 1)
    home = local.path.parent.parent
    with LocalSource.open(home) as again:
        assert found(again, "screening") == {"102"}
    monkeypatch.undo()
    with pytest.raises(ArtefactMismatchError, match="written in format 2; this oncosearch reads 1"):
        LocalSource.open(home)


def test_what_is_no_database_is_told(tmp_path):
    (tmp_path / "literature").mkdir()
    (tmp_path / "literature" / "articles.db").write_bytes(b"no database at all, but long enough for a header" * 30)
    with pytest.raises(StoreError, match="not a database"):
        LocalSource.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        LocalSource.open(tmp_path / "file")


def test_only_the_owner_may_read_the_articles(local):
    assert stat.S_IMODE(local.path.stat().st_mode) == 0o600


def test_it_may_be_used_from_many_threads(local):
    totals: list[int] = []
    threads = [threading.Thread(target=lambda: totals.append(local.search("lung").total)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert totals == [2] * 8


@pytest.mark.parametrize("wrong", [{"start": -1}, {"count": -1}, {"count": 10_001}])
def test_a_page_that_cannot_be(local, wrong):
    with pytest.raises(UsageError):
        local.search("lung", **wrong)


@pytest.mark.parametrize("expression", ["x[gr]", "(", "", 'NEAR("a" "b")[ti'])
def test_an_expression_that_cannot_be_searched_is_refused_with_its_place(local, expression):
    with pytest.raises(ExpressionError, match=r"^Position "):
        local.search(expression)


@pytest.mark.parametrize(
    "expression",
    [
        "lung'; DROP TABLE articles --",
        "NEAR(lung cancer)",
        "title : lung",
        "^lung",
        "lung + cancer",
        "\x00lung",
        "\ue000\ue001",
        "lu\ud800ng",
        "a" * 15_000,
        " OR ".join(f"lung{n}" for n in range(1500)),
    ],
)
def test_nothing_typed_reaches_the_database_as_anything_but_words(local, expression):
    try:
        local.search(expression)
    except ExpressionError as error:
        assert error.code == "expression_no_word"  # noqa: PT017
    assert local.count() == 4


def test_deep_expressions_are_searched(local):
    deep = "lung"
    for n in range(45):
        deep = f"({deep} {'AND' if n % 2 else 'OR'} cancer{'' if n % 3 else '*'})"
    assert local.search(deep).total == sum(matches(parse(deep), a) for a in ARTICLES)


# A small vocabulary, so that words meet.
WORDS = ["lung", "lungs", "cancer", "cancerous", "HER2-positive", "the", "of", "TNF-α", "Müller", "mice"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join)
NAMES = ["Lung Neoplasms", "Lung", "Neoplasms, Lung", "Humans"]
MESH = st.builds(
    MeshHeading,
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(["therapy", "drug therapy"]), max_size=2).map(tuple),
    st.booleans(),
)
ARTICLE = st.builds(
    Article,
    pmid=st.just("0"),
    title=TEXT,
    abstract=st.lists(st.builds(Section, st.sampled_from(["", "AIM"]), TEXT), max_size=2).map(tuple),
    journal=st.sampled_from(["", "Lung", "Journal of Lung Cancer"]),
    date=st.none()
    | st.builds(
        PublicationDate, st.integers(1988, 2003), st.none() | st.sampled_from([1, 2, 12]), st.sampled_from([1, 28])
    ),
    publication_types=st.lists(st.sampled_from(["Review", "Systematic Review"]), max_size=2).map(tuple),
    mesh=st.lists(MESH, max_size=2).map(tuple),
    keywords=st.lists(TEXT, max_size=2).map(tuple),
    authors=st.lists(st.sampled_from(["Müller A", "Müller AB", "Lung C"]), max_size=2).map(tuple),
    languages=st.lists(st.sampled_from(["eng", "ger"]), max_size=1).map(tuple),
    vernacular_title=st.sampled_from(["", "Lunge"]),
)
QUERY_WORDS = st.sampled_from([*WORDS, "lung*", "canc*", "muller", "TNF", "alpha"])
FREE = st.builds(
    lambda words, field: Term(" ".join(words), field),
    st.lists(QUERY_WORDS, min_size=1, max_size=3),
    st.sampled_from(["all", "tiab", "ti", "ab", "tw", "ot"]),
)
PHRASE = st.builds(
    lambda words, star, field: Term(" ".join(words) + star, field, True),
    st.lists(st.sampled_from(WORDS[:5]), min_size=1, max_size=3),
    st.sampled_from(["", "*"]),
    st.sampled_from(["all", "tiab", "ti", "ab"]),
)
NAMED = st.builds(
    Term,
    st.sampled_from([*NAMES, "lung*", "Lung Neoplasms/therapy", "Lung Neoplasms/drug*"]),
    st.sampled_from(["mh", "majr"]),
) | st.sampled_from(
    [
        Term("review", "pt"),
        Term("syst*", "pt"),
        Term("German", "la"),
        Term("lung", "ta"),
        Term("Müller A", "au"),
        Term("Lung", "au"),
        Term("3 5", "pmid"),
    ]
)
DATES = st.sampled_from(["1989", "1990", "1999/12", "2000", "2000/02", "2000/01/28", "2000/12/02", "2002"])
RANGE = st.lists(DATES, min_size=2, max_size=2).map(sorted).map(lambda pair: published(*pair))
QUERY = st.recursive(
    FREE | PHRASE | NAMED | RANGE,
    lambda inner: (
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: all_of(*parts))
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: any_of(*parts))
        | st.builds(but_not, inner, inner)
    ),
    max_leaves=6,
)


@settings(deadline=None, max_examples=60)
@given(st.lists(ARTICLE, min_size=1, max_size=12), st.lists(QUERY, min_size=5, max_size=10))
def test_the_word_index_agrees_with_looking_at_every_article(tmp_path_factory, articles, queries):
    numbered = [replace(article, pmid=str(n)) for n, article in enumerate(articles, 1)]
    with LocalSource.open(tmp_path_factory.mktemp("naive")) as source:
        source.add(numbered)
        for query in queries:
            expected = {a.pmid for a in numbered if matches(query, a)}
            page = source.search(to_text(query), count=100)
            assert (set(page.ids), page.total) == (expected, len(expected)), to_text(query)
