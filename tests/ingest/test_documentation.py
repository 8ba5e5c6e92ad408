"""docs/graph-format.md: its example can be imported, and it names every key, word and kind of problem there is."""

import re

import pytest

from oncosearch.ingest import read_graph
from oncosearch.ingest.checks import LINK_KEYS, NODE_KEYS, SOURCE_KEYS, SYNONYM_KEYS
from oncosearch.ingest.header import GRAPH_KEYS
from oncosearch.model.vocabulary import LINK_KIND_KEYS, NODE_TYPE_KEYS, SCOPE_KEYS, SOURCE_KIND_KEYS, TEXT_FIELD_KEYS
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "graph-format.md").read_text(encoding="utf-8")


def test_the_example_is_a_graph_without_warnings(tmp_path):
    (header,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    (lines,) = re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "graph.json").write_text(header, encoding="utf-8")
    (tmp_path / "nodes.jsonl").write_text(lines, encoding="utf-8")
    graph = read_graph(tmp_path)
    assert graph.report.problems == ()
    assert len(graph.nodes) == 4
    assert graph.snapshot.demo


@pytest.mark.parametrize(
    "words",
    [
        *(NODE_KEYS, SYNONYM_KEYS, SOURCE_KEYS, LINK_KEYS, GRAPH_KEYS),
        *(NODE_TYPE_KEYS, TEXT_FIELD_KEYS, LINK_KIND_KEYS, SOURCE_KIND_KEYS, SCOPE_KEYS),
    ],
)
def test_every_word_of_the_format_is_explained(words):
    assert [word for word in words if f"`{word}`" not in PAGE and f'"{word}"' not in PAGE] == []


def test_every_kind_of_problem_is_explained():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "oncosearch" / "ingest").glob("*.py"))
    kinds = set(re.findall(r'(?:\.error|\.warn|report|_RefusedJsonError)\(\s*"([a-z_0-9]+)"', code))
    kinds |= set(re.findall(r'KEYS, "(unknown_[a-z_]+)"', code))
    assert len(kinds) > 35
    # count_mismatch is a fault of ours, not of a file.
    assert sorted(kind for kind in kinds - {"count_mismatch"} if f"`{kind}`" not in PAGE) == []
