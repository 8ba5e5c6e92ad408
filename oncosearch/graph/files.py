"""The graph as memory-mapped files in a folder, with a manifest that says what it was made from."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oncosearch.graph.columns import TextColumn
from oncosearch.graph.graph import Graph, Relation
from oncosearch.model import ArtefactMismatchError, SnapshotKey

FORMAT = "oncosearch-graph-3"
_PARTS = {TextColumn: ("blob", "offsets"), Relation: ("starts", "targets", "kinds")}


def save_graph(graph: Graph, folder: Path) -> None:
    """Write ``graph`` into ``folder``, which appears whole or not at all."""
    work = folder.with_name(folder.name + ".part")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for field in fields(graph):
        value = getattr(graph, field.name)
        if isinstance(value, np.ndarray):
            np.save(work / f"{field.name}.npy", value, allow_pickle=False)
        elif isinstance(value, TextColumn | Relation):
            for part in _PARTS[type(value)]:
                np.save(work / f"{field.name}.{part}.npy", getattr(value, part), allow_pickle=False)
    manifest = {
        "format": FORMAT,
        "graph_id": graph.key.graph_id,
        "snapshot_id": graph.key.snapshot_id,
        "content_hash": graph.content_hash,
        "nodes": len(graph),
        "link_kinds": list(graph.link_kinds),
    }
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    work.rename(folder)


def open_graph(folder: Path, key: SnapshotKey, content_hash: str) -> Graph:
    """Return the graph of ``folder``, memory-mapped.

    Raises
    ------
    ArtefactMismatchError
        If the files are of another format, snapshot or content.
    FileNotFoundError
        If there is no such folder.
    """
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    found = (
        manifest.get("format"),
        manifest.get("graph_id"),
        manifest.get("snapshot_id"),
        manifest.get("content_hash"),
    )
    wanted = (FORMAT, key.graph_id, key.snapshot_id, content_hash)
    if found != wanted:
        raise ArtefactMismatchError(
            f"The graph files are of {found}, expected {wanted}; rebuild them with: python -m oncosearch index"
        )

    def array(name: str) -> npt.NDArray[Any]:
        # Seen as a plain array: a numpy.memmap makes every single look-up several times slower.
        loaded: npt.NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False).view(np.ndarray)
        return loaded

    def column(name: str) -> TextColumn:
        return TextColumn(array(f"{name}.blob"), array(f"{name}.offsets"))

    def relation(name: str) -> Relation:
        return Relation(*(array(f"{name}.{part}") for part in _PARTS[Relation]))

    return Graph(
        key=key,
        content_hash=content_hash,
        ids=column("ids"),
        types=array("types"),
        titles_de=column("titles_de"),
        titles_en=column("titles_en"),
        source_mask=array("source_mask"),
        language_mask=array("language_mask"),
        source_hash=array("source_hash"),
        parents=relation("parents"),
        children=relation("children"),
        links=relation("links"),
        links_back=relation("links_back"),
        adjacent=relation("adjacent"),
        link_kinds=tuple(manifest["link_kinds"]),
    )
