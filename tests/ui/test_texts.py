import json
import re
import string

import pytest

from oncosearch.model import VERDICTS, Filters, Parameters
from oncosearch.model.vocabulary import LANGUAGE_KEYS
from oncosearch.ui.compare_state import Comparison
from oncosearch.ui.components.about_view import EVIDENCE_LEVELS
from oncosearch.ui.components.filters import FACETS
from oncosearch.ui.components.first_screen import EXAMPLES, demo_queries
from oncosearch.ui.downloads import COLUMNS
from oncosearch.ui.evaluate_state import Evaluated
from oncosearch.ui.state import (
    HEAT_KINDS,
    INTERFACE_LANGUAGES,
    QUALITY_LISTS,
    REACHES,
    Allowed,
    View,
    read_view,
    write_view,
)
from oncosearch.ui.texts import CATALOGUES, catalogue, texts
from oncosearch.workspace.columns import DEFAULT_COLUMNS
from oncosearch.workspace.quality_export import QUALITY_COLUMNS
from tests.paths import ROOT

GERMAN, ENGLISH = catalogue("de"), catalogue("en")
SOURCES = [*(ROOT / "oncosearch" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "streamlit_app.py"]


FULL = View(
    query="x", graph="g@1", node="n", top=5, heat="off", reach=2, printed=True, via=("a",), start=1, check="decided",
    session="s", topic="t", task="new",
    compare=Comparison(DEFAULT_COLUMNS, "demo", "none", "MAP", (1, 2), "tau", "svg"),
    evaluate=Evaluated(
        "agreement", "demo", ("lexical",), ("MAP",), "demo", True, "MRR", (1,), "svg", "session-s", True, True
    ),
    parameters=Parameters(0.1, 0.1, 1, 1, 1), filters=Filters(("drug",), ("a",), ("web",), ("de",)),
)  # fmt: skip


def placeholders(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def test_the_catalogues_have_the_same_keys_in_the_same_order():
    assert list(GERMAN) == list(ENGLISH)


@pytest.mark.parametrize("key", GERMAN)
def test_the_same_placeholders_and_no_empty_text(key):
    assert placeholders(GERMAN[key]) == placeholders(ENGLISH[key])
    assert GERMAN[key].strip()
    assert ENGLISH[key].strip()
    assert "!" not in GERMAN[key] + ENGLISH[key]


def test_no_key_stands_twice():
    for language in CATALOGUES:
        path = ROOT / "oncosearch" / "ui" / "texts" / f"{language}.json"
        pairs = json.loads(path.read_text("utf-8"), object_pairs_hook=list)
        keys = [key for key, _ in pairs]
        assert len(keys) == len(set(keys))


def used_keys():
    code = "\n".join(path.read_text("utf-8") for path in SOURCES)
    plain = set(re.findall(r'\bt\(\s*"([a-z_0-9.]+)"', code))
    counted = {f"{key}.{form}" for key in re.findall(r'\bt\.count\(\s*"([a-z_.]+)"', code) for form in ("one", "other")}
    either = set(re.findall(r'\bt\("([a-z_.]+)" if ', code)) | set(re.findall(r' else "([a-z_]+\.[a-z_.]+)"\)', code))
    return plain | counted | either


def test_every_text_that_is_used_exists():
    assert len(used_keys()) > 100
    assert used_keys() - set(GERMAN) == set()


def refusable():
    """Return the parameters of an address of which some value is refused; graph and question have their own words."""
    everything = {name: ["\x00nothing"] for name in write_view(FULL)}
    _, refused = read_view(everything, Allowed((), (), ()))
    return set(refused) - {"graph"}


def test_families_are_whole():
    wanted = {f"example.{n}" for n in EXAMPLES} | {f"heat.{kind}" for kind in HEAT_KINDS}
    wanted |= {f"graph.reach.{reach}" for reach in REACHES} | {f"language.{key}" for key in INTERFACE_LANGUAGES}
    wanted |= {f"filters.{facet}" for facet in FACETS} | {f"csv.{column}" for column in COLUMNS}
    wanted |= {f"quality.{key}.{part}" for key in QUALITY_LISTS for part in ("name", "about", "more")}
    wanted |= {f"quality.csv.{column}" for column in QUALITY_COLUMNS}
    wanted |= {f"quality.decision.{verdict}" for verdict in VERDICTS}
    wanted |= {f"address.name.{name}" for name in refusable()} | {f"about.levels.{level}" for level in EVIDENCE_LEVELS}
    wanted |= {f"{part}.pinned.{how}" for part in ("card", "why") for how in ("code", "title", "synonym")}
    wanted |= {f"prepare.stage.{stage}" for stage in ("graph", "passages", "lexical", "embed")}
    assert wanted <= set(GERMAN)
    assert set(INTERFACE_LANGUAGES) == set(CATALOGUES) == set(LANGUAGE_KEYS)


def test_error_texts_come_in_pairs():
    keys = [key.rsplit(".", 1)[0] for key in GERMAN if key.startswith("error.") and key != "error.detail"]
    assert {keys.count(key) for key in keys} == {2}


def test_examples_are_questions_of_the_demo_graph():
    german = texts("de")
    assert {german(f"example.{n}") for n in EXAMPLES} <= set(demo_queries())
    assert len(demo_queries()) == 40


def test_counting():
    assert texts("en").count("search.hits", 1) == "1 hit"
    assert texts("de").count("count.nodes", 200000) == "200\u202f000 Knoten"
    assert texts("fr").language == "de"
