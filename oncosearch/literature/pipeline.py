"""CoMeta as one function: descent through Boolean expressions, dense retrieval, fusion, depth, passages.

Every stage is told as a value with its time; each can be switched off, and expressions can be given in place of those
of the rewrite. Retracted articles and notices of retraction are shown, and no passage is taken from them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from oncosearch.embed import Encoder
from oncosearch.literature.article import Article, ArticleSource
from oncosearch.literature.concepts import Concepts
from oncosearch.literature.dense import ArticleVectors, rank_articles
from oncosearch.literature.evidence import is_review
from oncosearch.literature.levels import LEVELS
from oncosearch.literature.local import LocalSource
from oncosearch.literature.passages import RankedPassage, cut_documents, find_passages, index_passages
from oncosearch.literature.rerank import Reranker
from oncosearch.literature.rewrite import Rewrite, rewrite, with_expressions
from oncosearch.literature.stages import FoundArticle, Literature, Plan, Stage
from oncosearch.literature.transport import SourceError
from oncosearch.model import UsageError

# So many imported articles are encoded while a person waits; beyond that only if they have their vectors already.
ENCODED_AT_ONCE = 200
Progress = Callable[[str, int, int], None]
_LOCAL = "local"


@dataclass(frozen=True, slots=True)
class Models:
    """What is loaded: ``vectors`` for dense retrieval, ``encoder`` for passages, perhaps a cross-encoder."""

    vectors: ArticleVectors | None = None
    encoder: Encoder | None = None
    reranker: Reranker | None = None


def find_literature(
    question: str,
    source: ArticleSource,
    *,
    plan: Plan | None = None,
    concepts: Concepts | None = None,
    models: Models | None = None,
    rewritten: Rewrite | None = None,
    today: date | None = None,
    progress: Progress | None = None,
) -> Literature:
    """Return the articles and passages for a question, with all stages.

    Parameters
    ----------
    rewritten
        A rewrite made before, such as by a language model or for a node; the rules make one where it is not given.
    models
        Without an encoder the dense stage and the passages are told as unavailable.
    progress
        Called with the key of a stage, what is done and what there is.

    Raises
    ------
    UsageError
        If the question is empty, too long or holds stop words only, or a value of the plan is out of range.
    ExpressionError
        If an edited expression cannot be read, with the position; nothing was asked of the source then.
    SourceError
        If the source gives no answer.
    """
    plan, models = plan or Plan(), models or Models()
    plan.check()
    began = time.perf_counter()
    found = rewritten if rewritten is not None else rewrite(question, concepts, today=today)
    found = with_expressions(found, plan.edited, local=source.name == _LOCAL)
    stages = [Stage("rewrite", ms=_ms(began), note=found.fallback)]
    symbolic, levels = descend(source, found, plan)
    stages += levels
    dense, dense_stages = _dense(source, found, plan, models, symbolic, progress)
    stages += dense_stages
    began = time.perf_counter()
    fused = fuse((_flat(symbolic), [pmid for pmid, _ in dense]), plan.fusion_k)
    origins = _origins(symbolic, dense)
    stages.append(Stage("fusion", ms=_ms(began), taken=len(fused)))
    began = time.perf_counter()
    chosen = fused[: plan.articles]
    records = {a.pmid: a for a in source.fetch([pmid for pmid, _ in chosen])}
    articles = [
        FoundArticle(records[pmid], rank, score, origins[pmid])
        for rank, (pmid, score) in enumerate(((p, s) for p, s in chosen if p in records), 1)
    ]
    stages.append(Stage("metadata", ms=_ms(began), taken=len(articles)))
    articles, passages, more = _read(source, found, plan, models, articles, progress)
    return Literature(
        question=found.question,
        source=source.name,
        destination=source.destination,
        rewrite=found,
        plan=plan,
        stages=tuple([*stages, *more]),
        articles=tuple(articles),
        passages=passages,
        model=models.vectors.encoder.key if models.vectors is not None and "dense" not in plan.off else "",
    )


def descend(source: ArticleSource, found: Rewrite, plan: Plan) -> tuple[dict[str, list[str]], list[Stage]]:
    """Return the new PMIDs that each level gave, in the source's order, and its stages; it stops when there are enough.

    An expression that an earlier level has asked already is not asked again.
    """
    lists: dict[str, list[str]] = {}
    stages: list[Stage] = []
    seen: set[str] = set()
    asked: set[str] = set()
    for level, expression in zip(LEVELS, found.expressions, strict=True):
        if level in plan.off or not expression:
            stages.append(Stage(level, "off", expression=expression))
        elif len(seen) >= plan.enough:
            stages.append(Stage(level, "enough", expression=expression))
        elif expression in asked:
            stages.append(Stage(level, "empty", expression=expression))
        else:
            asked.add(expression)
            ids, stage = _searched(source, level, expression, plan.candidates, seen)
            lists[level] = ids
            seen.update(ids)
            stages.append(stage)
    return lists, stages


def fuse(lists: Iterable[Sequence[str]], k: int) -> list[tuple[str, float]]:
    """Return (PMID, Σ 1 / (k + rank)) over the lists, best first, equal scores by PMID.

    Reciprocal rank fusion (Cormack et al., 2009). The order of the lists does not matter; a PMID counts once a list.
    """
    scores: dict[str, list[float]] = {}
    for ids in lists:
        for rank, pmid in enumerate(dict.fromkeys(ids), 1):
            scores.setdefault(pmid, []).append(1.0 / (k + rank))
    # Summed in one order, so that the order of the lists cannot tip a tie.
    summed = [(pmid, sum(sorted(parts))) for pmid, parts in scores.items()]
    return sorted(summed, key=lambda p: (-p[1], len(p[0]), p[0]))


def _searched(source: ArticleSource, key: str, expression: str, count: int, seen: set[str]) -> tuple[list[str], Stage]:
    began = time.perf_counter()
    page = source.search(expression, count=count)
    ids = [pmid for pmid in page.ids if pmid not in seen]
    return ids, Stage(
        key,
        ms=_ms(began),
        expression=expression,
        hits=page.total,
        taken=len(ids),
        capped=page.capped,
        understood=page.understood,
        warnings=page.warnings,
        asked=page.asked,
    )


def _dense(
    source: ArticleSource,
    found: Rewrite,
    plan: Plan,
    models: Models,
    symbolic: Mapping[str, list[str]],
    progress: Progress | None,
) -> tuple[list[tuple[str, float]], list[Stage]]:
    if "dense" in plan.off:
        return [], [Stage("dense", "off")]
    if models.vectors is None:
        return [], [Stage("dense", "unavailable", note="no_model")]
    stages: list[Stage] = []
    began = time.perf_counter()
    articles, note = _all_articles(source, models.vectors), "all_articles"
    if articles is None:
        note, seen = "candidates", set(_flat(symbolic))
        pool = _flat(symbolic)
        # The dense search can only bring in what it may look at: where the descent stopped early, the loose
        # expression gives it more.
        if "loose" not in symbolic and "loose" not in plan.off and found.expressions[2]:
            ids, stage = _searched(source, "pool", found.expressions[2], plan.candidates, seen)
            pool += ids
            stages.append(stage)
        articles = source.fetch(pool)
    if not articles:
        return [], [*stages, Stage("dense", "empty", ms=_ms(began), note=note)]
    text = found.normal if plan.dense_question == "rewritten" else found.question
    ranked = rank_articles(
        text,
        articles,
        models.vectors,
        plan.candidates,
        (lambda done, total: progress("dense", done, total)) if progress else None,
    )
    before = set(_flat(symbolic))
    fresh = sum(pmid not in before for pmid, _ in ranked)
    return ranked, [*stages, Stage("dense", ms=_ms(began), hits=len(articles), taken=fresh, note=note)]


def _all_articles(source: ArticleSource, vectors: ArticleVectors) -> list[Article] | None:
    """Return all imported articles where the dense search can look through them now, else None."""
    if not isinstance(source, LocalSource):
        return None
    total = source.count()
    if total > ENCODED_AT_ONCE and total > len(vectors.known()):
        return None
    return list(source.articles())


def _read(
    source: ArticleSource,
    found: Rewrite,
    plan: Plan,
    models: Models,
    articles: list[FoundArticle],
    progress: Progress | None,
) -> tuple[list[FoundArticle], tuple[RankedPassage, ...], list[Stage]]:
    """Return the articles with what was read of each, the passages, and both stages."""
    if "passages" in plan.off:
        return articles, (), [Stage("depth", "off"), Stage("passages", "off")]
    if models.encoder is None:
        note = "no_model"
        return articles, (), [Stage("depth", "unavailable", note=note), Stage("passages", "unavailable", note=note)]
    began = time.perf_counter()
    documents: list[tuple[str, str]] = []
    told: list[FoundArticle] = []
    note = ""
    for one in articles:
        text, read, problem = _text(source, one.article, plan.depth)
        note = problem or note
        told.append(replace(one, read=read))
        if read:
            documents.append((one.article.pmid, text))
    full = sum(one.read == "full" for one in told)
    depth = Stage("depth", ms=_ms(began), hits=len(documents), taken=full, note=note)
    began = time.perf_counter()
    if not documents:
        return told, (), [depth, Stage("passages", "empty")]
    report = (lambda done, total: progress("passages", done, total)) if progress else None
    blocks = cut_documents(documents, models.encoder, budget=plan.budget, progress=report)
    index = index_passages(blocks, models.encoder, progress=report)
    passages = find_passages(
        index,
        passage_query(found),
        models.encoder,
        recall=plan.recall,
        count=plan.passages,
        reranker=models.reranker,
    )
    return told, passages, [depth, Stage("passages", ms=_ms(began), hits=len(blocks), taken=len(passages))]


def passage_query(found: Rewrite) -> str:
    """Return what passages are compared with: the question, and for a German one its English words too."""
    return found.question if found.language != "de" else f"{found.normal} {found.question}"


def _text(source: ArticleSource, article: Article, depth: str) -> tuple[str, str, str]:
    """Return the text to cut, what it is (``full``, ``abstract`` or nothing), and the code of what went wrong."""
    if not article.usable:
        return "", "", ""
    problem = ""
    if article.pmcid and (depth == "full" or (depth == "adaptive" and is_review(article))):
        try:
            document = source.full_text(article.pmcid)
        except SourceError as error:
            document, problem = None, error.code
        if document is not None and document.text.strip():
            return document.text, "full", problem
    text = article.text if article.abstract_text.strip() else ""
    return text, "abstract" if text else "", problem


def _flat(lists: Mapping[str, list[str]]) -> list[str]:
    return [pmid for level in LEVELS for pmid in lists.get(level, ())]


def _origins(
    symbolic: Mapping[str, list[str]], dense: Sequence[tuple[str, float]]
) -> dict[str, tuple[tuple[str, int], ...]]:
    found: dict[str, list[tuple[str, int]]] = {}
    rank = 0
    for level in LEVELS:
        for pmid in symbolic.get(level, ()):
            rank += 1
            found.setdefault(pmid, []).append((level, rank))
    for rank, (pmid, _) in enumerate(dense, 1):
        found.setdefault(pmid, []).append(("dense", rank))
    return {pmid: tuple(origins) for pmid, origins in found.items()}


def _ms(began: float) -> float:
    return 1000 * (time.perf_counter() - began)


def embed_articles(source: LocalSource, vectors: ArticleVectors, progress: Progress | None = None) -> int:
    """Encode every imported article that has no vector yet, and return how many there are."""
    articles = list(source.articles())
    vectors.of(articles, (lambda done, total: progress("dense", done, total)) if progress else None)
    return len(articles)


def no_network_hint(error: SourceError, articles: int) -> UsageError:
    """Return the error of a source that cannot be reached, with the way to go on without it."""
    there = f"{articles:,} imported articles can" if articles else "imported articles (command: articles) could"
    return UsageError(f"{error} Without a network, {there} be searched: --source local.", code=error.code)
