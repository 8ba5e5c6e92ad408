"""Tables of a topic set: differences topic by topic, sorted in the address; and every number as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from oncosearch.evaluate import Evaluation
from oncosearch.model.spreadsheet import csv_bytes, safe_cell
from oncosearch.ui.compare_state import SORTS
from oncosearch.ui.components.compare.names import Lane, column_name, column_parameters, likeness_number
from oncosearch.ui.components.compare.plots import BARS
from oncosearch.ui.markup import Markup, element, inner_link
from oncosearch.ui.numbers import decimal
from oncosearch.ui.state import View, compare_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.comparing import ColumnAnswer, Pair
from oncosearch.workspace.topic_values import CURVE, TopicRow

_VALUES: dict[str, Callable[[TopicRow], float | str | None]] = {
    "topic": lambda row: row.topic_id,
    "query": lambda row: row.query.casefold(),
    "a": lambda row: row.a,
    "b": lambda row: row.b,
    "difference": lambda row: row.difference,
    "overlap": lambda row: row.likeness.overlap if row.likeness else None,
    "rbo": lambda row: row.likeness.rbo if row.likeness else None,
    "tau": lambda row: row.likeness.tau if row.likeness else None,
}
assert tuple(_VALUES) == SORTS, "every column of the table can be sorted by"


def sorted_rows(rows: Sequence[TopicRow], sort: str) -> list[TopicRow]:
    """Return the rows by a column, ascending or, with a hyphen before it, descending; those without a value last.

    Without a ``sort`` the topics come first in which both columns differ most: by the size of the difference, and
    where nothing is judged by the lowest rank-biased overlap. Equal rows keep the order of the topic set.
    """
    name, down = sort.lstrip("-"), sort.startswith("-")
    if not name:
        judged = any(row.difference is not None for row in rows)
        key = (lambda row: None if row.difference is None else abs(row.difference)) if judged else _VALUES["rbo"]
        down = judged
    else:
        key = _VALUES[name]
    valued = [row for row in rows if key(row) is not None]
    rest = [row for row in rows if key(row) is None]
    return sorted(valued, key=key, reverse=down) + rest  # type: ignore[arg-type]


def topic_table(t: Texts, view: View, rows: Sequence[TopicRow], pair: tuple[str, str], measure: str) -> Markup:
    """Return the table of differences; a heading sorts by it, a topic opens."""
    judged = any(row.difference is not None for row in rows)
    names = [name for name in SORTS if judged or name not in ("a", "b", "difference")]
    heads = [
        element("th", _sort_link(t, view, name, pair, measure), scope="col", aria_sort=_aria(view, name))
        for name in names
    ]
    body = []
    for row in sorted_rows(rows, view.compare.sort):
        address = compare_address(view, query=row.query, node=None)
        cells = [
            element("td", element("span", row.topic_id, class_="os-code")),
            element("td", inner_link(address, row.query), class_="os-query-cell"),
        ]
        for name in names[2:]:
            label = element("span", _head(t, name, pair, measure), class_="os-cell-name")
            cells.append(element("td", label, _cell(t, name, row), class_="os-count"))
        body.append(element("tr", *cells))
    table = element(
        "table", element("thead", element("tr", *heads)), element("tbody", *body), class_="os-numbers os-topics"
    )
    return element("div", table, class_="os-scroll", tabindex=0, role="region", aria_label=t("compare.table.title"))


def _cell(t: Texts, name: str, row: TopicRow) -> Markup | str:
    value = _VALUES[name](row)
    if not isinstance(value, float):
        return "—"
    if name != "difference":
        return decimal(value, t.language) if name in ("a", "b") else likeness_number(t, value)
    sign = "▲ +" if value > 0 else "▼ " if value < 0 else "= "
    return element("b", f"{sign}{decimal(value, t.language)}")


def _head(t: Texts, name: str, pair: tuple[str, str], measure: str) -> str:
    return t(f"compare.table.{name}", a=pair[0], b=pair[1], measure=measure)


def _sort_link(t: Texts, view: View, name: str, pair: tuple[str, str], measure: str) -> Markup:
    sort = view.compare.sort
    turned = f"-{name}" if sort == name or (sort != f"-{name}" and name in ("a", "b", "difference")) else name
    arrow = {name: " ↑", f"-{name}": " ↓"}.get(sort, "")
    address = compare_address(view, sort=turned) + "#os-topics"
    return inner_link(
        address,
        f"{_head(t, name, pair, measure)}{arrow}",
        aria_label=t("compare.table.sort", name=_head(t, name, pair, measure)),
    )


def _aria(view: View, name: str) -> str | None:
    return {name: "ascending", f"-{name}": "descending"}.get(view.compare.sort)


def number(value: float | None, language: str) -> str:
    """Return a number of a CSV with six decimals; nothing where there is none."""
    if value is None:
        return ""
    text = f"{value:.6f}"
    return text.replace(".", ",") if language == "de" else text


def topics_csv(t: Texts, rows: Sequence[TopicRow], pair: tuple[str, str], measure: str) -> bytes:
    """Return the table of differences, also the numbers of the scatter, as CSV."""
    header = [_head(t, name, pair, measure) for name in SORTS]
    out = []
    for row in rows:
        numbers = [
            number(value if isinstance(value := _VALUES[n](row), float) else None, t.language) for n in SORTS[2:]
        ]
        out.append([safe_cell(row.topic_id), safe_cell(row.query), *numbers])
    return csv_bytes(header, out, t.language)


def bars_csv(t: Texts, lanes: Sequence[Lane], evaluation: Evaluation) -> bytes:
    """Return the means with their intervals as CSV."""
    return _estimates(t, lanes, evaluation, BARS)


def curve_csv(t: Texts, lanes: Sequence[Lane], evaluation: Evaluation) -> bytes:
    """Return nDCG at every cutoff with its interval as CSV."""
    return _estimates(t, lanes, evaluation, tuple(map(str, CURVE)))


def _estimates(t: Texts, lanes: Sequence[Lane], evaluation: Evaluation, measures: Sequence[str]) -> bytes:
    header = [t(f"compare.csv.{name}") for name in ("column", "search", "measure", "mean", "lower", "upper", "topics")]
    rows = []
    for letter, column in lanes:
        for measure in measures:
            found = evaluation.estimate(letter, measure)
            ends = [number(value, t.language) for value in (found.mean, found.lower, found.upper)]
            rows.append([letter, safe_cell(str(column)), measure, *ends, str(len(evaluation.topics))])
    return csv_bytes(header, rows, t.language)


def answers_csv(t: Texts, answers: Sequence[ColumnAnswer], grades: dict[str, int] | None) -> bytes:
    """Return the hits of every column as CSV: a row a hit."""
    names = ("column", "search", "rank", "id", "title", "score", "own", "around", "grade", "query")
    rows = []
    for answer in answers:
        for detail in answer.answer.details if answer.answer is not None else ():
            hit = detail.hit
            grade = None if grades is None else grades.get(hit.node_id)
            parts = [number(value, t.language) for value in (hit.score, hit.own, hit.around)]
            texts = [safe_cell(str(answer.column)), str(hit.rank), safe_cell(hit.node_id), safe_cell(detail.title)]
            graded = "" if grade is None else str(grade)
            query = answer.answer.ranking.query if answer.answer is not None else ""
            rows.append([answer.letter, *texts, *parts, graded, safe_cell(query)])
    return csv_bytes([t(f"compare.csv.{name}") for name in names], rows, t.language)


def pairs_csv(t: Texts, lanes: Sequence[Lane], pairs: Sequence[Pair]) -> bytes:
    """Return the likeness of every pair as CSV."""
    names = ("pair", "searches", "k", "common", "overlap", "rbo", "tau")
    rows = []
    for pair in pairs:
        found = pair.likeness
        values = [number(value, t.language) for value in (found.overlap, found.rbo, found.tau)]
        (first, a), (second, b) = lanes[pair.a], lanes[pair.b]
        both = safe_cell(f"{a} / {b}")
        rows.append([f"{first}-{second}", both, str(found.k), str(found.common), *values])
    return csv_bytes([t(f"compare.csv.{name}") for name in names], rows, t.language)


def column_lines(t: Texts, lanes: Sequence[Lane]) -> Markup:
    """Return which letter is which column, with parameters."""
    rows = []
    for letter, column in lanes:
        told = column_parameters(t, column)
        more = element("span", f" · {told}", class_="os-there") if told else None
        rows.append(element("li", element("b", letter, class_="os-letter"), " ", column_name(t, column), more))
    return element("ul", *rows, class_="os-list")
