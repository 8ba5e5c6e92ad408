"""The answer to a question from the passages found: sentences as they stand, or the prompt for a language model."""

from __future__ import annotations

from typing import Literal

from oncosearch.generate import (
    EvidencePassage,
    ExtractiveAnswer,
    Prompt,
    answer_prompt,
    extractive_answer,
    language_of,
)
from oncosearch.literature.stages import Literature
from oncosearch.settings import Settings

SENTENCES = 5


def evidence_of(found: Literature) -> tuple[EvidencePassage, ...]:
    """Return the passages as evidence, best first, each with its block's id and a reference to its article.

    No passage comes from a retracted article or a notice of retraction: these are not read.
    """
    out = []
    for passage in found.passages:
        article = found.article(passage.block.document).article
        where = ", ".join(filter(None, (article.journal_short or article.journal, str(article.date or ""))))
        reference = f"PMID {article.pmid}" + (f", {where}" if where else "")
        out.append(EvidencePassage(passage.block.id, passage.block.text, reference, language_of(passage.block.text)))
    return tuple(out)


def extracted_answer(found: Literature, *, count: int = SENTENCES) -> ExtractiveAnswer:
    """Return the sentences of the passages that hold most of the question, also by its English words."""
    also = [term for element in found.rewrite.elements for term in element.terms]
    return extractive_answer(found.question, evidence_of(found), count=count, also=also)


def prompt_of(found: Literature, settings: Settings) -> Prompt:
    """Return the prompt that asks a language model for an answer with citations, in the question's language.

    Raises
    ------
    LanguageModelError
        ``llm_no_passages`` where nothing was found, ``llm_context`` where not even one passage fits.
    """
    language: Literal["de", "en"] = "de" if found.rewrite.language == "de" else "en"
    return answer_prompt(found.question, evidence_of(found), language=language, settings=settings)
