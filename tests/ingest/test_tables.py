"""Node and edge tables with a mapping file: every rule on small tables, the NCIt where it is present."""

from collections import Counter

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.model import Code, Link, Source, Synonym, UsageError
from tests.ingest.readers import NODE_TABLES, NODE_TABLES_MAPPING, write_files
from tests.paths import ROOT, SHARED_DATA

NCIT = SHARED_DATA / "ncit" if SHARED_DATA else None


def _read(tmp_path, tables=NODE_TABLES, mapping=NODE_TABLES_MAPPING, **options):
    write_files(tmp_path, {**tables, "m.toml": mapping})
    return read_graph(tmp_path, mapping=tmp_path / "m.toml", **options)


@pytest.fixture
def graph(tmp_path):
    return _read(tmp_path)


def _node(graph, node_id):
    return next(n for n in graph.nodes if n.id == node_id)


def test_a_row_is_a_node(graph):
    node = _node(graph, "d:1")
    assert node.title.pairs == (("de", "Lungenkrebs"), ("en", "Lung cancer"))
    assert node.synonyms == (Synonym("NSCLC", "en", "narrow"), Synonym("lung ca", "en", "narrow"))
    assert node.codes == (Code("ICD-10-GM", "C34.9"),)
    assert node.sources == (Source("pubmed", "25923549"),)
    assert node.field("Diagnosis").get("en") == "A text,\nover two lines.\nKind D."
    assert (node.type, node.parents) == ("disease", ())
    assert node.links == (Link("g:7", "about_biomarker"),)


def test_ids_that_differ_in_case_or_zeros_are_apart(graph):
    assert [n.id for n in graph.nodes] == ["genes", "d:1", "d:01", "d:a", "d:A", "g:7"]


def test_parents_come_from_cells_and_from_edges(graph):
    assert _node(graph, "d:a").parents == ("d:1", "d:01")
    assert _node(graph, "d:A").parents == ("d:01",)
    assert _node(graph, "g:7").parents == ("genes",)


def test_what_is_not_known_has_the_default(graph):
    assert _node(graph, "d:a").type == "group"
    assert _node(graph, "d:01").links == (Link("g:7", "related_to"),)
    assert _node(graph, "g:7").title.get("en") == 'EGFR "kinase'


def test_faults_are_listed_and_everything_is_counted(graph):
    found = {(g.severity, g.kind): [p.where for p in g.examples] for g in graph.report.problems}
    assert found["skipped", "empty_id"] == ["disease.csv:7"]
    assert found["skipped", "dangling_edge"] == ["subclass.csv:4"]
    assert found["skipped", "no_edge"] == ["edges.csv:5"]
    assert found["warning", "self_parent"] == ["disease.csv:6"]
    assert found["warning", "dangling_parent"] == ["disease.csv:6"]
    assert found["warning", "dangling_link"] == ["disease.csv:2"]
    tables = {t.name: (t.read, t.kept, t.merged, t.skipped) for t in graph.report.tables}
    assert tables == {
        "subclass.csv": (3, 0, 2, 1),
        "edges.csv": (4, 0, 3, 1),
        "disease.csv": (5, 4, 0, 1),
        "gene.tsv": (1, 1, 0, 0),
    }
    assert graph.report.balanced


def test_a_cycle_over_edges_is_refused_or_cut(tmp_path):
    tables = {**NODE_TABLES, "subclass.csv": "child,parent\n1,a\n"}
    with pytest.raises(GraphRefusedError, match=r"runs in a circle: d:1 → .* → d:1"):
        _read(tmp_path, tables)
    graph = _read(tmp_path, tables, break_cycles=True)
    assert graph.report.cut == (("d:a", "d:1"),)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title.en = "name"', 'titel = "name"', r"m\.toml, nodes 1: there is the unknown key 'titel'"),
        ('title.en = "name"', 'title.en = "nome"', "names the column 'nome', which disease.csv has not; it has id"),
        ('id = "d:{id}"', "", "nodes 1: id is null; expected a text"),
        ('type = "biomarker"', 'type = "gene"', "type is 'gene'; expected one of group, disease"),
        ("fields.Diagnosis", "fields.Diagnose", "the field 'Diagnose'; expected one of Diagnosis"),
        ('scope = "narrow"', 'scope = "narrower"', "scope is 'narrower'; expected one of exact"),
        ('id = "tab"', 'id = "a b"', "the id 'a b'; expected 1 to 64"),
        ("title.de", "title.Deutsch", "'Deutsch'; expected a language code"),
        ("quoting = false", 'quoting = "no"', "quoting is 'no'; expected true or false"),
        ('sources = ["pmid"]', "sources = [7]", "sources holds 7; expected texts or tables"),
    ],
)
def test_a_faulty_mapping_is_refused_with_the_place(tmp_path, old, new, message):
    assert old in NODE_TABLES_MAPPING
    with pytest.raises(UsageError, match=message):
        _read(tmp_path, mapping=NODE_TABLES_MAPPING.replace(old, new, 1))


def test_files_that_are_missing_or_not_clear_are_named(tmp_path):
    write_files(tmp_path, {"gene.csv": "gene,symbol\n"})
    with pytest.raises(GraphRefusedError, match=r"gene\.csv, gene\.tsv fit the name 'gene\.\*'"):
        _read(tmp_path)
    with pytest.raises(GraphRefusedError, match=r"there is no file gene\.\*"):
        read_graph(tmp_path / "disease.csv", mapping=tmp_path / "m.toml")
    with pytest.raises(UsageError, match="needs a mapping file"):
        read_graph(tmp_path, format="tables")


LOSSES_MAPPING = """
format = "tables"
[graph]
id = "t"
[[nodes]]
file = "n.csv"
id = "id"
type = "disease"
title.de = "name"
codes = [{ system = { from = "sys" }, from = "code" }]
fields.Diagnosis.de = "Grad {grade} seit {since}"
sources = [{ kind = "pubmed", id = "pmid", year = "year" }]
parents = [{ from = "{up}-{no}", split = "|" }]
links = [{ target = "to", kind = { from = "how" } }]
"""
LOSSES = """id,name,sys,code,grade,since,pmid,year,up,no,to,how
1,Lunge,ICD-10-GM,C34,2,2020,7,2015,,,,
2,Leber,,C22,,,,,,,,
3,Niere,,,3,,,,,,,
4,Haut,,,,,,2016,,,,
5,Herz,,,,,,,a|b|c,1|2,,
6,Hirn,,,,,,,,,1,
"""


def test_nothing_of_a_row_goes_without_being_counted(tmp_path):
    graph = _read(tmp_path, {"n.csv": LOSSES}, LOSSES_MAPPING)
    found = {g.kind: [(p.where, p.message) for p in g.examples] for g in graph.report.problems}
    assert {kind: [where for where, _ in problems] for kind, problems in found.items()} == {
        "no_code_system": ["n.csv:3"],
        "uneven_values": ["n.csv:4", "n.csv:6"],
        "no_source_id": ["n.csv:5"],
        "no_link_kind": ["n.csv:7"],
    }
    assert {g.severity for g in graph.report.problems} == {"warning"}
    assert found["no_code_system"][0][1] == "the code 'C22' names no classification; it is left out."
    assert found["no_link_kind"][0][1] == "a link to '1' names no kind; it is left out."
    assert "there are 3 of up, 2 of no;" in found["uneven_values"][1][1]
    assert graph.report.nodes == 6


@pytest.mark.skipif(NCIT is None or not NCIT.is_dir(), reason="the NCIt tables are not on this machine")
def test_the_real_tables():
    graph = read_graph(NCIT, mapping=ROOT / "recipes" / "ncit.toml")
    diseases = [n for n in graph.nodes if n.type == "disease"]
    assert len(diseases) == 1402
    assert sum(len(n.parents) > 1 for n in diseases) == 410
    assert Counter(n.type for n in graph.nodes) == {"disease": 1402, "biomarker": 766, "group": 2}
    assert Counter(link.kind for n in diseases for link in n.links) == {
        "may have cytogenetic abnormality": 1637,
        "may have molecular abnormality": 1448,
        "mapped to gene": 916,
        "pathogenesis involves gene": 572,
        "has molecular abnormality": 359,
        "has cytogenetic abnormality": 83,
    }
    assert (graph.report.balanced, graph.report.skipped, graph.report.made) == (True, 0, 2)
    # Every subclass row is a parent; the seven diseases without one and all genes hang below the two groups.
    assert graph.report.parents == 1840 + 7 + 766
    assert graph.report.count("duplicate_parent") > 0
    assert graph.report.roots == 2
