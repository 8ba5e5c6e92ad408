"""Values of a search: parameters, passages, hits and rankings, and the record of a search."""

from __future__ import annotations

from dataclasses import dataclass, field

from oncosearch.model.errors import UsageError
from oncosearch.model.snapshot import SnapshotKey


@dataclass(frozen=True, slots=True)
class Passage:
    """A serialised node.

    ``text`` is what is embedded; ``header`` holds the two version markers and is stored, not embedded.
    ``spans`` are (field, start, end) character ranges into ``text``; ``Path`` marks the ancestor prefix.
    """

    node_id: str
    header: str
    text: str
    spans: tuple[tuple[str, int, int], ...]
    format_id: str
    snapshot_id: str
    text_hash: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a pipeline may be tuned by (GRAG paper 4.3; S, h and the cap are ours).

    alpha, lam in [0, 1]; hops 0 to 3; seeds 1 to 200; cap is the most nodes of one neighbourhood.
    """

    alpha: float = 0.6
    lam: float = 0.75
    hops: int = 2
    seeds: int = 20
    cap: int = 256

    def __post_init__(self) -> None:
        """Refuse values outside their range, naming each."""
        for name, value, low, high in (
            ("alpha", self.alpha, 0.0, 1.0),
            ("lambda", self.lam, 0.0, 1.0),
            ("hops", self.hops, 0, 3),
            ("seeds", self.seeds, 1, 200),
            ("cap", self.cap, 1, 100_000),
        ):
            if not low <= value <= high:
                raise UsageError(
                    f"{name} is {value}; it must lie between {low} and {high}.",
                    code="parameter_range",
                    name=name,
                    found=value,
                    low=low,
                    high=high,
                )

    def to_dict(self) -> dict[str, float | int]:
        """Return the parameters under their published names."""
        return {"alpha": self.alpha, "lambda": self.lam, "hops": self.hops, "seeds": self.seeds, "cap": self.cap}


@dataclass(frozen=True, slots=True)
class Hit:
    """One node of a ranking with its whole provenance.

    ``score = own + around`` for every pipeline (own: the node's text; around: its surroundings).
    ``similarity`` is q·v (cosine) and ``subgraph_similarity`` q·g of the seed, both None where the pipeline has no
    vectors. ``hop`` counts edges from ``seed_id``. ``neighbours`` are (node id, share of ``around`` or cosine).
    ``folded`` are redundant nodes shown under this one; ``pinned`` says that the query names the node
    (``code``, ``title``, ``synonym``). ``cut`` counts neighbourhood nodes beyond the cap.
    """

    node_id: str
    rank: int
    score: float
    own: float
    around: float
    similarity: float | None = None
    subgraph_similarity: float | None = None
    hop: int | None = None
    seed_id: str | None = None
    neighbours: tuple[tuple[str, float], ...] = ()
    folded: tuple[str, ...] = ()
    pinned: str | None = None
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query, ordered by (pinned first, −score, node id), and what they came from.

    ``facets`` are counts over the candidates before filtering: facet → ((value, count), …).
    ``timings`` are milliseconds by stage. ``notes`` are codes with values for what was cut or skipped.
    """

    query: str
    hits: tuple[Hit, ...]
    snapshot: SnapshotKey
    model: str | None
    pipeline: str
    parameters: Parameters
    candidate_count: int = 0
    facets: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    timings: tuple[tuple[str, float], ...] = ()
    notes: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = ()
    record_id: str | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Restrictions on hits; an empty tuple restricts nothing. Values of one facet are joined by *or*."""

    types: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return bool(self.types or self.groups or self.source_kinds or self.languages)

    def to_dict(self) -> dict[str, list[str]]:
        """Return the restrictions that are set."""
        pairs = (
            ("types", self.types),
            ("groups", self.groups),
            ("source_kinds", self.source_kinds),
            ("languages", self.languages),
        )
        return {name: list(values) for name, values in pairs if values}


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A search as recorded: enough to run it again and to compare (ids and scores in rank order)."""

    id: str
    time: str
    user: str
    query: str
    snapshot: SnapshotKey
    content_hash: str
    model: str | None
    model_revision: str | None
    format_id: str
    pipeline: str
    parameters: Parameters
    filters: Filters
    top: int
    hits: tuple[tuple[str, float], ...] = field(default=())
