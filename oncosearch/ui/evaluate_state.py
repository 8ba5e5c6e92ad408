"""What a link to the evaluation carries: judgements, runs, measures, how they are shown, and ratings to compare."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from oncosearch.evaluate.measures import DEFAULT_MEASURES, TEST_MEASURE, Measure
from oncosearch.model import UsageError
from oncosearch.workspace.columns import Column

PARTS = ("measures", "agreement")
PICTURES = ("png", "svg")
MOST_RUNS, MOST_MEASURES, MOST_DRAWN = 24, 40, 6
_QRELS = re.compile(r"demo|(?:file|published)-[0-9a-zA-Z_.-]{1,80}", re.ASCII)
_FILE = re.compile(r"demo|file-[0-9a-f]{16}", re.ASCII)
_RATINGS = re.compile(r"file-[0-9a-f]{16}|session-.{1,120}")
_KEPT_RUN = re.compile(r"(?:shipped|stored)-[0-9a-zA-Z_.-]{1,80}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The state of the evaluation page.

    ``qrels`` (None: the first at hand), ``runs`` (empty: some that suit the judgements; ``shipped-…``, ``stored-…``
    or a column to search with now), ``measures`` (empty: those of the paper), ``topics`` are questions from a file.
    ``carry``: use what carries over to the snapshot that is searched. ``value`` is the measure shown topic by topic,
    ``drawn`` the runs in the plots by place (empty: the best). ``ratings`` and ``own_labels`` are of the agreement.
    """

    part: str = PARTS[0]
    qrels: str | None = None
    runs: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    topics: str | None = None
    carry: bool = False
    value: str = str(TEST_MEASURE)
    drawn: tuple[int, ...] = ()
    picture: str = PICTURES[0]
    ratings: str | None = None
    own_labels: bool = False
    unseen: bool = False

    def shown(self) -> tuple[Measure, ...]:
        """Return the measures to show."""
        return tuple(map(Measure.parse, self.measures)) or DEFAULT_MEASURES


Address = Mapping[str, list[str]]


def read_evaluated(address: Address, models: Sequence[str]) -> tuple[Evaluated, tuple[str, ...]]:
    """Return what an address says of an evaluation, and the parameters that were refused."""
    refused: list[str] = []

    def one(name: str, fits: Callable[[str], object]) -> str | None:
        values = address.get(name)
        if not values:
            return None
        if not fits(values[-1]):
            refused.append(name)
            return None
        return values[-1]

    def several(name: str, read: Callable[[str], str], most: int) -> tuple[str, ...]:
        kept: list[str] = []
        for text in address.get(name, [])[: 2 * most]:
            try:
                kept.append(read(text))
            except (UsageError, ValueError):
                refused.append(name)
        distinct = tuple(dict.fromkeys(kept))
        if len(distinct) > most or len(address.get(name, [])) > 2 * most:
            refused.append(name)
        return distinct[:most]

    def run(text: str) -> str:
        return text if _KEPT_RUN.fullmatch(text) else str(Column.parse(text, models))

    def yes(text: str) -> bool:
        return text == "yes"

    usual = Evaluated()
    value = one("value", _is_measure)
    read = Evaluated(
        part=one("part", PARTS.__contains__) or usual.part,
        qrels=one("qrels", _QRELS.fullmatch),
        runs=several("run", run, MOST_RUNS),
        measures=several("measure", lambda text: str(Measure.parse(text)), MOST_MEASURES),
        topics=one("topics", _FILE.fullmatch),
        carry=one("carry", yes) is not None,
        value=str(Measure.parse(value)) if value else usual.value,
        drawn=tuple(int(text) for text in several("drawn", _place, MOST_DRAWN)),
        picture=one("picture", PICTURES.__contains__) or usual.picture,
        ratings=one("ratings", _RATINGS.fullmatch),
        own_labels=one("ownlabels", yes) is not None,
        unseen=one("unseen", yes) is not None,
    )
    return read, tuple(dict.fromkeys(refused))


def write_evaluated(evaluated: Evaluated) -> dict[str, list[str]]:
    """Return the query parameters of an evaluation; reading them again gives the same one."""
    usual = Evaluated()
    pairs: dict[str, list[str]] = {}
    for name, value, common in (
        ("part", evaluated.part, usual.part),
        ("qrels", evaluated.qrels, usual.qrels),
        ("topics", evaluated.topics, usual.topics),
        ("value", evaluated.value, usual.value),
        ("picture", evaluated.picture, usual.picture),
        ("ratings", evaluated.ratings, usual.ratings),
    ):
        if value is not None and value != common:
            pairs[name] = [value]
    for name, values in (
        ("run", evaluated.runs),
        ("measure", evaluated.measures),
        ("drawn", tuple(map(str, evaluated.drawn))),
    ):
        if values:
            pairs[name] = list(values)
    for name, switched in (
        ("carry", evaluated.carry),
        ("ownlabels", evaluated.own_labels),
        ("unseen", evaluated.unseen),
    ):
        if switched:
            pairs[name] = ["yes"]
    return pairs


def changed(evaluated: Evaluated, **values: object) -> Evaluated:
    """Return the state with ``values`` in place; other runs or judgements take the choice for the plots away."""
    if "runs" in values or "qrels" in values:
        values = {"drawn": (), **values}
    return replace(evaluated, **values)  # type: ignore[arg-type]


def _is_measure(text: str) -> bool:
    try:
        Measure.parse(text)
    except UsageError:
        return False
    return True


def _place(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,2}", text, re.ASCII) or int(text) >= MOST_RUNS:
        raise ValueError(text)
    return str(int(text))
