"""JSON from a language model: asked for by schema, checked by schema, asked once more, else refused."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from oncosearch.generate.endpoint import endpoint
from oncosearch.generate.errors import failure
from oncosearch.generate.prompts import Prompt
from oncosearch.generate.quoting import quoted_text
from oncosearch.generate.streaming import AnswerStream
from oncosearch.settings import Settings

ATTEMPTS = 2
_LONGEST_COMPLAINT = 300
_AGAIN = {
    "de": (
        "Die vorige Antwort war nicht brauchbar: {problem} Antworte noch einmal, nur mit dem JSON-Objekt nach dem "
        "Schema."
    ),
    "en": "The answer before was not usable: {problem} Answer once more, with the JSON object of the schema only.",
}


@dataclass(frozen=True, slots=True)
class JsonAnswer:
    """A JSON object that keeps its schema; ``attempts`` is 1 or 2, ``seconds`` counts both."""

    value: dict[str, Any]
    attempts: int
    model: str
    prompt_hash: str
    answer_hash: str
    seconds: float


def complete_json(
    prompt: Prompt,
    schema: Mapping[str, Any],
    *,
    settings: Settings,
    check: Callable[[dict[str, Any]], str | None] | None = None,
    max_tokens: int = 1024,
    cancel: threading.Event | None = None,
) -> JsonAnswer:
    """Return the model's answer as a JSON object that keeps the schema.

    An answer that is no JSON, breaks the schema or fails ``check`` is asked for once more, with the reason.

    Parameters
    ----------
    prompt
        As from ``json_prompt`` with the same schema.
    schema
        JSON schema (2020-12) of an object. Servers that can are made to keep it; the answer is checked in any case.
    settings
        Name the model.
    check
        A rule of the caller's own: returns what is wrong, or None.
    max_tokens
        Longest answer.
    cancel
        Set it from another thread to stop.

    Raises
    ------
    LanguageModelError
        ``llm_not_json``, ``llm_schema`` or ``llm_cut`` after the second try, ``llm_cancelled``, or what kept the model
        from answering. The caller goes on without a model then.
    """
    from jsonschema import Draft202012Validator

    where = endpoint(settings)
    validator = Draft202012Validator(dict(schema))
    wanted = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)}}
    asked, code, seconds = prompt, "llm_not_json", 0.0
    for attempt in range(1, ATTEMPTS + 1):
        with AnswerStream(where, asked, max_tokens=max_tokens, cancel=cancel, response_format=wanted) as stream:
            for _ in stream:
                pass
        seconds += stream.seconds
        if stream.state == "cancelled":
            raise failure("llm_cancelled")
        value, code, problem = _read(stream.text, validator, check)
        if value is not None:
            answer_hash = hashlib.sha256(stream.text.encode("utf-8", "replace")).hexdigest()
            return JsonAnswer(value, attempt, where.model, prompt.hash, answer_hash, seconds)
        if stream.state == "cut":
            code, problem = "llm_cut", "it was cut because it was too long."
        again = _AGAIN[prompt.language].format(problem=problem)
        asked = replace(prompt, user=f"{prompt.user}\n\n{again}")
    raise failure(code, limit=max_tokens)


def _read(
    text: str, validator: Any, check: Callable[[dict[str, Any]], str | None] | None
) -> tuple[dict[str, Any] | None, str, str]:
    """Return the value, or None with the code and what is wrong."""
    try:
        value = json.loads(_unfenced(text), parse_constant=_no_number, object_pairs_hook=_once)
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # a lone surrogate is no text
    except (ValueError, RecursionError):
        return None, "llm_not_json", "it is no JSON."
    if not isinstance(value, dict):
        return None, "llm_schema", "it is no JSON object."
    wrong = next(iter(validator.iter_errors(value)), None)
    if wrong is not None:
        # Not the library's sentence: it holds the answer's own text, which is not to be obeyed either.
        return (
            None,
            "llm_schema",
            f"{quoted_text(wrong.json_path)[:_LONGEST_COMPLAINT]} breaks the rule {wrong.validator!r}.",
        )
    problem = check(value) if check is not None else None
    if problem:
        return None, "llm_schema", problem[:_LONGEST_COMPLAINT]
    return value, "", ""


def _unfenced(text: str) -> str:
    """Return what stands in a Markdown fence around the whole text, or the text."""
    text = text.strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        return text[text.index("\n") : -3]
    return text


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found
