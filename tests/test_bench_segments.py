"""The comparison of splittings knows where conclusions lie, and prints a row for each way of splitting."""

from bench.segments import Kept, collection, report
from tests.embed.fakes import FakeEncoder


def articles(count: int) -> dict:
    return {
        str(i): {
            "QUESTION": f"Does drug{i} work?",
            "CONTEXTS": [f"Drug{i} was given. It was new.", f"All {i} patients lived."],
            "LONG_ANSWER": f"Drug{i} works. More is not known.",
            "MESHES": ["Humans", "Lung Neoplasms" if i % 2 else "Asthma"],
        }
        for i in range(count)
    }


def test_conclusions_lie_where_they_are_said_to():
    documents, asked = collection(articles(50), 12)
    assert len(asked) == 12
    texts = dict(documents)
    assert len(texts) == 2
    for question in asked:
        number = int(question.question.split()[1].removeprefix("drug"))
        assert number % 2 == 1
        text = texts[question.document]
        assert text[slice(*question.conclusion)] == f"Drug{number} works. More is not known."
        assert text[slice(*question.article)].startswith(f"Drug{number} was given.")
        assert text[slice(*question.article)].endswith("known.")


def test_the_report_has_a_row_a_splitting():
    class Wide(FakeEncoder):
        """Its tokens are words, forty of them."""

        def count_tokens(self, text):
            return 40 * super().count_tokens(text)

    encoder = Wide()
    encoder.facts = type(encoder.facts)("wide", "test/wide", "1", 8, 512, "mean", True, "none")
    lines = report(*collection(articles(24), 12), Kept(encoder))
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| The first")]
    assert len(rows) == 2 * (6 + 2 * 4)
    assert rows[0].startswith("| 512 (overlap 0) |")
    # Words tell which article: BM25 finds it, whatever the random vectors say.
    same = rows[14].split("|")
    assert same[2].strip().startswith("100")
