"""Topics from a file, and runs in the TREC form."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.model import Run, UsageError
from oncosearch.workspace import Topic, read_topics, write_trec_run
from oncosearch.workspace.topics import trec_id


def written(tmp_path, text):
    path = tmp_path / "topics"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        "1\tBrustkrebs\n01\tEGFR\tT790M\n",
        "\ufeff1\tBrustkrebs\r\n\r\n01\tEGFR\tT790M",
        '{"_id": "1", "text": "Brustkrebs"}\n{"_id": "01", "text": "EGFR\\tT790M", "more": 1}\n',
    ],
)
def test_both_forms_are_read(tmp_path, text):
    assert read_topics(written(tmp_path, text)) == [Topic("1", "Brustkrebs"), Topic("01", "EGFR\tT790M")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1\tBrustkrebs\nohne Tabulator\n", ":2: expected id<TAB>query"),
        ("1\tBrustkrebs\n1\tLunge\n", ":2: topic '1' comes twice"),
        ("1\t \n", ":1: expected id<TAB>query"),
        ('{"_id": 1, "text": "x"}\n', ":1: expected id<TAB>query"),
        ('{"_id": "1", "text"', ":1: not a JSON object"),
        ("\n \n", "holds no topic"),
        (b"1\t\xff\xfe", "is no UTF-8 text (invalid start byte at byte 2)"),
    ],
)
def test_a_bad_line_is_named(tmp_path, text, said):
    with pytest.raises(UsageError) as caught:
        read_topics(written(tmp_path, text))
    assert said in str(caught.value)


def test_a_missing_file_is_an_error_of_usage(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_topics(tmp_path / "nothing.tsv")


def test_a_run_is_written_in_six_columns(tmp_path):
    run = Run("grag e5", {"1": (("a b", 0.5), ("c", 0.25)), "2": ()})
    assert write_trec_run(run, tmp_path / "run") == 2
    assert (tmp_path / "run").read_text("utf-8") == "1 Q0 a%20b 1 0.5 grag%20e5\n1 Q0 c 2 0.25 grag%20e5\n"


def test_a_node_that_was_named_stays_first_for_tools_that_look_at_scores(tmp_path):
    run = Run("t", {"1": (("named", 0.25), ("best", 0.75), ("next", 0.5))})
    write_trec_run(run, tmp_path / "run")
    scores = [float(line.split()[4]) for line in (tmp_path / "run").read_text("utf-8").splitlines()]
    assert scores == [0.75, 0.75, 0.5]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_scores_are_read_back_as_they_were(tmp_path_factory, scores):
    ranking = tuple((f"n{i}", s) for i, s in enumerate(sorted(scores, reverse=True)))
    path = tmp_path_factory.mktemp("run") / "run"
    write_trec_run(Run("t", {"1": ranking}), path)
    back = [float(line.split()[4]) for line in path.read_text("utf-8").splitlines()]
    assert all(math.isclose(a, b, rel_tol=0, abs_tol=0) for a, (_, b) in zip(back, ranking, strict=True))


@given(st.text(min_size=1), st.text(min_size=1))
def test_ids_have_no_blank_and_stay_different(a, b):
    assert len(trec_id(a).split()) == 1
    assert (trec_id(a) == trec_id(b)) == (a == b)


def test_a_missing_file_is_said_in_words(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
        read_topics(tmp_path / "none.tsv")
