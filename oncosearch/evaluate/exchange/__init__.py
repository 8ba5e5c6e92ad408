"""Qrels and runs in other people's formats: every reader says which lines it did not take, and why."""

from oncosearch.evaluate.exchange.beir import read_beir, write_beir
from oncosearch.evaluate.exchange.collection import Collection
from oncosearch.evaluate.exchange.records import read_qrels_json, read_run_json, write_qrels_json, write_run_json
from oncosearch.evaluate.exchange.report import ReadReport, Remark
from oncosearch.evaluate.exchange.table import (
    read_qrels_csv,
    read_ratings,
    read_run_csv,
    write_qrels_csv,
    write_run_csv,
)
from oncosearch.evaluate.exchange.trec import (
    flags_path,
    from_trec_id,
    read_duplicates,
    read_qrels,
    read_run,
    trec_id,
    write_qrels,
    write_run,
)

__all__ = [
    "Collection",
    "ReadReport",
    "Remark",
    "flags_path",
    "from_trec_id",
    "read_beir",
    "read_duplicates",
    "read_qrels",
    "read_qrels_csv",
    "read_qrels_json",
    "read_ratings",
    "read_run",
    "read_run_csv",
    "read_run_json",
    "trec_id",
    "write_beir",
    "write_qrels",
    "write_qrels_csv",
    "write_qrels_json",
    "write_run",
    "write_run_csv",
    "write_run_json",
]
