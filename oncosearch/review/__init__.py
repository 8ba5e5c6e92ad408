"""Annotation sessions: pools, judgements as events and what they make, adjudication, qrels, the paper's record."""

from oncosearch.model import (
    Found,
    NodeFlags,
    Pool,
    PoolEntry,
    PublishedHead,
    PublishedQrels,
    ReviewEvent,
)
from oncosearch.review.acting import save, start
from oncosearch.review.adjudication import Disagreement, adjudicate, adjudications, disagreements, ratings
from oncosearch.review.bootstrap import bootstrapped_grades
from oncosearch.review.carrying import carry_session
from oncosearch.review.events import new_event
from oncosearch.review.folding import fold_topic
from oncosearch.review.policies import Policy, combined
from oncosearch.review.pools import build_pool, first_order, pool_runs
from oncosearch.review.qrels import (
    QrelsDraft,
    Recheck,
    carry_qrels,
    make_qrels,
    publish,
    published,
    published_list,
)
from oncosearch.review.reading import (
    grades_of_others,
    history,
    provenance,
    rater_states,
    session_progress,
    session_states,
    topic_state,
)
from oncosearch.review.record import (
    RecordNode,
    RecordReading,
    Refused,
    TopicRecord,
    record_of,
    record_to_dict,
    write_record,
)
from oncosearch.review.record_loading import load_record
from oncosearch.review.record_reading import read_record
from oncosearch.review.session import (
    PooledRun,
    ReviewTopic,
    Session,
    SessionView,
    assign,
    close,
    create_session,
    edit_guideline,
    new_session_id,
    pause,
    resume,
    session_view,
    sessions,
)
from oncosearch.review.state import EXPLICIT, Beneath, ItemState, Progress, TopicState, total_progress

__all__ = [
    "EXPLICIT",
    "Beneath",
    "Disagreement",
    "Found",
    "ItemState",
    "NodeFlags",
    "Policy",
    "Pool",
    "PoolEntry",
    "PooledRun",
    "Progress",
    "PublishedHead",
    "PublishedQrels",
    "QrelsDraft",
    "Recheck",
    "RecordNode",
    "RecordReading",
    "Refused",
    "ReviewEvent",
    "ReviewTopic",
    "Session",
    "SessionView",
    "TopicRecord",
    "TopicState",
    "adjudicate",
    "adjudications",
    "assign",
    "bootstrapped_grades",
    "build_pool",
    "carry_qrels",
    "carry_session",
    "close",
    "combined",
    "create_session",
    "disagreements",
    "edit_guideline",
    "first_order",
    "fold_topic",
    "grades_of_others",
    "history",
    "load_record",
    "make_qrels",
    "new_event",
    "new_session_id",
    "pause",
    "pool_runs",
    "provenance",
    "publish",
    "published",
    "published_list",
    "rater_states",
    "ratings",
    "read_record",
    "record_of",
    "record_to_dict",
    "resume",
    "save",
    "session_progress",
    "session_states",
    "session_view",
    "sessions",
    "start",
    "topic_state",
    "total_progress",
    "write_record",
]
