"""Adapt-E by rules: concepts in either language, PICO, limits, three expressions, and bad questions."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oncosearch.index.names import NameIndex
from oncosearch.literature.concepts import Concepts
from oncosearch.literature.expression import DateRange
from oncosearch.literature.levels import LEVELS
from oncosearch.literature.parsing import ExpressionError, parse
from oncosearch.literature.rewrite import MAX_QUESTION, rewrite, rewrite_node, with_expressions
from oncosearch.literature.wording import cognate, date_limit, truncated
from oncosearch.model import Code, LocalText, Node, Synonym, UsageError

TODAY = date(2026, 7, 1)
NODES = [
    Node(
        "d1",
        "disease",
        LocalText.of({"de": "Mammakarzinom", "en": "Breast carcinoma"}),
        synonyms=(Synonym("Brustkrebs"), Synonym("breast cancer", "en"), Synonym("tumour", "en", "broad")),
        codes=(Code("ICD-10-GM", "C50.9"),),
        parents=("d0",),
    ),
    Node("d0", "group", LocalText.of({"de": "Solide Tumoren", "en": "Solid tumours"})),
    Node("t1", "drug", LocalText.of({"de": "Osimertinib", "en": "Osimertinib"}), parents=("t0",)),
    Node("t0", "therapy", LocalText.of({"de": "EGFR-Hemmer", "en": "EGFR inhibitor"})),
    Node("g1", "biomarker", LocalText.of({"de": "MET", "en": "MET"})),
]


@pytest.fixture(scope="module")
def concepts() -> Concepts:
    nodes = sorted(NODES, key=lambda n: n.id)
    by_id = {n.id: n for n in nodes}
    return Concepts(NameIndex.of(nodes), [n.id for n in nodes], lambda ids: [by_id[i] for i in ids])


def element(found, text):
    return next(e for e in found.elements if e.text == text)


def test_a_german_question_is_asked_in_english_by_the_graphs_names(concepts):
    found = rewrite("Hilft Osimertinib bei Brustkrebs?", concepts, today=TODAY)
    assert found.language in {"de", ""}
    disease = element(found, "Brustkrebs")
    assert (disease.origin, disease.role, disease.node_ids) == ("graph", "population", ("d1",))
    assert disease.terms[:2] == ("Breast carcinoma", "breast cancer")
    assert disease.broader == ("Solid tumours",)
    assert element(found, "Osimertinib").role == "intervention"
    strict, abstraction, loose = found.expressions
    assert '"breast cancer"[tiab]' in strict
    assert "osimertinib*[tiab]" in strict
    assert "tumour*" not in strict, "a broader synonym is no name"
    assert "solid tumour*[tiab]" in abstraction
    assert "egfr inhibitor*[tiab]" in abstraction
    assert " AND " not in loose


@pytest.mark.parametrize("typed", ["C50.9", "Mammakarzinome", "MAMMAKARZINOM", "breast cancer"])
def test_codes_inflected_names_and_any_case_are_recognised(concepts, typed):
    assert rewrite(f"Was hilft bei {typed}", concepts).elements[-1].node_ids == ("d1",)


def test_short_names_count_as_they_are_written(concepts):
    assert element(rewrite("MET and lung cancer", concepts), "MET").node_ids == ("g1",)
    assert all("g1" not in e.node_ids for e in rewrite("I met a man with lung cancer", concepts).elements)


def test_a_mistyped_name_is_read_as_the_only_one_near_and_both_are_searched(concepts):
    found = rewrite("Does Osimertinip work", concepts)
    assert found.corrections == (("Osimertinip", "osimertinib"),)
    assert found.expressions[0] == "osimertinib*[tiab] OR Osimertinip[tiab]"


def test_everyday_words_work_without_a_graph_and_a_story_is_left_out():
    found = rewrite("My mom has lung cancer with an EGFR mutation; is Osimertinib still effective?", today=TODAY)
    assert [e.text for e in found.elements] == ["lung cancer", "EGFR", "mutation", "Osimertinib", "effective"]
    assert [e.text for e in found.of_role("population")] == ["lung cancer"]
    assert [e.text for e in found.of_role("intervention")] == ["Osimertinib"]
    assert '"Lung Neoplasms"[mh]' in found.expressions[0]
    assert "mom" not in " ".join(found.expressions).lower()
    assert found.intent == "treatment"


def test_german_compounds_and_words_of_latin_making():
    assert element(rewrite("Was bringt die Brustkrebsnachsorge?"), "Brustkrebsnachsorge").terms[0] == (
        "breast cancer follow-up"
    )
    assert cognate("Prostatektomie") == "prostatectomy"
    assert cognate("Karzinomen") is None or cognate("Karzinomen").startswith("carcinom")
    assert cognate("Melanome") == "melanomas"
    assert cognate("Haus") is None


def test_a_bare_cancer_does_not_widen_a_named_one():
    found = rewrite("My mother has breast cancer. Has the cancer anything to do with pregnancy?")
    assert "neoplasm*" not in found.expressions[1]
    assert "neoplasm*" in rewrite("Does cancer hurt?").expressions[1]


def test_what_is_compared():
    found = rewrite("Is chemotherapy better than nothing, or surgery versus radiotherapy?")
    assert [e.text for e in found.of_role("comparison")] == ["radiotherapy"]


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("Chemotherapie bei Brustkrebs seit 2020", "2020", "3000"),
        ("trials of chemotherapy in the last 5 years", "2021", "3000"),
        ("Studien der letzten fünf Jahre zu Melanom", "2021", "3000"),
        ("melanoma, articles between 2010 and 2015", "2010", "2015"),
        ("Melanom von 2010 bis 2015", "2010", "2015"),
        ("melanoma after 2019", "2020", "3000"),
        ("melanoma before 2000", "1000", "1999"),
        ("melanoma studies published in 2018", "2018", "2018"),
    ],
)
def test_limits_of_dates_stand_in_every_expression(text, start, end):
    found = rewrite(text, today=TODAY)
    assert found.dates == DateRange(start, end)
    told = start if start == end else f"{start}:{end}"
    assert all(f"{told}[dp]" in expression for expression in found.expressions)


def test_a_year_in_a_story_is_no_limit():
    assert date_limit("My mother has had melanoma since 2015. What helps?", TODAY) is None
    assert date_limit("Ihre Diagnose war vor 2 Jahren, sie hat Angst.", TODAY) is None
    found = date_limit("My mother has melanoma. Are there studies since 2015?", TODAY)
    assert found is not None
    assert found[0] == DateRange("2015", "3000")


def test_study_types_become_publication_types():
    found = rewrite("randomised trials of aspirin in colorectal cancer")
    assert found.kinds == ("Randomized Controlled Trial",)
    assert '"Randomized Controlled Trial"[pt]' in found.expressions[0]
    assert "[pt]" not in found.expressions[2]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty_query"),
        (" \n ", "empty_query"),
        ("x" * 10_000, "query_too_long"),
        ("is it the", "stop_words_only"),
        ("???", "stop_words_only"),
        ("ist das nicht so", "stop_words_only"),
    ],
)
def test_questions_that_cannot_be_searched(text, code):
    with pytest.raises(UsageError) as raised:
        rewrite(text)
    assert raised.value.code == code


@given(st.text(max_size=200))
@example("AND OR NOT cancer")
@example("CYP2D6*4 allele")
@example('"cancer (lung" [tiab] * *x')
@example("my mother and my father")
@example("ÄÖÜ ß ﬁ İ ʼn")
def test_whatever_is_asked_gives_expressions_that_can_be_read(text):
    try:
        found = rewrite(text, today=TODAY)
    except UsageError:
        return
    assert len(found.question) <= MAX_QUESTION
    for expression in found.expressions:
        parse(expression, local=True)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=20))
def test_a_truncated_word_begins_as_the_word_does(word):
    for far in (False, True):
        short = truncated(word, far=far)
        assert word.startswith(short.rstrip("*"))
        assert not short.endswith("*") or len(short) > 5


def test_edited_expressions_take_the_place_and_errors_have_a_position():
    found = with_expressions(rewrite("lung cancer"), {"strict": " lung[ti] ", "loose": ""})
    assert (found.expressions[0], found.expressions[2]) == ("lung[ti]", "")
    with pytest.raises(ExpressionError) as raised:
        with_expressions(found, {"strict": "lung AND (cancer"})
    assert raised.value.position == 9
    with pytest.raises(ExpressionError, match="no field tag"):
        with_expressions(found, {"strict": "lung[nonsense]"})
    with pytest.raises(UsageError, match="no level 'wide'"):
        with_expressions(found, {"wide": "lung"})


def test_a_node_is_searched_by_its_english_names(concepts):
    found = rewrite_node(NODES[0], concepts)
    assert '"Breast carcinoma"[tiab]' in found.expressions[0]
    assert "solid tumour*[tiab]" in found.expressions[1]
    assert len(found.expressions) == len(LEVELS)
