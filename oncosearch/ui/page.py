"""What every page begins and ends with: look, language, navigation, what is searched, and what it is not."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError, Snapshot
from oncosearch.settings import Settings
from oncosearch.ui import resources
from oncosearch.ui.components.states import empty_store_notice, error_notice, notice, unexpected_notice
from oncosearch.ui.components.title_mark import shown_title
from oncosearch.ui.link_words import refused_notice
from oncosearch.ui.markup import Markup, element, inner_link, join, shortened
from oncosearch.ui.state import (
    INTERFACE_LANGUAGES,
    QUERY_LIMIT,
    Allowed,
    View,
    address_of,
    annotate_address,
    compare_address,
    evaluate_address,
    quality_address,
    read_view,
    search_address,
    tree_address,
)
from oncosearch.ui.texts import Texts, texts

if TYPE_CHECKING:
    from oncosearch.graph import Graph
    from oncosearch.workspace import Workspace

_log = logging.getLogger(__name__)
PAGES = (
    ("search", "/"),
    ("browse", "/browse"),
    ("node", "/node"),
    ("compare", "/compare"),
    ("annotate", "/annotate"),
    ("evaluate", "/evaluate"),
    ("quality", "/quality"),
    ("about", "/about"),
)


@dataclass(frozen=True, slots=True)
class Page:
    """What a page works with: texts, the opened workspace, the view in the address and its snapshot.

    ``too_long`` is the question of the address where it is longer than a question may be; the view has none then.
    """

    name: str
    t: Texts
    settings: Settings
    workspace: Workspace
    view: View
    snapshot: Snapshot
    snapshots: tuple[Snapshot, ...]
    dark: bool
    too_long: str = ""

    @property
    def language(self) -> str:
        """Return the interface language."""
        return self.t.language

    def graph(self) -> Graph:
        """Return the graph that is searched."""
        return self.workspace.graph(self.snapshot.key)

    def title_of(self, node_id: str) -> str:
        """Return the title of a node in the interface language; its id where the graph has no such node."""
        graph = self.graph()
        found = graph.ids.find(node_id)
        return node_id if found is None else shown_title(graph, found, self.language)

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Show an error as words instead of letting it through; one that nobody foresaw goes to the log as well."""
        try:
            yield
        except OncosearchError as error:
            show(error_notice(self.t, error))
        except Exception as error:
            _log.exception("The page %s could not be drawn", self.name)
            show(unexpected_notice(self.t, error))


def show(markup: Markup) -> None:
    """Put markup that was built by :mod:`oncosearch.ui.markup` on the page."""
    st.html(markup)


def interface_language() -> str:
    """Return the language of the address, else the one used last in this session, else the browser's, else German."""
    named = st.query_params.get("lang")
    if named not in INTERFACE_LANGUAGES:
        named = st.session_state.get("language") or (st.context.locale or "").partition("-")[0]
    if named not in INTERFACE_LANGUAGES:
        named = "de"
    st.session_state["language"] = named
    return str(named)


def begin_page(name: str) -> Page:
    """Return the page's context after drawing what all pages share; stops the page where nothing can be shown."""
    t = texts(interface_language())
    _look()
    try:
        settings = Settings.from_environment()
        from oncosearch.workspace.serving import serving_snapshot

        opened = resources.workspace(settings)
        snapshots = tuple(opened.snapshots())
    except OncosearchError as error:
        show(error_notice(t, error))
        st.stop()
    if not snapshots:
        _sidebar(t, name, View(language=t.language), None)
        show(empty_store_notice(t))
        st.stop()
    view, refused = read_view(_address(), _allowed(snapshots), t.language)
    shown = serving_snapshot(opened)
    snapshot = next((s for s in snapshots if str(s.key) == view.graph), shown)
    query = st.query_params.get("q", "")
    too_long = query if len(query) > QUERY_LIMIT else ""
    page = Page(name, t, settings, opened, view, snapshot, snapshots, st.context.theme.type == "dark", too_long)
    _sidebar(t, name, view, snapshot)
    _say_what_was_refused(page, refused)
    later = [s for s in snapshots if s.graph_id == snapshot.graph_id and s.created > snapshot.created]
    if later:
        fresh = dataclasses.replace(view, graph=str(later[-1].key))
        show(
            notice(
                t("snapshot.stale", old=snapshot.snapshot_id, new=later[-1].snapshot_id),
                inner_link(address_of(fresh, dict(PAGES)[name]), t("snapshot.open_newer")),
            )
        )
    return page


def _say_what_was_refused(page: Page, refused: tuple[str, ...]) -> None:
    t = page.t
    if "graph" in refused:
        asked = shortened(st.query_params["graph"], 80)
        shown = f"{page.snapshot.title or page.snapshot.graph_id} · {page.snapshot.snapshot_id}"
        show(notice(t("address.graph.title", asked=asked), t("address.graph.advice", shown=shown), kind="warn"))
    told = refused_notice(t, _address(), _allowed(page.snapshots), refused, page.name)
    if told is not None:
        show(told)


def end_page(page: Page, *, said: bool = False) -> None:
    """Draw the closing lines: research aid (unless already ``said``), demonstration content, whether it is recorded."""
    t = page.t
    lines = [] if said else [t("aid.line")]
    if page.snapshot.demo:
        lines.append(t("aid.demo"))
    lines.append(t("aid.recorded" if page.settings.audit else "aid.not_recorded"))
    st.space("small")
    show(element("footer", join(lines, " "), class_="os-aid"))


def _look() -> None:
    st.html(f"<style>{resources.asset('oncosearch.css')}</style>")
    st.html(f"<script>{resources.asset('page.js')}</script>", unsafe_allow_javascript=True)


def style(name: str) -> None:
    """Add a page's own style sheet."""
    st.html(f"<style>{resources.asset(name)}</style>")


def focus_field() -> None:
    """Put the cursor into the page's main field once it is there."""
    st.html("<script>window.oncosearch && window.oncosearch.focus()</script>", unsafe_allow_javascript=True)


def reveal() -> None:
    """Scroll to the part of the page that the address names after its ``#``."""
    st.html("<script>window.oncosearch && window.oncosearch.reveal()</script>", unsafe_allow_javascript=True)


def _address() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _allowed(snapshots: tuple[Snapshot, ...]) -> Allowed:
    from oncosearch.embed import MODELS
    from oncosearch.retrieve import PIPELINES

    return Allowed(tuple(m.key for m in MODELS), tuple(p.key for p in PIPELINES), tuple(str(s.key) for s in snapshots))


def _sidebar(t: Texts, name: str, view: View, snapshot: Snapshot | None) -> None:
    links = []
    for page, path in PAGES:
        address = _nav_address(view, page, path)
        current = "page" if page == name else None
        links.append(inner_link(address, t(f"nav.{page}"), aria_current=current))
    here = dict(PAGES)[name]
    switch = [
        inner_link(
            address_of(dataclasses.replace(view, language=language), here),
            t(f"language.{language}"),
            lang=language,
            aria_current="true" if language == view.language else None,
        )
        for language in INTERFACE_LANGUAGES
    ]
    # On a phone the sidebar is closed: the other language stands beside its button.
    other = next(language for language in INTERFACE_LANGUAGES if language != view.language)
    address = address_of(dataclasses.replace(view, language=other), here)
    show(inner_link(address, t(f"language.{other}"), lang=other, class_="os-other-language"))
    with st.sidebar:
        show(
            join(
                (
                    element("div", "oncosearch", element("small", t("brand.line")), class_="os-brand"),
                    element("nav", *links, class_="os-nav", aria_label=t("nav.label")),
                )
            )
        )
        show(element("nav", *switch, class_="os-switch", aria_label=t("language.label")))
        _keys(t)
        if snapshot is not None:
            show(element("div", *_side_lines(t, snapshot), class_="os-side"))


def _nav_address(view: View, page: str, path: str) -> str:
    if page == "search":
        return search_address(view)
    if page == "quality":
        return quality_address(view)
    if page == "annotate":
        return annotate_address(view)
    if page == "evaluate":
        return evaluate_address(view)
    if page == "compare":
        # Back to the columns that were compared, with the question that is asked now.
        kept = {} if view.compare.columns else st.session_state.get("compare_place", {})
        return compare_address(view, node=None, **kept)
    if page == "browse" and view.node is None:
        # Back to where the tree was left, unless that was another graph.
        graph, node, via, start = st.session_state.get("tree_place", (view.graph, None, (), 0))
        return tree_address(view, node, via, start) if graph == view.graph else tree_address(view, None)
    if page == "browse":
        return tree_address(view, view.node, view.via)
    return address_of(dataclasses.replace(view, check=None, via=(), start=0), path)


def remember_tree(page: Page) -> None:
    """Keep the place in the tree for the way back to it."""
    view = page.view
    st.session_state["tree_place"] = (view.graph, view.node, view.via, view.start)


def remember_comparison(page: Page) -> None:
    """Keep what is compared for the way back to it."""
    compare = page.view.compare
    st.session_state["compare_place"] = {
        "columns": compare.columns,
        "topics": compare.topics,
        "judged": compare.judged,
        "pair": compare.pair,
    }


def _side_lines(t: Texts, snapshot: Snapshot) -> list[Markup]:
    size = f"{snapshot.snapshot_id} · {t.count('count.nodes', snapshot.node_count)}"
    shown = [element("p", snapshot.title or snapshot.graph_id), element("p", size)]
    if snapshot.demo:
        shown.append(element("p", t("aid.demo")))
    return shown


def _keys(t: Texts) -> None:
    rows = [
        piece
        for key in ("/", "1 … 9", "b", "f", "p", "↑ ↓ ← →", "Esc", "?")
        for piece in (element("kbd", key), element("span", t(f"keys.{_KEY_NAMES[key]}")))
    ]
    with st.popover(t("keys.button"), key="keys_help", type="tertiary", width="content"):
        show(element("div", element("div", t("keys.title"), class_="os-h2"), element("div", *rows, class_="os-keys")))


_KEY_NAMES = {
    "/": "focus",
    "1 … 9": "open",
    "b": "back",
    "f": "filters",
    "p": "print",
    "↑ ↓ ← →": "tree",
    "Esc": "leave",
    "?": "help",
}
