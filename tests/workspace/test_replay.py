"""Running a recorded search again."""

from dataclasses import replace

import pytest

from oncosearch.model import Filters, NotFoundError, Parameters
from oncosearch.retrieve import PIPELINE_KEYS
from oncosearch.workspace import SearchRequest
from oncosearch.workspace.replay import Difference, compare
from tests.workspace.homes import KEY, changed_graph, opened, silent

ASK = SearchRequest("Osimertinib bei EGFR T790M", KEY, top=5)


@pytest.mark.parametrize("pipeline", PIPELINE_KEYS)
def test_the_same_search_is_identical_in_another_session(home, pipeline):
    request = replace(ASK, pipeline=pipeline, parameters=Parameters(0.5, 0.6, 1, 7), filters=Filters(types=("drug",)))
    with opened(home) as workspace:
        record_id = workspace.search(request).ranking.record_id
    with opened(home) as workspace:
        report = workspace.replay(record_id)
        assert report.identical
        assert (report.causes, report.differences) == ((), ())
        assert report.new.parameters == request.parameters
        assert [r.id for r in workspace.recent(10)] == [record_id]


def test_a_record_without_hits_can_be_replayed(small):
    record_id = small.search(replace(ASK, query="Xylophon", pipeline="lexical")).ranking.record_id
    assert small.replay(record_id).identical


def test_changed_content_is_named_as_the_cause(home, tmp_path):
    def change(rows):
        rows["osimertinib"]["title"]["de"] = "Tagrisso"

    with opened(home) as workspace:
        record = workspace.record(workspace.search(ASK).ranking.record_id)
    # Another home got another content under the same name; a single store would have refused it.
    folder = changed_graph(tmp_path / "other", change, KEY.snapshot_id)
    with opened(tmp_path / "elsewhere", folder) as workspace:
        workspace.prepare(KEY, "e5-small", silent)
        workspace.store.record(record)
        report = workspace.replay(record.id)
    assert not report.identical
    assert [c.kind for c in report.causes] == ["content"]
    assert (report.causes[0].old, report.causes[0].new) == (record.content_hash, report.new.content_hash)
    assert any(d.kind.startswith(("rank_", "score_of_osimertinib")) for d in report.differences)


def test_a_record_that_is_not_there(small):
    with pytest.raises(NotFoundError):
        small.replay("0" * 32)


@pytest.fixture
def record(small):
    return small.record(small.search(ASK).ranking.record_id)


def test_every_kind_of_difference_is_told(record):
    (a, x), (b, y), *rest = record.hits
    new = replace(record, hits=((b, y), (a, x), *rest[:-1]), model_revision="r2", format_id="f2")
    report = compare(record, new)
    assert not report.identical
    assert [c.kind for c in report.causes] == ["model_revision", "serialisation"]
    assert [d.kind for d in report.differences] == ["hit_count", "rank_1", "rank_2"]
    assert report.differences[1] == Difference("rank_1", a, b)
    assert report.differences[1].text() == f"rank 1: {a} then, {b} now"


@pytest.mark.parametrize(("shift", "identical"), [(5e-7, True), (2e-6, False)])
def test_scores_count_as_equal_to_one_millionth(record, shift, identical):
    (node_id, score), *rest = record.hits
    report = compare(record, replace(record, hits=((node_id, score + shift), *rest)))
    assert report.identical is identical
    assert [d.kind for d in report.differences] == ([] if identical else [f"score_of_{node_id}"])
