"""Commands on recorded searches and whole runs: history, replay, run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.searches import add_pipeline_options, parameters_of
from oncosearch.cli.terminal import bar, chosen_snapshot, plain, print_json, workspace_of
from oncosearch.model import Run, UsageError
from oncosearch.retrieve import pipeline
from oncosearch.store.codec import record_to_dict
from oncosearch.workspace import ReplayReport, SearchRequest, Topic, Workspace, read_topics

_RUN_TOP = 100
_HISTORY = 20
_DIFFERENCES_SHOWN = 50
# A topic that cannot be searched for has no hits; it does not spoil the run of the others.
_WITHOUT_HITS = {"empty_query", "stop_words_only", "query_too_long"}


def add_commands(add: AddCommand) -> None:
    """Add the commands of this module."""
    history = add("history", "List the newest recorded searches.", list_history)
    history.add_argument("--count", type=int, default=_HISTORY, metavar="N", help="how many (default: %(default)s)")
    history.add_argument("--json", action="store_true", help="print JSON")

    replay = add("replay", "Run a recorded search again and say whether the hits are identical.", replay_search)
    replay.add_argument("record_id", metavar="ID", help="id of the record, as search prints it")

    run = add("run", "Search for every topic of a file and write the rankings in the TREC form.", run_topics)
    run.add_argument(
        "--topics", type=Path, required=True, metavar="FILE", help="TSV id<TAB>query, or JSON lines with _id and text"
    )
    run.add_argument("--out", type=Path, required=True, metavar="RUN.trec", help="file to write")
    add_snapshot_options(run)
    add_pipeline_options(run)
    run.add_argument(
        "--top", type=int, default=_RUN_TOP, metavar="N", help="hits a topic, 1 to 200 (default: %(default)s)"
    )
    run.add_argument("--tag", metavar="NAME", help="name of the run (default: pipeline and model)")


def list_history(arguments: argparse.Namespace) -> int:
    """List the newest records, newest first."""
    if arguments.count < 1:
        raise UsageError(f"--count is {arguments.count}; expected at least 1.")
    with workspace_of(arguments) as workspace:
        records = workspace.recent(arguments.count)
    if arguments.json:
        print_json([record_to_dict(record) for record in records])
        return 0
    for record in records:
        print(f"{record.id}  {record.time[:19]}  {record.snapshot}  {record.pipeline}  {plain(record.query)}")
    if not records:
        print("No search is on record yet.")
    return 0


def replay_search(arguments: argparse.Namespace) -> int:
    """Compare a recorded search with the same search now; 0 if identical, 1 if not."""
    with workspace_of(arguments) as workspace:
        report = workspace.replay(arguments.record_id)
    print("\n".join(_replay_lines(report)))
    return 0 if report.identical else 1


def _replay_lines(report: ReplayReport) -> Iterator[str]:
    old = report.old
    yield f"{plain(old.query)}  ({old.snapshot}, {old.pipeline}, {old.model or 'no model'}, recorded {old.time})"
    if report.identical:
        yield f"identical: {len(old.hits)} hits, the same ids in the same order with the same scores"
    else:
        yield f"different: {len(report.differences)} differences"
        for difference in report.differences[:_DIFFERENCES_SHOWN]:
            yield f"   {plain(difference.text())}"
        if len(report.differences) > _DIFFERENCES_SHOWN:
            yield f"   … and {len(report.differences) - _DIFFERENCES_SHOWN:,} more"
    for cause in report.causes:
        yield f"{'also changed' if report.identical else 'why'}: {plain(cause.text())}"
    if not report.identical and not report.causes:
        yield "why: content, model revision and serialisation are the same; the program or the machine differs"


def run_topics(arguments: argparse.Namespace) -> int:
    """Search for every topic, keep the run in the store and write it as a file."""
    # Loaded here: what lies beside it brings NumPy and SciPy, which no other command of this module needs.
    from oncosearch.evaluate import ranked
    from oncosearch.evaluate.exchange import write_run

    topics = read_topics(arguments.topics)
    parameters = parameters_of(arguments)
    if not arguments.out.parent.is_dir():
        raise UsageError(f"{arguments.out.parent} is no folder; make it first, or name another file with --out.")
    with workspace_of(arguments) as workspace:
        key = chosen_snapshot(workspace, arguments, vectors=pipeline(arguments.pipeline).needs_vectors).key
        first = SearchRequest("", key, arguments.model, arguments.pipeline, parameters, top=arguments.top)
        rankings, model = _rankings(workspace, topics, first)
        run = Run(
            tag=arguments.tag or "-".join(filter(None, (arguments.pipeline, model))),
            rankings={topic: ranked(hits) for topic, hits in rankings.items()},
            graph_id=key.graph_id,
            snapshot_id=key.snapshot_id,
            model=model,
            pipeline=arguments.pipeline,
            parameters=parameters.to_dict(),
            created=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        run_id = workspace.store.save_run(run)
    lines = write_run(run, arguments.out)
    print(f"{len(topics):,} topics, {lines:,} hits written to {arguments.out}; kept as run {run_id}.")
    return 0


def _rankings(
    workspace: Workspace, topics: list[Topic], first: SearchRequest
) -> tuple[dict[str, tuple[tuple[str, float], ...]], str | None]:
    """Return the rankings by topic id, and the model where the pipeline used one."""
    rankings: dict[str, tuple[tuple[str, float], ...]] = {}
    model: str | None = None
    without: list[str] = []
    shown = bar("Topics", len(topics), unit=" topics")
    try:
        for topic in topics:
            try:
                # The run itself is kept; a record of each topic would bury what people searched for.
                ranking = workspace.search(replace(first, query=topic.query), record=False).ranking
            except UsageError as error:
                if error.code not in _WITHOUT_HITS:
                    raise
                without.append(f"topic {topic.id} has no hits: {error}")
                rankings[topic.id] = ()
            else:
                model = ranking.model
                rankings[topic.id] = tuple((hit.node_id, hit.score) for hit in ranking.hits)
            shown.update(1)
    finally:
        shown.close()
    for line in without:
        print(plain(line), file=sys.stderr)
    return rankings, model
