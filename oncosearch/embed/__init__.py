"""Embedding models as data, encoders, and the vector cache."""

from oncosearch.embed.availability import Availability, availability
from oncosearch.embed.encoders import Encoder, load_encoder
from oncosearch.embed.registry import MODEL_KEYS, MODELS, ModelFacts, model_facts
from oncosearch.embed.vectors import (
    EmbedReport,
    VectorSet,
    count_encoded,
    embed_passages,
    embedded_already,
    open_vectors,
)

__all__ = [
    "MODELS",
    "MODEL_KEYS",
    "Availability",
    "EmbedReport",
    "Encoder",
    "ModelFacts",
    "VectorSet",
    "availability",
    "count_encoded",
    "embed_passages",
    "embedded_already",
    "load_encoder",
    "model_facts",
    "open_vectors",
]
