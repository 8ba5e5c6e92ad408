"""What a link to the evaluation carries: read against what is allowed, written back, read again the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.evaluate import DEFAULT_MEASURES
from oncosearch.ui.evaluate_state import MOST_RUNS, Evaluated, changed, read_evaluated, write_evaluated

MODELS = ("e5-small", "minilm")
RUNS = (
    "shipped-grag-e5-small",
    "stored-0a1b",
    "lexical",
    "dense:minilm",
    "grag:e5-small:alpha=0.4,lambda=0.75,hops=2,seeds=20,cap=256",
)


@given(
    st.builds(
        Evaluated,
        part=st.sampled_from(["measures", "agreement"]),
        qrels=st.sampled_from([None, "demo", "published-0a1b", "file-0123456789abcdef"]),
        runs=st.lists(st.sampled_from(RUNS), unique=True).map(tuple),
        measures=st.lists(st.sampled_from(["P@7", "nDCG", "MRR@10", "judged@10"]), unique=True).map(tuple),
        topics=st.sampled_from([None, "demo", "file-0123456789abcdef"]),
        carry=st.booleans(),
        value=st.sampled_from(["nDCG@10", "P@5"]),
        drawn=st.lists(st.integers(0, MOST_RUNS - 1), unique=True, max_size=6).map(tuple),
        picture=st.sampled_from(["png", "svg"]),
        ratings=st.sampled_from([None, "session-abc", "file-0123456789abcdef"]),
        own_labels=st.booleans(),
        unseen=st.booleans(),
    )
)
def test_writing_then_reading_is_the_identity(evaluated):
    assert read_evaluated(write_evaluated(evaluated), MODELS) == (evaluated, ())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("part", "x"),
        ("qrels", "../../etc/passwd"),
        ("run", "grag:unknown"),
        ("run", "stored-../x"),
        ("measure", "P@0"),
        ("measure", "nothing"),
        ("topics", "file-x"),
        ("carry", "1"),
        ("value", "P"),
        ("drawn", "24"),
        ("drawn", "-1"),
        ("picture", "gif"),
        ("ratings", "file-../x"),
        ("ownlabels", "true"),
        ("unseen", ""),
    ],
)
def test_what_is_not_known_is_refused_and_named(name, value):
    assert read_evaluated({name: [value]}, MODELS) == (Evaluated(), (name,))


def test_names_of_measures_are_read_as_on_the_command_line():
    read, refused = read_evaluated({"measure": ["ndcg_cut_10", "P_5", "map", "P@5"]}, MODELS)
    assert (read.measures, refused) == (("nDCG@10", "P@5", "MAP"), ())
    assert Evaluated().shown() == DEFAULT_MEASURES


def test_too_many_runs_are_cut_and_named():
    named = [f"stored-{n}" for n in range(40)]
    read, refused = read_evaluated({"run": named}, MODELS)
    assert (read.runs, refused) == (tuple(named[:MOST_RUNS]), ("run",))


def test_other_runs_take_the_choice_for_the_plots_away():
    chosen = Evaluated(runs=("lexical",), drawn=(0,))
    assert changed(chosen, runs=("dense:minilm",)).drawn == ()
    assert changed(chosen, value="MAP").drawn == (0,)
