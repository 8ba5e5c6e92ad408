import shutil
import zipfile
from dataclasses import replace
from io import BytesIO

import pytest

from oncosearch.evaluate.exchange import read_run
from oncosearch.ingest import import_graph
from oncosearch.model import LocalText, NotFoundError, SnapshotKey, UsageError
from oncosearch.review import (
    ReviewTopic,
    make_qrels,
    new_event,
    new_session_id,
    provenance,
    read_record,
    topic_state,
)
from oncosearch.settings import Settings
from oncosearch.workspace import SearchRequest, demo_folder, open_workspace
from oncosearch.workspace.annotating import (
    act,
    check_plan,
    continue_session,
    not_ready,
    pooled_runs,
    rater_name,
    start_session,
)
from oncosearch.workspace.session_export import pooled_runs_of, qrels_file, records_zip, runs_zip
from tests.conftest import prepare
from tests.workspace.annotation import plan


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    place = tmp_path_factory.mktemp("annotating") / "home"
    prepare(place, demo_folder(), model=None)
    return place


@pytest.fixture
def workspace(home):
    with open_workspace(Settings(home=home)) as opened:
        yield opened


@pytest.fixture
def key(workspace):
    return workspace.default_snapshot().key


def silent(stage, done, total):
    pass


def files_of(content):
    with zipfile.ZipFile(BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_pool_is_what_searching_finds_first(workspace, key):
    told = []
    view = start_session(workspace, plan(key, ("Anna",)), new_session_id(), lambda *step: told.append(step))
    assert told == [("search", 1, 2), ("search", 2, 2)]
    topic = view.session.topics[0]
    request = SearchRequest(topic.query.best("de"), key, pipeline="lexical", top=5)
    hits = [hit.node_id for hit in workspace.search(request, record=False).ranking.hits]
    state = topic_state(workspace.store, view.session.id, "Anna", topic.id)
    assert {item.node for item in state.items} == set(hits)
    (run,) = pooled_runs_of(workspace.store, view)
    assert [node for node, _ in run.rankings[topic.id]] == hits
    assert workspace.recent(10) == []


def test_the_same_id_again_is_the_same_session(workspace, key):
    which = new_session_id()
    first = start_session(workspace, plan(key, ("Anna",)), which, silent)
    again = start_session(workspace, plan(key, ("Anna",)), which, lambda *step: pytest.fail("searched again"))
    assert again == first


def test_a_question_that_cannot_be_searched_is_named_and_nothing_is_stored(workspace, key):
    made = plan(key, ("Anna",))
    asked = (*made.topics, ReviewTopic("leer", LocalText.of({"de": "und oder"})))
    which = new_session_id()
    with pytest.raises(UsageError, match="leer") as caught:
        start_session(workspace, replace(made, topics=asked), which, silent)
    assert caught.value.code == "plan_topic"
    assert all(event.session != which for event in workspace.store.created_sessions())


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": " "}, "plan_name"),
        ({"topics": ()}, "plan_topics"),
        ({"runs": ()}, "plan_runs"),
        ({"k": 0}, "plan_k"),
        ({"k": 101}, "plan_k"),
        ({"raters": ()}, "plan_raters"),
        ({"raters": ("Anna", "Anna")}, "plan_raters"),
    ],
)
def test_a_plan_says_what_it_lacks(key, changes, code):
    with pytest.raises(UsageError) as caught:
        check_plan(plan(key, ("Anna",)) if not changes else replace(plan(key, ("Anna",)), **changes))
    assert caught.value.code == code


def test_runs_are_models_by_pipelines_and_words_once():
    assert [run.name for run in pooled_runs(("a", "b"), ("grag", "lexical"))] == ["a · grag", "b · grag", "lexical"]
    assert pooled_runs(("a",), ("lexical",))[0].model is None


def test_what_cannot_be_searched_yet_is_said_before(workspace, key):
    runs = pooled_runs(("e5-small",), ("grag", "lexical"))
    assert [(name, ready.state) for name, ready in not_ready(workspace, key, runs)] == [
        ("e5-small · grag", "unembedded")
    ]


@pytest.mark.parametrize(("typed", "name"), [("  Dr.  Anna ", "Dr. Anna"), ("Ü", "Ü")])
def test_names_are_closed_up(typed, name):
    assert rater_name(typed) == name


@pytest.mark.parametrize("typed", ["", "  ", "a" * 61, "a\x00b"])
def test_what_is_no_name_is_refused(typed):
    with pytest.raises(UsageError) as caught:
        rater_name(typed)
    assert caught.value.code == "rater_name"


def test_only_nodes_of_the_snapshot_can_be_added(workspace, key):
    view = start_session(workspace, plan(key, ("Anna",)), new_session_id(), silent)
    with pytest.raises(NotFoundError):
        act(workspace, view, new_event(view, "Anna", "T1", "add", node="nowhere"))
    after = act(workspace, view, new_event(view, "Anna", "T1", "add", node="drug-morphin"))
    assert after.item("drug-morphin").original_index == -1


@pytest.fixture
def judged(workspace, key):
    """Return a session in which Anna gave the first three cards of the first topic 3, −1 and "duplicate"."""
    view = start_session(workspace, plan(key, ("Anna",)), new_session_id(), silent)
    first, second, third = (i.node for i in topic_state(workspace.store, view.session.id, "Anna", "T1").items[:3])
    for action, node, value in (("grade", first, "3"), ("irrelevant", second, None), ("duplicate", third, first)):
        act(workspace, view, new_event(view, "Anna", "T1", action, node=node, value=value))
    return view, (first, second, third)


def test_records_and_runs_come_as_files(workspace, judged, tmp_path):
    view, (first, second, third) = judged
    ((name, content),) = files_of(records_zip(workspace.store, view)).items()
    assert name.startswith("Anna-")
    record = read_record(content.decode()).record
    assert third not in record.ordered_nodes
    assert {node.id: node.relevance for node in record.nodes if node.relevance is not None} == {first: 3, second: -1}
    ((_, content),) = files_of(runs_zip(workspace.store, view)).items()
    (tmp_path / "run").write_bytes(content)
    run, report = read_run(tmp_path / "run")
    assert not report.skipped
    assert run.rankings.keys() == {"T1", "T2"}
    assert provenance(workspace.store, view.session.id, "Anna", "T1") is None


@pytest.mark.parametrize(
    ("form", "ending", "name"), [("trec", "zip", "qrels.txt"), ("beir", "zip", "qrels/test.tsv"), ("csv", "csv", None)]
)
def test_qrels_come_in_every_form(workspace, judged, form, ending, name):
    view, (first, second, _) = judged
    draft = make_qrels(workspace.store, view.session.id, "majority").published
    content, found = qrels_file(workspace, draft, form, "de")
    assert found == ending
    text = (files_of(content)[name] if name else content).decode("utf-8-sig")
    assert first in text
    assert second in text
    assert qrels_file(workspace, draft, form, "de")[0] == content


def test_a_session_goes_on_with_a_newer_snapshot(tmp_path):
    """A changed text is put up for re-check, a removed node is listed, the rest keeps its grade."""
    old = prepare(tmp_path / "home", demo_folder(), model=None)
    with open_workspace(Settings(home=tmp_path / "home")) as workspace:
        view = start_session(workspace, plan(old, ("Anna", "Ben"), topics=1), new_session_id(), silent)
        nodes = [item.node for item in topic_state(workspace.store, view.session.id, "Anna", "T1").items]
        for node in nodes[:3]:
            act(workspace, view, new_event(view, "Anna", "T1", "grade", node=node, value="2"))

        folder = tmp_path / "graph"
        shutil.copytree(demo_folder(), folder, ignore=shutil.ignore_patterns("qrels", "runs"))
        lines = (folder / "nodes.jsonl").read_text("utf-8").splitlines()
        changed = [line.replace("EGFR", "EGFR (neu)") if f'"{nodes[0]}"' in line[:80] else line for line in lines]
        assert changed != lines
        (folder / "nodes.jsonl").write_text("\n".join(changed), "utf-8")
        report, _ = import_graph(folder, workspace.store, snapshot_id="later")
        new = SnapshotKey(report.graph_id, report.snapshot_id)
        workspace.prepare(new, None, silent)
        which = new_session_id()
        made, recheck = continue_session(workspace, view, new, which, "2026-01-01T00:00:00.000Z", silent)
        assert made.session.snapshot == new
        assert made.assignments == view.assignments
        assert [(r.node, r.why, r.grade) for r in recheck] == [(nodes[0], "changed", "2")]
        state = topic_state(workspace.store, which, "Anna", "T1")
        assert {item.node: item.grade for item in state.items if item.grade} == dict.fromkeys(nodes[1:3], "2")
        assert (state.item(nodes[0]).recheck, state.item(nodes[0]).previous) == ("changed", "2")
