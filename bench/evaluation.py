"""Four models × four pipelines on the demo topics, judged: ``runs``, ``tables``, ``parameters``, ``smoothing``.

``python -m bench.evaluation runs`` searches for every topic of the demo graph with every model and pipeline (word
search needs no model and is one run) and writes the rankings beside the demo data; all four models must be usable and
the graph embedded with each. ``tables`` needs no model: it evaluates these runs by the qrels and prints the tables of
``docs/evaluation-demo.md``. ``parameters`` searches again: it chooses α, λ, h and S of GRAG on one half of the topics
and measures them on the other half. ``smoothing`` says what the graph adds to ``diffused``. These two leave what they
found in ``figures.json`` beside the qrels, from where ``tables`` prints it. Nothing here measures time, so the figures
do not depend on the machine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from bench.evaluation_text import Figures, Floats, compared, difference_lines, estimate_text, grid
from oncosearch.evaluate import (
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
    ranked,
    result_tables,
)
from oncosearch.evaluate.exchange import read_qrels, read_run, write_run
from oncosearch.model import Parameters, Qrels, Run, SnapshotKey
from oncosearch.retrieve.diffused import diffuse
from oncosearch.settings import Settings
from oncosearch.workspace import SearchRequest, Topic, Workspace, open_workspace, read_topics

MODELS = ("e5-small", "use-m3", "minilm", "mpnetbase2")
PIPELINES = ("dense", "grag", "hybrid", "diffused")
LEXICAL = "lexical"
DEMO = Path(__file__).resolve().parent.parent / "data" / "demo"
QRELS = DEMO / "qrels" / "demo.qrels"
FIGURES = QRELS.parent / "figures.json"
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
            if arguments.command == "parameters":
                found = parameter_figures(workspace, key, topics)
            else:
                found = smoothing_figures(workspace, key, topics)
            keep_figures(arguments.command, found)
            print("\n".join((parameters_text if arguments.command == "parameters" else smoothing_text)(found)), end="")
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
        rankings[topic.id] = ranked([(hit.node_id, hit.score) for hit in ranking.hits])
    return Run(tag_of(model, pipeline), rankings, key.graph_id, key.snapshot_id, model, pipeline)


def stored_evaluation(folder: Path = RUNS) -> Evaluation:
    """Return the evaluation of the stored runs by the demo's qrels."""
    tags = [tag_of(model, pipeline) for model in MODELS for pipeline in PIPELINES]
    runs = [read_run(folder / f"{tag}.trec")[0] for tag in (*tags, LEXICAL)]
    return evaluate(demo_qrels(), runs, MEASURES)


def demo_qrels() -> Qrels:
    """Return the demo's judgements."""
    return read_qrels(QRELS)[0]


def judgements_hash() -> str:
    """Return the SHA-256 of the qrels and their flags."""
    flags = QRELS.with_name(f"{QRELS.name}.flags.tsv")
    return hashlib.sha256(QRELS.read_bytes() + flags.read_bytes()).hexdigest()


def stored_figures() -> Figures:
    """Return what ``parameters`` and ``smoothing`` found, each with the hash of the judgements they rest on."""
    return dict(json.loads(FIGURES.read_text("utf-8"))) if FIGURES.is_file() else {}


def keep_figures(part: str, found: Figures) -> None:
    """Write what one of the two commands found beside the qrels."""
    figures = stored_figures() | {part: {"judgements_sha256": judgements_hash(), **found}}
    FIGURES.write_text(json.dumps(figures, ensure_ascii=False, indent=1, sort_keys=True) + "\n", "utf-8")


# Tables


def tables_text(folder: Path = RUNS) -> Iterator[str]:
    """Yield the lines of the tables in Markdown."""
    evaluation = stored_evaluation(folder)
    yield from _matrix(evaluation)
    yield f"## Against the same model without the graph ({CHOSEN_BY})"
    yield ""
    yield from difference_lines(against_dense(evaluation))
    yield "## Against word search (looked at afterwards)"
    yield ""
    yield from difference_lines(against_words(evaluation))
    yield from _few_hits(folder)
    yield from _by_group(evaluation)
    figures = stored_figures()
    yield from parameters_text(figures["parameters"])
    yield from smoothing_text(figures["smoothing"])
    for table in result_tables(evaluation, compare_runs(evaluation)):
        yield from _markdown(table)


def _matrix(evaluation: Evaluation) -> Iterator[str]:
    yield f"## {CHOSEN_BY} of every model and pipeline"
    yield ""
    rows = (
        (model, *(estimate_text(evaluation.estimate(tag_of(model, p), CHOSEN_BY)) for p in PIPELINES))
        for model in MODELS
    )
    yield from grid(("Model", *PIPELINES), rows)
    yield f"Word search ({LEXICAL}, no model): {estimate_text(evaluation.estimate(LEXICAL, CHOSEN_BY))}."
    yield ""


def against_dense(evaluation: Evaluation) -> list[Figures]:
    """Return every pipeline compared with ``dense`` of the same model."""
    pairs = [(tag_of(m, p), tag_of(m, "dense")) for m in MODELS for p in PIPELINES[1:]]
    return _compared_runs(evaluation, pairs, [str(CHOSEN_BY)])


def against_words(evaluation: Evaluation) -> list[Figures]:
    """Return ``diffused`` of every model compared with word search."""
    pairs = [(tag_of(m, "diffused"), LEXICAL) for m in MODELS]
    return _compared_runs(evaluation, pairs, ["nDCG@1", str(CHOSEN_BY), "recall@10"])


def _compared_runs(evaluation: Evaluation, pairs: Sequence[tuple[str, str]], measures: Sequence[str]) -> list[Figures]:
    return compared([(a, b, m, evaluation.of(a, m) - evaluation.of(b, m)) for m in measures for a, b in pairs])


def few_hits(folder: Path = RUNS) -> dict[str, dict[str, int]]:
    """Return, by run, the topics with fewer than ten hits and how many they have."""
    found = {}
    for path in sorted(folder.glob("*.trec")):
        rankings = read_run(path)[0].rankings
        found[path.stem] = {topic: len(hits) for topic, hits in sorted(rankings.items()) if len(hits) < 10}
    return {run: topics for run, topics in found.items() if topics}


def _few_hits(folder: Path) -> Iterator[str]:
    yield "## Topics with fewer than ten hits"
    yield ""
    for run, topics in few_hits(folder).items():
        yield f"- {run}: " + ", ".join(f"{topic} ({hits})" for topic, hits in topics.items())
    yield ""


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
    yield from grid(("Run", *names), rows)


def _markdown(table: Table) -> Iterator[str]:
    yield f"## {caption(table)}"
    yield ""
    rows = (
        tuple(cell_text(cell, column) for cell, column in zip(row, table.columns, strict=True)) for row in table.rows
    )
    yield from grid([heading(column) for column in table.columns], rows)
    yield " ".join(note_text(note) for note in table.notes)
    yield ""


# Parameters


def parameter_figures(workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic]) -> Figures:
    """Return what choosing the parameters of GRAG on one half of the topics brings on the other half."""
    return chosen({model: _grid_values(workspace, key, topics, model) for model in MODELS}, topics)


def chosen(by_model: Mapping[str, Floats], topics: Sequence[Topic]) -> Figures:
    """Return the figures from the values of each model, settings × topics."""
    of_models = {**by_model, "all four": np.mean(list(by_model.values()), axis=0)}
    odd = np.array([int(topic.id[1:]) % 2 == 1 for topic in topics])
    choices, crossed = [], {}
    for name, found in of_models.items():
        crossed[name] = np.empty(len(topics))
        for learn, direction in ((odd, "odd → even"), (~odd, "even → odd")):
            best = _best(found[:, learn])
            crossed[name][~learn] = found[best, ~learn]
            means = [round(float(found[at, half].mean()), 6) for half in (learn, ~learn) for at in (best, DEFAULT)]
            choices.append({"model": name, "halves": direction, "setting": _named(GRID[best]), "means": means})
    series = [
        (f"{name}, chosen", f"{name}, {label}", str(CHOSEN_BY), crossed[name] - found[at])
        for name, found in of_models.items()
        for label, at in (("default", DEFAULT), ("dense", DENSE))
    ]
    mean = of_models["all four"].mean(axis=1)
    inside = np.array([p.alpha < 1 for p in GRID])
    alone: Figures = {}
    for name, label in (("alpha", "α"), ("lam", "λ"), ("hops", "h"), ("seeds", "S")):
        for value in sorted({getattr(p, name) for p in GRID}):
            kept = np.array([getattr(p, name) == value for p in GRID]) & (inside | (name == "alpha"))
            alone.setdefault(label, {})[f"{value:g}"] = round(float(mean[kept].mean()), 6)
    return {"alone": alone, "choices": choices, "compared": compared(series)}


def parameters_text(figures: Figures) -> Iterator[str]:
    """Yield these figures in Markdown."""
    yield f"## Parameters of GRAG, chosen on one half ({CHOSEN_BY})"
    yield ""
    rows = [(c["model"], c["halves"], c["setting"], *(f"{m:.3f}" for m in c["means"])) for c in figures["choices"]]
    yield from grid(("Model", "Halves", "Chosen", "There", "Default there", "On the other", "Default on it"), rows)
    yield (
        f"{len(GRID)} settings, of which the {sum(p.alpha == 1 for p in GRID)} with α = 1 are one ranking, that of "
        "dense (of equal ones the default is kept, else the first); halves are the topics of odd and of even number, "
        "20 each. "
        f"Default: {_named(Parameters())}."
    )
    yield ""
    yield "## Chosen on the other half, against the default and against dense"
    yield ""
    yield from difference_lines(figures["compared"])
    yield f"## Each parameter alone (mean {CHOSEN_BY} over models, topics and the other parameters)"
    yield ""
    for label in ("α", "λ", "h", "S"):
        of_values = sorted(figures["alone"][label].items(), key=lambda pair: float(pair[0]))
        yield f"- {label}: " + ", ".join(f"{value}: {mean:.3f}" for value, mean in of_values)
    yield ""
    yield "λ, h and S without α = 1, where they do nothing."
    yield ""


def smoothing_figures(workspace: Workspace, key: SnapshotKey, topics: Sequence[Topic]) -> Figures:
    """Return what smoothing over the graph adds to meaning and words together, in ``diffused``."""
    runs = []
    for model, steps in product(MODELS, (0, 1, 2)):
        rankings = {}
        for topic in topics:
            asked = workspace.asked(SearchRequest(topic.query, key, model, "diffused", top=DEPTH))
            smoothed = replace(asked.pipeline, run=partial(diffuse, steps=steps))
            hits = replace(asked, pipeline=smoothed).rank(DEPTH).hits
            rankings[topic.id] = ranked([(hit.node_id, hit.score) for hit in hits])
        runs.append(Run(f"{model}, {steps}", rankings))
    return smoothed_figures(runs)


def smoothed_figures(runs: Sequence[Run]) -> Figures:
    """Return the figures from the runs, named by model and steps."""
    measures = parse_measures("P@1 nDCG@10 recall@10 judged@10")
    found = evaluate(demo_qrels(), runs, measures)
    means = {run: {str(m): estimate_text(found.estimate(run, m)) for m in measures} for run in found.runs}
    series = [
        (f"{model}, 1", f"{model}, 0", measure, found.of(f"{model}, 1", measure) - found.of(f"{model}, 0", measure))
        for measure in ("nDCG@10", "recall@10")
        for model in MODELS
    ]
    return {"compared": compared(series), "means": means}


def smoothing_text(figures: Figures) -> Iterator[str]:
    """Yield these figures in Markdown."""
    yield "## What the graph adds to `diffused`: steps of smoothing (0: meaning and words added, no graph)"
    yield ""
    names = [f"{model}, {steps}" for model, steps in product(MODELS, (0, 1, 2))]
    measures = ("P@1", "nDCG@10", "recall@10", "judged@10")
    rows = [(name, *(figures["means"][name][measure] for measure in measures)) for name in names]
    yield from grid(("Model, steps", *measures), rows)
    yield from difference_lines(figures["compared"])


def _best(values: Floats) -> int:
    """Return the setting with the highest mean; of equal ones the default, else the first."""
    order = [DEFAULT, *(at for at in range(len(GRID)) if at != DEFAULT)]
    return order[int(np.argmax(np.round(values[order].mean(axis=1), 12)))]


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


if __name__ == "__main__":
    main()
