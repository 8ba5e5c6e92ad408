"""Time and memory of importing large files through the command line, as JSON lines: ``python -m bench.ingest``.

Each import runs in a process of its own; what is measured is its wall clock, its CPU seconds and its peak memory, from
start to end: reader, checks and store. Beside them stands how long reading the same file costs at the very least: lines
taken apart, or ``json.loads`` over it.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

NODES = 200_000
GOAL_SECONDS, GOAL_BYTES = 120, 2 * 10**9
_WORDS = 20_000
_DEFINITION = 14
_MAPPING = """format = "tables"
language = "en"

[graph]
id = "bench-tables"
snapshot = "1"
licence = "made for a benchmark"

[[nodes]]
file = "nodes.csv"
id = "{id}"
type = "disease"
title.en = "name"
synonyms = [{ from = "synonyms", split = "|", language = "en" }]
codes = [{ system = "NCIt", from = "ncit" }]
fields.Diagnosis.en = ["definition"]

[[parents]]
file = "parents.csv"
child = "{child}"
parent = "{parent}"

[[links]]
file = "links.csv"
source = "{source}"
target = "{target}"
kind = "related to"
"""


@dataclass(frozen=True, slots=True)
class Term:
    """One node of the synthetic graph."""

    id: str
    name: str
    definition: str
    synonyms: tuple[str, ...]
    code: str
    pmid: str
    parents: tuple[str, ...]
    related: str | None


def main() -> None:
    """Run the benchmark and print its lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--format", nargs="+", choices=list(WRITERS), default=list(WRITERS))
    parser.add_argument("--store", nargs="+", choices=("sqlite", "mongo"), default=["sqlite", "mongo"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.nodes, arguments.format, arguments.store, Path(folder))


def run(count: int, formats: list[str], stores: list[str], folder: Path) -> list[dict[str, Any]]:
    """Print one JSON line for each import and return them."""
    lines = []
    for name in formats:
        place = folder / name
        place.mkdir()
        # In a process of its own: a child begins with the peak memory of the one that started it.
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            options, plain = apart.submit(_make, name, place, count).result()
        size = sum(path.stat().st_size for path in place.iterdir())
        for store in stores:
            with _address(store, folder / f"{name}-server") as address:
                if address is None:
                    print(json.dumps({"what": "left out", "store": store, "why": "no MongoDB server"}), flush=True)
                    continue
                measured = _import([*options, "--format", name], folder / f"{name}-{store}", address)
            line = {
                "what": "ingest", "format": name, "store": store, "nodes": count, "megabytes": round(size / 1e6, 1),
                **measured, "plain_read_seconds": round(plain, 2), "cpu_to_plain": round(measured["cpu"] / plain, 1),
                "reached": measured["seconds"] <= GOAL_SECONDS and measured["peak_bytes"] <= GOAL_BYTES,
            }  # fmt: skip
            print(json.dumps(line), flush=True)
            lines.append(line)
        shutil.rmtree(place)
    return lines


def _make(name: str, folder: Path, count: int) -> tuple[list[str], float]:
    """Write the files; return the options of the import and the CPU seconds of a plain reading."""
    options = WRITERS[name](folder, terms(count))
    return options, _clock(lambda: _read_plainly(folder))


def terms(count: int) -> Iterator[Term]:
    """Return the nodes: one or two earlier ones as parents, every third with a cross-link, texts of Zipf words."""
    rng = np.random.default_rng(7)
    for i in range(count):
        above = sorted({int(i * rng.random() ** 1.3) for _ in range(1 + (rng.random() < 0.15))}) if i else []
        words = [f"word{n:x}" for n in np.minimum(rng.zipf(1.3, size=_DEFINITION + 5), _WORDS).tolist()]
        yield Term(
            id=_id(i),
            name=" ".join(words[:3]) + f" {i}",
            definition=" ".join(words[5:]),
            synonyms=(" ".join(words[3:5]), f"synonym {i}"),
            code=f"C{i}",
            pmid=str(10_000_000 + i),
            parents=tuple(map(_id, above)),
            related=_id(int(rng.integers(i))) if i and i % 3 == 0 else None,
        )


def _id(i: int) -> str:
    return f"DOID:{i:07d}"


def _write_obo(folder: Path, nodes: Iterator[Term]) -> list[str]:
    path = folder / "bench.obo"
    with path.open("w", encoding="utf-8") as out:
        out.write("format-version: 1.2\nontology: bench-obo\n\n[Typedef]\nid: related_to\nname: related to\n")
        for term in nodes:
            lines = [
                "", "[Term]", f"id: {term.id}", f"name: {term.name}",
                f'def: "{term.definition}." [PMID:{term.pmid}]',
                *(f'synonym: "{text}" EXACT []' for text in term.synonyms),
                f"xref: NCI:{term.code}",
                *(f"is_a: {parent}" for parent in term.parents),
            ]  # fmt: skip
            if term.related:
                lines.append(f"relationship: related_to {term.related}")
            out.write("\n".join(lines) + "\n")
    return [str(path)]


def _write_obograph(folder: Path, nodes: Iterator[Term]) -> list[str]:
    path = folder / "bench.json"
    address = "http://purl.obolibrary.org/obo/"
    rows: list[dict[str, Any]] = []
    edges: list[dict[str, str]] = []
    for term in nodes:
        here = address + term.id.replace(":", "_")
        meta = {
            "definition": {"val": f"{term.definition}.", "xrefs": [f"PMID:{term.pmid}"]},
            "synonyms": [{"pred": "hasExactSynonym", "val": text} for text in term.synonyms],
            "xrefs": [{"val": f"NCI:{term.code}"}],
        }
        rows.append({"id": here, "lbl": term.name, "type": "CLASS", "meta": meta})
        edges += [{"sub": here, "pred": "is_a", "obj": address + p.replace(":", "_")} for p in term.parents]
        if term.related:
            edges.append({"sub": here, "pred": f"{address}related_to", "obj": address + term.related.replace(":", "_")})
    graph = {"id": f"{address}bench-obograph.json", "nodes": rows, "edges": edges}
    path.write_text(json.dumps({"graphs": [graph]}, indent=1), "utf-8")
    return [str(path)]


def _write_tables(folder: Path, nodes: Iterator[Term]) -> list[str]:
    (folder / "mapping.toml").write_text(_MAPPING, "utf-8")
    with (
        (folder / "nodes.csv").open("w", encoding="utf-8", newline="") as terms_file,
        (folder / "parents.csv").open("w", encoding="utf-8", newline="") as parents_file,
        (folder / "links.csv").open("w", encoding="utf-8", newline="") as links_file,
    ):
        rows, parents, links = map(csv.writer, (terms_file, parents_file, links_file))
        rows.writerow(["id", "name", "synonyms", "ncit", "definition"])
        parents.writerow(["child", "parent"])
        links.writerow(["source", "target"])
        for term in nodes:
            rows.writerow([term.id, term.name, "|".join(term.synonyms), term.code, term.definition])
            parents.writerows([term.id, parent] for parent in term.parents)
            if term.related:
                links.writerow([term.id, term.related])
    return [str(folder), "--mapping", str(folder / "mapping.toml")]


def _write_native(folder: Path, nodes: Iterator[Term]) -> list[str]:
    header = {"format": "oncosearch-graph/1", "graph_id": "bench-native", "snapshot_id": "1", "languages": ["en"]}
    (folder / "graph.json").write_text(json.dumps({**header, "licence": "made for a benchmark"}), "utf-8")
    with (folder / "nodes.jsonl").open("w", encoding="utf-8") as out:
        for term in nodes:
            node = {
                "id": term.id,
                "type": "disease",
                "title": {"en": term.name},
                "synonyms": [{"text": text, "language": "en", "scope": "exact"} for text in term.synonyms],
                "fields": {"Diagnosis": {"en": term.definition}},
                "codes": [{"system": "NCIt", "code": term.code}],
                "sources": [{"kind": "pubmed", "id": term.pmid}],
                "parents": list(term.parents),
                "links": [{"target": term.related, "kind": "related_to"}] if term.related else [],
            }
            out.write(json.dumps(node) + "\n")
    return [str(folder)]


WRITERS: dict[str, Callable[[Path, Iterator[Term]], list[str]]] = {
    "obo": _write_obo,
    "obograph": _write_obograph,
    "tables": _write_tables,
    "native": _write_native,
}


def _read_plainly(folder: Path) -> None:
    for path in folder.iterdir():
        if path.suffix == ".json":
            json.loads(path.read_text("utf-8"))
        elif path.suffix == ".jsonl":
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    json.loads(line)
        elif path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as lines:
                for _ in csv.reader(lines):
                    pass
        else:
            with path.open(encoding="utf-8") as lines:
                for line in lines:
                    line.strip().partition(": ")


def _clock(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return max(1e-3, time.process_time() - start)


def _import(options: list[str], home: Path, address: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "oncosearch", "--home", str(home), "ingest", *options]
    environment = {**os.environ, "ONCOSEARCH_STORE": "" if address == "sqlite" else address}
    log = home.with_suffix(".log")
    start = time.perf_counter()
    with log.open("wb") as out:
        child = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
        # wait4 tells the memory of this one child; getrusage would tell the largest of all.
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{log.read_text('utf-8', 'replace')[-2000:]}")
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return {"seconds": round(seconds, 1), "cpu": round(used.ru_utime + used.ru_stime, 1), "peak_bytes": peak}


@contextmanager
def _address(store: str, folder: Path) -> Iterator[str | None]:
    """Lend the address of a store; for MongoDB that of ``ONCOSEARCH_TEST_MONGO_URI``, or of a server started here."""
    if store == "sqlite":
        yield "sqlite"
        return
    if given := os.environ.get("ONCOSEARCH_TEST_MONGO_URI"):
        yield f"{given.rstrip('/')}/oncosearch_bench_{os.getpid()}_{folder.name.partition('-')[0]}"
        return
    folder.mkdir()
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = int(listener.getsockname()[1])
    command = _server(port, folder)
    if command is None:
        yield None
        return
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(port)
        yield f"mongodb://127.0.0.1:{port}/oncosearch_bench"
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _server(port: int, folder: Path) -> list[str] | None:
    (folder / "data").mkdir()
    if mongod := shutil.which("mongod"):
        return [mongod, "--bind_ip", "127.0.0.1", "--port", str(port), "--dbpath", str(folder / "data")]
    beside = Path(sys.executable).with_name("secantusd-py")
    if beside.exists():
        (folder / "empty.toml").touch()
        return [
            *(str(beside), "--config", str(folder / "empty.toml"), "--host", "127.0.0.1", "--port", str(port)),
            *("--storage-path", str(folder / "data"), "--log-level", "WARNING"),
        ]
    return None


def _wait_for(port: int, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("the MongoDB server did not start")


if __name__ == "__main__":
    main()
