"""Evaluate: runs measured by judgements, with intervals and tests, and how far raters agree."""

import streamlit as st

from oncosearch.ui.components.evaluation.agreement import agreement_view
from oncosearch.ui.components.evaluation.choose import choice, files, no_judgements, parts
from oncosearch.ui.components.evaluation.results import results
from oncosearch.ui.components.evaluation.setting import setting_of
from oncosearch.ui.components.evaluation.stale import judged_line, other_runs, stale
from oncosearch.ui.components.evaluation.work import measure, searched
from oncosearch.ui.components.states import notice
from oncosearch.ui.markup import element
from oncosearch.ui.page import Page, begin_page, end_page, reveal, show, style


def measures(page: Page) -> None:
    """Show what the chosen runs are worth by the chosen judgements."""
    t = page.t
    show(element("p", t("evaluate.lead"), class_="os-lead"))
    setting = setting_of(page)
    choice(page, setting)
    files(page)
    if setting.given is None or setting.used is None:
        no_judgements(page)
        return
    judged_line(page, setting.used)
    stale(page, setting)
    work = searched(page, setting)
    found = measure(page, setting, work)
    if found is not None:
        other_runs(page, found)
        results(page, found)
        reveal()
    elif not setting.tokens:
        show(notice(t("evaluate.no_runs.title"), element("p", t("evaluate.no_runs.advice"))))


page = begin_page("evaluate")
style("compare.css")
style("evaluate.css")
st.title(page.t("evaluate.heading"), anchor=False)
with page.guarded():
    parts(page)
    if page.view.evaluate.part == "agreement":
        agreement_view(page)
    else:
        measures(page)
end_page(page)
