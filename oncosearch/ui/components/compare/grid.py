"""Columns side by side: hits with score parts, the same colour for the same node, and its way from column to column.

Lines between columns are drawn with gradients: a box from one row to another is crossed from corner to corner, so
that nothing has to be measured and no script runs. On a phone the columns stand one below the other; there the words
on each card say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.compare.names import (
    colour_of,
    column_name,
    column_parameters,
    grade_badge,
    mark_badge,
)
from oncosearch.ui.components.compare.pairs import likeness_words
from oncosearch.ui.components.states import error_notice, notice
from oncosearch.ui.components.title_mark import mark_of
from oncosearch.ui.markup import Markup, clamped, element, inner_link
from oncosearch.ui.numbers import decimal
from oncosearch.ui.state import compare_address, node_address, search_address
from oncosearch.workspace.columns import LEAST
from oncosearch.workspace.comparing import ColumnAnswer, Judged, Pair
from oncosearch.workspace.moves import DOWN, MISSING, NEW, SAME, UP, Mark, Move, marks, moves
from oncosearch.workspace.requests import HitDetail

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_GLYPHS = {UP: "▲", DOWN: "▼", SAME: "=", NEW: "✚", MISSING: "✕"}
_MISSED_SHOWN = 12
# Least width of a column and of the lines between two, in rem: six fit beside the sidebar on a screen of 1280 pixels.
_WIDTHS = {2: (12, 2), 3: (12, 2), 4: (12, 2), 5: (9.8, 1), 6: (8, 1)}
_CLOSE = (5, 6)


@dataclass(frozen=True, slots=True)
class Side:
    """What the grid shows beside the answers: grades (None: the question is not judged) and what they give."""

    pairs: Sequence[Pair]
    grades: Mapping[str, int] | None
    judged: Sequence[Judged | None]


def columns_grid(page: Page, answers: Sequence[ColumnAnswer], side: Side) -> Markup:
    """Return the columns of a comparison."""
    t = page.t
    known = marks([answer.shown for answer in answers])
    rows = max([len(answer.shown) for answer in answers] + [1])
    parts: list[Markup] = []
    for i, answer in enumerate(answers):
        # Moves pass over a column that could not search.
        before = next((a for a in reversed(answers[:i]) if a.answer is not None), None)
        after = next((a for a in answers[i + 1 :] if a.answer is not None), None)
        at = 2 * i + 1
        parts.append(_head(page, answers, i, side, at))
        if answer.answer is None:
            parts.append(element("div", _not_ready(page, answer), class_="os-lane-state", style=_place(at, 2, rows)))
            continue
        step = {m.node_id: m for m in moves(before.shown, answer.shown)} if before else {}
        best = max((d.hit.score for d in answer.answer.details), default=1.0)
        for row, detail in enumerate(answer.answer.details):
            words = [_move(page, step[detail.hit.node_id], before)] if before and step else []
            if after is not None and detail.hit.node_id not in after.shown:
                words.append(_gone(page, detail.hit.node_id, after))
            grade = None if side.grades is None else side.grades.get(detail.hit.node_id)
            badge = grade_badge(t, grade, judged=side.grades is not None)
            mark = known[detail.hit.node_id]
            parts.append(_tile(page, detail, mark, best, words, badge, _place(at, row + 2)))
        parts.append(_foot(page, answer, side.judged[i], known, _place(at, rows + 2)))
        if after is not None and after is answers[i + 1]:
            way = moves(answer.shown, after.shown)
            parts.append(
                element(
                    "div",
                    *_lines(way, known, rows),
                    class_="os-ways",
                    aria_hidden="true",
                    style=_place(at + 1, 2, rows),
                )
            )
    least, between = _WIDTHS[len(answers)]
    template = f" {between}rem ".join([f"minmax({least}rem, 1fr)"] * len(answers))
    style = f"grid-template-columns:{template};grid-template-rows:auto repeat({rows}, 1fr) auto"
    box = element(
        "div",
        element("div", *parts, class_="os-compare os-close" if len(answers) in _CLOSE else "os-compare", style=style),
        class_="os-scroll",
        tabindex=0,
        role="region",
        aria_label=t("compare.grid.label"),
    )
    # Shown by the style sheet only where the box is narrower than its columns.
    said = t("compare.grid.more", count=len(answers), last=answers[-1].letter)
    hint = element("p", said, class_="os-matched os-more-columns")
    return element("div", hint, box, class_=f"os-lanes os-lanes-{len(answers)}")


def grid_legend(page: Page, *, judged: bool) -> Markup:
    """Return what colours, letters and signs of the grid mean."""
    t = page.t
    signs = [element("span", f"{glyph} {t(f'compare.move.{kind}')}") for kind, glyph in _GLYPHS.items()]
    first = element("span", element("span", "a", class_="os-badge", style="--c:#43713c"), " ", t("compare.legend.same"))
    alone = element("span", element("span", "b", class_="os-badge os-alone"), " ", t("compare.legend.alone"))
    bar = [
        element("span", element("i", class_=f"os-mark os-{part}"), " ", t(f"compare.legend.{part}"))
        for part in ("own", "around")
    ]
    grades = [element("span", grade_badge(t, 3, judged=True), " ", t("compare.legend.grade"))] if judged else []
    return element("p", first, alone, *signs, *bar, *grades, class_="os-legend")


def _place(column: int, row: int, span: int = 1) -> str:
    return f"grid-column:{column};grid-row:{row} / span {span}"


def _head(page: Page, answers: Sequence[ColumnAnswer], i: int, side: Side, at: int) -> Markup:
    t, view, answer = page.t, page.view, answers[i]
    columns = tuple(a.column for a in answers)
    lines: list[Markup] = [
        element(
            "h3",
            element("span", answer.letter, class_="os-letter"),
            " ",
            column_name(t, answer.column),
            class_="os-title",
        ),
    ]
    if parameters := column_parameters(t, answer.column):
        lines.append(element("p", parameters, class_="os-matched"))
    pair = next((p for p in side.pairs if (p.a, p.b) == (i - 1, i)), None)
    if pair is not None:
        told = t("compare.pair.to", column=answers[i - 1].letter)
        words = likeness_words(t, pair.likeness)
        ends = sorted((len(answers[i - 1].shown), len(answer.shown)))
        if ends[0] and ends[0] < ends[1]:
            words += " " + t("compare.pair.lengths", shorter=ends[0], longer=ends[1])
        lines.append(element("p", element("b", told), " ", words, class_="os-matched"))
    if (worth := side.judged[i]) is not None:
        values = " · ".join(f"{measure} {decimal(value, t.language, 2)}" for measure, value in worth.values)
        lines.append(element("p", values, class_="os-worth"))
    actions = [inner_link(_as_search(page, answer), t("compare.open"))]
    if i:
        swapped = (*columns[: i - 1], columns[i], columns[i - 1], *columns[i + 1 :])
        address = compare_address(view, columns=swapped, pair=(0, 1))
        actions.append(
            inner_link(
                address,
                "←",
                aria_label=t("compare.left", column=answer.letter),
                title=t("compare.left", column=answer.letter),
            )
        )
    if len(columns) > LEAST:
        address = compare_address(view, columns=(*columns[:i], *columns[i + 1 :]), pair=(0, 1))
        actions.append(
            inner_link(address, t("compare.remove"), aria_label=t("compare.remove.label", column=answer.letter))
        )
    lines.append(element("nav", *actions, class_="os-actions", aria_label=t("compare.column", column=answer.letter)))
    return element("header", *lines, class_="os-lane-head", style=_place(at, 1))


def _as_search(page: Page, answer: ColumnAnswer) -> str:
    column = answer.column
    view = replace(page.view, pipeline=column.pipeline, parameters=column.parameters, graph=str(page.snapshot.key))
    return search_address(replace(view, model=column.model) if column.model else view)


def _tile(
    page: Page,
    detail: HitDetail,
    mark: Mark,
    best: float,
    words: Sequence[Markup],
    badge: Markup | None,
    place: str,
) -> Markup:
    t, hit = page.t, detail.hit
    colour = colour_of(mark)
    title = inner_link(node_address(page.view, hit.node_id), *clamped(detail.title))
    style = f"{place};--c:{colour}" if colour else place
    return element(
        "article",
        element(
            "div",
            element("b", str(hit.rank), class_="os-rank"),
            mark_badge(mark),
            badge,
            element("span", term_name("type", detail.node.type, t.language), class_="os-type-word"),
            class_="os-tile-top",
        ),
        element("h4", title, mark_of(t, detail.node), class_="os-tile-title"),
        _score(page, detail, best),
        element("div", *words, class_="os-moves") if words else None,
        class_="os-tile" if colour else "os-tile os-alone",
        style=style,
        aria_label=f"{hit.rank}. {detail.title}",
    )


def _score(page: Page, detail: HitDetail, best: float) -> Markup:
    t, hit, language = page.t, detail.hit, page.language
    whole = best if best > 0 else 1.0
    widths = [max(0.0, min(1.0, part / whole)) * 100 for part in (hit.own, hit.around)]
    bar = element(
        "span",
        element("i", class_="os-own", style=f"width:{widths[0]:.1f}%"),
        element("i", class_="os-around", style=f"width:{widths[1]:.1f}%"),
        class_="os-bar",
        aria_hidden="true",
    )
    parts = t("card.own", value=decimal(hit.own, language))
    if hit.around:
        parts += " · " + t("card.around", value=decimal(hit.around, language))
    return element(
        "div",
        element("b", decimal(hit.score, language)),
        bar,
        element("span", parts, class_="os-parts-line"),
        class_="os-tile-score",
    )


def _move(page: Page, move: Move, before: ColumnAnswer) -> Markup:
    t = page.t
    steps = abs(move.steps)
    there = move.old if move.old is not None else before.rank_of(move.node_id)
    rank = str(there) if there is not None else "—"
    text = f"{_GLYPHS[move.kind]}{f' {steps}' if steps else ''}"
    if move.kind == NEW:
        text += f" {t('compare.move.new')}"
        said = t(
            "compare.move.new.said" if there is not None else "compare.move.new.nowhere",
            column=before.letter,
            rank=rank,
        )
    else:
        said = t(f"compare.move.{move.kind}.said", column=before.letter, rank=rank, steps=steps)
    beside = element("span", f"({before.letter}: {rank})", class_="os-there")
    return element("span", text, " ", beside, class_=f"os-move os-{move.kind}", title=said, role="img", aria_label=said)


def _gone(page: Page, node_id: str, after: ColumnAnswer) -> Markup:
    t, there = page.t, after.rank_of(node_id)
    rank = str(there) if there is not None else "—"
    said = t(
        "compare.move.missing.said" if there is not None else "compare.move.missing.nowhere",
        column=after.letter,
        rank=rank,
    )
    text = f"{_GLYPHS[MISSING]} {t('compare.move.missing')}"
    beside = element("span", f"({after.letter}: {rank})", class_="os-there")
    return element("span", text, " ", beside, class_="os-move os-missing", title=said, role="img", aria_label=said)


def _lines(way: Sequence[Move], known: Mapping[str, Mark], rows: int) -> list[Markup]:
    """Return a line for every node that both columns show, a sign for what comes or goes."""
    share = 100 / rows
    drawn = []
    for move in way:
        colour = colour_of(known[move.node_id]) or "currentColor"
        old, new = move.old, move.new
        if old is not None and new is not None:
            top, height = (min(old, new) - 0.5) * share, abs(old - new) * share
            style = f"--c:{colour};top:{top:.3f}%;height:{height:.3f}%"
            drawn.append(element("i", class_=f"os-way os-{move.kind}", style=style))
        else:
            rank = old if old is not None else new
            assert rank is not None
            style = f"--c:{colour};top:{(rank - 0.5) * share:.3f}%"
            drawn.append(element("i", _GLYPHS[move.kind], class_=f"os-end os-{move.kind}", style=style))
    return drawn


def _foot(page: Page, answer: ColumnAnswer, worth: Judged | None, known: Mapping[str, Mark], place: str) -> Markup:
    """Return what relevant nodes a column does not show."""
    t = page.t
    if worth is None:
        return element("footer", class_="os-lane-foot", style=place)
    if not worth.missed:
        return element("footer", element("p", t("compare.missed.none")), class_="os-lane-foot", style=place)
    rows = [
        element(
            "li",
            grade_badge(t, missed.grade, judged=True),
            " ",
            mark_badge(known.get(missed.node_id)),
            " ",
            inner_link(compare_address(page.view, node=missed.node_id) + "#os-where", page.title_of(missed.node_id)),
            " ",
            element(
                "span",
                t("compare.missed.rank", rank=missed.rank) if missed.rank else t("compare.missed.nowhere"),
                class_="os-there",
            ),
        )
        for missed in worth.missed
    ]
    said = element("p", element("b", t.count("compare.missed", len(rows))))
    more = None
    if len(rows) > _MISSED_SHOWN:
        rest = element("summary", t.count("compare.missed.more", len(rows) - _MISSED_SHOWN))
        more = element("details", rest, element("ul", *rows[_MISSED_SHOWN:], class_="os-list"), class_="os-more")
    listed = element("ul", *rows[:_MISSED_SHOWN], class_="os-list")
    return element("footer", said, listed, more, class_="os-lane-foot", style=place)


def _not_ready(page: Page, answer: ColumnAnswer) -> Markup:
    t, ready = page.t, answer.readiness
    if answer.error is not None:
        return error_notice(t, answer.error)
    if ready.state == "model_unavailable":
        body = [element("p", t("compare.model_missing"))]
        if ready.command:
            body.append(element("p", ready.command, class_="os-tech", lang="en"))
        body.append(element("p", ready.reason, class_="os-tech", lang="en"))
        return notice(t("model_missing.title", model=answer.column.model or ""), *body, kind="warn")
    counts = t("prepare.counts", done=ready.encoded, total=ready.total) if ready.total else ""
    model = answer.column.model
    missing = (t("compare.unembedded", model=model), " ", counts) if model else (t("compare.unprepared"),)
    body = [element("p", *missing)]
    if ready.command:
        body.append(element("p", element("code", ready.command)))
    return notice(t("prepare.title"), *body)
