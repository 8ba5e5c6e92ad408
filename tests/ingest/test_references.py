import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.ingest.checks import NodeChecker
from oncosearch.ingest.raw import Place, RawNode
from oncosearch.ingest.references import code_system, read_code, read_source, unique
from oncosearch.ingest.report import ImportLog


@pytest.mark.parametrize(
    ("reference", "source"),
    [
        ("PMID:25923549", {"kind": "pubmed", "id": "25923549"}),
        ("url:https://www.ncbi.nlm.nih.gov/pubmed/25923549", {"kind": "pubmed", "id": "25923549"}),
        ("url:https://pubmed.ncbi.nlm.nih.gov/25923549/", {"kind": "pubmed", "id": "25923549"}),
        ("http://www.ncbi.nlm.nih.gov/pmc/articles/PMC3306779/", {"kind": "pmc", "id": "PMC3306779"}),
        ("PMCID:3306779", {"kind": "pmc", "id": "PMC3306779"}),
        ("DOI:10.1000/a.b(c)", {"kind": "doi", "id": "10.1000/a.b(c)"}),
        ("url:https://doi.org/10.1000/x", {"kind": "doi", "id": "10.1000/x"}),
        ("NCT:NCT01234567", {"kind": "trial", "id": "NCT01234567"}),
        ("https://clinicaltrials.gov/study/NCT01234567", {"kind": "trial", "id": "NCT01234567"}),
        ("url:http://example.org/a", {"kind": "web", "id": "http://example.org/a", "url": "https://example.org/a"}),
        ("url:http://example.org/a b", {"kind": "web", "id": "http://example.org/a b"}),
        ("PMID:0123", {"kind": "web", "id": "PMID:0123"}),
        ("ORCID:0000-0001", {"kind": "web", "id": "ORCID:0000-0001"}),
    ],
)
def test_references_become_sources(reference, source):
    assert read_source(reference) == source


def test_a_code_is_no_source_where_codes_stand():
    assert read_source("NCI:C1", always=False) is None
    assert read_source("PMID:1", always=False) == {"kind": "pubmed", "id": "1"}


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("NCI:C3088", ("NCIt", "C3088")),
        ("UMLS_CUI:C0018923", ("UMLS", "C0018923")),
        ("SNOMEDCT_US_2025_09_01:39000009", ("SNOMED CT", "39000009")),
        ("ICDO:9120/3", ("ICD-O-3", "9120/3")),
        ("DOID:162", ("DOID", "DOID:162")),
        ("Own:a:b", ("Own", "a:b")),
    ],
)
def test_references_become_codes(reference, code):
    assert read_code(reference) == {"system": code[0], "code": code[1]}


@pytest.mark.parametrize("text", ["", "no colon", ":x", "x:", "http://example.org", "1:2"])
def test_what_is_no_code_is_none(text):
    assert read_code(text) is None


def test_names_of_classifications_agree():
    assert {code_system(name) for name in ("NCI", "ncit", "NCIt")} == {"NCIt"}
    assert code_system("Hausliste") == "Hausliste"


def test_of_equal_values_the_first_is_kept():
    values = [{"a": 1, "b": 1}, {"a": 2, "b": 2}, {"a": 1, "b": 3}]
    assert unique(values, "a") == [{"a": 1, "b": 1}, {"a": 2, "b": 2}]


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).filter(str.strip))
def test_any_reference_becomes_a_source_that_passes_the_checks(text):
    log = ImportLog()
    data = {"id": "x", "type": "disease", "title": {"en": "x"}, "sources": [read_source(text)]}
    assert NodeChecker(log, ("en",)).check(RawNode(data, Place("f", 1))) is not None, log.groups()
