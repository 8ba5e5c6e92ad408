"""What metadata say of an article: which text there is of it (D1, D2, D3), and how strong its kind of study is."""

from __future__ import annotations

from oncosearch.literature.article import Article

# Strongest first; an article has the first level of which it has a publication type (compared in lower case).
LEVELS_OF_EVIDENCE: tuple[tuple[str, frozenset[str]], ...] = tuple(
    (key, frozenset(types))
    for key, *types in (
        ("guideline", "guideline", "practice guideline", "consensus development conference", "consensus statement"),
        ("meta_analysis", "meta-analysis", "network meta-analysis"),
        ("systematic_review", "systematic review"),
        ("randomised_trial", "randomized controlled trial", "randomized controlled trial as topic"),
        (
            "clinical_trial",
            "clinical trial",
            "controlled clinical trial",
            "clinical trial, phase i",
            "clinical trial, phase ii",
            "clinical trial, phase iii",
            "clinical trial, phase iv",
            "pragmatic clinical trial",
            "adaptive clinical trial",
        ),
        ("observational", "observational study", "comparative study", "multicenter study", "evaluation study"),
        ("review", "review", "scoping review"),
        ("case_report", "case reports"),
        ("opinion", "editorial", "letter", "comment", "news", "interview"),
    )
)
EVIDENCE_KEYS = (*(key for key, _ in LEVELS_OF_EVIDENCE), "unknown")
_REVIEWS = frozenset({"review", "scoping review", "systematic review", "meta-analysis", "network meta-analysis"})
DOCUMENT_CLASSES = ("D1", "D2", "D3")


def evidence_level(article: Article) -> str:
    """Return the key of the strongest kind of study that the publication types name, or ``unknown``."""
    types = {text.lower() for text in article.publication_types}
    return next((key for key, names in LEVELS_OF_EVIDENCE if names & types), "unknown")


def evidence_rank(article: Article) -> int:
    """Return the place of the article's level in the hierarchy, 0 for the strongest."""
    return EVIDENCE_KEYS.index(evidence_level(article))


def is_review(article: Article) -> bool:
    """Return whether the article sums up others."""
    return bool(_REVIEWS & {text.lower() for text in article.publication_types})


def document_class(article: Article) -> str:
    """Return ``D1`` (abstract only), ``D2`` (review with full text in PMC) or ``D3`` (other full text in PMC)."""
    if article.pmcid is None:
        return "D1"
    return "D2" if is_review(article) else "D3"
