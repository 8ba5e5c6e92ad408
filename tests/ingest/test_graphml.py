import networkx
import pytest

from oncosearch.ingest import GraphRefusedError, read_graph
from oncosearch.model import Link
from tests.ingest.reader_cases import _GRAPHML_HEAD, GRAPHML, _edge, _vertex
from tests.paths import SHARED_DATA

FOLDER = SHARED_DATA / "graphml" if SHARED_DATA else None
needs_graphml = pytest.mark.skipif(
    FOLDER is None or not FOLDER.is_dir(), reason="the GraphML file is not on this machine (ONCOSEARCH_TEST_DATA)"
)


def test_texts_types_and_edges(tmp_path):
    nodes = {node.id: node for node in GRAPHML.read(tmp_path).nodes}
    assert dict(nodes["1"].title) == {"de": "Übelkeit & “Ärger” 🧬 癌"}
    assert nodes["1"].type == "disease"
    assert nodes["1"].links == (Link("01", "treats"), Link("01", "KNOWS"))
    assert nodes["01"].parents == ("1",)
    assert nodes["a"].parents == ("1",)
    assert nodes["A"].parents == ("a",)
    # A number is a text like any other: its leading zeros stay.
    assert dict(nodes["01"].field("Diagnosis")) == {"de": "grade: 007\nd9: undeclared <x>"}


def test_what_networkx_writes_is_read(tmp_path):
    graph = networkx.MultiDiGraph()
    graph.add_node("a", name="Größe", type="drug", description="Text", weight=1.5, synonyms="x|y")
    graph.add_node("b", Therapy="Therapie\nzwei Zeilen")
    graph.add_edge("a", "b", label="is_a")
    graph.add_edge("a", "b", label="interacts with")
    networkx.write_graphml(graph, tmp_path / "x.graphml")
    nodes = read_graph(tmp_path, language="en").nodes
    assert [node.type for node in nodes] == ["drug", "group"]
    assert dict(nodes[0].title) == {"en": "Größe"}
    assert [synonym.text for synonym in nodes[0].synonyms] == ["x", "y"]
    assert dict(nodes[0].field("Therapy")) == {"en": "Text\nweight: 1.5"}
    assert dict(nodes[1].field("Therapy")) == {"en": "Therapie\nzwei Zeilen"}
    assert (nodes[0].parents, nodes[0].links) == (("b",), (Link("b", "interacts_with"),))


def test_attributes_beside_the_format_are_values(tmp_path):
    text = _GRAPHML_HEAD + '<node id="a" labels=":Arzneimittel"><data key="d0">x</data></node>' + _vertex("b", "y")
    (tmp_path / "x.graphml").write_text(text + '<edge source="a" target="b" label="TREATS"/></graph></graphml>')
    first, _ = read_graph(tmp_path).nodes
    assert (first.type, first.links) == ("drug", (Link("b", "treats"),))


def test_defaults_count_for_those_that_say_nothing(tmp_path):
    head = _GRAPHML_HEAD.replace(
        'attr.name="type" attr.type="string"/>', 'attr.name="type" attr.type="string"><default>drug</default></key>'
    )
    text = head + '<node id="a"><data key="d0">x</data></node>' + _vertex("b", "y") + "</graph></graphml>"
    (tmp_path / "x.graphml").write_text(text, encoding="utf-8")
    assert [node.type for node in read_graph(tmp_path).nodes] == ["drug", "disease"]


def test_characters_that_xml_forbids_are_taken_out_and_counted(tmp_path):
    text = _GRAPHML_HEAD + _vertex("a", "Tu\x0bmor\x00 Ü") + _vertex("b", "y") + "</graph></graphml>"
    (tmp_path / "x.graphml").write_text(text, encoding="utf-8")
    graph = read_graph(tmp_path)
    assert graph.nodes[0].title.get("de") == "Tumor Ü"
    (where,) = [p.where for g in graph.report.problems if g.kind == "control_characters" for p in g.examples]
    assert where == "x.graphml:8"


def test_a_second_graph_is_listed(tmp_path):
    text = _GRAPHML_HEAD + _vertex("a", "x") + '</graph><graph edgedefault="directed">' + _vertex("b", "y")
    (tmp_path / "x.graphml").write_text(text + "</graph></graphml>", encoding="utf-8")
    report = read_graph(tmp_path).report
    assert (report.nodes, report.count("other_graph")) == (1, 1)


def test_edges_of_an_undirected_graph_are_links(tmp_path):
    text = _GRAPHML_HEAD.replace('"directed"', '"undirected"') + _vertex("a", "x") + _vertex("b", "y")
    text += _edge("b", "a", "") + "</graph></graphml>"
    (tmp_path / "x.graphml").write_text(text, encoding="utf-8")
    nodes = {node.id: node for node in read_graph(tmp_path).nodes}
    assert (nodes["a"].links, nodes["b"].links) == ((), (Link("a", "related_to"),))


@needs_graphml
def test_the_real_file_keeps_its_text():
    """It is no well-formed XML: control characters stand even inside its tags."""
    graph = read_graph(FOLDER)
    (node,) = graph.nodes
    text = node.field("Diagnosis").get("de")
    assert node.id == "n0"
    assert text.split("\n") == [
        "labels: :Unicode",
        "propZero: \x7fnotEscaped'",
        "propOne: 1628X",
        "propTwo: abcdef",
        "propThree: ajeje>",
        "propFour: brazor'f",
        'propFive: anoth&r " one',
    ]
    assert graph.report.count("control_characters") == 6


def test_a_value_or_declaration_without_key_is_listed(tmp_path):
    head = _GRAPHML_HEAD.replace("<graph ", '<key for="node" attr.name="x"/>\n<graph ', 1)
    text = head + '\n<node id="a"><data key="d0">x</data>\n<data>lost</data></node></graph></graphml>'
    (tmp_path / "x.graphml").write_text(text, encoding="utf-8")
    graph = read_graph(tmp_path)
    assert [dict(node.title) for node in graph.nodes] == [{"de": "x"}]
    (problems,) = [g.examples for g in graph.report.problems if g.kind == "no_key"]
    lines = text.splitlines()
    declared, lost = (next(n for n, line in enumerate(lines, 1) if s in line) for s in ('<key for="', "<data>"))
    assert [(p.where, p.message) for p in problems] == [
        (f"x.graphml:{declared}", "a key is declared without an id; the declaration is left out."),
        (f"x.graphml:{lost}", "the value 'lost' names no key; it is left out."),
    ]


def test_what_networkx_cannot_read_is_refused_in_one_line(tmp_path):
    # The name is that of an argument of networkx.
    head = _GRAPHML_HEAD.replace("<graph ", '<key id="k" for="node" attr.name="node_for_adding"/><graph ', 1)
    text = head + '<node id="a"><data key="k">x</data></node></graph></graphml>'
    (tmp_path / "x.graphml").write_text(text, encoding="utf-8")
    with pytest.raises(GraphRefusedError, match=r"networkx cannot read the graph \(TypeError: "):
        read_graph(tmp_path)
