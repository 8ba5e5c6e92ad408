import csv
import io
import json
import re

import pytest

from oncosearch.evaluate import (
    TREC_RULES,
    Measure,
    cell_text,
    compare_runs,
    csv_table,
    evaluate,
    heading,
    note_text,
    result_tables,
    to_csv,
    to_json,
    to_latex,
    topics_to_csv,
)
from oncosearch.evaluate.export import latex_text
from oncosearch.evaluate.tables import Column
from oncosearch.evaluate.wording import NOTES
from oncosearch.model import Qrels
from tests.evaluate.small import run_of

TOPICS = [f"t{i}" for i in range(8)]
QRELS = Qrels({**{t: {"a": 3, "b": 1, "twin": 1} for t in TOPICS}, "without": {"a": 0}})
GOOD = run_of("good", **{t: ["a", "b", "b"] for t in TOPICS})
BAD = run_of("=bad_1", **{t: [*(f"x{j}" for j in range(i + 1)), "a"] for i, t in enumerate(TOPICS)}, other=["a"])
SAME = run_of("same", **{t: ["a", "b"] for t in TOPICS})
CLOSE = run_of("close", **{t: ["a", "b"] for t in TOPICS[:6]})


@pytest.fixture(scope="module")
def evaluated():
    found = evaluate(QRELS, [GOOD, BAD, SAME, CLOSE], duplicates={"t0": ["twin"], "t1": ["x0"]})
    return found, compare_runs(found)


def notes(table):
    return {note.code: dict(note.values) for note in table.notes}


def test_tables_have_the_columns_of_the_paper(evaluated):
    tables = {table.number or table.key: table for table in result_tables(*evaluated)}
    assert list(tables) == [3, 4, 5, "judged", 6]
    headings = {number: [heading(column) for column in table.columns] for number, table in tables.items()}
    assert headings[3] == ["Run", "#Q", "P@1", "P@3", "P@5", "P@10"]
    assert headings[4] == ["Run", "#Q", "recall@1", "recall@3", "recall@5", "recall@10"]
    assert headings[5] == ["Run", "#Q", "nDCG@1", "nDCG@3", "nDCG@5", "nDCG@10", "nDCG@20", "MRR", "MAP"]
    assert headings[6][:5] == ["Run A", "Run B", "p", "q", "Significant"]
    assert [row[:2] for row in tables[3].rows] == [("good", 8), ("=bad_1", 8), ("same", 8), ("close", 8)]
    assert len(tables[6].rows) == 6


def test_only_the_measures_asked_for_are_shown(evaluated):
    (table,) = result_tables(evaluated[0], measures=[Measure("P", 5)])
    assert [column.key for column in table.columns] == ["run", "topics", "P@5"]


def test_cells_are_written_as_in_the_paper(evaluated):
    tables = {table.key: table for table in result_tables(*evaluated)}
    row = tables["ranking"].rows[0]
    assert cell_text(row[6], tables["ranking"].columns[6]) == "0.946 [0.939–0.962]"
    assert cell_text(row[6], tables["ranking"].columns[6], "de") == "0,946 [0,939–0,962]"
    first = next(row for row in tables["pairs"].rows if row[:2] == ("good", "=bad_1"))
    shown = [cell_text(cell, column) for cell, column in zip(first, tables["pairs"].columns, strict=True)]
    assert shown[:5] == ["good", "=bad_1", "0.007812", "0.023438", "yes"]
    assert re.fullmatch(r"\+0\.\d{3} \[\+0\.\d{3}; \+0\.\d{3}\]", shown[5])
    assert shown[6:10] == ["+1.000", "8", "0", "0"]


@pytest.mark.parametrize(
    ("p", "shown"), [(0.05, "0.050000"), (1e-7, "<0.000001"), (0.0, "<0.000001"), (1.0, "1.000000")]
)
def test_a_p_is_never_zero(p, shown):
    assert cell_text(p, Column("p", "p")) == shown


def test_n_and_the_rules_stand_under_each_table(evaluated):
    for table in result_tables(*evaluated):
        found = notes(table)
        assert found["interval"] == {"percent": 95, "resamples": 1000, "seed": 42}
        if table.key == "pairs":
            assert found["pairs"] == {"measure": "nDCG@10", "n": 8}
            assert found["bh"] == {"pairs": 6, "alpha": 0.05}
            assert {"wilcoxon", "effect", "permutation", "too_few"} <= set(found)
        else:
            assert found["topics"] == {"n": 8, "judged": 9}
            assert found["left_out"] == {"n": 1, "topics": "without"}
            assert found["missing"] == {"run": "close", "n": 2, "topics": "t6, t7"}
            assert found["not_judged"] == {"run": "=bad_1", "n": 1}
            assert "ties_ascending" in found
            removed = [dict(note.values) for note in table.notes if note.code == "removed"]
            assert removed == [
                {"run": "good", "duplicates": 0, "repeated": 8},
                {"run": "=bad_1", "duplicates": 1, "repeated": 0},
            ]


def test_every_note_has_words_and_every_word_is_used(evaluated):
    found, pairs = evaluated
    one = Qrels({"t0": QRELS.grades["t0"]})
    others = evaluate(one, [GOOD, SAME], rules=TREC_RULES)
    again = evaluate(one, [GOOD, SAME])
    tables = [
        *result_tables(found, pairs),
        *result_tables(others, compare_runs(others)),
        *result_tables(again, compare_runs(again)),
    ]
    used = {note.code: note_text(note) for table in tables for note in table.notes}
    assert set(used) == set(NOTES)
    assert not any("{" in text for text in used.values())
    assert used["interval"] == "In brackets: 95 % percentile bootstrap over topics, 1,000 resamples, seed 42."


def test_latex_holds_every_row_and_runs_nothing(evaluated):
    text = to_latex(result_tables(*evaluated))
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\toprule") == 5
    assert r"{=bad\_1} & 8 &" in text
    assert r"\#Q" in text
    assert "0.946 [0.939--0.962]" in text
    assert "n = 8 topics" in text
    assert "−" not in text
    assert "0,946" in to_latex(result_tables(*evaluated), "de")


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a & b_c 100 % #1 $x$", r"a \& b\_c 100 \% \#1 \$x\$"),
        ("a--b-c", "a-{}-b-c"),
        ("p < 0.05 ~ ^", r"p $<$ 0.05 \textasciitilde{} \textasciicircum{}"),
        ("Größe\x07\n", "Größe  "),
    ],
)
def test_latex_of_text_from_outside(text, written):
    assert latex_text(text) == written


@pytest.mark.parametrize(("language", "delimiter", "mark"), [("de", ";", ","), ("en", ",", ".")])
def test_csv_holds_every_figure_whole(evaluated, language, delimiter, mark):
    found, pairs = evaluated
    table = result_tables(found, pairs)[2]
    rows = list(csv.DictReader(io.StringIO(to_csv(table, language).decode("utf-8-sig")), delimiter=delimiter))
    assert [row["run"] for row in rows] == ["good", "'=bad_1", "same", "close"]
    for row, run in zip(rows, found.runs, strict=True):
        estimate = found.estimate(run, "nDCG@10")
        for name, value in (("", estimate.mean), (" lower", estimate.lower), (" upper", estimate.upper)):
            assert float(row[f"nDCG@10{name}"].replace(mark, ".")) == value


def test_csv_leaves_empty_what_there_is_not():
    found = evaluate(QRELS, [GOOD, SAME])
    header, (row,) = csv_table(result_tables(found, compare_runs(found))[-1])
    cells = dict(zip(header, row, strict=True))
    assert (cells["p"], cells["q"], cells["effect"], cells["significant"]) == ("", "", "", "no_difference")


def test_csv_of_the_topics(evaluated):
    found, _ = evaluated
    rows = list(csv.DictReader(io.StringIO(topics_to_csv(found).decode("utf-8-sig"))))
    assert len(rows) == 8 * 4
    assert rows[1]["run"] == "'=bad_1"
    assert [float(row["MRR"]) for row in rows if row["run"] == "close"] == found.of("close", "MRR").tolist()


def test_json_holds_what_the_figures_rest_on(evaluated):
    found, pairs = evaluated
    values = json.loads(to_json(found, pairs, {"qrels": "q"}))
    assert values["format"] == "oncosearch-evaluation-1"
    assert values["sources"] == {"qrels": "q"}
    assert (values["rules"]["seed"], values["rules"]["resamples"], values["rules"]["ties"]) == (42, 1000, "ascending")
    assert values["left_out"] == {"without": "no_relevant"}
    good = values["runs"][0]
    assert good["values"]["nDCG@10"] == found.of("good", "nDCG@10").tolist()
    assert good["means"]["MAP"]["mean"] == found.estimate("good", "MAP").mean
    assert good["removed"] == {"duplicates": 0, "repeated": 8}
    assert len(values["comparisons"]["pairs"]) == 6
    assert json.loads(to_json(found))["comparisons"] is None
