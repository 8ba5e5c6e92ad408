"""Ranking: GRAG scoring, fusion, smoothing, and the named pipelines composed of them."""

from oncosearch.retrieve.candidates import Candidates, Question, Resources
from oncosearch.retrieve.facets import allowed_nodes, facet_counts, group_members
from oncosearch.retrieve.pipelines import PIPELINE_KEYS, PIPELINES, Pipeline, pipeline
from oncosearch.retrieve.search import Catalogue, search

__all__ = [
    "PIPELINES",
    "PIPELINE_KEYS",
    "Candidates",
    "Catalogue",
    "Pipeline",
    "Question",
    "Resources",
    "allowed_nodes",
    "facet_counts",
    "group_members",
    "pipeline",
    "search",
]
