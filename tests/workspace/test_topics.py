"""Topics from a file."""

import pytest

from oncosearch.model import UsageError
from oncosearch.workspace import Topic, read_topics


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


def test_a_missing_file_is_said_in_words(tmp_path):
    with pytest.raises(UsageError, match="cannot be read: No such file or directory"):
        read_topics(tmp_path / "none.tsv")
