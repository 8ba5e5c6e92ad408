"""The command that finds articles and passages for a question: literature."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from oncosearch.cli.options import AddCommand, add_snapshot_options
from oncosearch.cli.terminal import bar, plain, print_json, settings_of, short, typed
from oncosearch.embed import load_encoder
from oncosearch.literature.answering import extracted_answer
from oncosearch.literature.article import ArticleSource
from oncosearch.literature.concepts import Concepts
from oncosearch.literature.dense import ArticleVectors, OfRegistry
from oncosearch.literature.eutils import EutilsSource
from oncosearch.literature.levels import LEVELS
from oncosearch.literature.local import LocalSource
from oncosearch.literature.medcpt import KEY as MEDCPT
from oncosearch.literature.medcpt import load_medcpt
from oncosearch.literature.model_rewrite import rewrite_with_model
from oncosearch.literature.pipeline import Models, embed_articles, find_literature, no_network_hint
from oncosearch.literature.report import literature_to_dict
from oncosearch.literature.rerank import load_reranker
from oncosearch.literature.rewrite import check_question, rewrite
from oncosearch.literature.stages import DEPTHS, SWITCHES, Literature, Plan
from oncosearch.literature.transport import SourceError
from oncosearch.model import ArtefactMismatchError, ModelUnavailableError, NotFoundError, SnapshotKey
from oncosearch.settings import Settings
from oncosearch.workspace import DEFAULT_MODEL, open_workspace

_PASSAGE_SHOWN = 400


def add_commands(add: AddCommand) -> None:
    """Add the command of this module."""
    plan = Plan()
    command = add("literature", "Find articles and passages for a question, with every stage shown.", literature)
    command.add_argument("question", type=typed, metavar="QUESTION", help="the question, in German or English")
    command.add_argument(
        "--source", choices=("local", "eutils"), default="local", help="imported articles or PubMed (default: local)"
    )
    add_snapshot_options(command)
    command.add_argument("--no-graph", action="store_true", help="rewrite without the concepts of a graph")
    command.add_argument(
        "--rewrite", choices=("rules", "model"), default="rules", help="who writes the expressions (default: rules)"
    )
    for level in LEVELS:
        command.add_argument(f"--{level}", type=typed, metavar="EXPRESSION", help=f"{level} expression instead")
    command.add_argument("--off", action="append", default=[], choices=SWITCHES, help="leave a stage out")
    command.add_argument(
        "--enough", type=int, default=plan.enough, metavar="N", help="articles that end the descent (default: 20)"
    )
    command.add_argument(
        "--articles", type=int, default=plan.articles, metavar="N", help="articles that are read (default: 20)"
    )
    command.add_argument(
        "--passages", type=int, default=plan.passages, metavar="N", help="passages that are kept (default: 10)"
    )
    command.add_argument(
        "--fusion-k", type=int, default=plan.fusion_k, metavar="K", help="constant of rank fusion (default: 60)"
    )
    command.add_argument("--depth", choices=DEPTHS, default=plan.depth, help="what is read of an article")
    command.add_argument(
        "--model", metavar="KEY", default=DEFAULT_MODEL, help=f"embedding model, or {MEDCPT} (default: %(default)s)"
    )
    command.add_argument("--encode", action="store_true", help="first encode all imported articles without a vector")
    command.add_argument("--no-answer", action="store_true", help="no answer in sentences of the passages")
    command.add_argument("--json", action="store_true", help="print JSON")


def literature(arguments: argparse.Namespace) -> int:
    """Search, and print stages, expressions, articles and passages."""
    settings = settings_of(arguments)
    check_question(arguments.question)
    edited = {level: text for level in LEVELS if (text := getattr(arguments, level)) is not None}
    plan = Plan(
        enough=arguments.enough,
        articles=arguments.articles,
        passages=arguments.passages,
        fusion_k=arguments.fusion_k,
        off=frozenset(arguments.off),
        depth=arguments.depth,
        edited=edited,
    )
    plan.check()
    with ExitStack() as stack:
        concepts = None if arguments.no_graph else stack.enter_context(_concepts(arguments, settings))
        source = stack.enter_context(_source(arguments.source, settings))
        if arguments.rewrite == "model":
            rewritten = rewrite_with_model(arguments.question, settings, concepts)
        else:
            rewritten = rewrite(arguments.question, concepts)
        models = _models(arguments.model, settings, plan)
        show = stack.enter_context(_bars())
        if arguments.encode and isinstance(source, LocalSource) and models.vectors is not None:
            embed_articles(source, models.vectors, show)
        try:
            found = find_literature(
                arguments.question, source, plan=plan, models=models, rewritten=rewritten, progress=show
            )
        except SourceError as error:
            with LocalSource.open(settings.home) as local:
                raise no_network_hint(error, local.count()) from error
    sentences = [] if arguments.no_answer else _answer(found)
    if arguments.json:
        print_json(literature_to_dict(found) | {"answer": sentences})
    else:
        print("\n".join(_text(found, sentences)))
    return 0


@contextmanager
def _source(name: str, settings: Settings) -> Iterator[ArticleSource]:
    if name == "eutils":
        with EutilsSource.open(settings) as remote:
            print(f"The question goes to {remote.destination}.", file=sys.stderr)
            yield remote
        return
    with LocalSource.open(settings.home) as local:
        if not local.count():
            raise NotFoundError(
                "No articles are imported yet. Import some (python -m oncosearch articles FILE), or search PubMed "
                "itself (ONCOSEARCH_EUTILS=on and --source eutils).",
                code="no_articles",
            )
        yield local


@contextmanager
def _concepts(arguments: argparse.Namespace, settings: Settings) -> Iterator[Concepts | None]:
    """Lend the concepts of the graph that is asked for; None where none is named and there is none ready."""
    with open_workspace(settings) as workspace:
        named = arguments.graph is not None or arguments.snapshot is not None
        try:
            if named:
                from oncosearch.cli.terminal import chosen_snapshot

                key: SnapshotKey = chosen_snapshot(workspace, arguments, vectors=False).key
            else:
                key = workspace.default_snapshot().key
            graph, names = workspace.graph(key), workspace.names(key)
        except (NotFoundError, ArtefactMismatchError):
            if named:
                raise
            yield None
            return
        yield Concepts(names, graph.ids, lambda ids: workspace.nodes(key, ids))


def _models(key: str, settings: Settings, plan: Plan) -> Models:
    """Return what is loaded; nothing where both stages that need a model are switched off."""
    if {"dense", "passages"} <= plan.off:
        return Models()
    medcpt = load_medcpt(settings) if key == MEDCPT else None
    if key == MEDCPT and medcpt is None:
        raise ModelUnavailableError(
            "MedCPT cannot be used here: put safetensors copies of ncbi/MedCPT-Query-Encoder and "
            "ncbi/MedCPT-Article-Encoder into ONCOSEARCH_MODELS/medcpt-query and medcpt-article.",
            model=key,
        )
    encoder = load_encoder(DEFAULT_MODEL if medcpt is not None else key, settings)
    articles = medcpt if medcpt is not None else OfRegistry(encoder)
    return Models(ArticleVectors(articles, settings.home), encoder, load_reranker(settings))


@contextmanager
def _bars() -> Iterator[Any]:
    bars: dict[tuple[str, int], Any] = {}

    def show(stage: str, done: int, total: int) -> None:
        key = (stage, total)
        if key not in bars:
            bars[key] = bar(stage, total, unit=" texts")
        bars[key].update(done - bars[key].n)

    try:
        yield show
    finally:
        for shown in bars.values():
            shown.close()


def _answer(found: Literature) -> list[dict[str, Any]]:
    pmid_of = {p.block.id: p.block.document for p in found.passages}
    return [
        {"text": " ".join(s.text.split()), "passage": s.number, "pmid": pmid_of[s.passage.id]}
        for s in extracted_answer(found).sentences
    ]


def _text(found: Literature, sentences: list[dict[str, Any]]) -> list[str]:
    written = found.rewrite
    lines = [f"Question: {plain(found.question)}"]
    if written.normal != written.question:
        lines.append(f"Read as: {plain(written.normal)}")
    lines += [f"    {short(a, 60)} read as {short(b, 60)}" for a, b in written.corrections]
    for role in ("population", "intervention", "comparison", "outcome"):
        if members := written.of_role(role):
            lines.append(f"    {role}: {short('; '.join(e.terms[0] for e in members))}")
    if written.dates is not None:
        lines.append(f"    published: {written.dates.start} to {written.dates.end}")
    if written.fallback:
        lines.append(f"    Rewritten by rules; the language model gave no rewrite ({written.fallback}).")
    lines += ["", "Stages"]
    for stage in found.stages:
        counts = [
            f"{stage.hits:,} hits" if stage.hits is not None else "",
            f"{stage.taken:,} taken" if stage.taken else "",
        ]
        told = ", ".join(filter(None, [*counts, stage.note, "" if stage.state == "done" else stage.state]))
        lines.append(f"    {stage.key:<12}{stage.ms:>9.1f} ms  {told}")
        lines += [f"                 {plain(stage.expression)}"] if stage.expression else []
        lines += [f"                 {short(warning)}" for warning in stage.warnings]
    lines += ["", f"Articles ({len(found.articles)})"]
    for one in found.articles:
        article = one.article
        marks = [
            one.document_class,
            one.evidence.replace("_", " "),
            *(f"{stage} {rank}" for stage, rank in one.origins),
        ]
        if not article.usable:
            marks.insert(0, "RETRACTED, no evidence" if article.retracted else "NOTICE OF RETRACTION, no evidence")
        where = ", ".join(filter(None, [plain(article.journal), str(article.date or "")]))
        lines.append(f"{one.rank:>4}. {short(article.title)} ({where or 'no date'}) PMID {article.pmid}")
        lines.append(f"      {'; '.join(marks)}")
    lines += ["", f"Passages ({len(found.passages)})"]
    lines += [f"{p.rank:>4}. [{plain(p.block.document)}] {short(p.block.text, _PASSAGE_SHOWN)}" for p in found.passages]
    if sentences:
        lines += ["", "Sentences of the passages (extracted, no model wrote them; no medical advice)"]
        lines += [f"    {plain(s['text'])} [{s['passage']}]" for s in sentences]
    return lines
