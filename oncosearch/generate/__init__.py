"""Answers with citations: an optional language model behind an OpenAI-compatible address, and what works without one.

Nothing here is asked unless the settings name an address. The package ``openai`` is imported only then.
"""

from oncosearch.generate.availability import Availability, available
from oncosearch.generate.citations import (
    CheckedAnswer,
    CheckedSentence,
    check_citations,
    cited_numbers,
    without_citations,
)
from oncosearch.generate.endpoint import Endpoint, endpoint
from oncosearch.generate.errors import CODES, LanguageModelError
from oncosearch.generate.extractive import ExtractedSentence, ExtractiveAnswer, extractive_answer
from oncosearch.generate.languages import language_of
from oncosearch.generate.prompts import ABSTAINS, Prompt, answer_prompt, json_prompt
from oncosearch.generate.quoting import EvidencePassage, fenced, mark_for, quote, quoted_text, stands_in
from oncosearch.generate.streaming import AnswerStream, stream_answer
from oncosearch.generate.structured import JsonAnswer, complete_json
from oncosearch.generate.tokens import TokenCount, TokenCounter, estimated, token_counter

__all__ = [
    "ABSTAINS",
    "CODES",
    "AnswerStream",
    "Availability",
    "CheckedAnswer",
    "CheckedSentence",
    "Endpoint",
    "EvidencePassage",
    "ExtractedSentence",
    "ExtractiveAnswer",
    "JsonAnswer",
    "LanguageModelError",
    "Prompt",
    "TokenCount",
    "TokenCounter",
    "answer_prompt",
    "available",
    "check_citations",
    "cited_numbers",
    "complete_json",
    "endpoint",
    "estimated",
    "extractive_answer",
    "fenced",
    "json_prompt",
    "language_of",
    "mark_for",
    "quote",
    "quoted_text",
    "stands_in",
    "stream_answer",
    "token_counter",
    "without_citations",
]
