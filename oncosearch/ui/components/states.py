"""Words for every state: notices, errors and what to do next. Nothing here shows a trace."""

from __future__ import annotations

from oncosearch.model import OncosearchError, Ranking
from oncosearch.ui.markup import Child, Markup, element, inner_link, join
from oncosearch.ui.numbers import decimal
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import Answer

DEMO_COMMAND = "python -m oncosearch demo"


def notice(title: str, *body: Child, kind: str = "") -> Markup:
    """Return a notice; ``kind`` is empty, ``warn`` or ``bad``."""
    role = "alert" if kind == "bad" else "status"
    parts = [element("strong", title)] if title else []
    return element("div", *parts, *body, class_=f"os-notice os-{kind}" if kind else "os-notice", role=role)


def empty_store_notice(t: Texts) -> Markup:
    """Return what to do where the store holds no graph."""
    return notice(
        t("empty_store.title"),
        element("p", t("empty_store.advice")),
        element("p", element("code", DEMO_COMMAND)),
        element("p", t("empty_store.then")),
    )


def error_notice(t: Texts, error: OncosearchError) -> Markup:
    """Return what happened and what to do; codes without words of their own show the error's own sentence."""
    kind = "" if error.code in _GENTLE else "bad"
    if not t.has(f"error.{error.code}.title"):
        return notice(t("error.other.title"), element("p", t("error.other.advice")), _technical(t, error), kind="bad")
    values = {key: _value(t, value) for key, value in error.values.items()}
    body = [element("p", _filled(t, f"error.{error.code}.advice", values))]
    if error.code not in _GENTLE:
        body.append(_technical(t, error))
    return notice(_filled(t, f"error.{error.code}.title", values), *body, kind=kind)


def unexpected_notice(t: Texts, error: Exception) -> Markup:
    """Return what to do about an error that nobody foresaw; of the error itself only its kind is shown."""
    said = element("p", type(error).__name__, class_="os-tech", lang="en")
    return notice(t("error.unexpected.title"), element("p", t("error.unexpected.advice")), said, kind="bad")


def no_hit_notice(t: Texts, ranking: Ranking, cleared: str | None) -> Markup:
    """Return what to do where a search found nothing; ``cleared`` is the same search without its filters."""
    if cleared is not None:
        return notice(t("none.filtered.title"), element("p", inner_link(cleared, t("filters.clear"))))
    tips = element("ul", *(element("li", f"– {t(f'none.tip.{n}')}") for n in (1, 2, 3)))
    return notice(t("none.title", query=ranking.query), element("p", t("none.advice")), tips)


def ranking_warnings(t: Texts, answer: Answer) -> tuple[tuple[str, str, str], ...]:
    """Return what must be known before the hits are read, as (title, advice, kind of notice), the gravest first."""
    shown = {text: detail.title for detail in answer.details for _, text in detail.node.title}
    found = []
    for code, kind in _ABOVE_THE_HITS.items():
        for noted, pairs in answer.ranking.notes:
            if noted == code:
                values = {key: shown.get(value, value) if key == "title" else value for key, value in pairs}
                found.append((_filled(t, f"note.{code}", values), _filled(t, f"note.{code}.advice", values), kind))
    return tuple(found)


def warnings_above(t: Texts, answer: Answer) -> Markup | None:
    """Return the warnings of an answer as notices, None where there are none."""
    found = [notice(title, element("p", advice), kind=kind) for title, advice, kind in ranking_warnings(t, answer)]
    return element("div", *found, class_="os-section") if found else None


def ranking_notes(t: Texts, ranking: Ranking) -> tuple[str, ...]:
    """Return a sentence for everything that was cut, folded or skipped in a ranking."""
    sentences = []
    for code, pairs in ranking.notes:
        if code not in _ABOVE_THE_HITS and t.has(f"note.{code}"):
            sentences.append(_filled(t, f"note.{code}", {key: value for key, value in pairs}))
    return tuple(sentences)


def notes_line(t: Texts, ranking: Ranking) -> Markup | None:
    """Return the notes of a ranking as one quiet paragraph, None where there are none."""
    sentences = ranking_notes(t, ranking)
    return element("p", join(sentences, " "), class_="os-matched") if sentences else None


_GENTLE = frozenset({"empty_query", "stop_words_only", "no_overlap", "query_too_long"})
_ABOVE_THE_HITS = {"unknown_words": "warn", "read_as": ""}


class _Known(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"


def _filled(t: Texts, key: str, values: dict[str, str]) -> str:
    return t(key).format_map(_Known(values))


def _value(t: Texts, value: object) -> str:
    return decimal(value, t.language) if isinstance(value, float) else str(value)


def _technical(t: Texts, error: OncosearchError) -> Markup:
    said = element("p", str(error), class_="os-tech", lang="en")
    return element("details", element("summary", t("error.detail")), said, class_="os-more")
