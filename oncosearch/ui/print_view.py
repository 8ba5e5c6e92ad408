"""One page for a tumour board: question, conditions, hits with paths and sources, date, and what this is not."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from oncosearch.model import Snapshot
from oncosearch.model.vocabulary import term_name
from oncosearch.retrieve import pipeline
from oncosearch.ui.components.hit_card import no_common_word
from oncosearch.ui.components.sources import source_link
from oncosearch.ui.components.states import ranking_notes, ranking_warnings
from oncosearch.ui.components.title_mark import with_language
from oncosearch.ui.markup import Markup, element, escape, join, shortened
from oncosearch.ui.numbers import decimal, integer, moment, percent
from oncosearch.ui.resources import asset
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import Answer, HitDetail, SourceCard

TITLE_ON_PAPER = 300


def print_page(
    t: Texts,
    answer: Answer,
    snapshot: Snapshot,
    filters: Sequence[tuple[str, str]] = (),
    now: datetime | None = None,
) -> str:
    """Return the page as whole HTML; every text in it is escaped and it loads nothing.

    ``filters`` are (facet, values) as read by people.
    """
    ranking = answer.ranking
    when = moment((now or datetime.now(UTC)).isoformat(timespec="seconds"), t.language)
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width"),
        element(
            "meta",
            http_equiv="Content-Security-Policy",
            content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'",
        ),
        element("title", t("print.title", query=ranking.query)),
        element("style", Markup(asset("print.css"))),
    )
    body = element(
        "body",
        element("button", t("print.button"), type="button", id="print"),
        element("p", t("print.kicker"), class_="kicker"),
        element("h1", ranking.query),
        element("p", t("aid.line"), element("b", f" {t('aid.demo')}") if snapshot.demo else None, class_="aid"),
        *(
            element("p", element("b", title), f" {advice}" if advice else None, class_="warning")
            for title, advice, _ in ranking_warnings(t, answer)
        ),
        _conditions(t, answer, snapshot, filters, when),
        element("ol", *(_hit(t, detail) for detail in answer.details)),
        _notes(t, answer),
        element("footer", *_attribution(snapshot)),
        element("script", Markup("document.getElementById('print').onclick = () => window.print();")),
    )
    return f"<!doctype html>{element('html', head, body, lang=t.language)}"


def conditions(t: Texts, answer: Answer, snapshot: Snapshot) -> list[tuple[str, str]]:
    """Return what a ranking was computed from as (name, value) rows."""
    ranking = answer.ranking
    used = pipeline(ranking.pipeline)
    values = ranking.parameters.to_dict()
    names = {"alpha": "α", "lambda": "λ", "hops": "h", "seeds": "S", "cap": t("settings.cap.short")}
    parameters = ", ".join(
        f"{names[name]} = {decimal(values[name], t.language, 2) if isinstance(values[name], float) else values[name]}"
        for name in used.uses
    )
    graph = f"{snapshot.title or snapshot.graph_id}, {snapshot.snapshot_id}"
    rows = [
        (t("conditions.graph"), f"{graph} ({t.count('count.nodes', snapshot.node_count)})"),
        (t("conditions.pipeline"), used.name(t.language)),
    ]
    if ranking.model is not None:
        rows.append((t("conditions.model"), ranking.model))
    if parameters:
        rows.append((t("conditions.parameters"), parameters))
    rows.append((t("conditions.order"), t("conditions.order.value")))
    rows.append((t("conditions.candidates"), integer(ranking.candidate_count, t.language)))
    return rows


def _conditions(t: Texts, answer: Answer, snapshot: Snapshot, filters: Sequence[tuple[str, str]], when: str) -> Markup:
    rows = conditions(t, answer, snapshot)
    if filters:
        rows.append((t("conditions.filters"), "; ".join(f"{name}: {values}" for name, values in filters)))
    rows.append((t("conditions.date"), when))
    if answer.ranking.record_id:
        rows.append((t("conditions.record"), answer.ranking.record_id))
    return element("dl", *(piece for name, value in rows for piece in (element("dt", name), element("dd", value))))


def _hit(t: Texts, detail: HitDetail) -> Markup:
    language = t.language
    line = [term_name("type", detail.node.type, language), t("print.score", value=decimal(detail.hit.score, language))]
    if detail.evidence_level:
        line.append(t("evidence.highest", level=detail.evidence_level))
    apart = no_common_word(t, detail)
    shares = sorted(((share, key) for key, share in detail.contributions.items() if share > 0), reverse=True)
    fields = " · ".join(f"{term_name('field', key, language)} {percent(share, language)}" for share, key in shares)
    paths = [
        element("p", " › ".join(with_language(s.title, s.language, language) for s in path), class_="path")
        for path in detail.paths
        if path
    ]
    title = with_language(shortened(detail.title, TITLE_ON_PAPER), detail.node.title.best_language(language), language)
    sources = [element("li", *_source(t, card)) for card in detail.sources]
    return element(
        "li",
        element("h2", title),
        element("p", element("i", f"≈ {apart}", class_="apart") if apart else None, " · ".join(line), class_="line"),
        *paths,
        element("p", *(element("b", s) if marked else s for s, marked in detail.snippet)) if detail.snippet else None,
        element("p", t("card.matched", fields=fields), class_="path") if fields else None,
        element("ul", *sources) if sources else element("p", t("print.no_source"), class_="path"),
        class_="similar" if apart else None,
    )


def _source(t: Texts, card: SourceCard) -> list[Markup | None]:
    level = card.source.evidence_level
    graded = element("b", f" {t('evidence.level', level=level)}", class_="level") if level else None
    return [source_link(card, t.language), graded, _address(card.address)]


def _address(address: str | None) -> Markup | None:
    return None if address is None else element("span", f" {address}", class_="address")


def _notes(t: Texts, answer: Answer) -> Markup | None:
    notes = ranking_notes(t, answer.ranking)
    return element("p", join(notes, " "), class_="path") if notes else None


def _attribution(snapshot: Snapshot) -> list[Markup]:
    lines = [snapshot.licence, *snapshot.attribution]
    return [element("p", escape(line)) for line in lines if line]
