"""The heatmap above the hits: hits × fields, the share as a number in every cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oncosearch.model.vocabulary import FIELD_KEYS, term_name
from oncosearch.ui.markup import shortened, unstacked
from oncosearch.ui.palette import HEAT_DARK, HEAT_LIGHT
from oncosearch.ui.texts import Texts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

ROW_HEIGHT = 23
# The headings stand upright over their columns: the same at every width, and none leans over its neighbour.
HEAD_GAP = 14
LETTER_HEIGHT = 6.2
LABEL_LENGTH, LABEL_LENGTH_FEW = 24, 34
FEW_FIELDS = 4
FEW_HEADS = 6
LEAST_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One hit: rank, title and share by field; ``mark`` names the language of a title that is not the reader's."""

    rank: int
    title: str
    shares: Mapping[str, float]
    mark: str = ""

    def label(self, length: int | None = None) -> str:
        """Return the title, no longer than ``length``; its mark is never cut off."""
        if not self.mark:
            return shortened(self.title) if length is None else shortened(self.title, length)
        room = None if length is None else length - len(self.mark) - 3
        text = shortened(self.title) if room is None else shortened(self.title, room)
        return f"{text} [{self.mark}]"


def used_fields(rows: Sequence[HeatRow]) -> tuple[str, ...]:
    """Return the fields in vocabulary order in which any hit has a share."""
    return tuple(key for key in FIELD_KEYS if any(row.shares.get(key, 0) >= LEAST_SHARE for row in rows))


def heatmap(t: Texts, rows: Sequence[HeatRow], dark: bool) -> Figure | None:
    """Return the heatmap, None where no hit has a share in any field.

    The rows have a fixed height and the labels a fixed length, so that nothing is cropped on a phone.
    """
    from plotly.graph_objects import Figure, Heatmap

    fields = used_fields(rows)
    if not fields:
        return None
    ink, scale = ("#e3ebee", HEAT_DARK) if dark else ("#16262e", HEAT_LIGHT)
    length = LABEL_LENGTH_FEW if len(fields) <= FEW_FIELDS else LABEL_LENGTH
    shares = [[row.shares.get(key, 0.0) for key in fields] for row in rows]
    names = [term_name("field", key, t.language) for key in fields]
    # With few columns there is room for a heading of two lines, which is half as high.
    heads = [name.replace(", ", ",<br>") if len(fields) <= FEW_HEADS else name for name in names]
    head = HEAD_GAP + round(LETTER_HEIGHT * max(len(line) for name in heads for line in name.split("<br>")))
    figure = Figure(
        Heatmap(
            z=shares,
            x=list(range(len(fields))),
            y=list(range(len(rows))),
            text=[[f"{share * 100:.0f}" if share >= LEAST_SHARE else "·" for share in line] for line in shares],
            customdata=[[[_plain(row.label()), name] for name in names] for row in rows],
            texttemplate="%{text}",
            textfont={"size": 12, "color": ink},
            hovertemplate="%{customdata[0]}<br>%{customdata[1]}: %{text} %<extra></extra>",
            colorscale=[[i / (len(scale) - 1), colour] for i, colour in enumerate(scale)],
            zmin=0,
            zmax=1,
            showscale=False,
            xgap=2,
            ygap=2,
        )
    )
    figure.update_layout(
        height=head + ROW_HEIGHT * len(rows) + 8,
        margin={"l": 4, "r": 4, "t": head, "b": 4},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": ink, "size": 12},
        dragmode=False,
    )
    figure.update_xaxes(
        side="top",
        tickvals=list(range(len(fields))),
        ticktext=heads,
        tickangle=-90,
        ticklabeloverflow="allow",
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        tickfont={"color": ink, "size": 12},
        ticks="",
    )
    figure.update_yaxes(
        autorange="reversed",
        tickvals=list(range(len(rows))),
        ticktext=[f"{row.rank}  {_plain(row.label(length))}" for row in rows],
        showgrid=False,
        zeroline=False,
        fixedrange=True,
        automargin=True,
        ticks="",
        ticklabelstandoff=6,
        tickfont={"color": ink, "size": 12},
    )
    return figure


def _plain(text: str) -> str:
    # plotly reads a few HTML tags in labels: a title must stay text.
    return unstacked(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
