"""What preparing a graph will take, said before it begins: how many texts, why each is new, and about how long."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError
from oncosearch.ui.components.states import error_notice
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.numbers import duration, integer
from oncosearch.ui.texts import Texts

if TYPE_CHECKING:
    from oncosearch.ui.page import Page
    from oncosearch.workspace.forecast import Forecast
    from oncosearch.workspace.requests import Progress, Readiness

# Up to here counting takes some tenths of a second; beyond it is done on demand.
NODES_AT_ONCE, TEXTS_AT_ONCE = 20_000, 2_000
_KEPT = "forecast"


def needs_vectors(page: Page) -> bool:
    """Return whether what is prepared for the view has vectors."""
    from oncosearch.retrieve import pipeline

    return pipeline(page.view.pipeline).needs_vectors


def outlook(page: Page, readiness: Readiness) -> Markup | None:
    """Return what will be read anew, as far as it is known or quickly counted."""
    if not needs_vectors(page):
        return element("p", page.t("prepare.forecast.without"))
    known = _known(page, readiness)
    if known is None and _is_quick(readiness):
        from oncosearch.workspace.forecast import forecast

        known = forecast(page.workspace, page.snapshot.key, page.view.model), None
        _keep(page, *known)
    return None if known is None else forecast_text(page.t, page.view.model, *known)


def estimate_button(page: Page, readiness: Readiness, progress: Callable[[], Progress]) -> None:
    """Draw the button that counts and estimates on demand; nothing where that is known.

    ``progress`` draws a bar and returns what moves it: texts that do not exist yet are made first.
    """
    known = _known(page, readiness)
    if not needs_vectors(page) or (known is not None and (known[1] is not None or not known[0].encoded)):
        return
    t = page.t
    if not st.button(t("prepare.estimate"), key="prepare_estimate", help=t("prepare.estimate.about")):
        return
    from oncosearch.workspace.forecast import estimate_seconds, forecast

    key, model = page.snapshot.key, page.view.model
    try:
        if readiness.state == "unprepared":
            page.workspace.prepare(key, None, progress())
        with st.spinner(t("prepare.estimating")):
            expected = forecast(page.workspace, key, model)
            _keep(page, expected, estimate_seconds(page.workspace, key, model, expected))
    except OncosearchError as error:
        st.html(error_notice(t, error))
        return
    st.rerun()


def forecast_text(t: Texts, model: str, expected: Forecast, seconds: float | None) -> Markup:
    """Return a forecast as sentences; ``seconds`` None: not estimated."""
    if not expected.encoded:
        return element("p", t("prepare.forecast.nothing", model=model))
    names = ("encoded", "total", "reused", "changed", "renamed", "added")
    numbers = {name: integer(getattr(expected, name), t.language) for name in names}
    said = [t("prepare.forecast", model=model, **numbers)]
    if expected.since is None:
        said.append(t("prepare.forecast.first"))
    else:
        said.append(t("prepare.forecast.why", since=str(expected.since), **numbers))
    time = None
    if seconds is not None:
        time = element("strong", t("prepare.forecast.time", time=duration(seconds, t.language)))
    return element("p", " ".join(said), " ", time)


def _is_quick(readiness: Readiness) -> bool:
    missing = readiness.total - readiness.encoded
    return readiness.state == "unembedded" and readiness.total <= NODES_AT_ONCE and missing <= TEXTS_AT_ONCE


def _signature(page: Page) -> tuple[str, str, str]:
    return str(page.snapshot.key), page.snapshot.content_hash, page.view.model


def _keep(page: Page, expected: Forecast, seconds: float | None) -> None:
    st.session_state[_KEPT] = _signature(page), expected, seconds


def _known(page: Page, readiness: Readiness) -> tuple[Forecast, float | None] | None:
    signature, expected, seconds = st.session_state.get(_KEPT, (None, None, None))
    # Since a preparation that was stopped there are more vectors than were counted.
    if signature != _signature(page) or readiness.state != "unembedded" or expected.reused != readiness.encoded:
        return None
    return expected, seconds
