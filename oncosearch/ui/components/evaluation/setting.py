"""What an evaluation page works with: judgements, what carries over to the snapshot, runs, measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import OncosearchError
from oncosearch.ui import resources
from oncosearch.ui.components.states import error_notice
from oncosearch.workspace.columns import Column
from oncosearch.workspace.evaluating import (
    SHIPPED,
    STORED,
    Carried,
    Judged,
    carried,
    column_tag,
    judged,
    judged_at_hand,
    shipped_runs,
    stored_runs,
)
from oncosearch.workspace.materials import DEMO, demo_topics
from oncosearch.workspace.requests import DEFAULT_MODEL

if TYPE_CHECKING:
    from oncosearch.ui.page import Page

_STORED_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Setting:
    """``given`` are the judgements as they are chosen, ``used`` those that are measured with.

    ``tokens`` are the chosen runs as they stand in an address, ``at_hand`` all that can be chosen, by name.
    """

    given: Judged | None
    used: Judged | None
    carried: Carried
    tokens: tuple[str, ...]
    at_hand: dict[str, str]
    qrels: tuple[tuple[str, str, str], ...]


def setting_of(page: Page) -> Setting:
    """Return what the address names; what is not there any more is said on the page and left out."""
    evaluated = page.view.evaluate
    qrels = tuple(judged_at_hand(page.workspace, page.snapshot))
    name = evaluated.qrels or (qrels[0][0] if qrels else None)
    given = None
    if name is not None:
        try:
            given = judged(page.workspace, page.snapshot, name)
        except OncosearchError as error:
            st.html(error_notice(page.t, error))
    stands = carried(page.workspace, given, page.snapshot) if given is not None else Carried("unknown")
    used = stands.judged if evaluated.carry and stands.judged is not None else given
    at_hand = runs_at_hand(page)
    tokens = evaluated.runs or suggested(page, given)
    for token in tokens:
        at_hand.setdefault(token, run_name(page, token))
    return Setting(given, used, stands, tokens, at_hand, qrels)


def runs_at_hand(page: Page) -> dict[str, str]:
    """Return every run that can be chosen, with its name: shipped, stored, and searches made now."""
    tokens = list(shipped_runs(page.snapshot))
    for token in stored_runs(page.workspace)[:_STORED_SHOWN]:
        graph = resources.stored_run_head(page.workspace, token.removeprefix(STORED))[1]
        if graph in ("", page.snapshot.graph_id):
            tokens.append(token)
    tokens += map(str, columns_at_hand(page))
    return {token: run_name(page, token) for token in tokens}


def usable_models(page: Page) -> tuple[str, ...]:
    """Return the models that can be searched with here."""
    from oncosearch.embed import MODELS, availability

    return tuple(m.key for m in MODELS if availability(m.key, page.settings).usable)


def columns_at_hand(page: Page) -> list[Column]:
    """Return every pipeline with every model that is here, with the usual parameters."""
    from oncosearch.retrieve import PIPELINES

    models = usable_models(page) or (DEFAULT_MODEL,)
    every = [Column.of(p.key, model) for model in models for p in PIPELINES]
    return list(dict.fromkeys(every))


def column_of(token: str) -> Column | None:
    """Return the search that a token stands for, None where it is a run made before."""
    from oncosearch.embed import MODEL_KEYS

    return None if token.startswith((SHIPPED, STORED)) else Column.parse(token, MODEL_KEYS)


def run_name(page: Page, token: str) -> str:
    """Return what a run is called in the choice, with where it comes from."""
    t, column = page.t, column_of(token)
    if column is not None:
        return t("evaluate.run.now", name=column_tag(column))
    if token.startswith(SHIPPED):
        return t("evaluate.run.shipped", name=token.removeprefix(SHIPPED))
    try:
        tag, _, created = resources.stored_run_head(page.workspace, token.removeprefix(STORED))
    except OncosearchError:
        return token
    return t("evaluate.run.stored", name=f"{tag} · {created[:10]}" if created else tag)


def suggested(page: Page, given: Judged | None) -> tuple[str, ...]:
    """Return runs for judgements of the demo topics where none are chosen: the shipped ones of one model."""
    topics = demo_topics(page.snapshot)
    if given is None or topics is None or not {t.id for t in topics.topics} & set(given.qrels.grades):
        return ()
    if given.origin != DEMO and given.origin != "file":
        return ()
    there = shipped_runs(page.snapshot)
    return tuple(token for token in there if token.endswith((f"-{DEFAULT_MODEL}", f"{SHIPPED}lexical")))
