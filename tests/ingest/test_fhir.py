import json

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest.fhir_terms import known_system, link_kind, node_type, system_language
from oncosearch.model import Code, Link, Synonym
from tests.ingest.reader_cases import _SYSTEM, FHIR
from tests.paths import SHARED_DATA

FOLDER = SHARED_DATA / "fhir" if SHARED_DATA else None
needs_fhir = pytest.mark.skipif(
    FOLDER is None or not FOLDER.is_dir(), reason="the FHIR files are not on this machine (ONCOSEARCH_TEST_DATA)"
)


def test_concepts_hierarchy_and_maps(tmp_path):
    nodes = {node.id: node for node in FHIR.read(tmp_path).nodes}
    first = nodes["grading:1"]
    assert dict(first.title) == {"de": "mäßig differenziert", "en": "moderate"}
    assert first.synonyms == (Synonym("mittel", "de", "exact"),)
    assert dict(first.field("Staging")) == {"de": 'Text: "x"'}
    assert first.type == "staging"
    assert first.links == (Link("SNOMED CT:77", "equivalent"),)
    assert Code("SNOMED CT", "77") in first.codes
    assert nodes["grading:01"].parents == ("grading:1",)
    assert nodes["grading:a"].parents == ("grading:1",)
    assert nodes["grading:a"].links == (Link("SNOMED CT:077", "wider"),)
    assert Code("SNOMED CT", "077") not in nodes["grading:a"].codes
    assert nodes["grading:Z"].parents == ("fhir:grading",)
    assert dict(nodes["SNOMED CT:77"].title) == {"en": "Mod."}
    assert dict(nodes["SNOMED CT:077"].title) == {"en": "077"}


def test_children_may_be_stated_by_their_parent(tmp_path):
    concepts = [
        {"code": "a", "display": "a", "property": [{"code": "child", "valueCode": "b"}]},
        {"code": "b", "display": "b"},
    ]
    (tmp_path / "x.json").write_text(json.dumps({**_SYSTEM, "count": 2, "concept": concepts}), encoding="utf-8")
    assert [node.parents for node in read_graph(tmp_path).nodes] == [(), ("fhir:grading",), ("grading:a",)]


def test_one_code_in_two_systems_is_two_nodes_also_in_a_bundle(tmp_path):
    concept = [{"code": "1", "display": "x"}]
    entries = [
        {"resource": {**_SYSTEM, "count": 1, "concept": concept}},
        {"resource": {**_SYSTEM, "count": 1, "url": "https://example.org/other", "concept": concept}},
        {"resource": {**_SYSTEM, "count": 1, "concept": concept}},
    ]
    bundle = {"resourceType": "Bundle", "entry": entries}
    (tmp_path / "x.json").write_text(json.dumps(bundle), encoding="utf-8")
    graph = read_graph(tmp_path)
    assert [node.id for node in graph.nodes if node.type != "group"] == ["grading:1", "https://example.org/other:1"]
    assert [entry["what"] for entry in graph.report.to_dict()["skipped"]] == ["duplicate_system"]


def test_the_language_of_a_system_counts(tmp_path):
    system = {**_SYSTEM, "language": "en-GB", "count": 1, "concept": [{"code": "1", "display": "x"}]}
    (tmp_path / "x.json").write_text(json.dumps(system), encoding="utf-8")
    graph = read_graph(tmp_path, language="de")
    assert dict(graph.nodes[1].title) == {"en": "x"}
    assert graph.snapshot.languages == ("en",)


def test_a_folder_without_such_files_is_refused(tmp_path):
    with pytest.raises(GraphRefusedError, match="holds no CodeSystem"):
        read_graph(tmp_path, format="fhir")


def test_words_of_fhir():
    assert known_system("http://fhir.de/CodeSystem/bfarm/icd-10-gm|2025") == "ICD-10-GM"
    assert system_language("http://snomed.info/sct") == "en"
    assert known_system("https://example.org") is None
    assert link_kind("relatedto") == link_kind(None) == "related_to"
    assert link_kind("narrower") == "narrower"
    assert node_type("x", {"title": "Strahlentherapie Zielgebiet"}) == "procedure"
    assert node_type("x", {}) == "group"


@needs_fhir
def test_the_real_files_make_one_graph():
    graph = read_graph(FOLDER)
    report = graph.report
    assert (report.read, report.merged, report.skipped, report.made) == (284, 12, 1, 18)
    assert {t.name.partition("onko-")[2]: t.kept for t in report.tables} == {
        "allgemeiner-leistungszustand-ecog.json": 6,
        "grading.json": 13,
        "nebenwirkung-ctcae-grad.json": 7,
        "strahlentherapie-zielgebiet.json": 98,
        "therapie-typ.json": 16,
        "tnm-uicc.json": 131,
        "grading-sct.json": 0,
    }
    assert (report.links, report.parents) == (12, 271)
    nodes = {node.id: node for node in graph.nodes}
    assert nodes["mii-cs-onko-grading:2"].title.get("de") == "mäßig differenziert"
    assert nodes["mii-cs-onko-grading:2"].links == (Link("SNOMED CT:373377004", "equivalent"),)
    assert all(node.title.get("de") for node in graph.nodes if not node.id.startswith("SNOMED CT:"))
    (entry,) = report.to_dict()["skipped"]
    assert entry["what"] == "unmatched"
