"""One small handmade graph per format, with what must come out of it: the behaviour suite runs on each of them."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from oncosearch.ingest import Assembled, read_graph


@dataclass(frozen=True)
class Case:
    """A graph as files, in the order of their names.

    ``ids`` are all nodes that come out; among them are two that differ only in case and two that differ only in
    leading zeros. ``skipped`` holds (file:line, kind), ``warnings`` kind → count. ``cycle`` are files of the same
    format whose hierarchy runs in a circle, with ``cycle_nodes`` nodes.
    """

    format: str
    files: dict[str, str]
    ids: tuple[str, ...]
    rows: int
    warnings: dict[str, int] = field(default_factory=dict)
    skipped: tuple[tuple[str, str], ...] = ()
    merged: int = 0
    made: int = 0
    cycle: dict[str, str] = field(default_factory=dict)
    bomb: str = ""
    mapping: str = ""

    def write(self, folder: Path, files: dict[str, str] | None = None) -> list[Path]:
        """Write the files and return their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = []
        for name, text in (self.files if files is None else files).items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
            paths.append(folder / name)
        return paths

    def options(self, folder: Path) -> dict[str, object]:
        """Return what reading needs beside the paths: the format, and the mapping file where there is one."""
        if not self.mapping:
            return {"format": self.format}
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "mapping.toml"
        path.write_text(self.mapping, encoding="utf-8")
        return {"mapping": path}

    def read(self, folder: Path, **more: object) -> Assembled:
        """Write the files and read them."""
        return read_graph(self.write(folder / "files"), **{**self.options(folder), **more})  # type: ignore[arg-type]


OBO = Case(
    "obo",
    {
        "small.obo": """format-version: 1.2
data-version: releases/2026-01-02/small.obo
ontology: small

[Term]
id: DOID:1
name: Tumour \\! of "X" \\\\ Y ! a comment
def: "Says \\"hi\\" \\\\ to {all}: done ! really." [PMID:12345, url:http\\://example.org/a?b=c, DO:xyz]
synonym: "a: \\"b\\" ! c \\\\ d" NARROW [PMID:678]
synonym: "wide" BROAD []
xref: NCI:C1
xref: ICD10CM:C50.9 "Breast ! : x"
xref: PMID:99
alt_id: DOID:7
is_a: DOID:1 ! itself
relationship: part_of DOID:01 ! another
relationship: part_of DOID:404

[Term]
id: DOID:01
name: Second
name: Zweiter
is_a: DOID:1
is_a: DOID:404
foo: no such tag
synonym: "open EXACT []

[Term]
id: doid:a
name: small a
is_a: DOID:1

[Term]
id: doid:A
name: big A
is_a: DOID:1

[Term]
id: DOID:9
name: old
is_obsolete: true
replaced_by: DOID:1

[Typedef]
id: part_of
name: part of
"""
    },
    ids=("DOID:1", "DOID:01", "doid:a", "doid:A"),
    rows=5,
    warnings={
        "self_parent": 1,
        "dangling_parent": 1,
        "dangling_link": 1,
        "two_labels": 1,
        "unknown_link_kind": 2,
        "source_without_url": 1,
        "no_licence": 1,
    },
    skipped=(("small.obo:25", "bad_clause"), ("small.obo:26", "bad_clause"), ("small.obo:38", "obsolete")),
    cycle={"cycle.obo": "[Term]\nid: X:1\nname: a\nis_a: X:2\n\n[Term]\nid: X:2\nname: b\nis_a: X:1\n"},
)

_BASE = "http://purl.obolibrary.org/obo/"
_EXACT = "hasExactSynonym"


def _obograph(nodes: list[dict], edges: list[tuple[str, str, str]]) -> str:
    return json.dumps(
        {
            "graphs": [
                {
                    "id": _BASE + "small.json",
                    "meta": {"version": _BASE + "releases/2026-01-02/small.json"},
                    "nodes": [{"type": "CLASS", **node, "id": _BASE + node["id"]} for node in nodes],
                    "edges": [
                        {"sub": _BASE + sub, "pred": pred if pred == "is_a" else _BASE + pred, "obj": _BASE + obj}
                        for sub, pred, obj in edges
                    ],
                }
            ]
        },
        indent=1,
    )


OBOGRAPH = Case(
    "obograph",
    {
        "small.json": _obograph(
            [
                {
                    "id": "DOID_1",
                    "lbl": 'Tumour ! of "X" \\ Y',
                    "meta": {
                        "definition": {
                            "val": 'Says "hi" \\ to {all}: done ! really.',
                            "xrefs": ["PMID:12345", "url:http://example.org/a?b=c", "DO:xyz"],
                        },
                        "synonyms": [
                            {"pred": "hasNarrowSynonym", "val": 'a: "b" ! c \\ d', "xrefs": ["PMID:678"]},
                            {"pred": "hasBroadSynonym", "val": "wide"},
                        ],
                        "xrefs": [{"val": "NCI:C1"}, {"val": "ICD10CM:C50.9"}, {"val": "PMID:99"}],
                        "basicPropertyValues": [{"pred": "http://x#hasAlternativeId", "val": "DOID:7"}],
                    },
                },
                {
                    "id": "DOID_01",
                    "lbl": "Second",
                    "meta": {
                        "basicPropertyValues": [
                            {"pred": "http://www.w3.org/2000/01/rdf-schema#label", "val": "Zweiter"}
                        ]
                    },
                },
                {"id": "doid_a", "lbl": "small a"},
                {"id": "doid_A", "lbl": "big A"},
                {"id": "DOID_9", "lbl": "old", "meta": {"deprecated": True}},
                {"id": "part_of", "lbl": "part of", "type": "PROPERTY"},
            ],
            [
                ("DOID_1", "is_a", "DOID_1"),
                ("DOID_01", "is_a", "DOID_1"),
                ("DOID_01", "is_a", "DOID_404"),
                ("doid_a", "is_a", "DOID_1"),
                ("doid_A", "is_a", "DOID_1"),
                ("DOID_1", "part_of", "DOID_01"),
                ("DOID_1", "part_of", "DOID_404"),
                ("DOID_500", "is_a", "DOID_1"),
            ],
        )
    },
    ids=OBO.ids,
    rows=5,
    warnings=OBO.warnings,
    skipped=(("small.json:1", "bad_edge"), ("small.json:79", "obsolete")),
    cycle={
        "cycle.json": _obograph(
            [{"id": "X_1", "lbl": "a"}, {"id": "X_2", "lbl": "b"}], [("X_1", "is_a", "X_2"), ("X_2", "is_a", "X_1")]
        )
    },
    bomb='{"graphs": ' + "[" * 100_000,
)

_OWL_HEAD = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
     xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#"
     xmlns:obo="http://purl.obolibrary.org/obo/" xmlns:skos="http://www.w3.org/2004/02/skos/core#"
     xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/small.owl">
  <owl:versionIRI rdf:resource="http://purl.obolibrary.org/obo/releases/2026-01-02/small.owl"/>
</owl:Ontology>
"""


def _owl(*classes: tuple[str, str], more: str = "") -> str:
    texts = [f'<owl:Class rdf:about="{_BASE}{name}">\n{inside}\n</owl:Class>\n' for name, inside in classes]
    return _OWL_HEAD + "".join(texts) + more + "</rdf:RDF>\n"


def _below(name: str) -> str:
    return f'<rdfs:subClassOf rdf:resource="{_BASE}{name}"/>'


def _part_of(name: str) -> str:
    return (
        f'<rdfs:subClassOf><owl:Restriction><owl:onProperty rdf:resource="{_BASE}part_of"/>'
        f'<owl:someValuesFrom rdf:resource="{_BASE}{name}"/></owl:Restriction></rdfs:subClassOf>'
    )


_OWL_FIRST = f"""<rdfs:label>Tumour ! of "X" \\ Y</rdfs:label>
<obo:IAO_0000115>Says "hi" \\ to {{all}}: done ! really.</obo:IAO_0000115>
<oboInOwl:hasNarrowSynonym>a: "b" ! c \\ d</oboInOwl:hasNarrowSynonym>
<oboInOwl:hasBroadSynonym>wide</oboInOwl:hasBroadSynonym>
<oboInOwl:hasDbXref>NCI:C1</oboInOwl:hasDbXref>
<oboInOwl:hasDbXref>ICD10CM:C50.9</oboInOwl:hasDbXref>
<oboInOwl:hasDbXref>PMID:99</oboInOwl:hasDbXref>
<oboInOwl:hasAlternativeId>DOID:7</oboInOwl:hasAlternativeId>
{_below("DOID_1")}
{_part_of("DOID_01")}
{_part_of("DOID_404")}"""


def _axiom(about: str, text: str, *references: str) -> str:
    refs = "".join(f"<oboInOwl:hasDbXref>{ref}</oboInOwl:hasDbXref>" for ref in references)
    return (
        f'<owl:Axiom><owl:annotatedSource rdf:resource="{_BASE}DOID_1"/><owl:annotatedProperty rdf:resource="{about}"/>'
        f"<owl:annotatedTarget>{text}</owl:annotatedTarget>{refs}</owl:Axiom>\n"
    )


OWL = Case(
    "owl",
    {
        "small.owl": _owl(
            ("DOID_1", _OWL_FIRST),
            (
                "DOID_01",
                f"<rdfs:label>Second</rdfs:label><rdfs:label>Zweiter</rdfs:label>{_below('DOID_1')}{_below('DOID_404')}",
            ),
            ("doid_a", f"<rdfs:label>small a</rdfs:label>{_below('DOID_1')}"),
            ("doid_A", f"<rdfs:label>big A</rdfs:label>{_below('DOID_1')}"),
            ("DOID_9", "<rdfs:label>old</rdfs:label><owl:deprecated>true</owl:deprecated>"),
            more=f'<owl:ObjectProperty rdf:about="{_BASE}part_of"><rdfs:label>part of</rdfs:label></owl:ObjectProperty>'
            + _axiom(_BASE + "IAO_0000115", "x", "PMID:12345", "url:http://example.org/a?b=c", "DO:xyz")
            + _axiom("http://www.geneontology.org/formats/oboInOwl#hasNarrowSynonym", "x", "PMID:678"),
        )
    },
    ids=OBO.ids,
    rows=5,
    warnings=OBO.warnings,
    skipped=(("small.owl:31", "obsolete"),),
    cycle={
        "cycle.owl": _owl(
            ("X_1", f"<rdfs:label>a</rdfs:label>{_below('X_2')}"), ("X_2", f"<rdfs:label>b</rdfs:label>{_below('X_1')}")
        )
    },
    bomb=_OWL_HEAD + "<owl:Class>" * 100_000,
)


def _tumour(code: str, **more: object) -> dict[str, object]:
    return {
        "code": code,
        "name": f"Tumour {code}",
        "mainType": "Main",
        "externalReferences": {},
        "tissue": "Tissue",
        "children": {},
        "parent": None,
        "level": 2,
        **more,
    }


ONCOTREE = Case(
    "oncotree",
    {
        "oncotree_2026_01_02.json": json.dumps(
            {
                "TISSUE": _tumour(
                    "TISSUE",
                    level=0,
                    children={
                        "01": _tumour(
                            "01", parent="TISSUE", externalReferences={"UMLS": ["C1"], "NCI": ["C2"]}, history=["OLD"]
                        ),
                        "1": _tumour("1", parent="TISSUE"),
                        "aml": _tumour("aml", parent="TISSUE", name="Hämangiom"),
                        "AML": _tumour("AML", parent="ELSEWHERE"),
                        "X": {"name": "no code", "children": {}},
                        "Y": _tumour("Y", parent="TISSUE", name=None),
                    },
                )
            },
            indent=1,
            ensure_ascii=False,
        )
    },
    ids=("oncotree:TISSUE", "oncotree:01", "oncotree:1", "oncotree:aml", "oncotree:AML"),
    rows=7,
    warnings={"two_parents": 1},
    skipped=(("oncotree_2026_01_02.json:1", "no_code"), ("oncotree_2026_01_02.json:64", "wrong_type")),
    cycle={"cycle.json": json.dumps([_tumour("a", parent="b"), _tumour("b", parent="a")])},
    bomb='{"mainType": "tissue", "externalReferences": ' + "[" * 100_000,
)

_SYSTEM = {
    "resourceType": "CodeSystem",
    "id": "grading",
    "url": "https://example.org/grading",
    "title": "Grading",
    "publisher": "Example",
    "copyright": "CC0",
    "content": "complete",
    "count": 8,
}

FHIR = Case(
    "fhir",
    {
        "a-system.json": json.dumps(
            {
                **_SYSTEM,
                "concept": [
                    {
                        "code": "1",
                        "display": "mäßig differenziert",
                        "definition": 'Text: "x"',
                        "designation": [{"language": "en-US", "value": "moderate"}, {"value": "mittel"}],
                        "concept": [{"code": "01", "display": "darunter"}],
                    },
                    {"code": "a", "display": "klein", "property": [{"code": "parent", "valueCode": "1"}]},
                    {"code": "A", "display": "groß", "property": [{"code": "parent", "valueCode": "404"}]},
                    {"code": "s", "display": "selbst", "property": [{"code": "parent", "valueCode": "s"}]},
                    {"code": "o", "display": "alt", "property": [{"code": "inactive", "valueBoolean": True}]},
                    {"display": "ohne Code"},
                ],
            },
            indent=1,
            ensure_ascii=False,
        ),
        "b-map.json": json.dumps(
            {
                "resourceType": "ConceptMap",
                "id": "map",
                "group": [
                    {
                        "source": "https://example.org/grading",
                        "target": "http://snomed.info/sct",
                        "element": [
                            {"code": "1", "target": [{"code": "77", "display": "Mod.", "equivalence": "equal"}]},
                            {"code": "a", "target": [{"code": "077", "equivalence": "wider"}]},
                            {"code": "A", "target": [{"equivalence": "unmatched", "comment": "nothing fits"}]},
                            {"code": "Z", "target": [{"code": "77", "equivalence": "relatedto"}]},
                        ],
                    }
                ],
            },
            indent=1,
        ),
        "c-other.json": json.dumps({"resourceType": "ValueSet", "compose": "CodeSystem"}),
    },
    ids=(
        *("fhir:grading", "grading:1", "grading:01", "grading:a", "grading:A", "grading:s"),
        *("SNOMED CT:77", "SNOMED CT:077", "grading:Z"),
    ),
    rows=11,
    warnings={
        "self_parent": 1,
        "dangling_parent": 1,
        "unknown_concept": 1,
        "other_count": 1,
        "no_title_en": 6,
        "no_title_de": 2,
        "unknown_link_kind": 2,
    },
    skipped=(
        ("a-system.json:62", "obsolete"),
        ("a-system.json:1", "no_code"),
        ("b-map.json:29", "unmatched"),
        ("c-other.json:1", "other_resource"),
    ),
    merged=3,
    made=4,
    cycle={
        "cycle.json": json.dumps(
            {
                **_SYSTEM,
                "count": 2,
                "concept": [
                    {"code": "a", "display": "a", "property": [{"code": "parent", "valueCode": "b"}]},
                    {"code": "b", "display": "b", "property": [{"code": "parent", "valueCode": "a"}]},
                ],
            }
        )
    },
    bomb='{"resourceType": "CodeSystem", "concept": ' + "[" * 100_000,
)

_GRAPHML_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="name" attr.type="string"/>
<key id="d1" for="node" attr.name="type" attr.type="string"/>
<key id="d2" for="node" attr.name="grade" attr.type="int"/>
<key id="d3" for="edge" attr.name="label" attr.type="string"/>
<graph edgedefault="directed">
"""


def _vertex(node_id: str, name: str, more: str = "") -> str:
    return (
        f'<node id="{node_id}"><data key="d0">{name}</data><data key="d1">Erkrankung</data>'
        f'<data key="d2">007</data>{more}</node>\n'
    )


def _edge(source: str, target: str, label: str = "is_a", more: str = "") -> str:
    return f'<edge source="{source}" target="{target}"{more}><data key="d3">{label}</data></edge>\n'


GRAPHML = Case(
    "graphml",
    {
        "small.graphml": _GRAPHML_HEAD
        + _vertex("1", "Übelkeit &amp; “Ärger” 🧬 癌")
        + _vertex("01", "zwei", '<data key="d9">undeclared &lt;x&gt;</data>')
        + _vertex("a", "klein", '<graph edgedefault="directed">' + _vertex("A", "innen") + "</graph>")
        + _vertex("a", "noch einmal")
        + "<node/>\n"
        + _edge("01", "1")
        + _edge("1", "a", "parent of")
        + _edge("1", "1")
        + _edge("a", "404")
        + _edge("1", "01", "treats", ' directed="false" id="e"')
        + _edge("1", "01", "KNOWS")
        + '<hyperedge><endpoint node="1"/></hyperedge>\n'
        + "</graph>\n</graphml>\n"
    },
    ids=("1", "01", "a", "A"),
    rows=6,
    warnings={"self_parent": 1, "dangling_link": 1, "undeclared_key": 1, "unknown_link_kind": 1, "no_licence": 1},
    skipped=(("small.graphml:12", "duplicate_id"), ("small.graphml:13", "empty_id"), ("small.graphml:20", "hyperedge")),
    cycle={
        "cycle.graphml": _GRAPHML_HEAD
        + _vertex("x", "x")
        + _vertex("y", "y")
        + _edge("x", "y")
        + _edge("y", "x")
        + "</graph></graphml>"
    },
    bomb=_GRAPHML_HEAD + "<node>" * 100_000,
)

CASES: tuple[Case, ...] = (OBO, OBOGRAPH, OWL, ONCOTREE, FHIR, GRAPHML)
