"""Evaluation over a workspace: the figures of the command, judgements on another snapshot, runs of every origin."""

import json
from dataclasses import replace

import pytest

from oncosearch.cli import main
from oncosearch.evaluate import DEFAULT_MEASURES, parse_measures
from oncosearch.evaluate.exchange import read_run, write_qrels, write_run
from oncosearch.model import LocalText, NotFoundError, PublishedQrels, Qrels, Run, SnapshotKey
from oncosearch.review import publish
from oncosearch.workspace import demo_folder
from oncosearch.workspace.columns import Column
from oncosearch.workspace.evaluating import (
    PUBLISHED,
    STORED,
    carried,
    column_tag,
    judged,
    load_run,
    measured,
    of_their_own,
    other_snapshots,
    shipped_runs,
    topics_of,
)
from oncosearch.workspace.topic_runs import KeptRuns, TopicJob, TopicSet, as_run
from oncosearch.workspace.topics import Topic
from tests.workspace.homes import KEY, LATER, changed_graph, opened

RUNS = ("grag-e5-small", "lexical", "diffused-minilm")


def of_the_demo(demo):
    (snapshot,) = [s for s in demo.snapshots() if s.graph_id == "demo"]
    return snapshot, judged(demo, snapshot, "demo")


def by_command(tmp_path, qrels, runs, *more):
    out = tmp_path / "out.json"
    named = [part for path in runs for part in ("--run", str(path))]
    assert main(["evaluate", "--qrels", str(qrels), *named, "--json", str(out), *more]) == 0
    return {key: value for key, value in json.loads(out.read_text("utf-8")).items() if key != "sources"}


@pytest.mark.parametrize("measures", ["", "P@5 MRR"])
def test_the_page_has_the_figures_of_the_command(demo, tmp_path, capsys, measures):
    snapshot, found = of_the_demo(demo)
    loaded = [load_run(demo, snapshot, f"shipped-{name}") for name in RUNS]
    shown = parse_measures(measures) if measures else DEFAULT_MEASURES
    here = measured(found, [run for run, _ in loaded], shown, [source for _, source in loaded]).to_dict()
    folder = demo_folder()
    files = [folder / "runs" / f"{name}.trec" for name in RUNS]
    there = by_command(
        tmp_path, folder / "qrels" / "demo.qrels", files, *(["--measures", measures] if measures else [])
    )
    here.pop("sources")
    assert json.loads(json.dumps(here)) == there
    assert len(there["topics"]) == 40


def test_a_search_made_now_has_the_figures_of_its_exported_run(demo, tmp_path, capsys):
    snapshot, found = of_the_demo(demo)
    few = replace(found, content=replace(found.content, qrels=Qrels(dict(list(found.qrels.grades.items())[:8]))))
    topics, without = topics_of(few, "de")
    assert (len(topics.topics), without) == (8, ())
    columns = (Column.of("lexical", None), Column.of("grag", "e5-small"))
    job = TopicJob(demo, snapshot.key, columns, topics, KeptRuns()).start()
    job.wait(120)
    assert job.finished
    runs = [as_run(column_tag(c), snapshot.key, c, r, topics) for c, r in zip(columns, job.runs, strict=True)]
    here = measured(few, runs, DEFAULT_MEASURES, [{}, {}]).to_dict()
    here.pop("sources")
    write_qrels(few.qrels, tmp_path / "few.qrels", duplicates=few.content.duplicates)
    paths = [tmp_path / f"{run.tag}.trec" for run in runs]
    for run, path in zip(runs, paths, strict=True):
        write_run(run, path)
    assert json.loads(json.dumps(here)) == by_command(tmp_path, tmp_path / "few.qrels", paths)


def test_names_of_columns_and_of_runs():
    assert column_tag(Column.of("grag", "e5-small")) == "grag-e5-small"
    assert column_tag(Column.parse("grag:minilm:alpha=0.4", ["minilm"])) == "grag-minilm-alpha=0.4"
    assert column_tag(Column.of("lexical", None)) == "lexical"
    run = Run("a", {"T1": (("n", 1.0),)})
    assert [r.tag for r in of_their_own([run, replace(run, tag="b"), run, run])] == ["a", "b", "a (2)", "a (3)"]


def published_of(key, grades, **more):
    return PublishedQrels("Probe", Qrels(grades), key, "majority", **more)


def test_judgements_of_an_older_snapshot_carry_over_and_the_rest_is_listed(home, tmp_path):
    def change(rows):
        ids = list(rows)
        rows[ids[0]]["title"] = {"de": "ganz anders", "en": "quite different"}
        leaf = next(i for i in reversed(ids) if not any(i in json.dumps(r) for k, r in rows.items() if k != i))
        del rows[leaf]
        change.changed, change.gone, change.kept = ids[0], leaf, ids[1]

    folder = changed_graph(tmp_path / "later", change)
    with opened(home, folder) as workspace:
        old, new = (workspace.store.snapshot(key) for key in (KEY, LATER))
        grades = {"T1": {change.changed: 3, change.gone: 2, change.kept: 1}}
        content = published_of(KEY, grades, queries={"T1": LocalText.of({"de": "Frage", "en": "question"})})
        name = f"{PUBLISHED}{publish(workspace.store, content)}"
        found = judged(workspace, new, name)
        assert carried(workspace, found, old).state == "same"
        stands = carried(workspace, found, new)
        assert stands.state == "changed"
        assert {(r.node, r.grade, r.why) for r in stands.recheck} == {
            (change.changed, "3", "changed"),
            (change.gone, "2", "gone"),
        }
        assert stands.judged.qrels.grades == {"T1": {change.kept: 1}}
        assert stands.judged.snapshot == LATER
        assert topics_of(found, "en")[0].topics == (Topic("T1", "question"),)
        made = Run("r", {"T1": ((change.kept, 1.0),)}, LATER.graph_id, LATER.snapshot_id)
        assert list(other_snapshots([made, replace(made, tag="s", snapshot_id="")], found)) == [("r", LATER)]
        for key, state in ((SnapshotKey("other", "1"), "other_graph"), (SnapshotKey(KEY.graph_id, "lost"), "gone")):
            elsewhere = replace(found, content=published_of(key, grades))
            assert carried(workspace, elsewhere, new).state == state


def test_runs_of_the_store_and_of_the_demo(demo, small):
    snapshot, _ = of_the_demo(demo)
    assert len(shipped_runs(snapshot)) == 17
    run, source = load_run(demo, snapshot, "shipped-lexical")
    assert run.rankings == read_run(demo_folder() / "runs" / "lexical.trec")[0].rankings
    assert source["path"] == "lexical.trec"
    stored = Run("mine", {"T1": (("n", 1.0),)})
    run_id = small.store.save_run(stored)
    own = small.store.snapshot(KEY)
    assert shipped_runs(own) == {}
    assert load_run(small, own, f"{STORED}{run_id}")[0] == stored
    for token in ("shipped-lexical", "stored-nothing"):
        with pytest.raises(NotFoundError):
            load_run(small, own, token)


def test_given_questions_go_before_their_own(demo):
    _, found = of_the_demo(demo)
    topics, without = topics_of(found, "de", TopicSet("mine", (Topic("T01", "andere Frage"), Topic("X", "fremd"))))
    assert topics.topics[0] == Topic("T01", "andere Frage")
    assert (len(topics.topics), without) == (40, ())
