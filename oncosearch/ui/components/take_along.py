"""What can be taken along from a search: link, CSV, JSON and the print view."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.ui.components.filters import filters_in_words
from oncosearch.ui.downloads import answer_csv, file_name
from oncosearch.ui.markup import element, inner_link
from oncosearch.ui.print_view import print_page
from oncosearch.ui.state import address_of, search_address

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.requests import Answer


def take_along(page: Page, answer: Answer) -> None:
    """Draw the downloads; each file is made when it is asked for."""
    from oncosearch.workspace import answer_to_dict

    t, query = page.t, answer.ranking.query
    printed = dataclasses.replace(page.view, printed=True, node=None)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="take_along"):
        st.html(
            element(
                "div",
                inner_link(address_of(printed), t("take.print"), data_key="print"),
                inner_link(search_address(page.view), t("take.link"), data_done=t("card.copied")),
                class_="os-actions",
            ),
            width="content",
        )
        st.download_button(
            t("take.csv"),
            lambda: answer_csv(t, answer, page.title_of),
            file_name=file_name(query, "csv"),
            mime="text/csv",
            key="take_csv",
            on_click="ignore",
            type="tertiary",
        )
        st.download_button(
            t("take.json"),
            lambda: json.dumps(answer_to_dict(answer), ensure_ascii=False, indent=2),
            file_name=file_name(query, "json"),
            mime="application/json",
            key="take_json",
            on_click="ignore",
            type="tertiary",
        )


def print_view(page: Page, answer: Answer) -> None:
    """Draw the print view with a way back and the same page as a file."""
    t = page.t
    page_text = print_page(t, answer, page.snapshot, filters_in_words(t, page.view, page.title_of))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(inner_link(search_address(page.view), f"← {t('print.back')}", data_key="back"), width="content")
        st.download_button(
            t("print.download"),
            page_text,
            file_name=file_name(answer.ranking.query, "html"),
            mime="text/html",
            key="print_download",
            on_click="ignore",
        )
    st.iframe(page_text, height="content", alt=t("print.kicker"))
