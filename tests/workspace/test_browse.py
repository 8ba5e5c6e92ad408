"""What tells children apart, therapies with evidence, and suggestions with the part that matches."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.index.names import fold_name
from oncosearch.model import Link, LocalText, Node, SnapshotKey
from oncosearch.workspace.browse import first_sentence, matching_part, steps, suggestions, therapies_at, therapy_steps
from tests.small import graph_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Erster Satz. Zweiter Satz.", "Erster Satz."),
        ("Nur einer", "Nur einer"),
        ("Etwa z. B. so. Dann mehr.", "Etwa z. B. so."),
        ("Bei ca. 10 Prozent. Sonst nicht.", "Bei ca. 10 Prozent."),
        ("In der 1. Linie gegeben. Danach nicht.", "In der 1. Linie gegeben."),
        ("Dosis 80 mg/d, s.c. gegeben. Danach Kontrolle.", "Dosis 80 mg/d, s.c. gegeben."),
        ("Wirkt?  Ja.", "Wirkt?"),
        ("", ""),
    ],
)
def test_the_first_sentence(text, expected):
    assert first_sentence(text) == expected


def test_a_sentence_without_end_is_cut_at_a_word():
    cut = first_sentence("wort " * 200)
    assert cut.endswith("wort …")
    assert len(cut) <= 243


def _node(node_id, type="therapy", **fields):
    texts = tuple((key, LocalText.of({"de": text})) for key, text in fields.items())
    return Node(node_id, type, LocalText.of({"de": node_id}), fields=texts)


def test_the_telling_field_is_the_one_that_differs_among_siblings():
    same = "Systemische Behandlung."
    nodes = [
        _node("a", Therapy=f"{same} Mit A.", Dosage="80 mg."),
        _node("b", Therapy=f"{same} Mit B.", Dosage="40 mg."),
        _node("c", Therapy="Operation."),
        _node("d", "disease", Diagnosis="Selten.", Therapy=same),
        _node("e", "evidence"),
        _node("f", "therapy", Therapy=same),
    ]
    found = steps(graph_of(nodes), nodes, "de")
    assert [(s.field, s.sentence) for s in found] == [
        ("Dosage", "80 mg."),
        ("Dosage", "40 mg."),
        ("Therapy", "Operation."),
        ("Diagnosis", "Selten."),
        ("", ""),
        ("Therapy", same),
    ]


def test_required_biomarkers_are_named():
    marker = _node("egfr", "biomarker")
    therapy = Node("t", "therapy", LocalText.of({"de": "T"}), links=(Link("egfr", "requires_biomarker"),))
    assert steps(graph_of([marker, therapy]), [therapy], "de")[0].requires == (("egfr", "egfr"),)


def test_therapies_below_and_across(demo):
    key = demo.default_snapshot().key
    graph = demo.graph(key)
    ids = therapies_at(graph, graph.index("disease-nsclc"))
    assert {graph.type_of(graph.index(i)) for i in ids} == {"therapy"}
    assert ids == sorted(set(ids))
    found = therapy_steps(demo, key, ids, "de")
    levels = [t.level for t in found]
    graded = [level for level in levels if level is not None]
    assert levels == [*sorted(graded), *[None] * (len(levels) - len(graded))]
    assert graded
    assert all(t.sources or t.support for t in found[: len(graded)])
    supported = therapy_steps(demo, key, ["therapy-mamma-cdk46-1l"], "de")[0].support
    assert "evidence-monaleesa-2" in [node.id for node in supported]


@pytest.mark.parametrize(
    ("typed", "node_id", "kind", "scope", "marked"),
    [
        ("Adenokarzinom der L", "disease-nsclc", "synonym", "narrow", "Adenokarzinom der L"),
        ("nicht-kleinz", "disease-nsclc", "title", None, "Nicht-kleinz"),
        ("Non-small cell lung cancer (", "disease-nsclc", "title", None, "Non-small cell lung cancer ("),
    ],
)
def test_suggestions_show_what_matches(demo, typed, node_id, kind, scope, marked):
    key = demo.default_snapshot().key
    found = {s.node_id: s for s in suggestions(demo, key, typed, "de", 8)}[node_id]
    assert (found.kind, found.scope) == (kind, scope)
    assert found.name[found.start : found.end] == marked
    assert found.title == "Nicht-kleinzelliges Lungenkarzinom (NSCLC)"


def test_codes_are_suggested_with_their_system(demo):
    key = demo.default_snapshot().key
    found = suggestions(demo, key, "c50.9", "en", 8)
    assert [(s.kind, s.language, s.name) for s in found][:1] == [("code", "ICD-10-GM", "C50.9")]


@pytest.mark.parametrize(
    ("name", "typed", "part"),
    [
        ("Übelkeit", "uebel", "Übel"),
        ("Übelkeit", "übel", "Übel"),
        ("Strauß", "strauss", "Strauß"),
        ("HER2-positives Mammakarzinom", "mamma", "Mamma"),
        ("Mammakarzinom, Karzinom", "karz", "Karz"),
        ("Mammakarzinom", "karz", "karz"),
        ("TGF-β", "tgf-beta", "TGF-β"),
        ("Etwas", "nichts", ""),
        ("Etwas", "", ""),
    ],
)
def test_the_matching_part(name, typed, part):
    start, end = matching_part(name, typed)
    assert name[start:end] == part


words = st.text(st.characters(categories=["L", "N", "Zs", "Mn", "Pd"]), max_size=12).map(lambda t: " ".join(t.split()))


@given(words, words, words)
def test_what_was_typed_is_within_the_matching_part(before, typed, after):
    name = " ".join(f"{before}{typed}{after}".split())
    start, end = matching_part(name, typed)
    assert 0 <= start <= end <= len(name)
    if fold_name(typed) and fold_name(typed) in fold_name(name):
        assert end > start


def test_unknown_snapshots_are_refused(demo):
    from oncosearch.model import NotFoundError

    with pytest.raises(NotFoundError):
        suggestions(demo, SnapshotKey("none", "1"), "x", "de", 3)
