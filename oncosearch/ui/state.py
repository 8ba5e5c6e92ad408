"""The state of a view as it stands in the address: read against an allow-list, written back, made into links.

What is unknown is dropped and named, so that an old or a mistyped link still opens, and says so.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from oncosearch.model import Filters, Parameters, SnapshotKey, UsageError
from oncosearch.model.vocabulary import LANGUAGE_KEYS, NODE_TYPE_KEYS, SOURCE_KIND_KEYS
from oncosearch.ui.compare_state import Comparison, read_comparison, write_comparison
from oncosearch.ui.evaluate_state import Evaluated, changed, read_evaluated, write_evaluated
from oncosearch.workspace.quality import CHECKS, NEAR, NEAR_RANGE
from oncosearch.workspace.requests import DEFAULT_MODEL, DEFAULT_PIPELINE, DEFAULT_TOP, SearchRequest

INTERFACE_LANGUAGES = ("de", "en")
TOP_CHOICES = (5, 10, 20, 30, 50)
QUERY_LIMIT = 2000
HEAT_KINDS = ("lexical", "semantic", "off")
REACHES = (1, 2)
QUALITY_LISTS = (*CHECKS, "decided")
TASKS = ("new", "manage", "adjudicate")
OPEN_ANCHOR = "os-open"
_DEFAULTS = Parameters()


@dataclass(frozen=True, slots=True)
class View:
    """Everything that a link reproduces. ``graph`` is ``graph@snapshot``; None stands for the newest one.

    ``via`` are the ids over which the tree leads to ``node``, where that is not its primary path, and ``start`` the
    row that the shown portion of a list begins with. ``check`` is the list of the quality page that is open,
    ``only`` the type of node that it shows, and ``similarity`` the least cosine of its pairs of similar texts.
    ``session``, ``topic`` and ``task`` (one of ``TASKS``; None: grading) say what is open on the annotation page.
    """

    language: str = "de"
    query: str = ""
    graph: str | None = None
    model: str = DEFAULT_MODEL
    pipeline: str = DEFAULT_PIPELINE
    top: int = DEFAULT_TOP
    parameters: Parameters = field(default_factory=Parameters)
    filters: Filters = field(default_factory=Filters)
    heat: str = "lexical"
    node: str | None = None
    reach: int = 1
    printed: bool = False
    via: tuple[str, ...] = ()
    start: int = 0
    check: str | None = None
    similarity: float = NEAR
    only: str | None = None
    session: str | None = None
    topic: str | None = None
    task: str | None = None
    compare: Comparison = field(default_factory=Comparison)
    evaluate: Evaluated = field(default_factory=Evaluated)

    def request(self, key: SnapshotKey) -> SearchRequest:
        """Return the search that this view shows on snapshot ``key``."""
        return SearchRequest(
            self.query.strip(), key, self.model, self.pipeline, self.parameters, self.filters, self.top
        )


@dataclass(frozen=True, slots=True)
class Allowed:
    """What this installation has, beside the fixed vocabularies: the values a link may name."""

    models: tuple[str, ...]
    pipelines: tuple[str, ...]
    graphs: tuple[str, ...]


Address = Mapping[str, list[str]]


def read_view(address: Address, allowed: Allowed, language: str = "de") -> tuple[View, tuple[str, ...]]:
    """Return the view an address names and the parameters that were refused, in the order of the address.

    Parameters
    ----------
    address
        Query parameters, each with all its values.
    language
        Interface language where the address names none.
    """
    refused: list[str] = []

    def one(name: str, convert: Callable[[str], object], default: object) -> object:
        values = address.get(name)
        if not values:
            return default
        try:
            return convert(values[-1])
        except (ValueError, UsageError):
            refused.append(name)
            return default

    def several(name: str, known: Iterable[str] | None) -> tuple[str, ...]:
        values = tuple(dict.fromkeys(address.get(name, ())))[:50]
        kept = values if known is None else tuple(v for v in values if v in set(known))
        if len(kept) < len(values):
            refused.append(name)
        return kept

    parameters = _DEFAULTS
    for name, attribute, convert in _PARAMETERS:
        parameters = one(name, _with(parameters, attribute, convert), parameters)  # type: ignore[assignment]
    view = View(
        language=one("lang", _in(INTERFACE_LANGUAGES), language),  # type: ignore[arg-type]
        query=one("q", _text, ""),  # type: ignore[arg-type]
        graph=one("graph", _in(allowed.graphs), None),  # type: ignore[arg-type]
        model=one("model", _in(allowed.models), DEFAULT_MODEL),  # type: ignore[arg-type]
        pipeline=one("pipeline", _in(allowed.pipelines), DEFAULT_PIPELINE),  # type: ignore[arg-type]
        top=one("top", _top, DEFAULT_TOP),  # type: ignore[arg-type]
        parameters=parameters,
        filters=Filters(
            types=several("type", NODE_TYPE_KEYS),
            groups=several("group", None),
            source_kinds=several("source", SOURCE_KIND_KEYS),
            languages=several("text", LANGUAGE_KEYS),
        ),
        heat=one("heat", _in(HEAT_KINDS), "lexical"),  # type: ignore[arg-type]
        node=one("node", str, None),  # type: ignore[arg-type]
        reach=one("reach", lambda text: REACHES[REACHES.index(int(text))], 1),  # type: ignore[arg-type]
        printed=one("show", _in(("print",)), None) == "print",
        via=several("via", None),
        start=one("from", _start, 0),  # type: ignore[arg-type]
        check=one("check", _in(QUALITY_LISTS), None),  # type: ignore[arg-type]
        similarity=one("similarity", _similarity, NEAR),  # type: ignore[arg-type]
        only=one("only", _in(NODE_TYPE_KEYS), None),  # type: ignore[arg-type]
        session=one("session", _short, None),  # type: ignore[arg-type]
        topic=one("topic", _short, None),  # type: ignore[arg-type]
        task=one("task", _in(TASKS), None),  # type: ignore[arg-type]
    )
    compare, refused_there = read_comparison(address, allowed.models)
    evaluated, not_evaluated = read_evaluated(address, allowed.models)
    view = dataclasses.replace(view, compare=compare, evaluate=evaluated)
    return view, (*refused, *refused_there, *not_evaluated)


def write_view(view: View) -> dict[str, list[str]]:
    """Return the query parameters of a view; reading them again gives the same view.

    With a question the graph, model and pipeline are always written out, so that a link keeps its meaning when a
    default changes.
    """
    pairs: dict[str, list[str]] = {"lang": [view.language]}
    asked = bool(view.query)
    if asked:
        pairs["q"] = [view.query]
    if view.node is not None:
        pairs["node"] = [view.node]
    if view.graph is not None:
        pairs["graph"] = [view.graph]
    if asked or view.model != DEFAULT_MODEL:
        pairs["model"] = [view.model]
    if asked or view.pipeline != DEFAULT_PIPELINE:
        pairs["pipeline"] = [view.pipeline]
    if view.top != DEFAULT_TOP:
        pairs["top"] = [str(view.top)]
    for name, attribute, _ in _PARAMETERS:
        if getattr(view.parameters, attribute) != getattr(_DEFAULTS, attribute):
            pairs[name] = [repr(getattr(view.parameters, attribute))]
    for name, values in (
        ("type", view.filters.types),
        ("group", view.filters.groups),
        ("source", view.filters.source_kinds),
        ("text", view.filters.languages),
    ):
        if values:
            pairs[name] = list(values)
    if view.heat != "lexical":
        pairs["heat"] = [view.heat]
    if view.reach != 1:
        pairs["reach"] = [str(view.reach)]
    if view.printed:
        pairs["show"] = ["print"]
    if view.via:
        pairs["via"] = list(view.via)
    if view.start:
        pairs["from"] = [str(view.start)]
    if view.check is not None:
        pairs["check"] = [view.check]
    if view.similarity != NEAR:
        pairs["similarity"] = [repr(view.similarity)]
    if view.only is not None:
        pairs["only"] = [view.only]
    for name, opened in (("session", view.session), ("topic", view.topic), ("task", view.task)):
        if opened is not None:
            pairs[name] = [opened]
    return pairs | write_comparison(view.compare) | write_evaluated(view.evaluate)


def address_of(view: View, page: str = "/") -> str:
    """Return the address of ``view`` on a page of this app (``/``, ``/node``, ``/about``, …)."""
    if page != "/quality":
        view = dataclasses.replace(view, similarity=NEAR, only=None)
    if page != "/annotate":
        view = dataclasses.replace(view, session=None, topic=None, task=None)
    if page != "/compare":
        view = dataclasses.replace(view, compare=Comparison())
    if page != "/evaluate":
        view = dataclasses.replace(view, evaluate=Evaluated())
    return f"{page}?{urlencode(write_view(view), doseq=True)}"


def search_address(view: View) -> str:
    """Return the address of the search that ``view`` came from."""
    return address_of(dataclasses.replace(view, node=None, reach=1, printed=False, via=(), start=0, check=None))


def node_address(view: View, node_id: str) -> str:
    """Return the address of a node's page; it keeps the question, so that there is a way back."""
    return address_of(dataclasses.replace(view, node=node_id, printed=False, via=(), start=0, check=None), "/node")


def quality_address(view: View, check: str | None = None, start: int = 0, only: str | None = None) -> str:
    """Return the address of the quality page with one of its lists open, whole or with nodes of one type only."""
    opened = dataclasses.replace(view, node=None, via=(), start=start, check=check, only=only)
    address = address_of(opened, "/quality")
    return address + ("#os-list" if check is not None else "")


def tree_address(view: View, node_id: str | None, via: Sequence[str] = (), start: int = 0) -> str:
    """Return the address of the tree opened at a node (None: at the roots); it keeps the question as well."""
    opened = dataclasses.replace(view, node=node_id, printed=False, via=tuple(via), start=start, check=None)
    return address_of(opened, "/browse") + (f"#{OPEN_ANCHOR}" if node_id is not None else "")


def annotate_address(view: View, session: str | None = None, topic: str | None = None, task: str | None = None) -> str:
    """Return the address of the annotation page: its sessions, or one of them opened at a topic or for a task."""
    opened = dataclasses.replace(
        view, node=None, printed=False, via=(), start=0, check=None, session=session, topic=topic, task=task
    )
    return address_of(opened, "/annotate")


def compare_address(view: View, **changes: object) -> str:
    """Return the address of the comparison; ``changes`` are fields of the view or of its comparison.

    Where there is something to compare the columns are written out, so that a link keeps its meaning.
    """
    there = {name: value for name, value in changes.items() if name in Comparison.__dataclass_fields__}
    compare = dataclasses.replace(view.compare, **there)  # type: ignore[arg-type]
    here = {name: value for name, value in changes.items() if name not in there}
    view = dataclasses.replace(view, printed=False, via=(), start=0, check=None, reach=1, **here)  # type: ignore[arg-type]
    if view.query or compare.topics:
        compare = dataclasses.replace(compare, columns=compare.shown())
    return address_of(dataclasses.replace(view, compare=compare), "/compare")


def evaluate_address(view: View, **values: object) -> str:
    """Return the address of the evaluation; ``values`` are fields of its state."""
    opened = dataclasses.replace(
        view, node=None, printed=False, via=(), start=0, check=None, evaluate=changed(view.evaluate, **values)
    )
    return address_of(opened, "/evaluate")


def _in(known: tuple[str, ...]) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in known:
            raise ValueError(text)
        return text

    return check


def _text(text: str) -> str:
    if len(text) > QUERY_LIMIT:
        raise ValueError("too long")
    return text


def _short(text: str) -> str:
    if not 0 < len(text) <= 200:
        raise ValueError("no id")
    return text


def _top(text: str) -> int:
    value = int(text)
    if value not in TOP_CHOICES:
        raise ValueError(text)
    return value


def _similarity(text: str) -> float:
    value = float(text)
    if not NEAR_RANGE[0] <= value <= NEAR_RANGE[1]:
        raise ValueError(text)
    return value


def _start(text: str) -> int:
    value = int(text)
    if not 0 <= value < 1 << 31:
        raise ValueError(text)
    return value


def _with(parameters: Parameters, attribute: str, convert: Callable[[str], float | int]) -> Callable[[str], Parameters]:
    return lambda text: dataclasses.replace(parameters, **{attribute: convert(text)})  # type: ignore[arg-type]


_PARAMETERS: tuple[tuple[str, str, Callable[[str], float | int]], ...] = (
    ("alpha", "alpha", float),
    ("lambda", "lam", float),
    ("hops", "hops", int),
    ("seeds", "seeds", int),
    ("cap", "cap", int),
)
