"""replay and run."""

import pytest

from tests.workspace.homes import KEY, changed_graph, opened, silent


def test_replay_says_identical(run):
    record = run("search", "Osimertinib bei EGFR T790M", "--json").json["record"]
    done = run("replay", record)
    assert done.status == 0
    assert "identical: 10 hits" in done.out
    shown = run("search", "AML").out
    assert run("replay", shown.split("recorded as ")[1].split(".")[0]).status == 0


def test_replay_says_what_differs_and_why(run, home, tmp_path):
    def change(rows):
        rows["osimertinib"]["title"] = {"de": "Tagrisso", "en": "Tagrisso"}

    record_id = run("search", "Osimertinib", "--json").json["record"]
    other = tmp_path / "other"
    with (
        opened(home) as first,
        opened(other, changed_graph(tmp_path / "graph", change, KEY.snapshot_id)) as second,
    ):
        second.prepare(KEY, "e5-small", silent)
        second.store.record(first.record(record_id))
        old, new = (w.store.snapshot(KEY).content_hash for w in (first, second))
    done = run("replay", record_id, home=other)
    assert done.status == 1
    assert "different: " in done.out
    assert "osimertinib" in done.out
    assert f"why: content: {old} then, {new} now" in done.out


def test_replay_of_an_unknown_record(run):
    done = run("replay", "nothing")
    assert done.status == 2
    assert done.err.count("\n") == 1


TOPICS = {
    "tsv": "1\tBrustkrebs\nb 2\tEGFR T790M\n3\tund\n",
    "jsonl": '{"_id": "1", "text": "Brustkrebs"}\n{"_id": "b 2", "text": "EGFR T790M"}\n{"_id": "3", "text": "und"}\n',
}


@pytest.mark.parametrize("form", sorted(TOPICS))
def test_run_writes_a_trec_file_and_keeps_the_run(run, home, tmp_path, form):
    topics, out = tmp_path / f"topics.{form}", tmp_path / "run.trec"
    topics.write_text(TOPICS[form], "utf-8")
    done = run("run", "--topics", topics, "--model", "e5-small", "--pipeline", "hybrid", "--out", out, "--top", 3)
    assert done.status == 0
    assert "topic 3 has no hits: 'und' holds no word" in done.err
    rows = [line.split(" ") for line in out.read_text("utf-8").splitlines()]
    assert [(r[0], r[1], r[3], r[5]) for r in rows] == [
        (topic, "Q0", str(rank), "hybrid-e5-small") for topic in ("1", "%:b%202") for rank in (1, 2, 3)
    ]
    assert (rows[0][2], rows[3][2]) == ("mamma", "egfr-t790m")
    with opened(home) as workspace:
        (run_id,) = workspace.store.runs()
        kept = workspace.store.run(run_id)
        assert workspace.recent(10) == []
    assert run_id in done.out
    assert (kept.tag, kept.model, kept.pipeline) == ("hybrid-e5-small", "e5-small", "hybrid")
    assert (kept.graph_id, kept.snapshot_id) == ("small", "2026.Q4")
    assert kept.parameters == {"alpha": 0.6, "lambda": 0.75, "hops": 2, "seeds": 20, "cap": 256}
    assert kept.rankings["3"] == ()
    assert [node_id for node_id, _ in kept.rankings["b 2"]] == [r[2] for r in rows[3:]]


def test_a_run_without_vectors_names_no_model(run, home, tmp_path):
    topics, out = tmp_path / "topics.tsv", tmp_path / "run.trec"
    topics.write_text("1\tBrustkrebs\n", "utf-8")
    assert run("run", "--topics", topics, "--pipeline", "lexical", "--out", out, "--tag", "mine").status == 0
    assert out.read_text("utf-8").split()[-1] == "mine"
    with opened(home) as workspace:
        assert workspace.store.run(workspace.store.runs()[0]).model is None


def test_a_run_that_cannot_be_written_is_refused_before_it_starts(run, tmp_path):
    topics = tmp_path / "topics.tsv"
    topics.write_text("1\tBrustkrebs\n", "utf-8")
    done = run("run", "--topics", topics, "--out", tmp_path / "no" / "run.trec")
    assert done.status == 2
    assert "is no folder" in done.err
    assert "Topics" not in done.err


def test_a_run_of_a_bad_topic_file_names_the_line(run, tmp_path):
    topics = tmp_path / "topics.tsv"
    topics.write_text("1 Brustkrebs\n", "utf-8")
    done = run("run", "--topics", topics, "--out", tmp_path / "run.trec")
    assert done.status == 2
    assert "topics.tsv:1: expected id<TAB>query" in done.err
    assert not (tmp_path / "run.trec").exists()
