"""The small resident copy of large vector sets, made once and carried over from snapshot to snapshot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from oncosearch.embed import VectorSet, matching_rows
from oncosearch.index.exact import SMALL, Codes, open_codes, save_codes

_SAME = ("format", "model", "revision", "dimension", "serialisation")


def make_codes(made: VectorSet, small: int = SMALL) -> None:
    """Write the codes of a vector set beside it, unless it is smaller than ``small`` rows or has them already."""
    if len(made.vectors) < small or (made.folder / "codes.npy").is_file():
        return
    wanted = np.load(made.folder / "hashes.npy", allow_pickle=False)
    earlier = None
    for folder in sorted(made.folder.parent.iterdir(), key=lambda f: f.stat().st_mtime, reverse=True):
        if folder != made.folder and _fits(folder, made) and (codes := open_codes(folder)) is not None:
            earlier = codes, matching_rows(np.load(folder / "hashes.npy", allow_pickle=False), wanted)
            break
    save_codes(Codes.of(made.vectors, earlier), made.folder)


def _fits(folder: Path, made: VectorSet) -> bool:
    path = folder / "manifest.json"
    if not path.is_file():
        return False
    manifest = json.loads(path.read_text(encoding="utf-8"))
    return all(manifest.get(name) == made.manifest.get(name) for name in _SAME)
