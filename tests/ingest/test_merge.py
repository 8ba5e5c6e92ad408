"""Merging: small graphs by hand, the law that one graph alone stays as it is, and the public graphs."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oncosearch.ingest.mapping import GraphFacts
from oncosearch.ingest.merge import Part, merge, read_sources
from oncosearch.ingest.merge_report import MergeReport
from oncosearch.ingest.recipe import Recipe, RecipeSource, Rule, TitleRule, load_recipe
from oncosearch.model import Code, Link, LocalText, Node, Origin, Snapshot, Source, Synonym
from tests.ingest.graphs import graphs
from tests.paths import ROOT, SHARED_DATA

DOID = Rule(types=("disease",), systems=("DOID",))
ICD = Rule(types=("disease",), systems=("ICD-10-CM", "ICD-10-GM"))
NAMES = Rule(types=("drug",), names=True)
RECIPE = ROOT / "recipes" / "public-oncology.toml"


def disease(node_id: str, *codes: str, parents: tuple[str, ...] = (), type: str = "disease", **titles: str) -> Node:
    """Return a node; codes are given as ``SYSTEM code``."""
    return Node(
        node_id,
        type,
        LocalText.of(titles or {"en": f"Title {node_id}"}),
        codes=tuple(Code(*code.split(" ", 1)) for code in codes),
        parents=parents,
    )


def part(name: str, *nodes: Node, parents: str = "all") -> Part:
    snapshot = Snapshot(
        graph_id=f"graph-{name}",
        snapshot_id="1",
        created="",
        content_hash="",
        node_count=len(nodes),
        languages=("de", "en"),
        licence=f"licence of {name}",
        attribution=(f"made by {name}",),
    )
    return Part(RecipeSource(name, ("x",), parents=parents), snapshot, nodes)


def merged(
    *parts: Part, joins: tuple[Rule, ...] = (DOID,), titles: tuple[TitleRule, ...] = ()
) -> tuple[dict[str, Node], MergeReport]:
    recipe = Recipe(GraphFacts("m"), tuple(p.source for p in parts), joins, titles)
    assembled, report = merge(parts, recipe)
    assert report.balanced
    return {node.id: node for node in assembled.nodes}, report


def whole(name: str, node: str) -> Origin:
    return Origin(f"graph-{name}", node, f"licence of {name}", (f"made by {name}",))


def test_nodes_with_one_code_become_one_and_keep_everything():
    first = disease("a1", "DOID 1", "NCIt C1", en="Lung cancer")
    second = Node(
        "b1",
        "disease",
        LocalText.of({"de": "Lungenkarzinom", "en": "lung  Cancer"}),
        synonyms=(Synonym("LC", "en"), Synonym("LUNG CANCER", "en")),
        fields=(("Diagnosis", LocalText.of({"en": "A cancer."})),),
        codes=(Code("DOID", "1"), Code("UMLS", "U1")),
        sources=(Source("pubmed", "1"),),
    )
    nodes, report = merged(part("a", first), part("b", second))
    assert list(nodes) == ["a1"]
    node = nodes["a1"]
    assert dict(node.title) == {"de": "Lungenkarzinom", "en": "Lung cancer"}
    assert node.synonyms == (Synonym("LC", "en"),)
    assert node.field("Diagnosis").get("en") == "A cancer."
    assert node.codes == (Code("DOID", "1"), Code("NCIt", "C1"), Code("UMLS", "U1"))
    assert node.sources == (Source("pubmed", "1"),)
    assert node.origins == (whole("a", "a1"), whole("b", "b1"))
    assert [(j.id, j.source, j.node, j.by, j.keys) for j in report.joined] == [("a1", "b", "b1", "DOID", ("1",))]
    assert report.conflicts == ()


def test_no_text_is_overwritten_and_every_difference_is_listed():
    first = Node(
        "a1",
        "disease",
        LocalText.of({"de": "Erstes", "en": "First"}),
        fields=(("Diagnosis", LocalText.of({"en": "one"})),),
        codes=(Code("DOID", "1"),),
        sources=(Source("pubmed", "1", evidence_level="A"),),
    )
    second = Node(
        "b1",
        "disease",
        LocalText.of({"de": "Zweites", "en": "First"}),
        fields=(("Diagnosis", LocalText.of({"de": "eins", "en": "two"})),),
        codes=(Code("DOID", "1"),),
        sources=(Source("pubmed", "1", year=2020, evidence_level="B"),),
    )
    nodes, report = merged(part("a", first), part("b", second))
    assert nodes["a1"].title == first.title
    assert nodes["a1"].synonyms == (Synonym("Zweites", "de", "exact"),)
    assert dict(nodes["a1"].field("Diagnosis")) == {"de": "eins", "en": "one"}
    assert nodes["a1"].sources == (Source("pubmed", "1", year=2020, evidence_level="A"),)
    assert [(c.part, c.kept, c.kept_from, c.left_out, c.left_out_from) for c in report.conflicts] == [
        ("title.de", "Erstes", "a", "Zweites", "b"),
        ("fields.Diagnosis.en", "one", "a", "two", "b"),
        ("sources.pubmed 1.evidence_level", "A", "a", "B", "b"),
    ]


def test_the_order_of_the_recipe_decides():
    one, other = part("a", disease("a1", "DOID 1", en="A")), part("b", disease("b1", "DOID 1", en="B"))
    assert merged(one, other)[0]["a1"].title.get("en") == "A"
    assert merged(other, one)[0]["b1"].title.get("en") == "B"


def test_a_code_of_two_nodes_joins_none():
    left = part("a", disease("a1", "DOID 1"), disease("a2", "DOID 1"), disease("a3", "DOID 3"))
    right = part("b", disease("b1", "DOID 1"), disease("b3", "DOID 3"))
    nodes, report = merged(left, right)
    assert list(nodes) == ["a1", "a2", "a3", "b1"]
    assert [(source, a.by, a.keys, a.left, a.right) for source, a in report.apart] == [
        ("b", "DOID", ("1",), ("a1", "a2"), ("b1",))
    ]


def test_a_node_with_the_codes_of_two_joins_none():
    nodes, report = merged(
        part("a", disease("a1", "DOID 1", "DOID 2")), part("b", disease("b1", "DOID 1"), disease("b2", "DOID 2"))
    )
    assert list(nodes) == ["a1", "b1", "b2"]
    assert report.apart[0][1].right == ("b1", "b2")


def test_a_later_rule_settles_what_an_earlier_one_left_open():
    umls = Rule(types=("disease",), systems=("UMLS",))
    nodes, report = merged(
        part("a", disease("a1", "DOID 1", "UMLS U1"), disease("a2", "DOID 1")),
        part("b", disease("b1", "DOID 1", "UMLS U1")),
        joins=(DOID, umls),
    )
    assert list(nodes) == ["a1", "a2"]
    assert (report.joined[0].by, report.apart) == ("UMLS", ())


def test_codes_that_disagree_are_a_conflict():
    umls = Rule(types=("disease",), systems=("UMLS",))
    _, report = merged(
        part("a", disease("a1", "DOID 1"), disease("a2", "UMLS U2")),
        part("b", disease("b1", "DOID 1", "UMLS U2")),
        joins=(DOID, umls),
    )
    assert [(c.id, c.left_out) for c in report.conflicts if c.part == "join UMLS"] == [("a1", "a2 (U2)")]


def test_only_the_types_and_systems_of_the_rule_join():
    nodes, _ = merged(
        part("a", disease("a1", "DOID 1", type="group"), disease("a2", "NCIt 2"), disease("a3", "DOID 3")),
        part("b", disease("b1", "DOID 1", type="group"), disease("b2", "NCIt 2"), disease("b3", "DOID 3", type="drug")),
    )
    assert len(nodes) == 6


def test_a_rule_keeps_named_nodes_apart():
    rule = Rule(types=("disease",), systems=("DOID",), apart=frozenset({"a1"}))
    nodes, _ = merged(part("a", disease("a1", "DOID 1")), part("b", disease("b1", "DOID 1")), joins=(rule,))
    assert len(nodes) == 2


def test_drugs_join_by_name_in_any_language_and_case():
    osimertinib = Node("b1", "drug", LocalText.of({"en": "AZD9291"}), synonyms=(Synonym("OSIMERTINIB", "en"),))
    narrower = Node("b2", "drug", LocalText.of({"en": "Mix"}), synonyms=(Synonym("Cisplatin", "en", "related"),))
    nodes, report = merged(
        part("a", disease("a1", type="drug", de="Osimertinib"), disease("a2", type="drug", de="Cisplatin")),
        part("b", osimertinib, narrower),
        joins=(NAMES,),
    )
    assert list(nodes) == ["a1", "a2", "b2"]
    assert report.joined[0].keys == ("osimertinib",)


def test_parents_and_links_lead_to_the_joined_nodes():
    left = part("a", disease("a1", "DOID 1"), disease("a2", "DOID 2", parents=("a1",)))
    drug = Node("d", "drug", LocalText.of({"de": "D"}), links=(Link("b2", "treats"), Link("b3", "treats")))
    right = part(
        "b", disease("b1", "DOID 1"), disease("b2", "DOID 2", parents=("b1",)), disease("b3", parents=("b2",)), drug
    )
    nodes, _ = merged(left, right)
    assert nodes["a2"].parents == ("a1",)
    assert nodes["b3"].parents == ("a2",)
    assert nodes["d"].links == (Link("a2", "treats"), Link("b3", "treats"))


def test_a_circle_is_avoided_by_leaving_out_the_edge_of_the_later_source():
    left = part("a", disease("a1", "DOID 1"), disease("a2", "DOID 2", parents=("a1",)))
    right = part("b", disease("b2", "DOID 2"), disease("b9", parents=("b2",)), disease("b1", "DOID 1", parents=("b9",)))
    nodes, report = merged(left, right)
    assert (nodes["a1"].parents, nodes["a2"].parents, nodes["b9"].parents) == ((), ("a1",), ("a2",))
    assert [(x.kind, x.id, x.other, x.source) for x in report.left_out] == [("cycle", "b1", "b9", "b")]


def test_the_parents_of_a_flat_list_count_only_for_nodes_that_it_alone_has():
    left = part("a", disease("a1", "DOID 1"))
    flat = (disease("list", type="group"), disease("b1", "DOID 1", parents=("list",)), disease("b2", parents=("list",)))
    nodes, _ = merged(left, part("b", *flat, parents="alone"))
    assert (nodes["a1"].parents, nodes["b2"].parents) == ((), ("list",))
    nodes, _ = merged(left, part("b", *flat))
    assert nodes["a1"].parents == ("list",)


def test_one_id_for_two_things_is_told_apart():
    left = part("a", disease("x", "DOID 1"), disease("b:x"))
    right = part("b", disease("x", "DOID 2"), disease("y", parents=("x",)))
    nodes, report = merged(left, right)
    assert list(nodes) == ["x", "b:x", "b:x#2", "y"]
    assert nodes["y"].parents == ("b:x#2",)
    assert [(x.kind, x.id, x.other) for x in report.left_out] == [("renamed", "x", "b:x#2")]


def icd_titles(**more: object) -> TitleRule:
    rule = Rule(types=("disease",), systems=("ICD-10-CM", "ICD-10-GM"), widest=True)
    return TitleRule(**{"rule": rule, "source": "icd", "language": "de", **more})  # type: ignore[arg-type]


ICD_PART = part(
    "icd",
    disease("i16", "ICD-10-GM C16", de="Magen"),
    disease("i162", "ICD-10-GM C16.2", de="Corpus", parents=("i16",)),
    disease("i341", "ICD-10-GM C34.1", de="Oberlappen"),
    disease("i342", "ICD-10-GM C34.2", de="Mittellappen"),
    disease("i859", "ICD-10-GM C85.9", de="Lymphom"),
    disease("i50", "ICD-10-GM C50", de="Mamma o.n.A. C50.-"),
)


def test_titles_come_by_code_where_the_code_means_one_disease():
    left = part(
        "a",
        disease("stomach", "ICD-10-CM C16", "ICD-10-CM C16.2"),
        disease("lung", "ICD-10-CM C34.1", "ICD-10-CM C34.2"),
        disease("nhl", "ICD-10-CM C85.9"),
        disease("lymphoma", "ICD-10-CM C85.9"),
        disease("breast", "ICD-10-CM C50", de="Mammakarzinom"),
    )
    strip = load_recipe(RECIPE).titles[0].strip
    nodes, report = merged(left, ICD_PART, joins=(), titles=(icd_titles(strip=strip, link="related_to"),))
    assert len(nodes) == 11
    assert nodes["stomach"].title.get("de") == "Magen"
    assert nodes["stomach"].links == (Link("i16", "related_to"),)
    assert nodes["stomach"].origins == (
        whole("a", "stomach"),
        Origin("graph-icd", "i16", "licence of icd", ("made by icd",), "title.de"),
    )
    # One disease with several codes, or several with one, get none: the code says more or less than the disease.
    assert [nodes[i].title.get("de") for i in ("lung", "nhl", "lymphoma")] == [None, None, None]
    assert {a.left for _, a in report.apart} == {("lung",), ("nhl", "lymphoma")}
    assert nodes["breast"].title.get("de") == "Mammakarzinom"
    assert nodes["breast"].synonyms == (Synonym("Mamma", "de", "related"),)
    assert [(c.kept, c.kept_from, c.left_out) for c in report.conflicts] == [("Mammakarzinom", "a", "Mamma")]
    assert [(t.id, t.text, t.as_synonym) for t in report.titles] == [
        ("stomach", "Magen", False),
        ("breast", "Mamma", True),
    ]


def test_a_title_that_names_no_single_disease_is_refused():
    left = part("a", disease("nhl", "ICD-10-CM C85.9"))
    nodes, report = merged(left, ICD_PART, joins=(), titles=(icd_titles(unless=re.compile("^Lymph")),))
    assert nodes["nhl"] == Node(
        "nhl", "disease", LocalText.of({"en": "Title nhl"}), codes=left.nodes[0].codes, origins=(whole("a", "nhl"),)
    )
    assert [(x.kind, x.id, x.other) for x in report.left_out] == [("title_refused", "nhl", "i859")]


def test_icd_10_joins_only_where_the_code_links_one_node_on_each_side():
    left = part(
        "a", disease("nhl", "ICD-10-CM C85.9"), disease("other", "ICD-10-CM C85.9"), disease("breast", "ICD-10-CM C50")
    )
    nodes, _ = merged(left, ICD_PART, joins=(ICD,))
    assert nodes["breast"].title.get("de") == "Mamma o.n.A. C50.-"
    assert "i859" in nodes
    assert "i50" not in nodes


@settings(deadline=None)
@given(graphs())
def test_one_graph_alone_stays_as_it_is(nodes):
    rules = tuple(Rule(types=(kind,), names=True) for kind in ("disease", "drug"))
    alone, report = merged(part("a", *nodes), joins=rules)
    assert [replace(n, origins=()) for n in alone.values()] == [replace(n, origins=()) for n in nodes]
    for before, after in zip(nodes, alone.values(), strict=True):
        assert after.origins == (tuple(dict.fromkeys(before.origins)) or (whole("a", before.id),))
    assert (report.joined, report.apart, report.conflicts, report.left_out) == ((), (), (), ())


@st.composite
def crossing(draw: st.DrawFn) -> tuple[Node, ...]:
    """Draw a small graph whose few codes and ids stand in other such graphs as well; its hierarchy has no circle."""
    ids = draw(st.permutations(["n0", "n1", "n2", "n3", "n4"]))
    nodes = []
    for place, node_id in enumerate(ids):
        codes = draw(st.sets(st.sampled_from(["DOID 1", "DOID 2", "DOID 3", "DOID 4", "UMLS 5"]), max_size=2))
        above = draw(st.sets(st.sampled_from(ids[:place]), max_size=2)) if place else set()
        node = disease(node_id, *sorted(codes), parents=tuple(sorted(above)), de=draw(st.sampled_from("ABCDE")))
        targets = draw(st.sets(st.sampled_from([other for other in ids if other != node_id]), max_size=2))
        nodes.append(replace(node, links=tuple(Link(target, "related_to") for target in sorted(targets))))
    return tuple(nodes)


@settings(deadline=None, max_examples=100)
@given(st.tuples(crossing(), crossing(), crossing()))
def test_whatever_is_merged_loses_no_node_and_no_title_and_closes_no_circle(three):
    rules = (DOID, Rule(types=("disease",), systems=("UMLS",)))
    parts = [part(name, *nodes) for name, nodes in zip("abc", three, strict=True)]
    # A circle, a dangling reference or an id that stands twice would be refused here.
    nodes, report = merged(*parts, joins=rules)
    assert merged(*parts, joins=rules) == (nodes, report)
    assert len(nodes) + len(report.joined) == 15
    for node in nodes.values():
        members = {(o.graph, o.node) for o in node.origins}
        assert len({graph for graph, _ in members}) == len(members)
        assert node.id not in (*node.parents, *(link.target for link in node.links))
        names = {text for _, text in node.title} | {s.text for s in node.synonyms}
        given_titles = {n.title.get("de") for p in parts for n in p.nodes if (p.snapshot.graph_id, n.id) in members}
        assert names == given_titles
    # Edges are only ever taken out for a circle.
    edges = {(up, n.id) for n in nodes.values() for up in n.parents}
    home = {(o.graph, o.node): n.id for n in nodes.values() for o in n.origins}
    dropped = {(x.source, x.other, x.id) for x in report.left_out if x.kind == "cycle"}
    for p in parts:
        for node in p.nodes:
            for up in node.parents:
                kept = (home[p.snapshot.graph_id, up], home[p.snapshot.graph_id, node.id]) in edges
                assert kept or (p.source.name, up, node.id) in dropped


@pytest.fixture(scope="module")
def public() -> tuple[dict[str, Node], MergeReport, float]:
    if SHARED_DATA is None:
        pytest.skip("the public graphs are not on this machine")
    start = time.monotonic()
    recipe = load_recipe(RECIPE)
    assembled, report = merge(read_sources(recipe, SHARED_DATA), recipe)
    return {node.id: node for node in assembled.nodes}, report, time.monotonic() - start


def test_the_public_graphs_become_one(public):
    nodes, report, seconds = public
    assert report.balanced
    assert len(nodes) == 11_670
    assert [(s.name, s.nodes, s.joined) for s in report.sources] == [
        ("doid", 729, 0),
        ("oncotree", 898, 203),
        ("civic", 6515, 215),
        ("rki", 4085, 139),
    ]
    assert seconds < 60
    # OncoTree has an entry "malignant tumour" of the brain with the code of cancer.
    assert nodes["DOID:162"].parents == ()


def test_diseases_of_civic_get_german_titles_by_code(public):
    nodes, report, _ = public
    by_code = {t.id for t in report.titles if not t.as_synonym}
    of_civic = {n.id for n in nodes.values() if n.type == "disease" and any(o.graph == "civic" for o in n.origins)}
    assert len(by_code & of_civic) >= 40
    assert nodes["DOID:684"].title.get("de") == "Hepatozelluläres Karzinom"
    assert nodes["DOID:219"].title.get("de") == "Bösartige Neubildung des Kolons"
    # Three lobes are not the lung; and nothing of CIViC's own is overwritten.
    assert nodes["DOID:1324"].title.get("de") == "Lungenkarzinom"
    assert nodes["DOID:1612"].title.get("de") == "Mammakarzinom"


def test_a_joined_disease_says_where_it_comes_from(public):
    origins = public[0]["DOID:3908"].origins
    assert [(o.graph, o.node, o.licence) for o in origins] == [
        ("DO_cancer_slim", "DOID:3908", "CC0-1.0"),
        ("oncotree", "oncotree:NSCLC", "CC-BY-4.0"),
        ("civic", "civic:disease:doid:3908", "CC0-1.0"),
    ]
    assert all(o.attribution for o in origins)


def test_the_public_recipe_reads_only_what_it_names():
    names = {source.name: source.paths for source in load_recipe(RECIPE).sources}
    assert list(names) == ["doid", "oncotree", "civic", "rki"]
    assert all(not Path(path).is_absolute() for paths in names.values() for path in paths)


def test_names_of_the_recipe_that_no_source_has_are_listed():
    rule = replace(DOID, apart=frozenset({"a1", "b1", "DIOD:7"}))
    names = replace(NAMES, apart=frozenset({"DIOD:7"}))
    titles = TitleRule(Rule(types=("disease",), systems=("DOID", "ICD10")), "b", "de")
    parts = (part("a", disease("a1", "DOID 1")), part("b", disease("b1", "DOID 2")))
    _, report = merged(*parts, joins=(rule, names), titles=(titles,))
    assert [(x.where, x.name) for x in report.unknown] == [("apart", "DIOD:7"), ("titles 1, codes", "ICD10")]
    assert report.to_dict()["unknown"][0] == {"where": "apart", "name": "DIOD:7"}
    lines = report.text().splitlines()
    at = lines.index("warning: the recipe names 2 ids or codes that no source has")
    assert lines[at + 1 : at + 3] == ["  apart: DIOD:7", "  titles 1, codes: ICD10"]
    _, report = merged(*parts)
    assert (report.unknown, "no source has" in report.text()) == ((), False)
