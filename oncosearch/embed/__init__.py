"""Embedding models as data, encoders, and the vector cache."""

from oncosearch.embed.availability import Availability, availability, require
from oncosearch.embed.encoders import Encoder, load_encoder
from oncosearch.embed.registry import MODEL_KEYS, MODELS, ModelFacts, model_facts
from oncosearch.embed.vectors import (
    EmbedReport,
    VectorSet,
    beyond_limit,
    count_encoded,
    embed_passages,
    embedded_already,
    looks_embedded,
    missing_texts,
    model_folder,
    open_vectors,
    unused_rows,
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
    "beyond_limit",
    "count_encoded",
    "embed_passages",
    "embedded_already",
    "load_encoder",
    "looks_embedded",
    "missing_texts",
    "model_facts",
    "model_folder",
    "open_vectors",
    "require",
    "unused_rows",
]
