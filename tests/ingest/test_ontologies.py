"""OBO, OBO graphs and OWL: one ontology in three formats is one graph; the real files come out in full."""

import warnings

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest.references import code_system
from oncosearch.model import Code, Link, Source, Synonym
from tests.ingest.reader_cases import OBO, OBOGRAPH, OWL, Case, _owl
from tests.paths import SHARED_DATA

DOID = SHARED_DATA / "doid" if SHARED_DATA else None
needs_doid = pytest.mark.skipif(
    DOID is None or not DOID.is_dir(), reason="the Disease Ontology is not on this machine (ONCOSEARCH_TEST_DATA)"
)
ontologies = pytest.mark.parametrize("case", [OBO, OBOGRAPH, OWL], ids=lambda case: case.format)


def test_one_ontology_in_three_formats_is_one_graph(tmp_path):
    graphs = [case.read(tmp_path / case.format) for case in (OBO, OBOGRAPH, OWL)]
    assert len({graph.nodes for graph in graphs}) == 1
    assert len({graph.snapshot.key for graph in graphs}) == 1
    assert str(graphs[0].snapshot.key) == "small@2026-01-02"


@ontologies
def test_what_a_class_says_is_kept(case: Case, tmp_path):
    first, second, *_ = case.read(tmp_path).nodes
    assert dict(first.title) == {"en": 'Tumour ! of "X" \\ Y'}
    assert dict(first.field("Diagnosis")) == {"en": 'Says "hi" \\ to {all}: done ! really.'}
    assert first.synonyms == (Synonym('a: "b" ! c \\ d', "en", "narrow"), Synonym("wide", "en", "broad"))
    assert first.codes == (
        Code("DOID", "DOID:1"),
        Code("DOID", "DOID:7"),
        Code("ICD-10-CM", "C50.9"),
        Code("NCIt", "C1"),
    )
    assert first.sources == (
        Source("pubmed", "12345"),
        Source("pubmed", "678"),
        Source("pubmed", "99"),
        Source("web", "DO:xyz"),
        Source("web", "http://example.org/a?b=c", url="https://example.org/a?b=c"),
    )
    assert first.links == (Link("DOID:01", "part_of"),)
    assert dict(second.title) == {"en": "Second"}
    assert second.synonyms == (Synonym("Zweiter", "en", "exact"),)
    assert second.parents == ("DOID:1",)


@ontologies
def test_texts_go_to_the_language_given(case: Case, tmp_path):
    graph = case.read(tmp_path, language="de")
    assert {language for node in graph.nodes for language in node.title.languages()} == {"de"}
    assert {synonym.language for node in graph.nodes for synonym in node.synonyms} == {"de"}
    assert graph.snapshot.languages == ("de",)


def _obo(tmp_path, text: str):
    (tmp_path / "x.obo").write_text("format-version: 1.2\n\n" + text, encoding="utf-8")
    return read_graph(tmp_path / "x.obo")


def test_one_bad_clause_costs_only_itself_in_a_long_file(tmp_path):
    terms = [f"[Term]\nid: X:{i}\nname: term {i}\n" for i in range(1200)]
    terms[777] += "is_a: X:1 X:2\nis_a: X:5\n"
    graph = _obo(tmp_path, "\n".join(terms))
    assert len(graph.nodes) == 1200
    assert graph.nodes[777].parents == ("X:5",)
    (entry,) = graph.report.to_dict()["skipped"]
    assert (entry["line"], entry["what"]) == (f"x.obo:{3 + 4 * 777 + 3}", "bad_clause")


def test_a_term_without_a_usable_id_is_left_out(tmp_path):
    graph = _obo(
        tmp_path,
        "[Term]\nname: no id\n\n[Term]\nid: two words\nname: x\n\n[Term]\nname: late\nid: X:1\n\n[Term]\nid: X:2\n",
    )
    assert [(node.id, node.title.best("en")) for node in graph.nodes] == [("X:1", "late")]
    kinds = [(entry["line"], entry["what"]) for entry in graph.report.to_dict()["skipped"]]
    assert kinds == [("x.obo:3", "bad_id"), ("x.obo:6", "bad_id"), ("x.obo:14", "missing_title")]
    assert graph.report.balanced


def test_a_term_that_stands_twice_is_kept_once(tmp_path):
    graph = _obo(tmp_path, "[Term]\nid: X:1\nname: first\n\n[Term]\nid: X:1\nname: second\n")
    assert [node.title.best("en") for node in graph.nodes] == ["first"]
    assert graph.report.to_dict()["skipped"][0]["what"] == "duplicate_id"


def test_an_import_is_not_fetched(tmp_path):
    (tmp_path / "x.obo").write_text(
        "format-version: 1.2\nimport: http://192.0.2.1/x.obo\n\n[Term]\nid: X:1\nname: x\n", encoding="utf-8"
    )
    assert len(read_graph(tmp_path).nodes) == 1


def test_what_a_class_is_follows_from_its_prefix(tmp_path):
    prefixes = ("DOID", "CHEBI", "HGNC", "HP", "X")
    graph = _obo(tmp_path, "\n".join(f"[Term]\nid: {prefix}:1\nname: x\n" for prefix in prefixes))
    assert [node.type for node in graph.nodes] == ["disease", "drug", "biomarker", "diagnosis", "group"]
    assert graph.report.count("no_type") == 1


def test_the_header_names_licence_and_title(tmp_path):
    (tmp_path / "x.obo").write_text(
        "format-version: 1.2\nontology: x\ndata-version: 3.4\n"
        "property_value: http://purl.org/dc/terms/license http://example.org/by/4.0/\n"
        'property_value: http://purl.org/dc/elements/1.1/title "The X" xsd:string\n\n[Term]\nid: X:1\nname: x\n',
        encoding="utf-8",
    )
    snapshot = read_graph(tmp_path).snapshot
    assert (snapshot.title, snapshot.licence) == ("The X", "http://example.org/by/4.0/")
    assert (str(snapshot.key), snapshot.attribution) == ("x@3.4", ("The X, 3.4.",))


def test_languages_of_owl_are_kept_apart(tmp_path):
    label = '<rdfs:label xml:lang="{}">{}</rdfs:label>'
    inside = label.format("de", "Krebs") + label.format("en", "cancer") + label.format("de", "Karzinom")
    inside += '<obo:IAO_0000115 xml:lang="de">Ein Text.</obo:IAO_0000115><rdfs:label xml:lang="?">odd</rdfs:label>'
    (tmp_path / "x.owl").write_text(_owl(("DOID_1", inside)), encoding="utf-8")
    graph = read_graph(tmp_path)
    (node,) = graph.nodes
    assert dict(node.title) == {"de": "Krebs", "en": "cancer"}
    assert node.synonyms == (Synonym("Karzinom", "de", "exact"), Synonym("odd", "en", "exact"))
    assert dict(node.field("Diagnosis")) == {"de": "Ein Text."}
    assert graph.snapshot.languages == ("de", "en")
    assert (graph.report.count("two_labels"), graph.report.count("bad_language")) == (2, 1)


def test_what_rdf_says_in_several_places_is_one_class(tmp_path):
    more = (
        '<rdf:Description rdf:about="http://purl.obolibrary.org/obo/DOID_1">'
        '<rdf:type rdf:resource="http://www.w3.org/2002/07/owl#Class"/>'
        "<oboInOwl:hasDbXref>NCI:C9</oboInOwl:hasDbXref></rdf:Description>"
    )
    (tmp_path / "x.owl").write_text(_owl(("DOID_1", "<rdfs:label>a</rdfs:label>"), more=more), encoding="utf-8")
    graph = read_graph(tmp_path)
    assert [node.codes[1] for node in graph.nodes] == [Code("NCIt", "C9")]
    assert graph.report.count("stated_twice") == 1


def test_a_logical_definition_is_counted(tmp_path):
    texts = {
        "x.obo": "[Term]\nid: X:1\nname: a\nintersection_of: X:1\nintersection_of: part_of X:1\n",
        "x.owl": _owl(("X_1", "<rdfs:label>a</rdfs:label><owl:equivalentClass><owl:Class/></owl:equivalentClass>")),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert read_graph(tmp_path / name).report.count("logical_definition") == 1


def test_a_folder_with_two_ontologies_asks_for_one(tmp_path):
    for name in ("a.obo", "b.obo"):
        OBO.write(tmp_path, {name: OBO.files["small.obo"]})
    with pytest.raises(GraphRefusedError, match=r"each of a\.obo, b\.obo is a graph of its own"):
        read_graph(tmp_path)


@needs_doid
@pytest.mark.parametrize("name", ["DO_cancer_slim.obo", "DO_cancer_slim.json"])
def test_the_cancer_slim_comes_out_in_full(name):
    graph = read_graph(DOID / name)
    report = graph.report
    assert (report.read, report.nodes, report.skipped) == (730, 729, 1)
    assert (report.roots, report.parents, report.links, report.sources) == (75, 657, 0, 894)
    (entry,) = report.to_dict()["skipped"]
    assert entry["what"] == "obsolete"
    assert "'DOID:0080191'" in entry["why"]
    assert "replaced by DOID:0050657" in entry["why"]
    assert report.to_dict()["warnings"].keys() == {"source_without_url"}
    assert str(graph.snapshot.key) == "DO_cancer_slim@2026-07-31"
    assert graph.snapshot.licence == "CC0-1.0"
    nodes = {node.id: node for node in graph.nodes}
    assert sum(len(node.synonyms) for node in graph.nodes) == 1264
    assert {synonym.scope for node in graph.nodes for synonym in node.synonyms} == {
        "exact",
        "narrow",
        "related",
        "broad",
    }
    assert nodes["DOID:0001816"].synonyms == (Synonym("hemangiosarcoma", "en", "exact"),)
    assert Source("pubmed", "23327728") in nodes["DOID:0001816"].sources
    assert nodes["DOID:0060081"].parents == ("DOID:0060080", "DOID:1612")
    assert Code("NCIt", "C9305") in nodes["DOID:162"].codes
    assert Code("SNOMED CT", "269513004") in nodes["DOID:162"].codes


@needs_doid
def test_the_formats_of_the_disease_ontology_give_the_same_graph():
    for name, endings in (("DO_cancer_slim", ("obo", "json")), ("TopNodes_DOcancerslim", ("obo", "json", "owl"))):
        graphs = [read_graph(DOID / f"{name}.{ending}") for ending in endings]
        assert len({graph.snapshot.content_hash for graph in graphs}) == 1
        assert len({graph.snapshot.key for graph in graphs}) == 1
    assert (len(graphs[0].nodes), graphs[0].report.parents, graphs[0].report.roots) == (58, 20, 38)


@needs_doid
@pytest.mark.parametrize("name", ["DO_cancer_slim.obo", "DO_cancer_slim.json", "TopNodes_DOcancerslim.owl"])
def test_pronto_reads_the_same(name):
    pronto = pytest.importorskip("pronto")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ontology = pronto.Ontology(str(DOID / name), import_depth=0)
    # It refuses synonyms of a type that the file does not declare.
    ontology.metadata.synonymtypedefs.add(pronto.SynonymType("OMO:0003012", "acronym"))
    theirs = {term.id: term for term in ontology.terms() if not term.obsolete}
    ours = {node.id: node for node in read_graph(DOID / name).nodes}
    assert ours.keys() == theirs.keys()
    for node_id, term in theirs.items():
        node = ours[node_id]
        assert node.title.get("en") == term.name
        assert node.field("Diagnosis").get("en") == (str(term.definition) if term.definition else None)
        assert set(node.parents) == {above.id for above in term.superclasses(1, with_self=False)}
        assert {(s.text, s.scope) for s in node.synonyms} == {(s.description, s.scope.lower()) for s in term.synonyms}
        codes = {(code_system(x.id.partition(":")[0]), x.id.partition(":")[2]) for x in term.xrefs}
        own = {("DOID", code) for code in (node_id, *term.alternate_ids)}
        theirs_codes = {(s, f"{s}:{c}" if s == "EFO" else c) for s, c in codes} | own
        assert {(code.system, code.code) for code in node.codes} == theirs_codes
