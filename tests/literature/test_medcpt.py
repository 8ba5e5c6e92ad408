"""MedCPT from local folders: two tiny encoders with random weights stand for the real ones."""

import numpy as np
import pytest

from oncosearch.literature.article import Article, Section
from oncosearch.literature.dense import ArticleVectors, rank_articles
from oncosearch.literature.medcpt import ARTICLE_FACTS, QUERY_FACTS, QUESTION_TOKENS, load_medcpt
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lung", "breast", "cancer", "early"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("models")
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    for seed, facts in enumerate((QUERY_FACTS, ARTICLE_FACTS)):
        place = folder / facts.key
        place.mkdir()
        (place / "vocab.txt").write_text("\n".join(WORDS), "utf-8")
        BertTokenizer(str(place / "vocab.txt")).save_pretrained(place)
        torch.manual_seed(seed)
        BertModel(BertConfig(vocab_size=len(WORDS), **shape)).save_pretrained(place)
    return folder


def article(pmid, title, abstract=""):
    return Article(pmid, title, (Section("", abstract),) if abstract else ())


def test_the_two_encoders_differ_and_read_title_and_abstract_as_a_pair(models):
    medcpt = load_medcpt(Settings(models=models))
    assert medcpt.dimension == 16
    rows = medcpt.encode_articles([article("1", "lung cancer"), article("2", "lung", "cancer"), article("3", "breast")])
    assert rows.shape == (3, 16)
    assert not np.allclose(rows[0], rows[1])
    assert not np.allclose(medcpt.encode_question("lung cancer"), rows[0])
    assert not np.allclose(np.linalg.norm(rows, axis=1), 1.0), "the inner product is of vectors as they are"


def test_a_question_is_read_up_to_64_tokens(models):
    medcpt = load_medcpt(Settings(models=models))
    filled = ["lung"] * (QUESTION_TOKENS - 2)
    short = medcpt.encode_question(" ".join(filled))
    assert np.allclose(short, medcpt.encode_question(" ".join([*filled, "breast"])), atol=1e-5)
    assert not np.allclose(short, medcpt.encode_question(" ".join([*filled[:-1], "breast"])), atol=1e-5)


def test_it_ranks_by_inner_product(models):
    medcpt = load_medcpt(Settings(models=models))
    articles = [article("1", "lung cancer"), article("2", "breast cancer")]
    ranked = dict(rank_articles("early lung cancer", articles, ArticleVectors(medcpt), 2))
    expected = medcpt.encode_articles(articles) @ medcpt.encode_question("early lung cancer")
    assert ranked["1"] == pytest.approx(float(expected[0]), rel=1e-4)


def test_one_folder_is_not_enough_and_program_files_are_refused(models, tmp_path):
    assert load_medcpt(Settings()) is None
    (tmp_path / QUERY_FACTS.key).mkdir()
    assert load_medcpt(Settings(models=tmp_path)) is None
    (tmp_path / ARTICLE_FACTS.key).mkdir()
    (tmp_path / ARTICLE_FACTS.key / "model.py").write_text("")
    with pytest.raises(ModelUnavailableError):
        load_medcpt(Settings(models=tmp_path))
