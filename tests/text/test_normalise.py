"""Characters and word forms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.text.normalise import fold, normalise, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Übelkeit", "UEBELKEIT"),
        ("groß", "GROSS"),
        ("Fußpflege", "fusspflege"),
        ("α", "Alpha"),
        ("TGFβ", "tgfbeta"),
        ("ς", "Σ"),
        ("µg", "ug"),
        ("Ménière", "meniere"),
    ],
)
def test_spellings_of_one_word_fold_alike(one, other):
    assert fold(one) == fold(other)


def test_umlaut_is_not_its_bare_vowel():
    assert fold("Bär") != fold("Bar")


@pytest.mark.parametrize(
    "forms",
    [
        ("therapie", "therapien", "therapy", "therapies"),
        ("mutation", "mutationen", "mutations"),
        ("metastase", "metastasen", "metastases", "metastasis"),
        ("diagnose", "diagnosen", "diagnosis", "diagnoses"),
        ("uebelkeit", "uebelkeiten"),
        ("stadium", "stadien"),
        ("niere", "nieren"),
    ],
)
def test_forms_of_one_word_have_one_stem_in_both_languages(forms):
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(("one", "other"), [("leber", "leben"), ("marker", "mark"), ("magen", "mag")])
def test_different_words_keep_different_stems(one, other):
    assert stem(one) != stem(other)


def test_decomposed_soft_hyphen_and_ligature_are_traced_back_to_their_place():
    text = "ab\u00adc U\u0308 \ufb01x"
    normal, places = normalise(text)
    assert normal == "abc \u00dc fix"
    assert places is not None
    assert [text[a:b] for a, b in places] == ["a", "b", "c", " ", "U\u0308", " ", "\ufb01", "\ufb01", "x"]


def test_dashes_become_hyphens_in_their_place_and_the_minus_stays():
    assert normalise("PD\u2013L1 ER\u2212") == ("PD-L1 ER\u2212", None)


@given(st.text())
def test_every_character_has_a_place_in_the_original_and_the_places_never_go_back(text):
    normal, places = normalise(text)
    if places is None:
        assert len(normal) == len(text)
    else:
        assert len(places) == len(normal)
        assert all(0 <= a < b <= len(text) for a, b in places)
        assert places == sorted(places)
