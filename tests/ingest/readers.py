"""Small files of the tabular and nested formats, written for the tests."""

from pathlib import Path

BOM = "\ufeff"
RKI_TABLES = {
    "icd10.csv": f"{BOM}id;code;name;id3;epi_valide;p65_valide\n"
    "C34;C34;Bösartige Neubildung der Bronchien und der Lunge;C34;True;\n"
    "C341;C34.1;Bösartige Neubildung: Oberlappen (-Bronchus);C34;True;True\n",
    "topographie.csv": f"{BOM}id;code;name;id3;istPaarig\nC341;C34.1;Oberlappen der Lunge;C34;1\nC34;C34;Lunge;C34;\n",
    "morphologie.csv": f"{BOM}code;dignität;name;histologie;group\n"
    "8140/3;3;Adenokarzinom o.n.A.;8140;03\n"
    "8140/1;1;Kombination nicht in ICDO3 Katalog enthalten, aber zulässig;8140;03\n"
    "8140/9;9;;8140;03\n",
    "substanz.csv": "Therapieart;Substanz;Code\nCH;Cisplatin;L01XA01\nSO;G-CSF;\n",
    "protokoll.csv": f"{BOM}code;therapieart;substanz_1;substanz_2;substanz_3\n"
    "ABC;CH;Cisplatin;G-CSF ;Cisplatn\n"
    "Instillation;?;<Substanz(en) manuell wählen>;;\n",
    "therapieart.csv": f"{BOM}code;name\nCH;Chemotherapie\nSO;Sonstiges\n",
    "tnm_n.csv": f"{BOM}code;name\n0;keine Lymphknotenmetastasen\n1;N1\n",
    "LIZENZ": "CC BY 4.0\n",
}

CATALOGUE = """[
  {"key": "tumor", "name": "Tumorentität", "infoButtonText": ["Ausgewählte.", "Gruppen."], "childCategories": [
    {"key": "C34.%", "name": "C34.%", "description": "Bösartige Neubildung der Lunge", "subgroup": [
      {"key": "C34.1", "name": "C34.1", "description": "Oberlappen"},
      {"key": "C34", "name": "C34", "description": ""}
    ]},
    {"key": "T", "name": "T", "subCategoryName": "klinisch", "criteria": [{"key": "1", "name": "1"}]},
    {"key": "T", "name": "T", "subCategoryName": "pathologisch", "criteria": [{"key": "1", "name": "1"}]},
    {"key": "", "name": "Therapie des Tumors", "description": "Behandlung", "criteria": [
      {"key": "x", "name": "Ja"}, {"key": "x", "name": "Ja"}, {"key": "X", "name": "Nein"}]}
  ]}
]
"""
CATALOGUE_MAPPING = """
format = "catalogue"
[graph]
id = "kat"
snapshot = "2026"
[fields]
Diagnosis = ["infoButtonText"]
[types.below]
tumor = "disease"
[codes]
tumor = "ICD-10-GM"
"""

NODE_TABLES = {
    "disease.csv": f"{BOM}id,name,deutsch,other,code,kind,text,parent,pmid\n"
    '1,Lung cancer,Lungenkrebs,"NSCLC|Lung cancer| lung ca ",C34.9,D,"A text,\nover two lines.",,PMID:25923549\n'
    "01,Adenocarcinoma,,,C34.1,D,,1,\n"
    "a,Breast cancer,,,,?,,1|01,abc\n"
    "A,Sarcoma,,,,D,,A|none,\n"
    ",Nameless,,,,D,,,\n",
    "gene.tsv": 'gene\tsymbol\n7\tEGFR "kinase\n',
    "subclass.csv": "child,parent\na,1\nA,01\nnone,1\n",
    "edges.csv": "disease,gene,relation\n1,7,Mapped_To_Gene\n01,7,Other\n1,8,Mapped_To_Gene\n,7,Other\n",
}
NODE_TABLES_MAPPING = """
format = "tables"
language = "en"
[graph]
id = "tab"
languages = ["de", "en"]
[[groups]]
id = "genes"
title = "Genes"
[[nodes]]
file = "disease.csv"
id = "d:{id}"
type = { from = "kind", map = { D = "disease" }, default = "group" }
title.de = "deutsch"
title.en = "name"
synonyms = [{ from = "other", split = "|", scope = "narrow" }]
codes = [{ system = "ICD-10-GM", from = "code" }]
fields.Diagnosis = ["text", "Kind {kind}."]
sources = ["pmid"]
parents = [{ from = "d:{parent}", split = "|" }]
[[nodes]]
file = "gene.*"
quoting = false
delimiter = "\\t"
id = "g:{gene}"
type = "biomarker"
title = "symbol"
below = "genes"
[[parents]]
file = "subclass.csv"
child = "d:{child}"
parent = "d:{parent}"
[[links]]
file = "edges.csv"
source = "d:{disease}"
target = "g:{gene}"
kind = { from = "relation", map = { Mapped_To_Gene = "about_biomarker" }, default = "related_to" }
"""

DOCUMENTS = """{"_id": {"$oid": "665f00000000000000000001"}, "name": {"de": "Lunge", "en": "Lung"}, "kind": "tumour", \
"sub": [{"$oid": "665f00000000000000000002"}, {"$numberInt": "1"}], "when": {"$date": "2024-05-01T00:00:00Z"}}
{"_id": {"$oid": "665f00000000000000000002"}, "name": {"de": "Adenokarzinom"}, "kind": "tumour", \
"refs": [{"pmid": 25923549, "year": "2015-04", "level": "B"}, {"nct": "x"}], "up": {"id": "1"}}
{"_id": {"$numberInt": "1"}, "name": {"de": "Eins"}, "drugs": [{"ref": "1", "how": "uses_drug"}], "other": ["I", "uno"]}
{"_id": "1", "name": {"de": "Text eins"}, "kind": "drug", "icd.code": "L01"}
{"_id": {"$oid": "xyz"}, "name": {"de": "Kaputt"}}
not json
{"_id": {"$numberDouble": "1.5"}, "name": {"en": "One and a half"}}
"""
DOCUMENTS_MAPPING = """
format = "FORMAT"
[graph]
id = "docs"
[[nodes]]
WHERE
id = "_id"
type = { from = "kind", map = { tumour = "disease", drug = "drug" }, default = "group" }
title.de = "name.de"
title.en = "name.en"
synonyms = ["other"]
codes = [{ system = "ATC", from = "icd.code" }]
fields.Evidence.de = "Stand {when}."
sources = [{ each = "refs", id = "pmid", kind = "pubmed", year = "year", evidence_level = "level" }]
parents = "up.id"
children = "sub"
links = [{ each = "drugs", target = "ref", kind = { from = "how" } }]
"""


def document_mapping(format: str, where: str) -> str:
    return DOCUMENTS_MAPPING.replace("FORMAT", format).replace("WHERE", where)


def write_files(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder
