"""Plain domain values, vocabularies and the error tree: knows nothing but the standard library and numpy."""

from oncosearch.model.codec import (
    canonical_json,
    content_hash,
    node_from_dict,
    node_hash,
    node_to_dict,
    text_hash,
)
from oncosearch.model.duplicates import VERDICTS, DecidedPairs, PairDecision
from oncosearch.model.errors import (
    ArtefactMismatchError,
    ImportRefusedError,
    ModelUnavailableError,
    NotFoundError,
    OncosearchError,
    StoreError,
    UsageError,
)
from oncosearch.model.judgement import GRADES, Qrels, Run
from oncosearch.model.node import Code, Link, LocalText, Node, Origin, Source, Synonym
from oncosearch.model.ranking import Filters, Hit, Parameters, Passage, Ranking, SearchRecord
from oncosearch.model.review import (
    CREATED,
    Found,
    NodeFlags,
    Pool,
    PoolEntry,
    PublishedHead,
    PublishedQrels,
    ReviewEvent,
)
from oncosearch.model.snapshot import Snapshot, SnapshotDiff, SnapshotKey

__all__ = [
    "CREATED",
    "GRADES",
    "VERDICTS",
    "ArtefactMismatchError",
    "Code",
    "DecidedPairs",
    "Filters",
    "Found",
    "Hit",
    "ImportRefusedError",
    "Link",
    "LocalText",
    "ModelUnavailableError",
    "Node",
    "NodeFlags",
    "NotFoundError",
    "OncosearchError",
    "Origin",
    "PairDecision",
    "Parameters",
    "Passage",
    "Pool",
    "PoolEntry",
    "PublishedHead",
    "PublishedQrels",
    "Qrels",
    "Ranking",
    "ReviewEvent",
    "Run",
    "SearchRecord",
    "Snapshot",
    "SnapshotDiff",
    "SnapshotKey",
    "Source",
    "StoreError",
    "Synonym",
    "UsageError",
    "canonical_json",
    "content_hash",
    "node_from_dict",
    "node_hash",
    "node_to_dict",
    "text_hash",
]
