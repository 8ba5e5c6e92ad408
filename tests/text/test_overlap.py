"""Which query words count."""

from oncosearch.text import CompoundSplitter, counted, tokenise

SPLITTER = CompoundSplitter.from_vocabulary(["Mamma", "Karzinom", "Lunge", "Krebs", "Tumor", "Therapie"])


def counting(query, text):
    present = {t.term for t in tokenise(text, splitter=SPLITTER)}
    return [t.term for t in counted(tokenise(query, splitter=SPLITTER), present)]


def test_a_generic_part_alone_does_not_count():
    assert counting("Lungenkrebs", "Krebs") == []
    assert counting("Lungenkrebs", "Magenkrebs") == []


def test_a_generic_part_counts_beside_a_telling_part():
    assert counting("Lungenkrebs", "Krebs der Lunge") == ["lung", "kreb"]
    assert counting("Mammakarzinom", "Karzinom der Mamma") == ["mamma", "karzinom"]


def test_the_whole_word_counts_with_its_parts():
    assert counting("Lungenkrebs", "Lungenkrebs") == ["lungenkreb", "lung", "kreb"]


def test_a_generic_word_by_itself_counts_as_any_word():
    assert counting("Krebs", "Lungenkrebs") == ["kreb"]


def test_a_compound_of_generic_parts_needs_all_of_them():
    assert counting("Tumortherapie", "Therapie") == []
    assert counting("Tumortherapie", "Therapie des Tumors") == ["tumor", "therapi"]
