"""The demo graph as it is shipped: what it must hold, and that every fact in it can be traced to where it came from."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from oncosearch.ingest import read_graph
from oncosearch.workspace.topics import read_topics
from tests.paths import ROOT, SHARED_DATA, SHARED_FACTS

DEMO = ROOT / "data" / "demo"
NODES: list[dict[str, Any]] = [
    json.loads(line) for line in (DEMO / "nodes.jsonl").read_text(encoding="utf-8").splitlines()
]
BY_ID = {node["id"]: node for node in NODES}
LANGUAGES = ("de", "en")
SOURCED_TYPES = ("therapy", "biomarker", "evidence", "supportive_care", "contraindication")
# Where a field says what to give or how much, the node must name where that comes from, whatever its type.
SOURCED_FIELDS = ("Therapy", "Dosage")

needs_facts = pytest.mark.skipif(SHARED_FACTS is None, reason="the folder of public facts (SHARED_FACTS) is not here")
needs_rki = pytest.mark.skipif(
    SHARED_DATA is None or not (SHARED_DATA / "rki").is_dir(),
    reason="the public code lists of the Robert Koch Institute (SHARED_DATA/rki) are not here",
)

Node = dict[str, Any]


def _table(path: Path, delimiter: str) -> list[dict[str, str]]:
    # The tab-separated tables are written without quoting: a quotation mark there is a character like any other.
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, quoting=quoting))


def _sources(nodes: Iterable[Node], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for node in nodes:
        for source in node.get("sources", []):
            if source["kind"] == kind:
                yield node["id"], source


def unknown_pmids(nodes: Iterable[Node], known: set[str]) -> list[tuple[str, str]]:
    """Return (node id, PubMed id) of every cited PubMed id that is not among the known ones."""
    return [(node, source["id"]) for node, source in _sources(nodes, "pubmed") if source["id"] not in known]


def unknown_addresses(nodes: Iterable[Node], known: set[str]) -> list[tuple[str, str | None]]:
    """Return (node id, address) of every cited guideline whose address is missing or not among the known ones."""
    return [
        (node, source.get("url")) for node, source in _sources(nodes, "guideline") if source.get("url") not in known
    ]


def unknown_codes(nodes: Iterable[Node], known: dict[str, set[str]]) -> list[tuple[str, str, str]]:
    """Return (node id, system, code) of every code that does not stand in the list of its system."""
    return [
        (node["id"], code["system"], code["code"])
        for node in nodes
        for code in node.get("codes", [])
        if code["code"] not in known.get(code["system"], set())
    ]


def free_texts(node: Node) -> Iterator[str]:
    """Yield every text a reader sees of a node: titles, synonyms, fields and the titles of its sources."""
    yield from node["title"].values()
    yield from (synonym["text"] for synonym in node.get("synonyms", []))
    for texts in node.get("fields", {}).values():
        yield from texts.values()
    yield from (source.get("title", "") for source in node.get("sources", []))


def pmids_in_text(node: Node) -> list[str]:
    """Return the numbers in the free text that look like a PubMed id (seven or eight digits, or marked as one)."""
    return [found for text in free_texts(node) for found in re.findall(r"PMID:?\s*\d+|(?<!\d)\d{7,8}(?!\d)", text)]


def without_source(nodes: Iterable[Node]) -> list[str]:
    """Return the ids of nodes that state a therapy, a dose or evidence and cite nothing."""
    return [
        node["id"]
        for node in nodes
        if (node["type"] in SOURCED_TYPES or (node["type"] != "group" and set(SOURCED_FIELDS) & set(node["fields"])))
        and not node.get("sources")
    ]


def depth(node_id: str, nodes: dict[str, Node]) -> int:
    """Return the number of levels from a root down to the node, along the longest path; a root has 1."""
    return 1 + max((depth(parent, nodes) for parent in nodes[node_id]["parents"]), default=0)


def ancestors(node_id: str, nodes: dict[str, Node]) -> set[str]:
    """Return all ancestors of a node, without itself."""
    parents = set(nodes[node_id]["parents"])
    return parents.union(*(ancestors(parent, nodes) for parent in parents))


def linked_types(kind: str) -> set[tuple[str, str]]:
    """Return the pairs of node types that links of this kind join."""
    return {
        (node["type"], BY_ID[link["target"]]["type"])
        for node in NODES
        for link in node.get("links", [])
        if link["kind"] == kind
    }


def link_count(source_type: str, kind: str, target_type: str) -> int:
    """Return how many links of a kind lead from one node type to another."""
    return sum(
        link["kind"] == kind and BY_ID[link["target"]]["type"] == target_type
        for node in NODES
        if node["type"] == source_type
        for link in node.get("links", [])
    )


# --- size, languages, structure


def test_ingest_accepts_it_with_nothing_to_report() -> None:
    graph = read_graph(DEMO)
    assert graph.report.errors == 0
    assert graph.report.problems == ()
    assert (graph.report.read, graph.report.nodes) == (len(NODES), len(NODES))
    assert graph.snapshot.demo
    assert graph.snapshot.languages == LANGUAGES


def test_there_are_enough_nodes() -> None:
    assert len(NODES) >= 250
    assert len(BY_ID) == len(NODES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_node_has_a_title_and_every_field_a_text(language: str) -> None:
    assert [n["id"] for n in NODES if not n["title"].get(language, "").strip()] == []
    lacking = [
        (n["id"], field) for n in NODES for field, texts in n["fields"].items() if not texts.get(language, "").strip()
    ]
    assert lacking == []


def test_every_node_has_a_field_in_both_languages() -> None:
    assert [n["id"] for n in NODES if not any(set(LANGUAGES) <= set(texts) for texts in n["fields"].values())] == []


def test_both_languages_of_a_field_differ() -> None:
    same = [(n["id"], f) for n in NODES for f, t in n["fields"].items() if t["de"] == t["en"]]
    assert same == []


def test_it_is_at_least_four_levels_deep_in_every_tumour_root() -> None:
    deepest: dict[str, int] = {}
    for node_id in BY_ID:
        for root in ancestors(node_id, BY_ID):
            if not BY_ID[root]["parents"]:
                deepest[root] = max(deepest.get(root, 0), depth(node_id, BY_ID))
    assert {root: levels for root, levels in deepest.items() if levels < 4}.keys() <= {
        "grp-drugs",
        "grp-contra",
        "grp-procedures",
    }
    assert min(deepest["grp-solid"], deepest["grp-haem-mal"], deepest["grp-supportive"]) >= 4


def test_some_nodes_have_several_parents_and_none_lists_an_ancestor_twice() -> None:
    several = [n for n in NODES if len(n["parents"]) > 1]
    assert len(several) >= 20
    redundant = [
        (node["id"], parent)
        for node in several
        for parent in node["parents"]
        if any(parent in ancestors(other, BY_ID) for other in node["parents"] if other != parent)
    ]
    assert redundant == []


ENTITIES = (
    # solid tumours
    *("Mammakarzinom", "Lungenkarzinom", "Kolorektales Karzinom", "Prostatakarzinom", "Magenkarzinom"),
    *("Pankreaskarzinom", "Ovarialkarzinom", "Malignes Melanom", "Nierenzellkarzinom", "Harnblasenkrebs"),
    # malignant haematology
    *("AML", "CML", "CLL", "DLBCL", "Hodgkin-Lymphom", "Multiples Myelom"),
)
BENIGN = ("ITP", "Eisenmangelanämie", "Sichelzellkrankheit", "Beta-Thalassämie", "Hämophilie A und B", "TTP", "PNH")
SUPPORTIVE = ("Febrile Neutropenie", "Erbrechen", "Tumorschmerz", "VTE", "Mangelernährung")


def _named(name: str, node_type: str) -> list[Node]:
    return [
        n
        for n in NODES
        if n["type"] == node_type
        and name in (n["title"]["de"], *(s["text"] for s in n.get("synonyms", []) if s["scope"] == "exact"))
    ]


@pytest.mark.parametrize(
    ("name", "node_type", "root"),
    [(name, "disease", "grp-solid") for name in ENTITIES[:10]]
    + [(name, "disease", "grp-haem-mal") for name in ENTITIES[10:]]
    + [(name, "disease", "grp-haem-ben") for name in BENIGN]
    + [(name, "supportive_care", "grp-supportive") for name in SUPPORTIVE],
)
def test_the_entities_it_promises_are_there(name: str, node_type: str, root: str) -> None:
    (node,) = _named(name, node_type)
    assert root in ancestors(node["id"], BY_ID)
    assert any(node["id"] in ancestors(other, BY_ID) for other in BY_ID), "it stands alone, with nothing below it"


def test_at_least_five_benign_entities() -> None:
    benign = [n for n in NODES if n["type"] == "disease" and "grp-haem-ben" in ancestors(n["id"], BY_ID)]
    assert len(benign) >= 5


# --- cross-links


@pytest.mark.parametrize(
    ("source_type", "kind", "target_type", "at_least"),
    [
        ("therapy", "requires_biomarker", "biomarker", 30),
        ("therapy", "contraindicated_with", "contraindication", 50),
        ("drug", "interacts_with", "drug", 20),
        ("disease", "supportive_care", "supportive_care", 30),
    ],
)
def test_the_four_cross_links_are_there_in_number(source_type: str, kind: str, target_type: str, at_least: int) -> None:
    assert link_count(source_type, kind, target_type) >= at_least


def test_an_interaction_is_told_at_both_drugs() -> None:
    pairs = {
        (n["id"], link["target"]) for n in NODES for link in n.get("links", []) if link["kind"] == "interacts_with"
    }
    assert {pair for pair in pairs if pair[::-1] not in pairs} == set()
    assert {drug for pair in pairs for drug in pair if "Interactions" not in BY_ID[drug]["fields"]} == set()


@pytest.mark.parametrize(
    ("kind", "pairs"),
    [
        ("treats", {("therapy", "disease"), ("therapy", "diagnosis")}),
        ("uses_drug", {("therapy", "drug")}),
        ("requires_biomarker", {("therapy", "biomarker")}),
        ("interacts_with", {("drug", "drug")}),
        ("staged_by", {("disease", "staging")}),
        ("described_in", {("disease", "document")}),
    ],
)
def test_a_link_kind_joins_only_the_types_it_is_meant_for(kind: str, pairs: set[tuple[str, str]]) -> None:
    assert linked_types(kind) == pairs


# --- sources and codes


def test_therapies_biomarkers_and_evidence_cite_a_source() -> None:
    assert without_source(NODES) == []


def test_a_therapy_text_without_source_is_found() -> None:
    drug = {"id": "d", "type": "drug", "fields": {"Dosage": {"de": "1 mg"}}}
    assert without_source([drug, {**drug, "id": "e", "sources": [{"kind": "pubmed", "id": "1"}]}]) == ["d"]
    assert without_source([{"id": "b", "type": "biomarker", "fields": {}, "sources": []}]) == ["b"]


def test_sources_of_one_id_are_always_named_alike() -> None:
    seen: dict[tuple[str, str], set[tuple[Any, ...]]] = {}
    for node in NODES:
        for s in node.get("sources", []):
            seen.setdefault((s["kind"], s["id"]), set()).add((s["title"], s.get("year"), s.get("url")))
    assert {key: names for key, names in seen.items() if len(names) > 1} == {}


def test_no_pubmed_id_stands_in_free_text() -> None:
    assert [(n["id"], pmids_in_text(n)) for n in NODES if pmids_in_text(n)] == []


@pytest.mark.parametrize("text", ["siehe PMID 29151359", "(29151359)", "PMID:123"])
def test_a_pubmed_id_in_free_text_is_found(text: str) -> None:
    assert pmids_in_text({"title": {"de": "x"}, "fields": {"Evidence": {"de": text}}})


def _known_pmids(facts: Path) -> set[str]:
    return {
        row["pmid"]
        for name in ("pubmed.tsv", "predictive_evidence.tsv", "landmark_papers.tsv")
        for row in _table(facts / name, "\t")
    }


@needs_facts
def test_every_pubmed_id_is_a_known_one() -> None:
    assert SHARED_FACTS is not None
    known = _known_pmids(SHARED_FACTS)
    assert len(known) > 1000
    assert unknown_pmids(NODES, known) == []


def test_a_made_up_pubmed_id_is_found() -> None:
    def cited(pmid: str) -> Node:
        return {"id": f"n{pmid}", "sources": [{"kind": "pubmed", "id": pmid}]}

    assert unknown_pmids([cited("29151359"), cited("99999999")], {"29151359"}) == [("n99999999", "99999999")]


@needs_facts
def test_a_made_up_pubmed_id_in_the_demo_itself_is_found() -> None:
    assert SHARED_FACTS is not None
    forged = {**NODES[-1], "sources": [{"kind": "pubmed", "id": "99999999"}]}
    assert unknown_pmids([*NODES[:-1], forged], _known_pmids(SHARED_FACTS)) == [(NODES[-1]["id"], "99999999")]


@needs_facts
def test_every_guideline_is_a_known_one_by_address_title_and_version() -> None:
    assert SHARED_FACTS is not None
    rows = _table(SHARED_FACTS / "guidelines.tsv", "\t")
    assert unknown_addresses(NODES, {row["url"] for row in rows}) == []
    wrong = []
    for node_id, source in _sources(NODES, "guideline"):
        titles = []
        for row in rows:
            if row["url"] == source["url"]:
                unsure = row["certainty"] != "title, version and address seen"
                mark = " (Version nicht bestätigt)" if unsure else ""
                bare = f"{row['society']}, {row['title']}"
                # Where the table knows no version in force, the title names none.
                titles += [f"{bare}, {row['version']}{mark}", *([f"{bare}{mark}"] if unsure else [])]
        if source["title"] not in titles:
            wrong.append((node_id, source["title"]))
    assert wrong == []


def test_an_unknown_or_missing_guideline_address_is_found() -> None:
    sources = [{"kind": "guideline", "id": "a", "url": "https://example.org/a"}, {"kind": "guideline", "id": "b"}]
    assert unknown_addresses([{"id": "n", "sources": sources}], {"https://example.org/b"}) == [
        ("n", "https://example.org/a"),
        ("n", None),
    ]


@needs_facts
def test_an_evidence_level_is_that_of_the_table() -> None:
    assert SHARED_FACTS is not None
    rated = {(row["pmid"], row["level"]) for row in _table(SHARED_FACTS / "predictive_evidence.tsv", "\t")}
    given = {(s["id"], s["evidence_level"]) for _, s in _sources(NODES, "pubmed") if "evidence_level" in s}
    assert given
    assert given - rated == set()


def _known_codes(data: Path) -> dict[str, set[str]]:
    return {
        "ICD-10-GM": {row["code"] for row in _table(data / "rki" / "icd10.csv", ";")},
        "ATC": {row["Code"] for row in _table(data / "rki" / "substanz.csv", ";")} - {""},
    }


@needs_rki
def test_every_code_stands_in_the_lists_of_the_registry() -> None:
    assert SHARED_DATA is not None
    known = _known_codes(SHARED_DATA)
    assert unknown_codes(NODES, known) == []
    assert unknown_codes([{"id": "n", "codes": [{"system": "ATC", "code": "L99ZZ99"}]}], known) != []
    assert unknown_codes([{"id": "n", "codes": [{"system": "ICD", "code": "C50.9"}]}], known) != []


@needs_rki
def test_the_atc_code_of_a_drug_is_that_of_its_name() -> None:
    assert SHARED_DATA is not None
    names: dict[str, set[str]] = {}
    for row in _table(SHARED_DATA / "rki" / "substanz.csv", ";"):
        names.setdefault(row["Code"], set()).add(row["Substanz"].casefold())
    wrong = [
        (node["id"], code["code"])
        for node in NODES
        if node["type"] == "drug"
        for code in node.get("codes", [])
        if not any(name in node["title"]["de"].casefold() for name in names.get(code["code"], ()))
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("code", "node_id"), [("C50.9", "disease-mammakarzinom"), ("L01EB04", "drug-osimertinib"), ("C92.1", "disease-cml")]
)
def test_a_code_leads_to_one_node(code: str, node_id: str) -> None:
    assert [n["id"] for n in NODES if code in [c["code"] for c in n.get("codes", [])]] == [node_id]


# --- names


def test_no_exact_name_is_shared_by_two_nodes() -> None:
    owners: dict[str, set[str]] = {}
    for node in NODES:
        exact = [s["text"] for s in node.get("synonyms", []) if s["scope"] == "exact"]
        for name in (*node["title"].values(), *exact):
            owners.setdefault(name.casefold(), set()).add(node["id"])
    assert {name: nodes for name, nodes in owners.items() if len(nodes) > 1} == {}


# --- topics


def _topic_rows() -> Sequence[str]:
    return (DEMO / "topics.tsv").read_text(encoding="utf-8").splitlines()


def test_forty_well_formed_topics() -> None:
    rows = [row.split("\t") for row in _topic_rows()]
    assert all(len(row) == 2 and row[1] == row[1].strip() != "" for row in rows)
    assert [row[0] for row in rows] == [f"T{number:02d}" for number in range(1, 41)]
    assert len({row[1].casefold() for row in rows}) == 40
    assert "Osimertinib bei EGFR Exon 19 Deletion" in {row[1] for row in rows}


def test_the_topics_are_read_as_they_are_run() -> None:
    assert [f"{topic.id}\t{topic.query}" for topic in read_topics(DEMO / "topics.tsv")] == list(_topic_rows())
