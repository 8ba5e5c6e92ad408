"""Nodes as texts: serialisation, the clinical tokeniser and the rule by which query words count."""

from oncosearch.text.compounds import CompoundSplitter
from oncosearch.text.fields import lexical_fields
from oncosearch.text.overlap import QueryWord, counted, query_words
from oncosearch.text.serialise import (
    FORMAT_ID,
    PATH_FIELD,
    field_text,
    passage_header,
    serialise,
    stored_text,
    strip_field,
)
from oncosearch.text.tokenise import (
    TOKENISER_ID,
    Token,
    analyse,
    is_only_stop_words,
    tokenise,
    tokeniser_version,
    words,
)

__all__ = [
    "FORMAT_ID",
    "PATH_FIELD",
    "TOKENISER_ID",
    "CompoundSplitter",
    "QueryWord",
    "Token",
    "analyse",
    "counted",
    "field_text",
    "is_only_stop_words",
    "lexical_fields",
    "passage_header",
    "query_words",
    "serialise",
    "stored_text",
    "strip_field",
    "tokenise",
    "tokeniser_version",
    "words",
]
