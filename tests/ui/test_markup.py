import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.ui.markup import WORD_JOINER, Markup, element, inner_link, join, json_for_script, outer_link, plain
from tests.ui.nasty import NASTY, Tags


def test_text_and_attributes_are_escaped():
    made = element("p", "<b>&", element("i", "x"), title='"><script>', data_rank=3, hidden=None, open=True)
    assert made == '<p title="&quot;&gt;&lt;script&gt;" data-rank="3" open>&lt;b&gt;&amp;<i>x</i></p>'
    assert isinstance(made, Markup)


@given(st.text())
def test_any_text_is_shown_as_it_is(text):
    found = Tags(element("p", text, title=text))
    assert [tag for tag, _ in found.tags] == ["p"]
    assert found.tags[0][1] == {"title": text}


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScript:x", "data:text/html,x", "//evil.example", "http://x.example", " /x", ""],
)
def test_only_https_and_own_addresses_are_linked(address):
    with pytest.raises(ValueError, match="only https"):
        outer_link(address, "x")


def test_links():
    assert inner_link("/node?node=a&b", "A") == '<a href="/node?node=a&amp;b" data-inner>A</a>'
    assert 'rel="noopener noreferrer"' in outer_link("https://x.example/", "x")
    assert join(["<", None, element("b", "x")], ", ") == "&lt;, <b>x</b>"


NASTY_MARKDOWN = [
    "[x](javascript:alert(1))", "<img src=x onerror=alert(1)>", ":material/home:", "$x$", ":red[y]", "# head",
    "| a |", "**b**", "`c`", ":smile:", "1. one", "- list", "https://evil.example", "a\n\n# b",
]  # fmt: skip


@pytest.mark.parametrize("text", [*NASTY_MARKDOWN, NASTY])
def test_markdown_keeps_no_meaning(text):
    escaped = plain(text)
    assert not re.search(r"(?<!\\)[\[\]<>`*_$#|]", escaped)
    assert not re.search(r":[\w/\[]", escaped), "no directive, icon or emoji code is left"
    assert "\n" not in escaped


@given(st.text())
def test_escaped_markdown_reads_the_same(text):
    unescaped = re.sub(r"\\([^\w\s]|_)", r"\1", plain(text)).replace(WORD_JOINER, "")
    assert unescaped == re.sub(r"\s+", " ", text).replace(WORD_JOINER, "")


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_cannot_leave_its_script(value):
    text = json_for_script({"value": value, "nasty": NASTY})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"value": value, "nasty": NASTY}
