"""The tables of the German cancer registries: a handmade folder for every rule, the real tables where present."""

import pytest

from oncosearch.ingest import GraphRefusedError, find_format, read_graph
from oncosearch.model import Code, Link
from tests.ingest.readers import RKI_TABLES, write_files
from tests.paths import SHARED_DATA

RKI = SHARED_DATA / "rki" if SHARED_DATA else None


@pytest.fixture
def graph(tmp_path):
    return read_graph(write_files(tmp_path, RKI_TABLES))


def _node(graph, node_id):
    return next(n for n in graph.nodes if n.id == node_id)


def test_the_tables_are_told_by_their_columns(tmp_path):
    assert find_format(write_files(tmp_path / "a", RKI_TABLES)).key == "rki"
    assert (
        find_format(write_files(tmp_path / "b", {"diagnosen.csv": RKI_TABLES["icd10.csv"]}) / "diagnosen.csv").key
        == "rki"
    )


def test_icd_codes_hang_below_their_three_characters(graph):
    node = _node(graph, "rki:icd10:C34.1")
    assert node.parents == ("rki:icd10:C34",)
    assert node.title.get("de") == "Bösartige Neubildung: Oberlappen (-Bronchus)"
    assert node.codes == (Code("ICD-10-GM", "C34.1"),)
    assert _node(graph, "rki:icd10:C34").parents == ("rki:icd10",)
    assert _node(graph, "rki:icd10").parents == ()


def test_topography_and_diagnosis_of_one_code_are_two_nodes(graph):
    node = _node(graph, "rki:topographie:C34.1")
    assert (node.type, node.title.get("de")) == ("group", "Oberlappen der Lunge")
    assert node.parents == ("rki:topographie:C34",)
    assert node.field("Diagnosis").get("de") == "Paariges Organ."


def test_morphologies_hang_below_histology_and_group(graph):
    node = _node(graph, "rki:morphologie:8140/3")
    assert (node.title.get("de"), node.parents) == ("Adenokarzinom o.n.A.", ("rki:histologie:8140",))
    above = _node(graph, "rki:histologie:8140")
    assert (above.title.get("de"), above.parents) == (
        "Histologie 8140 (Adenokarzinom o.n.A.)",
        ("rki:morphologiegruppe:03",),
    )
    assert (
        _node(graph, "rki:morphologie:8140/1").title.get("de")
        == "Histologie 8140, unsicheres oder unbekanntes Verhalten"
    )
    assert "nicht in ICDO3" in _node(graph, "rki:morphologie:8140/1").field("Diagnosis").get("de")
    skipped = [entry for entry in graph.report.to_dict()["skipped"] if entry["what"] == "no_name"]
    assert [entry["line"] for entry in skipped] == ["morphologie.csv:4"]


def test_protocols_are_linked_to_their_substances(graph):
    node = _node(graph, "rki:protokoll:ABC")
    assert node.parents == ("rki:therapieart:CH",)
    assert node.links == (Link("rki:substanz:Cisplatin", "uses_drug"), Link("rki:substanz:G-CSF", "uses_drug"))
    assert node.field("Therapy").get("de") == "Substanzen: Cisplatin, G-CSF, Cisplatn."
    assert graph.report.count("unknown_substance") == 1
    assert _node(graph, "rki:protokoll:Instillation").links == ()
    assert graph.report.count("no_substance") == 1
    assert _node(graph, "rki:substanz:Cisplatin").codes == (Code("ATC", "L01XA01"),)
    assert _node(graph, "rki:substanz:G-CSF").codes == ()
    assert _node(graph, "rki:therapieart:?").title.get("de") == "Therapieart nicht angegeben"


def test_lists_are_stages(graph):
    assert [n.title.get("de") for n in graph.nodes if n.type == "staging"] == ["N0: keine Lymphknotenmetastasen", "N1"]


def test_every_row_is_accounted_for(graph):
    assert graph.report.balanced
    assert (graph.report.read, graph.report.skipped, graph.report.errors) == (15, 1, 0)
    assert graph.snapshot.languages == ("de",)


def test_one_table_alone_is_enough_and_two_of_one_kind_are_refused(tmp_path):
    folder = write_files(tmp_path, {"icd10.csv": RKI_TABLES["icd10.csv"], "liesmich.csv": "x;y\n1;2\n"})
    assert read_graph(folder).report.tables[0].name == "icd10.csv"
    write_files(tmp_path, {"icd10-alt.csv": RKI_TABLES["icd10.csv"]})
    with pytest.raises(GraphRefusedError, match="two files hold the table icd10"):
        read_graph(folder)


@pytest.mark.skipif(RKI is None or not RKI.is_dir(), reason="the registry tables are not on this machine")
def test_the_real_tables():
    graph = read_graph(RKI)
    rows = {t.name: (t.read, t.kept) for t in graph.report.tables}
    assert rows["icd10.csv"] == (891, 891)
    assert rows["topographie.csv"] == (400, 400)
    assert rows["morphologie.csv"] == (5790, 1268)
    assert rows["substanz.csv"] == (410, 410)
    assert rows["protokoll.csv"] == (164, 164)
    assert graph.report.balanced
    assert graph.report.count("dangling_parent") == graph.report.count("dangling_link") == 0
    drugs = [n for n in graph.nodes if n.type == "drug"]
    assert sum(bool(n.codes) for n in drugs) == 290
    # 455 cells name a substance, 11 of them are left to be chosen by hand and 13 are spelt otherwise elsewhere.
    assert graph.report.links == 455 - 11 - 13
    assert graph.report.count("unknown_substance") == 13
    assert _node(graph, "rki:icd10:C00.0").parents == ("rki:icd10:C00",)
    chop = {link.target for link in _node(graph, "rki:protokoll:CHOP").links}
    assert chop == {f"rki:substanz:{n}" for n in ("Cyclophosphamid", "Doxorubicin", "Vincristin", "Prednison")}
