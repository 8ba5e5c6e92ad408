"""Parts of the comparison that can be read without a page: tables, plots, CSV."""

import csv
import io
import re

import numpy as np
import pytest

from oncosearch.evaluate import Measure, compare_runs
from oncosearch.evaluate.likeness import likeness
from oncosearch.model import Qrels
from oncosearch.ui.compare_state import SORTS
from oncosearch.ui.components.compare import plots, tables
from oncosearch.ui.components.compare.pairs import pair_table
from oncosearch.ui.components.compare.topics import verdict
from oncosearch.ui.palette import PAGE_DARK, PAGE_LIGHT
from oncosearch.ui.state import View
from oncosearch.ui.texts import catalogue, texts
from oncosearch.workspace import Topic
from oncosearch.workspace.columns import LETTERS, Column
from oncosearch.workspace.moves import MOVES
from oncosearch.workspace.topic_runs import ColumnRun, TopicSet
from oncosearch.workspace.topic_values import TopicRow, evaluate_columns, topic_rows
from oncosearch.workspace.whereabouts import REASONS
from tests.ui.test_palette import contrast
from tests.workspace.homes import KEY

LANES = (("A", Column.of("lexical", None)), ("C", Column.of("dense", "minilm")))
TOPICS = TopicSet("own", tuple(Topic(f"t{i}", f"=Frage {i} <b>") for i in range(4)))


@pytest.fixture(scope="module")
def evaluated():
    rng = np.random.default_rng(1)
    nodes = [f"n{i}" for i in range(20)]
    runs = [
        ColumnRun({t.id: tuple((str(n), -i) for i, n in enumerate(rng.permutation(nodes))) for t in TOPICS.topics}, {})
        for _ in LANES
    ]
    qrels = Qrels({t.id: {"n1": 3, "n2": 1, "n3": 0} for t in TOPICS.topics})
    return runs, evaluate_columns(KEY, LANES, runs, TOPICS, qrels, {})


def rows_of(evaluated):
    runs, evaluation = evaluated
    return topic_rows(runs, TOPICS, (0, 1), evaluation, Measure("nDCG", 10))


def test_families_of_texts_are_whole():
    wanted = {f"compare.where.said.{reason}" for reason in REASONS}
    wanted |= {f"compare.move.{kind}" for kind in MOVES} | {f"compare.move.{kind}.said" for kind in MOVES}
    wanted |= {f"compare.verdict.{key}" for key in ("yes", "no", "no_difference", "too_few", "rule")}
    wanted |= {f"compare.table.{name}" for name in SORTS}
    wanted |= {f"compare.origin.{origin}" for origin in ("demo", "published", "file")}
    wanted |= {
        f"compare.{part}.{name}" for part in ("short", "long") for name in ("alpha", "lam", "hops", "seeds", "cap")
    }
    wanted |= {f"compare.plot.{name}.alt" for name in ("bars", "curve", "scatter")}
    for language in ("de", "en"):
        assert wanted <= set(catalogue(language))


def test_sorting():
    alike = [likeness("ab", other, 2) for other in ("ab", "ba", "xy")]
    rows = [
        TopicRow("2", "b", 0.5, 0.4, -0.1, alike[0]),
        TopicRow("1", "c", 0.1, 0.9, 0.8, alike[1]),
        TopicRow("3", "a", None, None, None, alike[2]),
    ]
    assert [r.topic_id for r in tables.sorted_rows(rows, "")] == ["1", "2", "3"]
    assert [r.topic_id for r in tables.sorted_rows(rows, "difference")] == ["2", "1", "3"]
    assert [r.topic_id for r in tables.sorted_rows(rows, "-a")] == ["2", "1", "3"]
    assert [r.topic_id for r in tables.sorted_rows(rows, "query")] == ["3", "2", "1"]
    assert [r.topic_id for r in tables.sorted_rows(rows, "-overlap")] == ["2", "1", "3"]
    unjudged = [TopicRow(r.topic_id, r.query, None, None, None, r.likeness) for r in rows]
    assert [r.topic_id for r in tables.sorted_rows(unjudged, "")] == ["3", "1", "2"]


def test_the_table_escapes_and_sorts_by_its_headings(evaluated):
    html = tables.topic_table(texts("de"), View(query="", graph="demo@1"), rows_of(evaluated), ("A", "C"), "nDCG@10")
    assert "<b>&" not in html
    assert "&lt;b&gt;" in html
    assert html.count("<tr>") == 5
    assert len(re.findall("sort=", html)) == 8


def test_csv_is_safe_and_complete(evaluated):
    t = texts("en")
    _, evaluation = evaluated
    topics = list(
        csv.reader(io.StringIO(tables.topics_csv(t, rows_of(evaluated), ("A", "C"), "nDCG@10").decode("utf-8-sig")))
    )
    assert [row[1] for row in topics[1:]] == [f"'=Frage {i} <b>" for i in range(4)]
    assert float(topics[1][4]) == pytest.approx(float(topics[1][3]) - float(topics[1][2]), abs=2e-6)
    bars = list(csv.reader(io.StringIO(tables.bars_csv(t, LANES, evaluation).decode("utf-8-sig"))))
    assert len(bars) == 1 + len(LANES) * len(plots.BARS)
    curve = list(csv.reader(io.StringIO(tables.curve_csv(t, LANES, evaluation).decode("utf-8-sig"))))
    assert [row[2] for row in curve[1:21]] == [f"nDCG@{k}" for k in range(1, 21)]
    assert tables.bars_csv(texts("de"), LANES, evaluation).decode("utf-8-sig").splitlines()[1].count(";") == 6


def test_plots_show_the_numbers_of_the_evaluation(evaluated):
    _, evaluation = evaluated
    t = texts("en")
    bars = plots.measure_bars(t, LANES, evaluation, dark=False)
    assert [trace.name[0] for trace in bars.data] == ["A", "C"]
    at = plots.BARS.index("MRR")
    found = evaluation.estimate("C", "MRR")
    assert bars.data[1].y[at] == found.mean
    assert bars.data[1].error_y.array[at] == pytest.approx(found.upper - found.mean)
    assert bars.data[1].error_y.arrayminus[at] == pytest.approx(found.mean - found.lower)
    curve = plots.gain_curve(t, LANES, evaluation, dark=True)
    assert list(curve.data[0].x) == list(range(1, 21))
    assert curve.data[0].y[9] == evaluation.estimate("A", "nDCG@10").mean


def test_the_verdict_names_the_better_column_and_the_rule():
    t = texts("en")
    names = [f"n{i}" for i in range(10)]
    topics = TopicSet("many", tuple(Topic(f"t{i}", f"q{i}") for i in range(8)))
    best = ColumnRun({topic.id: tuple((n, -i) for i, n in enumerate(names)) for topic in topics.topics}, {})
    worse = ColumnRun({topic.id: tuple((n, -i) for i, n in enumerate(names[::-1])) for topic in topics.topics}, {})
    qrels = Qrels({topic.id: {"n0": 3} for topic in topics.topics})

    def told(runs, among=topics):
        return verdict(t, compare_runs(evaluate_columns(KEY, LANES, runs, among, qrels, {}), "nDCG@10"), ("A", "C"))

    assert told((best, worse)).startswith("A is better; the difference is more than chance (q = 0.008")
    assert told((worse, best)).startswith("C is better")
    assert "over all pairs of columns (1)" in told((best, worse))
    assert told((best, best)) == "A and C have the same value on every topic: no difference."
    assert told((best, worse), TopicSet("few", topics.topics[:5])).startswith("Only 5 topics have different values.")


def test_topics_with_the_same_values_share_a_dot():
    rows = [TopicRow(str(i), f"<i>{i}", a, 0.5, 0.5 - a, None) for i, a in enumerate((0.1, 0.5, 0.1, 0.9))]
    rows.append(TopicRow("x", "x", None, None, None, None))
    shown = plots.dots(rows)
    assert [(d.a, [r.topic_id for r in d.topics]) for d in shown] == [(0.1, ["0", "2"]), (0.5, ["1"]), (0.9, ["3"])]
    figure = plots.scatter(texts("en"), ("A", "B"), "P@5", shown, dark=False)
    better, equal, worse = figure.data[1:]
    assert [list(part.customdata) for part in (better, equal, worse)] == [[0], [1], [2]]
    assert better.text[0] == "2"
    assert "<i>" not in better.hovertext[0]


@pytest.mark.parametrize("dark", [False, True])
def test_columns_stand_out_from_the_ground_and_by_more_than_colour(dark):
    ground = PAGE_DARK if dark else PAGE_LIGHT
    colours = plots._colours(dark)
    assert min(contrast(colour, ground) for colour in colours) >= 3
    for family in (colours, plots._PATTERNS, plots._DASHES, plots._SYMBOLS):
        assert len(set(family)) == len(LETTERS)


def test_the_picture_is_made_in_the_browser():
    config = plots.picture_config("x", "svg")
    assert config["toImageButtonOptions"]["format"] == "svg"
    assert config["modeBarButtons"] == [["toImage"]]


def test_the_pairs_table_says_what_is_undefined():
    html = pair_table(texts("de"), LANES, [(0, 1, likeness("a", "a", 10))], "über")
    assert "A – C" in html
    assert "—" in html
    assert pair_table(texts("de"), LANES, [], "über") is None
