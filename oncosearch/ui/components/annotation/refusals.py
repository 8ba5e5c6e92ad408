"""What of a record was not taken, in words: its place in the file, and why, in the reader's language.

The reader of records says why in English; what is known here has words of its own, the rest stays as it was said.
"""

from __future__ import annotations

import re

from oncosearch.review import Refused
from oncosearch.ui.markup import Child, element
from oncosearch.ui.texts import Texts

_REASONS = (
    ("no_json", r"no JSON: (?P<said>.+)"),
    ("deep", r"no record: it is nested too deeply"),
    ("no_nodes", r"expected an object with a list of nodes"),
    ("unknown", r"is not known"),
    ("text", r"expected a text(, or one for each language)?"),
    ("truth", r"expected true or false"),
    ("list", r"expected a list"),
    ("object", r"expected an object"),
    ("no_id", r"it has no id that is a text"),
    ("id_twice", r"the id (?P<said>.+) comes twice"),
    ("index_twice", r"the original_index (?P<said>.+) belongs to (?P<other>.+) already"),
    ("listed_duplicate", r"(?P<said>.+) is marked as a duplicate"),
    ("listed_unknown", r"(?P<said>.+) is not among the nodes taken"),
    ("listed_twice", r"(?P<said>.+) comes twice"),
    (
        "index_added",
        r"original_index is (?P<said>.+), but isManuallyAdded is (?P<other>.+); -1 and true belong together",
    ),
    ("contradicts", r"(?P<said>.+), but (?P<other>[^;]+); expected (?P<wanted>.+)"),
    ("contradicts_plain", r"(?P<said>(?:status|stage|hidden|hiddenIrrelevant|duplicateOf) .+), but (?P<other>[^;]+)"),
    ("expected", r"(?P<said>\w+ is .+); expected (?P<wanted>.+)"),
    ("itself", r"duplicateOf names the node itself"),
    ("snapshot", r"the record is of (?P<said>.+), the session of (?P<other>.+)"),
    ("not_graph", r"is not in the graph"),
    ("not_pool", r"is not in the pool of this session"),
    ("added_here", r"was added in this session"),
    ("in_pool", r"is in the pool of this session and keeps its place"),
    ("places", r"the record does not have every node of the pool, so the first places of this session stay"),
    ("not_taken", r"(?P<said>.+) was not taken"),
    ("one_remains", r"every other node is a duplicate; one must remain"),
    ("circle", r"(?P<said>.+) is marked as a duplicate of it"),
    ("order", r"(?P<said>.+) is said to come from the order, but (?P<other>.+)"),
)
REASONS = tuple((key, re.compile(pattern)) for key, pattern in _REASONS)


def refusal_words(t: Texts, refused: Refused) -> list[Child]:
    """Return the place of an entry that was not taken, and why."""
    where = element("code", refused.where) if refused.where else t("bring.whole")
    for key, pattern in REASONS:
        if (found := pattern.fullmatch(refused.why)) is not None:
            values = {name: value or "" for name, value in found.groupdict().items()}
            return [where, ": ", t(f"bring.why.{key}", **values)]
    return [where, ": ", element("span", refused.why, lang="en")]
