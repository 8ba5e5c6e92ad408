"""The tokeniser: the table of what must stay together, stay apart and meet."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.text import CompoundSplitter, is_only_stop_words, tokenise

SPLITTER = CompoundSplitter.from_vocabulary(
    ["Mamma", "Karzinom", "Leber", "Metastasen", "Resektion", "Lunge", "Krebs", "Therapie"]
)


def wholes(text):
    return [t.term for t in tokenise(text, splitter=SPLITTER) if not t.part]


def parts(text):
    return {t.term: round(t.weight, 2) for t in tokenise(text, splitter=SPLITTER) if t.part}


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("PD-L1", "pd-l1"),
        ("PD\u2011L1", "pd-l1"),
        ("5-FU", "5-fu"),
        ("C50.9", "c50.9"),
        ("C50.-", "c50"),
        ("p.V600E", "p.v600e"),
        ("p.(V600E)", "p.v600e"),
        ("c.1799T>A", "c.1799t>a"),
        ("HER2/neu", "her2/neu"),
        ("t(9;22)", "t(9;22)"),
        ("t(9; 22)", "t(9;22)"),
        ("t(9;22)(q34;q11)", "t(9;22)(q34;q11)"),
        ("del(17p)", "del(17p)"),
        ("ER+", "er+"),
        ("ER\u2212", "er-"),
        ("ER-", "er-"),
        ("HER2-negativ", "her2-"),
        ("HER2-negatives", "her2-"),
        ("HER2 negativ", "her2-"),
        ("HER2 negative", "her2-"),
        ("her2 neg.", "her2-"),
        ("HER2\u2212", "her2-"),
        ("HER2\u207b", "her2-"),
        ("HER2-positive", "her2+"),
        ("HER2 positiv", "her2+"),
        ("Rezeptorpositiver", "rezeptor+"),
        ("CD34+", "cd34+"),
        ("3+4", "3+4"),
        ("8500/3", "8500/3"),
        ("2,5", "2.5"),
        ("BCR::ABL1", "bcr::abl1"),
        ("IFN-α", "ifnalpha"),
        ("i.v.", "iv"),
        ("Hodgkin\u2019s", "hodgkin"),
        ("Herceptin\u2122", "herceptin"),
        ("Non-Hodgkin", "nonhodgkin"),
    ],
)
def test_stays_one_word(text, term):
    assert wholes(text) == [term]


@pytest.mark.parametrize(
    "texts",
    [
        ("Übelkeit", "UEBELKEIT", "U\u0308belkeit", "Übel\u00adkeit"),
        ("Fußpflege", "FUSSPFLEGE"),
        ("Therapie", "Therapien", "therapy", "therapies"),
        ("Mamma-Karzinom", "Mammakarzinom", "MAMMAKARZINOME", "Mamma\u2013Karzinom"),
        ("nicht-kleinzellig", "nicht kleinzelliges", "Nichtkleinzelliger"),
        ("triple-negativ", "triple negative", "Triple\u2212negatives"),
    ],
)
def test_meets(texts):
    assert len({tuple(wholes(text)) for text in texts}) == 1
    assert len(wholes(texts[0])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ER+", "ER-"),
        ("ER+", "ER\u2212"),
        ("ER+", "ER"),
        ("HER2-negativ", "HER2-positiv"),
        ("HER2/neu", "HER2"),
        ("p.V600E", "p.V600K"),
        ("C50.9", "C50.8"),
        ("t(9;22)", "t(9;11)"),
        ("PD-L1", "PD-1"),
        ("5-FU", "5-HT"),
        ("kleinzellig", "nicht kleinzellig"),
        ("Hodgkin-Lymphom", "Non-Hodgkin-Lymphom"),
        ("small cell", "non-small cell"),
        ("Leber", "Leben"),
    ],
)
def test_stays_apart(one, other):
    assert wholes(one) != wholes(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mammakarzinom", {"mamma": 0.4, "karzinom": 0.2}),
        ("Lungenkrebs", {"lung": 0.4, "kreb": 0.2}),
        ("Lebermetastasenresektion", {"leber": 0.4, "metasta": 0.2, "resekt": 0.2}),
        ("PD-L1", {"pdl1": 0.6}),
        ("PD-L1-Expression", {"pd-l1": 0.6, "pdl1": 0.6, "express": 0.3}),
        ("EGFR-Mutation", {"egfr": 0.6, "mutat": 0.3}),
        ("HER2/neu", {"her2": 0.6, "neu": 0.6}),
        ("HER2-negativ", {"her2": 0.4}),
        ("ER/PR-positiv", {"er/pr": 0.4, "er+": 0.6, "er": 0.6, "pr+": 0.6, "pr": 0.6}),
        ("C50.9", {"c50": 0.4}),
        ("p.V600E", {"v600e": 0.6}),
        ("t(9;22)(q34;q11)", {"t(9;22)": 0.6}),
        ("Non-Hodgkin-Lymphom", {"nonhodgkin": 0.6, "lymphom": 0.3}),
        ("BCR::ABL1", {"bcr": 0.6, "abl1": 0.6}),
        ("Therapie", {}),
    ],
)
def test_parts_count_less_than_the_word_and_generic_ones_least(text, expected):
    assert parts(text) == expected


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("EGFR- und KRAS-Mutation", ["egfr", "krasmut"]),
        ("Brust- und Eierstockkrebs", ["brust", "eierstockkreb"]),
        ("ER-/PR-positiv", ["er", "pr+"]),
        ("ER- und PR- Tumor", ["er-", "pr-", "tumor"]),
        ("ER+/PR+/HER2-", ["er+", "pr+", "her2-"]),
        ("ER-, PR-, HER2-", ["er-", "pr-", "her2-"]),
        ("Letrozol + Ribociclib", ["letrozol", "ribociclib"]),
        ("Diagnose/Therapie und/oder Nachsorge", ["diagno", "therapi", "nachsorg"]),
        ("Befund ist negativ", ["befund", "negativ"]),
        ("Rezeptor\nnegative", ["rezeptor", "negativ"]),
        ("Phase II, z.B. i.v.", ["phas", "ii", "iv"]),
    ],
)
def test_sentences(text, terms):
    assert wholes(text) == terms


def test_negations_are_words_and_articles_are_not():
    assert wholes("ohne die Chemotherapie, nicht kein not without the") == [
        "ohn",
        "chemotherapi",
        "nicht",
        "kein",
        "not",
        "without",
    ]


@pytest.mark.parametrize("word", ["ER", "ALL", "WHO", "er", "all"])
def test_abbreviations_that_look_like_stop_words_stay(word):
    assert wholes(word) == [word.lower()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("was ist das", True), ("What is the", True), ("ohne", False), ("ist HER2", False), ("", False), ("?! …", False)],
)
def test_only_stop_words(text, expected):
    assert is_only_stop_words(text) is expected


def test_ranges_point_into_the_original_text_and_parts_share_that_of_their_word():
    text = "Bei Lungen\u00adkrebs: HER2 negativ (U\u0308belkeit)"
    found = {(text[t.start : t.end], t.part) for t in tokenise(text, splitter=SPLITTER)}
    assert found == {
        ("Lungen\u00adkrebs", False),
        ("Lungen\u00adkrebs", True),
        ("HER2 negativ", False),
        ("HER2 negativ", True),
        ("U\u0308belkeit", False),
    }


def test_a_very_long_word_is_taken_whole():
    assert wholes("x" * 5000) == ["x" * 5000]


CLINICAL = st.text(alphabet="ERPDabk129+-\u2212/.:;,()' \u00ad\u0308ßüαpt>\n", max_size=60)


@given(st.one_of(st.text(), CLINICAL))
def test_any_text_is_tokenised_with_ranges_inside_it(text):
    tokens = tokenise(text, splitter=SPLITTER)
    assert all(0 <= t.start < t.end <= len(text) and t.term and 0 < t.weight <= 1 for t in tokens)
    assert all(a.start <= b.start for a, b in pairwise(tokens))
    assert not any("\n" in t.term for t in tokens)


@given(st.one_of(st.text(), CLINICAL))
def test_each_range_has_one_whole_word_and_each_part_once(text):
    seen = {}
    for token in tokenise(text, splitter=SPLITTER):
        seen.setdefault((token.start, token.end), []).append(token)
    for tokens in seen.values():
        assert [t.part for t in tokens].count(False) >= 1
        assert all(t.weight < 1 for t in tokens if t.part)
