"""How columns, nodes and grades are written in a comparison."""

from __future__ import annotations

from oncosearch.retrieve import pipeline
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.numbers import decimal, integer
from oncosearch.ui.palette import SWATCHES
from oncosearch.ui.texts import Texts
from oncosearch.workspace.columns import Column
from oncosearch.workspace.moves import Mark

# A column with the letter that it has in this comparison.
Lane = tuple[str, Column]

_COLOURS = tuple(s.colour for s in SWATCHES.values())
_SIGNS = {"alpha": "α", "lambda": "λ", "hops": "h", "seeds": "S", "cap": "≤"}


def column_name(t: Texts, column: Column) -> str:
    """Return pipeline and model of a column."""
    name = pipeline(column.pipeline).name(t.language)
    return f"{name} · {column.model}" if column.model else name


def column_parameters(t: Texts, column: Column) -> str:
    """Return the parameters of a column with their signs; empty where its pipeline has none."""
    parts = []
    for name, value in column.used():
        if name == "cap":
            parts.append(t("compare.cap", count=integer(int(value), t.language)))
        else:
            shown = decimal(value, t.language, 2) if isinstance(value, float) else str(value)
            parts.append(f"{_SIGNS[name]} {shown}")
    return " · ".join(parts)


def colour_of(mark: Mark | None) -> str | None:
    """Return the colour of a node that stands in several columns, None for any other."""
    return None if mark is None or mark.colour is None else _COLOURS[mark.colour % len(_COLOURS)]


def mark_badge(mark: Mark | None) -> Markup | None:
    """Return the letters by which a node is known in every column, on its colour where it has one."""
    if mark is None:
        return None
    colour = colour_of(mark)
    style = f"--c:{colour}" if colour else None
    return element("span", mark.letters, class_="os-badge" if colour else "os-badge os-alone", style=style)


def grade_badge(t: Texts, grade: int | None, *, judged: bool) -> Markup | None:
    """Return a grade as a badge; for a judged question also that nobody judged the node."""
    if not judged:
        return None
    if grade is None:
        return element("span", t("compare.unjudged"), class_="os-grade os-unjudged", title=t("compare.unjudged.about"))
    text = str(grade).replace("-", "−")
    return element("span", t("compare.grade", grade=text), class_=f"os-grade os-grade-{max(grade, 0)}")


def likeness_number(t: Texts, value: float | None) -> str:
    """Return a likeness with two decimals, an em dash where it is undefined."""
    return decimal(value, t.language, 2)
