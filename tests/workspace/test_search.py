"""Searching a workspace: what is refused, what is found, what is kept."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from oncosearch.ingest import import_graph
from oncosearch.model import (
    ArtefactMismatchError,
    Filters,
    ModelUnavailableError,
    NotFoundError,
    Parameters,
    SnapshotKey,
    UsageError,
)
from oncosearch.retrieve import PIPELINE_KEYS
from oncosearch.workspace import SearchRequest, answer_to_dict
from tests.paths import SHARED_DATA
from tests.workspace.homes import KEY, SMALL, changed_graph, opened, silent

ASK = SearchRequest("Brustkrebs mit Hirnmetastasen", KEY)


def ids(answer):
    return [hit.node_id for hit in answer.ranking.hits]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (replace(ASK, query=""), "empty_query"),
        (replace(ASK, query=" \t\n"), "empty_query"),
        (replace(ASK, query="und wie bei der"), "stop_words_only"),
        (replace(ASK, query="?!…"), "stop_words_only"),
        (replace(ASK, query="x" * 2001), "query_too_long"),
        (replace(ASK, pipeline="magic"), "unknown_pipeline"),
        (replace(ASK, model="gpt"), "unknown_model"),
        (replace(ASK, top=0), "parameter_range"),
        (replace(ASK, top=201), "parameter_range"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_code(small, request_, code):
    with pytest.raises(UsageError) as caught:
        small.search(request_)
    assert caught.value.code == code
    assert small.recent(10) == []


def test_the_longest_query_is_taken(reading):
    assert len(reading.search(replace(ASK, query="Brustkrebs " * 181)).ranking.hits) == 10


def test_an_abbreviation_that_is_no_stop_word_is_searched_for(reading):
    assert ids(reading.search(replace(ASK, query="ER", pipeline="lexical")))[0] == "er"


def test_a_graph_that_is_not_prepared_names_the_command(tmp_path):
    with opened(tmp_path, SMALL) as workspace:
        with pytest.raises(ArtefactMismatchError, match=r"index --graph small --snapshot 2026\.Q4") as caught:
            workspace.search(ASK)
        assert caught.value.code == "unprepared"
        workspace.prepare(KEY, None, silent)
        assert ids(workspace.search(replace(ASK, pipeline="lexical")))[0] == "hirnmetastasen"
        with pytest.raises(ArtefactMismatchError, match="--model e5-small") as caught:
            workspace.search(ASK)
        assert caught.value.code == "unembedded"


def test_a_model_that_is_not_here_says_so(tmp_path, small, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    assert small.readiness(KEY, "bgem3", "grag").state == "model_unavailable"
    with pytest.raises(ModelUnavailableError):
        small.encoder("bgem3")


def test_readiness_goes_from_unprepared_to_ready(tmp_path):
    with opened(tmp_path, SMALL) as workspace:
        assert workspace.readiness(KEY, "e5-small", "lexical").state == "unprepared"
        workspace.prepare(KEY, None, silent)
        assert workspace.readiness(KEY, "e5-small", "lexical").state == "ready"
        found = workspace.readiness(KEY, "e5-small", "grag")
        assert (found.state, found.encoded, found.total) == ("unembedded", 0, 30)
        assert found.command.endswith("--model e5-small")
        workspace.prepare(KEY, "e5-small", silent)
        assert workspace.readiness(KEY, "e5-small", "grag").state == "ready"


def test_a_snapshot_that_is_not_stored(reading):
    with pytest.raises(NotFoundError):
        reading.search(replace(ASK, snapshot=SnapshotKey("small", "1999")))


def test_an_empty_store_says_how_to_get_a_graph(tmp_path):
    with opened(tmp_path) as workspace:
        with pytest.raises(NotFoundError, match="python -m oncosearch demo") as caught:
            workspace.default_snapshot()
        assert caught.value.code == "store_empty"


@pytest.mark.parametrize("pipeline", PIPELINE_KEYS)
def test_every_pipeline_answers_with_provenance(reading, pipeline):
    answer = reading.search(replace(ASK, query="Osimertinib bei EGFR T790M", pipeline=pipeline, top=5))
    hits = answer.ranking.hits
    assert {"osimertinib", "egfr-t790m"} <= set(ids(answer)[:3])
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(hit.score == pytest.approx(hit.own + hit.around) for hit in hits)
    assert answer.ranking.model == (None if pipeline == "lexical" else "e5-small")
    for detail in answer.details:
        total = sum(detail.contributions.values())
        assert total == pytest.approx(1) or total == 0
    (source,) = next(d for d in answer.details if d.hit.node_id == "osimertinib").sources
    assert source.address == "https://pubmed.ncbi.nlm.nih.gov/25923549/"


def test_a_hit_has_all_its_paths_in_the_readers_language(reading):
    def paths(language):
        detail = reading.search(replace(ASK, query="Hirnmetastasen"), language).details[0]
        assert detail.hit.node_id == "hirnmetastasen"
        return {tuple(step.title for step in path) for path in detail.paths}

    assert paths("de") == {
        ("Onkologie", "Solide Tumoren", "Mammakarzinom"),
        ("Onkologie", "Solide Tumoren", "Lungenkarzinom"),
    }
    assert paths("en") == {("Oncology", "Solid tumours", "Breast cancer"), ("Oncology", "Solid tumours", "Lung cancer")}


@pytest.mark.parametrize(
    ("query", "first", "how"),
    [
        ("C50.9", "mamma", "code"),
        ("c50.9", "mamma", "code"),
        ("Malignes Melanom", "melanom", "title"),
        ("malignant  melanoma", "melanom", "title"),
        ("Brustkrebs", "mamma", "synonym"),
        ("p.V600E", "braf-v600e", "synonym"),
    ],
)
@pytest.mark.parametrize("pipeline", PIPELINE_KEYS)
def test_a_name_brings_its_node_first(reading, query, first, how, pipeline):
    hit = reading.search(replace(ASK, query=query, pipeline=pipeline)).ranking.hits[0]
    assert (hit.node_id, hit.pinned) == (first, how)


def test_a_synonym_that_is_not_exact_pins_nothing(reading):
    assert reading.search(replace(ASK, query="Hautkrebs")).ranking.hits[0].pinned is None


def test_redundant_nodes_are_folded_into_one_hit(home, tmp_path):
    def twin(rows):
        rows["nachsorge-mamma-2"] = {**rows["nachsorge-mamma"], "id": "nachsorge-mamma-2"}

    with opened(home, changed_graph(tmp_path / "twins", twin)) as workspace:
        key = SnapshotKey("small", "2027.Q1")
        assert workspace.prepare(key, "e5-small", silent).encoded == 0
        answer = workspace.search(replace(ASK, query="Untersuchung nach Brustkrebs: Nachsorge", snapshot=key, top=30))
        folded = {hit.node_id: hit.folded for hit in answer.ranking.hits if hit.folded}
        assert folded == {"nachsorge-mamma": ("nachsorge-mamma-2",)}
        # The one of the lung bears the same title, but says something else.
        assert "nachsorge-lunge" in ids(answer)
        assert ("folded", (("count", "1"),)) in answer.ranking.notes


@pytest.mark.parametrize(
    ("filters", "allowed"),
    [
        (Filters(types=("drug",)), {"trastuzumab", "osimertinib"}),
        (Filters(groups=("haematologie",)), {"haematologie", "aml"}),
        (Filters(source_kinds=("pubmed",)), {"osimertinib"}),
        (Filters(types=("drug", "document")), {"trastuzumab", "osimertinib", "glossar"}),
        (Filters(types=("biomarker",), groups=("solide",)), set()),
    ],
)
@pytest.mark.parametrize("pipeline", PIPELINE_KEYS)
def test_filters_restrict_hits_and_not_facets(reading, filters, allowed, pipeline):
    query = replace(ASK, query="Osimertinib, Trastuzumab, Leukämie, Glossar", pipeline=pipeline, top=200)
    free = reading.search(query)
    found = reading.search(replace(query, filters=filters))
    assert set(ids(found)) <= allowed
    assert set(ids(found)) >= set(ids(free)) & allowed
    assert found.ranking.facets == free.ranking.facets
    if not allowed:
        assert [code for code, _ in found.ranking.notes if code == "filtered_out"] == ["filtered_out"]


def test_facets_count_the_candidates(reading):
    answer = reading.search(replace(ASK, query="Osimertinib EGFR", pipeline="lexical", top=200))
    facets = {name: dict(counts) for name, counts in answer.ranking.facets}
    kinds = {d.node.id: d.node.type for d in answer.details}
    assert sum(facets["types"].values()) == answer.ranking.candidate_count == len(kinds)
    assert facets["types"] == {t: list(kinds.values()).count(t) for t in set(kinds.values())}
    assert facets["source_kinds"] == {"pubmed": 1}


def test_the_second_answer_comes_from_the_cache_and_is_equal(small):
    first, second = small.search(ASK), small.search(replace(ASK, query="  Brustkrebs  mit Hirnmetastasen "))
    assert (first.cached, second.cached) == (False, True)
    assert second.details == first.details
    assert replace(second.ranking, record_id=None) == replace(first.ranking, record_id=None)
    assert not small.search(ASK, "en").cached
    assert not small.search(replace(ASK, parameters=Parameters(alpha=0.5))).cached


def test_the_ranking_does_not_depend_on_the_language(reading):
    german, english = reading.search(ASK, "de"), reading.search(ASK, "en")
    assert german.ranking.hits == english.ranking.hits
    assert german.details[0].title != english.details[0].title


def test_every_search_is_recorded_and_the_newest_comes_first(small):
    first = small.search(ASK).ranking.record_id
    second = small.search(replace(ASK, query="AML", filters=Filters(types=("disease",)), top=3)).ranking
    again = small.search(ASK).ranking.record_id
    assert len({first, second.record_id, again}) == 3
    assert [r.id for r in small.recent(10)] == [again, second.record_id, first]
    record = small.record(second.record_id)
    assert (record.query, record.top, record.user) == ("AML", 3, "local")
    assert record.filters == Filters(types=("disease",))
    assert (record.snapshot, record.model, record.pipeline) == (KEY, "e5-small", "grag")
    assert record.hits == tuple((hit.node_id, hit.score) for hit in second.hits)


def test_nothing_is_recorded_where_that_is_turned_off(home):
    with opened(home, audit=False) as workspace:
        assert workspace.search(ASK).ranking.record_id is None
        assert workspace.recent(10) == []


def test_a_search_can_be_kept_off_the_record(small):
    assert small.search(ASK, record=False).ranking.record_id is None
    assert small.recent(10) == []


@pytest.mark.parametrize(
    ("text", "first"), [("Brust", "mamma"), ("c34", "lunge"), ("her2/n", "her2"), ("thr790", "egfr-t790m")]
)
def test_suggest(reading, text, first):
    assert reading.suggest(KEY, text, "de")[0][0] == first


def test_suggest_titles_follow_the_language_and_the_count(reading):
    assert reading.suggest(KEY, "Mamma", "en", 1) == [("mamma", "Breast cancer")]
    assert len(reading.suggest(KEY, "e", "de", 4)) == 4
    assert reading.suggest(KEY, " ", "de") == []


def test_semantic_contributions_are_the_drop_when_a_field_is_left_out(reading):
    request = replace(ASK, query="tastbarer Knoten")
    answer = reading.search(request)
    detail = next(d for d in answer.details if d.hit.node_id == "mamma")
    found = reading.semantic_contributions(request, ["mamma", "aml"])
    assert set(found) == {"mamma", "aml"}
    assert {"Title", "Symptoms", "Diagnosis"} <= set(found["mamma"])
    # Of all texts, the symptom is what the question asks for.
    texts = {f: v for f, v in found["mamma"].items() if f in {"Symptoms", "Diagnosis", "Codes"}}
    assert max(texts, key=texts.get) == "Symptoms"
    assert texts["Symptoms"] > 0
    assert all(abs(v) <= 1 for v in found["mamma"].values())
    assert detail.contributions["Symptoms"] > 0


def test_an_answer_is_json_and_complete(reading):
    answer = reading.search(replace(ASK, query="Osimertinib bei EGFR T790M"))
    content = json.loads(json.dumps(answer_to_dict(answer), allow_nan=False))
    assert content["snapshot"] == {"graph": "small", "snapshot": "2026.Q4"}
    assert content["parameters"].items() >= {"alpha": 0.6, "lambda": 0.75, "hops": 2, "seeds": 20}.items()
    assert content["timings"].keys() >= {"encode", "rank", "details"}
    hit = next(h for h in content["hits"] if h["id"] == "osimertinib")
    assert hit.keys() >= {
        *("id", "title", "type", "rank", "score", "similarity", "subgraph_similarity", "seed", "hop"),
        *("neighbours", "paths", "sources", "contributions", "matched"),
    }
    assert hit["paths"] == [["Onkologie", "Therapien"]]
    assert hit["sources"][0]["address"] == "https://pubmed.ncbi.nlm.nih.gov/25923549/"


def test_two_threads_may_search_at_once(home):
    queries = [f"{word} {number}" for number in range(4) for word in ("Brustkrebs", "EGFR T790M", "Übelkeit", "AML")]
    asked = [replace(ASK, query=q, pipeline=p) for q in queries for p in ("grag", "lexical", "diffused")]
    with opened(home, audit=False) as workspace:
        alone = {request: workspace.search(request) for request in asked}
    start = threading.Barrier(2)
    with opened(home) as workspace:

        def everything():
            start.wait()
            return [workspace.search(request) for request in asked]

        with ThreadPoolExecutor(2) as pool:
            both = [f.result() for f in [pool.submit(everything), pool.submit(everything)]]
        for answers in both:
            assert [a.ranking.hits for a in answers] == [alone[request].ranking.hits for request in asked]
        assert len({a.ranking.record_id for answers in both for a in answers}) == 2 * len(asked)
        assert len(workspace.recent(1000)) == 2 * len(asked)


@pytest.mark.skipif(SHARED_DATA is None, reason="the public data sets are not here")
def test_civic_finds_the_evidence_on_osimertinib_and_t790m(tmp_path):
    with opened(tmp_path) as workspace:
        report, _ = import_graph(SHARED_DATA / "civic", workspace.store, format="civic")
        key = SnapshotKey(report.graph_id, report.snapshot_id)
        workspace.prepare(key, None, silent)
        answer = workspace.search(SearchRequest("Osimertinib bei EGFR T790M", key, pipeline="lexical"))
        assert report.nodes > 5000
        fitting = [d for d in answer.details[:5] if d.node.type == "evidence" and _is_about(d, "osimertinib", "t790m")]
        assert fitting
        addresses = [card.address for card in fitting[0].sources if card.source.kind == "pubmed"]
        assert addresses
        assert all(a.startswith("https://pubmed.ncbi.nlm.nih.gov/") for a in addresses)


def _is_about(detail, *words):
    text = " ".join([detail.title, *(t for _, field in detail.node.fields for _, t in field)]).lower()
    return all(word in text for word in words)
