"""Passages: the golden file, spans, escaping and the text without a field."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Code, LocalText, Node, Synonym, text_hash
from oncosearch.model.vocabulary import FIELD_KEYS, NODE_TYPE_KEYS, TEXT_FIELD_KEYS
from oncosearch.text import FORMAT_ID, field_text, lexical_fields, serialise, stored_text, strip_field
from oncosearch.text.serialise import clean, field_contents

GOLDEN = Path(__file__).parent / "golden" / "passage.txt"

NODE = Node(
    id="d1",
    type="disease",
    title=LocalText.of({"en": "Triple-negative breast cancer", "de": "Triple-negatives Mammakarzinom"}),
    synonyms=(
        Synonym("TNBC", "en"),
        Synonym("tripelnegatives Mammakarzinom", "de"),
        Synonym("TNBC", "de", "related"),
    ),
    fields=(
        ("Therapy", LocalText.of({"de": "Pembrolizumab  mit\nChemotherapie", "en": "Pembrolizumab with chemotherapy"})),
        ("Biomarkers", LocalText.of({"de": "ER−, PR−, HER2−; PD-L1 <Title> CPS ≥ 10", "en": ""})),
        ("Dosage", LocalText.of({"de": "200 mg", "en": "200 mg"})),
    ),
    codes=(Code("ICD-10-GM", "C50.9"), Code("OncoTree", "BRCA")),
)
PATH = (LocalText.of({"de": "Onkologie", "en": "Oncology"}), "Solide Tumoren", LocalText.of({"en": "Breast cancer"}))


def passage(
    node=NODE, snapshot="2026.Q4", path=PATH, others=("Hereditäre Syndrome", "Onkologie", "Hereditäre Syndrome")
):
    return serialise(node, snapshot_id=snapshot, primary_path=path, other_titles=others)


def test_golden_passage():
    assert stored_text(passage()) + "\n" == GOLDEN.read_text("utf-8")


def test_the_markers_stand_in_the_header_and_not_in_what_is_embedded():
    one, other = passage(), passage(snapshot="2027.Q1")
    assert one.header == "<Format> oncosearch-1 <Snapshot> 2026.Q4"
    assert one.text == other.text
    assert one.text_hash == other.text_hash == text_hash(f"{FORMAT_ID}\n{one.text}")
    assert "2026.Q4" not in one.text


def test_fields_follow_the_vocabulary_whatever_their_order_in_the_node():
    assert [f for f, _, _ in passage().spans] == [
        "Path", "Title", "Type", "Synonyms", "Biomarkers", "Therapy", "Dosage", "Codes",
    ]  # fmt: skip


def test_a_text_that_is_the_same_in_both_languages_stands_once():
    assert field_text(passage(), "Dosage") == "200 mg"
    assert field_text(passage(), "Therapy") == "Pembrolizumab mit Chemotherapie / Pembrolizumab with chemotherapy"


def test_ancestors_are_root_first_and_the_others_are_not_repeated():
    assert field_text(passage(), "Path") == "Onkologie › Solide Tumoren › Breast cancer | Hereditäre Syndrome"
    assert field_text(passage(path=(), others=("A", "B")), "Path") == "A | B"
    assert field_text(passage(path=(), others=()), "Path") == ""


def test_a_tag_inside_a_value_is_neither_a_tag_nor_lost():
    assert field_text(passage(), "Biomarkers") == "ER−, PR−, HER2−; PD-L1 ‹Title› CPS ≥ 10"
    assert clean("< / snapshot > p < 0,05 <b>\x00\u2028x") == "‹ / snapshot › p < 0,05 <b> x"


def test_the_text_without_a_field_is_the_text_of_a_node_without_it():
    bare = Node(NODE.id, NODE.type, NODE.title, NODE.synonyms, NODE.fields[1:], NODE.codes)
    assert strip_field(passage(), "Therapy") == passage(bare).text
    assert strip_field(passage(), "Prognosis") == passage().text
    assert strip_field(passage(), "Path") == passage(path=(), others=()).text


def test_lexical_fields_give_every_text_once_by_itself():
    assert lexical_fields(NODE) == [
        ("Title", "Triple-negatives Mammakarzinom"),
        ("Title", "Triple-negative breast cancer"),
        ("Type", "Erkrankung"),
        ("Type", "Disease"),
        ("Synonyms", "TNBC"),
        ("Synonyms", "tripelnegatives Mammakarzinom"),
        ("Therapy", "Pembrolizumab  mit\nChemotherapie"),
        ("Therapy", "Pembrolizumab with chemotherapy"),
        ("Biomarkers", "ER−, PR−, HER2−; PD-L1 <Title> CPS ≥ 10"),
        ("Dosage", "200 mg"),
        ("Codes", "ICD-10-GM C50.9"),
        ("Codes", "OncoTree BRCA"),
    ]


TEXT = st.one_of(
    st.text(max_size=30),
    st.lists(st.sampled_from(["<Title>", "</Title>", "\n<Codes> ", "<Path>", " / ", " › ", "x"]), max_size=5).map(
        "".join
    ),
)
LOCAL = st.dictionaries(st.sampled_from(["de", "en", "fr"]), TEXT, max_size=3).map(LocalText.of)
NODES = st.builds(
    Node,
    id=st.text(min_size=1, max_size=5),
    type=st.sampled_from(NODE_TYPE_KEYS),
    title=LOCAL,
    synonyms=st.lists(st.builds(Synonym, TEXT), max_size=3).map(tuple),
    fields=st.dictionaries(st.sampled_from(TEXT_FIELD_KEYS), LOCAL, max_size=4).map(lambda d: tuple(d.items())),
    codes=st.lists(st.builds(Code, TEXT, TEXT), max_size=2).map(tuple),
)


@given(NODES, st.lists(TEXT, max_size=3), st.lists(TEXT, max_size=3))
def test_spans_give_back_the_fields_and_every_line_is_one_field(node, path, others):
    made = serialise(node, snapshot_id="s", primary_path=path, other_titles=others)
    given_back = [(f, made.text[a:b]) for f, a, b in made.spans if f != "Path"]
    assert given_back == field_contents(node)
    assert made.text.split("\n") == [f"<{f}> {made.text[a:b]}" for f, a, b in made.spans]
    assert all(f"<{key.lower()}>" not in content.lower() for _, content in given_back for key in (*FIELD_KEYS, "Path"))


@given(TEXT)
def test_cleaning_twice_changes_nothing_more(value):
    assert clean(clean(value)) == clean(value)


@pytest.mark.parametrize("field", [f for f, _, _ in passage().spans])
def test_leaving_a_field_out_removes_its_line_alone(field):
    lines = passage().text.split("\n")
    assert strip_field(passage(), field).split("\n") == [x for x in lines if not x.startswith(f"<{field}> ")]
