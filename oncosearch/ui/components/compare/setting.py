"""What is compared: columns, topic set and judgements that the address names, with words where one is missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from oncosearch.model import NotFoundError, OncosearchError
from oncosearch.ui.compare_state import NO_JUDGEMENTS
from oncosearch.ui.components.states import error_notice
from oncosearch.workspace.columns import Column
from oncosearch.workspace.materials import DEMO, Judgements, demo_topics, judgements, judgements_at_hand, topic_set
from oncosearch.workspace.topic_runs import TopicSet

if TYPE_CHECKING:
    from oncosearch.ui.page import Page


@dataclass(frozen=True, slots=True)
class Setting:
    """Columns, topic set and judgements; ``at_hand`` are the judgements that can be chosen: (id, name, origin)."""

    columns: tuple[Column, ...]
    topics: TopicSet | None
    demo_topics: TopicSet | None
    judgements: Judgements | None
    at_hand: tuple[tuple[str, str, str], ...]

    def topic_of(self, query: str) -> str | None:
        """Return the id of the topic that asks ``query``, in the topic set, else in the judgements' own topics."""
        for known in (self.topics, self.demo_topics):
            found = known.with_query(query) if known is not None else None
            if found is not None:
                return found.id
        return self.judgements.topic_of(query) if self.judgements is not None else None

    def grades_of(self, query: str) -> tuple[Mapping[str, int], frozenset[str]] | None:
        """Return the grades of a question and the nodes that are duplicates there; None where it is not judged."""
        topic = self.topic_of(query)
        if self.judgements is None or topic is None or topic not in self.judgements.qrels.grades:
            return None
        return self.judgements.qrels.grades[topic], frozenset(self.judgements.duplicates.get(topic, ()))


def setting_of(page: Page) -> Setting:
    """Return what the address names; what is not there any more is said on the page and left out."""
    compare = page.view.compare
    own = demo_topics(page.snapshot)
    at_hand = tuple(judgements_at_hand(page.workspace, page.snapshot))
    topics = None
    if compare.topics is not None:
        try:
            topics = topic_set(page.workspace, page.snapshot, compare.topics, page.language)
        except OncosearchError as error:
            st.html(error_notice(page.t, error))
    name = compare.judged
    if name is None and any(found[0] == DEMO for found in at_hand):
        suits = topics.name == DEMO if topics is not None else own is not None and own.with_query(page.view.query)
        name = DEMO if suits else None
    if name is None and topics is not None and any(found[0] == compare.topics for found in at_hand):
        # The topics of published judgements are measured by these.
        name = compare.topics
    graded = None
    if name not in (None, NO_JUDGEMENTS):
        try:
            graded = judgements(page.workspace, page.snapshot, str(name))
        except NotFoundError as error:
            st.html(error_notice(page.t, error))
    return Setting(compare.shown(), topics, own, graded, at_hand)
