"""How alike every two columns are, as a table above them."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.evaluate.likeness import Likeness
from oncosearch.ui.components.compare.names import Lane, column_name, likeness_number
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.texts import Texts

Shown = tuple[int, int, Likeness]


def likeness_words(t: Texts, found: Likeness) -> str:
    """Return overlap, RBO and tau of a pair in one line."""
    return t(
        "compare.pair.line",
        k=found.k,
        overlap=likeness_number(t, found.overlap),
        rbo=likeness_number(t, found.rbo),
        tau=likeness_number(t, found.tau),
    )


def pair_table(t: Texts, lanes: Sequence[Lane], pairs: Sequence[Shown], about: str) -> Markup | None:
    """Return the table of all pairs with what its numbers mean; None without one. ``about`` says what was compared."""
    if not pairs:
        return None
    heads = ("pair", "overlap", "rbo", "tau", "common")
    k = pairs[0][2].k
    rows = [
        element(
            "tr",
            element("th", _pair_name(t, lanes[a], lanes[b]), scope="row"),
            *(
                element("td", element("span", t(f"compare.pair.{name}", k=k), class_="os-cell-name"), value)
                for name, value in (
                    ("overlap", likeness_number(t, found.overlap)),
                    ("rbo", likeness_number(t, found.rbo)),
                    ("tau", likeness_number(t, found.tau)),
                    ("common", str(found.common)),
                )
            ),
        )
        for a, b, found in pairs
    ]
    table = element(
        "table",
        element("caption", t("compare.pair.caption", about=about), class_="os-hidden"),
        element(
            "thead", element("tr", *(element("th", t(f"compare.pair.{name}", k=k), scope="col") for name in heads))
        ),
        element("tbody", *rows),
        class_="os-numbers os-pairs",
    )
    help_ = element(
        "details",
        element("summary", t("compare.pair.help")),
        element(
            "div", *(element("p", t(f"compare.pair.{n}.about")) for n in ("overlap", "rbo", "tau")), class_="os-why"
        ),
        class_="os-more",
    )
    return element(
        "section",
        element("h2", t("compare.pair.title"), class_="os-h2"),
        element("p", about, class_="os-matched"),
        element("div", table, class_="os-scroll", tabindex=0, role="region", aria_label=t("compare.pair.title")),
        help_,
        class_="os-section",
    )


def _pair_name(t: Texts, a: Lane, b: Lane) -> Markup:
    return element("span", f"{a[0]} – {b[0]}", title=f"{column_name(t, a[1])} ↔ {column_name(t, b[1])}")
