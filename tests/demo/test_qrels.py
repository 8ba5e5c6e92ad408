"""The demo's judgements as they are shipped, held to the graph, the topics, the stored runs and the printed tables."""

from __future__ import annotations

import csv
import json
from collections import Counter

import numpy as np
import pytest

from bench.evaluation import (
    GRID,
    LEXICAL,
    MODELS,
    PIPELINES,
    QRELS,
    RUNS,
    against_dense,
    against_words,
    few_hits,
    judgements_hash,
    stored_evaluation,
    stored_figures,
    tables_text,
    tag_of,
)
from bench.evaluation_text import difference, estimate_text
from oncosearch.evaluate.exchange import read_duplicates, read_qrels, read_run, write_qrels
from oncosearch.workspace.topics import read_topics
from tests.paths import ROOT

DEMO = ROOT / "data" / "demo"
NODES = {json.loads(line)["id"] for line in (DEMO / "nodes.jsonl").read_text("utf-8").splitlines()}
TOPICS = {topic.id: topic.query for topic in read_topics(DEMO / "topics.tsv")}
TAGS = [*(tag_of(model, pipeline) for model in MODELS for pipeline in PIPELINES), LEXICAL]
POOLED = 10
CODE_TOPICS = [f"T{number}" for number in range(10, 21)]
GUIDELINES = (QRELS.parent / "GUIDELINES.md").read_text("utf-8")
FIGURES_FOUND = stored_figures()
with (QRELS.parent / "added.tsv").open(encoding="utf-8", newline="") as added:
    ADDED = list(csv.DictReader(added, delimiter="\t"))


@pytest.fixture(scope="module")
def evaluation():
    return stored_evaluation()


@pytest.fixture(scope="module")
def said():
    return (ROOT / "docs" / "evaluation.md").read_text("utf-8").split("\n## Demo results\n")[1]


@pytest.fixture(scope="module")
def printed():
    return (ROOT / "docs" / "evaluation-demo.md").read_text("utf-8")


def test_every_line_of_the_qrels_is_taken_and_written_back_as_it_was(tmp_path):
    qrels, report = read_qrels(QRELS)
    assert report.skipped == report.notes == ()
    write_qrels(qrels, tmp_path / QRELS.name)
    for written in tmp_path.iterdir():
        assert written.read_bytes() == (QRELS.parent / written.name).read_bytes()
    assert read_duplicates(QRELS) == {}


def test_every_topic_is_judged_and_has_something_relevant():
    grades = read_qrels(QRELS)[0].grades
    assert set(grades) == set(TOPICS)
    assert all(max(of_topic.values()) >= 2 for of_topic in grades.values())
    assert {grade for of_topic in grades.values() for grade in of_topic.values()} == {-1, 0, 1, 2, 3}


def test_every_judged_node_is_in_the_graph():
    assert {node for of_topic in read_qrels(QRELS)[0].grades.values() for node in of_topic} <= NODES


@pytest.mark.parametrize("tag", TAGS)
def test_the_first_ten_of_every_run_are_judged(tag):
    run, report = read_run(RUNS / f"{tag}.trec")
    grades = read_qrels(QRELS)[0].grades
    assert report.skipped == report.notes == ()
    assert run.tag == tag
    assert set(run.rankings) == set(TOPICS)
    for topic, ranking in run.rankings.items():
        assert len(ranking) <= 20
        assert {node for node, _ in ranking} <= NODES
        assert {node for node, _ in ranking[:POOLED]} <= set(grades[topic])


def test_what_was_added_by_hand_is_said_and_was_found_by_no_run():
    grades = read_qrels(QRELS)[0].grades
    runs = [read_run(RUNS / f"{tag}.trec")[0] for tag in TAGS]
    for line in ADDED:
        topic, node = line["topic"], line["node"]
        assert grades[topic][node] == int(line["grade"]) >= 1
        assert line["why"]
        assert all(node not in [found for found, _ in run.rankings[topic][:POOLED]] for run in runs)
    assert Counter(line["when"] for line in ADDED) == {"while judging": 5, "on review": 10}


def test_the_guidelines_say_what_each_topic_needs_and_who_judged():
    for topic, query in TOPICS.items():
        assert f"| {topic} | {query} |" in GUIDELINES
    readme = (QRELS.parent / "README.md").read_text("utf-8")
    assert "not by clinicians" in readme
    assert "CC BY 4.0" in readme
    assert json.loads((DEMO / "graph.json").read_text("utf-8"))["licence"] == "CC BY 4.0"


def test_the_stored_figures_are_of_these_judgements():
    for part in ("parameters", "smoothing"):
        assert FIGURES_FOUND[part]["judgements_sha256"] == judgements_hash()


def test_the_printed_tables_are_those_of_the_qrels_and_runs(printed):
    assert printed.endswith("\n".join(tables_text()))


def test_every_page_that_shows_results_says_that_a_language_model_judged(said, printed):
    for page in (said, printed):
        assert "**The judge was a language model, not clinicians.**" in page
    assert "**The judge was a language model" in (QRELS.parent / "README.md").read_text("utf-8")
    assert "Geurteilt hat ein Sprachmodell, keine Ärztin und kein Arzt." in GUIDELINES
    for language, words in (
        ("de", "von einem Sprachmodell gefällt, nicht von Ärzt"),
        ("en", "made by a language model, not by"),
    ):
        texts = json.loads((ROOT / "oncosearch" / "ui" / "texts" / f"{language}.json").read_text("utf-8"))
        assert all(words in texts[key] for key in ("compare.origin.demo", "evaluate.source.demo"))


def test_counts_that_are_said_are_those_of_the_files(said):
    grades = read_qrels(QRELS)[0].grades
    counts = Counter(grade for of_topic in grades.values() for grade in of_topic.values())
    readme = (QRELS.parent / "README.md").read_text("utf-8")
    by_grade = ", ".join(f"{grade}: {counts[grade]:,}" for grade in (3, 2, 1, 0)) + f", −1: {counts[-1]}"
    assert f"{by_grade}; {counts.total():,} in all" in readme
    assert f"{counts[0]:,} of {counts.total():,} grades are\n0" in said
    reviewed = [(line["topic"], line["node"]) for line in ADDED if line["when"] == "on review"]
    relevant = sum(grade >= 1 for topic in CODE_TOPICS for grade in grades[topic].values())
    assert {topic for topic, _ in reviewed} <= set(CODE_TOPICS)
    assert f"found {len(reviewed)} more relevant ones\nbeside {relevant - len(reviewed)}." in said
    again = [line.rsplit(",", 2)[1:] for line in (QRELS.parent / "again.csv").read_text("utf-8").splitlines()[1:]]
    same, n = sum(a == b for a, b in again), len(again)
    first, second = Counter(a for a, _ in again), Counter(b for _, b in again)
    by_chance = sum(first[grade] * second[grade] for grade in first) / n**2
    kappa = (same / n - by_chance) / (1 - by_chance)
    assert f"{same} of {n} pairs got the same grade (κ {kappa:.3f})" in said
    assert f"on the {len(TOPICS)} German topics of the demo graph ({len(NODES)} nodes)" in said


def test_what_is_said_of_runs_has_their_figures(said, evaluation):
    for model in MODELS:
        means = [estimate_text(evaluation.estimate(tag_of(model, pipeline), "nDCG@10")) for pipeline in PIPELINES]
        assert f" | {' | '.join(means)} |\n" in said
    assert f"has {estimate_text(evaluation.estimate(LEXICAL, 'nDCG@10'))}:" in said
    assert evaluation.means[:, evaluation.column("judged@10")].min() == 1
    twenty = evaluation.means[:, evaluation.column("judged@20")]
    assert 0.75 < twenty.min() <= twenty.max() < 0.9
    few = few_hits()
    assert list(few) == [LEXICAL]
    assert sentence(f"{topic} ({hits})" for topic, hits in few[LEXICAL].items()) in said
    others = np.array([topic not in few[LEXICAL] for topic in evaluation.topics])
    of_words = evaluation.of(LEXICAL, "recall@10")
    without = [(evaluation.of(tag_of(m, "diffused"), "recall@10") - of_words)[others].mean() for m in MODELS]
    assert f"recall@10 are +{min(without):.3f} to +{max(without):.3f} (no test)" in said


def test_what_is_said_of_differences_between_runs_has_their_figures(said, evaluation):
    rows = {(row["a"], row["measure"]): row for row in against_dense(evaluation)}
    for model in MODELS:
        cells = [cell(rows[tag_of(model, pipeline), "nDCG@10"]) for pipeline in PIPELINES[1:]]
        assert f" | {' | '.join(cells)} |\n" in said
    for row in rows.values():
        # GRAG and hybrid: nothing holds and one is undecided; diffused: all hold but that of e5-small.
        undecided = row["a"] in ("grag-mpnetbase2", "diffused-e5-small")
        assert row["holds"] == ("undecided" if undecided else "yes" if row["a"].startswith("diffused") else "no")
        if undecided:
            assert f"({difference(row)}; q {q_text(row['q'])}, permutation q {q_text(row['permutation_q'])})" in said
    held = [row["mean"] for row in rows.values() if row["holds"] == "yes"]
    assert f"by {min(held):.2f} to {max(held):.2f}." in said
    words = {(row["a"], row["measure"]): row for row in against_words(evaluation)}
    for model in MODELS:
        cells = [cell(words[tag_of(model, "diffused"), measure]) for measure in ("nDCG@1", "nDCG@10", "recall@10")]
        assert f"| {model} | {' | '.join(cells)} |\n" in said
    holds = {key: row["holds"] for key, row in words.items() if row["holds"] != "no"}
    assert holds == {
        ("diffused-e5-small", "recall@10"): "yes",
        ("diffused-minilm", "recall@10"): "yes",
        ("diffused-mpnetbase2", "recall@10"): "yes",
        ("diffused-use-m3", "recall@10"): "undecided",
        ("diffused-use-m3", "nDCG@1"): "undecided",
        ("diffused-mpnetbase2", "nDCG@1"): "undecided",
    }
    assert all(row["mean"] < 0 for (_, measure), row in words.items() if measure == "nDCG@1")


def test_what_is_said_of_parameters_has_the_stored_figures(said):
    found = FIGURES_FOUND["parameters"]
    for model in (*MODELS, "all four"):
        choices = [choice for choice in found["choices"] if choice["model"] == model]
        chosen = [f"{choice['setting']} → {choice['means'][2]:.3f}, {choice['means'][3]:.3f}" for choice in choices]
        rows = [row for row in found["compared"] if row["a"] == f"{model}, chosen"]
        name = "one setting for all" if model == "all four" else model
        assert f"| {name} | {' | '.join([*chosen, *map(cell, rows)])} |\n" in said
    holds = {(row["a"].split(",")[0], row["b"].split(", ")[1]): row["holds"] for row in found["compared"]}
    assert {key for key, verdict in holds.items() if verdict == "yes"} == {
        ("e5-small", "default"), ("mpnetbase2", "default"), ("all four", "default"), ("e5-small", "dense"),
    }  # fmt: skip
    assert {key for key, verdict in holds.items() if verdict == "undecided"} == {
        ("use-m3", "default"), ("mpnetbase2", "dense"), ("use-m3", "dense"), ("all four", "dense"),
    }  # fmt: skip
    settings = [choice["setting"] for choice in found["choices"]]
    counts = Counter(part for setting in settings for part in setting.split(", "))
    assert counts == {
        "λ 1": 10,
        "h 1": 7,
        "h 2": 3,
        "S 10": 8,
        "S 20": 1,
        "S 40": 1,
        "α 0.4": 6,
        "α 0.6": 3,
        "α 0.8": 1,
    }
    for label, values in found["alone"].items():
        of_values = sorted((float(value), mean) for value, mean in values.items())
        given = sentence(f"{mean:.3f}" for _, mean in of_values)
        assert f"{label} {sentence(f'{value:g}' for value, _ in of_values)} give {given}" in said
    assert (len(GRID), sum(p.alpha == 1 for p in GRID)) == (72, 18)
    assert "There are 72 settings (α 0.4, 0.6, 0.8, 1; λ 0.5, 0.75, 1; h 1, 2; S 10, 20, 40), but the 18 with" in said
    assert "at most 55 differ" in said
    assert "All ten choices have λ = 1, " in said
    assert "h is 1 in seven of them and 2 in three; S is 10\n  in eight, 20 and 40 in one each; α is " in said
    assert "α is 0.4 in six, 0.6 in three, 0.8 in one." in said


def test_what_is_said_of_smoothing_has_the_stored_figures(said):
    found = FIGURES_FOUND["smoothing"]
    none = sentence(found["means"][f"{model}, 0"]["nDCG@10"].split()[0] for model in MODELS)
    assert f"{none} (in the order of the table)" in said
    of_measure = {
        measure: sorted(row["mean"] for row in found["compared"] if row["measure"] == measure)
        for measure in ("nDCG@10", "recall@10")
    }
    low, *_, high = of_measure["nDCG@10"]
    assert f"changes it by −{-low:.3f} to −{-high:.3f} and\nrecall@10 by " in said
    low, *_, high = of_measure["recall@10"]
    assert f"recall@10 by +{low:.3f} to +{high:.3f}. None of the eight differences holds" in said
    least = [min(row[name] for row in found["compared"]) for name in ("q", "permutation_q")]
    assert f"(least q {least[0]:.3f}, permutation q {least[1]:.3f})" in said
    assert {(row["a"], row["measure"]) for row in found["compared"] if row["holds"] != "no"} == {
        ("minilm, 1", "recall@10"), ("mpnetbase2, 1", "recall@10"),
    }  # fmt: skip
    assert all(row["holds"] != "yes" for row in found["compared"])


def cell(row):
    """Return a difference as the tables of docs/evaluation.md have it: bold where it holds, q and permutation q."""
    mean, interval = difference(row).split(" ", 1)
    bold = "**" if row["holds"] == "yes" else ""
    return f"{bold}{mean}{bold} {interval} ({q_text(row['q'])}; {q_text(row['permutation_q'])})"


def q_text(value):
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def sentence(parts):
    """Return the parts as "a, b and c"."""
    *first, last = parts
    return f"{', '.join(first)} and {last}"
