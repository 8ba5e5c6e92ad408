"""About: what this is and is not, the graph, the models, the ways to search, the recorded searches."""

import streamlit as st

from oncosearch.ui.components.about_view import evidence_scale, models_table, pipelines_list, snapshot_facts, versions
from oncosearch.ui.components.records import records
from oncosearch.ui.markup import element
from oncosearch.ui.page import begin_page, end_page, show
from oncosearch.ui.resources import has_evidence_levels

page = begin_page("about")
t = page.t
st.title(t("about.heading"), anchor=False)
with page.guarded():
    show(element("p", t("about.is"), class_="os-lead"))
    show(element("p", t("about.is_not"), class_="os-notice os-warn"))
    st.header(t("about.graph"), anchor=False)
    show(snapshot_facts(t, page.snapshot))
    if has_evidence_levels(page.workspace, page.snapshot):
        st.header(t("about.levels"), anchor=False)
        show(evidence_scale(t, page.snapshot))
    st.header(t("about.pipelines"), anchor=False)
    show(pipelines_list(t))
    show(element("p", t("about.score"), class_="os-lead"))
    st.header(t("about.models"), anchor=False)
    show(models_table(t, page.settings))
    st.header(t("about.records"), anchor=False)
    records(page)
    st.header(t("about.versions"), anchor=False)
    show(versions(t))
end_page(page)
