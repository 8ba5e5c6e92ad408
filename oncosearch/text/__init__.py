"""Texts: serialisation of nodes, the clinical tokeniser, how query words count, sentences and blocks of long texts."""

from oncosearch.text.compounds import CompoundSplitter
from oncosearch.text.fields import lexical_fields
from oncosearch.text.overlap import QueryWord, counted, query_words
from oncosearch.text.segments import Block, blocks_needed, fixed_blocks, neighbour_similarities, segment
from oncosearch.text.sentences import Sentence, split_sentences
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
    "Block",
    "CompoundSplitter",
    "QueryWord",
    "Sentence",
    "Token",
    "analyse",
    "blocks_needed",
    "counted",
    "field_text",
    "fixed_blocks",
    "is_only_stop_words",
    "lexical_fields",
    "neighbour_similarities",
    "passage_header",
    "query_words",
    "segment",
    "serialise",
    "split_sentences",
    "stored_text",
    "strip_field",
    "tokenise",
    "tokeniser_version",
    "words",
]
