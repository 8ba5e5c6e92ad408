"""Addresses of sources."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.explain import source_address
from oncosearch.model import Source
from oncosearch.model.vocabulary import SOURCE_KIND_KEYS


@pytest.mark.parametrize(
    ("kind", "source_id", "address"),
    [
        ("pubmed", "27718847", "https://pubmed.ncbi.nlm.nih.gov/27718847/"),
        ("pmc", "PMC123", "https://pmc.ncbi.nlm.nih.gov/articles/PMC123/"),
        ("doi", "10.1000/ab(c)-d;e", "https://doi.org/10.1000/ab(c)-d;e"),
        ("doi", "10.1000/a?b#c%d", "https://doi.org/10.1000/a%3Fb%23c%25d"),
        ("trial", "NCT01234567", "https://clinicaltrials.gov/study/NCT01234567"),
    ],
)
def test_addresses_follow_from_checked_ids(kind, source_id, address):
    assert source_address(Source(kind, source_id)) == address


@pytest.mark.parametrize(
    ("kind", "source_id"),
    [
        ("pubmed", "0123"),
        ("pubmed", "27718847\n"),
        ("pubmed", "1/../../x"),
        ("pubmed", "٢٧٧"),
        ("pmc", "123"),
        ("doi", "10.1000/../x"),
        ("doi", "10.1000//x"),
        ("doi", "10.1000/a\x00b"),
        ("doi", '10.1000/"><b>'),
        ("doi", "https://doi.org/10.1000/1"),
        ("trial", "NCT1"),
        ("guideline", "S3"),
        ("web", "x"),
        ("rumour", "1"),
    ],
)
def test_other_ids_are_text(kind, source_id):
    assert source_address(Source(kind, source_id)) is None


def test_a_register_source_never_leads_elsewhere():
    assert source_address(Source("pubmed", "bad id", url="https://www.example.org/")) is None
    assert source_address(Source("pubmed", "1", url="https://www.example.org/")) == "https://pubmed.ncbi.nlm.nih.gov/1/"


@pytest.mark.parametrize("kind", ["guideline", "web", "trial"])
@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://www.example.org/a?b=c#d", "https://www.example.org/a?b=c#d"),
        ("https://example.org", "https://example.org"),
        ("https://example.org/Über", "https://example.org/%C3%9Cber"),
        ("https://example.org/a%20b", "https://example.org/a%20b"),
    ],
)
def test_a_given_https_address_is_taken(kind, url, address):
    assert source_address(Source(kind, "S3", url=url)) == address


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "HTTPS:example.org",
        "https:/example.org",
        "https:///example.org",
        "//example.org/",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://user:pw@example.org/",
        "https://example.org@evil.example/",
        "https://example.org:8443/",
        "https://example.org:99999/",
        "https://localhost/",
        "https://intern/",
        "https://printer.local/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://[x/",
        "https://exämple.org/",
        "https://-x.org/",
        "https://example..org/",
        "https://example.org\\@evil.example/",
        "https://example.org/ x",
        "https://example.org/\n",
        "https://example.org/\u202ex",
        'https://example.org/"x',
        "https://example.org/<x>",
        "ht\ttps://example.org/",
        " https://example.org/",
        "https://example.org/" + "x" * 2000,
        "",
    ],
)
def test_any_other_address_is_text(url):
    assert source_address(Source("web", "x", url=url)) is None


@given(
    st.sampled_from(SOURCE_KIND_KEYS),
    st.text(),
    st.one_of(st.none(), st.text(), st.text().map("https://example.org/{}".format)),
)
def test_whatever_comes_back_is_plain_https(kind, source_id, url):
    address = source_address(Source(kind, source_id, url=url))
    if address is not None:
        parts = urlsplit(address)
        assert parts.scheme == "https"
        assert parts.username is None
        assert "." in (parts.hostname or "")
        assert address.isascii()
        assert not any(c.isspace() or c in "<>\"'" for c in address)
