"""The plots of a topic set: measures with intervals, nDCG over k, and one column against another, topic by topic.

A column is known in all of them by its letter, its colour and its pattern, dash or symbol: never by colour alone. The
figures have the page's own ground, so that a downloaded picture is readable wherever it is put.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oncosearch.evaluate import Evaluation
from oncosearch.ui.components.compare.names import column_name
from oncosearch.ui.markup import shortened, unstacked
from oncosearch.ui.numbers import decimal
from oncosearch.ui.palette import PAGE_DARK, PAGE_LIGHT
from oncosearch.ui.texts import Texts
from oncosearch.workspace.columns import Column
from oncosearch.workspace.topic_values import CURVE, TopicRow

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

HEIGHT = 380
# At least 3 : 1 on either page; far apart in lightness, since hue alone does not reach every reader.
_LIGHT = ("#0b6b7a", "#a85f00", "#5b3fa8", "#b3263e", "#3c6b1f", "#5a6872")
_DARK = ("#5cc3cf", "#f0b05a", "#b9a3f2", "#f38a9c", "#9ccf6f", "#b7c4cb")
_PATTERNS = ("", "/", ".", "x", "-", "\\")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "x", "star")
# A letter with what it stands for: a column of a comparison, or a run by its name.
Named = tuple[str, Column | str]
BARS = ("nDCG@10", "P@5", "P@10", "recall@10", "MRR", "MAP")


@dataclass(frozen=True, slots=True)
class Dot:
    """Topics that have the same two values: one dot."""

    a: float
    b: float
    topics: tuple[TopicRow, ...]


def measure_bars(
    t: Texts, lanes: Sequence[Named], evaluation: Evaluation, dark: bool, measures: Sequence[str] = BARS
) -> Figure:
    """Return the mean of each measure by column, or by run, as bars with 95 % intervals."""
    from plotly.graph_objects import Bar

    figure = _figure(t, dark)
    ink = _ink(dark)
    for i, (letter, _) in enumerate(lanes):
        found = [evaluation.estimate(letter, name) for name in measures]
        above = [0.0 if e.upper is None else e.upper - e.mean for e in found]
        below = [0.0 if e.lower is None else e.mean - e.lower for e in found]
        figure.add_trace(
            Bar(
                x=list(measures),
                y=[e.mean for e in found],
                name=_legend(t, lanes[i]),
                text=[letter] * len(measures),
                textposition="inside",
                insidetextanchor="start",
                textangle=0,
                textfont={"size": 12, "color": _ground(dark)},
                marker={
                    "color": _colours(dark)[i],
                    "line": {"width": 1, "color": ink},
                    "pattern": {
                        "shape": _PATTERNS[i],
                        "fgcolor": _ground(dark),
                        "size": 6,
                        "solidity": 0.3,
                        "fillmode": "overlay",
                    },
                },
                error_y={
                    "type": "data",
                    "array": above,
                    "arrayminus": below,
                    "color": ink,
                    "thickness": 1.4,
                    "width": 4,
                },
                customdata=[_interval(t, e.mean, e.lower, e.upper) for e in found],
                hovertemplate=f"{letter} · %{{x}}: %{{customdata}}<extra></extra>",
            )
        )
    figure.update_layout(barmode="group", bargap=0.22, bargroupgap=0.08)
    figure.update_xaxes(type="category")
    figure.update_yaxes(range=[0, 1.02], title={"text": t("compare.plot.mean")})
    return figure


def gain_curve(t: Texts, lanes: Sequence[Named], evaluation: Evaluation, dark: bool) -> Figure:
    """Return nDCG@k over k as a line a column."""
    from plotly.graph_objects import Scatter

    figure = _figure(t, dark)
    ks = [measure.cutoff for measure in CURVE]
    for i, (letter, _) in enumerate(lanes):
        found = [evaluation.estimate(letter, measure) for measure in CURVE]
        figure.add_trace(
            Scatter(
                x=ks,
                y=[e.mean for e in found],
                name=_legend(t, lanes[i]),
                mode="lines+markers+text",
                # Not all at one end, where lines that lie close would cover each other's letters.
                text=[letter if at == len(ks) - 1 - 2 * i else "" for at in range(len(ks))],
                textposition="top center",
                textfont={"size": 13, "color": _colours(dark)[i]},
                cliponaxis=False,
                line={"color": _colours(dark)[i], "dash": _DASHES[i], "width": 2},
                marker={"symbol": _SYMBOLS[i], "size": 7},
                customdata=[_interval(t, e.mean, e.lower, e.upper) for e in found],
                hovertemplate=f"{letter} · nDCG@%{{x}}: %{{customdata}}<extra></extra>",
            )
        )
    figure.update_xaxes(title={"text": "k"}, tickvals=[1, 3, 5, 10, 15, 20], range=[0.5, 21])
    figure.update_yaxes(title={"text": "nDCG@k"}, range=[0, 1.02])
    return figure


def dots(rows: Sequence[TopicRow]) -> list[Dot]:
    """Return the dots of the scatter in a fixed order; topics without values have none."""
    grouped: dict[tuple[float, float], list[TopicRow]] = {}
    for row in rows:
        if row.a is not None and row.b is not None:
            grouped.setdefault((round(row.a, 9), round(row.b, 9)), []).append(row)
    return [Dot(a, b, tuple(found)) for (a, b), found in sorted(grouped.items())]


def scatter(t: Texts, pair: tuple[str, str], measure: str, shown: Sequence[Dot], dark: bool) -> Figure:
    """Return one column against another, a dot for every pair of values; above the diagonal the second is better."""
    from plotly.graph_objects import Scatter

    figure = _figure(t, dark)
    ink = _ink(dark)
    figure.add_trace(
        Scatter(
            x=[0, 1],
            y=[0, 1],
            mode="lines",
            line={"color": ink, "width": 1, "dash": "dot"},
            hoverinfo="skip",
            showlegend=False,
        )
    )
    sides = (
        (t("compare.plot.better", column=pair[1]), "triangle-up", 2, [d for d in shown if d.b > d.a]),
        (t("compare.plot.equal"), "circle", 0, [d for d in shown if d.b == d.a]),
        (t("compare.plot.better", column=pair[0]), "triangle-down", 1, [d for d in shown if d.b < d.a]),
    )
    for name, symbol, colour, part in sides:
        figure.add_trace(
            Scatter(
                x=[d.a for d in part],
                y=[d.b for d in part],
                name=name,
                mode="markers+text",
                text=[str(len(d.topics)) if len(d.topics) > 1 else "" for d in part],
                textposition="top center",
                textfont={"size": 11, "color": ink},
                cliponaxis=False,
                marker={
                    "symbol": symbol,
                    "size": [10 + 2 * min(len(d.topics), 8) for d in part],
                    "color": _colours(dark)[colour],
                    "opacity": 0.85,
                    "line": {"width": 1, "color": _ground(dark)},
                },
                customdata=[shown.index(d) for d in part],
                hovertext=["<br>".join(_dot_lines(t, d)) for d in part],
                hovertemplate="%{hovertext}<extra></extra>",
                selected={"marker": {"opacity": 1}},
                unselected={"marker": {"opacity": 0.85}},
            )
        )
    figure.update_xaxes(title={"text": f"{pair[0]} · {measure}"}, range=[-0.04, 1.06])
    figure.update_yaxes(title={"text": f"{pair[1]} · {measure}"}, range=[-0.04, 1.06])
    figure.update_layout(height=440, clickmode="event+select")
    return figure


def _dot_lines(t: Texts, dot: Dot) -> list[str]:
    lines = [f"{row.topic_id}: {_plain(shortened(row.query, 60))}" for row in dot.topics[:8]]
    if len(dot.topics) > 8:
        lines.append(f"… +{len(dot.topics) - 8}")
    return [f"{decimal(dot.a, t.language)} → {decimal(dot.b, t.language)}", *lines]


def picture_config(name: str, kind: str) -> dict[str, Any]:
    """Return a plot's configuration: one button, which saves it as PNG or SVG in the browser, without a network."""
    return {
        "displaylogo": False,
        "displayModeBar": True,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": kind, "filename": name, "scale": 2 if kind == "png" else 1},
        "responsive": True,
    }


def _figure(t: Texts, dark: bool) -> Figure:
    from plotly.graph_objects import Figure

    ink, line = _ink(dark), "#31424b" if dark else "#d5dfe4"
    figure = Figure()
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 8, "r": 20, "t": 36, "b": 8},
        paper_bgcolor=_ground(dark),
        plot_bgcolor=_ground(dark),
        font={"color": ink, "size": 13},
        dragmode=False,
        separators=",\u202f" if t.language == "de" else ".,",
        legend={"orientation": "h", "yanchor": "top", "y": -0.26, "x": 0, "font": {"size": 12, "color": ink}},
        modebar={"color": ink, "activecolor": ink, "bgcolor": "rgba(0,0,0,0)"},
    )
    axis = {
        "gridcolor": line,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        "tickfont": {"color": ink, "size": 12},
    }
    figure.update_xaxes(title={"font": {"size": 13}, "standoff": 6}, **axis)
    figure.update_yaxes(title={"font": {"size": 13}}, **axis)
    return figure


def _ink(dark: bool) -> str:
    return "#e3ebee" if dark else "#16262e"


def _ground(dark: bool) -> str:
    return PAGE_DARK if dark else PAGE_LIGHT


def _colours(dark: bool) -> tuple[str, ...]:
    return _DARK if dark else _LIGHT


def _legend(t: Texts, lane: Named) -> str:
    name = lane[1] if isinstance(lane[1], str) else column_name(t, lane[1])
    return f"{lane[0]} · {_plain(name)}"


def _interval(t: Texts, mean: float, lower: float | None, upper: float | None) -> str:
    shown = decimal(mean, t.language)
    if lower is None or upper is None:
        return shown
    return f"{shown} [{decimal(lower, t.language)}–{decimal(upper, t.language)}]"


def _plain(text: str) -> str:
    # plotly reads a few HTML tags in labels: a query must stay text.
    return unstacked(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
