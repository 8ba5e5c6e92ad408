import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Parameters, UsageError
from oncosearch.retrieve import PIPELINE_KEYS
from oncosearch.workspace.columns import DEFAULT_COLUMNS, LEAST, LETTERS, MOST, Column, distinct
from tests.workspace.homes import KEY

MODELS = ("e5-small", "minilm", "use-m3")

parameters = st.builds(
    Parameters,
    alpha=st.floats(0, 1),
    lam=st.floats(0, 1),
    hops=st.integers(0, 3),
    seeds=st.integers(1, 200),
    cap=st.integers(1, 1000),
)
columns = st.builds(Column.of, st.sampled_from(PIPELINE_KEYS), st.sampled_from(MODELS), parameters)


@given(columns)
def test_a_column_parses_as_it_prints(column):
    assert Column.parse(str(column), MODELS) == column


def test_what_a_pipeline_does_not_read_is_left_out():
    odd = Parameters(alpha=0.1)
    assert Column.of("lexical", "minilm", odd) == Column("lexical", None)
    assert str(Column.of("dense", "minilm", odd)) == "dense:minilm"
    assert str(Column.of("grag", "e5-small")) == "grag:e5-small:alpha=0.6,lambda=0.75,hops=2,seeds=20,cap=256"
    assert Column.parse("grag:e5-small:alpha=0.1", MODELS).parameters == odd


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gpt",
        "grag",
        "grag:gpt",
        "lexical:e5-small",
        "dense:e5-small:alpha=0.5",
        "grag:e5-small:alpha=2",
        "grag:e5-small:alpha=nan",
        "grag:e5-small:hops=1.5",
        "grag:e5-small:alpha",
        "grag:e5-small:speed=1",
    ],
)
def test_what_is_no_column_is_refused(text):
    with pytest.raises(UsageError):
        Column.parse(text, MODELS)


def test_equal_columns_stand_there_once_and_six_are_the_most():
    many = [Column.of("grag", "e5-small", Parameters(seeds=n)) for n in range(1, 9)]
    assert distinct([many[0], many[1], many[0]]) == (many[0], many[1])
    assert len(distinct(many)) == MOST == len(LETTERS)
    assert len(DEFAULT_COLUMNS) >= LEAST


def test_the_search_that_a_column_makes():
    request = Column.of("grag", "minilm", Parameters(seeds=3)).request("x", KEY, 5)
    assert (request.model, request.pipeline, request.parameters.seeds, request.top) == ("minilm", "grag", 3, 5)
