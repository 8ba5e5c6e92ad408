"""Graph quality: what is odd in the graph, where it is, and which nodes may be one and the same."""

import streamlit as st

from oncosearch.ui.components.quality_lists import overview
from oncosearch.ui.components.quality_view import near_of, open_list, plots, report_of, take_along
from oncosearch.ui.markup import element
from oncosearch.ui.numbers import integer
from oncosearch.ui.page import Page, begin_page, end_page, reveal, show


def whole_report(page: Page) -> None:
    """Show the checks, the open list and the plots."""
    t, view = page.t, page.view
    report = report_of(page)
    if report is None:
        return
    near = near_of(page, report)
    _, decided = page.workspace.curation.state(page.snapshot.graph_id)
    show(overview(t, view, report, near.total if near else None, len(decided.by_pair)))
    take_along(page, report, near, decided)
    open_list(page, report, near, decided)
    st.header(t("quality.shape"), anchor=False)
    plots(page, report)
    if view.check is not None:
        reveal()


page = begin_page("quality")
st.title(page.t("quality.heading"), anchor=False)
with page.guarded():
    size = integer(page.snapshot.node_count, page.language)
    show(element("p", page.t("quality.lead", snapshot=str(page.snapshot.key), nodes=size), class_="os-lead"))
    whole_report(page)
end_page(page)
