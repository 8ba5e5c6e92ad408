import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.graph import Patch, TextColumn
from oncosearch.index.names import NameIndex, open_names, save_names
from oncosearch.model import ArtefactMismatchError, Code, LocalText, Node, SnapshotKey, Synonym

NODES = [
    Node(
        "brust",
        "disease",
        LocalText.of({"de": "Mammakarzinom", "en": "Breast cancer"}),
        synonyms=(Synonym("Brustkrebs"), Synonym("Karzinom", scope="broad")),
        codes=(Code("ICD-10-GM", "C50.9"),),
    ),
    Node("her2", "biomarker", LocalText.of({"de": "HER2-positives Mammakarzinom"})),
    Node("nausea", "supportive_care", LocalText.of({"de": "Übelkeit"}), codes=(Code("X", "Brustkrebs"),)),
]
NAMES = NameIndex.of(NODES)

titles = st.sampled_from(["Ä", "a", "ab", "B", "z"])
NODE_SETS = st.dictionaries(
    st.sampled_from("pqrst"),
    st.tuples(titles, st.lists(titles, max_size=2), st.lists(titles, max_size=1)),
).map(
    lambda given: {
        node_id: Node(
            node_id,
            "drug",
            LocalText.of({"de": title}),
            synonyms=tuple(Synonym(s) for s in dict.fromkeys(synonyms)),
            codes=tuple(Code("X", c) for c in codes),
        )
        for node_id, (title, synonyms, codes) in given.items()
    }
)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("Mammakarzinom", [(0, "title")]),
        ("  breast   CANCER ", [(0, "title")]),
        ("c50.9", [(0, "code")]),
        ("Brustkrebs", [(0, "synonym"), (2, "code")]),
        ("Uebelkeit", [(2, "title")]),
        ("Karzinom", []),
        ("Mamma", []),
        ("", []),
    ],
)
def test_exact_names(typed, expected):
    assert NAMES.exact(typed) == expected


def test_suggestions_begin_before_they_contain_and_shorter_ones_come_first():
    assert NAMES.suggest("mamma", 5) == [0, 1]
    assert NAMES.suggest("karz", 5) == [0, 1]
    assert NAMES.suggest("C50", 5) == [0]
    assert NAMES.suggest("her2", 5) == [1]
    assert NAMES.suggest("mamma", 1) == [0]
    assert NAMES.suggest("nothing like it", 5) == []
    assert NAMES.suggest(" ", 5) == []


def test_synonyms_of_every_scope_are_suggested_and_say_so():
    assert [(m.node, m.name, m.kind) for m in NAMES.matches("karz", 5)] == [
        (0, "karzinom", "synonym.broad"),
        (1, "her2-positives mammakarzinom", "title"),
    ]
    assert [(m.node, m.kind) for m in NAMES.matches("brustk", 5)] == [(0, "synonym"), (2, "code")]
    odd = NameIndex.of([Node("x", "drug", LocalText.of({"de": "x"}), synonyms=(Synonym("Eigen", scope="unheard"),))])
    assert [m.kind for m in odd.matches("eigen", 5)] == ["synonym.related"]
    assert odd.exact("Eigen") == []


def test_a_suggestion_never_spans_two_names():
    joined = "breast cancer" + "brustkrebs"
    assert NAMES.suggest(joined, 5) == []


def test_names_survive_the_disk_and_refuse_another_snapshot(tmp_path):
    key = SnapshotKey("g", "1")
    save_names(NAMES, tmp_path / "names", key, "hash")
    assert open_names(tmp_path / "names", key, "hash").exact("C50.9") == [(0, "code")]
    with pytest.raises(ArtefactMismatchError, match="other"):
        open_names(tmp_path / "names", key, "other")


@given(st.lists(NODE_SETS, min_size=2, max_size=2))
def test_patched_names_are_those_of_all_nodes(states):
    old, new = ([node for _, node in sorted(state.items())] for state in states)
    fresh = [node for node in new if states[0].get(node.id) != node]
    patch = Patch.of(TextColumn.of([n.id for n in old]), fresh, sorted(states[0].keys() - states[1].keys()))
    patched, whole = NameIndex.of(old).patched(patch), NameIndex.of(new)
    assert list(patched.names) == list(whole.names)
    assert patched.nodes.tolist() == whole.nodes.tolist()
    assert patched.kinds.tolist() == whole.kinds.tolist()
    assert (patched.nodes.dtype, patched.kinds.dtype) == (whole.nodes.dtype, whole.kinds.dtype)
