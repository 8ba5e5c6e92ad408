"""What can be taken from an annotation session: the raters' records, qrels in exchange formats, the pooled runs."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from oncosearch.evaluate import ranked
from oncosearch.evaluate.exchange import Collection, write_beir, write_qrels, write_qrels_csv, write_run
from oncosearch.model import PublishedQrels, Run
from oncosearch.model.names import safe_name
from oncosearch.review import SessionView, record_of, session_states, write_record
from oncosearch.store import ReviewStore
from oncosearch.workspace.passages import node_passage
from oncosearch.workspace.workspace import Workspace

QRELS_FORMS = ("trec", "csv", "beir")


def records_zip(store: ReviewStore, view: SessionView) -> bytes:
    """Return a zip of the paper's records: a folder a rater, one JSON file a topic that was begun."""
    files = {
        f"{safe_name(rater)}/{safe_name(topic)}.json": write_record(record_of(view, state)).encode("utf-8")
        for rater, topics in session_states(store, view.session.id).items()
        for topic, state in topics.items()
        if state.started
    }
    return _zipped(files)


def qrels_file(workspace: Workspace, found: PublishedQrels, form: str, language: str) -> tuple[bytes, str]:
    """Return qrels in one of ``QRELS_FORMS`` and the ending of the file: ``zip`` where the form is several files."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        if form == "csv":
            write_qrels_csv(collection_of(workspace, found, language), folder / "qrels.csv", language=language)
            return (folder / "qrels.csv").read_bytes(), "csv"
        if form == "beir":
            write_beir(collection_of(workspace, found, language), folder)
        else:
            write_qrels(found.qrels, folder / "qrels.txt", duplicates=found.duplicates)
        return _zipped(dict(_files(folder))), "zip"


def collection_of(workspace: Workspace, found: PublishedQrels, language: str) -> Collection:
    """Return qrels with the questions, and with titles and texts of the nodes that the snapshot has."""
    graph = workspace.graph(found.snapshot)
    named = {node for nodes in found.qrels.grades.values() for node in nodes}
    named |= {node for nodes in found.duplicates.values() for node in nodes}
    there = [node for node in sorted(named) if graph.ids.find(node) is not None]
    nodes = workspace.nodes(found.snapshot, there)
    return Collection(
        found.qrels,
        {topic: query.best(language) for topic, query in found.queries.items()},
        {node.id: node.title.best(language) for node in nodes},
        {node.id: node_passage(graph, node).text for node in nodes},
        found.duplicates,
    )


def pooled_runs_of(store: ReviewStore, view: SessionView) -> list[Run]:
    """Return the runs whose first k nodes were pooled, each under its name."""
    rankings: dict[str, dict[str, list[tuple[int, str, float]]]] = {run.name: {} for run in view.session.runs}
    for topic, pool_id in view.session.pools.items():
        for entry in store.pool(pool_id).entries:
            for found in entry.found:
                rows = rankings.setdefault(found.run, {}).setdefault(topic, [])
                rows.append((found.rank, entry.node, found.score))
    facts: Mapping[str, tuple[str | None, str]] = {run.name: (run.model, run.pipeline) for run in view.session.runs}
    key = view.session.snapshot
    return [
        Run(
            tag=name,
            rankings={
                topic: ranked([(node, score) for _, node, score in sorted(rows)]) for topic, rows in found.items()
            },
            graph_id=key.graph_id,
            snapshot_id=key.snapshot_id,
            model=facts.get(name, (None, ""))[0],
            pipeline=facts.get(name, (None, ""))[1],
            created=view.session.created,
        )
        for name, found in rankings.items()
    ]


def runs_zip(store: ReviewStore, view: SessionView) -> bytes:
    """Return a zip of the pooled runs as TREC files."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        for run in pooled_runs_of(store, view):
            write_run(run, folder / f"{safe_name(run.tag)}.trec")
        return _zipped(dict(_files(folder)))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # A fixed time, so that the same content is the same file.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()
