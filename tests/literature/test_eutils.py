"""The live client over real HTTP, against a server of the tests that speaks the E-utilities protocol."""

import logging
import socket
import stat
import time
from dataclasses import replace

import pytest

from oncosearch.literature import transport
from oncosearch.literature.article import Article, ArticleSource
from oncosearch.literature.eutils import LAST_RANK, EutilsSource
from oncosearch.literature.local import LocalSource
from oncosearch.literature.parsing import ExpressionError
from oncosearch.literature.transport import SourceError
from oncosearch.model import StoreError, UsageError
from oncosearch.settings import Settings
from tests.literature.articles import ARTICLES, DOCUMENT
from tests.literature.server import KEY, Server, serve


@pytest.fixture
def server(local, monkeypatch):
    monkeypatch.setattr(transport, "FIRST_PAUSE", 0.02)
    with serve(local) as running:
        yield running


@pytest.fixture
def settings(server, tmp_path) -> Settings:
    return Settings(
        home=tmp_path / "live",
        eutils=True,
        eutils_address=server.address,
        eutils_email="somebody@example.org",
        eutils_key=KEY,
        eutils_timeout=5,
    )


@pytest.fixture
def live(settings):
    with EutilsSource.open(settings) as source:
        yield source


def test_it_is_off_unless_switched_on(tmp_path):
    with pytest.raises(UsageError, match="would send the question to https://eutils") as caught:
        EutilsSource.open(Settings(home=tmp_path))
    assert caught.value.code == "eutils_off"
    assert Settings.from_environment({}).eutils is False
    given = {"ONCOSEARCH_EUTILS": "on", "ONCOSEARCH_EUTILS_KEY": "secret", "ONCOSEARCH_EUTILS_TIMEOUT": "7"}
    found = Settings.from_environment(given)
    assert (found.eutils, found.eutils_key, found.eutils_timeout) == (True, "secret", 7.0)
    assert "secret" not in repr(found)


@pytest.mark.parametrize("address", ["file:///etc", "eutils", "https://user:word@host/", "https://h/?a=b"])
def test_an_address_that_is_none_is_refused(tmp_path, address):
    with pytest.raises(UsageError, match="ONCOSEARCH_EUTILS_ADDRESS"):
        EutilsSource.open(Settings(home=tmp_path, eutils=True, eutils_address=address))


def test_it_finds_what_the_local_source_finds(live, local, server):
    assert isinstance(live, ArticleSource)
    for expression in ("lung", '"lung cancer"[ti] NOT review[pt]', "2011:2015[dp]"):
        there, here = live.search(expression), local.search(expression)
        assert (there.ids, there.total, there.understood) == (here.ids, here.total, here.understood)
    assert live.fetch(["104", "999", "101", "nonsense"]) == [ARTICLES[3], ARTICLES[0]]
    assert (live.full_text("PMC7002"), live.full_text("PMC1"), live.full_text("x")) == (DOCUMENT, None, None)
    assert live.pmc_ids(["101", "103", "102"]) == {"101": "PMC7001", "102": "PMC7002"}
    assert {r.operation for r in server.requests} == {"esearch", "efetch", "elink"}


def test_summaries_are_articles_without_abstracts(live):
    found = live.summaries(["102", "999", "101"])
    assert [a.pmid for a in found] == ["102", "101"]
    whole = replace(ARTICLES[0], abstract=(), mesh=(), keywords=())
    assert found[1] == whole


def test_an_empty_result_is_no_error_and_says_what_pubmed_said(live):
    page = live.search("nothing[ti]")
    assert (page.ids, page.total, page.capped) == ((), 0, False)
    assert page.warnings == ("PhraseNotFound: nothing[ti]", "No items found.")
    assert live.fetch([]) == []


def test_pages_fit_together(live):
    whole = live.search("lung OR mice", count=10).ids
    assert [live.search("lung OR mice", start=n, count=1).ids for n in range(5)] == [*((pmid,) for pmid in whole), ()]


def test_everything_that_leaves_the_machine_is_listed_and_the_key_is_not(live, server):
    live.search("lung")
    (sent,) = live.sent
    (request,) = server.requests
    assert (sent.host, sent.operation) == (live.destination, "esearch")
    assert dict(sent.parameters) == {
        "db": "pubmed",
        "term": "lung",
        "retstart": "0",
        "retmax": "20",
        "sort": "relevance",
        "retmode": "xml",
        "tool": "oncosearch",
        "email": "somebody@example.org",
        "api_key": "(set)",
    }
    assert request.parameters == {name: [KEY if name == "api_key" else value] for name, value in sent.parameters}


def test_an_answer_is_kept_with_its_date_and_read_by_the_owner_alone(live, server, settings):
    first = live.search("lung")
    again = live.search("lung")
    assert (len(server.requests), len(live.sent), again) == (1, 1, first)
    assert first.asked[:4].isdecimal()
    live.search("lung", fresh=True)
    assert len(server.requests) == 2
    (kept,) = (settings.home / "literature" / "answers").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert KEY.encode() not in kept.read_bytes()
    with EutilsSource.open(settings) as later:
        assert later.search("lung").asked >= first.asked
        assert later.sent == ()


def test_a_folder_that_cannot_be_used_is_told(settings, tmp_path):
    (tmp_path / "file").write_text("")
    told = pytest.raises(StoreError, match="keeps turns and answers, cannot be used: Not a directory")
    with EutilsSource.open(replace(settings, home=tmp_path / "file")) as live, told:
        live.search("lung")


def test_an_old_or_damaged_answer_is_asked_for_again(live, server, settings):
    live.search("lung")
    (kept,) = (settings.home / "literature" / "answers").iterdir()
    kept.write_bytes(kept.read_bytes()[:-3])
    assert live.search("lung").total == 2
    old = time.time() - 2 * 86400
    import os

    os.utime(kept, (old, old))
    assert live.search("lung").total == 2
    assert len(server.requests) == 3
    older = time.time() - 31 * 86400
    os.utime(kept, (older, older))
    EutilsSource.open(settings).close()
    assert not kept.exists()


def test_a_long_expression_and_a_key_go_by_post(server, settings):
    with EutilsSource.open(replace(settings, eutils_key="")) as live:
        live.search("lung")
        live.search(" OR ".join(f"lung{n}" for n in range(300)))
    assert [r.method for r in server.requests] == ["GET", "POST"]
    with EutilsSource.open(settings) as live:
        live.search("cancer")
    assert server.requests[-1].method == "POST"


def test_many_articles_are_fetched_in_batches(live, server, local):
    local.add([Article(str(n), f"title {n}") for n in range(1000, 1230)])
    found = live.fetch([str(n) for n in range(1000, 1230)])
    assert [a.pmid for a in found] == [str(n) for n in range(1000, 1230)]
    assert len(server.requests) == 3


@pytest.mark.parametrize("fault", [429, 500, 502, 503, 504, "broken", "html", "drop", "busy"])
def test_a_passing_fault_is_tried_again(live, server, fault):
    server.faults.append(fault)
    assert live.search("lung").total == 2
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("fault", "code", "told"),
    [
        (429, "source_busy", "asks for fewer requests after 4 tries: API rate limit exceeded"),
        (503, "source_refused", "answered with status 503 after 4 tries: status 503"),
        ("broken", "source_garbled", "sent a broken answer after 4 tries"),
        ("html", "source_garbled", "begins with <html>"),
        ("busy", "source_busy", "not able to answer now after 4 tries: Search Backend failed"),
        ("drop", "source_unreachable", "cannot be reached after 4 tries"),
    ],
)
def test_a_lasting_fault_is_told_honestly_with_the_way_out(live, server, fault, code, told):
    server.faults.extend([fault] * 4)
    with pytest.raises(SourceError, match="source local") as caught:
        live.search("lung")
    assert caught.value.code == code
    assert told in str(caught.value)
    assert len(server.requests) == 4
    # Nothing broken is kept.
    assert live.search("lung").total == 2


def test_a_redirection_is_not_followed(live, server):
    server.faults.append(302)
    with pytest.raises(SourceError, match="points to another address: https://elsewhere"):
        live.search("lung")
    assert len(server.requests) == 1


def test_a_wrong_key_is_told_without_the_key(server, settings):
    with EutilsSource.open(replace(settings, eutils_key="wrong-secret")) as live:
        with pytest.raises(SourceError, match="status 400: API key invalid") as caught:
            live.search("lung")
        assert "wrong-secret" not in str(caught.value) + repr(caught.value.values) + repr(live.sent)
    assert len(server.requests) == 1


def test_the_key_stands_in_no_log(server, settings, caplog):
    with caplog.at_level(logging.DEBUG), EutilsSource.open(settings) as live:
        live.search("lung")
    assert KEY not in caplog.text


def test_the_wait_that_the_server_asks_for_is_kept(live, server):
    server.faults.append(429)
    server.retry_after = "1"
    start = time.monotonic()
    live.search("lung")
    assert time.monotonic() - start >= 1


def test_a_wait_beyond_the_time_out_is_not_waited_for(live, server):
    server.faults.append(429)
    server.retry_after = "60"
    start = time.monotonic()
    with pytest.raises(SourceError):
        live.search("lung")
    assert time.monotonic() - start < 4


def test_a_server_that_says_nothing_is_asked_again_and_given_up_in_time(server, settings):
    server.slow_seconds = 5
    with EutilsSource.open(replace(settings, eutils_timeout=1)) as live:
        server.faults.append("slow")
        assert live.search("lung").total == 2
        server.faults.extend(["slow"] * 4)
        start = time.monotonic()
        with pytest.raises(SourceError, match="did not answer within 1 s") as caught:
            live.search("cancer")
        assert time.monotonic() - start < 2
    assert caught.value.code == "source_timeout"


def test_no_network_is_told_within_the_time_out(tmp_path, monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = Settings(home=tmp_path, eutils=True, eutils_address=f"http://127.0.0.1:{port}/", eutils_timeout=2)
    start = time.monotonic()
    with EutilsSource.open(settings) as live, pytest.raises(SourceError, match="cannot be reached") as caught:
        live.search("lung")
    assert time.monotonic() - start < 3
    assert (caught.value.code, caught.value.values["host"]) == ("source_unreachable", f"127.0.0.1:{port}")

    def hang(*_: object, **__: object) -> None:
        time.sleep(5)

    # A name server that does not answer.
    monkeypatch.setattr(socket, "getaddrinfo", hang)
    start = time.monotonic()
    with EutilsSource.open(settings) as live, pytest.raises(SourceError, match="did not answer within 2 s"):
        live.search("lung")
    assert time.monotonic() - start < 3


@pytest.mark.parametrize(("key", "number", "seconds"), [("", 4, 1.0), (KEY, 11, 1.0)])
def test_three_or_ten_requests_a_second_are_kept_also_by_two_sources(server, settings, key, number, seconds):
    wanted = replace(settings, eutils_key=key)
    with EutilsSource.open(wanted) as one, EutilsSource.open(wanted) as two:
        for n in range(number):
            (one, two)[n % 2].search(f"lung{n}")
    times = [r.at for r in server.requests]
    assert server.refused == 0
    assert times[-1] - times[0] >= seconds
    assert len(times) == number


def test_letters_of_every_kind_arrive(live, server):
    assert live.search("Müller[au] AND TNF-α AND “survival was longer”").ids == ("101",)
    assert server.requests[0].parameters["term"] == ['Müller[au] AND TNF-α AND "survival was longer"']
    assert live.search("lu\ud800ng").total == 0


def test_a_wrong_expression_is_not_sent(live, server):
    with pytest.raises(ExpressionError):
        live.search("(lung")
    with pytest.raises(UsageError):
        live.search("lung", start=-1)
    assert (server.requests, live.sent) == ([], ())


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    with LocalSource.open(tmp_path_factory.mktemp("many")) as source:
        source.add(Article(str(n), "many") for n in range(1, 10_051))
        yield source


def test_of_more_than_9999_matches_the_first_9999_are_given(many, tmp_path):
    with serve(many) as running:
        settings = Settings(home=tmp_path, eutils=True, eutils_address=running.address, eutils_key=KEY)
        with EutilsSource.open(settings) as live:
            first = live.search("many", count=20_000)
            assert (first.total, first.capped, len(first.ids)) == (10_050, True, LAST_RANK)
            last = live.search("many", start=LAST_RANK - 2, count=20)
            assert (last.ids, last.capped) == (first.ids[-2:], True)
            beyond = live.search("many", start=LAST_RANK, count=20)
            assert (beyond.ids, beyond.total, beyond.capped) == ((), 10_050, True)


def test_the_server_of_the_tests_keeps_the_rules(local):
    """Without it the tests above would prove nothing."""
    import httpx

    with serve(local) as running:
        assert isinstance(running, Server)
        asked = [httpx.get(f"{running.address}/esearch.fcgi?term=lung", trust_env=False) for _ in range(4)]
        assert [a.status_code for a in asked] == [200, 200, 200, 429]
        running.keep_rate = False
        beyond = httpx.get(f"{running.address}/esearch.fcgi?term=lung&retstart=9999", trust_env=False)
        assert "cannot be larger than 9998" in beyond.text
        assert "Empty term" in httpx.get(f"{running.address}/esearch.fcgi", trust_env=False).text
        assert httpx.get(f"{running.address}/egquery.fcgi", trust_env=False).status_code == 404
