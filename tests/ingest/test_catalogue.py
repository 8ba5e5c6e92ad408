"""Nested catalogues: ids, titles, codes; a small handmade one, and the DKTK's where it is present."""

import json
import re

import pytest

from oncosearch.ingest import GraphRefusedError, find_format, read_graph
from oncosearch.model import Code, UsageError
from tests.ingest.readers import CATALOGUE, CATALOGUE_MAPPING, write_files
from tests.paths import ROOT, SHARED_DATA

DKTK = SHARED_DATA / "dktk" / "catalogue.json" if SHARED_DATA else None
RECIPE = ROOT / "recipes" / "dktk.toml"


@pytest.fixture
def graph(tmp_path):
    write_files(tmp_path, {"k.json": CATALOGUE, "m.toml": CATALOGUE_MAPPING})
    return read_graph(tmp_path / "k.json", mapping=tmp_path / "m.toml")


def test_it_is_told_by_its_content(tmp_path):
    write_files(tmp_path, {"k.json": CATALOGUE})
    assert find_format(tmp_path).key == "catalogue"
    assert read_graph(tmp_path).snapshot.graph_id == "catalogue"


def test_ids_are_paths_and_repeated_keys_get_what_tells_them_apart(graph):
    assert [n.id for n in graph.nodes] == [
        "kat:tumor",
        "kat:tumor/C34.%",
        "kat:tumor/C34.%/C34.1",
        "kat:tumor/C34.%/C34",
        "kat:tumor/T~klinisch",
        "kat:tumor/T~klinisch/1",
        "kat:tumor/T~pathologisch",
        "kat:tumor/T~pathologisch/1",
        "kat:tumor/Therapie des Tumors",
        "kat:tumor/Therapie des Tumors/x~Ja",
        "kat:tumor/Therapie des Tumors/x~Ja#2",
        "kat:tumor/Therapie des Tumors/X",
    ]
    assert graph.nodes[2].parents == ("kat:tumor/C34.%",)
    assert graph.report.count("repeated_entry") == 1
    assert graph.report.roots == 1


def test_ids_do_not_depend_on_the_order_of_siblings(tmp_path, graph):
    (top,) = json.loads(CATALOGUE)
    top["childCategories"].reverse()
    write_files(tmp_path / "r", {"k.json": json.dumps([top]), "m.toml": CATALOGUE_MAPPING})
    turned = read_graph(tmp_path / "r" / "k.json", mapping=tmp_path / "r" / "m.toml")
    assert turned.snapshot.content_hash == graph.snapshot.content_hash


def test_the_text_is_the_title_and_the_code_a_code(graph):
    nodes = {n.id: n for n in graph.nodes}
    lung = nodes["kat:tumor/C34.%"]
    assert (lung.title.get("de"), lung.codes) == ("Bösartige Neubildung der Lunge", (Code("ICD-10-GM", "C34"),))
    assert nodes["kat:tumor/C34.%/C34.1"].title.get("de") == "Oberlappen"
    assert nodes["kat:tumor/C34.%/C34"].title.get("de") == "Bösartige Neubildung der Lunge"
    assert graph.report.count("title_by_code") == 1
    assert nodes["kat:tumor/T~klinisch"].title.get("de") == "T"
    therapy = nodes["kat:tumor/Therapie des Tumors"]
    assert therapy.title.get("de") == "Therapie des Tumors"
    assert [(s.text, s.scope) for s in therapy.synonyms] == [("Behandlung", "related")]


def test_types_and_fields_follow_the_mapping(graph):
    nodes = {n.id: n for n in graph.nodes}
    assert nodes["kat:tumor"].type == "group"
    assert nodes["kat:tumor/C34.%/C34"].type == "disease"
    assert nodes["kat:tumor"].field("Diagnosis").get("de") == "Ausgewählte., Gruppen."


def test_the_keys_can_be_configured_and_the_language_given(tmp_path):
    mapping = 'format = "catalogue"\n[keys]\nid = "c"\ntitle = "t"\nchildren = "sub"\n'
    write_files(tmp_path, {"m.toml": mapping, "k.json": '{"c": "a", "t": "Lung", "sub": [{"c": 7, "t": "Lobe"}, 3]}'})
    graph = read_graph(tmp_path / "k.json", mapping=tmp_path / "m.toml", language="en")
    assert [(n.id, n.title.get("en")) for n in graph.nodes] == [("catalogue:a", "Lung"), ("catalogue:a/7", "Lobe")]
    assert graph.snapshot.languages == ("en",)
    assert [(s["line"], s["what"]) for s in graph.report.to_dict()["skipped"]] == [("k.json:1", "no_entry")]


def test_a_misspelt_key_of_the_mapping_is_refused(tmp_path):
    write_files(tmp_path, {"k.json": CATALOGUE, "m.toml": 'format = "catalogue"\n[keys]\ntitel = "name"\n'})
    with pytest.raises(UsageError, match=r"m\.toml, keys: there is the unknown key 'titel'; expected only id, title"):
        read_graph(tmp_path / "k.json", mapping=tmp_path / "m.toml")


def test_a_deep_catalogue_does_not_make_endless_ids_and_a_bomb_is_refused(tmp_path):
    deep = '{"key": "k", "name": "Name", "criteria": [' * 150 + "]}" * 150
    write_files(tmp_path, {"k.json": f"[{deep}]"})
    graph = read_graph(tmp_path)
    assert len(graph.nodes) == 150
    assert max(len(n.id) for n in graph.nodes) <= 512
    write_files(tmp_path, {"k.json": '[{"key": "a", "name": "b", "criteria": ' + "[" * 200_000})
    with pytest.raises(GraphRefusedError, match="nested too deep"):
        read_graph(tmp_path)


@pytest.mark.skipif(DKTK is None or not DKTK.is_file(), reason="the DKTK catalogue is not on this machine")
def test_the_real_catalogue():
    graph = read_graph(DKTK, mapping=RECIPE)
    assert (graph.report.nodes, graph.report.made, graph.report.balanced) == (2974, 0, True)
    assert str(graph.snapshot.key).startswith("dktk@content-")
    nodes = {n.id: n for n in graph.nodes}
    assert len(nodes) == 2974
    assert nodes["dktk:tumor_entity/neuro/gliom_all_groups"].title.get("de") == "Gliome, alle Gruppen"
    lip = nodes["dktk:tumor_classification/diagnosis/C00-C14/C00.%"]
    assert (lip.title.get("de"), lip.codes) == ("Bösartige Neubildung der Lippe", (Code("ICD-10-GM", "C00"),))
    # Where name or description of an entry has a word, so has the title.
    entries = list(_entries(json.loads(DKTK.read_text("utf-8"))))
    assert len(entries) == len(graph.nodes)
    with_text = 0
    for entry, node in zip(entries, graph.nodes, strict=True):
        texts = [text for key in ("name", "description") if _has_word(text := entry.get(key) or "")]
        if texts:
            with_text += 1
            assert node.title.get("de") in {" ".join(text.split()) for text in texts}
    assert with_text == 2974 - graph.report.count("title_is_code") - graph.report.count("title_by_code")
    assert read_graph(DKTK).report.nodes == 2974


def _has_word(text):
    return re.search("[^\\W\\d_]{4}", text) is not None


def _entries(value):
    if isinstance(value, list):
        for item in value:
            yield from _entries(item)
    elif isinstance(value, dict) and "key" in value:
        yield value
        for name in ("childCategories", "criteria", "subgroup"):
            yield from _entries(value.get(name))
