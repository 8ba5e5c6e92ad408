"""Distributions of a graph as bars, in the colours of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from oncosearch.graph.quality import Structure
from oncosearch.ui.numbers import integer
from oncosearch.ui.texts import Texts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Bars = Sequence[tuple[str, int]]
HEIGHT = 220
# From this many bars on their numbers would not fit above them; they stand in the hover text.
_LABELLED = 16


def depth_bars(shape: Structure) -> Bars:
    """Return (steps from a root, nodes)."""
    return [(str(depth), int(count)) for depth, count in enumerate(shape.depths)]


def degree_bars(shape: Structure) -> Bars:
    """Return (number of neighbours or range of it, nodes)."""
    return [(str(low) if low == high else f"{low}–{high}", count) for low, high, count in shape.degrees]


def year_bars(years: Sequence[tuple[int, int]]) -> Bars:
    """Return (year, sources) for every year from the first to the last, also those without any."""
    if not years:
        return []
    counts = dict(years)
    return [(str(year), counts.get(year, 0)) for year in range(years[0][0], years[-1][0] + 1)]


def bar_chart(t: Texts, bars: Bars, across: str, up: str, dark: bool) -> Figure:
    """Return bars with their numbers; ``across`` and ``up`` name the axes."""
    from plotly.graph_objects import Bar, Figure

    ink, line, fill = ("#e3ebee", "#31424b", "#5cc3cf") if dark else ("#16262e", "#d5dfe4", "#0b6b7a")
    counts = [integer(count, t.language) for _, count in bars]
    few = len(bars) <= _LABELLED
    figure = Figure(
        Bar(
            x=[name for name, _ in bars],
            y=[count for _, count in bars],
            text=counts if few else None,
            customdata=counts,
            textposition="outside",
            textfont={"size": 11, "color": ink},
            cliponaxis=False,
            marker={"color": fill, "line": {"width": 0}},
            hovertemplate=f"{across}: %{{x}}<br>{up}: %{{customdata}}<extra></extra>",
        )
    )
    figure.update_layout(
        height=HEIGHT,
        margin={"l": 4, "r": 8, "t": 22, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": ink, "size": 12},
        dragmode=False,
        bargap=0.25,
        separators=",\u202f" if t.language == "de" else ".,",
    )
    figure.update_xaxes(
        type="category",
        title={"text": across, "font": {"size": 12, "color": ink}, "standoff": 8},
        tickfont={"color": ink, "size": 11},
        fixedrange=True,
        automargin=True,
        nticks=12,
        tickangle=None if few else -45,
        showgrid=False,
    )
    figure.update_yaxes(
        title={"text": up, "font": {"size": 12, "color": ink}},
        tickfont={"color": ink, "size": 11},
        tickformat=",d",
        gridcolor=line,
        fixedrange=True,
        automargin=True,
        rangemode="tozero",
        nticks=5,
    )
    return figure
