"""The command literature: what it prints, and what it says where it cannot search."""

import socket

import pytest

from oncosearch.literature.local import LocalSource
from tests.literature.articles import ARTICLES, DOCUMENT
from tests.literature.server import serve

QUESTION = "Does screening find lung cancer early?"
BOOLEAN = ("--off", "dense", "--off", "passages")


@pytest.fixture
def articles(home):
    with LocalSource.open(home) as source:
        source.add([*ARTICLES, DOCUMENT])
        yield source


def test_stages_expressions_articles_and_passages_are_printed(run, articles):
    done = run("literature", QUESTION)
    assert done.status == 0, done.err
    for heading in ("Stages", "Articles (4)", "Passages (", "Sentences of the passages"):
        assert heading in done.out
    assert '"lung cancer"[tiab]' in done.out.lower()
    assert "RETRACTED, no evidence" in done.out
    assert "D2; review; strict 1" in done.out


def test_json_holds_everything(run, articles):
    found = run("literature", QUESTION, *BOOLEAN, "--json").json
    assert [s["stage"] for s in found["stages"]][:4] == ["rewrite", "strict", "abstraction", "loose"]
    assert found["articles"][0]["pmid"] == "102"
    assert found["destination"] == ""
    assert set(found["rewrite"]["expressions"]) == {"strict", "abstraction", "loose"}


def test_an_edited_expression_is_run(run, articles):
    found = run(
        "literature", QUESTION, *BOOLEAN, "--strict", "mice[tiab]", "--abstraction", "", "--loose", "", "--json"
    )
    assert [a["pmid"] for a in found.json["articles"]] == ["104"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((" ",), "question is empty"),
        (("x" * 10_000,), "10,000 characters"),
        (("is it the",), "no word that could be searched for"),
        ((QUESTION, "--strict", "lung AND (cancer"), 'Position 10: this "(" is never closed'),
        ((QUESTION, "--loose", "lung[nonsense]"), "is no field tag"),
        ((QUESTION, "--source", "eutils"), "ONCOSEARCH_EUTILS=on"),
        ((QUESTION, "--model", "medcpt"), "medcpt-query"),
        ((QUESTION, "--enough", "0"), "must lie between"),
    ],
)
def test_errors_are_one_line(run, articles, arguments, said):
    done = run("literature", *arguments)
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_without_articles_it_says_how_to_get_some(run):
    done = run("literature", QUESTION)
    assert done.status == 2
    assert "python -m oncosearch articles" in done.err


def test_pubmed_is_asked_over_http(run, articles, monkeypatch):
    with serve(articles) as server:
        server.keep_rate = False
        monkeypatch.setenv("ONCOSEARCH_EUTILS", "on")
        monkeypatch.setenv("ONCOSEARCH_EUTILS_ADDRESS", server.address)
        done = run("literature", QUESTION, *BOOLEAN, "--source", "eutils", "--json")
    assert done.json["articles"][0]["pmid"] == "102"
    assert "The question goes to 127.0.0.1" in done.err


def test_without_a_network_the_local_source_is_offered_within_the_time_out(run, articles, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("ONCOSEARCH_EUTILS", "on")
        monkeypatch.setenv("ONCOSEARCH_EUTILS_TIMEOUT", "1")
        monkeypatch.setenv("ONCOSEARCH_EUTILS_ADDRESS", f"http://127.0.0.1:{unused.getsockname()[1]}/entrez/eutils")
        done = run("literature", QUESTION, *BOOLEAN, "--source", "eutils")
    assert done.status == 2
    assert "4 imported articles can be searched: --source local" in done.err
