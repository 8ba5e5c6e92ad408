"""The cases of tables, nested catalogues and documents for the behaviour suite of the readers."""

from tests.ingest.reader_cases import Case
from tests.ingest.readers import BOM, NODE_TABLES, NODE_TABLES_MAPPING, RKI_TABLES, document_mapping

_RKI = {name: text.removeprefix(BOM) for name, text in RKI_TABLES.items() if name.endswith(".csv")}
_RKI["substanz.csv"] += "SO;g-csf;\n"
_RKI["tnm_n.csv"] += "01;\n"

RKI = Case(
    "rki",
    _RKI,
    ids=(
        *("rki:icd10", "rki:icd10:C34", "rki:icd10:C34.1"),
        *("rki:topographie", "rki:topographie:C34", "rki:topographie:C34.1"),
        *("rki:morphologie", "rki:morphologiegruppe:03", "rki:histologie:8140"),
        *("rki:morphologie:8140/3", "rki:morphologie:8140/1"),
        *("rki:therapie", "rki:therapieart:CH", "rki:therapieart:SO", "rki:therapieart:?"),
        *("rki:substanz:Cisplatin", "rki:substanz:G-CSF", "rki:substanz:g-csf"),
        *("rki:protokoll:ABC", "rki:protokoll:Instillation"),
        *("rki:tnm_n", "rki:tnm_n:0", "rki:tnm_n:1", "rki:tnm_n:01"),
    ),
    rows=17,
    made=8,
    warnings={"unknown_substance": 1, "no_substance": 1},
    skipped=(("morphologie.csv:4", "no_name"),),
)

CATALOGUE = Case(
    "catalogue",
    {
        "small.json": """[
 {"key": "tumor", "name": "Tumor entity", "criteria": [
  {"key": "1", "name": "First \\"one\\""},
  {"key": "01", "name": "C34.1", "description": "Upper lobe"},
  {"key": "a", "name": "Same", "subgroup": [
   {"key": "1", "name": "C34"},
   "no entry"
  ]},
  {"key": "A", "name": "Same", "subgroup": "none"},
  {"key": "x", "name": "Same"},
  {"key": "x", "name": "Other"}
 ]}
]
"""
    },
    ids=(
        *("cat:tumor", "cat:tumor/1", "cat:tumor/01", "cat:tumor/a", "cat:tumor/a/1"),
        *("cat:tumor/A", "cat:tumor/x~Same", "cat:tumor/x~Other"),
    ),
    rows=9,
    warnings={"title_is_code": 1, "no_list": 1},
    skipped=(("small.json:1", "no_entry"),),
    bomb='[{"key": "a", "name": "b", "criteria": ' + "[" * 100_000,
    mapping='format = "catalogue"\nlanguage = "en"\n[graph]\nid = "cat"\ntitle = "Catalogue"\nattribution = "Us."\n',
)

TABLES = Case(
    "tables",
    {name: text.removeprefix(BOM) for name, text in NODE_TABLES.items()},
    ids=("genes", "d:1", "d:01", "d:a", "d:A", "g:7"),
    rows=13,
    merged=5,
    made=1,
    warnings={
        "self_parent": 1,
        "dangling_parent": 1,
        "dangling_link": 1,
        "duplicate_parent": 1,
        "source_without_url": 1,
        "no_title_de": 5,
    },
    skipped=(("disease.csv:7", "empty_id"), ("subclass.csv:4", "dangling_edge"), ("edges.csv:5", "no_edge")),
    cycle={**NODE_TABLES, "subclass.csv": "child,parent\n1,a\n"},
    mapping=NODE_TABLES_MAPPING.replace('id = "tab"', 'id = "tab"\ntitle = "Tables"\nattribution = ["Us."]'),
)

_OID = '{"$oid": "665f00000000000000000001"}'
_DUMP = f"""{{"_id": {_OID}, "name": {{"de": "Eins"}}, "sub": [1, "01", {_OID}]}}
{{"_id": 1, "name": {{"de": "Zahl"}}}}
{{"_id": "1", "name": {{"de": "Text"}}}}
{{"_id": "01", "name": {{"de": "Null eins"}}, "up": {{"id": "404"}}}}
{{"_id": "a", "name": {{"de": "klein"}}, "drugs": [{{"ref": "nowhere", "how": "treats"}}]}}
{{"_id": "A", "name": {{"de": "gross"}}, "sub": ["lost"]}}
{{"_id": {{"$oid": "xyz"}}, "name": {{"de": "kaputt"}}}}
{{"_id": "x"}}
[1, 2]
{{"_id": "y", "_id": "z"}}
"""

EXTJSON = Case(
    "extjson",
    {"dump.json": _DUMP},
    ids=("oid:665f00000000000000000001", "number:1", "1", "01", "a", "A"),
    rows=10,
    warnings={"dangling_parent": 1, "dangling_link": 1, "dangling_child": 1, "self_parent": 1, "no_title_en": 6},
    skipped=(
        ("dump.json:7", "bad_value"),
        ("dump.json:8", "missing_title"),
        ("dump.json:9", "no_document"),
        ("dump.json:10", "duplicate_key"),
    ),
    cycle={
        "dump.json": '{"_id": "a", "name": {"de": "A"}, "sub": "b"}\n{"_id": "b", "name": {"de": "B"}, "sub": ["a"]}\n'
    },
    bomb='[{"_id": ' + "[" * 100_000,
    mapping=document_mapping("extjson", 'file = "*.json"').replace(
        'id = "docs"', 'id = "docs"\ntitle = "Documents"\nattribution = ["Us."]'
    ),
)

TABLE_CASES: tuple[Case, ...] = (RKI, CATALOGUE, TABLES, EXTJSON)
