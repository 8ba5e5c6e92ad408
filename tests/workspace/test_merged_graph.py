"""The public oncology graph, assembled and asked in German."""

import pytest

from oncosearch.ingest.merge import merge, read_sources
from oncosearch.ingest.recipe import load_recipe
from oncosearch.workspace import SearchRequest
from tests.paths import ROOT, SHARED_DATA
from tests.workspace.homes import opened, silent


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    if SHARED_DATA is None:
        pytest.skip("the public graphs are not on this machine")
    recipe = load_recipe(ROOT / "recipes" / "public-oncology.toml")
    graph, _ = merge(read_sources(recipe, SHARED_DATA), recipe)
    with opened(tmp_path_factory.mktemp("public") / "home", audit=False) as workspace:
        workspace.store.write_snapshot(graph.snapshot, graph.nodes)
        workspace.prepare(graph.snapshot.key, None, silent)
        yield workspace, graph.snapshot.key


@pytest.mark.parametrize(
    "question",
    [
        "Osimertinib bei Lungenadenokarzinom mit EGFR-Mutation",
        "Wirkt Osimertinib beim Adenokarzinom der Lunge mit EGFR T790M?",
    ],
)
def test_german_questions_find_the_evidence_for_osimertinib(public, question):
    workspace, key = public
    answer = workspace.search(SearchRequest(question, key, pipeline="lexical", top=10), "de")
    osimertinib = next(i for i, title in workspace.suggest(key, "osimertinib", "de", 1))
    found = [
        detail
        for detail in answer.details
        if detail.node.type == "evidence"
        and {("about_disease", "DOID:3910"), ("about_drug", osimertinib)}
        <= {(x.kind, x.target) for x in detail.node.links}
    ]
    assert found
    assert all("EGFR" in detail.title for detail in found)
    assert all(any(s.source.kind == "pubmed" and s.address for s in detail.sources) for detail in found)


def test_the_disease_of_the_evidence_lies_in_both_hierarchies(public):
    workspace, key = public
    paths, _ = workspace.paths(key, "DOID:3908", "de")
    assert {path[0].node_id for path in paths} == {"DOID:162", "oncotree:TISSUE"}
    steps = {step.node_id: step for path in paths for step in path}
    # "Krebserkrankung" is CIViC's; the tissue has an English title only, and says so.
    assert (steps["DOID:162"].title, steps["DOID:162"].language) == ("Krebserkrankung", "de")
    assert steps["oncotree:LUNG"].language == "en"
