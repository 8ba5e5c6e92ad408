"""Nodes as texts: serialisation, the clinical tokeniser and the rule by which query words count."""

from oncosearch.text.compounds import CompoundSplitter, vocabulary_words
from oncosearch.text.fields import lexical_fields
from oncosearch.text.overlap import QueryWord, counted, query_words
from oncosearch.text.serialise import FORMAT_ID, PATH_FIELD, field_text, serialise, stored_text, strip_field
from oncosearch.text.tokenise import TOKENISER_ID, Token, is_only_stop_words, tokenise, tokeniser_version

__all__ = [
    "FORMAT_ID",
    "PATH_FIELD",
    "TOKENISER_ID",
    "CompoundSplitter",
    "QueryWord",
    "Token",
    "counted",
    "field_text",
    "is_only_stop_words",
    "lexical_fields",
    "query_words",
    "serialise",
    "stored_text",
    "strip_field",
    "tokenise",
    "tokeniser_version",
    "vocabulary_words",
]
