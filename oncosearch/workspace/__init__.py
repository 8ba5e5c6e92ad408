"""One store and the snapshots opened from it: what a screen and a command line both stand on."""

from oncosearch.workspace.demo import demo_folder, import_demo
from oncosearch.workspace.export import answer_to_dict
from oncosearch.workspace.opening import open_workspace
from oncosearch.workspace.replay import Difference, ReplayReport
from oncosearch.workspace.requests import (
    DEFAULT_MODEL,
    DEFAULT_PIPELINE,
    DEFAULT_TOP,
    Answer,
    HitDetail,
    PathStep,
    Progress,
    Readiness,
    SearchRequest,
    SourceCard,
)
from oncosearch.workspace.topics import Topic, read_topics
from oncosearch.workspace.workspace import Workspace

__all__ = [
    "DEFAULT_MODEL",
    "DEFAULT_PIPELINE",
    "DEFAULT_TOP",
    "Answer",
    "Difference",
    "HitDetail",
    "PathStep",
    "Progress",
    "Readiness",
    "ReplayReport",
    "SearchRequest",
    "SourceCard",
    "Topic",
    "Workspace",
    "answer_to_dict",
    "demo_folder",
    "import_demo",
    "open_workspace",
    "read_topics",
]
