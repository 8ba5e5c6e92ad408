"""Ancestor paths as rows of links, root first."""

from __future__ import annotations

from collections.abc import Sequence

from oncosearch.ui.components.title_mark import title_mark
from oncosearch.ui.markup import Markup, clamped, element, inner_link
from oncosearch.ui.state import View, node_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import PathStep

SHOWN_AT_ONCE = 2
STEP_LIMIT = 80


def path_row(t: Texts, path: Sequence[PathStep], view: View) -> Markup:
    """Return one path: each step a link to its node."""
    pieces: list[Markup] = []
    for step in path:
        if pieces:
            pieces.append(element("span", "›", class_="os-gt", aria_hidden="true"))
        pieces.append(inner_link(node_address(view, step.node_id), *clamped(step.title, STEP_LIMIT), class_="os-step"))
        mark = title_mark(t, step.language)
        pieces += [mark] if mark is not None else []
    return element("li", *pieces)


def paths(
    t: Texts, all_paths: Sequence[Sequence[PathStep]], cut: bool, view: View, shown: int = SHOWN_AT_ONCE
) -> Markup | None:
    """Return every path: the first ``shown`` at once, the others one click away; None for a root."""
    rows = [path_row(t, path, view) for path in all_paths if path]
    if not rows:
        return None
    note = element("li", t("paths.cut", count=len(rows))) if cut else None
    if len(rows) <= shown + 1:
        return element("ul", *rows, note, class_="os-paths", aria_label=t("paths.label"))
    more = element(
        "details",
        element("summary", t.count("paths.more", len(rows) - shown)),
        element("ul", *rows[shown:], note, class_="os-paths"),
        class_="os-more",
    )
    return element("div", element("ul", *rows[:shown], class_="os-paths", aria_label=t("paths.label")), more)
