"""Search: one question, the hits, and why each of them is here."""

import streamlit as st

from oncosearch.ui.asking import answer_of
from oncosearch.ui.components.filters import cleared, filter_panel
from oncosearch.ui.components.first_screen import examples, searched_line
from oncosearch.ui.components.heat_panel import heat_panel
from oncosearch.ui.components.hit_card import hit_card
from oncosearch.ui.components.search_form import search_form
from oncosearch.ui.components.states import no_hit_notice, notes_line, notice, warnings_above
from oncosearch.ui.components.take_along import print_view, take_along
from oncosearch.ui.markup import element
from oncosearch.ui.page import Page, begin_page, end_page, focus_field, show
from oncosearch.ui.state import search_address
from oncosearch.workspace.requests import Answer


def first_screen(page: Page) -> None:
    """Show what can be asked, and of what."""
    st.title(page.t("search.heading"), anchor=False)
    search_form(page)
    if st.session_state.pop("asked_nothing", False):
        show(notice(page.t("error.empty_query.title"), page.t("error.empty_query.advice")))
    if (shown := examples(page)) is not None:
        show(shown)
    show(searched_line(page))
    focus_field()


def hits(page: Page, answer: Answer) -> None:
    """Show filters, heatmap and the cards."""
    t, view = page.t, page.view
    show(searched_line(page, answer))
    if (warned := warnings_above(t, answer)) is not None:
        show(warned)
    panel = filter_panel(t, view, answer.ranking, page.title_of)
    if panel is not None:
        show(panel)
    if not answer.details:
        without = search_address(cleared(view)) if view.filters else None
        show(no_hit_notice(t, answer.ranking, without))
        return
    heat_panel(page, answer)
    if (notes := notes_line(t, answer.ranking)) is not None:
        show(notes)
    best = max(detail.hit.score for detail in answer.details)
    for detail in answer.details:
        show(hit_card(t, view, detail, best, page.title_of))
    take_along(page, answer)


page = begin_page("search")
with page.guarded():
    if not page.view.query:
        first_screen(page)
    elif page.view.printed:
        if (answer := answer_of(page)) is not None:
            print_view(page, answer)
    else:
        show(element("h1", page.t("search.results_heading", query=page.view.query), class_="os-hidden"))
        search_form(page)
        if st.session_state.pop("asked_nothing", False):
            show(notice(page.t("error.empty_query.title"), page.t("error.empty_query.advice")))
        if (answer := answer_of(page)) is not None:
            hits(page, answer)
end_page(page, said=not page.view.query)
