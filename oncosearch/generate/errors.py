"""What can go wrong on the way to a language model, each with a code and a sentence in plain words.

No message repeats what was asked or answered: a server may put the prompt into its own error text, so that
only its status, and numbers, are taken over.
"""

from __future__ import annotations

from oncosearch.model import OncosearchError


class LanguageModelError(OncosearchError):
    """A language model that cannot be asked, or an answer that cannot be used; ``code`` says which."""

    code = "llm"


_MESSAGES = {
    "llm_off": (
        "No language model is set up. Everything works without one; to use one, set ONCOSEARCH_LLM_ADDRESS and "
        "ONCOSEARCH_LLM_MODEL."
    ),
    "llm_address": (
        "ONCOSEARCH_LLM_ADDRESS is no usable address; expected something like http://127.0.0.1:8080/v1, without user, "
        "password, query or blanks. A key goes into ONCOSEARCH_LLM_KEY."
    ),
    "llm_settings": (
        "ONCOSEARCH_LLM_MODEL is empty; expected the name under which the server at {host} knows the model."
    ),
    "llm_key_form": (
        "ONCOSEARCH_LLM_KEY holds characters that no key can hold; expected printable ASCII without blanks."
    ),
    "llm_package": "A language model is set up, but the package openai is not installed: python -m pip install openai",
    "llm_unreachable": (
        "The language model at {host} cannot be reached. Check that its server runs, that the address is right, and "
        "the network."
    ),
    "llm_timeout": (
        "The language model at {host} did not answer within {seconds:g} s. Try again, ask for less, or raise "
        "ONCOSEARCH_LLM_TIMEOUT."
    ),
    "llm_broken": "The connection to the language model at {host} broke before the answer was whole. Try again.",
    "llm_key": "The language model at {host} refused the key (401). Check ONCOSEARCH_LLM_KEY.",
    "llm_forbidden": "The language model at {host} does not allow this with this key (403).",
    "llm_model_missing": "The server at {host} has no model {model!r} (404). Check ONCOSEARCH_LLM_MODEL.",
    "llm_address_wrong": (
        "The server at {host} answers, but not as a language model does (status {status}). Check "
        "ONCOSEARCH_LLM_ADDRESS; most servers want it to end in /v1."
    ),
    "llm_busy": (
        "The language model at {host} takes no more requests for now (429), also after waiting. Try again later, or "
        "look at the limits of its account."
    ),
    "llm_context": (
        "The prompt is longer than the model reads ({tokens} tokens, {context} fit). Shorten it, or set "
        "ONCOSEARCH_LLM_CONTEXT to what the model can read."
    ),
    "llm_no_passages": "There is no passage to answer from; expected at least one with text.",
    "llm_server": "The server at {host} failed (status {status}). Look at its own log, or try again.",
    "llm_refused": "The server at {host} refused the request (status {status}).",
    "llm_form": (
        "The server at {host} sent an answer of an unknown form. Check that it speaks the OpenAI chat protocol."
    ),
    "llm_not_json": "The model answered twice with something that is no JSON.",
    "llm_schema": "The model answered twice with JSON of another form than was asked for.",
    "llm_cut": "The model's answer was cut after {limit} tokens, twice. Ask for less, or allow a longer answer.",
    "llm_cancelled": "The answer was cancelled.",
}
CODES = tuple(_MESSAGES)


def failure(code: str, **values: object) -> LanguageModelError:
    """Return the error of a code, its sentence filled with ``values``."""
    return LanguageModelError(_MESSAGES[code].format(**values), code=code, **values)
