"""CIViC tables: a handmade folder for every rule, and the real tables where they are present."""

import gzip
from pathlib import Path

import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.ingest.civic import name_ids, split_drugs
from oncosearch.ingest.civic_tables import ASSERTIONS, DRUGS, EVIDENCE, GENES, VARIANT_GROUPS, VARIANTS
from oncosearch.ingest.civic_terms import drug_name, variant_name
from oncosearch.model import Code, Link, Source, Synonym
from tests.paths import SHARED_DATA

CIVIC = SHARED_DATA / "civic" if SHARED_DATA else None
needs_civic = pytest.mark.skipif(
    CIVIC is None or not CIVIC.is_dir(), reason="the CIViC tables are not on this machine (ONCOSEARCH_TEST_DATA)"
)


def _evidence(number: str, **cells: str) -> dict[str, str]:
    return {
        "evidence_id": number,
        "variant_id": "34",
        "gene": "EGFR",
        "variant": "T790M",
        "disease": "Lung Non-small Cell Carcinoma",
        "doid": "3908",
        "drugs": "Osimertinib",
        "evidence_type": "Predictive",
        "evidence_direction": "Supports",
        "evidence_level": "B",
        "clinical_significance": "Sensitivity/Response",
        "evidence_statement": f"Statement {number}.",
        "citation_id": "25923549",
        "source_type": "PubMed",
        "citation": "Jänne et al., 2015, N. Engl. J. Med.",
        "evidence_status": "accepted",
        "variant_origin": "Somatic",
        "last_review_date": "2021-02-03 23:41:03 UTC",
        **cells,
    }


def _tables() -> dict:
    return {
        GENES: [
            {"gene_id": "19", "name": "EGFR", "entrez_id": "1956", "description": 'A "kinase', "last_review_date": ""}
        ],
        VARIANT_GROUPS: [{"variant_group_id": "7", "variant_group": "EGFR TKI Resistance", "description": ""}],
        VARIANTS: [
            {
                "variant_id": "34",
                "gene": "EGFR",
                "entrez_id": "1956",
                "variant": "T790M",
                "summary": "Summary.",
                "variant_groups": "EGFR TKI Resistance",
                "variant_types": "missense_variant",
                "hgvs_expressions": "NP_005219.2:p.Thr790Met",
                "clinvar_ids": "N/A",
                "allele_registry_id": "unregistered",
                "variant_aliases": "THR790MET,RS121434569",
            }
        ],
        DRUGS: [
            {"drug_id": "187", "drug_name": "Osimertinib"},
            {"drug_id": "302", "drug_name": "2,4-pyrimidinediamine"},
            {"drug_id": "900", "drug_name": "Osimertinib"},
        ],
        EVIDENCE: [
            _evidence("965", rating="4", nct_ids="NCT01802632; NCT02151981"),
            _evidence(
                "2", evidence_statement="An \"open quote, and's more.", drugs="", clinical_significance="Resistance"
            ),
            _evidence("3", disease="Glioma", doid="", evidence_direction="Does Not Support"),
            _evidence("4", drugs="2,4-pyrimidinediamine,Osimertinib,Gemcitabine", drug_interaction_type="Combination"),
            _evidence(
                "5",
                disease="",
                doid="",
                source_type="ASCO",
                citation_id="161573",
                citation="A. Author, 2018, ASCO Annual Meeting, Abstract 102",
            ),
        ],
        ASSERTIONS: [
            {
                "assertion_id": "5",
                "variant_id": "34",
                "gene": "EGFR",
                "variant": "T790M",
                "disease": "Lung Non-small Cell Carcinoma",
                "doid": "3908",
                "drugs": "Osimertinib",
                "assertion_type": "Predictive",
                "assertion_direction": "Supports",
                "clinical_significance": "Sensitivity/Response",
                "amp_category": "Tier I - Level A",
                "assertion_summary": "Summary of it.",
                "evidence_item_ids": "965,6941",
            }
        ],
    }


def _write(folder: Path, tables: dict, *, pack: bool = False, tail: str = "") -> Path:
    for table, rows in tables.items():
        lines = ["\t".join(table.columns), *("\t".join(r.get(c, "") for c in table.columns) + tail for r in rows)]
        data = ("\n".join(lines) + "\n").encode()
        name = f"nightly-{table.name}.tsv"
        (folder / (name + ".gz" * pack)).write_bytes(gzip.compress(data) if pack else data)
    return folder


@pytest.fixture
def graph(tmp_path):
    return read_graph(_write(tmp_path, _tables()))


@pytest.fixture
def nodes(graph):
    return {node.id: node for node in graph.nodes}


def test_every_row_is_a_node_or_merged(graph):
    report = graph.report
    assert [(t.name, t.read, t.kept, t.merged) for t in report.tables] == [
        ("nightly-GeneSummaries.tsv", 1, 1, 0),
        ("nightly-VariantGroupSummaries.tsv", 1, 1, 0),
        ("nightly-VariantSummaries.tsv", 1, 1, 0),
        ("nightly-DrugSummaries.tsv", 3, 2, 1),
        ("nightly-ClinicalEvidenceSummaries.tsv", 5, 5, 0),
        ("nightly-AssertionSummaries.tsv", 1, 1, 0),
    ]
    assert report.balanced
    # Four roots, two diseases, and the drug that only an evidence item names.
    assert report.made == 7
    assert {g.kind: g.count for g in report.problems} == {
        "merged_drug": 1,
        "no_drug": 1,
        "no_doid": 1,
        "no_disease": 1,
        "missing_evidence": 1,
        "no_title_de": 2,
        "source_without_url": 1,
    }
    assert graph.snapshot.key.snapshot_id == "2021-02-03"
    assert (graph.snapshot.graph_id, graph.snapshot.licence) == ("civic", "CC0-1.0")
    assert graph.snapshot.attribution


def test_an_evidence_item(nodes):
    node = nodes["civic:evidence:965"]
    assert node.type == "evidence"
    assert node.title.get("en") == "EGFR T790M – Osimertinib: Sensitivity/Response (Lung Non-small Cell Carcinoma)"
    assert node.title.get("de") == "EGFR T790M – Osimertinib: Ansprechen (Nicht-kleinzelliges Lungenkarzinom)"
    assert node.field("Evidence").get("en") == (
        "Statement 965.\nType: Predictive. Direction: Supports. Significance: Sensitivity/Response. "
        "Level: B (clinical evidence). Rating: 4 of 5. Variant origin: Somatic."
    )
    assert node.field("Evidence").get("de") == (
        "Art: Prädiktiv. Richtung: stützt. Bedeutung: Ansprechen. Evidenzgrad: B (klinische Evidenz). "
        "Bewertung: 4 von 5. Herkunft der Variante: somatisch."
    )
    assert node.parents == ("civic:variant:34",)
    assert node.sources == (
        Source("pubmed", "25923549", "Jänne et al., 2015, N. Engl. J. Med.", 2015, None, "B"),
        Source("trial", "NCT01802632"),
        Source("trial", "NCT02151981"),
        Source(
            "web",
            "civic:evidence_items/965",
            "CIViC evidence item 965",
            url="https://civicdb.org/links/evidence_items/965",
        ),
    )
    assert node.links == (
        Link("civic:disease:doid:3908", "about_disease"),
        Link("civic:drug:187", "about_drug"),
    )


def test_quotation_marks_are_marks_like_any_other(nodes):
    assert nodes["civic:gene:19"].field("Biomarkers").get("en") == 'A "kinase'
    assert nodes["civic:evidence:2"].field("Evidence").best("en").startswith("An \"open quote, and's more.\n")


def test_without_a_drug_or_a_doid_an_item_is_kept(nodes):
    assert nodes["civic:evidence:2"].title.get("en") == "EGFR T790M: Resistance (Lung Non-small Cell Carcinoma)"
    assert [link.kind for link in nodes["civic:evidence:2"].links] == ["about_disease"]
    assert nodes["civic:evidence:3"].links[0].target == "civic:disease:name:glioma"
    assert nodes["civic:disease:name:glioma"].codes == ()
    assert nodes["civic:disease:doid:3908"].codes == (Code("DOID", "DOID:3908"),)
    assert [link.kind for link in nodes["civic:evidence:5"].links] == ["about_drug"]


def test_a_claim_that_is_not_supported_says_so_in_its_title(nodes):
    title = nodes["civic:evidence:3"].title
    assert title.get("en") == "EGFR T790M – Osimertinib: Sensitivity/Response not supported (Glioma)"
    assert title.get("de") == "EGFR T790M – Osimertinib: Ansprechen nicht gestützt (Gliom)"


def test_drugs_of_one_name_are_one_node_and_names_with_commas_stay_whole(nodes):
    assert nodes["civic:drug:187"].codes == (Code("CIViC drug", "187"), Code("CIViC drug", "900"))
    assert "civic:drug:900" not in nodes
    node = nodes["civic:evidence:4"]
    assert node.title.get("en") == (
        "EGFR T790M – 2,4-pyrimidinediamine + Osimertinib + Gemcitabine: Sensitivity/Response "
        "(Lung Non-small Cell Carcinoma)"
    )
    assert [link.target for link in node.links] == [
        "civic:disease:doid:3908",
        "civic:drug:302",
        "civic:drug:187",
        "civic:drug:name:gemcitabine",
    ]
    assert dict(nodes["civic:drug:name:gemcitabine"].title) == {"de": "Gemcitabin", "en": "Gemcitabine"}


def test_a_meeting_abstract_is_no_pubmed_id(nodes):
    source = nodes["civic:evidence:5"].sources[0]
    assert (source.kind, source.id, source.year, source.url) == ("web", "ASCO 161573", 2018, None)


def test_a_variant_hangs_below_its_gene_and_its_groups(nodes):
    node = nodes["civic:variant:34"]
    assert node.parents == ("civic:gene:19", "civic:variant-group:7")
    assert node.synonyms == (Synonym("THR790MET", "en"), Synonym("RS121434569", "en"))
    assert node.codes == (Code("HGVS", "NP_005219.2:p.Thr790Met"),)
    assert nodes["civic:gene:19"].codes == (Code("Entrez", "1956"),)


def test_an_assertion_is_linked_to_the_evidence_that_is_there(nodes):
    node = nodes["civic:assertion:5"]
    assert [link.target for link in node.links if link.kind == "supported_by"] == ["civic:evidence:965"]
    assert node.sources[0].evidence_level == "Tier I - Level A"
    assert node.title.best("en").startswith("Assertion: EGFR T790M – Osimertinib")


def test_packed_tables_give_the_same_graph(tmp_path, graph):
    packed = tmp_path / "packed"
    packed.mkdir()
    assert read_graph(_write(packed, _tables(), pack=True)).snapshot.content_hash == graph.snapshot.content_hash


def test_addresses_beyond_the_last_column_are_passed_over_and_anything_else_is_not(tmp_path, graph):
    more = read_graph(_write(tmp_path, _tables(), tail="\thttps://example.org/a\thttps://example.org/b"))
    assert more.snapshot.content_hash == graph.snapshot.content_hash
    with pytest.raises(GraphRefusedError) as caught:
        read_graph(_write(tmp_path, _tables(), tail="\tmore"))
    assert caught.value.report.count("bad_row") == 12
    assert caught.value.report.balanced


def test_a_row_that_is_too_short_is_an_error_with_its_line(tmp_path):
    path = _write(tmp_path, _tables()) / "nightly-ClinicalEvidenceSummaries.tsv"
    path.write_text(path.read_text(encoding="utf-8") + "7\t34\n", encoding="utf-8")
    with pytest.raises(GraphRefusedError, match=r"ClinicalEvidenceSummaries\.tsv:7: the row has 2 cells; expected 23"):
        read_graph(tmp_path)


def test_a_missing_table_or_column_is_the_only_error(tmp_path):
    genes = _write(tmp_path, _tables()) / "nightly-GeneSummaries.tsv"
    text = genes.read_text(encoding="utf-8")
    genes.write_text(text.replace("entrez_id", "entrez"), encoding="utf-8")
    with pytest.raises(GraphRefusedError, match=r"GeneSummaries\.tsv:1: the table has no column entrez_id") as caught:
        read_graph(tmp_path)
    assert caught.value.report.errors == 1
    genes.unlink()
    with pytest.raises(GraphRefusedError, match=r"no file that ends in GeneSummaries\.tsv") as caught:
        read_graph(tmp_path)
    assert caught.value.report.errors == 1


def test_the_same_table_twice_is_refused(tmp_path):
    _write(_write(tmp_path, _tables()), {GENES: []}, pack=True)
    with pytest.raises(GraphRefusedError, match=r"GeneSummaries\.tsv, nightly-GeneSummaries\.tsv\.gz hold the same"):
        read_graph(tmp_path)


def test_a_drug_number_given_twice_is_an_error_with_its_line(tmp_path):
    tables = _tables()
    tables[DRUGS].append({"drug_id": "187", "drug_name": "Erlotinib"})
    with pytest.raises(GraphRefusedError, match=r"DrugSummaries\.tsv:5: id 'civic:drug:187' stands already in"):
        read_graph(_write(tmp_path, tables))


def test_evidence_of_an_unknown_variant_dangles(tmp_path):
    tables = _tables()
    tables[EVIDENCE].append(_evidence("6", variant_id="99"))
    with pytest.raises(GraphRefusedError, match=r"ClinicalEvidenceSummaries\.tsv:7: .*'civic:variant:99'"):
        read_graph(_write(tmp_path, tables))


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("", ()),
        ("Imatinib", ("Imatinib",)),
        ("Dabrafenib,Trametinib", ("Dabrafenib", "Trametinib")),
        ("2,4-pyrimidinediamine,Imatinib", ("2,4-pyrimidinediamine", "Imatinib")),
        ("Pembrolizumab, Nivolumab", ("Pembrolizumab, Nivolumab",)),
        ("HER2 Inhibitor CP-724,714,Imatinib", ("HER2 Inhibitor CP-724,714", "Imatinib")),
        ("Unknown, with more,Imatinib", ("Unknown, with more", "Imatinib")),
        ("Imatinib,Imatinib", ("Imatinib",)),
    ],
)
def test_drug_cells(cell, names):
    known = frozenset({"Imatinib", "Trametinib", "2,4-pyrimidinediamine", "Pembrolizumab, Nivolumab"})
    assert split_drugs(cell, known) == names


def test_names_that_read_the_same_get_different_ids():
    ids = name_ids("x:", ["A-B", "A+B", "C", "λ"])
    assert len(set(ids.values())) == 4
    assert ids["C"] == "x:c"
    assert ids["A-B"].startswith("x:a-b-")


@pytest.mark.parametrize(
    ("variant", "german"),
    [
        ("T790M", "T790M"),
        ("EML4-ALK", "EML4-ALK"),
        ("AMPLIFICATION", "Amplifikation"),
        ("EXON 19 DELETION", "Exon-19-Deletion"),
        ("LOSS-OF-FUNCTION", "Funktionsverlust"),
        ("SERUM LEVELS", None),
        ("Q164* (c.490C>T)", "Q164* (c.490C>T)"),
    ],
)
def test_variants_in_german(variant, german):
    assert variant_name(variant) == german


@pytest.mark.parametrize(
    ("name", "german"),
    [
        ("Osimertinib", "Osimertinib"),
        ("Gemcitabine", "Gemcitabin"),
        ("Cyclophosphamide", "Cyclophosphamid"),
        ("Chemotherapy", None),
        ("Akt Inhibitor MK2206", None),
        ("JQ1", None),
    ],
)
def test_drugs_in_german(name, german):
    assert drug_name(name) == german


@pytest.fixture(scope="module")
def real():
    return read_graph(CIVIC)


@needs_civic
def test_the_real_tables_go_in_and_come_out_whole(real):
    rows = {t.name.split("-")[1].split(".")[0]: (t.read, t.kept, t.merged) for t in real.report.tables}
    assert rows == {
        "GeneSummaries": (440, 440, 0),
        "VariantGroupSummaries": (25, 25, 0),
        "VariantSummaries": (1467, 1467, 0),
        "DrugSummaries": (531, 529, 2),
        "ClinicalEvidenceSummaries": (3706, 3706, 0),
        "AssertionSummaries": (19, 19, 0),
    }
    assert real.report.balanced
    assert sum(node.id.startswith("civic:evidence:") for node in real.nodes) == 3706
    counts = {kind: real.report.count(kind) for kind in ("no_doid", "no_disease", "no_drug", "missing_evidence")}
    assert counts == {"no_doid": 7, "no_disease": 0, "no_drug": 1362, "missing_evidence": 1}
    assert sum(s.kind == "pubmed" for n in real.nodes for s in n.sources) == 3696
    assert sum(s.id.startswith("ASCO ") for n in real.nodes for s in n.sources) == 10


@needs_civic
def test_osimertinib_with_egfr_t790m_is_there_with_its_sources(real):
    node = next(n for n in real.nodes if n.id == "civic:evidence:965")
    assert node.title.get("de") == "EGFR T790M – Osimertinib: Ansprechen (Nicht-kleinzelliges Lungenkarzinom)"
    assert ("pubmed", "25923549", "B") in {(s.kind, s.id, s.evidence_level) for s in node.sources}
    by_id = {n.id: n for n in real.nodes}
    assert [by_id[link.target].title.get("en") for link in node.links] == [
        "Lung Non-small Cell Carcinoma",
        "Osimertinib",
    ]
    same = [n for n in real.nodes if n.type == "evidence" and "EGFR T790M – Osimertinib:" in n.title.best("en")]
    assert {"25923549", "26720284", "26729184", "27959700"} <= {s.id for n in same for s in n.sources}


@needs_civic
def test_the_comma_in_a_drug_name_makes_no_drug_of_its_own(real):
    titles = {n.title.best("en") for n in real.nodes if n.type == "drug"}
    assert "2,4-pyrimidinediamine" in titles
    assert "HER2 Inhibitor CP-724,714" in titles
    assert titles.isdisjoint({"2", "714", "4-pyrimidinediamine"})
    assert "FGF/VEGF Receptor Tyrosine Kinase Inhibitor, PD173074" in titles
