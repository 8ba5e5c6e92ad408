"""Topic sets and judgements by the name that an address gives them."""

import pytest

from oncosearch.model import LocalText, NotFoundError, Qrels, UsageError
from oncosearch.model.review import NodeFlags, PublishedQrels
from oncosearch.workspace import Topic
from oncosearch.workspace.materials import (
    judgements,
    judgements_at_hand,
    keep_qrels,
    keep_topics,
    topic_set,
)
from tests.workspace.homes import KEY


def test_topics_of_the_demo(demo):
    snapshot = demo.default_snapshot()
    assert len(topic_set(demo, snapshot, "demo", "de").topics) == 40


def test_another_graph_has_none_of_the_demos(small):
    snapshot = small.store.snapshot(KEY)
    assert judgements_at_hand(small, snapshot) == []
    with pytest.raises(NotFoundError):
        topic_set(small, snapshot, "demo", "de")
    with pytest.raises(NotFoundError):
        judgements(small, snapshot, "demo")


def test_a_topics_file_is_found_again_by_its_id(small):
    home, snapshot = small.settings.home, small.store.snapshot(KEY)
    name, topics = keep_topics(home, "../Meine Fragen.tsv", "﻿1\tEine Frage\n2\tNoch eine\n".encode())
    assert topics.topics == (Topic("1", "Eine Frage"), Topic("2", "Noch eine"))
    assert topics.name == "Meine_Fragen.tsv"
    assert topic_set(small, snapshot, name, "de") == topics
    assert keep_topics(home, "../Meine Fragen.tsv", "﻿1\tEine Frage\n2\tNoch eine\n".encode())[0] == name


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"no tab here\n", "topics.tsv:1"),
        (b"1\ta\n1\tb\n", "comes twice"),
        (b"", "holds no topic"),
        (b"\xff", "UTF-8"),
        (b"".join(b"%d\tx\n" % i for i in range(1001)), "1,001 topics"),
    ],
)
def test_a_file_that_holds_no_topics_is_refused_and_not_kept(small, content, said):
    home = small.settings.home
    with pytest.raises(UsageError, match=said) as raised:
        keep_topics(home, "topics.tsv", content)
    assert str(home) not in str(raised.value)
    assert not list((home / "brought" / "topics").rglob("*.tsv"))


def test_judgements_from_a_file(small):
    home, snapshot = small.settings.home, small.store.snapshot(KEY)
    name, report = keep_qrels(home, "my.qrels", b"1 0 a 3\n1 0 b 0\nno line\n")
    assert (report.taken, len(report.skipped)) == (2, 1)
    found = judgements(small, snapshot, name)
    assert (found.origin, found.name, found.count) == ("file", "my.qrels", 2)
    assert found.qrels.grades == {"1": {"a": 3, "b": 0}}
    with pytest.raises(UsageError) as raised:
        keep_qrels(home, "bad.qrels", b"nothing of the kind\n")
    assert raised.value.code == "qrels_empty"


def test_published_judgements_bring_their_topics(small):
    snapshot = small.store.snapshot(KEY)
    given = PublishedQrels(
        "Erste Runde",
        Qrels({"1": {"a": 3, "b": 0}}),
        KEY,
        "mean",
        flags={"1": {"b": NodeFlags(duplicate_of="a")}},
        queries={"1": LocalText.of({"de": "Eine Frage", "en": "A question"})},
        created="2026-11-30T12:00:00+00:00",
    )
    name = f"published-{small.store.save_qrels(given)}"
    assert [(found[0], found[2]) for found in judgements_at_hand(small, snapshot)] == [(name, "published")]
    found = judgements(small, snapshot, name)
    assert found.duplicates == {"1": frozenset("b")}
    assert found.topic_of(" a QUESTION") == "1"
    assert found.topic_of("another one") is None
    assert topic_set(small, snapshot, name, "en").topics == (Topic("1", "A question"),)


@pytest.mark.parametrize("name", ["file-0123456789abcdef", "file-..", "../../etc/passwd", "nonsense", "published-gone"])
def test_what_is_not_there_is_said(small, name):
    snapshot = small.store.snapshot(KEY)
    with pytest.raises(NotFoundError):
        topic_set(small, snapshot, name, "de")
    with pytest.raises(NotFoundError):
        judgements(small, snapshot, name)
