"""Tables, notes, reports of files and coefficients in the words of the screen."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.evaluate import Cell, Column, Note, Table, cell_text
from oncosearch.evaluate.exchange import ReadReport, Remark
from oncosearch.review.agreement import Coefficient
from oncosearch.ui.markup import Markup, clamped, element, shortened
from oncosearch.ui.numbers import decimal, integer
from oncosearch.ui.texts import Texts

_ROWS_SHOWN = 30
_NAME_LIMIT = 48
# Tables with more columns have each interval under its value.
_ROOMY = 7
_REMARKS_SHOWN = 100
# As many lines that were not taken are shown without a click.
_OPEN = 8


def caption(t: Texts, table: Table) -> str:
    """Return what a table is called."""
    name = t(f"evaluate.caption.{table.key}")
    return name if table.number is None else t("evaluate.table.paper", name=name, number=table.number)


def heading(t: Texts, column: Column) -> str:
    """Return the heading of a column."""
    key = f"evaluate.column.{column.key}"
    return t(key) if t.has(key) else column.key


def note(t: Texts, said: Note) -> str:
    """Return a note as one sentence."""
    values = {
        name: integer(value, t.language)
        if isinstance(value, int)
        else _short(value, t.language)
        if isinstance(value, float)
        else value
        for name, value in said.values.items()
    }
    return t(f"evaluate.note.{said.code}", **values)


def notes(t: Texts, table: Table) -> list[str]:
    """Return n and rules; what is true of several runs alike is said once."""
    grouped: dict[tuple[str, str], tuple[Note, list[str]]] = {}
    for said in table.notes:
        rest = {name: value for name, value in said.values.items() if name != "run"}
        runs = grouped.setdefault((said.code, repr(rest)), (said, []))[1]
        if "run" in said.values:
            runs.append(str(said.values["run"]))
    return [
        note(t, Note(said.code, {**said.values, "run": ", ".join(runs)}) if runs else said)
        for said, runs in grouped.values()
    ]


def _short(value: float, language: str) -> str:
    text = f"{value:g}"
    return text.replace(".", ",") if language == "de" else text


def cell(t: Texts, value: Cell, column: Column) -> str:
    """Return a cell with three decimals and its interval; a dash where there is no value."""
    if column.kind == "verdict":
        return t(f"evaluate.verdict.{value}")
    return cell_text(value, column, t.language) or "—"


def table_view(t: Texts, table: Table) -> Markup:
    """Return a table with n and rules under it; rows beyond the first thirty are folded."""
    first, rest = table.rows[:_ROWS_SHOWN], table.rows[_ROWS_SHOWN:]
    parts = [_table(t, table, first)]
    if rest:
        told = t.count("evaluate.table.rest", len(rest))
        parts.append(element("details", element("summary", told), _table(t, table, rest), class_="os-more"))
    rules = element("p", *(f"{line} " for line in notes(t, table)), class_="os-matched os-rules")
    title = element("h2", caption(t, table), class_="os-h2", id=f"os-table-{table.key}")
    return element("section", title, *parts, rules, class_="os-section")


def _table(t: Texts, table: Table, rows: Sequence[tuple[Cell, ...]]) -> Markup:
    heads = [element("th", heading(t, column), scope="col") for column in table.columns]
    body = []
    for row in rows:
        cells: list[Markup] = []
        for value, column in zip(row, table.columns, strict=True):
            shown = cell(t, value, column)
            name = element("span", heading(t, column), class_="os-cell-name")
            if column.kind == "name":
                kept = element("span", *clamped(shown, _NAME_LIMIT), class_="os-name")
                lone = sum(c.kind == "name" for c in table.columns) == 1
                cells.append(
                    element("td", name, kept) if cells else element("th", None if lone else name, kept, scope="row")
                )
            elif column.kind == "verdict":
                cells.append(element("td", name, element("b" if value == "yes" else "span", shown)))
            else:
                cells.append(element("td", name, _spaced(shown), class_="os-figure"))
        body.append(element("tr", *cells))
    return scrolled(
        element(
            "table",
            element("caption", caption(t, table), class_="os-hidden"),
            element("thead", element("tr", *heads)),
            element("tbody", *body),
            class_="os-numbers os-dense" if len(table.columns) > _ROOMY else "os-numbers",
        ),
        caption(t, table),
    )


def scrolled(table: Markup, name: str) -> Markup:
    """Return a table that scrolls sideways where it is wider than the page."""
    return element("div", table, class_="os-scroll", tabindex=0, role="region", aria_label=name)


def _spaced(text: str) -> Markup:
    """Return a value with its interval quieter behind it."""
    value, bracket, interval = text.partition(" [")
    if not bracket:
        return element("span", text)
    return element("span", element("span", value), " ", element("span", f"[{interval}", class_="os-interval"))


def coefficient(t: Texts, found: Coefficient) -> str:
    """Return a coefficient with three decimals, or that it is undefined."""
    return t("agree.undefined") if found.value is None else decimal(found.value, t.language)


def why_undefined(t: Texts, found: Coefficient) -> str:
    """Return why a coefficient has no value; empty where it has one."""
    return t(f"agree.why.{found.undefined}") if found.undefined else ""


def report_view(t: Texts, report: ReadReport) -> Markup:
    """Return what became of a file, every line that was not taken with the reason."""
    parts = [element("p", t.count("read.taken", report.taken, name=report.path))]
    for name, remarks in (("skipped", report.skipped), ("notes", report.notes)):
        if not remarks:
            continue
        rows = [element("li", remark_text(t, remark)) for remark in remarks[:_REMARKS_SHOWN]]
        if len(remarks) > _REMARKS_SHOWN:
            rows.append(element("li", t.count("read.more", len(remarks) - _REMARKS_SHOWN)))
        told = element("summary", t.count(f"read.{name}", len(remarks)))
        few = name == "skipped" and len(remarks) <= _OPEN
        parts.append(element("details", told, element("ul", *rows, class_="os-list"), class_="os-more", open=few))
    return element("div", *parts)


def remark_text(t: Texts, remark: Remark) -> str:
    """Return place, reason and text of one remark."""
    values = {
        name: _place(t, str(value)) if name == "before" else shortened(str(value), 80)
        for name, value in remark.values.items()
    }
    place = _place(t, f"{remark.where} {remark.number}") if remark.number else t("read.whole")
    said = f"{place}: {t(f'read.{remark.code}', **values)}"
    return f"{said}: {remark.text}" if remark.text else said


def _place(t: Texts, text: str) -> str:
    return text.replace("line ", f"{t('read.line')} ").replace("entry ", f"{t('read.entry')} ")
