"""The pages on formats: the example can be imported; every key, word, format and kind of problem is named."""

import re

import pytest

from oncosearch.ingest import FORMATS, read_graph
from oncosearch.ingest.catalogue import catalogue_keys
from oncosearch.ingest.checks import LINK_KEYS, NODE_KEYS, ORIGIN_KEYS, SOURCE_KEYS, SYNONYM_KEYS
from oncosearch.ingest.given import Given
from oncosearch.ingest.header import GRAPH_KEYS
from oncosearch.ingest.mapping import mapping_format
from oncosearch.ingest.tables import needed_spec
from oncosearch.model.vocabulary import LINK_KIND_KEYS, NODE_TYPE_KEYS, SCOPE_KEYS, SOURCE_KIND_KEYS, TEXT_FIELD_KEYS
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "graph-format.md").read_text(encoding="utf-8")
FORMATS_PAGE = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")


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
        *(NODE_KEYS, SYNONYM_KEYS, SOURCE_KEYS, LINK_KEYS, ORIGIN_KEYS, GRAPH_KEYS),
        *(NODE_TYPE_KEYS, TEXT_FIELD_KEYS, LINK_KIND_KEYS, SOURCE_KIND_KEYS, SCOPE_KEYS),
    ],
)
def test_every_word_of_the_format_is_explained(words):
    assert [word for word in words if f"`{word}`" not in PAGE and f'"{word}"' not in PAGE] == []


def test_every_kind_of_problem_is_explained():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "oncosearch" / "ingest").glob("*.py"))
    kinds = set(re.findall(r'(?:\.error|\.warn|\.skip|\.skip_row|report|RefusedJsonError)\(\s*"([a-z_0-9]+)"', code))
    kinds |= set(re.findall(r'KEYS, "(unknown_[a-z_]+)"', code))
    assert len(kinds) > 35
    # count_mismatch is a fault of ours, not of a file.
    assert sorted(kind for kind in kinds - {"count_mismatch"} if f"`{kind}`" not in PAGE + FORMATS_PAGE) == []


def test_every_format_has_its_section():
    assert [f.key for f in FORMATS if not re.search(rf"^## .*`{f.key}`", FORMATS_PAGE, re.MULTILINE)] == []


def test_the_mapping_files_of_the_page_and_the_recipes_are_good(tmp_path):
    texts = re.findall(r"```toml\n(.*?)```", FORMATS_PAGE, re.DOTALL)
    assert len(texts) >= 3
    mappings = [path.read_text("utf-8") for path in sorted((ROOT / "recipes").glob("*.toml"))]
    for number, text in enumerate([*texts, *(m for m in mappings if re.search("^format = ", m, re.MULTILINE))]):
        path = tmp_path / f"{number}.toml"
        path.write_text(text, encoding="utf-8")
        key = mapping_format(path)
        if key == "catalogue":
            catalogue_keys(Given(mapping=path))
        else:
            needed_spec(Given(mapping=path), "collection" if key == "mongo" else "file")
