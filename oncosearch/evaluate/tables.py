"""Tables 3 to 6 of the GRAG paper as plain rows: cells are values, notes are codes with their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from oncosearch.evaluate.evaluation import Estimate, Evaluation
from oncosearch.evaluate.measures import Measure
from oncosearch.evaluate.significance import Comparison, Comparisons

Kind = Literal["name", "count", "estimate", "difference", "effect", "p", "verdict"]
Cell = str | int | float | Estimate | None

_IDS_SHOWN = 5
# Key, number in the paper, the measures that stand in it.
_MEASURE_TABLES: tuple[tuple[str, int | None, frozenset[str]], ...] = (
    ("precision", 3, frozenset({"P"})),
    ("recall", 4, frozenset({"recall"})),
    ("ranking", 5, frozenset({"nDCG", "MRR", "MAP"})),
    ("judged", None, frozenset({"judged"})),
)
_PAIR_COLUMNS: tuple[tuple[str, Kind, Callable[[Comparison], Cell]], ...] = (
    ("a", "name", lambda pair: pair.a),
    ("b", "name", lambda pair: pair.b),
    ("p", "p", lambda pair: pair.p),
    ("q", "p", lambda pair: pair.q),
    ("significant", "verdict", lambda pair: pair.verdict),
    ("difference", "difference", lambda pair: pair.difference),
    ("effect", "effect", lambda pair: pair.effect),
    ("wins", "count", lambda pair: pair.wins),
    ("ties", "count", lambda pair: pair.ties),
    ("losses", "count", lambda pair: pair.losses),
    ("permutation_p", "p", lambda pair: pair.permutation_p),
    ("permutation_q", "p", lambda pair: pair.permutation_q),
)


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its key (for measures the measure as it is written) and what its cells are."""

    key: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Note:
    """What a table was computed from or by; screens find their wording under the code."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: key, number in the paper (None: not in it), columns, rows of cells, and notes to stand under it."""

    key: str
    number: int | None
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Note, ...]


def result_tables(
    evaluation: Evaluation, comparisons: Comparisons | None = None, measures: Sequence[Measure] | None = None
) -> tuple[Table, ...]:
    """Return the tables that the measures fill, in the paper's order, and that of the pairs where there are any.

    Rows are in the order of the runs; ``measures`` (default: all) are those to show.
    """
    shown = evaluation.measures if measures is None else tuple(measures)
    tables = []
    for key, number, names in _MEASURE_TABLES:
        own = tuple(measure for measure in shown if measure.name in names)
        if own:
            tables.append(_measure_table(evaluation, key, number, own))
    if comparisons is not None and comparisons.pairs:
        tables.append(pair_table(comparisons))
    return tuple(tables)


def _measure_table(evaluation: Evaluation, key: str, number: int | None, measures: tuple[Measure, ...]) -> Table:
    columns = Column("run", "name"), Column("topics", "count"), *(Column(str(m), "estimate") for m in measures)
    rows: list[tuple[Cell, ...]] = []
    for run in evaluation.runs:
        estimates = (evaluation.estimate(run, measure) for measure in measures)
        rows.append((run, len(evaluation.topics), *estimates))
    return Table(key, number, columns, tuple(rows), tuple(_measure_notes(evaluation, key, measures)))


def _measure_notes(evaluation: Evaluation, key: str, measures: tuple[Measure, ...]) -> Iterator[Note]:
    rules = evaluation.rules
    yield Note("topics", {"n": len(evaluation.topics), "judged": len(evaluation.topics) + len(evaluation.left_out)})
    if evaluation.left_out:
        yield Note("left_out", {"n": len(evaluation.left_out), "topics": _some(list(evaluation.left_out))})
    for run in evaluation.runs:
        if missing := evaluation.missing[run]:
            yield Note("missing", {"run": run, "n": len(missing), "topics": _some(missing)})
        if other := evaluation.not_judged[run]:
            yield Note("not_judged", {"run": run, "n": other})
        if (removed := evaluation.removed[run]).duplicates or removed.repeated:
            yield Note("removed", {"run": run, "duplicates": removed.duplicates, "repeated": removed.repeated})
    if key == "judged":
        yield Note("judged_share")
    else:
        if evaluation.duplicate_grades:
            yield Note("duplicate_grades", {"n": evaluation.duplicate_grades})
        if any(measure.name == "nDCG" for measure in measures):
            yield Note(f"gain_{rules.gain}")
        if any(measure.name != "nDCG" for measure in measures):
            yield Note("positive", {"grade": rules.positive})
    yield Note(f"ties_{rules.ties}")
    if len(evaluation.topics) > 1:
        yield Note("interval", _interval(evaluation.rules.confidence, rules.resamples, rules.seed))
    else:
        yield Note("no_interval")


def pair_table(comparisons: Comparisons) -> Table:
    """Return Table 6: a pair a row, lowest p first, with the rules of the tests as notes."""
    columns = tuple(Column(key, kind) for key, kind, _ in _PAIR_COLUMNS)
    rows = tuple(tuple(cell(pair) for _, _, cell in _PAIR_COLUMNS) for pair in comparisons.pairs)
    return Table("pairs", 6, columns, rows, tuple(_pair_notes(comparisons)))


def _pair_notes(comparisons: Comparisons) -> Iterator[Note]:
    rules = comparisons.rules
    yield Note("pairs", {"measure": str(comparisons.measure), "n": comparisons.topics})
    verdicts = {pair.verdict for pair in comparisons.pairs}
    yield Note("wilcoxon")
    yield Note("bh", {"pairs": len(comparisons.pairs), "alpha": rules.alpha})
    if "no_difference" in verdicts:
        yield Note("no_difference")
    if "too_few" in verdicts:
        yield Note("too_few")
    yield Note("effect")
    yield Note("permutation", {"permutations": rules.permutations, "seed": rules.seed})
    if comparisons.topics > 1:
        yield Note("interval", _interval(rules.confidence, rules.resamples, rules.seed))


def _interval(confidence: float, resamples: int, seed: int) -> dict[str, int]:
    return {"percent": round(100 * confidence), "resamples": resamples, "seed": seed}


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_IDS_SHOWN]) + (", …" if len(ids) > _IDS_SHOWN else "")
