"""Working off a topic set: stopping loses nothing, another job goes on, nothing is searched for twice."""

import threading
from collections import Counter

import pytest

from oncosearch.model import Parameters, StoreError, UsageError
from oncosearch.workspace import SearchRequest, Topic
from oncosearch.workspace.columns import Column
from oncosearch.workspace.topic_runs import KeptRuns, TopicJob, TopicSet, as_run, ranked
from tests.workspace.homes import KEY

COLUMNS = (Column.of("lexical", None), Column.of("grag", "e5-small", Parameters(seeds=3)))
TOPICS = TopicSet("own", tuple(Topic(f"t{i}", f"Frage {i}") for i in range(5)))


class Searching:
    """Answers at once, counts what it is asked, and holds at a search until it is let go on."""

    def __init__(self, hold_at=None, fail=None):
        self.asked = Counter()
        self.hold_at, self.fail = hold_at, fail
        self.holding, self.go = threading.Event(), threading.Event()

    def __call__(self, workspace, key, column, query):
        self.asked[str(column), query] += 1
        if sum(self.asked.values()) == self.hold_at:
            self.holding.set()
            assert self.go.wait(20)
        if self.fail is not None and query == "Frage 2":
            raise self.fail
        return ((query, 1.0),)


def job_of(reading, kept, search):
    return TopicJob(reading, KEY, COLUMNS, TOPICS, kept, search=search)


def test_stopping_keeps_what_is_done_and_the_next_job_goes_on(reading):
    kept, search = KeptRuns(), Searching(hold_at=4)
    job = job_of(reading, kept, search).start()
    assert search.holding.wait(20)
    job.stop()
    search.go.set()
    job.wait(20)
    assert (job.running, job.finished, job.done, job.total) == (False, False, 4, 10)
    assert [run.done for run in job.runs] == [2, 2]
    again = job_of(reading, kept, search)
    assert again.done == 4
    again.start().wait(20)
    assert again.finished
    assert again.error is None
    assert set(search.asked.values()) == {1}
    assert len(search.asked) == 10


def test_a_topic_that_cannot_be_searched_for_has_no_hits(reading):
    job = job_of(reading, KeptRuns(), Searching(fail=UsageError("nothing", code="stop_words_only"))).start()
    job.wait(20)
    assert job.finished
    assert job.runs[0].refused == {"t2": "stop_words_only"}
    assert job.runs[0].rankings["t2"] == ()
    assert job.runs[0].rankings["t4"] == (("Frage 4", 1.0),)


@pytest.mark.parametrize("error", [StoreError("gone"), RuntimeError("unforeseen")])
def test_any_other_error_ends_the_work_and_is_told(reading, error):
    job = job_of(reading, KeptRuns(), Searching(fail=error)).start()
    job.wait(20)
    assert job.error is error
    assert job.done == 4
    assert not job.finished


def test_a_decision_on_duplicates_makes_the_runs_anew(small):
    kept = KeptRuns()
    before = kept.run(small, KEY, COLUMNS[0], TOPICS)
    assert kept.run(small, KEY, COLUMNS[0], TOPICS) is before
    assert kept.run(small, KEY, COLUMNS[1], TOPICS) is not before
    from oncosearch.workspace.deciding import decide

    ids = [small.graph(KEY).ids[i] for i in (0, 1)]
    decide(small, KEY, ids[0], ids[1], "duplicate")
    assert kept.run(small, KEY, COLUMNS[0], TOPICS) is not before


def test_the_hits_are_those_of_the_search_and_nothing_is_recorded(small):
    query = small.graph(KEY).title(0)
    for column in COLUMNS:
        request = SearchRequest(query, KEY, "e5-small", column.pipeline, column.parameters, top=100)
        hits = small.search(request, record=False).ranking.hits
        assert ranked(small, KEY, column, query) == tuple((hit.node_id, hit.score) for hit in hits)
    assert small.recent(5) == []


def test_a_topic_set_is_known_by_its_content():
    assert TOPICS.id == TopicSet("other name", TOPICS.topics).id
    assert TOPICS.id != TopicSet("own", TOPICS.topics[:4]).id
    assert TOPICS.with_query("  frage   3 ") == Topic("t3", "Frage 3")
    assert TOPICS.with_query("Frage") is None


def test_a_run_has_the_topics_that_are_worked_off(reading):
    job = job_of(reading, KeptRuns(), Searching())
    job.runs[0].rankings["t3"] = (("n", 0.5),)
    run = as_run("A", KEY, COLUMNS[1], job.runs[0], TOPICS)
    assert (run.tag, dict(run.rankings), run.model) == ("A", {"t3": (("n", 0.5),)}, "e5-small")
    assert run.parameters["seeds"] == 3
