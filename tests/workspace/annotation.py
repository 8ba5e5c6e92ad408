"""Annotation sessions for tests: small, searched by words only."""

from oncosearch.model import LocalText
from oncosearch.review import ReviewTopic, new_session_id
from oncosearch.settings import Settings
from oncosearch.workspace import open_workspace
from oncosearch.workspace.annotating import SessionPlan, pooled_runs, start_session

QUESTIONS = ("Osimertinib bei EGFR Exon 19 Deletion", "Übelkeit nach Chemotherapie", "Mammakarzinom HER2-positiv")


def plan(key, raters, topics=2, **changes):
    """Return the plan of a session over the demo graph."""
    asked = tuple(ReviewTopic(f"T{n}", LocalText.of({"de": QUESTIONS[n - 1]})) for n in range(1, topics + 1))
    values = {
        "name": "Probe",
        "snapshot": key,
        "topics": asked,
        "runs": pooled_runs((), ("lexical",)),
        "k": 5,
        "owner": raters[0],
        "raters": tuple(raters),
        "guideline": "3 hoch",
    }
    return SessionPlan(**(values | changes))


def begun_session(home, raters, topics=2, **changes):
    """Return the id of a new session in ``home``."""
    with open_workspace(Settings(home=home)) as workspace:
        key = workspace.default_snapshot().key
        made = plan(key, raters, topics, **changes)
        return start_session(workspace, made, new_session_id(), lambda stage, done, total: None).session.id
