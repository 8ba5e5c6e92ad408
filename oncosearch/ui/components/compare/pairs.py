"""How alike every two columns are, as a table above them."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.evaluate.likeness import Likeness
from oncosearch.ui.components.compare.names import Lane, column_name, likeness_number
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.texts import Texts

Shown = tuple[int, int, Likeness]
# With more columns the table is folded: six columns have fifteen pairs.
_LANES_OPEN = 3
# So many pairs of lists of different length are named.
_NAMED = 3


def likeness_words(t: Texts, found: Likeness) -> str:
    """Return overlap, RBO and tau of a pair in one line."""
    return t(
        "compare.pair.line",
        k=found.k,
        overlap=likeness_number(t, found.overlap),
        rbo=likeness_number(t, found.rbo),
        tau=likeness_number(t, found.tau),
    )


def pair_table(
    t: Texts, lanes: Sequence[Lane], pairs: Sequence[Shown], about: str, lengths: Sequence[int] | None = None
) -> Markup | None:
    """Return the table of all pairs with what its numbers mean; None without one.

    ``about`` says what was compared; ``lengths``, for a single question, how many hits of each column. Many pairs are
    folded, so that the columns stay in sight.
    """
    if not pairs:
        return None
    k = pairs[0][2].k
    names = ("overlap", "rbo", "tau", "common", *(("hits",) if lengths is not None else ()))
    rows = [
        element(
            "tr",
            element("th", _pair_name(t, lanes[a], lanes[b]), scope="row"),
            *(
                element("td", element("span", t(f"compare.pair.{name}", k=k), class_="os-cell-name"), value)
                for name, value in zip(
                    names, _values(t, found, None if lengths is None else (lengths[a], lengths[b])), strict=True
                )
            ),
        )
        for a, b, found in pairs
    ]
    table = element(
        "table",
        element("caption", t("compare.pair.caption", about=about), class_="os-hidden"),
        element(
            "thead",
            element("tr", *(element("th", t(f"compare.pair.{name}", k=k), scope="col") for name in ("pair", *names))),
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
    scrolled = element("div", table, class_="os-scroll", tabindex=0, role="region", aria_label=t("compare.pair.title"))
    if len(lanes) > _LANES_OPEN:
        scrolled = element("details", element("summary", _in_short(t, pairs)), scrolled, class_="os-more")
    return element(
        "section",
        element("h2", t("compare.pair.title"), class_="os-h2"),
        element("p", about, class_="os-matched"),
        scrolled,
        _uneven(t, lanes, pairs, lengths),
        help_,
        class_="os-section",
    )


def _values(t: Texts, found: Likeness, lengths: tuple[int, int] | None) -> list[str]:
    values = [likeness_number(t, value) for value in (found.overlap, found.rbo, found.tau)]
    values.append(str(found.common))
    return values if lengths is None else [*values, "{} · {}".format(*lengths)]


def _in_short(t: Texts, pairs: Sequence[Shown]) -> str:
    overlaps = [found.overlap for _, _, found in pairs if found.overlap is not None]
    low, high = (min(overlaps), max(overlaps)) if overlaps else (None, None)
    ends = {"low": likeness_number(t, low), "high": likeness_number(t, high)}
    return t("compare.pair.fold", pairs=len(pairs), k=pairs[0][2].k, **ends)


def _uneven(t: Texts, lanes: Sequence[Lane], pairs: Sequence[Shown], lengths: Sequence[int] | None) -> Markup | None:
    """Return why overlap and RBO fall apart where two lists differ in length."""
    if lengths is None:
        return None
    # A pair with an empty list has nothing that could be taken to go on.
    apart = [(a, b) for a, b, _ in pairs if lengths[a] != lengths[b] and lengths[a] and lengths[b]]
    if not apart:
        return None
    names = ", ".join(f"{lanes[a][0]} – {lanes[b][0]} ({lengths[a]} · {lengths[b]})" for a, b in apart[:_NAMED])
    if len(apart) > _NAMED:
        names += f", … (+{len(apart) - _NAMED})"
    return element("p", t("compare.pair.uneven", pairs=names), class_="os-matched")


def _pair_name(t: Texts, a: Lane, b: Lane) -> Markup:
    return element("span", f"{a[0]} – {b[0]}", title=f"{column_name(t, a[1])} ↔ {column_name(t, b[1])}")
