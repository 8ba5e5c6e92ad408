"""What trec_eval printed for its own test files comes out, measure by measure and topic by topic."""

from itertools import pairwise

import pytest

from oncosearch.evaluate import TREC_RULES, Measure, Rules, evaluate
from oncosearch.evaluate.exchange import read_qrels, read_run
from oncosearch.model import UsageError
from tests.paths import SHARED_DATA

FOLDER = SHARED_DATA / "trec_eval" if SHARED_DATA else None
pytestmark = pytest.mark.skipif(FOLDER is None, reason="needs the files of trec_eval, ../shared/data/trec_eval")

LEVEL_2 = Rules(ties="descending", gain="linear", positive=2)
# trec_eval's own definition of nDCG on binary grades is ours too: 2^1 − 1 = 1.
OUR_GAIN = Rules(ties="descending")


def printed(name):
    """Return {(measure, topic): figure} of the measures that we know."""
    figures = {}
    for line in (FOLDER / name).read_text().splitlines():
        measure, topic, figure = line.split()
        try:
            known = Measure.parse(measure)
        except UsageError:
            continue
        figures[known, topic] = float(figure)
    return figures


@pytest.mark.parametrize(
    ("output", "qrels", "run", "rules"),
    [
        ("out.test", "qrels.test", "results.test", TREC_RULES),
        ("out.test.aq", "qrels.test", "results.test", TREC_RULES),
        ("out.test.aq", "qrels.test", "results.test", OUR_GAIN),
        ("out.test.aqc", "qrels.test", "results.trunc", TREC_RULES),
        ("out.test.aql", "qrels.rel_level", "results.test", LEVEL_2),
    ],
)
def test_figures_are_those_of_trec_eval(output, qrels, run, rules):
    expected = printed(output)
    assert len(expected) >= 11
    ranked, _ = read_run(FOLDER / run)
    graded, _ = read_qrels(FOLDER / qrels, scale=None)
    measures = list(dict.fromkeys(measure for measure, _ in expected))
    found = evaluate(graded, [ranked], measures, rules=rules)
    assert len(found.topics) == 3
    figures = {(m, t): found.of(ranked.tag, m)[i] for m in measures for i, t in enumerate(found.topics)}
    figures |= {(m, "all"): found.estimate(ranked.tag, m).mean for m in measures}
    for key, figure in expected.items():
        assert figures[key] == pytest.approx(figure, abs=0.00005 + 1e-9), key


def test_its_tie_rule_matters_there():
    ranked, _ = read_run(FOLDER / "results.test")
    graded, _ = read_qrels(FOLDER / "qrels.test")
    scores = ranked.rankings["301"]
    assert any(a == b for (_, a), (_, b) in pairwise(scores))
    mean = {
        rules.ties: evaluate(graded, [ranked], [Measure("MAP")], rules=rules).means[0, 0]
        for rules in (Rules(), TREC_RULES)
    }
    assert mean["ascending"] != mean["descending"]
