"""The workspace: one store, the snapshots opened from it, and everything a screen or a command asks of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from threading import RLock
from typing import Any, Self

import numpy as np
from filelock import FileLock, Timeout

from oncosearch.embed import (
    EmbedReport,
    Encoder,
    availability,
    count_encoded,
    embed_passages,
    embedded_already,
    load_encoder,
    model_facts,
    open_vectors,
)
from oncosearch.explain import semantic_contributions
from oncosearch.graph import Graph
from oncosearch.index.exact import SMALL, ExactIndex, Floats, make_codes, open_index
from oncosearch.index.names import NameIndex
from oncosearch.model import (
    ArtefactMismatchError,
    DecidedPairs,
    Node,
    NotFoundError,
    SearchRecord,
    Snapshot,
    SnapshotKey,
    StoreError,
)
from oncosearch.model.names import safe_name
from oncosearch.retrieve import Catalogue, Question, Resources, group_members, pipeline
from oncosearch.retrieve.diffused import transition
from oncosearch.settings import Settings
from oncosearch.store import Store
from oncosearch.text import FORMAT_ID
from oncosearch.workspace.artefacts import (
    Artefacts,
    make_artefacts,
    open_artefacts,
)
from oncosearch.workspace.asked import Asked, check_length, check_top, check_words
from oncosearch.workspace.curation import Curation
from oncosearch.workspace.details import hit_details, node_paths, query_notes, read_as
from oncosearch.workspace.passages import StoredPassages, node_passage
from oncosearch.workspace.recent import Recent
from oncosearch.workspace.replay import ReplayReport, compare
from oncosearch.workspace.requests import Answer, PathStep, Progress, Readiness, SearchRequest

_KEPT_SNAPSHOTS, _KEPT_ANSWERS, _KEPT_VECTORS = 4, 256, 1024


@dataclass(slots=True)
class _Opened:
    """An opened snapshot with what is made on first use."""

    artefacts: Artefacts
    catalogue: Catalogue
    smoother: Callable[[], Any]
    dense: dict[str, ExactIndex]


class Workspace:
    """Everything that can be asked of the graphs of one store. Safe to share between threads."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings = settings
        self.store = store
        self.curation = Curation(store)
        self._lock = RLock()
        self._opened: Recent[SnapshotKey, _Opened] = Recent(_KEPT_SNAPSHOTS)
        self._encoders: dict[str, Encoder] = {}
        self._queries: Recent[tuple[str, str], Floats] = Recent(_KEPT_VECTORS)
        self._answers: Recent[tuple[SearchRequest, str, int], Answer] = Recent(_KEPT_ANSWERS)

    def close(self) -> None:
        """Close the store."""
        self.store.close()

    def __enter__(self) -> Self:
        """Return the workspace itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the store."""
        self.close()

    # Snapshots

    def snapshots(self) -> list[Snapshot]:
        """Return all snapshots of the store, newest last."""
        return self.store.snapshots()

    def default_snapshot(self) -> Snapshot:
        """Return the newest snapshot; NotFoundError (``store_empty``) says how to get one."""
        found = self.store.snapshots()
        if not found:
            raise NotFoundError("The store holds no graph yet. Run: python -m oncosearch demo", code="store_empty")
        return found[-1]

    def graph(self, key: SnapshotKey) -> Graph:
        """Return the graph of a snapshot, memory-mapped."""
        return self._open(key).artefacts.graph

    def node(self, key: SnapshotKey, node_id: str) -> Node:
        """Return one node."""
        return self.store.node(key, node_id)

    def nodes(self, key: SnapshotKey, ids: Sequence[str]) -> list[Node]:
        """Return nodes in the order of ``ids``."""
        return self.store.nodes(key, ids)

    def paths(self, key: SnapshotKey, node_id: str, language: str) -> tuple[tuple[tuple[PathStep, ...], ...], bool]:
        """Return all ancestor paths of a node, root first, and whether some were cut."""
        graph = self.graph(key)
        return node_paths(graph, graph.index(node_id), language)

    def suggest(self, key: SnapshotKey, text: str, language: str, count: int = 10) -> list[tuple[str, str]]:
        """Return up to ``count`` (node id, title) of which a title, synonym or code fits ``text``."""
        opened = self._open(key)
        graph = opened.artefacts.graph
        return [(graph.ids[i], graph.title(i, language)) for i in opened.artefacts.names.suggest(text, count)]

    def names(self, key: SnapshotKey) -> NameIndex:
        """Return every name of every node of a snapshot."""
        return self._open(key).artefacts.names

    # Preparing

    def readiness(self, key: SnapshotKey, model: str, pipeline_key: str) -> Readiness:
        """Return whether a pipeline can search a snapshot with a model now, and if not, why and what to run."""
        command = f"python -m oncosearch index --graph {key.graph_id} --snapshot {key.snapshot_id} --model {model}"
        needs_vectors = pipeline(pipeline_key).needs_vectors
        if needs_vectors:
            found = availability(model, self.settings)
            if not found.usable:
                return Readiness("model_unavailable", found.reason, found.how)
        try:
            opened = self._open(key)
            if needs_vectors:
                self._dense(key, model)
        except ArtefactMismatchError as error:
            encoded = 0
            if error.code == "unembedded":
                hashes = opened.artefacts.hashes
                encoded = count_encoded(self.settings.home, key.graph_id, model_facts(model), FORMAT_ID, hashes)
            return Readiness(error.code, str(error), command, encoded, self.store.snapshot(key).node_count)
        return Readiness("ready")

    def prepare(
        self, key: SnapshotKey, model: str | None, progress: Progress, *, rebuild: bool = False
    ) -> EmbedReport | None:
        """Make everything a search of ``key`` needs, and the vectors of ``model`` unless it is None.

        Only what is missing is made; with ``rebuild`` graph files and word index are made anew from all nodes (the old
        ones serve until then), and vectors are checked. Returns what was embedded.

        Raises
        ------
        StoreError
            If another process is preparing the same graph.
        """
        home, snapshot = self.settings.home, self.store.snapshot(key)
        lock = home / "locks" / f"{safe_name(key.graph_id)}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        try:
            with FileLock(lock, timeout=0):
                make_artefacts(home, self.store, snapshot, progress, rebuild=rebuild)
                if rebuild:
                    self._opened.clear()
                if model is None:
                    return None
                opened = self._open(key)
                facts, hashes = model_facts(model), opened.artefacts.hashes
                passages = StoredPassages(opened.artefacts.folder)
                report = embedded_already(home, key, facts, FORMAT_ID, passages, hashes) or embed_passages(
                    home,
                    key,
                    passages,
                    self.encoder(model),
                    lambda done, total: progress("embed", done, total),
                    hashes=hashes,
                )
                made = open_vectors(home, key, facts, FORMAT_ID, hashes)
                if len(made.vectors) >= SMALL:
                    make_codes(made.folder, made.vectors)
        except Timeout as error:
            raise StoreError(
                f"Another process is preparing {key.graph_id!r} right now; wait for it to finish.", code="busy"
            ) from error
        with self._lock:
            opened.dense.pop(model, None)
            self._answers.clear()
        return report

    def encoder(self, model: str) -> Encoder:
        """Return the loaded encoder of a model; the first call takes seconds."""
        with self._lock:
            if model not in self._encoders:
                self._encoders[model] = load_encoder(model, self.settings)
            return self._encoders[model]

    # Searching

    def search(self, request: SearchRequest, language: str = "de", *, record: bool = True) -> Answer:
        """Return the answer to a request, from the cache where the same was asked before.

        Parameters
        ----------
        language
            For titles and snippets; the ranking does not depend on it.
        record
            Whether the search is put on record (unless the settings turn that off).

        Raises
        ------
        UsageError
            If the query is empty (``empty_query``), has only stop words (``stop_words_only``) or is too long.
        ArtefactMismatchError
            If the snapshot is not prepared (``unprepared``) or has no vectors of the model (``unembedded``).
        ModelUnavailableError
            If the model cannot be used on this machine.
        """
        query = " ".join(request.query.split())
        request = replace(request, query=query)
        number, decided = self.curation.state(request.snapshot.graph_id)
        asked = (request, language, number)
        cached = self._answers.get(asked)
        if cached is not None:
            answer = replace(cached, cached=True)
        else:
            answer = self._answers.keep(asked, self._answer(request, language, decided))
        if record and self.settings.audit:
            answer = replace(answer, ranking=replace(answer.ranking, record_id=self._record(request, answer)))
        return answer

    def semantic_contributions(self, request: SearchRequest, node_ids: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return, for each node, how far similarity drops when a field is left out: {node: {field: share}}.

        Takes some tenths of a second a node: each field is encoded anew without it.
        """
        query = " ".join(request.query.split())
        opened = self._open(request.snapshot)
        vector = self._query_vector(read_as(opened.artefacts, query) or query, request.model)
        encoder = self.encoder(request.model)
        graph = self.graph(request.snapshot)
        dense = self._dense(request.snapshot, request.model)
        out: dict[str, dict[str, float]] = {}
        for node in self.store.nodes(request.snapshot, node_ids):
            similarity = float(dense.exact(vector, np.array([graph.index(node.id)]))[0])
            passage = node_passage(graph, node)
            out[node.id] = dict(
                semantic_contributions(vector, passage, similarity, lambda texts: encoder.encode_passages(texts))
            )
        return out

    def vectors(self, key: SnapshotKey, model: str) -> tuple[ExactIndex, tuple[str, ...]]:
        """Return the opened vectors of a snapshot, and the hashes of the texts that they were made from."""
        return self._dense(key, model), self._open(key).artefacts.hashes

    # The record of searches

    def recent(self, count: int) -> list[SearchRecord]:
        """Return the newest records, newest first."""
        return self.store.recent(count)

    def record(self, record_id: str) -> SearchRecord:
        """Return one record."""
        return self.store.record_by_id(record_id)

    def replay(self, record_id: str) -> ReplayReport:
        """Run a recorded search again and return whether the hits are identical, else what differs and why."""
        old = self.store.record_by_id(record_id)
        request = SearchRequest(
            old.query, old.snapshot, old.model or "", old.pipeline, old.parameters, old.filters, old.top
        )
        decided = self.curation.at(request.snapshot.graph_id, old.time)
        answer = self._answer(request, "de", decided)
        return compare(old, self._as_record(request, answer))

    # Inside

    def asked(self, request: SearchRequest, decided: DecidedPairs | None = None) -> Asked:
        """Return everything that ranking a request takes; raises as :meth:`search` does."""
        chosen = pipeline(request.pipeline)
        check_length(request.query)
        opened = self._open(request.snapshot)
        artefacts = opened.artefacts
        check_words(request.query, artefacts.names)
        dense = self._dense(request.snapshot, request.model) if chosen.needs_vectors else None
        meant = read_as(artefacts, request.query) if chosen.needs_vectors else None
        vector = self._query_vector(meant or request.query, request.model) if chosen.needs_vectors else None
        resources = Resources(artefacts.graph, artefacts.lexical, opened.smoother, dense)
        question = Question(request.query, vector, request.parameters)
        decided = self.curation.state(request.snapshot.graph_id)[1] if decided is None else decided
        return Asked(request, chosen, artefacts, opened.catalogue, resources, question, decided, meant)

    def _answer(self, request: SearchRequest, language: str, decided: DecidedPairs) -> Answer:
        check_top(request.top)
        start = time.perf_counter()
        asked = self.asked(request, decided)
        encoded = time.perf_counter()
        ranking = asked.rank(request.top)
        ranked = time.perf_counter()
        details = hit_details(asked.artefacts, self.store, ranking, language)
        timings = (
            ("encode", 1000 * (encoded - start)),
            *ranking.timings,
            ("details", 1000 * (time.perf_counter() - ranked)),
        )
        notes = (*ranking.notes, *query_notes(asked.artefacts, request.query, asked.meant))
        return Answer(replace(ranking, timings=timings, notes=notes), details)

    def _record(self, request: SearchRequest, answer: Answer) -> str:
        record = self._as_record(request, answer)
        self.store.record(record)
        return record.id

    def _as_record(self, request: SearchRequest, answer: Answer) -> SearchRecord:
        model = answer.ranking.model
        return SearchRecord(
            id=uuid.uuid4().hex,
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            user=self.settings.user,
            query=request.query,
            snapshot=request.snapshot,
            content_hash=self._open(request.snapshot).artefacts.snapshot.content_hash,
            model=model,
            model_revision=model_facts(model).revision if model else None,
            format_id=FORMAT_ID,
            pipeline=request.pipeline,
            parameters=request.parameters,
            filters=request.filters,
            top=request.top,
            hits=tuple((h.node_id, h.score) for h in answer.ranking.hits),
        )

    def _open(self, key: SnapshotKey) -> _Opened:
        with self._lock:
            found = self._opened.get(key)
            if found is None:
                artefacts = open_artefacts(self.settings.home, self.store.snapshot(key))
                graph = artefacts.graph
                catalogue = Catalogue(artefacts.names, group_members(graph))
                smoother = lru_cache(maxsize=1)(lambda: transition(graph))
                found = self._opened.keep(key, _Opened(artefacts, catalogue, smoother, {}))
            return found

    def _dense(self, key: SnapshotKey, model: str) -> ExactIndex:
        opened = self._open(key)
        with self._lock:
            if model not in opened.dense:
                found = open_vectors(self.settings.home, key, model_facts(model), FORMAT_ID, opened.artefacts.hashes)
                index = open_index(found.folder, found.vectors, found.rows)
                if index.codes is None and len(found.vectors) >= SMALL:
                    # Another process is just making the codes: what is opened now is right but slow, and not kept.
                    return index
                opened.dense[model] = index
            return opened.dense[model]

    def _query_vector(self, query: str, model: str) -> Floats:
        found = self._queries.get((model, query))
        if found is None:
            found = self._queries.keep((model, query), self.encoder(model).encode_queries([query])[0])
        return found
