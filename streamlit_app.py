"""Entry point: `streamlit run streamlit_app.py`. Navigation over the pages, nothing else."""

import streamlit as st

from oncosearch.ui.page import interface_language
from oncosearch.ui.texts import texts

t = texts(interface_language())
asked = st.query_params.get("q", "")[:60]
st.set_page_config(
    page_title=f"{asked} · {t('brand.title')}" if asked else t("brand.title"),
    page_icon="🔎",
    layout="wide",
    initial_sidebar_state="auto",
    # With an entry of its own the menu is there, and with it the choice between light and dark.
    menu_items={"About": f"oncosearch. {t('aid.line')}"},
)
st.navigation(
    [
        st.Page("pages/search.py", title=t("nav.search"), url_path="search", default=True),
        st.Page("pages/browse.py", title=t("nav.browse"), url_path="browse"),
        st.Page("pages/node.py", title=t("nav.node"), url_path="node"),
        st.Page("pages/compare.py", title=t("nav.compare"), url_path="compare"),
        st.Page("pages/annotate.py", title=t("nav.annotate"), url_path="annotate"),
        st.Page("pages/evaluate.py", title=t("nav.evaluate"), url_path="evaluate"),
        st.Page("pages/quality.py", title=t("nav.quality"), url_path="quality"),
        st.Page("pages/about.py", title=t("nav.about"), url_path="about"),
    ],
    position="hidden",
).run()
