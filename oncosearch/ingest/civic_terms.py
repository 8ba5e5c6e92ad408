"""The fixed words of CIViC in German, and names made from them; what cannot be made from them stays English."""

from __future__ import annotations

import re

EVIDENCE_TYPES = {
    "Predictive": "Prädiktiv",
    "Prognostic": "Prognostisch",
    "Diagnostic": "Diagnostisch",
    "Predisposing": "Prädisponierend",
    "Functional": "Funktionell",
    "Oncogenic": "Onkogen",
}
DIRECTIONS = {"Supports": "stützt", "Does Not Support": "stützt nicht"}
SIGNIFICANCES = {
    "Sensitivity/Response": "Ansprechen",
    "Resistance": "Resistenz",
    "Reduced Sensitivity": "Vermindertes Ansprechen",
    "Adverse Response": "Unerwünschte Reaktion",
    "Better Outcome": "Günstigerer Verlauf",
    "Poor Outcome": "Ungünstigerer Verlauf",
    "Positive": "Positiv",
    "Negative": "Negativ",
    "Pathogenic": "Pathogen",
    "Likely Pathogenic": "Wahrscheinlich pathogen",
    "Benign": "Benigne",
    "Likely Benign": "Wahrscheinlich benigne",
    "Uncertain Significance": "Unklare Bedeutung",
    "Gain of Function": "Funktionsgewinn",
    "Loss of Function": "Funktionsverlust",
    "Neomorphic": "Neomorph",
    "Dominant Negative": "Dominant-negativ",
    "Unaltered Function": "Unveränderte Funktion",
    "Unknown": "Unbekannt",
}
LEVELS = {
    "A": ("validated association", "gesicherter Zusammenhang"),
    "B": ("clinical evidence", "klinische Evidenz"),
    "C": ("case study", "Fallbericht"),
    "D": ("preclinical evidence", "präklinische Evidenz"),
    "E": ("inferential association", "abgeleiteter Zusammenhang"),
}
ORIGINS = {
    "Somatic": "somatisch",
    "Rare Germline": "seltene Keimbahnvariante",
    "Common Germline": "häufige Keimbahnvariante",
    "Unknown": "unbekannt",
}
INTERACTIONS = {"Combination": "Kombination", "Substitutes": "Alternativen", "Sequential": "Nacheinander"}
# How the drugs of one evidence item are joined in a title.
JOINTS = {"Combination": " + ", "Substitutes": " / ", "Sequential": " → "}

# The diseases that CIViC names most often, in the words of German oncology.
DISEASES = {
    "Acute Lymphoblastic Leukemia": "Akute lymphatische Leukämie",
    "Acute Myeloid Leukemia": "Akute myeloische Leukämie",
    "Acute Promyelocytic Leukemia": "Akute Promyelozytenleukämie",
    "Bladder Carcinoma": "Harnblasenkarzinom",
    "Breast Cancer": "Mammakarzinom",
    "Cancer": "Krebserkrankung",
    "Cholangiocarcinoma": "Cholangiokarzinom",
    "Chronic Lymphocytic Leukemia": "Chronische lymphatische Leukämie",
    "Chronic Myeloid Leukemia": "Chronische myeloische Leukämie",
    "Clear Cell Renal Cell Carcinoma": "Klarzelliges Nierenzellkarzinom",
    "Colorectal Adenocarcinoma": "Kolorektales Adenokarzinom",
    "Colorectal Cancer": "Kolorektales Karzinom",
    "Desmoid Tumor": "Desmoidtumor",
    "Diffuse Large B-cell Lymphoma": "Diffuses großzelliges B-Zell-Lymphom",
    "Endometrial Cancer": "Endometriumkarzinom",
    "Estrogen-receptor Positive Breast Cancer": "Östrogenrezeptor-positives Mammakarzinom",
    "Gastric Adenocarcinoma": "Adenokarzinom des Magens",
    "Gastrointestinal Stromal Tumor": "Gastrointestinaler Stromatumor",
    "Glioblastoma": "Glioblastom",
    "Glioma": "Gliom",
    "Head And Neck Cancer": "Kopf-Hals-Tumor",
    "Head And Neck Squamous Cell Carcinoma": "Plattenepithelkarzinom des Kopf-Hals-Bereichs",
    "Her2-receptor Positive Breast Cancer": "HER2-positives Mammakarzinom",
    "Lung Adenocarcinoma": "Adenokarzinom der Lunge",
    "Lung Cancer": "Lungenkarzinom",
    "Lung Non-small Cell Carcinoma": "Nicht-kleinzelliges Lungenkarzinom",
    "Lung Small Cell Carcinoma": "Kleinzelliges Lungenkarzinom",
    "Lung Squamous Cell Carcinoma": "Plattenepithelkarzinom der Lunge",
    "Lynch Syndrome": "Lynch-Syndrom",
    "Malignant Mesothelioma": "Malignes Mesotheliom",
    "Mantle Cell Lymphoma": "Mantelzelllymphom",
    "Melanoma": "Melanom",
    "Multiple Myeloma": "Multiples Myelom",
    "Myelodysplastic Syndrome": "Myelodysplastisches Syndrom",
    "Neuroblastoma": "Neuroblastom",
    "Ovarian Cancer": "Ovarialkarzinom",
    "Pancreatic Adenocarcinoma": "Adenokarzinom des Pankreas",
    "Pancreatic Cancer": "Pankreaskarzinom",
    "Pancreatic Ductal Adenocarcinoma": "Duktales Adenokarzinom des Pankreas",
    "Prostate Cancer": "Prostatakarzinom",
    "Renal Cell Carcinoma": "Nierenzellkarzinom",
    "Sarcoma": "Sarkom",
    "Skin Melanoma": "Melanom der Haut",
    "Solid Tumor": "Solider Tumor",
    "Stomach Cancer": "Magenkarzinom",
    "Stomach Carcinoma": "Magenkarzinom",
    "Synovial Sarcoma": "Synovialsarkom",
    "Thyroid Gland Medullary Carcinoma": "Medulläres Schilddrüsenkarzinom",
    "Thyroid Gland Papillary Carcinoma": "Papilläres Schilddrüsenkarzinom",
    "Uveal Melanoma": "Uveamelanom",
    "Von Hippel-Lindau Disease": "Von-Hippel-Lindau-Erkrankung",
}

_VARIANT_WORDS = {
    "alteration": "Veränderung",
    "amplification": "Amplifikation",
    "and": "und",
    "deletion": "Deletion",
    "duplication": "Duplikation",
    "exon": "Exon",
    "expression": "Expression",
    "frameshift": "Frameshift",
    "fusion": "Fusion",
    "fusions": "Fusionen",
    "hypermethylation": "Hypermethylierung",
    "insertion": "Insertion",
    "loss": "Verlust",
    "methylation": "Methylierung",
    "mutation": "Mutation",
    "mutations": "Mutationen",
    "nuclear": "nukleäre",
    "overexpression": "Überexpression",
    "phosphorylation": "Phosphorylierung",
    "promoter": "Promotor",
    "rearrangement": "Rearrangement",
    "translocation": "Translokation",
    "underexpression": "Verminderte Expression",
    "wildtype": "Wildtyp",
}
_WHOLE_VARIANTS = {
    "loss-of-function": "Funktionsverlust",
    "gain-of-function": "Funktionsgewinn",
    "wild type": "Wildtyp",
    "promoter methylation": "Promotormethylierung",
    "promoter hypermethylation": "Promotorhypermethylierung",
    "internal duplication": "interne Duplikation",
    "kinase domain mutation": "Mutation der Kinasedomäne",
    "nuclear expression": "nukleäre Expression",
    "cytoplasmic expression": "zytoplasmatische Expression",
}
_EXON = re.compile(r"exon ([0-9]+(?:-[0-9]+)?) (mutation|deletion|insertion)", re.IGNORECASE)
_ENGLISH_WORD = re.compile(r"[A-Za-z]{4,}|and|of|or|in|at")
# One word with the ending of an international nonproprietary name.
_INN = re.compile(
    r"(?!Vaccine|Hormone)[A-Z][a-z]{2,}"
    r"(?:ib|mab|cept|in|an|ant|xel|mus|stat|trexed|clax|cil|fen|ide|ine|one|ole|ane)"
)


def variant_name(variant: str) -> str | None:
    """Return the variant in German, or None where a word of it is not known; names such as T790M stay as they are."""
    whole = _WHOLE_VARIANTS.get(variant.casefold())
    if whole is not None:
        return whole
    exon = _EXON.fullmatch(variant)
    if exon is not None:
        return f"Exon-{exon.group(1)}-{_VARIANT_WORDS[exon.group(2).casefold()]}"
    words = []
    for word in variant.split(" "):
        german = _VARIANT_WORDS.get(word.casefold())
        if german is None and _ENGLISH_WORD.fullmatch(word.casefold()):
            return None
        words.append(german or word)
    return " ".join(words)


def drug_name(name: str) -> str | None:
    """Return an international nonproprietary name in its German form, or None where the name is of another kind.

    The German form of such names drops a final e (Gemcitabine, Gemcitabin) and is else the same.
    """
    return name.removesuffix("e") if _INN.fullmatch(name) else None
