"""Cross-encoders from a local folder: a tiny real one is made here, and refused ones are named."""

import numpy as np
import pytest

from oncosearch.literature.rerank import RERANKERS, load_reranker
from oncosearch.model import ModelUnavailableError
from oncosearch.settings import Settings


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return a folder of models with a cross-encoder of one layer and random weights."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    folder = tmp_path_factory.mktemp("models")
    place = folder / RERANKERS[0].key
    place.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lung", "breast", "cancer"]
    (place / "vocab.txt").write_text("\n".join(vocabulary), "utf-8")
    BertTokenizer(str(place / "vocab.txt")).save_pretrained(place)
    torch.manual_seed(3)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertForSequenceClassification(BertConfig(vocab_size=len(vocabulary), num_labels=1, **shape)).save_pretrained(place)
    return folder


def test_scores_of_a_real_cross_encoder(models):
    model = load_reranker(Settings(models=models))
    scores = model.score("lung", ["lung cancer", "breast cancer", "lung cancer"])
    assert scores.dtype == np.float32
    assert scores[0] == pytest.approx(scores[2])
    assert scores[0] != pytest.approx(scores[1])
    assert model.score("lung", []).shape == (0,)


def test_without_a_folder_there_is_none(tmp_path):
    assert load_reranker(Settings()) is None
    assert load_reranker(Settings(models=tmp_path)) is None


def test_a_folder_with_program_files_or_pickles_is_refused(tmp_path):
    folder = tmp_path / RERANKERS[0].key
    folder.mkdir()
    (folder / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelUnavailableError, match="expected weights as"):
        load_reranker(Settings(models=tmp_path))
    (folder / "modeling.py").write_text("")
    with pytest.raises(ModelUnavailableError, match="program files"):
        load_reranker(Settings(models=tmp_path))


def test_a_damaged_folder_is_named(tmp_path):
    folder = tmp_path / RERANKERS[0].key
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"no weights")
    (folder / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(ModelUnavailableError, match="could not be loaded"):
        load_reranker(Settings(models=tmp_path))
