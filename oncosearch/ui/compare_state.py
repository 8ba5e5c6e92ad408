"""What a link to the comparison carries beside the question: columns, topic set, judgements and how they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from oncosearch.evaluate import Measure
from oncosearch.model import UsageError
from oncosearch.workspace.columns import DEFAULT_COLUMNS, LEAST, MOST, Column, distinct

SHOWN_MEASURES = ("nDCG@10", "nDCG@5", "P@5", "P@10", "recall@10", "MRR", "MAP", "judged@10")
SORTS = ("topic", "query", "a", "b", "difference", "overlap", "rbo", "tau")
IMAGES = ("png", "svg")
NO_JUDGEMENTS = "none"
_SOURCE = re.compile(r"demo|none|(?:file|published)-[0-9a-zA-Z_.-]{1,80}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The state of the comparison page.

    ``columns`` are those named; fewer than two are filled up by :meth:`shown`. ``topics`` is a topic set (``demo`` or a
    file that was brought), ``judged`` the judgements (None: those that suit the topics, ``none``: none at all).
    ``pair`` are the two columns that are compared in detail, by place. ``sort`` is one of ``SORTS``, a hyphen before it
    turns the order round.
    """

    columns: tuple[Column, ...] = ()
    topics: str | None = None
    judged: str | None = None
    measure: str = SHOWN_MEASURES[0]
    pair: tuple[int, int] = (0, 1)
    sort: str = ""
    image: str = IMAGES[0]

    def shown(self) -> tuple[Column, ...]:
        """Return two to six columns."""
        given = distinct(self.columns)
        if len(given) >= LEAST:
            return given
        return distinct((*given, *DEFAULT_COLUMNS))[:LEAST]

    def shown_pair(self) -> tuple[int, int]:
        """Return the pair that is compared, the first two where a column of it is not there."""
        return self.pair if max(self.pair) < len(self.shown()) else (0, 1)


Address = Mapping[str, list[str]]


def read_comparison(address: Address, models: Sequence[str]) -> tuple[Comparison, tuple[str, ...]]:
    """Return what an address says of a comparison, and the parameters that were refused."""
    refused: list[str] = []

    def one(name: str, default: str | None, known: Sequence[str] | re.Pattern[str]) -> str | None:
        values = address.get(name)
        if not values:
            return default
        fits = known.fullmatch(values[-1]) if isinstance(known, re.Pattern) else values[-1] in known
        if not fits:
            refused.append(name)
        return values[-1] if fits else default

    columns: list[Column] = []
    named = address.get("col", [])
    for text in named[: 2 * MOST]:
        try:
            columns.append(Column.parse(text, models))
        except UsageError:
            refused.append("col")
    kept = distinct(columns)
    if len(set(columns)) > len(kept) or len(named) > 2 * MOST:
        refused.append("col")
    pair = (0, 1)
    if address.get("pair"):
        found = re.fullmatch(f"([0-{MOST - 1}])-([0-{MOST - 1}])", address["pair"][-1], re.ASCII)
        if found and found[1] != found[2]:
            pair = (int(found[1]), int(found[2]))
        else:
            refused.append("pair")
    read = Comparison(
        columns=kept,
        topics=one("set", None, _SOURCE),
        judged=one("judged", None, _SOURCE),
        measure=one("by", SHOWN_MEASURES[0], SHOWN_MEASURES) or SHOWN_MEASURES[0],
        pair=pair,
        sort=one("sort", "", ("", *SORTS, *(f"-{name}" for name in SORTS))) or "",
        image=one("image", IMAGES[0], IMAGES) or IMAGES[0],
    )
    return read, tuple(dict.fromkeys(refused))


def write_comparison(comparison: Comparison) -> dict[str, list[str]]:
    """Return the query parameters of a comparison; reading them again gives the same one."""
    default = Comparison()
    pairs: dict[str, list[str]] = {}
    if comparison.columns:
        pairs["col"] = [str(column) for column in comparison.columns]
    for name, value, usual in (
        ("set", comparison.topics, default.topics),
        ("judged", comparison.judged, default.judged),
        ("by", comparison.measure, default.measure),
        ("sort", comparison.sort, default.sort),
        ("image", comparison.image, default.image),
    ):
        if value is not None and value != usual:
            pairs[name] = [value]
    if comparison.pair != default.pair:
        pairs["pair"] = ["{}-{}".format(*comparison.pair)]
    return pairs


def measure_of(comparison: Comparison) -> Measure:
    """Return the measure that is shown."""
    return Measure.parse(comparison.measure)
