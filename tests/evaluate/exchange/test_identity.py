"""Export, then import, is the identity; and the texts that make formats fall over do not here."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oncosearch.evaluate import Measure, Rules, evaluate, ranked
from oncosearch.evaluate.exchange import (
    Collection,
    read_beir,
    read_qrels_csv,
    read_qrels_json,
    read_run,
    read_run_csv,
    read_run_json,
    write_beir,
    write_qrels_csv,
    write_qrels_json,
    write_run,
    write_run_csv,
    write_run_json,
)
from oncosearch.model import Qrels, Run, UsageError
from tests.evaluate.exchange.values import collections, ids, runs

NASTY = 'a, "b"; \ufeffc\r\nd\te\n=f\u2028\'+g'
IRI = "https://example.org/A%20b?x=1,2;3#ü"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("exchange")


@given(collections(), st.sampled_from(["de", "en"]))
def test_csv(folder, written, language):
    count = write_qrels_csv(written, folder / "q.csv", language=language)
    back, report = read_qrels_csv(folder / "q.csv")
    assert back == written
    assert (report.taken, report.skipped) == (count, ())


@given(collections())
def test_beir(folder, written):
    count = write_beir(written, folder / "beir")
    back, report = read_beir(folder / "beir")
    assert back == written
    assert report.skipped == ()
    lines = len(back.nodes()) + len({*back.qrels.grades, *back.duplicates})
    assert report.taken == count + lines


@given(collections())
def test_json(folder, written):
    written = replace(written, qrels=Qrels({**written.qrels.grades, "empty": {}}))
    count = write_qrels_json(written, folder / "q.json")
    back, report = read_qrels_json(folder / "q.json")
    assert back == written
    assert list(back.qrels.grades) == list(written.qrels.grades)
    assert (report.taken, report.skipped) == (count, ())


@given(runs, st.sampled_from(["de", "en"]))
def test_run_as_csv(folder, run, language):
    count = write_run_csv(run, folder / "r.csv", language=language)
    back, report = read_run_csv(folder / "r.csv")
    assert back == (run if count else Run("r", {}))
    assert (report.taken, report.skipped) == (count, ())


any_ranking = st.lists(st.tuples(ids, st.floats(allow_nan=False, allow_infinity=False)), unique_by=lambda p: p[0])


@given(st.dictionaries(ids, any_ranking.map(tuple), max_size=3), st.text())
def test_run_as_json_keeps_order_scores_and_origin(folder, rankings, text):
    run = Run(text, rankings, "g", "2026.1", text or None, "grag", {"alpha": 0.6, "hops": 2}, "2026-01-01T00:00:00")
    count = write_run_json(run, folder / "r.json")
    back, report = read_run_json(folder / "r.json")
    assert back == run
    assert (report.taken, report.skipped) == (count, ())


@pytest.mark.parametrize("identifier", [IRI, NASTY, "01", "-1", "'=x", "''x", " x ", "nan"])
def test_nasty_ids_and_texts_survive_every_form(tmp_path, identifier):
    grades = Qrels({identifier: {identifier: -1, "b": 2}})
    texts = {identifier: NASTY}
    written = Collection(grades, texts, texts, texts, {identifier: frozenset({identifier})})
    write_qrels_csv(written, tmp_path / "q.csv")
    write_qrels_json(written, tmp_path / "q.json")
    write_beir(written, tmp_path / "beir")
    assert read_qrels_csv(tmp_path / "q.csv")[0] == written
    assert read_qrels_json(tmp_path / "q.json")[0] == written
    assert read_beir(tmp_path / "beir")[0] == written
    run = Run(NASTY, {identifier: ((identifier, 1.0), ("b", 0.5))})
    for write, read in ((write_run, read_run), (write_run_csv, read_run_csv), (write_run_json, read_run_json)):
        write(run, tmp_path / "run")
        assert read(tmp_path / "run")[0] == run


@pytest.mark.parametrize("write", [write_qrels_csv, write_qrels_json, write_beir])
def test_half_a_character_is_refused_and_not_replaced(tmp_path, write):
    with pytest.raises(UsageError, match="half of a character"):
        write(Collection(Qrels({"1": {"\ud800": 1}})), tmp_path / "there")


def test_a_long_text_survives_every_form(tmp_path):
    long = "x" * 140_000
    written = Collection(Qrels({"t": {"n": 3}}), {"t": long}, {"n": "T"}, {"n": long})
    write_qrels_csv(written, tmp_path / "q.csv")
    write_qrels_json(written, tmp_path / "q.json")
    write_beir(written, tmp_path / "beir")
    for read, path in ((read_qrels_csv, "q.csv"), (read_qrels_json, "q.json"), (read_beir, "beir")):
        assert read(tmp_path / path)[0] == written


# Few scores, so that ties are common, and in any order.
odd_ranking = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from([0.25, 0.5, 0.9])), min_size=1, unique_by=lambda p: p[0]
).map(tuple)


@given(odd_ranking, st.sampled_from("abcdef"), st.sampled_from(["ascending", "descending"]))
def test_a_run_is_worth_the_same_in_memory_and_from_every_file(folder, ranking, relevant, ties):
    qrels, measures, rules = Qrels({"1": {relevant: 1}}), [Measure("MRR")], Rules(ties=ties)
    run = Run("t", {"1": ranking})
    expected = evaluate(qrels, [run], measures, rules=rules).values
    for write, read in ((write_run, read_run), (write_run_csv, read_run_csv), (write_run_json, read_run_json)):
        write(run, folder / "same")
        back, report = read(folder / "same")
        assert report.skipped == report.notes == ()
        assert (evaluate(qrels, [back], measures, rules=rules).values == expected).all()


# The search puts z first, as the query names it; the next node has the same score.
@pytest.mark.parametrize("ties", ["ascending", "descending"])
@pytest.mark.parametrize("score", [0.9, 0.0, -3.5, 1e300, 2])
def test_a_named_node_that_ties_with_the_next_stays_first_everywhere(tmp_path, score, ties):
    run = Run("t", {"1": ranked([("z", score), ("a", score), ("b", score), ("c", -1e301)])})
    qrels, measures, rules = Qrels({"1": {"z": 3, "a": 0}}), [Measure("P", 1)], Rules(ties=ties)
    assert evaluate(qrels, [run], measures, rules=rules).values.item() == 1
    for write, read in ((write_run, read_run), (write_run_csv, read_run_csv), (write_run_json, read_run_json)):
        write(run, tmp_path / "run")
        back, _ = read(tmp_path / "run")
        assert back.rankings == run.rankings
        assert evaluate(qrels, [back], measures, rules=rules).values.item() == 1


def test_a_search_that_names_no_node_keeps_its_scores():
    hits = (("a", 0.5), ("b", 0.5), ("c", 0.25))
    assert ranked(hits) == hits
    # Several named nodes, the last of which ties with the first of the others.
    (first, one), (second, two), *rest = ranked([("x", 0.1), ("y", 0.5), ("a", 0.5), ("b", 0.5)])
    assert (first, one, second, rest) == ("x", 0.1, "y", [("a", 0.5), ("b", 0.5)])
    assert 0.5 < two < 0.5001
