"""The pipeline over imported articles and over the test server: descent, fusion, switches, retractions, depth."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.literature import pipeline
from oncosearch.literature.answering import evidence_of, extracted_answer, prompt_of
from oncosearch.literature.article import Article, MeshHeading, Section
from oncosearch.literature.dense import ArticleVectors, OfRegistry, rank_articles
from oncosearch.literature.eutils import EutilsSource
from oncosearch.literature.evidence import document_class, evidence_level, evidence_rank
from oncosearch.literature.parsing import ExpressionError
from oncosearch.literature.pipeline import Models, find_literature, fuse
from oncosearch.literature.report import literature_to_dict
from oncosearch.literature.stages import Plan
from oncosearch.model import UsageError
from oncosearch.settings import Settings
from tests.embed.fakes import FACTS, FakeEncoder
from tests.literature.articles import ARTICLES
from tests.literature.server import serve

QUESTION = "Does screening find lung cancer early?"
WIDE = dataclasses.replace(FACTS, limit=64)


@pytest.fixture
def models(tmp_path) -> Models:
    encoder = FakeEncoder(facts=WIDE)
    return Models(ArticleVectors(OfRegistry(encoder), tmp_path / "vectors"), encoder)


def stage(found, key):
    return next(s for s in found.stages if s.key == key)


def test_the_descent_goes_on_until_there_are_enough(local):
    wide = find_literature(QUESTION, local, plan=Plan(off=frozenset({"dense", "passages"})))
    assert [stage(wide, key).state for key in ("strict", "abstraction", "loose")] == ["done"] * 3
    assert stage(wide, "strict").hits == 1
    assert stage(wide, "strict").expression == wide.rewrite.expressions[0]
    assert wide.articles[0].article.pmid == "102"
    assert wide.articles[0].origins == (("strict", 1),)
    narrow = find_literature(QUESTION, local, plan=Plan(enough=1, off=frozenset({"dense", "passages"})))
    assert [stage(narrow, key).state for key in ("strict", "abstraction", "loose")] == ["done", "enough", "enough"]


def test_levels_can_be_switched_off_and_edited(local):
    off = frozenset({"abstraction", "loose", "dense", "passages"})
    found = find_literature(QUESTION, local, plan=Plan(off=off, edited={"strict": "mice[tiab]"}))
    assert [a.article.pmid for a in found.articles] == ["104"]
    assert stage(found, "loose").state == "off"
    with pytest.raises(ExpressionError):
        find_literature(QUESTION, local, plan=Plan(edited={"loose": "lung)"}))
    with pytest.raises(UsageError, match="no stage 'rewrite'"):
        find_literature(QUESTION, local, plan=Plan(off=frozenset({"rewrite"})))


def test_everything_together_over_imported_articles(local, models):
    found = find_literature(QUESTION, local, models=models)
    dense = stage(found, "dense")
    assert (dense.hits, dense.note, dense.state) == (4, "all_articles", "done")
    assert {a.article.pmid for a in found.articles} == {"101", "102", "103", "104"}
    review = found.article("102")
    assert (review.document_class, review.evidence, review.read) == ("D2", "review", "full")
    trial = found.article("101")
    assert (trial.document_class, trial.evidence, trial.read) == ("D3", "randomised_trial", "abstract")
    assert {stage for stage, _ in review.origins} == {"strict", "dense"}
    assert found.passages
    assert literature_to_dict(found)["passages"][0]["pmid"] in {"101", "102", "104"}


def test_the_answer_rests_on_the_passages_with_their_articles(local, models):
    found = find_literature(QUESTION, local, models=models)
    evidence = evidence_of(found)
    assert [e.text for e in evidence] == [p.block.text for p in found.passages]
    review = next(e for e in evidence if e.id.startswith("102#"))
    assert review.reference.startswith("PMID 102, Reviews, 2015-07")
    assert extracted_answer(found).sentences[0].passage in evidence
    prompt = prompt_of(found, Settings(llm_address="http://127.0.0.1:9/v1", llm_model="m"))
    assert "PMID 102" in prompt.user
    assert prompt.language == "en"


def test_a_retracted_article_is_shown_and_gives_no_passage(local, models):
    found = find_literature("Tamoxifen for breast cancer", local, models=models)
    assert found.articles[0].article.pmid == "103"
    assert not found.articles[0].article.usable
    assert found.articles[0].read == ""
    assert "103" not in {p.block.document for p in found.passages}
    retracted = Article(
        "105", "Tamoxifen", (Section("", "Tamoxifen cures."),), publication_types=("Retracted Publication",)
    )
    local.add([retracted])
    again = find_literature("tamoxifen cures", local, models=models)
    assert again.articles[0].article.pmid == "105"
    assert "105" not in {p.block.document for p in again.passages}


@pytest.mark.parametrize(("depth", "read"), [("abstract", "abstract"), ("full", "full"), ("adaptive", "full")])
def test_the_depth_can_be_set(local, models, depth, read):
    found = find_literature(QUESTION, local, plan=Plan(depth=depth), models=models)
    assert found.article("102").read == read


def test_without_a_model_the_boolean_part_still_answers(local):
    found = find_literature(QUESTION, local)
    assert stage(found, "dense").note == "no_model"
    assert stage(found, "passages").state == "unavailable"
    assert found.articles


def test_over_http_the_dense_search_looks_through_candidates(local, models, tmp_path):
    with serve(local) as server:
        server.keep_rate = False
        settings = Settings(home=tmp_path / "home", eutils=True, eutils_address=server.address)
        with EutilsSource.open(settings) as remote:
            found = find_literature(QUESTION, remote, plan=Plan(enough=1), models=models)
        asked = [r.operation for r in server.requests]
    assert found.destination.startswith("127.0.0.1")
    assert stage(found, "dense").note == "candidates"
    assert stage(found, "pool").expression == found.rewrite.expressions[2]
    assert found.article("102").read == "full"
    assert asked.count("esearch") == 2
    assert found.passages


def test_many_articles_are_looked_through_once_all_have_vectors(local, models, monkeypatch):
    monkeypatch.setattr(pipeline, "ENCODED_AT_ONCE", 3)
    assert stage(find_literature(QUESTION, local, models=models), "dense").note == "candidates"
    assert pipeline.embed_articles(local, models.vectors) == 4
    assert stage(find_literature(QUESTION, local, models=models), "dense").note == "all_articles"


def test_vectors_are_kept_and_read_again(tmp_path, local):
    first = FakeEncoder(facts=WIDE)
    articles = list(local.articles())
    before = rank_articles("lung", articles, ArticleVectors(OfRegistry(first), tmp_path), 4)
    second = FakeEncoder(facts=WIDE)
    vectors = ArticleVectors(OfRegistry(second), tmp_path)
    assert vectors.missing(articles) == 0
    assert rank_articles("lung", articles, vectors, 4) == before
    assert second.encoded == ["query: lung"]
    other = dataclasses.replace(WIDE, revision="another")
    assert ArticleVectors(OfRegistry(FakeEncoder(facts=other)), tmp_path).missing(articles) == len(articles)
    in_memory = ArticleVectors(OfRegistry(FakeEncoder(facts=WIDE)))
    assert rank_articles("lung", articles, in_memory, 4) == before


def test_fusion_by_hand():
    assert fuse((["1", "2"], ["2", "3"]), 60) == [
        ("2", pytest.approx(1 / 61 + 1 / 62)),
        ("1", pytest.approx(1 / 61)),
        ("3", pytest.approx(1 / 62)),
    ]


IDS = st.lists(st.integers(1, 30).map(str), max_size=12)


@given(IDS, IDS, st.integers(1, 100))
def test_fusion_keeps_everything_once_whatever_the_order_of_the_lists(one, other, k):
    fused = fuse((one, other), k)
    assert fused == fuse((other, one), k)
    assert {pmid for pmid, _ in fused} == {*one, *other}
    assert len(fused) == len({pmid for pmid, _ in fused})
    assert all(0 < score <= 2 / (k + 1) for _, score in fused)


def test_the_strongest_kind_of_study_counts():
    both = Article("1", "", publication_types=("Review", "Practice Guideline"), pmcid="PMC1")
    assert evidence_level(both) == "guideline"
    assert document_class(both) == "D2"
    assert evidence_level(Article("2", "", mesh=(MeshHeading("Humans"),))) == "unknown"
    assert evidence_rank(both) < evidence_rank(ARTICLES[0]) < evidence_rank(Article("2", ""))


@pytest.mark.parametrize(("name", "value"), [("enough", 0), ("fusion_k", 0), ("articles", 201), ("passages", 0)])
def test_values_out_of_range_are_refused(local, name, value):
    with pytest.raises(UsageError) as raised:
        find_literature(QUESTION, local, plan=Plan(**{name: value}))
    assert raised.value.code == "parameter_range"
