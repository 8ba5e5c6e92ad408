import dataclasses
from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Filters, Parameters
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS
from oncosearch.ui.state import (
    HEAT_KINDS,
    QUALITY_LISTS,
    QUERY_LIMIT,
    REACHES,
    TASKS,
    TOP_CHOICES,
    Allowed,
    View,
    address_of,
    annotate_address,
    node_address,
    quality_address,
    read_view,
    search_address,
    tree_address,
    write_view,
)

ALLOWED = Allowed(("e5-small", "bgem3"), ("grag", "lexical"), ("demo@1", "demo@2"))
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)


def some(keys):
    return st.lists(st.sampled_from(keys), unique=True, max_size=3).map(tuple)


views = st.builds(
    View,
    language=st.sampled_from(["de", "en"]),
    query=texts | st.just(""),
    graph=st.sampled_from([None, "demo@1", "demo@2"]),
    model=st.sampled_from(ALLOWED.models),
    pipeline=st.sampled_from(ALLOWED.pipelines),
    top=st.sampled_from(TOP_CHOICES),
    parameters=st.builds(
        Parameters,
        alpha=st.floats(0, 1),
        lam=st.floats(0, 1),
        hops=st.integers(0, 3),
        seeds=st.integers(1, 200),
        cap=st.integers(1, 1000),
    ),
    filters=st.builds(
        Filters,
        types=some(NODE_TYPE_KEYS),
        groups=st.lists(texts, unique=True, max_size=3).map(tuple),
        source_kinds=some(SOURCE_KIND_KEYS),
        languages=some(LANGUAGE_KEYS),
    ),
    heat=st.sampled_from(HEAT_KINDS),
    node=st.none() | texts,
    reach=st.sampled_from(REACHES),
    printed=st.booleans(),
    via=st.lists(texts, unique=True, max_size=4).map(tuple),
    start=st.integers(0, 10_000),
    check=st.sampled_from([None, *QUALITY_LISTS]),
    session=st.none() | st.text("ab %&=/", min_size=1, max_size=20),
    topic=st.none() | st.text("ab %&=/", min_size=1, max_size=20),
    task=st.sampled_from([None, *TASKS]),
)


@given(views)
def test_an_address_reproduces_its_view(view):
    read, refused = read_view(write_view(view), ALLOWED)
    assert read == view
    assert refused == ()


@given(views)
def test_links_carry_the_same_through_a_browser(view):
    parts = urlsplit(address_of(view, "/annotate"))
    assert parts.path == "/annotate"
    assert read_view(parse_qs(parts.query, keep_blank_values=True), ALLOWED) == (view, ())


def test_what_is_unknown_falls_back_and_is_named():
    address = {
        "lang": ["fr"],
        "model": ["gpt"],
        "pipeline": ["'; drop table"],
        "top": ["7"],
        "alpha": ["1.5"],
        "lambda": ["nan"],
        "hops": ["9"],
        "seeds": ["x"],
        "type": ["drug", "weapon"],
        "heat": ["hot"],
        "reach": ["3"],
        "graph": ["other@1"],
        "q": ["x" * (QUERY_LIMIT + 1)],
        "unheard": ["of"],
    }
    view, refused = read_view(address, ALLOWED, "en")
    assert view == View(language="en", filters=Filters(types=("drug",)))
    assert set(refused) == set(address) - {"unheard"}


@given(
    st.dictionaries(
        st.sampled_from(["q", "alpha", "hops", "top", "type", "node", "reach", "show", "via", "from"]),
        st.lists(st.text()),
    )
)
def test_no_address_breaks_a_page(address):
    view, _ = read_view(address, ALLOWED)
    assert view.top in TOP_CHOICES


def test_an_asked_question_pins_graph_model_and_pipeline():
    written = write_view(View(query="x", graph="demo@1"))
    assert {name: written[name] for name in ("graph", "model", "pipeline")} == {
        "graph": ["demo@1"],
        "model": ["e5-small"],
        "pipeline": ["grag"],
    }


def test_the_way_into_the_tree_keeps_the_question_and_the_path():
    view = View(query="x", graph="demo@1", printed=True)
    parts = urlsplit(tree_address(view, "a b", ["r", "s"], 30))
    assert (parts.path, parts.fragment) == ("/browse", "os-open")
    read, refused = read_view(parse_qs(parts.query), ALLOWED)
    assert refused == ()
    assert read == dataclasses.replace(view, node="a b", via=("r", "s"), start=30, printed=False)
    assert "via" not in node_address(read, "c")
    assert "from" not in parse_qs(urlsplit(search_address(read)).query)


def test_the_way_to_a_list_of_the_quality_page_and_from_there():
    view = View(query="x", graph="demo@1", node="a", start=30)
    parts = urlsplit(quality_address(view, "no_source", 50))
    assert (parts.path, parts.fragment) == ("/quality", "os-list")
    read, refused = read_view(parse_qs(parts.query), ALLOWED)
    assert refused == ()
    assert read == dataclasses.replace(view, node=None, check="no_source", start=50)
    assert "#" not in quality_address(view)
    for address in (node_address(read, "b"), search_address(read)):
        assert {"check", "from"} & set(parse_qs(urlsplit(address).query)) == set()
    assert read_view({"check": ["everything"]}, ALLOWED)[1] == ("check",)


def test_the_way_to_a_node_and_back():
    view = View(query="x", graph="demo@1", reach=2)
    there = parse_qs(urlsplit(node_address(view, "a b&c")).query)
    assert there["node"] == ["a b&c"]
    back, _ = read_view(parse_qs(urlsplit(search_address(dataclasses.replace(view, node="a"))).query), ALLOWED)
    assert back == dataclasses.replace(view, reach=1)


def test_what_is_open_on_the_annotation_page_stays_there():
    view = View(query="x", session="s", topic="t", task="manage")
    assert parse_qs(urlsplit(annotate_address(view, "s", "t")).query)["topic"] == ["t"]
    assert "session" not in parse_qs(urlsplit(search_address(view)).query)
    assert "task" not in parse_qs(urlsplit(node_address(view, "n")).query)
