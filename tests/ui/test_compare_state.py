from urllib.parse import parse_qs, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Parameters
from oncosearch.ui.compare_state import (
    IMAGES,
    SHOWN_MEASURES,
    SORTS,
    Comparison,
    measure_of,
    read_comparison,
    write_comparison,
)
from oncosearch.ui.state import Allowed, View, address_of, compare_address, node_address, read_view, search_address
from oncosearch.workspace.columns import DEFAULT_COLUMNS, Column
from oncosearch.workspace.topic_values import MEASURES

MODELS = ("e5-small", "minilm", "use-m3")
ALLOWED = Allowed(MODELS, ("grag", "lexical"), ("demo@1",))
FOUR = (*(Column.of("grag", model) for model in MODELS), Column.of("lexical", None))

comparisons = st.builds(
    Comparison,
    columns=st.lists(
        st.builds(Column.of, st.sampled_from(["grag", "dense", "lexical"]), st.sampled_from(MODELS)),
        unique=True,
        max_size=6,
    ).map(tuple),
    topics=st.sampled_from([None, "demo", "file-0123456789abcdef"]),
    judged=st.sampled_from([None, "none", "demo", "published-0f"]),
    measure=st.sampled_from(SHOWN_MEASURES),
    pair=st.sampled_from([(0, 1), (1, 0), (2, 5)]),
    sort=st.sampled_from(["", *SORTS, *(f"-{name}" for name in SORTS)]),
    image=st.sampled_from(IMAGES),
)


@given(comparisons)
def test_an_address_reproduces_its_comparison(comparison):
    assert read_comparison(write_comparison(comparison), MODELS) == (comparison, ())
    view = View(query="x", graph="demo@1", compare=comparison)
    parts = urlsplit(address_of(view, "/compare"))
    assert read_view(parse_qs(parts.query), ALLOWED) == (view, ())


def test_what_is_unknown_is_dropped_and_named():
    address = {
        "col": ["grag:gpt", "lexical", "dense:minilm:alpha=1"],
        "set": ["../../x"],
        "judged": ["everything"],
        "by": ["speed"],
        "pair": ["1-1"],
        "sort": ["--a"],
        "image": ["exe"],
    }
    found, refused = read_comparison(address, MODELS)
    assert found == Comparison(columns=(Column.of("lexical", None),))
    assert set(refused) == set(address)
    seven = [f"grag:e5-small:seeds={n}" for n in range(1, 8)]
    found, refused = read_comparison({"col": seven}, MODELS)
    assert len(found.columns) == 6
    assert refused == ("col",)


@given(st.dictionaries(st.sampled_from(["col", "set", "judged", "by", "pair", "sort", "image"]), st.lists(st.text())))
def test_no_address_breaks_the_page(address):
    found, _ = read_comparison(address, MODELS)
    assert 2 <= len(found.shown()) <= 6
    assert measure_of(found) in MEASURES


def test_two_columns_at_least():
    assert Comparison().shown() == DEFAULT_COLUMNS
    assert Comparison(columns=FOUR[:1]).shown() == (FOUR[0], DEFAULT_COLUMNS[1])
    assert Comparison(columns=FOUR).shown() == FOUR
    assert Comparison(columns=FOUR[:2], pair=(0, 3)).shown_pair() == (0, 1)


def test_only_the_comparison_carries_its_columns():
    view = View(query="x", node="n", compare=Comparison(columns=FOUR, topics="demo"))
    for address in (search_address(view), node_address(view, "n"), address_of(view, "/about")):
        assert {"col", "set"} & set(parse_qs(urlsplit(address).query)) == set()
    there = parse_qs(urlsplit(compare_address(view, query="", node=None, sort="-rbo")).query)
    assert there["col"] == [str(column) for column in FOUR]
    assert there["sort"] == ["-rbo"]
    assert "q" not in there


def test_a_link_writes_out_the_columns_that_it_shows():
    assert "col" not in parse_qs(urlsplit(compare_address(View())).query)
    written = parse_qs(urlsplit(compare_address(View(query="x"))).query)
    assert written["col"] == [str(column) for column in DEFAULT_COLUMNS]
    tuned = Column.of("grag", "minilm", Parameters(alpha=0.25, hops=1))
    assert parse_qs(urlsplit(compare_address(View(query="x"), columns=(tuned, *FOUR))).query)["col"][0] == str(tuned)
