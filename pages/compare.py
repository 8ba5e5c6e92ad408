"""Compare: two to six ways to search side by side, for one question or a whole topic set."""

import streamlit as st

from oncosearch.ui.components.compare.form import column_links, columns_form, files_form, question_form
from oncosearch.ui.components.compare.one import one_query
from oncosearch.ui.components.compare.setting import Setting, setting_of
from oncosearch.ui.components.compare.topics import topics_view
from oncosearch.ui.components.filters import cleared, filters_in_words
from oncosearch.ui.components.first_screen import EXAMPLES
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.page import Page, begin_page, end_page, focus_field, remember_comparison, reveal, show, style
from oncosearch.ui.state import compare_address


def examples(page: Page, setting: Setting) -> None:
    """Show what can be compared where nothing is asked yet."""
    t, view = page.t, page.view
    links = []
    if setting.demo_topics is not None:
        queries = [t(f"example.{number}") for number in EXAMPLES]
        links = [inner_link(compare_address(view, query=query), query) for query in queries]
        links.append(inner_link(compare_address(view, topics="demo"), t("compare.example.set")))
    show(element("p", t("compare.begin"), class_="os-lead"))
    if links:
        show(element("div", *links, class_="os-examples"))


def conditions(page: Page, setting: Setting) -> None:
    """Show what both views have in common: the way back to the topic set, and filters that are set."""
    t, view = page.t, page.view
    links = []
    if setting.topics is not None and view.query:
        topic = setting.topic_of(view.query)
        name = t("compare.back", topic=topic) if topic else t("compare.back.other")
        links.append(inner_link(compare_address(view, query="", node=None), f"← {name}", data_key="back"))
    if view.filters and view.query:
        words = " · ".join(f"{facet}: {values}" for facet, values in filters_in_words(t, view, page.title_of))
        links.append(element("span", t("compare.filtered", filters=words)))
        links.append(inner_link(compare_address(cleared(view)), t("filters.clear")))
    if links:
        show(element("div", *links, class_="os-actions"))


page = begin_page("compare")
style("compare.css")
st.title(page.t("compare.heading"), anchor=False)
with page.guarded():
    remember_comparison(page)
    setting = setting_of(page)
    question_form(page, setting)
    column_links(page, setting)
    columns_form(page, setting)
    files_form(page)
    if st.session_state.pop("compare_same", False):
        show(element("p", page.t("compare.columns.same"), class_="os-matched"))
    conditions(page, setting)
    if page.view.query:
        one_query(page, setting)
        reveal()
    elif setting.topics is not None:
        topics_view(page, setting, setting.topics)
        reveal()
    else:
        examples(page, setting)
        focus_field()
end_page(page)
