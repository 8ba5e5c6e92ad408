"""The result card: what was found, for what, on which evidence, where it hangs, and why it is here."""

from __future__ import annotations

from collections.abc import Callable

from oncosearch.model.vocabulary import term_name
from oncosearch.ui.components.breadcrumbs import paths
from oncosearch.ui.components.sources import highest_chip, source_list
from oncosearch.ui.components.title_mark import mark_of
from oncosearch.ui.markup import Markup, clamped, element, inner_link, join
from oncosearch.ui.numbers import decimal, percent
from oncosearch.ui.palette import type_chip
from oncosearch.ui.state import View, node_address, tree_address
from oncosearch.ui.texts import Texts
from oncosearch.workspace.requests import HitDetail

NEIGHBOURS_SHOWN = 5


def no_common_word(t: Texts, detail: HitDetail) -> str | None:
    """Return the words for a hit that shares none with the question; None where it does, or is named by it."""
    if detail.hit.pinned or any(share > 0 for share in detail.contributions.values()):
        return None
    return t("card.similar" if detail.hit.similarity is not None else "card.around_only")


def hit_card(t: Texts, view: View, detail: HitDetail, best: float, title_of: Callable[[str], str]) -> Markup:
    """Return the card of one hit.

    Parameters
    ----------
    best
        The highest score of the ranking: a full bar.
    title_of
        Gives the title of a node id, for seed, neighbours and folded nodes.
    """
    hit = detail.hit
    address = node_address(view, hit.node_id)
    body = element(
        "div",
        element("h3", inner_link(address, *clamped(detail.title)), mark_of(t, detail.node), class_="os-title"),
        _tags(t, detail),
        paths(t, detail.paths, detail.paths_cut, view),
        _snippet(t, detail),
        _matched(t, detail),
        source_list(t, detail.sources, short=True),
        _folded(t, view, detail, title_of),
        element(
            "div",
            element(
                "nav",
                inner_link(f"{address}#os-neighbourhood", t("card.neighbourhood")),
                inner_link(tree_address(view, hit.node_id), t("browse.show")),
                inner_link(address, t("card.copy"), data_done=t("card.copied")),
                aria_label=detail.title,
            ),
            _why(t, view, detail, title_of),
            class_="os-foot",
        ),
        class_="os-body",
    )
    return element(
        "article",
        element("div", str(hit.rank), class_="os-rank", aria_label=t("card.rank", rank=hit.rank)),
        body,
        _score(t, detail, best),
        class_="os-card os-similar" if no_common_word(t, detail) else "os-card",
        data_rank=hit.rank,
        aria_label=f"{hit.rank}. {detail.title}",
    )


def _tags(t: Texts, detail: HitDetail) -> Markup:
    pinned = None
    if detail.hit.pinned:
        pinned = element("span", t(f"card.pinned.{detail.hit.pinned}"), class_="os-pinned")
    apart = no_common_word(t, detail)
    return element(
        "div",
        type_chip(detail.node.type, t.language),
        element("span", f"≈ {apart}", class_="os-apart", title=t("card.no_overlap")) if apart else None,
        highest_chip(t, detail.evidence_level),
        pinned,
        class_="os-tags",
    )


def _score(t: Texts, detail: HitDetail, best: float) -> Markup:
    hit, language = detail.hit, t.language
    whole = best if best > 0 else 1.0
    widths = [max(0.0, min(1.0, part / whole)) * 100 for part in (hit.own, hit.around)]
    own, around = decimal(hit.own, language), decimal(hit.around, language)
    bar = element(
        "div",
        element("i", class_="os-own", style=f"width:{widths[0]:.1f}%"),
        element("i", class_="os-around", style=f"width:{widths[1]:.1f}%"),
        class_="os-bar",
        aria_hidden="true",
    )
    return element(
        "div",
        element("b", decimal(hit.score, language)),
        bar,
        element("div", element("i", class_="os-mark os-own"), t("card.own", value=own), class_="os-parts"),
        element("div", element("i", class_="os-mark os-around"), t("card.around", value=around), class_="os-parts")
        if hit.around
        else None,
        class_="os-score",
    )


def _snippet(t: Texts, detail: HitDetail) -> Markup | None:
    if not detail.snippet:
        return None
    return element(
        "p", *(element("mark", text) if marked else text for text, marked in detail.snippet), class_="os-snippet"
    )


def _matched(t: Texts, detail: HitDetail) -> Markup | None:
    shares = sorted(((share, key) for key, share in detail.contributions.items() if share > 0), reverse=True)
    if not shares:
        return None
    fields = " · ".join(f"{term_name('field', key, t.language)} {percent(share, t.language)}" for share, key in shares)
    synonyms = list(
        dict.fromkeys(
            t("card.synonym", synonym=m.synonym, scope=term_name("scope", m.scope or "exact", t.language))
            for m in detail.matched
            if m.synonym
        )
    )
    return element("p", t("card.matched", fields=fields), *(f" · {text}" for text in synonyms[:2]), class_="os-matched")


def _folded(t: Texts, view: View, detail: HitDetail, title_of: Callable[[str], str]) -> Markup | None:
    if not detail.hit.folded:
        return None
    links = join((inner_link(node_address(view, i), title_of(i)) for i in detail.hit.folded), ", ")
    return element("p", t.count("card.folded", len(detail.hit.folded)), " ", links, class_="os-matched")


def _why(t: Texts, view: View, detail: HitDetail, title_of: Callable[[str], str]) -> Markup:
    hit, language = detail.hit, t.language
    lines: list[Markup] = []
    if hit.pinned:
        lines.append(element("p", t(f"why.pinned.{hit.pinned}")))
    if hit.seed_id is not None:
        seed = inner_link(node_address(view, hit.seed_id), title_of(hit.seed_id))
        if hit.seed_id == hit.node_id:
            lines.append(element("p", t("why.own_seed")))
        else:
            lines.append(element("p", t.count("why.seed", hit.hop or 0), " ", seed))
    if hit.similarity is not None:
        lines.append(element("p", t("why.similarity", value=decimal(hit.similarity, language))))
    if hit.subgraph_similarity is not None:
        lines.append(element("p", t("why.subgraph", value=decimal(hit.subgraph_similarity, language))))
    lines.append(element("p", t("why.parts", own=decimal(hit.own, language), around=decimal(hit.around, language))))
    if hit.neighbours:
        links = [
            join((inner_link(node_address(view, i), title_of(i)), f" ({decimal(value, language, 2)})"))
            for i, value in hit.neighbours[:NEIGHBOURS_SHOWN]
        ]
        lines.append(element("p", t("why.neighbours"), " ", join(links, ", ")))
    if hit.cut:
        lines.append(element("p", t.count("why.cut", hit.cut)))
    return element(
        "details", element("summary", t("card.why")), element("div", *lines, class_="os-why"), class_="os-more"
    )
