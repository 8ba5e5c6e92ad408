"""The rewrite by a language model, as JSON that keeps a schema; whatever fails, the rules write it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from oncosearch.generate import LanguageModelError, complete_json, json_prompt
from oncosearch.literature.concepts import Concepts
from oncosearch.literature.levels import Element, expressions_of
from oncosearch.literature.parsing import ExpressionError, parse
from oncosearch.literature.rewrite import Rewrite, rewrite, years
from oncosearch.settings import Settings

MAX_TOKENS = 900
_PICO = ("population", "intervention", "comparison", "outcome")
_INTENTS = ("treatment", "diagnosis", "prognosis", "prevention", "cause", "harm", "")
_LEVELS = ("strict", "abstraction", "loose")
_TERMS: dict[str, Any] = {"type": "array", "maxItems": 8, "items": {"type": "string", "maxLength": 100}}
_YEAR: dict[str, Any] = {"type": ["integer", "null"], "minimum": 1800, "maximum": 2200}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["question", "intent", *_PICO, "from_year", "to_year", *_LEVELS],
    "properties": {
        "question": {"type": "string", "minLength": 1, "maxLength": 500},
        "intent": {"type": "string", "enum": list(_INTENTS)},
        **{name: _TERMS for name in _PICO},
        "from_year": _YEAR,
        "to_year": _YEAR,
        **{name: {"type": "string", "minLength": 1, "maxLength": 2000} for name in _LEVELS},
    },
}
_TASK = """\
You turn a question of a patient or a clinician about cancer, in German or English, into searches of PubMed.
question: the question in one English sentence, with spelling mended and everyday words as clinical ones.
intent: what is asked for. population, intervention, comparison, outcome: English terms of the question, or none.
from_year, to_year: only where the question limits publication dates, else null. Today is {today}.
strict: a Boolean expression of everything that matters, with synonyms. abstraction: only population and
intervention, in wider clinical words. loose: any of the words, joined by OR.
Expressions: AND, OR, NOT in capitals, parentheses, "phrases", truncation by *, and the tags [tiab] [ti] [mh] [pt] only.
No dates in them."""


def rewrite_with_model(
    question: str,
    settings: Settings,
    concepts: Concepts | None = None,
    *,
    today: date | None = None,
    cancel: threading.Event | None = None,
) -> Rewrite:
    """Return the model's rewrite, or that of the rules with ``fallback`` set to the code of what went wrong.

    The question is quoted in the prompt and leaves this machine if the model's address does. The loose expression of
    the rules is joined to the model's, so that no narrower one of the model can leave a question without articles.

    Raises
    ------
    UsageError
        If the question itself is refused, as by :func:`rewrite`.
    """
    ruled = rewrite(question, concepts, today=today)
    task = _TASK.format(today=(today or datetime.now(UTC).date()).isoformat())
    try:
        prompt = json_prompt(task, SCHEMA, settings=settings, question=ruled.question, max_tokens=MAX_TOKENS)
        answer = complete_json(prompt, SCHEMA, settings=settings, check=_wrong, max_tokens=MAX_TOKENS, cancel=cancel)
    except LanguageModelError as error:
        return replace(ruled, fallback=error.code)
    return _of_answer(ruled, answer.value)


def _wrong(value: dict[str, Any]) -> str | None:
    for level in _LEVELS:
        try:
            parse(value[level], local=True)
        except ExpressionError as error:
            # The code and the place only: the model's own text is not put before it again.
            return f"{level} cannot be read ({error.code} at character {error.position + 1})."
    start, end = value["from_year"], value["to_year"]
    if start is not None and end is not None and start > end:
        return "from_year is later than to_year."
    return None


def _of_answer(ruled: Rewrite, value: dict[str, Any]) -> Rewrite:
    elements = tuple(
        Element(term.strip(), 0, 0, role, (term.strip(),), origin="model")
        for role in _PICO
        for term in dict.fromkeys(value[role])
        if term.strip()
    )
    dates = years(value["from_year"], value["to_year"])
    limit = f" AND {_years_text(value)}" if dates is not None else ""
    strict, abstraction, loose = (value[level].strip() for level in _LEVELS)
    # Without the rules' own limits, since the model's stand in their place.
    anyhow = expressions_of(ruled.elements)[2]
    return replace(
        ruled,
        normal=" ".join(value["question"].split()),
        intent=value["intent"],
        elements=elements or ruled.elements,
        expressions=_limited((strict, abstraction), limit, f"({loose}) OR ({anyhow})"),
        dates=dates,
        dates_text="",
        kinds=(),
        by="model",
        fallback="",
    )


def _limited(texts: Sequence[str], limit: str, loose: str) -> tuple[str, str, str]:
    strict, abstraction = (f"({text}){limit}" if limit else text for text in texts)
    return strict, abstraction, f"({loose}){limit}" if limit else loose


def _years_text(value: dict[str, Any]) -> str:
    return f"{value['from_year'] or 1000}:{value['to_year'] or 3000}[dp]"
