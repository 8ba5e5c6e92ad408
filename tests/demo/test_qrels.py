"""The demo's judgements as they are shipped, held to the graph, the topics, the stored runs and the printed tables."""

from __future__ import annotations

import json

import pytest

from bench.evaluation import LEXICAL, MODELS, PIPELINES, QRELS, RUNS, stored_evaluation, tables_text, tag_of
from oncosearch.evaluate.exchange import read_duplicates, read_qrels, read_run, write_qrels
from oncosearch.workspace.topics import read_topics
from tests.paths import ROOT

DEMO = ROOT / "data" / "demo"
NODES = {json.loads(line)["id"] for line in (DEMO / "nodes.jsonl").read_text("utf-8").splitlines()}
TOPICS = {topic.id: topic.query for topic in read_topics(DEMO / "topics.tsv")}
TAGS = [*(tag_of(model, pipeline) for model in MODELS for pipeline in PIPELINES), LEXICAL]
POOLED = 10


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
    lines = (QRELS.parent / "added.tsv").read_text("utf-8").splitlines()
    assert lines[0] == "topic\tnode"
    grades = read_qrels(QRELS)[0].grades
    runs = [read_run(RUNS / f"{tag}.trec")[0] for tag in TAGS]
    for line in lines[1:]:
        topic, node = line.split("\t")
        assert grades[topic][node] >= 2
        assert all(node not in [found for found, _ in run.rankings[topic][:POOLED]] for run in runs)


def test_the_guidelines_say_what_each_topic_needs_and_who_judged():
    guidelines = (QRELS.parent / "GUIDELINES.md").read_text("utf-8")
    for topic, query in TOPICS.items():
        assert f"| {topic} | {query} |" in guidelines
    readme = (QRELS.parent / "README.md").read_text("utf-8")
    assert "not by clinicians" in readme
    assert "CC BY 4.0" in readme
    assert json.loads((DEMO / "graph.json").read_text("utf-8"))["licence"] == "CC BY 4.0"


def test_the_printed_tables_are_those_of_the_qrels_and_runs():
    printed = (ROOT / "docs" / "evaluation-demo.md").read_text("utf-8")
    assert printed.endswith("\n".join(tables_text()))


def test_what_is_said_of_them_has_their_figures():
    said = (ROOT / "docs" / "evaluation.md").read_text("utf-8")
    evaluation = stored_evaluation()
    for tag in TAGS:
        found = evaluation.estimate(tag, "nDCG@10")
        assert f"{found.mean:.3f} [{found.lower:.3f}–{found.upper:.3f}]" in said
