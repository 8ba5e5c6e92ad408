"""Four models × four pipelines on the demo topics, judged: ``runs``, ``tables``, ``parameters``, ``smoothing``.

``python -m bench.evaluation runs`` searches for every topic of the demo graph with every model and pipeline (word
search needs no model and is one run) and writes the rankings beside the demo data; all four models must be usable and
the graph embedded with each. ``tables`` needs no model: it evaluates these runs by the qrels and prints the tables of
``docs/evaluation-demo.md``. ``parameters`` searches again: it chooses α, λ, h and S of GRAG on one half of the topics
and measures them on the other half. ``smoothing`` says what the graph adds to ``diffused``. Nothing here measures
time, so the figures do not depend on the machine.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from oncosearch.evaluate import (
    RULES,
    Estimate,
    Evaluation,
    Measure,
    Table,
    caption,
    cell_text,
    compare_runs,
    evaluate,
    heading,
    note_text,
    parse_measures,
    result_tables,
)
from oncosearch.evaluate.exchange import read_qrels, read_run, write_run
from oncosearch.evaluate.intervals import bootstrap_intervals
from oncosearch.evaluate.significance import adjusted, signed_rank
from oncosearch.model import Parameters, Qrels, Run, SnapshotKey
from oncosearch.retrieve.diffused import diffuse
from oncosearch.settings import Settings
from oncosearch.workspace import SearchRequest, Topic, Workspace, open_workspace, read_topics

MODELS = ("e5-small", "use-m3", "minilm", "mpnetbase2")
PIPELINES = ("dense", "grag", "hybrid", "diffused")
LEXICAL = "lexical"
DEMO = Path(__file__).resolve().parent.parent / "data" / "demo"
QRELS = DEMO / "qrels" / "demo.qrels"
RUNS = DEMO / "runs"
DEPTH = 20
MEASURES = parse_measures(
    "P@1 P@3 P@5 P@10 recall@1 recall@3 recall@5 recall@10 nDCG@1 nDCG@3 nDCG@5 nDCG@10 MRR MAP judged@10 judged@20"
)
CHOSEN_BY = Measure.parse("nDCG@10")
# What the topics of the demo ask for, in the order in which they stand.
GROUPS = (
    ("everyday words", 1, 9),
    ("codes, short forms, names", 10, 20),
    ("drug, marker, line", 21, 30),
    ("several circumstances", 31, 40),
)
# α = 1 leaves only a node's own similarity, which is the ranking of dense.
GRID = tuple(
    Parameters(alpha=a, lam=decay, hops=h, seeds=s)
    for a, decay, h, s in product((0.4, 0.6, 0.8, 1.0), (0.5, 0.75, 1.0), (1, 2), (10, 20, 40))
)

DEFAULT = GRID.index(Parameters())
DENSE = GRID.index(Parameters(alpha=1.0))

Floats = npt.NDArray[np.float64]


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("runs", "tables", "parameters", "smoothing"))
    parser.add_argument("--runs", type=Path, default=RUNS, help="folder of the runs (default: beside the demo data)")
    arguments = parser.parse_args()
    if arguments.command == "tables":
        print("\n".join(tables_text(arguments.runs)), end="")
        return
    with open_workspace(Settings.from_environment()) as workspace:
        key = workspace.default_snapshot().key
        topics = read_topics(DEMO / "topics.tsv")
        if arguments.command != "runs":
            text = parameters_text if arguments.command == "parameters" else smoothing_text
            print("\n".join(text(workspace, key, topics)), end="")
            return
        arguments.runs.mkdir(exist_ok=True)
        for model, pipeline in (*product(MODELS, PIPELINES), (MODELS[0], LEXICAL)):
            run = make_run(workspace, key, topics, model, pipeline, Parameters())
            write_run(run, arguments.runs / f"{run.tag}.trec")
            print(run.tag, file=sys.stderr)


def tag_of(model: str, pipeline: str) -> str:
    """Return the name of a run."""
    return pipeline if pipeline == LEXICAL else f"{pipeline}-{model}"


def make_run(
    workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic], model: str, pipeline: str, parameters: Parameters
) -> Run:
    """Return the rankings of all topics, ``DEPTH`` deep."""
    request = SearchRequest("", key, model, pipeline, parameters, top=DEPTH)
    rankings = {}
    for topic in topics:
        ranking = workspace.asked(replace(request, query=topic.query)).rank(DEPTH)
        rankings[topic.id] = tuple((hit.node_id, hit.score) for hit in ranking.hits)
    return Run(tag_of(model, pipeline), rankings, key.graph_id, key.snapshot_id, model, pipeline)


def stored_evaluation(folder: Path = RUNS) -> Evaluation:
    """Return the evaluation of the stored runs by the demo's qrels."""
    tags = [tag_of(model, pipeline) for model in MODELS for pipeline in PIPELINES]
    runs = [read_run(folder / f"{tag}.trec")[0] for tag in (*tags, LEXICAL)]
    return evaluate(demo_qrels(), runs, MEASURES)


def demo_qrels() -> Qrels:
    """Return the demo's judgements."""
    return read_qrels(QRELS)[0]


# Tables


def tables_text(folder: Path = RUNS) -> Iterator[str]:
    """Yield the lines of the tables in Markdown."""
    evaluation = stored_evaluation(folder)
    yield from _matrix(evaluation)
    yield f"## Against the same model without the graph ({CHOSEN_BY}; planned before any figure was seen)"
    yield ""
    planned = [(tag_of(m, p), tag_of(m, "dense")) for m in MODELS for p in PIPELINES[1:]]
    yield from _against(evaluation, planned, [str(CHOSEN_BY)])
    yield "## Against word search (looked at afterwards)"
    yield ""
    later = [(tag_of(m, "diffused"), LEXICAL) for m in MODELS]
    yield from _against(evaluation, later, [str(CHOSEN_BY), "recall@10"])
    yield from _by_group(evaluation)
    for table in result_tables(evaluation, compare_runs(evaluation)):
        yield from _markdown(table)


def _matrix(evaluation: Evaluation) -> Iterator[str]:
    yield f"## {CHOSEN_BY} of every model and pipeline"
    yield ""
    rows = (
        (model, *(_estimate(evaluation.estimate(tag_of(model, p), CHOSEN_BY)) for p in PIPELINES)) for model in MODELS
    )
    yield from _grid(("Model", *PIPELINES), rows)
    yield f"Word search ({LEXICAL}, no model): {_estimate(evaluation.estimate(LEXICAL, CHOSEN_BY))}."
    yield ""


def _against(evaluation: Evaluation, others: Sequence[tuple[str, str]], measures: Sequence[str]) -> Iterator[str]:
    """Yield comparisons of pairs of runs by some measures, adjusted over these alone."""
    found = []
    for measure in measures:
        comparisons = compare_runs(evaluation, measure)
        found += [(a, b, measure, comparisons.of(a, b)) for a, b in others]
    q_values = adjusted([1.0 if pair.p is None else pair.p for *_, pair in found])
    rows = []
    for (a, b, measure, pair), q in zip(found, q_values, strict=True):
        sign = 1 if pair.a == a else -1
        lower, upper = pair.difference.lower, pair.difference.upper
        assert lower is not None
        assert upper is not None
        low, high = sorted((sign * lower, sign * upper))
        wins, losses = (pair.wins, pair.losses) if sign == 1 else (pair.losses, pair.wins)
        numbers = f"{_signed(sign * pair.difference.mean)} [{_signed(low)}; {_signed(high)}]"
        counts = f"{wins}/{pair.ties}/{losses}"
        p = 1.0 if pair.p is None else pair.p
        verdict = "yes" if q < evaluation.rules.alpha else "no"
        rows.append((a, b, measure, numbers, counts, _p(p), _p(float(q)), verdict))
    yield from _grid(("A", "B", "Measure", "A − B", "Wins/ties/losses", "p", "q", "q < 0.05"), rows)
    yield (
        f"n = {len(evaluation.topics)} topics. p: two-sided Wilcoxon signed-rank test; q: adjusted by Benjamini and "
        f"Hochberg over the {len(rows)} comparisons of this table."
    )
    yield ""


def _p(value: float) -> str:
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def _by_group(evaluation: Evaluation) -> Iterator[str]:
    yield f"## By kind of question ({CHOSEN_BY}, means; too few topics for tests)"
    yield ""
    numbers = np.array([int(topic[1:]) for topic in evaluation.topics])
    masks = [(numbers >= first) & (numbers <= last) for _, first, last in GROUPS]
    names = [
        f"{name} (T{first:02}–T{last}, n = {int(m.sum())})"
        for (name, first, last), m in zip(GROUPS, masks, strict=True)
    ]
    rows = [(tag, *(f"{evaluation.of(tag, CHOSEN_BY)[mask].mean():.3f}" for mask in masks)) for tag in evaluation.runs]
    yield from _grid(("Run", *names), rows)


def _markdown(table: Table) -> Iterator[str]:
    yield f"## {caption(table)}"
    yield ""
    rows = (
        tuple(cell_text(cell, column) for cell, column in zip(row, table.columns, strict=True)) for row in table.rows
    )
    yield from _grid([heading(column) for column in table.columns], rows)
    yield " ".join(note_text(note) for note in table.notes)
    yield ""


def _grid(headings: Sequence[str], rows: Iterator[tuple[str, ...]] | Sequence[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---|" * len(headings)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


# Parameters


def parameters_text(workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic]) -> Iterator[str]:
    """Yield what choosing the parameters of GRAG on one half of the topics brings on the other half."""
    of_models = {model: _grid_values(workspace, key, topics, model) for model in MODELS}
    of_models["all four"] = np.mean(list(of_models.values()), axis=0)
    odd = np.array([int(topic.id[1:]) % 2 == 1 for topic in topics])
    yield f"## Parameters of GRAG, chosen on one half ({CHOSEN_BY})"
    yield ""
    rows, crossed = [], {}
    for name, found in of_models.items():
        crossed[name] = np.empty(len(topics))
        for learn, direction in ((odd, "odd → even"), (~odd, "even → odd")):
            best = _best(found[:, learn])
            crossed[name][~learn] = found[best, ~learn]
            means = [f"{found[at, half].mean():.3f}" for half in (learn, ~learn) for at in (best, DEFAULT)]
            rows.append((name, direction, _named(GRID[best]), *means))
    yield from _grid(("Model", "Halves", "Chosen", "There", "Default there", "On the other", "Default on it"), rows)
    yield (
        f"{len(GRID)} settings (of equal ones the default is kept); halves are the topics of odd and of even number, "
        f"{int(odd.sum())} each. Default: {_named(Parameters())}."
    )
    yield ""
    yield "## Chosen on the other half, against the default and against dense"
    yield ""
    compared = [
        (name, label, crossed[name] - found[at])
        for name, found in of_models.items()
        for label, at in (("default", DEFAULT), ("dense (α = 1)", DENSE))
    ]
    yield from _differences(compared, "A: chosen on the other half; B")
    yield f"## Each parameter alone (mean {CHOSEN_BY} over models, topics and the other parameters)"
    yield ""
    mean = of_models["all four"].mean(axis=1)
    inside = np.array([p.alpha < 1 for p in GRID])
    for name, label in (("alpha", "α"), ("lam", "λ"), ("hops", "h"), ("seeds", "S")):
        values = sorted({getattr(p, name) for p in GRID})
        kept = [np.array([getattr(p, name) == v for p in GRID]) & (inside | (name == "alpha")) for v in values]
        yield f"- {label}: " + ", ".join(f"{v:g}: {mean[k].mean():.3f}" for v, k in zip(values, kept, strict=True))
    yield ""
    yield "λ, h and S without α = 1, where they do nothing."
    yield ""


def smoothing_text(workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic]) -> Iterator[str]:
    """Yield what smoothing over the graph adds to meaning and words together, in ``diffused``."""
    measures = parse_measures("P@1 nDCG@10 recall@10 judged@10")
    runs = []
    for model, steps in product(MODELS, (0, 1, 2)):
        rankings = {}
        for topic in topics:
            asked = workspace.asked(SearchRequest(topic.query, key, model, "diffused", top=DEPTH))
            smoothed = replace(asked.pipeline, run=partial(diffuse, steps=steps))
            hits = replace(asked, pipeline=smoothed).rank(DEPTH).hits
            rankings[topic.id] = tuple((hit.node_id, hit.score) for hit in hits)
        runs.append(Run(f"{model}, {steps}", rankings))
    found = evaluate(demo_qrels(), runs, measures)
    yield "## What the graph adds to `diffused`: steps of smoothing (0: meaning and words added, no graph)"
    yield ""
    rows = [(run, *(_estimate(found.estimate(run, measure)) for measure in measures)) for run in found.runs]
    yield from _grid(("Model, steps", *map(str, measures)), rows)
    compared = [
        (model, measure, found.of(f"{model}, 1", measure) - found.of(f"{model}, 0", measure))
        for measure in ("nDCG@10", "recall@10")
        for model in MODELS
    ]
    yield from _differences(compared, "One step against none")


def _best(values: Floats) -> int:
    """Return the setting with the highest mean; of equal ones the default, else the first."""
    order = [DEFAULT, *(at for at in range(len(GRID)) if at != DEFAULT)]
    return order[int(np.argmax(np.round(values[order].mean(axis=1), 12)))]


def _differences(compared: Sequence[tuple[str, str, Floats]], heading_of_b: str) -> Iterator[str]:
    q_values = adjusted([signed_rank(difference).p for *_, difference in compared])
    rows = []
    for (name, other, difference), q in zip(compared, q_values, strict=True):
        lower, upper = (float(end[0]) for end in bootstrap_intervals(difference[None], RULES))
        numbers = f"{_signed(float(difference.mean()))} [{_signed(lower)}; {_signed(upper)}]"
        p = signed_rank(difference).p
        rows.append((name, other, numbers, _p(p), _p(float(q)), "yes" if q < RULES.alpha else "no"))
    yield from _grid(("Model", heading_of_b, "A − B", "p", "q", "q < 0.05"), rows)
    yield f"n = {len(compared[0][2])} topics; q adjusted over the {len(compared)} comparisons of this table."
    yield ""


def _grid_values(workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic], model: str) -> Floats:
    """Return settings × topics."""
    judged = Measure.parse("judged@10")
    runs = []
    for number, parameters in enumerate(GRID):
        run = make_run(workspace, key, topics, model, "grag", parameters)
        runs.append(replace(run, tag=str(number)))
    found = evaluate(demo_qrels(), runs, (CHOSEN_BY, judged))
    assert found.topics == tuple(topic.id for topic in topics)
    print(f"{model}: judged@10 at least {found.means[:, found.column(judged)].min():.3f}", file=sys.stderr)
    return found.values[:, found.column(CHOSEN_BY)]


def _named(p: Parameters) -> str:
    return f"α {p.alpha:g}, λ {p.lam:g}, h {p.hops}, S {p.seeds}"


def _estimate(found: Estimate) -> str:
    return f"{found.mean:.3f} [{found.lower:.3f}–{found.upper:.3f}]"


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return "0.000" if float(text) == 0 else text.replace("-", "−")


if __name__ == "__main__":
    main()
