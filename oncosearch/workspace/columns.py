"""Columns of a comparison: a model, a pipeline and its parameters, as a value that prints and parses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from oncosearch.model import Filters, Parameters, SnapshotKey, UsageError
from oncosearch.retrieve import PIPELINE_KEYS, pipeline
from oncosearch.workspace.requests import DEFAULT_MODEL, DEFAULT_PIPELINE, SearchRequest

LEAST, MOST = 2, 6
LETTERS = "ABCDEF"
# Name in the text form, field of Parameters, type.
_PARAMETERS: tuple[tuple[str, str, type], ...] = (
    ("alpha", "alpha", float),
    ("lambda", "lam", float),
    ("hops", "hops", int),
    ("seeds", "seeds", int),
    ("cap", "cap", int),
)


@dataclass(frozen=True, slots=True)
class Column:
    """One way to search. ``model`` is None for a pipeline without vectors; parameters it does not read are defaults.

    The text form names everything that the pipeline reads, so that it keeps its meaning when a default changes:
    ``grag:e5-small:alpha=0.6,lambda=0.75,hops=2,seeds=20,cap=256``, ``dense:minilm``, ``lexical``.
    """

    pipeline: str = DEFAULT_PIPELINE
    model: str | None = DEFAULT_MODEL
    parameters: Parameters = field(default_factory=Parameters)

    @classmethod
    def of(cls, pipeline_key: str, model: str | None, parameters: Parameters | None = None) -> Column:
        """Return the column with what its pipeline does not read left out; UsageError where there is no such one."""
        chosen = pipeline(pipeline_key)
        given = Parameters() if parameters is None else parameters
        kept = {name: getattr(given, name) for key, name, _ in _PARAMETERS if key in chosen.uses}
        return cls(pipeline_key, model if chosen.needs_vectors else None, replace(Parameters(), **kept))

    @classmethod
    def parse(cls, text: str, models: Sequence[str]) -> Column:
        """Return the column that ``text`` names.

        Raises
        ------
        UsageError
            If the pipeline, the model or a parameter is unknown, missing or out of its range; the part is named.
        """
        key, _, rest = text.partition(":")
        if key not in PIPELINE_KEYS:
            raise UsageError(f"{text!r} names no pipeline; expected one of {', '.join(PIPELINE_KEYS)} first.")
        chosen = pipeline(key)
        if not chosen.needs_vectors:
            if rest:
                raise UsageError(f"{text!r}: pipeline {key} takes neither model nor parameters; found {rest!r}.")
            return cls.of(key, None)
        model, _, listed = rest.partition(":")
        if model not in models:
            raise UsageError(f"{text!r} names no known model; the models are: {', '.join(models)}.")
        given: dict[str, float | int] = {}
        for part in listed.split(",") if listed else ():
            name, _, value = part.partition("=")
            known = next((p for p in _PARAMETERS if p[0] == name and name in chosen.uses), None)
            if known is None:
                raise UsageError(f"{text!r}: pipeline {key} has no parameter {name!r}.")
            try:
                given[known[1]] = known[2](value)
            except ValueError:
                raise UsageError(f"{text!r}: {name} is {value!r}; expected a number.") from None
        return cls.of(key, model, Parameters(**given))  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Return the text form."""
        parts = [self.pipeline] + ([self.model] if self.model else [])
        used = ",".join(f"{name}={value!r}" for name, value in self.used())
        return ":".join([*parts, used] if used else parts)

    def used(self) -> tuple[tuple[str, float | int], ...]:
        """Return the parameters that the pipeline reads, by published name."""
        uses = pipeline(self.pipeline).uses
        return tuple((key, getattr(self.parameters, name)) for key, name, _ in _PARAMETERS if key in uses)

    def request(self, query: str, key: SnapshotKey, top: int, filters: Filters | None = None) -> SearchRequest:
        """Return the search that this column makes of a question."""
        model = self.model or DEFAULT_MODEL
        return SearchRequest(query, key, model, self.pipeline, self.parameters, filters or Filters(), top)


DEFAULT_COLUMNS = (Column.of("grag", DEFAULT_MODEL), Column.of("lexical", None))


def distinct(columns: Sequence[Column]) -> tuple[Column, ...]:
    """Return the columns in their order, each once, at most six."""
    return tuple(dict.fromkeys(columns))[:MOST]
