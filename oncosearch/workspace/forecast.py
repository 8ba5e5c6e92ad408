"""What encoding a snapshot will take: how many texts, why each is new, and how long it will last."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oncosearch.embed import Encoder, count_encoded, missing_texts, model_facts
from oncosearch.model import Passage, SnapshotKey
from oncosearch.text import FORMAT_ID
from oncosearch.text.serialise import PATH_FIELD, strip_field
from oncosearch.workspace.artefacts import Artefacts, open_artefacts, prepared_before
from oncosearch.workspace.passages import StoredPassages
from oncosearch.workspace.workspace import Workspace

_SAMPLES = 4


@dataclass(frozen=True, slots=True)
class Forecast:
    """What will be encoded of ``total`` passages, compared with the prepared snapshot ``since`` (None: there is none).

    Each text counts once: ``changed`` by its own words, ``renamed`` only because an ancestor was renamed or moved,
    ``added`` with a node that ``since`` has not (or has under another model), which are all where there is none.
    ``reused`` counts the passages that have a vector already.
    """

    total: int
    since: SnapshotKey | None
    changed: int
    renamed: int
    added: int
    characters: int
    reused: int

    @property
    def encoded(self) -> int:
        """Return how many texts will be encoded."""
        return self.changed + self.renamed + self.added


def forecast(workspace: Workspace, key: SnapshotKey, model: str) -> Forecast:
    """Return what preparing ``key`` with ``model`` will encode; the snapshot's passages must have been made."""
    home, facts = workspace.settings.home, model_facts(model)
    new = open_artefacts(home, workspace.store.snapshot(key))
    passages = StoredPassages(new.folder)
    missing = missing_texts(home, key.graph_id, facts, FORMAT_ID, new.hashes)
    reused = count_encoded(home, key.graph_id, facts, FORMAT_ID, new.hashes)
    before = prepared_before(home, workspace.store, new.snapshot)
    counts = {"changed": 0, "renamed": 0, "added": 0}
    characters = 0
    old = StoredPassages(before.folder) if before is not None else None
    for i in missing.tolist():
        passage = passages[i]
        characters += len(passage.text)
        counts[_reason(passage, before, old)] += 1
    return Forecast(
        len(new.hashes), before.snapshot.key if before else None, characters=characters, reused=reused, **counts
    )


def estimate_seconds(workspace: Workspace, key: SnapshotKey, model: str, expected: Forecast) -> float:
    """Return about how many seconds the encoding will last, from encoding a few of the texts; loads the model."""
    artefacts = open_artefacts(workspace.settings.home, workspace.store.snapshot(key))
    missing = missing_texts(
        workspace.settings.home, key.graph_id, model_facts(model), FORMAT_ID, artefacts.hashes
    ).tolist()
    if not missing:
        return 0.0
    passages = StoredPassages(artefacts.folder)
    places = np.unique(np.linspace(0, len(missing) - 1, _SAMPLES).astype(int)).tolist()
    return expected.characters * _seconds_a_character(workspace.encoder(model), [passages[missing[p]] for p in places])


def _seconds_a_character(encoder: Encoder, samples: Sequence[Passage]) -> float:
    # The first call of a model sets things up that later ones have.
    encoder.encode_passages([samples[0].text])
    start = time.perf_counter()
    for sample in samples:
        encoder.encode_passages([sample.text])
    return (time.perf_counter() - start) / max(1, sum(len(sample.text) for sample in samples))


def _reason(passage: Passage, before: Artefacts | None, old: StoredPassages | None) -> str:
    place = None if before is None else before.graph.ids.find(passage.node_id)
    if place is None or old is None:
        return "added"
    earlier = old[place]
    if earlier.text == passage.text:
        return "added"
    same_words = strip_field(earlier, PATH_FIELD) == strip_field(passage, PATH_FIELD)
    return "renamed" if same_words else "changed"
