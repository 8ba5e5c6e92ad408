"""The ablation of literature: its questions are those of the stated rule, and its tables hold what was counted."""

import hashlib
import json
import re

import pytest

from bench import literature_ablation as ablation
from tests.paths import SHARED_DATA

DATA = SHARED_DATA / "pubmedqa" / "ori_pqal.json" if SHARED_DATA else None
needs_data = pytest.mark.skipif(DATA is None or not DATA.is_file(), reason="PubMedQA is not beside the repository")
CANCER = re.compile(r"neoplasm|carcinoma|lymphoma|leukemi|sarcoma|melanoma|glioma|adenoma", re.IGNORECASE)


@pytest.fixture(scope="module")
def entries():
    return json.loads(DATA.read_text("utf-8"))


@needs_data
def test_the_questions_follow_the_rule_and_the_narratives_are_no_copies(entries):
    on_cancer = [pmid for pmid, entry in entries.items() if any(CANCER.search(m) for m in entry["MESHES"])]
    ordered = sorted(on_cancer, key=lambda pmid: hashlib.sha256(f"2412.14751 {pmid}".encode()).hexdigest())
    asked = ablation.asked_of(entries)
    assert [a.pmid for a in asked] == ordered[:60]
    for one in asked:
        words = re.findall(r"\w+", one.narrative.lower())
        entry = entries[one.pmid]
        text = " ".join(re.findall(r"\w+", " ".join([one.standard, *entry["CONTEXTS"], entry["LONG_ANSWER"]]).lower()))
        assert not any(" ".join(words[i : i + 7]) in text for i in range(len(words) - 6)), one.pmid


@needs_data
@pytest.mark.parametrize("titles", [True, False])
def test_the_rewrite_leaves_no_question_without_an_article(entries, titles):
    with ablation.collection(entries, titles=titles) as source:
        adapted = ablation.rankers(source, None)["Adapt-E"]
        for one in ablation.asked_of(entries):
            assert adapted(one.standard), one.pmid
            assert adapted(one.narrative), one.pmid
            assert len(set(adapted(one.narrative))) == len(adapted(one.narrative))


def test_the_tables_hold_what_was_counted():
    asked = [ablation.Asked("1", "a", "b"), ablation.Asked("2", "a", "b")]
    found = {"a": ["1"], "b": []}
    lines = ablation.report(asked, {"Boolean": found.__getitem__})
    assert lines[2].startswith("| Boolean | 50.0 [")
    assert "| 0.0 [0.0–0.0] | 41.7 | 0.0 |" in lines[2]
    assert lines[-1] == "| Boolean | 0/2 | 2/2 | 22/60 | 55/60 |"
